"""Rows go to the hub through its own client, and stay queued when it does not take them."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import json
import threading
from collections.abc import Generator
from pathlib import Path

import pytest
from huggingface_hub.utils import close_session
from pydantic import SecretStr

from hypermnesia.corpus import hub as client
from hypermnesia.corpus.files import needed
from hypermnesia.engine import CorpusPolicy
from hypermnesia.errors import CorpusError, InvalidInput
from hypermnesia.memory import Memory
from tests.conftest import OpenMemory
from tests.corpus.hub import TOKEN, Hub, serving
from tests.corpus.queues import agreeing, rows

REPO = "me/judgements"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Generator[Hub]:
    """A hub that the client finds by its usual variable."""
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    with serving() as found:
        monkeypatch.setenv("HF_ENDPOINT", found.url)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        close_session()  # it read the proxies of the environment when it was opened
        yield found
        close_session()


def memory_for(open_memory: OpenMemory, folder: Path, token: str = TOKEN, **policy: str) -> Memory:
    """A memory with three rows that go to the hub."""
    corpus = CorpusPolicy(folder=folder, repo=REPO, token=SecretStr(token), **policy)  # type: ignore[arg-type]
    memory = agreeing(open_memory, corpus=corpus)
    memory.add_many(["alpha one", "alpha two"])
    return memory


def test_a_batch_and_the_totals_are_one_commit(
    open_memory: OpenMemory, tmp_path: Path, hub: Hub
) -> None:
    """To a data set that is made for it, visible to its owner alone."""
    memory = memory_for(open_memory, tmp_path / "out")
    done = memory.corpus_flush()
    assert (done.rows, done.repo) == (3, REPO)
    assert hub.private == {REPO: True}
    ((data, metadata),) = hub.commits
    assert hub.rows(REPO) == rows(memory)
    assert data == f"data/{done.files[0].name}"
    totals = json.loads(hub.files[REPO][metadata])
    assert (totals["rows"], totals["by_use_case"]) == (3, {"analyze": 2, "supersede": 1})


def test_later_batches_are_added(open_memory: OpenMemory, tmp_path: Path, hub: Hub) -> None:
    """The data set grows, the totals are replaced."""
    memory = memory_for(open_memory, tmp_path / "out")
    memory.corpus_flush()
    memory.add("beta")
    memory.corpus_flush()
    assert len(hub.commits) == 2
    assert {row["id"] for row in hub.rows(REPO)} == {row["id"] for row in rows(memory)}
    (totals,) = [json.loads(c) for p, c in hub.files[REPO].items() if p.startswith("metadata/")]
    assert totals["rows"] == len(rows(memory))


def test_what_is_there_already_is_not_committed_again(
    open_memory: OpenMemory,
    tmp_path: Path,
    hub: Hub,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A flush that died between upload and receipt is repeated without a trace."""
    memory = memory_for(open_memory, tmp_path / "out")
    from hypermnesia.store.sqlite.writer import SqliteWriter

    def failing(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(SqliteWriter, "close_batch", failing)
        with pytest.raises(KeyboardInterrupt):
            memory.corpus_flush()
    assert memory.corpus_stats().pending == 3
    assert memory.corpus_flush().rows == 3
    assert len(hub.commits) == 1
    assert hub.rows(REPO) == rows(memory)


@pytest.mark.parametrize("status", [403, 400])
def test_rows_that_the_hub_refuses_stay_queued(
    open_memory: OpenMemory, tmp_path: Path, hub: Hub, status: int
) -> None:
    """And leave with the next flush, once."""
    memory = memory_for(open_memory, tmp_path / "out")
    hub.refuse = status
    with pytest.raises(
        CorpusError, match=f"{REPO} on the hub did not take the rows .HTTP {status}"
    ):
        memory.corpus_flush()
    assert memory.corpus_stats().pending == 3
    hub.refuse = None
    assert memory.corpus_flush().rows == 3
    assert len(hub.rows(REPO)) == 3
    assert len(list((tmp_path / "out").glob("*.jsonl"))) == 1


def test_a_wrong_token_is_told_without_it(
    open_memory: OpenMemory, tmp_path: Path, hub: Hub
) -> None:
    """What the server says is left out: it may quote what it was sent."""
    memory = memory_for(open_memory, tmp_path / "out", token="hf_wrong")
    with pytest.raises(CorpusError, match="HTTP 401; set HYPERMNESIA_HUB_TOKEN") as caught:
        memory.corpus_flush()
    assert "hf_wrong" not in str(caught.value)
    assert hub.commits == []


def test_a_silent_hub_is_not_waited_for_for_ever(
    open_memory: OpenMemory, tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lease is let go, so that the next flush may try."""
    monkeypatch.setattr(client, "UPLOAD_WAIT", 0.5)
    hub.silent = threading.Event()
    memory = memory_for(open_memory, tmp_path / "out")
    try:
        with pytest.raises(CorpusError, match=r"did not answer within 0\.5 s"):
            memory.corpus_flush()
    finally:
        hub.silent.set()
    hub.silent = None
    monkeypatch.undo()
    assert memory.corpus_stats().pending == 3


def test_parquet_goes_to_the_hub_as_well(open_memory: OpenMemory, tmp_path: Path, hub: Hub) -> None:
    """As the format says."""
    memory = memory_for(open_memory, tmp_path / "out", format="parquet")
    memory.corpus_flush()
    ((data, _),) = hub.commits
    assert data.endswith(".parquet")
    assert hub.files[REPO][data].startswith(b"PAR1")


def test_a_data_set_without_an_owner_is_refused(open_memory: OpenMemory, tmp_path: Path) -> None:
    """Before anything is asked of a hub; the rows stay queued."""
    memory = agreeing(open_memory, corpus=CorpusPolicy(folder=tmp_path / "out", repo="judgements"))
    memory.add("alpha")
    with pytest.raises(InvalidInput, match="name a data set as owner/name"):
        memory.corpus_flush()
    assert memory.corpus_stats().pending == 1


def test_a_client_that_is_not_installed_is_named() -> None:
    """With what to install."""
    with pytest.raises(InvalidInput, match=r"pip install 'hypermnesia\[corpus\]'"):
        needed("no_such_module")
