"""Secrets of several words, and codes that only their door names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hypermnesia.privacy import keywords
from hypermnesia.privacy.credentials import SPOKEN
from hypermnesia.privacy.plain import Plain
from hypermnesia.privacy.rule import regex_of
from hypermnesia.privacy.scan import Finding, end_of, folded_pattern
from hypermnesia.privacy.vocabulary import PROSE, SENTENCE

REACH = 100
"""Characters on both sides of a number in which what it opens may be named."""


def find_opening_codes(plain: Plain) -> Iterator[Finding]:
    """Codes that are told by what they open: ``4821 opens the front door``."""
    folded = plain.folded
    if not regex_of(keywords.OPENED).search(plain.data):
        return
    for first, last in _round_numbers(plain.data):
        if folded_pattern(keywords.OPENED).search(folded, first, last):
            for pattern in (*keywords.OPENS, *keywords.DOORS):
                for match in folded_pattern(pattern).finditer(folded, first, last):
                    yield Finding(SPOKEN, *match.span("value"))


def _round_numbers(data: bytes) -> Iterator[tuple[int, int]]:
    """Spans that hold each number and ``REACH`` bytes round it; those that overlap are one."""
    first, last = 0, -1
    for number in regex_of(r"\d{4,8}|\d{1,2}(?:-\d{1,2}){2,5}").finditer(data):
        start, end = number.span()
        if start - REACH > last:
            if last >= 0:
                yield first, last
            first = max(0, start - REACH)
        last = min(len(data), end + REACH)
    if last >= 0:
        yield first, last


def find_phrases(plain: Plain) -> Iterator[Finding]:
    """Wallet seeds (12 to 24 words) and unquoted passphrases (4 to 8)."""
    folded = plain.folded
    for word in regex_of(keywords.PHRASE_WORD, any_case=True).finditer(plain.data):
        after = end_of(keywords.GLUE, folded, word.end())
        start = end_of(keywords.LINKS, folded, end_of(keywords.SCOPE, folded, after))
        seed = folded_pattern(keywords.PHRASE).match(folded, start)
        explicit = folded_pattern(keywords.EXPLICIT).search(folded, word.end(), start)
        phrase = seed or (explicit and folded_pattern(keywords.DICEWARE).match(folded, start))
        if phrase and (seed or _is_drawn(phrase[0].split(), plainly=word.group("any") is not None)):
            yield Finding(SPOKEN, *phrase.span())


def _is_drawn(words: Sequence[str], *, plainly: bool) -> bool:
    """Words of a passphrase, and none of a sentence about one.

    After "password is" a sentence is the likelier: words that end like verbs or adverbs tell it.
    """
    if not PROSE.isdisjoint(words):
        return False
    return not plainly or not (
        any(word.endswith(("ed", "ing", "ly")) for word in words) or SENTENCE & set(words)
    )
