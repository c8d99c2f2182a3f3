"""The reasoning corpus over REST, and by the client."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from hypermnesia.client import Client
from hypermnesia.errors import AccessError, InvalidInput
from hypermnesia.memory import Memory
from hypermnesia.models.http import tls_context
from hypermnesia.serve.http.app import create_app
from tests.conftest import OpenMemory
from tests.corpus.queues import agreeing, rows
from tests.serve.accounts.service import running as keeping_gate
from tests.serve.http.running import PATIENCE, running, settings_of

EXPORT = "/api/v1/corpus/export"


@pytest.fixture
def memory(open_memory: OpenMemory) -> Memory:
    """Two scopes that agreed and one that did not, all of which were judged."""
    memory = agreeing(open_memory)
    memory.corpus_consent(given=True, scope="b")
    memory.add_many(["alpha one", "alpha two"])
    memory.add("beta", scope="b")
    memory.add("gamma", scope="c")
    return memory


@pytest.fixture
def address(memory: Memory) -> Iterator[str]:
    """Where it is served to everybody."""
    with running(create_app(memory, settings_of(), open_to_all=True)) as address:
        yield address


def test_what_is_queued_is_exported(address: str, memory: Memory) -> None:
    """Of every scope that agrees, or of one; the queue stays as it is."""
    with httpx2.Client(verify=tls_context(), base_url=address, timeout=PATIENCE) as http:
        every = http.get(EXPORT)
        one, none = (http.get(EXPORT, params={"scope": scope}) for scope in ("b", "c"))
    assert every.headers["content-type"].startswith("application/x-ndjson")
    lines = [json.loads(line) for line in every.text.splitlines()]
    assert lines == rows(memory)
    assert (every.headers["hypermnesia-rows"], every.headers["hypermnesia-withheld"]) == ("4", "0")
    assert [json.loads(line) for line in one.text.splitlines()] == [
        row for row in lines if "beta" in json.dumps(row)
    ]
    assert (none.status_code, none.text, none.headers["hypermnesia-rows"]) == (200, "", "0")
    assert memory.corpus_stats().pending == 4


def test_nothing_is_exported_of_a_scope_that_agrees_no_more(address: str, memory: Memory) -> None:
    """From that moment on."""
    memory.corpus_consent(given=False)
    assert httpx2.get(f"{address}{EXPORT}", timeout=PATIENCE).headers["hypermnesia-rows"] == "1"


def test_the_client_writes_the_file_that_the_facade_writes(
    address: str, memory: Memory, tmp_path: Path
) -> None:
    """JSON lines; other formats are made where the store is."""
    theirs, ours = tmp_path / "theirs.jsonl", tmp_path / "ours.jsonl"
    with Client(address) as client:
        assert client.corpus_export(theirs) == memory.corpus_export(ours)
        assert theirs.read_bytes() == ours.read_bytes()
        assert client.corpus_export(tmp_path / "c.jsonl", scope="c").rows == 0
        for name, asked in (("rows.parquet", None), ("rows", "parquet"), ("rows", "csv")):
            with pytest.raises(InvalidInput, match="JSON lines"):
                client.corpus_export(tmp_path / name, format=asked)


def test_only_administrators_export_what_is_not_one_scope_of_theirs(
    memory: Memory, tmp_path: Path
) -> None:
    """Others have the scopes that their token has."""
    with keeping_gate(memory) as service:
        chief = service.token(service.account("root", admin=True, scopes=["*"]), admin=True)
        token = service.token(service.account("eve", scopes=["b"]), read_only=True)
        with Client(service.url, token) as client:
            assert client.corpus_export(tmp_path / "b.jsonl", scope="b").rows == 1
            for scope in (None, "default"):
                with pytest.raises(AccessError):
                    client.corpus_export(tmp_path / "all.jsonl", scope=scope)
        assert not (tmp_path / "all.jsonl").exists()
        with Client(service.url, chief) as client:
            assert client.corpus_export(tmp_path / "all.jsonl").rows == 4
