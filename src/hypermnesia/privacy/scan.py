"""Looking for secrets by their own form, and the few things every finder needs."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

from hypermnesia.privacy.plain import Plain
from hypermnesia.privacy.rule import Rule, has_digit
from hypermnesia.privacy.table import TOKENS

MASK = "[redacted:{rule}]"
MASKED = r"\[redacted:[a-z0-9-]{1,40}\]"
"""A mask that stands in a text already; nothing is ever found inside or across one."""


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
    r"|<[\w -]{1,40}>|\{\w{0,20}\}|\$\{|\{\{|%\(|\A\$[a-z_]\w*\Z"
)
# A line that ends inside a token and goes on in the next: the break, as editors, mail clients
# (RFC 2045 soft breaks) and shells write it, between two characters that a token may hold.
_BREAK = re.compile(rb"\n[ \t]{0,16}(?:[>|#*] ?)?(?=[\w+/=.-]{4})", re.ASCII)
_BEFORE_BREAK = re.compile(rb"(?<=[\w+/.-]{3})(?:=|\\)?\r?\Z", re.ASCII)
SHORTEST_REST = 4
"""Characters in the next line that may be the rest of a token."""


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


@cache
def _keywords() -> tuple[Any, tuple[int, ...]]:
    """The keywords of all rules as one RE2 set, and the place in the table each belongs to."""
    import re2  # noqa: PLC0415 - loaded when something is scanned, not at start-up

    options = re2.Options()
    options.case_sensitive = False
    words, owners = re2.Set.SearchSet(options), list[int]()
    for index, rule in enumerate(TOKENS):
        for word in map(re2.escape, rule.keywords) if rule.keywords else [rule.pattern]:
            words.Add(word)
            owners.append(index)
    words.Compile()
    return words, tuple(owners)


def _candidates(data: bytes) -> list[Rule]:
    """The rules of which a text holds a keyword, in the order of the table; one pass for all."""
    words, owners = _keywords()
    found = words.Match(data)
    return [TOKENS[index] for index in sorted({owners[word] for word in found})] if found else []


def find_tokens(plain: Plain, *, live: bool = False) -> Iterator[Finding]:
    """Secrets that their own form gives away, by offsets into ``plain.text``.

    Args:
        plain: the text; formats are case-sensitive.
        live: only the rules whose matches are refused.
    """
    for rule in _candidates(plain.data):
        if rule.live or not live:
            for start, end in rule.spans(plain.data):
                if _is_secret(rule, plain.text[start:end]):
                    yield Finding(rule.name, start, end)
    if "\n" in plain.text:
        yield from _broken(plain, live=live)


def _is_secret(rule: Rule, value: str) -> bool:
    return not (is_placeholder(value) or _is_identifier(value)) and rule.accepts(value)


def _broken(plain: Plain, *, live: bool) -> Iterator[Finding]:
    """Tokens that a line break goes through: read once more with such breaks taken out."""
    seams = _Seams.of(plain.data)
    if seams is None:
        return
    for rule in _candidates(seams.joined):
        if rule.family in {"provider", "jwt"} and (rule.live or not live):
            for start, end in rule.spans(seams.joined):
                last = seams.crossed(rule, start, end)
                if last and _is_secret(rule, seams.joined[start:last].decode()):
                    yield Finding(rule.name, seams.origin(start), seams.origin(last - 1) + 1)


class _Seams(NamedTuple):
    """A text without the line breaks that may go through a token.

    Attributes:
        joined: the text without them.
        places: offsets in ``joined`` at which one was taken out, ascending.
        gone: how many bytes are missing from each of these places on.
    """

    joined: bytes
    places: list[int]
    gone: list[int]

    @classmethod
    def of(cls, data: bytes) -> _Seams | None:
        """Take the breaks out; ``None`` if there are none."""
        parts, places, gone, kept = list[bytes](), list[int](), list[int](), 0
        for match in _BREAK.finditer(data):
            # Looked for backwards from the break, which is quicker to find than what is before it.
            first = _BEFORE_BREAK.search(data, max(0, match.start() - 2), match.start())
            if first is not None:
                missing = gone[-1] if gone else 0
                parts.append(data[kept : first.start()])
                places.append(first.start() - missing)
                gone.append(missing + match.end() - first.start())
                kept = match.end()
        return cls(b"".join((*parts, data[kept:])), places, gone) if places else None

    def origin(self, offset: int) -> int:
        """An offset of ``joined`` in the text that still has its breaks."""
        index = bisect_right(self.places, offset)
        return offset + (self.gone[index - 1] if index else 0)

    def crossed(self, rule: Rule, start: int, end: int) -> int:
        """Where a token that goes on after a break ends; 0 if it does not go on.

        What follows the break must look like more of the token, not like the next word of the
        text; or the token has exactly the length that its format asks for.
        """
        first, stop = bisect_right(self.places, start), bisect_left(self.places, end)
        last = 0
        for seam, following in pairwise([*self.places[first:stop], end]):
            if not (rule.fixed or _looks_random(self.joined[seam:following].decode())):
                break
            last = following
        return last


def _looks_random(rest: str) -> bool:
    """More than a word or a name: digits beside letters, or capitals strewn among small ones."""
    if len(rest) < SHORTEST_REST or compiled(r"[_.-][A-Za-z]{3,}(?=[_.-]|\Z)").search(rest):
        return False
    if has_digit(rest):
        return not rest.isdigit()
    return not (
        rest[1:].islower() or rest.isupper() or compiled(r"(?:[A-Z]?[a-z]{2,16})++\Z").match(rest)
    )


def is_placeholder(value: str) -> bool:
    """Whether a value only marks the place of a secret."""
    return compiled(_PLACEHOLDER).search(value) is not None


def _is_identifier(value: str) -> bool:
    """``ghs_installation_token_name`` is an identifier; a key has a digit or a capital in it."""
    words = compiled(r"[_-]").split(value)
    return len(words) > 3 and all(w.isalpha() and w.islower() for w in words if w)  # noqa: PLR2004
