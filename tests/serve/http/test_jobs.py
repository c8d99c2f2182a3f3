"""Work that outlasts a request, over REST."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from hypermnesia.memory import Memory
from hypermnesia.models.http import tls_context
from hypermnesia.serve.http.app import create_app
from hypermnesia.serve.jobs import submit
from tests.conftest import OpenMemory
from tests.serve.http.running import PATIENCE, running, settings_of
from tests.store.embedders import HashEmbedder

API = "/api/v1"
TALK = [
    {"role": "user", "content": f"I moved to city {number}.", "timestamp": "2026-05-03T10:00:00Z"}
    for number in range(3)
]


def over(http: httpx2.Client, place: str) -> dict[str, Any]:
    """A job when it has come to an end."""
    tries, deadline = threading.Event(), time.monotonic() + PATIENCE
    while (job := http.get(place).json())["state"] not in {"done", "failed", "cancelled"}:
        assert time.monotonic() < deadline, job
        tries.wait(0.05)
    return job


def test_a_conversation_is_taken_in_as_a_job(http: httpx2.Client, memory: Memory) -> None:
    """Begun, watched, done; and begun again under its key it is the same job."""
    headers = {"Idempotency-Key": "k"}
    begun = http.post(f"{API}/ingest", json={"messages": TALK}, headers=headers)
    assert begun.status_code == 202
    done = over(http, begun.headers["location"])
    assert (done["state"], done["result"]["turns"], done["total"]) == ("done", 3, 3)
    assert len(memory.list(levels="turn").items) == 3
    again = http.post(f"{API}/ingest", json={"messages": TALK}, headers=headers)
    assert again.json()["id"] == begun.json()["id"]
    assert [job["id"] for job in http.get(f"{API}/jobs").json()["items"]] == [done["id"]]


def test_a_conversation_that_cannot_be_read_is_a_job_that_failed(http: httpx2.Client) -> None:
    """With the facade's reason."""
    body = {"document": "nonsense", "format": "no format"}
    begun = http.post(f"{API}/ingest", json=body)
    failed = over(http, begun.headers["location"])
    assert failed["state"] == "failed"
    assert failed["error"]["type"] == "InvalidInput"


def test_a_job_left_by_a_service_that_died_is_done_by_the_next(memory: Memory) -> None:
    """It lies in the store."""
    payload = b'{"messages": [{"role": "user", "content": "I moved to Lisbon."}]}'
    job = submit(memory, "ingest", "owner", scope="default", payload=payload)
    app = create_app(memory, settings_of(), open_to_all=True)
    with (
        running(app) as address,
        httpx2.Client(verify=tls_context(), base_url=address, timeout=PATIENCE) as http,
    ):
        assert over(http, f"{API}/jobs/{job.id}")["state"] == "done"


def test_an_unknown_job_is_not_found(http: httpx2.Client) -> None:
    """Neither to look at nor to cancel."""
    unknown = f"{API}/jobs/01890a5d-ac96-774b-bcce-b302099a8057"
    assert http.get(unknown).status_code == 404
    assert http.post(f"{unknown}/cancel").status_code == 404


# --- backups -----------------------------------------------------------------------


@pytest.fixture
def kept(memory: Memory, tmp_path: Path) -> Iterator[tuple[httpx2.Client, Path]]:
    """A service that makes backups and keeps two of them."""
    folder = tmp_path / "backups"
    settings = settings_of(
        store=str(tmp_path / "memory.db"), serve_backup_folder=str(folder), serve_backup_keep=2
    )
    with (
        running(create_app(memory, settings, open_to_all=True)) as address,
        httpx2.Client(verify=tls_context(), base_url=address, timeout=PATIENCE) as http,
    ):
        yield http, folder


def test_backups_are_made_on_time_and_on_demand_and_the_latest_kept(
    kept: tuple[httpx2.Client, Path], open_memory: OpenMemory, memory: Memory
) -> None:
    """Each is a store that can be opened."""
    http, folder = kept
    memory.add("alpha")
    for _ in range(3):
        assert over(http, http.post(f"{API}/backup").headers["location"])["state"] == "done"
    for job in http.get(f"{API}/jobs").json()["items"]:  # that of the schedule, too
        assert over(http, f"{API}/jobs/{job['id']}")["state"] == "done"
    made = sorted(folder.iterdir())
    assert len(made) == 2
    with open_memory(str(made[-1])) as copy:
        assert [node.content for node in copy.list()] == ["alpha"]


def test_a_service_without_a_folder_makes_none(http: httpx2.Client) -> None:
    """And says what is missing."""
    failed = over(http, http.post(f"{API}/backup").headers["location"])
    assert "serve_backup_folder" in failed["error"]["message"]


# --- another encoder ---------------------------------------------------------------


class Slow(HashEmbedder):
    """An encoder that is another one, and takes its time when told to."""

    def __init__(self) -> None:
        super().__init__(name="another")
        self.entered = threading.Event()
        self.allowed = threading.Event()

    def encode(self, texts: Any) -> Any:
        """Wait for the test before much is encoded."""
        if len(texts) > 1:
            self.entered.set()
            assert self.allowed.wait(PATIENCE)
        return super().encode(texts)


def test_the_encoder_changes_while_lexical_search_goes_on(open_memory: OpenMemory) -> None:
    """A job embeds anew; until it is done words find what they found."""
    with open_memory() as before:
        before.add_many([f"memory {number} of billing" for number in range(5)])
    another = Slow()
    memory = open_memory(embedder=another)
    app = create_app(memory, settings_of(), open_to_all=True)
    with (
        running(app) as address,
        httpx2.Client(verify=tls_context(), base_url=address, timeout=PATIENCE) as http,
    ):
        assert http.post(f"{API}/memories", json={"content": "new"}).status_code == 503
        begun = http.post(f"{API}/reindex")
        assert another.entered.wait(PATIENCE)
        found = http.post(f"{API}/search", json={"query": "billing"}).json()["items"]
        assert len(found) == 5
        assert http.get("/healthz").status_code == 200
        another.allowed.set()
        assert over(http, begun.headers["location"])["result"] == {"embedded": 5}
        assert http.post(f"{API}/memories", json={"content": "new"}).status_code == 201
