"""Whether a history of concurrent calls could have happened one call after the other.

A history is linearizable if each call can be given a moment between its invocation and its return
so that, in the order of these moments, every outcome is what a store with one user would give
(Herlihy and Wing 1990). The order is searched for (Wing and Gong 1993), subject by subject, which
is allowed because linearizability is local; states that were met before are not tried again
(Lowe 2017).

The one user's store is :func:`after`: a subject holds versions, of which the one with the latest
event time stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Action: TypeAlias = Literal["add", "update", "forget", "restore", "read"]
Standing: TypeAlias = Literal["active", "superseded", "deleted"]

TRIED = 200_000
"""Orders after which a search is given up, which counts as not linearizable."""


@dataclass(frozen=True, slots=True)
class Version:
    """A memory of a subject.

    Attributes:
        at: its event time.
    """

    at: int
    standing: Standing


State: TypeAlias = Mapping[str, Version]
"""The versions of a subject, by id."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call and what came of it.

    Attributes:
        process: who called.
        subject: what about.
        target: id of the memory; empty for a read.
        at: event time of what was added.
        invoked: when, in seconds of a clock that all processes share.
        returned: when it had an outcome.
        outcome: ``active`` or ``superseded`` of what was added or updated, ``ok``, or the error.
        ids: memories that it superseded; of a read, those that are active.
    """

    process: int
    action: Action
    subject: str
    target: str
    invoked: float
    returned: float
    outcome: str = "ok"
    at: int = 0
    ids: frozenset[str] = frozenset()


def after(state: State, call: Call) -> State | None:
    """The state that a call leads to, ``None`` when its outcome is impossible in this one."""
    match call.action:
        case "read":
            return state if call.ids == _active(state) else None
        case "add":
            return None if call.target in state else _stated(state, call, call.at)
        case _:
            return _changed(state, call)


def _changed(state: State, call: Call) -> State | None:
    version = state.get(call.target)
    if version is None:
        return None
    if call.action == "forget":  # whoever comes second may be told, or may not
        return {**state, call.target: Version(version.at, "deleted")}
    if version.standing == "deleted":
        return state if call.outcome == "NotFound" else None
    if call.action == "restore":
        restored = {**state, call.target: Version(version.at, "active")}
        return restored if call.outcome == "ok" else None
    if version.standing == "superseded":
        return state if call.outcome == "Conflict" else None
    return _stated(state, call, version.at)


def _stated(state: State, call: Call, at: int) -> State | None:
    """A text is stated: it replaces the older ones that stand, unless a newer one replaces it."""
    rivals = {i: state[i] for i in _active(state) if i != call.target}
    older = {i for i, rival in rivals.items() if rival.at <= at}
    standing: Standing = "superseded" if len(rivals) > len(older) else "active"
    # Versions that are history already may be put behind one that is inserted before their time.
    again = call.ids - older
    if call.outcome != standing or not older <= call.ids:
        return None
    if any(state[i].standing != "superseded" for i in again if i in state) or again - state.keys():
        return None
    replaced = {i: Version(state[i].at, "superseded") for i in older}
    return {**state, **replaced, call.target: Version(at, standing)}


def _active(state: State) -> frozenset[str]:
    return frozenset(i for i, version in state.items() if version.standing == "active")


def linearizable(calls: Sequence[Call]) -> bool:
    """Whether the calls of one subject could have happened one after the other."""
    order = sorted(calls, key=lambda call: call.invoked)
    everything = (1 << len(order)) - 1
    stack: list[tuple[int, State]] = [(0, {})]
    met = set[tuple[int, frozenset[tuple[str, Version]]]]()
    while stack:
        done, state = stack.pop()
        if done == everything:
            return True
        known = (done, frozenset(state.items()))
        if known in met:
            continue
        met.add(known)
        if len(met) > TRIED:
            return False
        for number in reversed(list(_next(order, done))):
            following = after(state, order[number])
            if following is not None:
                stack.append((done | 1 << number, following))
    return False


def _next(order: Sequence[Call], done: int) -> Iterable[int]:
    """Calls that may come next: invoked before any other one, not yet placed, had returned."""
    first = float("inf")
    for number, call in enumerate(order):
        if call.invoked > first:
            return
        if not done >> number & 1:
            first = min(first, call.returned)
            yield number


def unplaceable(calls: Sequence[Call]) -> list[str]:
    """Subjects whose calls have no order."""
    subjects: dict[str, list[Call]] = {}
    for call in calls:
        subjects.setdefault(call.subject, []).append(call)
    return [
        f"{len(own)} calls about {subject} have no order"
        for subject, own in subjects.items()
        if not linearizable(own)
    ]


def unread(calls: Sequence[Call], searches: Sequence[Call]) -> list[str]:
    """Writes that the same process did not find right after they had returned.

    Args:
        calls: the history.
        searches: made by a process for a text that it had just written: ``target`` is the memory,
            ``ids`` what was found. A memory that somebody else was about to change is not missed.
    """
    touched: dict[str, list[Call]] = {}
    for call in calls:
        for memory in {call.target, *(call.ids if call.action != "read" else ())}:
            touched.setdefault(memory, []).append(call)
    return [
        f"process {search.process} did not find what it had just written"
        for search in searches
        if search.target not in search.ids
        and not any(
            call.process != search.process and call.invoked < search.returned
            for call in touched.get(search.target, ())
        )
    ]
