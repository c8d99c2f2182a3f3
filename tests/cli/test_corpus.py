"""The verbs of the reasoning corpus."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hypermnesia import config
from hypermnesia.cli import corpus
from hypermnesia.cli.app import app
from hypermnesia.config import load
from hypermnesia.engine import ROW_FORMATS, CorpusPolicy, Engine
from hypermnesia.judge.chain import Chain
from hypermnesia.store.sqlite.store import SqliteStore
from tests.cli.conftest import Terminal
from tests.store.embedders import HashEmbedder
from tests.write.judges import ScriptedJudge


@pytest.fixture
def hm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Terminal:
    """The command line on a fresh store, with a folder to hand over to."""

    def build(settings: config.Settings) -> Engine:
        embedder = HashEmbedder()
        path = config.store_path(settings)
        store = SqliteStore(path, embedder.identity, embedder.dimension, wait=5)
        policy = CorpusPolicy(folder=tmp_path / "out", format=settings.corpus_format)
        return Engine(store, embedder, Chain([ScriptedJudge()]), corpus=policy)

    monkeypatch.setattr(config, "build", build)
    return Terminal(tmp_path / "memory.db")


def run(hm: Terminal, *arguments: str) -> Result:
    """Whatever comes of ``hypermnesia corpus``."""
    return CliRunner().invoke(app, ["corpus", "--store", str(hm.store), *arguments])


def out(hm: Terminal, *arguments: str) -> str:
    """What is printed on stdout."""
    result = run(hm, *arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def as_json(hm: Terminal, *arguments: str) -> Any:
    """The document that is printed."""
    return json.loads(out(hm, *arguments, "--json"))


def test_consent_is_off_given_and_withdrawn(hm: Terminal) -> None:
    """For the scope that is named, or the default one."""
    assert "consent  no" in out(hm, "consent")
    assert "consent  since 20" in out(hm, "consent", "--on")
    assert as_json(hm, "consent", "--scope", "b")["given"] is False
    hm.add("alpha")
    result = run(hm, "consent", "--off")
    assert "consent  no" in result.stdout
    assert "1 row dropped" in result.stderr


def test_stats_count_by_scope_and_use_case(hm: Terminal) -> None:
    """As rows, and as JSON with totals; what has no rows prints none."""
    assert out(hm, "stats") == ""
    out(hm, "consent", "--on")
    hm.add("alpha one")
    hm.add("alpha two")
    assert out(hm, "stats").splitlines() == [
        "default\tanalyze\t2\t0\t0\t0\t0",
        "default\tsupersede\t1\t0\t0\t0\t0",
    ]
    found = as_json(hm, "stats")
    assert (found["pending"], found["uploaded"], found["flushed_at"]) == (3, 0, None)
    assert list(found["consenting"]) == ["default"]
    assert out(hm, "stats", "--scope", "b") == ""


def test_a_flush_names_its_files(hm: Terminal) -> None:
    """On stdout, one a line; as JSON with the counts."""
    out(hm, "consent", "--on")
    hm.add("alpha")
    result = run(hm, "flush")
    (path,) = map(Path, result.stdout.split())
    assert json.loads(path.read_text("utf-8"))["state"] == {"memory": "alpha"}
    assert "1 row handed over, 0 withheld, 0 waiting" in result.stderr
    assert as_json(hm, "flush") == {
        "rows": 0, "withheld": 0, "pending": 0, "files": [], "repo": None,
    }  # fmt: skip


def test_an_export_goes_to_a_file_or_to_stdout(hm: Terminal, tmp_path: Path) -> None:
    """The same rows."""
    out(hm, "consent", "--on")
    hm.add("alpha")
    path = tmp_path / "rows.jsonl"
    assert as_json(hm, "export", str(path)) == {"rows": 1, "withheld": 0, "path": str(path)}
    assert out(hm, "export", "-") == path.read_text("utf-8")
    assert out(hm, "export", str(tmp_path / "rows.x"), "--format", "parquet") == ""
    assert (tmp_path / "rows.x").read_bytes().startswith(b"PAR1")


def test_json_does_not_go_with_rows_on_stdout(hm: Terminal) -> None:
    """Two documents would be none."""
    assert run(hm, "export", "-", "--json").exit_code == 2


def test_a_failure_is_one_line(hm: Terminal, tmp_path: Path) -> None:
    """And exit status 1."""
    result = run(hm, "export", str(tmp_path / "missing" / "rows.jsonl"))
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert "Traceback" not in result.output


def test_the_formats_offered_are_those_there_are() -> None:
    """They are written out for the sake of start-up."""
    assert corpus.FORMATS == ROW_FORMATS


def test_settings_say_where_rows_go(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Folder, format, data set, token and interval; the platform's folder by default."""
    monkeypatch.undo()
    monkeypatch.setenv("HYPERMNESIA_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setenv("HYPERMNESIA_HUB_TOKEN", "hf_x")
    settings = load(
        store=str(tmp_path / "m.db"),
        corpus_folder=str(tmp_path / "c"),
        corpus_format="parquet",
        corpus_repo="me/mine",
        corpus_interval=12,
    )
    engine = config.build(settings)
    engine.store.close()
    policy = engine.corpus
    assert (policy.folder, policy.format, policy.repo) == (tmp_path / "c", "parquet", "me/mine")
    assert policy.interval is not None
    assert policy.interval.total_seconds() == 12 * 3600
    assert policy.token is not None
    assert "hf_x" not in repr(policy)
    default = config.build(load(store=str(tmp_path / "m.db")))
    default.store.close()
    assert default.corpus.interval is None
    assert default.corpus.folder is not None
    assert default.corpus.folder.name == "corpus"
