"""What a statement is about: whose thing, and which of their things.

"The pump of Bramble", "Bramble's pump", "the minutes for Yara": the name behind *of* or *for*, or
before *'s*, is the holder, and the word beside it the thing. Two statements with different holders,
or about different things of one holder, can both hold, however alike they are otherwise. What is
said of the thing is the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from hypermnesia.judge import features_change as change
from hypermnesia.judge import features_words as words
from hypermnesia.judge.features_text import Token, tokenize

_OWNING = "of"
_HOLDING = frozenset({_OWNING, "for"})
_PLACING = words.word_set("in at on inside within")
_PASSED = words.word_set("the a an our my your his her its their this that project team")
"""Stands between a preposition and the name behind it."""
_NO_HOLDER = words.word_set(
    "it's that's there's here's what's who's let's he's she's how's where's"
)
_CHOSEN = words.word_set(
    "work works worked working play plays played playing favour favor instead pay pays paid paying"
    " head heads headed heading leave leaves left leaving vote votes voted voting opt opts opted"
    " aim aims aiming study studies studying"
)
"""Before *of* or *for*, these make what follows the value: "works for Lumen", "instead of Go"."""
_NAMES = frozenset({"name", "identifier"})
REACH = 2
"""Content words on the thing's side that may name it."""


@dataclass(frozen=True, slots=True)
class About:
    """Whom and what a statement concerns.

    Attributes:
        things: by the stem of a holder's name, stems of the words that may name the thing; none
            for a name behind *for*: what is done for somebody may change.
        sites: the same for names behind *in*, *at* or *on*: "the scheduler in Fathom".
        places: stems of names behind *in*, *at* or *on*, with a thing before them or not.
        names: stems of all names and identifiers but the one that may only open a sentence.
    """

    things: dict[str, frozenset[str]]
    sites: dict[str, frozenset[str]]
    places: frozenset[str]
    names: frozenset[str]


@lru_cache(maxsize=512)
def about(text: str) -> About:
    """What a text is about; cached like the readings."""
    tokens = tokenize(text)
    things: dict[str, frozenset[str]] = {}
    sites: dict[str, frozenset[str]] = {}
    places: set[str] = set()
    for i, token in enumerate(tokens):
        if _possesses(token):
            _note(things, token.stem, _behind(tokens, i + 1))
        if token.lower not in _HOLDING | _PLACING:
            continue
        target = _target(tokens, i + 1)
        if target is None or target.kind not in _NAMES:
            continue
        thing = _before(tokens, i)
        if token.lower in _PLACING:
            places.add(target.stem)
            if thing:
                _note(sites, target.stem, thing)
        elif not i or tokens[i - 1].lower not in _CHOSEN:
            _note(things, target.stem, thing if token.lower == _OWNING else frozenset())
    names = frozenset(t.stem for t in tokens if t.kind in _NAMES)
    return About(things, sites, frozenset(places), names)


def _note(things: dict[str, frozenset[str]], holder: str, thing: frozenset[str]) -> None:
    things[holder] = things.get(holder, frozenset()) | thing


def about_features(old: str, new: str, kept: frozenset[str]) -> dict[str, float]:
    """Whether two statements are about the same thing of the same holder.

    Args:
        old: the existing text.
        new: the incoming one.
        kept: stems that both have.
    """
    a, b = about(old), about(new)
    shared = [h for h in a.things.keys() & b.things.keys() if a.things[h] and b.things[h]]
    same = any(a.things[h] & b.things[h] for h in shared)
    held_a, held_b = a.sites | a.things, b.sites | b.things
    near = [h for h in held_a.keys() & held_b.keys() if held_a[h] and held_b[h]]
    met = any(held_a[h] & held_b[h] for h in near)
    names_a, names_b = a.names - kept, b.names - kept
    return {
        "holder_clash": float(bool(a.things.keys() - kept and b.things.keys() - kept)),
        "holder_same": float(bool(held_a.keys() & held_b.keys())),
        "thing_clash": float(bool(shared) and not same),
        "thing_same": float(same),
        "site_clash": float(bool(held_a.keys() - kept and held_b.keys() - kept)),
        "site_other": float(bool(near) and not met),
        "site_thing": float(met),
        "place_clash": float(bool(a.places - kept) and bool(b.places - kept)),
        "name_left": min(len(names_a), 3) / 2,
        "name_new": min(len(names_b), 3) / 2,
        "names_clash": float(len(names_a) > 1 and len(names_b) > 1),
    }


def _target(tokens: tuple[Token, ...], start: int) -> Token | None:
    """The word that a preposition leads to."""
    return next((t for t in tokens[start : start + 3] if t.lower not in _PASSED), None)


def _before(tokens: tuple[Token, ...], end: int) -> frozenset[str]:
    """The thing before "of": content words right before it."""
    found: list[str] = []
    for token in reversed(tokens[max(0, end - REACH) : end]):
        if token.kind != "word" or token.lower in change.VERBS:
            break
        found.append(token.stem)
    return frozenset(found)


def _behind(tokens: tuple[Token, ...], start: int) -> frozenset[str]:
    """The thing behind "'s": content words right behind it."""
    found: list[str] = []
    for token in tokens[start : start + REACH]:
        if token.kind != "word" or token.lower in change.VERBS:
            break
        found.append(token.stem)
    return frozenset(found)


def _possesses(token: Token) -> bool:
    held = token.lower.endswith("'s") and token.lower not in _NO_HOLDER
    return held and token.kind in _NAMES | {"word"}
