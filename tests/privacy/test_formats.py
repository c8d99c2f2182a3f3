"""Credentials of the published formats."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hypermnesia.privacy import find_prohibited, redact
from hypermnesia.privacy.rule import Rule
from hypermnesia.privacy.table import TOKENS
from tests.privacy.examples import marked, written_out
from tests.privacy.samples import LIVE, LIVE_IN_CONTEXT, MASKED_ONLY, PLACEHOLDERS

MATCHES = [(rule, example) for rule in TOKENS for example in rule.matches]
MISSES = [(rule, example) for rule in TOKENS for example in rule.misses]


def broken(secret: str, between: str) -> str:
    """A line break two thirds into a credential."""
    place = len(secret) * 2 // 3
    return secret[:place] + between + secret[place:]


DISGUISES: dict[str, Callable[[str], str]] = {
    "zero-width spaces": "\u200b".join,
    "a soft hyphen": lambda secret: broken(secret, "\u00ad"),
    "full-width forms": lambda secret: "".join(chr(ord(c) + 0xFEE0) for c in secret),
    "Cyrillic letters": lambda secret: secret.translate(
        str.maketrans(
            "aeopcxyABEKMHOPCTX",
            "\u0430\u0435\u043e\u0440\u0441\u0445\u0443"
            "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425",
        )
    ),
    "a line break": lambda secret: broken(secret, "\n"),
    "a line break in a quoted mail": lambda secret: broken(secret, "\r\n> "),
    "a soft line break of MIME": lambda secret: broken(secret, "=\r\n"),
    "a line break of the shell": lambda secret: broken(secret, "\\\n    "),
}
FRAMES = (
    "{}",
    "the key is {}.",
    "KEY={}\nNEXT=1",
    '{{"key":"{}"}}',
    "log:\\n{}\\nend",
    "https://api.acme.io/?key%3D{}",
    "'{}',",
    "({})",
)


@pytest.mark.parametrize(("rule", "secret"), LIVE)
def test_a_live_credential_is_refused_and_masked_whole(rule: str, secret: str) -> None:
    """Wherever it stands: prose, settings, JSON, escaped text, a URL."""
    for frame in FRAMES:
        text = frame.format(secret)
        first = redact(text).findings[0]
        assert find_prohibited(text) == rule
        assert first.rule == rule
        assert first.start <= text.index(secret) < text.index(secret) + len(secret) <= first.end


@pytest.mark.parametrize(("rule", "template", "secret"), LIVE_IN_CONTEXT)
def test_a_credential_known_by_its_field_is_refused(rule: str, template: str, secret: str) -> None:
    """The field stays readable, its value goes."""
    text = template.format(secret)
    assert find_prohibited(text) == rule
    assert secret not in redact(text).text


@pytest.mark.parametrize(("rule", "template", "secret"), MASKED_ONLY)
def test_what_may_be_stored_is_masked_all_the_same(rule: str, template: str, secret: str) -> None:
    """Test keys, session tokens, URL passwords and hashes pass the guard and lose their value."""
    text = template.format(secret)
    redaction = redact(text)
    assert find_prohibited(text) is None
    assert secret not in redaction.text
    assert rule in {finding.rule for finding in redaction.findings}


@pytest.mark.parametrize("text", PLACEHOLDERS)
def test_a_placeholder_is_left_alone(text: str) -> None:
    """A run of x, an ellipsis or a variable cannot be a credential."""
    assert find_prohibited(text) is None
    assert redact(text).text == text


def test_format_decides_even_for_a_documented_example() -> None:
    """Spelling EXAMPLE must not open a way around the refusal."""
    assert find_prohibited("AKIA" + "IOSFODNN7EXAMPLE") == "aws-access-key"


@pytest.mark.parametrize(("rule", "example"), MATCHES)
def test_a_rule_finds_what_its_examples_mark(rule: Rule, example: str) -> None:
    """The examples stand beside each rule, and its keywords let them through."""
    text, secret = marked(example)
    redaction = redact(text)
    names = {finding.rule for finding in redaction.findings}
    assert secret not in redaction.text
    assert rule.name in names
    assert (find_prohibited(text) is not None) >= rule.live


@pytest.mark.parametrize(("rule", "example"), MISSES)
def test_a_rule_leaves_its_counter_examples_alone(rule: Rule, example: str) -> None:
    """What looks like a secret of this kind and is none."""
    names = {finding.rule for finding in redact(written_out(example)).findings}
    assert rule.name not in names


def test_every_rule_has_an_example() -> None:
    """A rule without one would rot; at least sixty services have a format of their own."""
    assert [rule.name for rule in TOKENS if not rule.matches] == []
    assert len({rule.name for rule in TOKENS if rule.family == "provider"}) >= 60


@pytest.mark.parametrize("frame", DISGUISES, ids=DISGUISES)
@pytest.mark.parametrize(("rule", "secret"), LIVE)
def test_a_disguise_does_not_hide_a_credential(rule: str, secret: str, frame: str) -> None:
    """Zero-width characters, full-width forms, look-alikes and line breaks are seen through."""
    disguised = DISGUISES[frame](secret)
    if disguised == secret:
        return  # it has no letter that could be swapped
    text = f"the key is {disguised} for now"
    assert find_prohibited(text) == rule
    assert redact(text).text == f"the key is [redacted:{rule}] for now"


def test_a_credential_inside_a_longer_word_is_none() -> None:
    """Word boundaries: ``task-`` is not ``sk-``, a longer upper-case run is no key id."""
    assert find_prohibited("task-" + "a1" * 20) is None
    assert find_prohibited("AKIA" + "A" * 17) is None
    assert find_prohibited("XAKIA" + "A" * 16) is None
