"""Texts made to keep a redactor busy.

Time is not asserted. What is: the work is counted in characters handed to the rules, and
doubling a text doubles what is found; the patterns themselves are checked for the shapes
that make a regular expression slow.
"""

from __future__ import annotations

import importlib
import re

import pytest

from hypermnesia.privacy import find_prohibited, keywords, pem, plain, redact
from tests.privacy.samples import fake

LONG = 16_000
"""Characters: a text that is read too often shows it at any length."""

HOSTILE = {
    "one letter": "a",
    "one digit": "1",
    "digits and blanks": "1 ",
    "dots": "1.",
    "quotes": '"',
    "backslashes": "\\",
    "keyword and link": "password is ",
    "keyword and sign": "password=",
    "keyword and quote": '"password": "',
    "keyword and escape": '\\"password\\":\\"',
    "keyword and scope": "password for a b c d e f ",
    "value before keyword": "4a4a4a is the password ",
    "value before keyword, in sentences": "4a4a4a is the password. ",
    "code and half a code": "door code 48 ",
    "spoken digits": "door code one two ",
    "seed words": "seed phrase aaa bbb ccc ",
    "begin markers": "-----BEGIN PRIVATE KEY-----",
    "begin markers and lines": "-----BEGIN PRIVATE KEY-----\nAAAA",
    "key prefixes": "sk-",
    "access key prefixes": "AKIA",
    "fixed-length tokens without a gap": fake("sbp_", 40, "0123456789abcdef"),
    "access keys without a gap": fake("AKIA", 16, "ABCDEFGH"),
    "jwt heads": "eyJ",
    "jwt parts": "eyJaaaaaaaa.",
    "urls": "://a:",
    "urls with passwords": "x://a:b",
    "at signs": "a@",
    "e-mail parts": "a.b@c.",
    "ibans": "DE89",
    "plus signs": "+1 ",
    "phone numbers": "+1234567 ",
    "tokens on lines": fake("ghp_", 36) + "\n",
    "private-key bodies": "MIIEpAIBAAKCAQEA" + "A" * 30 + "\n",
    "codes and doors": "4821 door code ",
    "passwords in a row": "password, x1X2x ",
    "zero-width spaces": "\u200b",
    "look-alikes": "\u0430",
    "password files": "a:1:",
    "colons": "::1",
    "minors": "child ",
    "sexual terms": "sexual content of ",
    "images": "images of a a a child ",
    "masks": "[redacted:x]",
    "half masks": "[redacted:",
    "bearer": "Bearer ",
    "azure marks": "a1Q~",
    "discord": "discord Maaaaaaaaaaaaaaaaaaaaaaaaa.aaaaaa.",
    "hashes": "$2a$10$",
    "chinese": "\u5bc6\u7801\u662f",
    "dotted capitals": "\u0130",
}


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Lengths of the stretches that the rules were asked about."""
    # By its full name: in the package, the function of the same name hides the module.
    module = importlib.import_module("hypermnesia.privacy.redact")
    lengths: list[int] = []
    find = module._find

    def counting(text: str, start: int, end: int, *rest: object) -> object:
        lengths.append(end - start)
        return find(text, start, end, *rest)

    monkeypatch.setattr(module, "_find", counting)
    return lengths


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE)
def test_no_text_is_read_more_than_a_few_times(unit: str, scanned: list[int]) -> None:
    """Masking must not expose one secret after another: every pass reads the text again."""
    text = (unit * LONG)[:LONG]
    redaction = redact(text, personal=True)
    find_prohibited(text)
    assert sum(scanned) <= 4 * LONG
    assert redact(redaction.text, personal=True).findings == ()


@pytest.mark.parametrize(
    "line",
    [
        "password is Xk29mm{:05d}!\n",
        "u{:05d}@example.com\n",
        "door code 48{:05d}\n",
        "token: a{:06d}b\n",
    ],
)
def test_twice_the_text_holds_twice_the_secrets(line: str) -> None:
    """No limit on the number of findings hides in a rule."""
    lines = [line.format(i) for i in range(2000)]
    half = redact("".join(lines[:1000]), personal=True)
    whole = redact("".join(lines), personal=True)
    assert len(half.findings) == 1000
    assert len(whole.findings) == 2000
    assert whole.findings[:1000] == half.findings


ATOMS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]")
UNBOUNDED = re.compile(r"(?:[*+]|\{\d+,\})(?![+])")


def backtracking() -> list[str]:
    """Every pattern that the backtracking engine of the standard library runs."""
    linear = {keywords.HEAD, keywords.WORDS}
    modules = (keywords, pem, plain)
    constants = [value for module in modules for value in vars(module).values()]
    return [
        value
        for value in constants
        if isinstance(value, str) and re.search(r"[\\(|]", value) and value not in linear
    ]


def test_what_reads_the_surroundings_repeats_nothing_without_bound() -> None:
    """RE2 is linear by design; the patterns that need look-around are bounded or possessive."""
    for pattern in backtracking():
        skeleton = re.sub(r"(?:[*+]|\{\d*,?\d*\})\+", "", ATOMS.sub("x", pattern))
        assert not UNBOUNDED.search(skeleton), pattern
