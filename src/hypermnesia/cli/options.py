"""Options that several verbs share, and what their values mean."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar

import click

from hypermnesia.cli.terminal import log_on_stderr

if TYPE_CHECKING:
    from hypermnesia.memory import Memory

P = ParamSpec("P")
R = TypeVar("R")
Decorator: TypeAlias = Callable[[Callable[P, R]], Callable[P, R]]

# Written out, because hypermnesia.types imports numpy; a test compares them.
LEVELS = ("turn", "fact", "episode", "topic")
TYPES = (
    "fact", "preference", "decision", "project", "solution", "architecture", "conversation"
)  # fmt: skip
STATUSES = ("active", "low_signal", "superseded")


@dataclass(slots=True)
class Invocation:
    """The options every verb has. Mutable: filled while the command line is parsed.

    Attributes:
        json: print one JSON document instead of text.
        store: the store file; ``None`` = the configured one.
        scope: isolation boundary; ``None`` = the configured one.
    """

    json: bool = False
    store: str | None = None
    scope: str | None = None

    @contextmanager
    def memory(self) -> Generator[Memory]:
        """The memory that the options name, open while the block runs."""
        from hypermnesia.memory import Memory  # noqa: PLC0415 - numpy: most of the start-up

        with log_on_stderr(), Memory.open(self.store) as memory:
            yield memory


pass_invocation = click.make_pass_decorator(Invocation, ensure=True)


def _keep(ctx: click.Context, param: click.Parameter, value: str | bool | None) -> None:
    invocation = ctx.ensure_object(Invocation)  # made by the root command, so that verbs share it
    if value not in {None, False}:  # an empty name is a mistake to report, not a default
        setattr(invocation, param.name or "", value)


def _stacked(*options: Callable[..., Any]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    def decorate(command: Callable[P, R]) -> Callable[P, R]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def json_option(command: Callable[P, R]) -> Callable[P, R]:
    """Give a command ``--json``; it lands in the Invocation."""
    return click.option(
        "--json", is_flag=True, expose_value=False, callback=_keep,
        help="Print one JSON document.",
    )(command)  # fmt: skip


def shared(command: Callable[P, R]) -> Callable[P, R]:
    """Give a command ``--json``, ``--store`` and ``--scope``; they land in the Invocation."""
    return _stacked(
        json_option,
        click.option(
            "--store", metavar="STORE", expose_value=False, callback=_keep,
            help="A file, or a postgresql:// URL"
            " [default: HYPERMNESIA_STORE, or a file in the platform's data folder].",
        ),
        click.option(
            "--scope", metavar="NAME", expose_value=False, callback=_keep,
            help="Isolation boundary [default: HYPERMNESIA_SCOPE, or 'default'].",
        ),
    )(command)  # fmt: skip


def filters(command: Callable[P, R]) -> Callable[P, R]:
    """Give a command the filters of :meth:`hypermnesia.Memory.search`, by the same names."""
    return _stacked(
        click.option(
            "--level", "levels", multiple=True, type=click.Choice(LEVELS),
            help="Only these levels (repeatable).",
        ),
        click.option(
            "--type", "types", multiple=True, type=click.Choice(TYPES),
            help="Only these types (repeatable).",
        ),
        click.option(
            "--tag", "tags", multiple=True, metavar="TAG",
            help="Only what carries all of these (repeatable).",
        ),
        metadata_option("Only where metadata KEY equals VALUE (repeatable)."),
        click.option(
            "--status", multiple=True, type=click.Choice(STATUSES),
            help="Which statuses (repeatable) [default: active].",
        ),
        click.option(
            "--since", metavar="TIME", help="Event time not before; ISO 8601, UTC without offset."
        ),
        click.option("--until", metavar="TIME", help="Event time not after; a date includes it."),
        click.option("--as-of", metavar="TIME", help="What held at this time."),
    )(command)  # fmt: skip


def metadata_option(text: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A repeatable ``--metadata KEY=VALUE`` that arrives as a mapping."""
    return click.option(
        "--metadata", multiple=True, metavar="KEY=VALUE", callback=_metadata,
        help=f"{text} VALUE is JSON if it parses, else text.",
    )  # fmt: skip


def _metadata(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> Mapping[str, Any]:
    metadata: dict[str, Any] = {}
    for pair in values:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise click.BadParameter(f"{pair!r} is not KEY=VALUE", ctx, param)
        metadata[name] = _json_or_text(value)
    return metadata


def _json_or_text(value: str) -> Any:
    try:
        return json.loads(value, parse_constant=_not_json)
    except (ValueError, RecursionError):
        return value


def _not_json(constant: str) -> None:
    raise ValueError(constant)  # NaN and Infinity are Python's, not JSON's: text
