"""Export and import."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hypermnesia.errors import InvalidInput, StoreError
from hypermnesia.identity import new_id
from hypermnesia.memory import Memory
from hypermnesia.serial import node_from, plain
from hypermnesia.types import LEVELS, MEMORY_TYPES, Node, Provenance
from tests.conftest import OpenMemory
from tests.write.judges import ScriptedJudge

texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=30)
visible = texts.filter(lambda text: bool(text.strip())).map(str.strip)
moments = st.datetimes(
    datetime(1000, 1, 1),  # noqa: DTZ001 - the zone is added
    datetime(3000, 1, 1),  # noqa: DTZ001 - the same
    timezones=st.integers(-14 * 60, 14 * 60).map(lambda m: timezone(timedelta(minutes=m))),
)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def nodes(draw: st.DrawFn) -> Node:
    """Any node that a store may hold and an export may show."""
    replaced = draw(st.booleans())
    counted = draw(st.integers(0, 10**9))
    return Node(
        id=new_id(),
        scope=draw(visible),
        level=draw(st.sampled_from(LEVELS)),
        content=draw(visible),
        memory_type=draw(st.sampled_from(MEMORY_TYPES)),
        tags=tuple(draw(st.lists(visible, max_size=3, unique=True))),
        metadata=draw(st.dictionaries(texts, values, max_size=3)),
        salience=draw(st.none() | st.floats(0, 4)),
        durable=draw(st.none() | st.floats(0, 1)),
        status="superseded" if replaced else draw(st.sampled_from(["active", "low_signal"])),
        superseded_by=new_id() if replaced else None,
        valid_from=draw(moments),
        valid_until=draw(st.none() | moments),
        created_at=draw(moments),
        updated_at=draw(moments),
        provenance=Provenance(source=draw(st.none() | texts), turn_id=draw(st.none() | texts)),
        judge=draw(st.sampled_from(["local", "off", "chat"])),
        degraded=draw(st.booleans()),
        pinned=draw(st.booleans()),
        access_count=counted,
        accessed_at=draw(moments).astimezone(UTC) if counted else None,
    )


@given(nodes())
def test_any_memory_survives_json(item: Node) -> None:
    """Equal in every field, and its times in their offsets."""
    back = node_from(json.loads(json.dumps(plain(item), ensure_ascii=False)))
    assert back == item
    assert back.valid_from.utcoffset() == item.valid_from.utcoffset()


@st.composite
def records(draw: st.DrawFn) -> list[dict[str, Any]]:
    """What an export may hold of memories: turns with their places, dated turns and facts."""
    found: list[dict[str, Any]] = []
    for position, item in enumerate(draw(st.lists(nodes(), max_size=8))):
        record: dict[str, Any] = plain(item)
        if item.level == "turn":
            session, speaker = draw(st.sampled_from(["s", "S"])), draw(visible)
            record["place"] = {"session": session, "position": position, "speaker": speaker}
        if item.level in ("turn", "fact") and (days := sorted(draw(st.sets(st.dates())))):
            record["days"] = [[day.isoformat(), days[-1].isoformat()] for day in days]
        found.append(record)
    return found


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(items=records())
def test_any_memories_survive_a_store(
    open_memory: OpenMemory, tmp_path: Path, items: list[dict[str, Any]]
) -> None:
    """Imported and exported again, the lines are the same."""
    lines = [json.dumps(item, ensure_ascii=False) + "\n" for item in items]
    (tmp_path / "in.jsonl").write_text("".join(lines), "utf-8", newline="\n")
    memory = open_memory(f"{new_id()}.db")
    report = memory.import_(tmp_path / "in.jsonl")
    memory.export(tmp_path / "out.jsonl")
    written = (tmp_path / "out.jsonl").read_bytes().decode().split("\n")[:-1]
    assert len(written) == report.added
    assert report.added + report.skipped + len(report.failed) == len(lines)
    assert {failure.error for failure in report.failed} <= {"Refused"}
    known = {json.loads(line)["id"]: json.loads(line) for line in lines}
    assert all(json.loads(line) == known[json.loads(line)["id"]] for line in written)
    assert memory.check().problems == ()


@pytest.fixture
def lived(open_memory: OpenMemory) -> Memory:
    """A memory with a history: chains, pins, gated, recalled, forgotten."""
    chain = ["db is x", "db is y", "db is z"]
    pairs = {(a, b): 0.9 for a in chain for b in chain if a != b}
    memory = open_memory(judges=[ScriptedJudge(replaces=pairs, saliences={"hm": 0.0})])
    for i, text in enumerate([*chain, "db is x"]):
        memory.add(text, at=f"2020-01-0{i + 1}T10:00:00+05:30", tags=["db", "ü"], scope="s")
    memory.add("hm", metadata={"deep": {"k": [1, None, 1.5]}}, provenance={"turn_id": "D1:3"})
    memory.add("pinned", pin=True)
    memory.search("pinned")
    memory.forget(ids=[memory.add("gone").id])
    head = memory.add("head", scope="cut")
    memory.add("db is x", scope="cut", at="2020-01-01")
    memory.add("db is y", scope="cut", at="2020-01-02")
    memory.forget(ids=[n.id for n in memory.list(scope="cut") if n.content == "db is y"])
    assert head
    return memory


def everything(memory: Memory) -> list[Node]:
    """Every node, in order of storage."""
    found = list[Node]()
    for scope in memory.scopes():
        page = memory.list(scope=scope, status=["active", "low_signal", "superseded"], limit=1000)
        found += page.items
    return found


def test_a_round_trip_loses_nothing(lived: Memory, open_memory: OpenMemory, tmp_path: Path) -> None:
    """Ids, times, chains, verdicts, pins and counts; the copy is sound and behaves alike."""
    number = lived.export(tmp_path / "all.jsonl")
    copy = open_memory("copy.db")
    steps = list[int]()
    report = copy.import_(tmp_path / "all.jsonl", progress=steps.append)
    assert (report.added, report.skipped, report.failed) == (number, 0, ())
    assert sum(steps) == number
    copy.export(tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "all.jsonl").read_bytes()
    assert everything(copy) == everything(lived)
    assert copy.check().problems == ()
    first = lived.list(scope="s", status="superseded", newest=False).items[0]
    assert copy.history(first.id) == lived.history(first.id)
    for day in ("2020-01-01", "2020-01-02", "2020-01-03", None):
        assert [h.id for h in copy.search("db is", scope="s", as_of=day)] == [
            h.id for h in lived.search("db is", scope="s", as_of=day)
        ]


def test_importing_twice_adds_nothing(
    lived: Memory, open_memory: OpenMemory, tmp_path: Path
) -> None:
    """Nor does importing into the store it came from; what was forgotten stays forgotten."""
    number = lived.export(tmp_path / "all.jsonl")
    assert lived.import_(tmp_path / "all.jsonl").added == 0
    lived.forget(scope="s")
    report = lived.import_(tmp_path / "all.jsonl")
    assert (report.added, report.skipped) == (0, number)
    assert "s" not in lived.scopes()


def test_an_import_brings_no_second_copy_of_a_known_text(
    memory: Memory, open_memory: OpenMemory, tmp_path: Path
) -> None:
    """Under another id it is skipped."""
    memory.add("Same  text")
    memory.export(tmp_path / "all.jsonl")
    other = open_memory("other.db")
    kept = other.add("same text").id
    assert other.import_(tmp_path / "all.jsonl").skipped == 1
    assert [n.id for n in other.list()] == [kept]


def test_one_scope_can_be_exported_alone(lived: Memory, tmp_path: Path) -> None:
    """Nothing of the others is in the file."""
    assert lived.export(tmp_path / "s.jsonl", scope="s") == 4
    lines = (tmp_path / "s.jsonl").read_text("utf-8").splitlines()
    assert {json.loads(line)["scope"] for line in lines} == {"s"}


def sound_record(memory: Memory, tmp_path: Path) -> dict[str, Any]:
    """The record of a memory."""
    memory.add("text", scope="elsewhere")
    memory.export(tmp_path / "one.jsonl", scope="elsewhere")
    record = json.loads((tmp_path / "one.jsonl").read_text("utf-8"))
    return {**record, "id": new_id(), "scope": "default"}


@pytest.mark.parametrize(
    "spoilt",
    [
        {"id": "not an id"},
        {"id": None},
        {"content": ""},
        {"content": 5},
        {"content": "x" * 64_001},
        {"content": "the key ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"},
        {"content": "half \ud800"},
        {"level": "chapter"},
        {"memory_type": "opinion"},
        {"status": "deleted"},
        {"status": "superseded"},
        {"superseded_by": "01890a5d-ac96-774b-bcce-b302099a8057"},
        {"tags": 5},
        {"tags": [5]},
        {"metadata": []},
        {"metadata": "x"},
        {"salience": 5},
        {"salience": "high"},
        {"durable": True},
        {"valid_from": None},
        {"valid_from": "yesterday"},
        {"valid_until": 5},
        {"provenance": None},
        {"provenance": {"where": "here"}},
        {"access_count": -1},
        {"access_count": "many"},
        {"judge": 5},
        {"colour": "red"},
        {"level": "turn", "days": [["2024-01-01", "2024-01-01"]]},
    ],
    ids=lambda spoilt: str(spoilt)[:30],
)
def test_a_bad_line_fails_alone(memory: Memory, tmp_path: Path, spoilt: dict[str, Any]) -> None:
    """With its number and a reason; the lines around it are stored."""
    record = sound_record(memory, tmp_path)
    before = {**record, "id": new_id(), "content": "before"}
    after = {**record, "id": new_id(), "content": "after"}
    lines = [json.dumps(r) for r in (before, {**record, **spoilt}, after)]
    path = tmp_path / "in.jsonl"
    path.write_text("\n".join([lines[0], lines[1], "", lines[2]]), "utf-8")
    report = memory.import_(path)
    assert report.added == 2
    (failure,) = report.failed
    assert (failure.index, failure.error in {"InvalidInput", "Refused"}) == (1, True)
    assert "ghp_" not in failure.message
    assert memory.check().problems == ()


@pytest.mark.parametrize(
    "content",
    [
        b"not json\n",
        b"[1, 2]\n",
        b"5\n",
        b"\xff\xfe\x00garbage\n",
        b"[" * 100_000 + b"\n",
        b'{"id": 1}\n',
        b'"' + b"x" * 1_500_000 + b'"\n',
    ],
    ids=["text", "list", "number", "bytes", "nesting", "short", "endless"],
)
def test_a_file_of_another_kind_imports_nothing(
    memory: Memory, tmp_path: Path, content: bytes
) -> None:
    """Every line is reported."""
    (tmp_path / "in.jsonl").write_bytes(content)
    report = memory.import_(tmp_path / "in.jsonl")
    assert report.added == 0
    assert report.failed
    assert all(failure.error == "InvalidInput" for failure in report.failed)


def test_a_missing_field_is_named(memory: Memory, tmp_path: Path) -> None:
    """So that the file can be mended."""
    record = sound_record(memory, tmp_path)
    del record["level"]
    (tmp_path / "in.jsonl").write_text(json.dumps(record), "utf-8")
    (failure,) = memory.import_(tmp_path / "in.jsonl").failed
    assert "lacks level" in failure.message


def test_files_that_cannot_be_used_are_named(memory: Memory, tmp_path: Path) -> None:
    """A missing file, a folder, a missing folder."""
    with pytest.raises(InvalidInput, match="cannot be read"):
        memory.import_(tmp_path / "missing.jsonl")
    with pytest.raises(InvalidInput, match="cannot be read"):
        memory.import_(tmp_path)
    with pytest.raises(InvalidInput, match="cannot be written"):
        memory.export(tmp_path / "missing" / "out.jsonl")
    with pytest.raises(InvalidInput, match="cannot be written"):
        memory.export(tmp_path)


def test_an_export_that_fails_leaves_the_former_file(memory: Memory, tmp_path: Path) -> None:
    """Whole or not at all, and no temporary file."""
    memory.add("text")
    path = tmp_path / "out" / "all.jsonl"
    path.parent.mkdir()
    memory.export(path)
    before = path.read_bytes()
    memory.close()
    with pytest.raises(StoreError):
        memory.export(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_an_export_replaces_no_store_and_no_device(memory: Memory, tmp_path: Path) -> None:
    """The file named by mistake is the one that must not be lost."""
    memory.add("We chose NATS over Kafka")
    store = next(tmp_path.rglob("*.db"))
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for target in (store, pipe):
        with pytest.raises(InvalidInput, match=r"database|regular"):
            memory.export(target)
    assert memory.check().ok
    assert pipe.is_fifo()


def test_a_link_is_followed_not_replaced(memory: Memory, tmp_path: Path) -> None:
    """What the link names gets the export."""
    memory.add("We chose NATS over Kafka")
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "real.jsonl")
    assert memory.export(tmp_path / "link.jsonl") == 1
    assert (tmp_path / "link.jsonl").is_symlink()
    assert (tmp_path / "real.jsonl").is_file()
