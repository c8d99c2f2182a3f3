"""Ids that tell the messages of a session apart."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import replace

from hypermnesia.graph.messages import Message

REMEMBERED = 100_000
"""Messages looked back on, so that an endless source fits in memory (about 20 MB)."""


class Distinct:
    """Notices, message by message, ids that came before in the same session.

    The same message under the same id is a repetition. Another message gets ``~2``, ``~3`` and
    so on behind its id. Messages without an id are never compared: people do say "yes" twice.
    """

    def __init__(self, remembered: int = REMEMBERED) -> None:
        self._remembered = remembered
        self._uses: OrderedDict[bytes, int] = OrderedDict()
        self._told: OrderedDict[bytes, None] = OrderedDict()

    def admit(self, message: Message) -> Message | None:
        """The message under an id of its own, or ``None`` if it is a repetition."""
        if message.id is None:
            return message
        key, told = _digest(message.session, message.id), _digest(message)
        if told in self._told:
            return None
        self._told[told] = None
        own = message.id
        while (used := _digest(message.session, own)) in self._uses:
            self._uses[key] += 1
            own = f"{message.id}~{self._uses[key]}"
        self._uses[used] = 1
        for kept in (self._uses, self._told):
            while len(kept) > self._remembered:
                kept.popitem(last=False)
        return message if own == message.id else replace(message, id=own)


def _digest(*what: object) -> bytes:
    return hashlib.blake2b(repr(what).encode("utf-8", "surrogatepass"), digest_size=16).digest()
