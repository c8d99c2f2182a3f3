"""When a lease may be taken over: it has run out, or was taken by a clock that had gone wrong.

Leases are a minute long. One that ends hours from now was taken while a clock ran ahead; if its
holder was killed, nobody else could work for as long as the clock was wrong.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from hypermnesia.store.columns import micros

LONGEST = timedelta(hours=1)
"""No lease ends later than this from now; clocks of machines on one store differ by far less."""


def beyond(now: datetime) -> int:
    """The moment after which no lease that was taken by a true clock can end, in microseconds."""
    return micros(now + LONGEST)
