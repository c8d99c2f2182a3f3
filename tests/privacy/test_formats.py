"""Credentials of the published formats."""

from __future__ import annotations

import pytest

from hypermnesia.privacy import find_prohibited, redact
from hypermnesia.privacy.rules import RULES
from tests.privacy.samples import LIVE, LIVE_IN_CONTEXT, MASKED_ONLY, PLACEHOLDERS

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


def test_every_rule_has_a_sample() -> None:
    """A rule without a test would rot."""
    samples = {row[0] for row in (*LIVE, *LIVE_IN_CONTEXT, *MASKED_ONLY)}
    assert samples == {rule.name for rule in RULES}


def test_every_sample_passes_the_hints_of_its_rule() -> None:
    """A hint that is missing would switch the rule off without a trace."""
    hints = {rule.name: rule.hints for rule in RULES}
    samples = [(name, secret) for name, secret in LIVE]
    samples += [(n, t.format(s)) for n, t, s in (*LIVE_IN_CONTEXT, *MASKED_ONLY)]
    assert [text for name, text in samples if not any(h in text for h in hints[name])] == []


def test_a_credential_inside_a_longer_word_is_none() -> None:
    """Word boundaries: ``task-`` is not ``sk-``, a longer upper-case run is no key id."""
    assert find_prohibited("task-" + "a1" * 20) is None
    assert find_prohibited("AKIA" + "A" * 17) is None
    assert find_prohibited("XAKIA" + "A" * 16) is None
