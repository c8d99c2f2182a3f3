"""The demo: it runs offline with the real models, and shows what they answer."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from hypermnesia import config
from hypermnesia.cli.app import app
from hypermnesia.cli.demo import Demonstration, history, play
from hypermnesia.cli.demo_show import present
from hypermnesia.models.encoder import OnnxEncoder
from tests.conftest import OpenMemory
from tests.write.judges import ScriptedJudge


@pytest.fixture
def _loaded(monkeypatch: pytest.MonkeyPatch, encoder: OnnxEncoder) -> None:
    """The command uses the encoder that the tests have loaded."""

    def embedder(*args: object, **kwargs: object) -> OnnxEncoder:
        return encoder

    monkeypatch.setattr(config, "OnnxEncoder", embedder)


@pytest.mark.usefixtures("_loaded")
def test_the_demo_prints_every_chapter_without_a_secret() -> None:
    """In at most 100 columns, uncoloured when piped."""
    result = CliRunner().invoke(app, ["demo"])
    assert result.exit_code == 0, result.output
    for chapter in ("1  Remembering", "4  Secrets", "6  Time travel", "7  Undo"):
        assert chapter in result.stdout
    assert "\x1b" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 100
    assert "4eC39" not in result.stdout
    assert "Refused" in result.stdout


@pytest.mark.usefixtures("_loaded")
def test_the_demo_as_json_holds_each_outcome() -> None:
    """One document, with a judgement for every memory of the history."""
    document = json.loads(CliRunner().invoke(app, ["demo", "--json"]).stdout)
    assert len(document["added"]) == len(history())
    assert any(item["outcome"]["status"] == "low_signal" for item in document["added"])
    assert all(search["hits"] for search in document["searches"])


def test_the_demo_has_something_to_say_when_nothing_happens(
    open_memory: OpenMemory, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a judge nothing is gated or superseded, and it says so."""
    shown = play(open_memory())
    assert isinstance(shown, Demonstration)
    present(shown)
    printed = capsys.readouterr().out
    for note in ("nothing was superseded", "nothing was gated", "nothing to undo"):
        assert note in printed


def test_the_demo_shows_what_was_replaced_and_brings_it_back(
    open_memory: OpenMemory, capsys: pytest.CaptureFixture[str]
) -> None:
    """The old text beside the new one."""
    old, new = history()[3]["content"], history()[17]["content"]
    judge = ScriptedJudge(replaces={(old, new): 0.95})
    present(play(open_memory(judges=[judge])))
    printed = capsys.readouterr().out
    assert f"2026-01-19  was  {old}" in printed
    assert f"2026-03-30  now  {new}" in printed
    assert "before    superseded until 2026-03-30" in printed
    assert "restored  active" in printed


def test_the_packaged_history_is_in_order() -> None:
    """Dates ascend, and no two memories are the same."""
    dates = [item["at"] for item in history()]
    assert dates == sorted(dates)
    assert len({item["content"] for item in history()}) == len(dates)
