"""A damaged row is reported by ``check`` and crashes no read."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from hypermnesia.errors import NotFound, StoreCorrupt
from hypermnesia.memory import Memory
from hypermnesia.models.late import TOKEN_BYTES, VERSION
from tests.conftest import OpenMemory

TEXTS = [f"note {i} about billing" for i in range(6)]
VICTIM = 3

Damage = dict[str, str]
DAMAGES: Damage = {
    "content that is not UTF-8": "UPDATE memory SET content = CAST(x'c328ff' AS TEXT)",
    "content that is a blob": "UPDATE memory SET content = x'00ff'",
    "content of another memory": "UPDATE memory SET content = 'note 1 about billing'",
    "metadata that is no JSON": "UPDATE memory SET metadata = '{\"k\":'",
    "metadata that is no object": "UPDATE memory SET metadata = '[1]'",
    "tags that are no list": "UPDATE memory SET tags = '5'",
    "provenance of unknown fields": "UPDATE memory SET provenance = '{\"x\":1}'",
    "a time that is text": "UPDATE memory SET valid_from = 'soon'",
    "a time beyond the calendar": "UPDATE memory SET created_at = 9000000000000000000",
}
DERIVED: Damage = {
    "a truncated vector": "UPDATE vectors SET dense = substr(dense, 1, 7)",
    "an empty vector": "UPDATE vectors SET dense = x''",
    "a vector that is not finite": "UPDATE vectors SET dense ="
    " CAST(x'007e' || substr(dense, 3) AS BLOB)",
    "a vector far too long": "UPDATE vectors SET dense = CAST(x'ff7b' || substr(dense, 3) AS BLOB)",
    "a vector that is text": "UPDATE vectors SET dense = 'oops'",
    "garbage for token vectors": f"UPDATE vectors SET tokens = x'{VERSION:02x}01020304'",
    "token vectors that are text": "UPDATE vectors SET tokens = 'oops'",
    "no vectors": "DELETE FROM vectors",
    "no terms": "DELETE FROM lexical",
    "no labels": "DELETE FROM label",
    "a label too many": "INSERT INTO label SELECT scope, 'tags', 'odd', key FROM memory",
}


def damage(path: Path, statement: str) -> None:
    """Spoil one row behind the store's back."""
    place = " WHERE key = " if "memory" in statement.split() else " WHERE memory = "
    place = " WHERE rowid = " if "lexical" in statement.split() else place
    connection = apsw.Connection(str(path))
    connection.execute(f"{statement}{place}{VICTIM}")
    connection.close()


def spoilt(open_memory: OpenMemory, tmp_path: Path, statement: str) -> tuple[Memory, list[str]]:
    """A store of six memories, the third of them damaged, and all ids."""
    memory = open_memory()
    ids = [memory.add(text, tags=["t"], metadata={"k": 1}).id for text in TEXTS]
    memory.close()
    damage(tmp_path / "memory.db", statement)
    return open_memory(), ids


@pytest.mark.parametrize("statement", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_row_is_reported_and_crashes_no_read(
    open_memory: OpenMemory, tmp_path: Path, statement: str
) -> None:
    """Everything else stays readable, searchable and listed to the end."""
    memory, ids = spoilt(open_memory, tmp_path, statement)
    health = memory.check()
    assert not health.ok
    assert "row" in {problem.kind for problem in health.problems}
    sound = {text for i, text in enumerate(TEXTS, 1) if i != VICTIM}
    assert {hit.content for hit in memory.search("note billing")} >= sound
    assert memory.context("note billing")
    assert {n.content for n in memory.list(limit=100)} >= sound
    assert paged(memory) >= sound
    with suppress(NotFound):
        memory.history(ids[VICTIM - 1])
    memory.profile()
    memory.export(tmp_path / "rescued.jsonl")
    assert len((tmp_path / "rescued.jsonl").read_text("utf-8").splitlines()) >= len(sound)
    memory.reindex()
    assert {hit.content for hit in memory.search("note billing")} >= sound
    assert memory.add("a new note").status == "active"


@pytest.mark.parametrize("statement", DERIVED.values(), ids=DERIVED.keys())
def test_what_is_derived_is_reported_and_rebuilt(
    open_memory: OpenMemory, tmp_path: Path, statement: str
) -> None:
    """Search goes on meanwhile; ``reindex`` makes the store whole."""
    memory, _ = spoilt(open_memory, tmp_path, statement)
    health = memory.check()
    assert not health.ok
    assert any("reindex" in problem.detail for problem in health.problems)
    assert len(memory.search("note billing")) >= len(TEXTS) - 1
    memory.reindex()
    assert memory.check().problems == ()
    assert len(memory.search("note billing")) == len(TEXTS)
    assert len(memory.search("note billing", tags=["t"], metadata={"k": 1})) == len(TEXTS)


def paged(memory: Memory) -> set[str]:
    """What paging in steps of one shows."""
    found, cursor = set[str](), None
    while True:
        page = memory.list(limit=1, cursor=cursor)
        found |= {node.content for node in page}
        cursor = page.cursor
        if cursor is None:
            return found


def test_token_vectors_of_a_wrong_length_do_not_misplace_the_others(
    open_memory: OpenMemory, tmp_path: Path
) -> None:
    """Each memory's blob is checked before they are unpacked together."""
    memory, _ = spoilt(open_memory, tmp_path, DERIVED["garbage for token vectors"])
    whole = f"{VERSION:02x}" + "5a" * TOKEN_BYTES
    memory.close()
    connection = apsw.Connection(str(tmp_path / "memory.db"))
    connection.execute(f"UPDATE vectors SET tokens = x'{whole}' WHERE memory <> {VICTIM}")
    connection.close()
    assert len(open_memory().search("note billing")) == len(TEXTS)


SPOILERS: dict[str, Callable[[bytes], bytes]] = {
    "cut to a third": lambda data: data[: len(data) // 3],
    "cut within a page": lambda data: data[:5000],
    "overwritten in the middle": lambda data: data[:8192] + b"\xa5" * 40_000 + data[48_192:],
    "pages swapped": lambda data: data[:4096] + data[8192:12_288] + data[4096:8192] + data[12_288:],
}


@pytest.mark.parametrize("spoil", SPOILERS.values(), ids=SPOILERS.keys())
def test_a_broken_file_raises_only_errors_of_the_package(
    open_memory: OpenMemory, tmp_path: Path, spoil: Callable[[bytes], bytes]
) -> None:
    """On opening or on use; ``check`` does not call it sound."""
    memory = open_memory()
    memory.add_many([f"{text} {'filler ' * 40} {i}" for i, text in enumerate(TEXTS * 20)])
    memory.close()
    path = tmp_path / "memory.db"
    path.write_bytes(spoil(path.read_bytes()))
    try:
        broken = open_memory()
    except StoreCorrupt:
        return
    for use in (
        lambda: broken.search("note billing"),
        lambda: broken.list(limit=1000),
        lambda: broken.add("one more"),
        lambda: broken.export(tmp_path / "rescued.jsonl"),
        broken.profile,
    ):
        with suppress(StoreCorrupt):
            use()
    assert not broken.check().ok
