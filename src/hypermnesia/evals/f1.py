"""Token F1 of an answer, as question answering without a judge is scored.

Source: Rajpurkar et al., SQuAD, EMNLP 2016: lower case, no punctuation, no articles; then the
harmonic mean of precision and recall over the words, each counted as often as it comes. LoCoMo's
own script also stems and splits the answers of multi-hop questions at commas; this one does not.
"""

from __future__ import annotations

import re
from collections import Counter

_WORD = re.compile(r"\w+(?:['\u2019]\w+)*")
_ARTICLES = frozenset({"a", "an", "the"})


def token_f1(answer: str, gold: str) -> float:
    """How far the words of an answer are those of the gold answer, in [0, 1].

    Two texts without a word are alike; one without is unlike any other.
    """
    ours, theirs = _words(answer), _words(gold)
    if not ours or not theirs:
        return float(ours == theirs)
    common = (ours & theirs).total()
    return 2 * common / (ours.total() + theirs.total())


def _words(text: str) -> Counter[str]:
    words = (word.replace("\u2019", "'") for word in _WORD.findall(text.casefold()))
    return Counter(word for word in words if word not in _ARTICLES)
