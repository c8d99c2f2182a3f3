"""The verbs, each loaded when it is used, and what happens to their errors.

Start-up counts here: an agent's hook runs the command for every turn. Nothing but click
may be imported before a verb is known.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

import click

from hypermnesia import __version__
from hypermnesia.cli.options import Invocation, shared
from hypermnesia.cli.terminal import one_line, prepare_streams, say, show_json
from hypermnesia.errors import HypermnesiaError

FAILED = 1
"""Exit status of a failure that was reported."""
INTERRUPTED = 130
"""Exit status after Ctrl-C: 128 + SIGINT, as shells report it."""
READER_GONE = 141
"""Exit status when ``| head`` has seen enough: 128 + SIGPIPE."""


class Verb(NamedTuple):
    """Where a command lives: its module here, its name there; and its help in one line."""

    module: str
    name: str
    summary: str


SECTIONS: Mapping[str, Mapping[str, Verb]] = {
    "Remember": {
        "add": Verb("write", "add", "Remember a text, or one per line."),
        "ingest": Verb("ingest", "ingest", "Remember a conversation."),
        "update": Verb("write", "update", "Correct a memory in place."),
    },
    "Recall": {
        "search": Verb("recall", "search", "Find the memories that answer best."),
        "context": Verb("recall", "context", "Pack what is known into a prompt-ready text."),
        "ask": Verb("ask", "ask", "Answer a question from what is known."),
        "suggest": Verb("recall", "suggest", "Show what is known already about a text."),
        "list": Verb("browse", "list_", "List memories by event time."),
        "get": Verb("browse", "get", "Show one memory."),
        "history": Verb("browse", "history", "Show the versions and events of a memory."),
        "profile": Verb("browse", "profile", "Show a scope at a glance."),
    },
    "Undo and forget": {
        "restore": Verb("write", "restore", "Make a superseded or low-signal memory active."),
        "forget": Verb("forget", "forget", "Erase memories for good."),
    },
    "Care": {
        "export": Verb("transfer", "export", "Write memories as JSON lines."),
        "import": Verb("transfer", "import_", "Store what an export holds."),
        "backup": Verb("transfer", "backup", "Copy the store while it is in use."),
        "check": Verb("care", "check", "Verify the store, and that it can be written."),
        "privacy": Verb("privacy", "privacy", "Find secrets in a store, and mask them."),
        "corpus": Verb("corpus", "corpus", "Export or hand over judgements, by consent alone."),
        "migrate-store": Verb(
            "migrate_store", "migrate_store", "Move everything to another store."
        ),
        "reindex": Verb("care", "reindex", "Rebuild indexes; re-embed for another encoder."),
        "models": Verb("models", "models", "Show the encoder and judge in force."),
        "judge": Verb("judge", "judge", "Train the local judge further, or go back."),
    },
    "Agents": {
        "mcp": Verb("mcp", "mcp", "Serve the memory to an MCP client over stdio."),
        "install": Verb("install", "install", "Let an agent's client know the memory server."),
        "hook": Verb("hook", "hook", "Answer the session hooks of Claude Code."),
        "demo": Verb("demo", "demo", "See it work on a small project history."),
    },
    "Service": {
        "serve": Verb("serve", "serve", "Serve the memory over HTTP: REST, MCP, console."),
        "account": Verb("account", "account", "Manage who may use the service, and how much."),
        "token": Verb("token", "token", "Make, list and revoke tokens of the service."),
    },
    "Measure": {
        "eval": Verb("eval", "evaluate", "Measure memory systems; check what is claimed."),
    },
}
VERBS = {name: verb for section in SECTIONS.values() for name, verb in section.items()}


class Verbs(click.Group):
    """The root command: finds verbs late, and reports what they raise."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the help."""
        del ctx
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the verb's module and return its command."""
        verb = VERBS.get(cmd_name)
        if verb is not None:
            command = getattr(import_module(f"hypermnesia.cli.{verb.module}"), verb.name)
            return command if isinstance(command, click.Command) else None
        if cmd_name.startswith("-") or ctx.resilient_parsing:
            return None  # click says which option it does not know; completion says nothing
        raise click.NoSuchCommand(cmd_name, possibilities=VERBS, ctx=ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs by section without importing any."""
        del ctx
        for title, verbs in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, verb.summary) for name, verb in verbs.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb; whatever it raises becomes a line on stderr and an exit status."""
        prepare_streams()
        try:
            super().invoke(ctx)
            sys.stdout.flush()  # here, so that a closed pipe is seen while it can be handled
        except HypermnesiaError as error:
            _report(ctx, error)
            ctx.exit(FAILED)
        except (KeyboardInterrupt, click.Abort):
            say("interrupted")
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:
            _discard_output()
            ctx.exit(READER_GONE)
        except (click.ClickException, click.exceptions.Exit):
            raise
        except OSError as error:  # of the output: files and stores report theirs themselves
            _discard_output()
            say(f"error: the output cannot be written ({error.strerror})")
            ctx.exit(FAILED)
        except Exception as error:  # the outermost adapter: no traceback reaches a user
            if os.environ.get("HYPERMNESIA_DEBUG"):
                raise
            _report_bug(ctx, error)
            ctx.exit(FAILED)


@click.group(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Settings come from HYPERMNESIA_* variables, a TOML file and options, in rising order.",
)
@shared
@click.version_option(__version__, "-V", "--version", message="hypermnesia %(version)s")
def app() -> None:
    """Long-term memory for LLM agents: judged, hybrid, offline, reversible."""


def run() -> None:
    """Run the command line on ``sys.argv`` and exit with its status."""
    app.main()


def _report(ctx: click.Context, error: HypermnesiaError) -> None:
    say(f"error: {one_line(str(error))}")
    _report_json(ctx, type(error).__name__, str(error))


def _report_bug(ctx: click.Context, error: Exception) -> None:
    message = (
        f"this is a bug in hypermnesia {__version__} ({type(error).__name__});"
        " run it again with HYPERMNESIA_DEBUG=1 to see where, and please report it"
    )
    say(f"error: {message}")
    _report_json(ctx, "Bug", message)


def _report_json(ctx: click.Context, kind: str, message: str) -> None:
    if ctx.ensure_object(Invocation).json:
        show_json({"error": {"type": kind, "message": message}})


def _discard_output() -> None:
    """Point stdout at nothing, or the interpreter complains about the pipe when it exits."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)
