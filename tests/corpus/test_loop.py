"""The loop: a chat model judges, its judgements are exported, the local judge learns from them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hypermnesia.cli.app import app
from hypermnesia.memory import Memory
from hypermnesia.types import Added
from tests.judge.training.samples import Row, opinions
from tests.servers.http import Handler, Received, Reply, serve
from tests.servers.protocols import completion, task

OPINIONS = {str(row["state"]["memory"]): row["answers"] for row in opinions(160)}
"""What the chat model thinks of each memory: every fact is a project, no preference lasts."""


def run(*arguments: str) -> Result:
    """A command as a user would run it, which must succeed."""
    result = CliRunner().invoke(app, [*arguments])
    assert result.exit_code == 0, result.output
    return result


def opinionated() -> Handler:
    """A chat model that answers every question out of its opinions, in figures."""

    def answer(request: Received) -> Reply:
        asked = task(request)
        opinion: Row = OPINIONS.get(str(asked["state"].get("memory")), {})
        answers = {
            key: _said(question["type"], opinion.get(key, {"noul": 0.1}))
            for key, question in asked["questions"].items()
        }
        return completion(json.dumps(answers))

    return answer


def _said(kind: str, answer: Row) -> object:
    """An answer as a chat model writes it."""
    if kind == "choice":
        return {"choice": answer["choice"], "confidence": 0.94}
    return answer[kind]


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A store whose judge is a chat model on this machine."""
    with serve(opinionated()) as server:
        monkeypatch.setenv("HYPERMNESIA_STORE", str(tmp_path / "m.db"))
        monkeypatch.setenv("HYPERMNESIA_JUDGE", "chat")
        monkeypatch.setenv("HYPERMNESIA_JUDGE_URL", f"{server.url}/v1")
        monkeypatch.setenv("HYPERMNESIA_JUDGE_MODEL", "teacher")
        monkeypatch.setenv("HYPERMNESIA_JUDGE_HEADS", str(tmp_path / "heads.npz"))
        yield tmp_path


def test_what_a_chat_model_judged_teaches_the_local_judge(
    settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From consent to installed heads, through the commands that a user has."""
    run("corpus", "consent", "--on")
    with Memory.open() as memory:
        added = memory.add_many(list(OPINIONS))
    assert {item.judge for item in added if isinstance(item, Added)} == {"chat"}
    file = settings / "corpus.jsonl"
    run("corpus", "export", str(file))
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert {row["provider"] for row in rows} == {"chat"}
    assert {row["model"] for row in rows} == {"teacher"}

    fact = "The payments database listens on port 5433"
    monkeypatch.setenv("HYPERMNESIA_JUDGE", "local")
    before = json.loads(run("add", fact, "--scope", "before", "--json").stdout)
    found = json.loads(run("judge", "train", "--corpus", str(file), "--accept", "--json").stdout)
    assert found["corpus"]["unusable"] == 0
    assert {"type/text", "type/full"} & {h["head"] for h in found["heads"] if h["better"]}
    assert found["installed"] == str(settings / "heads.npz")
    after = json.loads(run("add", fact, "--scope", "after", "--json").stdout)
    assert before["memory_type"] == "fact"
    assert after["memory_type"] != "fact"
