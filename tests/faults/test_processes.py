"""Several processes and threads on one store, some of them killed."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hypermnesia.engine import Engine
from hypermnesia.judge.chain import Chain
from hypermnesia.memory import Memory
from hypermnesia.store.protocol import Filter
from hypermnesia.store.sqlite.connection import Connections
from hypermnesia.store.sqlite.store import SqliteStore
from tests.conftest import OpenMemory
from tests.faults.forking import finish, kill, spawn
from tests.store.embedders import HashEmbedder
from tests.write.judges import ScriptedJudge

KILLS = 200


def memory_on(path: Path, *judges: ScriptedJudge) -> Memory:
    """A memory on this path, as any process would open it."""
    embedder = HashEmbedder()
    store = SqliteStore(path, embedder.identity, embedder.dimension)
    return Memory(Engine(store, embedder, Chain(judges)), "default")


def write_forever(path: Path, number: int, tell: Callable[[str], None]) -> None:
    """Add, change, replace and forget; tell of each step once it has returned."""
    judge = ScriptedJudge()
    memory = memory_on(path, judge)
    step = 0
    while True:
        step += 1
        text = f"round {number} step {step} " + "filler " * (step % 5 * 40)
        judge.replaces = {(f"plan {number} {step - 1}", f"plan {number} {step}"): 1.0}
        tell(f"+{memory.add(text, tags=['t']).id}")
        tell(f"+{memory.add(f'plan {number} {step}').id}")
        if step % 3 == 0:
            for outcome in memory.add_many([f"{text} {i}" for i in range(8)]):
                tell(f"+{outcome.id}")  # type: ignore[union-attr]
        if step % 4 == 0:
            gone = memory.add(f"soon forgotten {number} {step}").id
            memory.forget(ids=[gone])
            tell(f"-{gone}")


def used_once(folder: Path) -> None:
    """Load what a writer loads when it is first used: every child would load it for itself."""
    memory = memory_on(folder / "warm.db", ScriptedJudge())
    memory.add_many(["one text", "another text"])
    memory.search("text")
    memory.close()


def read_until_killed(pipe: int, lines: int) -> bytes:
    """What a child tells, until it told this many lines."""
    told = b""
    while told.count(b"\n") < lines:
        chunk = os.read(pipe, 65_536)
        assert chunk, told
        told += chunk
    return told


def drain(pipe: int) -> bytes:
    """What it told before it died."""
    told = b""
    while chunk := os.read(pipe, 65_536):
        told += chunk
    os.close(pipe)
    return told


def kill_rounds(path: Path, rounds: int) -> None:
    """Kill a writer again and again, and look after each time at what it left."""
    chance = random.Random(7)
    kept, gone = set[str](), set[str]()
    for number in range(rounds):
        if number % 10 == 0 and path.exists():
            path.unlink()  # small files make short rounds
            kept, gone = set(), set()
        child, pipe = spawn(lambda tell, number=number: write_forever(path, number, tell))
        told = read_until_killed(pipe, chance.randrange(12))
        for _ in range(chance.randrange(400)):
            os.getpid()  # a random moment within the next step, without a clock
        kill(child)
        lines = (told + drain(pipe)).decode().splitlines()
        kept |= {line[1:] for line in lines if line.startswith("+") and len(line) == 37}
        gone |= {line[1:] for line in lines if line.startswith("-") and len(line) == 37}
        store = SqliteStore(path, "hash@32", 32)
        found = {node.id: node for node in store.get(sorted(kept | gone))}
        assert kept <= {i for i, node in found.items() if node.status != "deleted"}
        assert not gone & {i for i, node in found.items() if node.status != "deleted"}
        assert store.check().problems == (), number
        store.close()
    assert kept


@pytest.mark.long
def test_a_writer_killed_at_any_moment_loses_nothing_it_acknowledged(tmp_path: Path) -> None:
    """Two hundred times: all acknowledged adds are there, no erased one is, the check is clean."""
    used_once(tmp_path)
    kill_rounds(tmp_path / "memory.db", KILLS)


def four_writers(path: Path, adds: int) -> None:
    """Four processes at once; the file does not exist before."""

    def add_many(number: int, tell: Callable[[str], None]) -> None:
        memory = memory_on(path)
        for i in range(adds):
            tell(memory.add(f"writer {number} item {i}").id)
        memory.close()

    children = [spawn(lambda tell, n=number: add_many(n, tell)) for number in range(4)]
    told = [line for child in children for line in finish(*child)]
    assert len(set(told)) == 4 * adds
    memory = memory_on(path)
    store = memory._engine.store  # pyright: ignore[reportPrivateUsage]
    assert {node.id for node in store.iterate(Filter("default"))} == set(told)
    assert memory.check().problems == ()
    last = f"writer 3 item {adds - 1}"
    assert last in {hit.content for hit in memory.search(last)}
    memory.close()


def test_four_processes_adding_at_once_lose_nothing(tmp_path: Path) -> None:
    """800 adds, all acknowledged, all there, all searchable."""
    four_writers(tmp_path / "memory.db", adds=200)


def create_at_once(path: Path) -> list[str]:
    """Let eight processes loose on a file that does not exist yet."""
    waiting, going = os.pipe()

    def create(tell: Callable[[str], None]) -> None:
        os.close(going)
        os.read(waiting, 1)
        Connections(path, wait=10).close()
        tell("opened")

    children = [spawn(create) for _ in range(8)]
    os.close(waiting)
    os.close(going)
    return [line for child in children for line in finish(*child)]


@pytest.mark.long  # not for its length: to fork while the process is small
def test_processes_that_create_one_store_at_the_same_moment_all_get_it(tmp_path: Path) -> None:
    """Twenty new files, eight processes on each: the schema is made once and nobody is refused.

    They wait for the end of a pipe, which wakes all of them and costs nothing while they wait.
    """
    Connections(tmp_path / "warm.db", wait=10).close()
    for number in range(20):
        assert create_at_once(tmp_path / f"{number}.db") == ["opened"] * 8


def test_processes_with_a_judge_keep_one_head_per_chain(tmp_path: Path) -> None:
    """Writers that replace each other's values leave exactly one of them standing."""
    path = tmp_path / "memory.db"
    values = [f"value {i}" for i in range(12)]
    table = {(a, b): 1.0 for a in values for b in values if a != b}

    def add_some(number: int, tell: Callable[[str], None]) -> None:
        memory = memory_on(path, ScriptedJudge(replaces=table))
        for value in values[number::3]:
            tell(memory.add(value).status)
        memory.close()

    children = [spawn(lambda tell, n=number: add_some(n, tell)) for number in range(3)]
    for child in children:
        finish(*child)
    memory = memory_on(path)
    assert len(memory.list()) == 1
    assert len(memory.list(status="superseded")) == 11
    assert memory.check().problems == ()
    memory.close()


def test_what_one_process_does_the_next_search_of_another_sees(
    memory: Memory, tmp_path: Path
) -> None:
    """Adds, replacements and erasures, through warm caches."""
    path = tmp_path / "memory.db"

    def elsewhere(work: Callable[[Memory], object]) -> str:
        def child(tell: Callable[[str], None]) -> None:
            other = memory_on(path)
            tell(str(work(other)))
            other.close()

        (line,) = finish(*spawn(child))
        return line

    memory.add("alpha here")
    assert len(memory.search("alpha")) == 1
    added = elsewhere(lambda other: other.add("alpha there").id)
    assert {hit.content for hit in memory.search("alpha")} == {"alpha here", "alpha there"}
    elsewhere(lambda other: other.update(added, content="alpha elsewhere").id)
    assert {hit.content for hit in memory.search("alpha")} == {"alpha here", "alpha elsewhere"}
    elsewhere(lambda other: other.forget(ids=[added]).ids)
    assert {hit.content for hit in memory.search("alpha")} == {"alpha here"}


def test_eight_threads_share_one_memory(memory: Memory) -> None:
    """Adding, searching, listing and updating at once; every thread finds its own words."""

    def work(number: int) -> list[str]:
        ids = list[str]()
        for i in range(15):
            text = f"thread{number} item{i}"
            ids.append(memory.add(text).id)
            assert text in {hit.content for hit in memory.search(text, k=50)}
            memory.update(ids[-1], tags=[f"t{number}"])
            assert memory.get(ids[-1]).tags == (f"t{number}",)
            memory.list(limit=5)
        return ids

    with ThreadPoolExecutor(8) as pool:
        ids = [memory_id for found in pool.map(work, range(8)) for memory_id in found]
    assert len(set(ids)) == 120
    assert {node.id for node in memory.list(limit=1000)} == set(ids)
    assert len(memory.list(tags="t3")) == 15
    assert memory.check().problems == ()


def test_a_busy_store_is_reported_after_the_configured_wait(open_memory: OpenMemory) -> None:
    """Searches go on; the error says what to do; afterwards writing works."""
    import pytest

    from hypermnesia.errors import StoreBusy

    one, other = open_memory(wait=0.05), open_memory(wait=0.05)
    one.add("text")
    with one._engine.store.write():  # pyright: ignore[reportPrivateUsage]
        with pytest.raises(StoreBusy, match="try again"):
            other.add("more")
        assert other.search("text")
        assert [problem.kind for problem in other.check().problems] == ["write"]
        with ThreadPoolExecutor(1) as pool, pytest.raises(StoreBusy, match="another thread"):
            pool.submit(one.add, "third").result()
    assert other.add("more").status == "active"


def test_closing_while_others_search_raises_only_errors_of_the_package(
    open_memory: OpenMemory,
) -> None:
    """Whoever comes late is told that the store was closed."""
    from hypermnesia.errors import StoreError

    memory = open_memory()
    memory.add_many([f"alpha {i}" for i in range(50)])

    def search(_number: int) -> str:
        try:
            while True:
                memory.search("alpha")
        except StoreError as error:
            return str(error)

    with ThreadPoolExecutor(4) as pool:
        found = [pool.submit(search, number) for number in range(4)]
        memory.search("alpha")
        memory.close()
        assert all("closed" in future.result() for future in found)
