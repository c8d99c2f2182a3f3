"""Which form construction takes."""

from __future__ import annotations

from hypermnesia.engine import Engine
from hypermnesia.graph.constructor import Constructor
from hypermnesia.graph.local import LocalConstructor


def constructor_for(engine: Engine) -> Constructor:
    """The local form."""
    del engine
    return LocalConstructor()
