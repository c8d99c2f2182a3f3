"""Words of a text as the lexical index of every store holds them.

Analysis (:mod:`.lexicon`) is followed by the stemming that SQLite's FTS5 does for its own index,
by FTS5 itself, so that all stores find the same by the same words.
"""

from __future__ import annotations

import shlex
import threading
from collections import Counter
from typing import Any

import apsw

from hypermnesia.store.lexicon import TOKENIZER, index_terms
from hypermnesia.types import Node

_NAME, *_ARGUMENTS = shlex.split(TOKENIZER)
_local = threading.local()


def stems(text: str, *, query: bool = False) -> list[str]:
    """The stems of analysed text, in order, repeated as often as they occur.

    Args:
        text: terms separated by spaces.
        query: the text is what is asked for, not what is stored.
    """
    tokenizer = getattr(_local, "tokenizer", None)
    if tokenizer is None:
        _local.connection = apsw.Connection(":memory:")  # a tokenizer belongs to a connection
        tokenizer = _local.tokenizer = _local.connection.fts5_tokenizer(_NAME, _ARGUMENTS)
    found: Any = tokenizer(
        text.encode(),
        apsw.FTS5_TOKENIZE_QUERY if query else apsw.FTS5_TOKENIZE_DOCUMENT,
        None,
        include_offsets=False,
        include_colocated=False,
    )
    return list(found)


def counted(node: Node) -> Counter[str]:
    """How often a memory's text, type and tags hold each stem."""
    labels = index_terms(" ".join((node.memory_type, *node.tags)))
    return Counter(stems(index_terms(node.content))) + Counter(stems(labels))
