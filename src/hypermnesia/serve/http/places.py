"""The addresses of an application as they were declared, ids left open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from re import Pattern

from starlette.routing import BaseRoute, Route

OTHER = "other"
"""What stands for every address that is not served."""


@dataclass(frozen=True, slots=True)
class _Place:
    pattern: Pattern[str]
    declared: str
    methods: frozenset[str]


class Places:
    """Addresses with their methods.

    A route does not know what else is served at its address, so that this is noted when all are
    put together.
    """

    def __init__(self) -> None:
        self._places: list[_Place] = []

    def note(self, routes: Iterable[BaseRoute]) -> None:
        """Remember what is served."""
        for route in routes:
            if isinstance(route, Route):
                methods = frozenset(route.methods or ())
                self._places.append(_Place(route.path_regex, route.path_format, methods))

    def declared(self, path: str) -> str:
        """The address that a path was declared as."""
        found = (place.declared for place in self._places if place.pattern.match(path))
        return next(found, OTHER)

    def methods(self, path: str) -> list[str]:
        """Methods that are served at a path."""
        served = (place.methods for place in self._places if place.pattern.match(path))
        return sorted(frozenset[str]().union(*served))
