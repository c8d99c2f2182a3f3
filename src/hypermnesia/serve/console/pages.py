"""Templates made into pages that run no script but the console's own."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response

from hypermnesia import __version__
from hypermnesia.serve.console.assets import asset

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
        " font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none';"
        " frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    # Not no-referrer: a browser would then hide the origin of the console's own forms.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""What every page is sent with. Styles and scripts are files: nothing in a page runs."""


def render(template: str, status: int, values: Mapping[str, Any]) -> Response:
    """A page; everything put into it is escaped."""
    page = _PAGES.get_template(template).render(asset=asset, version=__version__, **values)
    return HTMLResponse(page, status, HEADERS)


def day(moment: datetime | None) -> str:
    """``3 May 2026``, in the offset that came with the time; nothing for none."""
    return "" if moment is None else f"{moment.day} {moment:%B} {moment.year}"


def clock(moment: datetime | None) -> str:
    """``3 May 2026, 10:00 UTC+02:00``."""
    return "" if moment is None else f"{day(moment)}, {moment:%H:%M} {moment.tzname()}"


def since(moment: datetime | None, now: datetime | None = None) -> str:
    """How long ago: ``just now``, ``5 min ago``, ``3 h ago``, else the day."""
    if moment is None:
        return "never"
    seconds = ((now or datetime.now(UTC)) - moment).total_seconds()
    steps = ((60, 1, ""), (3600, 60, "min"), (86400, 3600, "h"))
    for below, unit, name in steps:
        if 0 <= seconds < below:
            return f"{int(seconds // unit)} {name} ago" if name else "just now"
    return day(moment)


def share(value: float | None) -> str:
    """A number in [0, 1] with two decimals; a dash for none."""
    return "-" if value is None else f"{value:.2f}"


def width(value: float | None) -> str:
    """A share as the width of a bar, 0 to 100."""
    return f"{100 * min(1.0, max(0.0, value or 0.0)):.1f}"


def pretty(value: Any) -> str:
    """JSON over several lines."""
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


def counted(count: int, noun: str = "memory", plural: str = "memories") -> str:
    """``1 memory``, ``2,000 memories``."""
    return f"{count:,} {noun if count == 1 else plural}"


def shell(text: str) -> str:
    """A text as one word of a command."""
    return shlex.quote(text)


def named(word: str) -> str:
    """A word of the data model as people write it: ``low_signal`` becomes ``low signal``."""
    return word.replace("_", " ")


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("hypermnesia.serve.console"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = (day, clock, since, share, width, pretty, counted, named, shell)
    environment.filters.update({filter_.__name__: filter_ for filter_ in filters})
    return environment


_PAGES = _environment()
