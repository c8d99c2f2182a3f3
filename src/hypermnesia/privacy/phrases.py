"""Secrets of several words, and codes that only their door names."""

from __future__ import annotations

from collections.abc import Iterator

from hypermnesia.privacy import keywords
from hypermnesia.privacy.credentials import SPOKEN
from hypermnesia.privacy.scan import Finding, end_of, folded_pattern
from hypermnesia.privacy.vocabulary import PROSE


def find_opening_codes(folded: str) -> Iterator[Finding]:
    """Codes that are told by what they open: ``4821 opens the front door``."""
    if any(verb in folded for verb in ("open", "unlock", "disarm", "enter", "get in", "turn off")):
        for pattern in keywords.OPENS:
            for match in folded_pattern(pattern).finditer(folded):
                yield Finding(SPOKEN, *match.span("value"))


def find_phrases(folded: str) -> Iterator[Finding]:
    """Wallet seeds (12 to 24 words) and unquoted passphrases (4 to 8)."""
    if not any(hint in folded for hint in ("phrase", "mnemonic", "seed", "words")):
        return
    for word in folded_pattern(keywords.PHRASE_WORD).finditer(folded):
        start = end_of(keywords.LINKS, folded, end_of(keywords.GLUE, folded, word.end()))
        seed = folded_pattern(keywords.PHRASE).match(folded, start)
        explicit = folded_pattern(keywords.EXPLICIT).search(folded, word.end(), start)
        phrase = seed or (explicit and folded_pattern(keywords.DICEWARE).match(folded, start))
        if phrase and (seed or PROSE.isdisjoint(phrase[0].split())):
            yield Finding(SPOKEN, *phrase.span())
