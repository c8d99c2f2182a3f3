"""The verbs that Claude Code calls at the start and the end of a session.

A hook must never stand in its client's way: whatever goes wrong is one line on stderr, and the
status is 0. The end hook hands its work to a process of its own, because a client that ends does
not wait for it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any, cast

import click

from hypermnesia.cli.options import Invocation, pass_invocation, shared
from hypermnesia.cli.terminal import one_line, say
from hypermnesia.errors import Conflict, HypermnesiaError, InvalidInput
from hypermnesia.folders import expanded, user_folder

MAX_PAYLOAD = 1_000_000
"""Bytes of a client's message that are read; real ones have some hundreds."""
PATIENCE = 120.0
"""Seconds that a capture waits for another one of the same session."""
MAX_LOG = 1_000_000
"""Bytes after which the log of captures begins anew."""


@click.group
@shared
def hook() -> None:
    """Answer the session hooks of Claude Code; 'install claude-code --hooks' sets them up."""


@hook.command("session-start")
@click.option(
    "--max-tokens",
    type=click.IntRange(100, 100_000),
    default=1500,
    show_default=True,
    help="Budget, never exceeded.",
)
@shared
@pass_invocation
def session_start(invocation: Invocation, *, max_tokens: int) -> None:
    """Read the client's message on standard input, and print what is remembered for the model."""
    _without_harm(lambda: _start(invocation, max_tokens))


@hook.command("session-end")
@click.option("--wait", is_flag=True, help="Store the transcript before returning.")
@shared
@pass_invocation
def session_end(invocation: Invocation, *, wait: bool) -> None:
    """Read the client's message on standard input, and remember the transcript it names.

    The work goes on in a process of its own, whose errors are in hooks.log in the log folder. What
    is stored already is passed over, so that any later end of the session makes up for a lost one.
    """
    _without_harm(lambda: _end(invocation) if wait else _detach())


def _without_harm(work: Callable[[], None]) -> None:
    try:
        work()
    except HypermnesiaError as error:
        say(f"hypermnesia: {one_line(str(error))}")
    except Exception as error:  # noqa: BLE001 - the outermost adapter: the client goes on regardless
        say(f"hypermnesia: this is a bug ({type(error).__name__}); please report it")


def _start(invocation: Invocation, max_tokens: int) -> None:
    from hypermnesia.clients.briefing import briefing  # noqa: PLC0415 - as with any verb

    _payload(sys.stdin.buffer.read(MAX_PAYLOAD))
    with invocation.memory() as memory:
        text = briefing(memory, invocation.scope, max_tokens)
    if text:
        output = {"hookEventName": "SessionStart", "additionalContext": text}
        click.echo(json.dumps({"hookSpecificOutput": output}))


def _end(invocation: Invocation) -> None:
    import stamina  # noqa: PLC0415 - as with any verb

    from hypermnesia.clients.transcript import messages  # noqa: PLC0415

    payload = _payload(sys.stdin.buffer.read(MAX_PAYLOAD))
    path, session = _transcript(payload)
    said = list(messages(path))
    if not said:
        return
    with invocation.memory() as memory:
        # A stop and the end of the session follow each other closely; the later one waits.
        ingest = stamina.retry(on=Conflict, attempts=None, timeout=PATIENCE)(memory.ingest)
        report = ingest(said, scope=invocation.scope, session=session)
    say(f"hypermnesia: {report.turns} turns stored, {report.known} known, {report.refused} refused")


def _detach() -> None:
    """Start the same command again with ``--wait``, apart from the client."""
    payload = sys.stdin.buffer.read(MAX_PAYLOAD)
    _transcript(_payload(payload))
    with _log() as log:
        child = subprocess.Popen(  # noqa: S603 - this very program
            [*_itself(), "--wait"],
            stdin=subprocess.PIPE, stdout=log, stderr=log, close_fds=True, **_apart(),
        )  # fmt: skip
    if child.stdin is not None:
        with child.stdin as pipe:
            pipe.write(payload)
    child.returncode = 0  # nobody waits for it, and no warning shall say so


def _itself() -> list[str]:
    start = "from hypermnesia.cli import main; main()"
    return [sys.executable, "-c", start, *sys.argv[1:]]


def _apart() -> dict[str, Any]:
    if sys.platform == "win32":
        flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
        return {"creationflags": flags}
    return {"start_new_session": True}


def _log() -> IO[bytes]:
    """The file that captures write to, begun anew when it is long."""
    try:
        folder = user_folder("log")
        path = folder / "hooks.log"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        full = path.exists() and path.stat().st_size > MAX_LOG
        return path.open("wb" if full else "ab")
    except (OSError, InvalidInput):
        return Path(os.devnull).open("wb")  # a capture matters more than its log


def _payload(raw: bytes) -> Mapping[str, Any]:
    """The client's message.

    Raises:
        InvalidInput: it is not a JSON object.
    """
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise InvalidInput("standard input holds no JSON object, as Claude Code sends to hooks")
    return cast("Mapping[str, Any]", value)


def _transcript(payload: Mapping[str, Any]) -> tuple[Path, str | None]:
    """The transcript a message names, and its session.

    Raises:
        InvalidInput: none is named, or there is none.
    """
    match payload:
        case {"transcript_path": str() as name} if name:
            path = expanded(name)
        case _:
            raise InvalidInput("the message names no transcript_path")
    if not path.is_file():
        raise InvalidInput(f"there is no transcript {path}")
    session = payload.get("session_id")
    return path, session if isinstance(session, str) and session else path.stem
