"""Looking for the published formats, and the few things every finder needs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from hypermnesia.privacy.rules import RULES, Rule

MASK = "[redacted:{rule}]"
MASKED = r"\[redacted:[a-z0-9-]{1,40}\]"
"""A mask that stands in a text already; nothing is ever found inside or across one."""

FOLD_WIDTH = str.maketrans(
    "\u00a0\u3000\u2018\u2019\u201c\u201d\u2013\u2014" + "".join(map(chr, range(0xFF01, 0xFF5F))),
    "  ''\"\"--" + "".join(map(chr, range(0x21, 0x7F))),
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One secret in a text.

    Attributes:
        rule: which rule found it.
        start: offset of its first character in the original text.
        end: offset past its last character.
    """

    rule: str
    start: int
    end: int


# Words count only between separators: letters alone turn up by chance in a long token.
_PLACEHOLDER = (
    r"(?i)(?<![a-z0-9])(?:your|insert|placeholder|dummy|change[_-]?me|redacted|xxx+)"
    r"(?![a-z0-9])"
    r"|(?:your|example)[_-]?(?:api|key|token|secret|password)|x{6}|\*{3}|\.{3}"
    r"|<[\w -]{1,40}>|\$\{|\{\{|%\(|\A\$[a-z_]\w*\Z"
)


@cache
def compiled(pattern: str, flags: int = re.ASCII) -> re.Pattern[str]:
    """Compile at the first use, so that importing the package costs nothing."""
    return re.compile(pattern, flags)


def folded_pattern(pattern: str) -> re.Pattern[str]:
    """Compile a pattern over folded text, in which a letter may be of any script."""
    return compiled(pattern, re.NOFLAG)


def end_of(pattern: str, text: str, start: int) -> int:
    """Offset past the match of a folded pattern at ``start``; ``start`` if there is none."""
    match = folded_pattern(pattern).match(text, start)
    return match.end() if match else start


def fold(text: str) -> str:
    """Lower-case, with typographic quotes, dashes, blanks and full-width forms made plain.

    The result has exactly the length of ``text``, so that offsets hold in both.
    """
    lowered = text.lower()
    if text.isascii():
        return lowered
    if len(lowered) != len(text):  # a few capitals, such as dotted I, lower to two characters
        lowered = "".join(low if len(low := c.lower()) == 1 else c for c in text)
    return lowered.translate(FOLD_WIDTH)


def find_formats(text: str, *, live: bool = False) -> Iterator[Finding]:
    """Credentials of the published formats, in the order of the rules.

    Args:
        text: the text itself; formats are case-sensitive.
        live: only the rules whose matches are refused.
    """
    for rule in RULES:
        for hint in rule.hints:  # a plain loop: any() over a generator costs more than the searches
            if hint in text:
                if rule.live or not live:
                    yield from _matches(rule, text)
                break


def _matches(rule: Rule, text: str) -> Iterator[Finding]:
    for match in compiled(rule.pattern).finditer(text):
        named = "secret" in match.re.groupindex and match["secret"] is not None
        start, end = match.span("secret") if named else match.span()
        # What is glued to a credential goes with it; otherwise a row of credentials without
        # a gap would come to light one by one, each when the one before it is masked.
        end = end_of(r"[\w-]*+", text, end)
        value = text[start:end]
        if not (is_placeholder(value) or _is_identifier(value)):
            yield Finding(rule.name, start, end)


def is_placeholder(value: str) -> bool:
    """Whether a value only marks the place of a secret."""
    return compiled(_PLACEHOLDER).search(value) is not None


def _is_identifier(value: str) -> bool:
    """``ghs_installation_token_name`` is an identifier; a key has a digit or a capital in it."""
    words = compiled(r"[_-]").split(value)
    return len(words) > 3 and all(w.isalpha() and w.islower() for w in words if w)  # noqa: PLR2004
