"""The hypergraph as plain JSON, and back, checked as strictly as new input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any, TypeAlias, get_args

from hypermnesia import validate
from hypermnesia.errors import InvalidInput
from hypermnesia.serial import plain
from hypermnesia.store.incidence import Days, EpisodeRole, FactRole, Member, Place, Role
from hypermnesia.types import Level

ROLES: tuple[Role, ...] = (*get_args(EpisodeRole), *get_args(FactRole), "turn")

MOST = 1000
"""Ends of one record; a larger hyperedge takes several."""
_DATED: tuple[Level, ...] = ("turn", "fact")


@dataclass(frozen=True, slots=True)
class Sources:
    """The turns that a fact was taken from, by id."""

    fact: str
    turns: tuple[str, ...]


Links: TypeAlias = tuple[Member, ...] | Sources
"""One record: (a part of) a hyperedge, or the sources of a fact."""


def edges_plain(members: Sequence[Member]) -> Iterator[dict[str, Any]]:
    """Records of the hyperedges that these members make up."""
    by_head = sorted(members, key=lambda member: member.head)
    for head, group in groupby(by_head, key=lambda member: member.head):
        rows = [[member.node, member.role, member.weight] for member in group]
        for start in range(0, len(rows), MOST):
            yield {"kind": "hyperedge", "head": head, "members": rows[start : start + MOST]}


def sources_plain(sources: Mapping[str, Sequence[str]]) -> Iterator[dict[str, Any]]:
    """Records of the turns that facts were taken from."""
    for fact, turns in sources.items():
        for start in range(0, len(turns), MOST):
            yield {"kind": "sources", "fact": fact, "turns": list(turns[start : start + MOST])}


def place_plain(place: Place | None, days: Sequence[Days]) -> dict[str, Any]:
    """The fields that a memory's record has besides those of its node; none when it is no talk."""
    found: dict[str, Any] = {} if place is None else {"place": plain(place)}
    if days:
        found["days"] = [[d.first.isoformat(), d.last.isoformat()] for d in days]
    return found


def links_from(record: Mapping[str, Any]) -> Links:
    """What :func:`edges_plain` or :func:`sources_plain` wrote.

    Raises:
        InvalidInput: it is of another kind, or a field is missing, unknown or out of bounds.
    """
    match record:
        case {"kind": "hyperedge", "head": head, "members": list(rows), **rest} if not rest:
            head = validate.identifier(head, "head")
            return tuple(_member(head, row) for row in _bounded(rows, "members"))
        case {"kind": "sources", "fact": fact, "turns": list(turns), **rest} if not rest:
            ids = [validate.identifier(turn, "turn") for turn in _bounded(turns, "turns")]
            return Sources(validate.identifier(fact, "fact"), tuple(ids))
        case _:
            raise InvalidInput(
                "a record with a kind is a 'hyperedge' with head and members, or 'sources' with"
                " fact and turns"
            )


def place_from(record: object, level: Level) -> Place | None:
    """What the field ``place`` of a memory's record says.

    Raises:
        InvalidInput: it is no place, or the memory is no turn.
    """
    match record:
        case None:
            return None
        case {"session": str(session), "position": position, "speaker": str(speaker), **rest} if (
            not rest and level == "turn"
        ):
            return Place(
                session=validate.label(session, "session") or "",
                position=validate.bounded(position, 0, 2**53, "position"),
                speaker=validate.label(speaker, "speaker") or "",
            )
        case _:
            raise InvalidInput("a place has session, position and speaker; only turns have one")


def days_from(record: object, level: Level) -> tuple[Days, ...]:
    """What the field ``days`` of a memory's record says.

    Raises:
        InvalidInput: it holds something else than pairs of dates, or too many of them.
    """
    if record is None:
        return ()
    match record:
        case list(pairs) if level in _DATED:
            return tuple(_days(pair) for pair in _bounded(pairs, "days"))
        case _:
            raise InvalidInput("days is a list of pairs of dates; only turns and facts have some")


def _days(pair: object) -> Days:
    match pair:
        case [str(first), str(last)]:
            try:
                found = Days(date.fromisoformat(first), date.fromisoformat(last))
            except ValueError:
                raise InvalidInput("a day is not a date; write it as 2026-05-03") from None
            if found.first <= found.last:
                return found
        case _:
            pass
    raise InvalidInput("days are pairs of a first and a last date, such as 2026-05-03")


def _member(head: str, row: object) -> Member:
    match row:
        case [node, role, weight]:
            return Member(
                head=head,
                node=validate.identifier(node, "member"),
                role=validate.one_of(role, ROLES, "role"),
                weight=validate.number(weight, 0, 1, "weight"),
            )
        case _:
            raise InvalidInput("a member is a list of its id, role and weight")


def _bounded(rows: list[Any], what: str) -> list[Any]:
    if len(rows) > MOST:
        raise InvalidInput(f"the record has {len(rows):,} {what}, at most {MOST:,} are read")
    return rows
