"""What holds for every redaction, whatever the text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hypermnesia.privacy import Finding, find_prohibited, redact
from tests.privacy.prose import HARMLESS
from tests.privacy.samples import LIVE, pem
from tests.privacy.test_credentials import ASSIGNED, OTHER_LANGUAGES, SPOKEN
from tests.privacy.test_personal import PERSONAL

PIECES = (
    *(text for text, _ in (*SPOKEN, *ASSIGNED, *OTHER_LANGUAGES)),
    *(secret for _, secret in LIVE),
    *(template.format(value) for _, template, value in PERSONAL),
    *HARMLESS,
    pem(),
    pem(end=False),
    *("[redacted:x]", "[redacted:", "]", "[", "://a:", "@h", "sk-", "eyJ", "\\n", '"', "'", "\0"),
    *("password is ", " is the password", "token=", "door code ", "-----BEGIN PRIVATE KEY-----"),
)
"""Whole samples and the joints at which one rule could trip over another."""


def cut(piece: str, start: int, length: int) -> str:
    """A part of a sample."""
    return piece[start : start + length]


TEXTS = st.lists(
    st.one_of(
        st.sampled_from(PIECES),
        st.builds(cut, st.sampled_from(PIECES), st.integers(0, 40), st.integers(1, 60)),
        st.text(max_size=20),
    ),
    max_size=8,
).flatmap(lambda pieces: st.sampled_from(["", " ", "\n", ", "]).map(lambda sep: sep.join(pieces)))


@given(TEXTS, st.booleans())
@settings(max_examples=150, deadline=None)
@example("password is AKIA" + "A" * 16 + " is the password", False)
@example("4a4a4a is the password 5b5b5b is the password", False)
def test_redacting_twice_changes_and_finds_nothing(text: str, personal: bool) -> None:
    """A mask is never looked into, and what lies between masks is clean."""
    once = redact(text, personal)
    assert redact(once.text, personal) == redact(once.text)
    assert redact(once.text, personal).findings == ()


@given(TEXTS, st.booleans())
@settings(max_examples=150, deadline=None)
def test_findings_rebuild_the_redacted_text(text: str, personal: bool) -> None:
    """Offsets are into the original, sorted and apart; everything else is untouched."""
    redaction = redact(text, personal)
    rebuilt, position = "", 0
    for finding in redaction.findings:
        assert position <= finding.start < finding.end <= len(text)
        rebuilt += text[position : finding.start] + f"[redacted:{finding.rule}]"
        position = finding.end
    assert rebuilt + text[position:] == redaction.text


@given(st.text(max_size=200), st.sampled_from(LIVE), st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_a_credential_is_found_in_any_surroundings(
    before: str, sample: tuple[str, str], after: str
) -> None:
    """A separator on both sides is enough."""
    assert sample[1] not in redact(f"{before} {sample[1]} {after}").text


def test_a_text_without_secrets_is_returned_as_it_is() -> None:
    """The same object: the common case copies nothing."""
    text = "We chose NATS over Kafka for billing."
    assert redact(text).text is text


def test_offsets_hold_where_lower_case_is_longer() -> None:
    """Dotted capital I lowers to two characters; offsets must not shift."""
    text = "\u0130\u0130 password: hunter22"
    assert redact(text).findings == (Finding("credential", 13, 21),)


def test_overlapping_findings_become_one_named_by_the_first_rule() -> None:
    """No part of a value stays because two rules disagree about its end."""
    text = "password: " + LIVE[0][1] + "!tail9"
    redaction = redact(text)
    assert redaction.text == "password: [redacted:anthropic-key]"


def test_a_mask_in_the_text_is_a_border() -> None:
    """An already redacted row is redacted once, whatever its masks are called."""
    text = "password is [redacted:credential] and the token is [redacted:github-token]."
    assert redact(text).findings == ()


@pytest.mark.parametrize("text", ["", " ", "\0", "\ud800", "\ud83d\ude00 password", "a" * 64_000])
def test_odd_texts_pass(text: str) -> None:
    """Empty, NUL, lone surrogates, the longest content."""
    assert redact(text, personal=True).text == text
    assert find_prohibited(text) is None


def test_naughty_strings_never_raise() -> None:
    """Every line of the Big List of Naughty Strings, alone and as a password."""
    path = Path(__file__).parents[3] / "shared" / "data" / "naughty-strings.txt"
    if not path.is_file():
        pytest.skip("the list is not part of the repository")
    for line in path.read_text(encoding="utf-8").splitlines():
        for text in (line, f"password: {line}"):
            once = redact(text, personal=True)
            assert redact(once.text, personal=True).findings == ()
            find_prohibited(text)
