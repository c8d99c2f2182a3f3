"""Secrets on their way into the store."""

from __future__ import annotations

from pathlib import Path

import pytest

from hypermnesia.errors import Refused
from hypermnesia.types import Added, Failure
from tests.conftest import OpenMemory

SECRET = "Blue-Tram-99"
TEXT = f"DB_PASSWORD={SECRET} for staging"


def written(folder: Path) -> bytes:
    """Everything in the store's files."""
    return b"".join(path.read_bytes() for path in folder.iterdir())


def test_a_sure_secret_is_masked_before_it_is_stored(
    open_memory: OpenMemory, tmp_path: Path
) -> None:
    """The caller learns the rule; no file holds the value."""
    memory = open_memory()
    added = memory.add(TEXT, tags=[SECRET], metadata={"note": SECRET})
    assert added.redacted == ("credential",)
    node = memory.get(added.id, reveal=True)
    mask = "[redacted:credential]"
    assert node.content == f"DB_PASSWORD={mask} for staging"
    assert (node.tags, node.metadata) == ((mask,), {"note": mask})
    assert SECRET.encode() not in written(tmp_path)


def test_an_update_is_masked_like_an_add(open_memory: OpenMemory, tmp_path: Path) -> None:
    """Text and labels."""
    memory = open_memory()
    added = memory.add("the staging database")
    outcome = memory.update(added.id, content=TEXT, metadata={"note": SECRET})
    assert outcome.redacted == ("credential",)
    assert SECRET not in str(memory.get(added.id, reveal=True))
    assert memory.update(added.id, tags=["x"]).redacted == ()
    assert memory.get(added.id).content.startswith("DB_PASSWORD=[redacted")
    assert SECRET.encode() not in written(tmp_path)


def test_the_policy_may_keep_or_refuse(open_memory: OpenMemory) -> None:
    """A refusal in a batch fails alone."""
    keeping = open_memory("kept.db", secrets="keep")
    assert keeping.get(keeping.add(TEXT).id, reveal=True).content == TEXT
    refusing = open_memory("refused.db", secrets="refuse")
    with pytest.raises(Refused, match="credential"):
        refusing.add(TEXT)
    failure, added = refusing.add_many([TEXT, "fine"])
    assert isinstance(failure, Failure)
    assert isinstance(added, Added)


def test_an_item_cannot_loosen_the_policy(open_memory: OpenMemory) -> None:
    """What is stored is for the settings to say."""
    memory = open_memory()
    (outcome,) = memory.add_many([{"content": TEXT, "secrets": "keep"}])
    assert isinstance(outcome, Failure)


def test_a_turn_is_masked_before_anything_is_made_of_it(
    open_memory: OpenMemory, tmp_path: Path
) -> None:
    """Turn, facts and episode; what would be refused is refused, the rest of the talk is kept."""
    memory = open_memory()
    live = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    report = memory.ingest(
        [
            {"speaker": "Ann", "content": f"The staging database has password: {SECRET}."},
            {"speaker": "Bo", "content": "Thanks, I will set up the backup on Friday."},
            {"speaker": "Ann", "content": f"The deploy token is {live}"},
        ]
    )
    assert (report.turns, report.refused) == (2, 1)
    turns = memory.list(levels=("turn",), newest=False)
    assert turns.items[0].content == (
        "Ann: The staging database has password: [redacted:credential]."
    )
    assert SECRET.encode() not in written(tmp_path)
    assert live.encode() not in written(tmp_path)


def test_the_same_talk_is_known_the_second_time(open_memory: OpenMemory) -> None:
    """A masked turn has the identity of what is stored."""
    memory = open_memory()
    talk = [{"speaker": "Ann", "content": TEXT}, {"speaker": "Bo", "content": "ok then"}]
    memory.ingest(talk)
    assert memory.ingest(talk).known == 2
