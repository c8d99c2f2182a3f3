"""Words of a query, for the plain lexical baselines."""

from __future__ import annotations

import re

from hypermnesia.store.lexicon import STOP_WORDS

_WORD = re.compile(r"[^\W_]+")


def content_words(text: str) -> list[str]:
    """Distinct words in lower case, stop-words left out unless there is nothing else."""
    words = dict.fromkeys(_WORD.findall(text.lower()))
    return [word for word in words if word not in STOP_WORDS] or list(words)
