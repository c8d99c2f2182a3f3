"""Children that the tests fork."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable

from tests.faults.forking import finish, spawn


class Ring:
    """Refers to itself, so that only the collector takes it down."""

    def __init__(self) -> None:
        self.itself = self


def test_a_child_leaves_what_its_parent_dropped_alone() -> None:
    """It may rest on threads that the child does not have."""
    gc.disable()
    try:
        told: list[str] = []
        ring = Ring()
        weakref.finalize(ring, told.append, "taken down").atexit = False
        del ring

        def collect(tell: Callable[[str], None]) -> None:
            own = Ring()
            weakref.finalize(own, tell, "its own was taken down").atexit = False
            del own
            gc.collect()
            tell(f"of the parent's: {told}")

        assert finish(*spawn(collect)) == ["its own was taken down", "of the parent's: []"]
    finally:
        gc.enable()
