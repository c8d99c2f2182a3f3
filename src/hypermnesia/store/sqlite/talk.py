"""Turns of talk beside each other: where they stand, and what the latest searches read of them.

A search of talk reads a thousand turns, its candidates with those around them, and much the same
ones as the search before. Where the turns of a scope stand is known of all of them, in a few
numbers each; what they say, and their token vectors, of those that were read of late. Both follow
the rows by the change number: what was changed is forgotten, and read again when it is asked for.
"""

from __future__ import annotations

import json
import logging
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import apsw
import numpy as np
import numpy.typing as npt

from hypermnesia.store.columns import Parameters, moment_of
from hypermnesia.store.incidence import Place, Utterance
from hypermnesia.store.sqlite.reading import readable_rows
from hypermnesia.store.sqlite.rows import fetch_all
from hypermnesia.store.vectors import sound_tokens

log = logging.getLogger("hypermnesia")

HELD = 50_000
"""Turns kept as they were read, over all scopes: the talk of some years, at about 1.2 KB each."""

SCOPES = 1_000
"""Scopes whose turns' places are kept."""

_LATEST = "SELECT coalesce(max(changed), 0) FROM memory WHERE scope = ?"
_CHANGED = """SELECT m.key, t.session, t.position FROM memory m
    LEFT JOIN turn t ON t.memory = m.key AND m.status = 'active'
        AND typeof(t.position) = 'integer'
    WHERE m.scope = ? AND m.changed > ?"""
UTTERANCES = """SELECT m.key, m.content, m.valid_from, m.valid_from_offset,
    c.name, t.position, t.speaker, v.tokens
    FROM memory m JOIN turn t ON t.memory = m.key JOIN session c ON c.id = t.session
    LEFT JOIN vectors v ON v.memory = m.key
        AND v.encoder = (SELECT id FROM encoder WHERE identity = ?)"""
THESE = "m.key IN (SELECT value FROM json_each(?)) AND +m.scope = ? AND m.status = 'active'"

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Order:
    """The active turns of a scope in the order of the talk, ``(n,)`` each.

    Attributes:
        seen: number of the latest change that is known.
        key: theirs.
        session: the number of each turn's session.
        position: in it.
        by_key: places of the keys, in their own order.
    """

    seen: int
    key: Integers
    session: Integers
    position: Integers
    by_key: npt.NDArray[np.intp]

    def changed(self, rows: Sequence[Parameters], latest: int) -> _Order:
        """The order once these turns have moved; one without a session is left out."""
        kept = ~np.isin(self.key, np.asarray([row[0] for row in rows], np.int64))
        placed = np.asarray([row for row in rows if row[1] is not None], np.int64).reshape(-1, 3).T
        key, session, position = (
            np.concatenate([old[kept], new])
            for old, new in zip((self.key, self.session, self.position), placed, strict=True)
        )
        order = np.lexsort((position, session))
        key = key[order]
        return _Order(latest, key, session[order], position[order], np.argsort(key))

    def around(self, keys: Sequence[int], reach: int) -> list[int]:
        """Keys of the turns up to ``reach`` positions from one of these, each once."""
        at = self._places(keys)
        near = at[:, None] + np.arange(-reach, reach + 1)
        near = np.clip(near, 0, max(len(self.key) - 1, 0))
        beside = self.session[near] == self.session[at][:, None]
        beside &= np.abs(self.position[near] - self.position[at][:, None]) <= reach
        return self.key[np.unique(near[beside])].tolist()

    def holds(self, keys: Sequence[int]) -> bool:
        """Whether all of these are active turns of the scope."""
        return len(self._places(keys)) == len(keys)

    def _places(self, keys: Sequence[int]) -> npt.NDArray[np.intp]:
        """Where those of the keys stand that are there."""
        if not len(self.key):
            return np.zeros(0, np.intp)
        wanted = np.asarray(keys, np.int64)
        at = np.searchsorted(self.key, wanted, sorter=self.by_key)
        at = self.by_key[np.minimum(at, len(self.key) - 1)]
        return at[self.key[at] == wanted]


_NONE = np.zeros(0, np.int64)
_UNSEEN = _Order(0, _NONE, _NONE, _NONE, np.zeros(0, np.intp))


@dataclass(frozen=True, slots=True)
class _Held:
    """A turn as it was read; no token vectors = there are none that can be used."""

    utterance: Utterance
    tokens: bytes | None


class TalkIndex:
    """Turns by place; safe to share between threads.

    Args:
        identity: the encoder whose token vectors are read.
    """

    def __init__(self, identity: str) -> None:
        self._identity = identity
        self._orders: OrderedDict[int, _Order] = OrderedDict()
        self._held: OrderedDict[int, _Held] = OrderedDict()
        self._lock = threading.Lock()

    def around(
        self, connection: apsw.Connection, scope: int, keys: Sequence[int], reach: int
    ) -> list[Utterance]:
        """The active turns among ``keys`` and those up to ``reach`` positions from one of them."""
        order = self._current(connection, scope)
        held = self._read(connection, scope, order.around(keys, reach), order.seen)
        return [turn.utterance for turn in held]

    def tokens(
        self, connection: apsw.Connection, scope: int, keys: Sequence[int]
    ) -> list[bytes] | None:
        """Token vectors of active turns that were read of late, in the order of the keys.

        Returns:
            ``None`` unless all of them are held, and sound.
        """
        if not self._current(connection, scope).holds(keys):
            return None
        with self._lock:
            held = [self._held.get(key) for key in keys]
        tokens = [turn.tokens for turn in held if turn is not None and turn.tokens is not None]
        return tokens if len(tokens) == len(keys) else None

    def drop(self) -> None:
        """Forget everything; the next search reads it again."""
        with self._lock:
            self._orders.clear()
            self._held.clear()

    def _current(self, connection: apsw.Connection, scope: int) -> _Order:
        """The scope's order, brought up to the connection's snapshot."""
        with self._lock:
            order = self._orders.pop(scope, _UNSEEN)
            latest: int = connection.execute(_LATEST, (scope,)).get
            if latest > order.seen:
                rows = fetch_all(connection, _CHANGED, (scope, order.seen))
                order = order.changed(rows, latest)
                for key, *_ in rows:
                    self._held.pop(key, None)
            self._orders[scope] = order
            if len(self._orders) > SCOPES:
                self._orders.popitem(last=False)
            return order

    def _read(
        self, connection: apsw.Connection, scope: int, keys: Sequence[int], seen: int
    ) -> list[_Held]:
        """These turns, the ones that are not held from their rows."""
        with self._lock:
            held = [self._held.get(key) for key in keys]
        missing = [key for key, turn in zip(keys, held, strict=True) if turn is None]
        if not missing:
            return [turn for turn in held if turn is not None]
        values = (json.dumps(missing), scope)
        rows = readable_rows(connection, UTTERANCES, THESE, values, before=(self._identity,))
        fresh = {turn.utterance.key: turn for row in rows if (turn := _turn(row))}
        self._keep(connection, scope, fresh, seen)
        found = (turn or fresh.get(key) for key, turn in zip(keys, held, strict=True))
        return [turn for turn in found if turn is not None]

    def _keep(
        self, connection: apsw.Connection, scope: int, fresh: dict[int, _Held], seen: int
    ) -> None:
        """Hold what was read, unless another thread has seen a later change meanwhile."""
        latest: int = connection.execute(_LATEST, (scope,)).get
        with self._lock:
            order = self._orders.get(scope)
            if order is None or not order.seen == seen == latest:
                return
            self._held |= fresh
            while len(self._held) > HELD:  # the longest held first
                self._held.popitem(last=False)


def _turn(row: Parameters) -> _Held | None:
    """A turn from its row; a damaged one is logged and left out."""
    key, content, *moment, session, position, speaker, tokens = row
    try:
        at = moment_of(*moment)
    except (TypeError, OverflowError):
        at = None
    if at is None or not isinstance(content, str):
        log.warning("memory row %d is damaged; run `hypermnesia check`", key)
        return None
    said = Utterance(key, content, at, Place(session, position, speaker))
    return _Held(said, tokens if sound_tokens(tokens) else None)
