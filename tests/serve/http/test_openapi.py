"""The description of the service is exact: what it allows is taken, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI

from hypermnesia.engine import CorpusPolicy
from hypermnesia.memory import Memory
from hypermnesia.serve.http.app import create_app
from tests.conftest import OpenMemory
from tests.serve.http.running import settings_of

REPOSITORY = Path(__file__).parents[3]
DESCRIPTION = "/api/v1/openapi.json"
IN_CI = bool(os.environ.get("CI"))
PARTS = 6 if IN_CI else 1
"""Each loads schemathesis anew, which takes as long as a part of the examples."""
PHASES = "examples,coverage" if IN_CI else "examples"
"""Coverage sends some thousand requests: two minutes of a core, which CI spends each time."""
CONFIGURATION = """
[generation]
allow-x00 = false  # no text with a NUL is stored, and a schema of any JSON cannot say so

[checks.positive_data_acceptance]
# What fits the schema may still name a version that is over.
expected-statuses = ["2xx", "401", "403", "404", "409", "412", "429", "5xx"]

[checks.missing_required_header]
# RFC 6585: a precondition that is missing has a status of its own.
expected-statuses = ["401", "422", "428"]

[[operations]]
include-path = "/api/v1/observe"
# What a message needs, and what not, is told message by message.
checks.positive_data_acceptance.expected-statuses = ["2xx", "422"]

[parameters]
"path.memory_id" = "{memory}"
"""


@pytest.fixture
def memory(open_memory: OpenMemory, tmp_path: Path) -> Memory:
    """A memory that can hand over."""
    return open_memory(corpus=CorpusPolicy(folder=tmp_path / "corpus"))


@pytest.fixture
def app(memory: Memory, tmp_path: Path) -> FastAPI:
    """The application, open to whoever reaches it, with a place for backups."""
    settings = settings_of(serve_backup_folder=str(tmp_path / "backups"))
    return create_app(memory, settings, open_to_all=True)


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_every_operation_is_what_its_description_says(
    address: str, memory: Memory, app: FastAPI, tmp_path: Path, part: int
) -> None:
    """All checks of schemathesis, on requests that are made up the same way every time.

    In parts, which processes of the tests can share: together they are by far the longest.
    """
    paths = sorted(app.openapi()["paths"])[part::PARTS]
    added = memory.add("Billing uses NATS", pin=True)
    configuration = tmp_path / "schemathesis.toml"
    configuration.write_text(CONFIGURATION.replace("{memory}", added.id), "utf-8")
    found = subprocess.run(
        [
            sys.executable, "-m", "schemathesis.cli",
            "--config-file", str(configuration),
            "run", f"{address}{DESCRIPTION}",
            "--checks", "all",
            "--phases", os.environ.get("HYPERMNESIA_TEST_PHASES", PHASES),
            "--max-examples", os.environ.get("HYPERMNESIA_TEST_EXAMPLES", "2"),
            "--seed", "1",
            "--request-timeout", "120",
            "--no-color",
            *(word for path in paths for word in ("--include-path", path)),
        ],
        capture_output=True, text=True, timeout=1800, check=False, cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(REPOSITORY),
            "SCHEMATHESIS_HOOKS": "tests.serve.http.described",
        },
    )  # fmt: skip
    assert found.returncode == 0, found.stdout[-6000:] + found.stderr[-2000:]
    assert "Tested: 0" not in found.stdout


def test_every_operation_is_named_as_the_facade_names_it(app: FastAPI) -> None:
    """Clients that are generated have the verbs of the library."""
    names = [
        operation["operationId"]
        for path in app.openapi()["paths"].values()
        for operation in path.values()
    ]
    assert len(names) == len(set(names))
    verbs = {name for name in dir(Memory) if not name.startswith("_")}
    own = {"open", "close", "scope", "service", "accounts", "corpus_flush_due"}
    assert verbs - own <= set(names)


@pytest.mark.parametrize("path", ["/api/v1/memories", "/api/v1/search", "/healthz"])
def test_a_failure_is_described_as_a_problem(http: httpx2.Client, path: str) -> None:
    """With its media type."""
    for operation in http.get(DESCRIPTION).json()["paths"][path].values():
        for status, reply in operation["responses"].items():
            if status >= "4":
                assert list(reply["content"]) == ["application/problem+json"]
