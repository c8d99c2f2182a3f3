"""eval locomo, beam and longmemeval."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hypermnesia.cli.app import app
from tests.cli.conftest import Terminal
from tests.evals.samples import ANN, AUDIT, BEAM, LONGMEMEVAL, written

pytestmark = pytest.mark.usefixtures("hm")


def run(folder: Path, *args: str) -> Result:
    """An evaluation with its results in a folder of the test's own."""
    return CliRunner().invoke(app, ["eval", *args, "--results", str(folder / "results")])


def test_locomo_runs_by_stages(tmp_path: Path) -> None:
    """Under the name of the experiment; several words name stages."""
    file = str(written(tmp_path, "locomo.json", [ANN]))
    named = ("--experiment", "mine")
    assert run(tmp_path, "locomo", file, "--stages", "1-3", *named).exit_code == 0
    result = run(tmp_path, "locomo", "--stages", "4", "5", "6", file, *named, "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["systems"]["default"]["all"]["recall@10"]["n"] == 3
    assert any("93.57%" in limit for limit in document["limits"])
    folder = tmp_path / "results" / "mine"
    assert folder == Path(document["folder"])
    assert {path.name for path in folder.iterdir()} >= {
        "1_episodes.json", "2_hypergraph.json", "3_index.json", "4_retrieval", "5_answers",
        "records.jsonl", "summary.json", "manifest.json",
    }  # fmt: skip


def test_locomo_says_what_is_measured_and_what_limits_it(tmp_path: Path) -> None:
    """Rows on stdout under their names; notes on stderr."""
    file = str(written(tmp_path, "locomo.json", [ANN]))
    audit = str(written(tmp_path, "audit.json", AUDIT[:1]))
    result = run(tmp_path, "locomo", file, "--audit", audit, "--system", "default",
                 "--system", "full-context")  # fmt: skip
    assert result.exit_code == 0, result.output
    head, first, *_ = (line.split("\t") for line in result.stdout.splitlines())
    assert head[:3] == ["system", "questions", "recall@10"]
    assert first[:2] == ["default", "all"]
    assert "extractive_f1" in head
    assert "f1" not in head
    assert "93.57%" in result.stderr
    assert "nothing is judged" in result.stderr


def test_fresh_drops_the_stages_that_are_run(tmp_path: Path) -> None:
    """And nothing else: a retrieval is made again on the same store."""
    file = str(written(tmp_path, "locomo.json", [ANN]))
    run(tmp_path, "locomo", file, "--stages", "1-4")
    store = tmp_path / "results" / "locomo" / "memory.db"
    before = store.stat().st_ino
    refused = run(tmp_path, "locomo", file, "--stages", "4", "--max-tokens", "500")
    assert (refused.exit_code, "--fresh" in refused.stderr) == (1, True)
    again = run(tmp_path, "locomo", file, "--stages", "4", "--max-tokens", "500", "--fresh")
    assert again.exit_code == 0, again.output
    assert store.stat().st_ino == before


def test_mistakes_are_reported(tmp_path: Path) -> None:
    """A usage error is 2, everything else 1 with what to do."""
    file = str(written(tmp_path, "locomo.json", [ANN]))
    early = run(tmp_path, "locomo", file, "--stages", "4")
    assert (early.exit_code, "--stages 3" in early.stderr) == (1, True)
    assert run(tmp_path, "locomo", file, "--stages", "9").exit_code == 1
    assert run(tmp_path, "locomo", file, "--system", "nobody").exit_code == 2
    assert run(tmp_path, "locomo").exit_code == 2
    assert run(tmp_path, "beam", str(tmp_path / "none.json")).exit_code == 1
    assert run(tmp_path, "beam", file, "--system", "full-context").exit_code == 1


@pytest.mark.parametrize("verb", ["beam", "longmemeval"])
def test_a_file_that_is_no_data_leaves_the_name_free(tmp_path: Path, verb: str) -> None:
    """Or the right file would be refused after the wrong one."""
    result = run(tmp_path, verb, str(written(tmp_path, "wrong.json", [{"a": 1}])))
    assert (result.exit_code, "is missing" in result.stderr) == (1, True)
    assert not (tmp_path / "results" / verb).exists()


def test_beam_and_longmemeval_show_what_they_are_about(tmp_path: Path) -> None:
    """Updates and abstention here, sessions there; JSON for programs."""
    beam = str(written(tmp_path, "3.json", BEAM))
    result = run(tmp_path, "beam", beam)
    assert result.exit_code == 0, result.output
    assert {"updated_first", "original_first", "abstained"} <= set(result.stdout.split())
    file = str(written(tmp_path, "lme.json", LONGMEMEVAL))
    document = json.loads(run(tmp_path, "longmemeval", file, "--json", "--limit", "1").stdout)
    assert document["records"] == 1
    assert document["systems"]["default"]["all"]["session_any_hit@5"]["mean"] == 1
    assert document["folder"].endswith("longmemeval")


def test_the_commands_do_not_heed_the_users_own_store(tmp_path: Path, hm: Terminal) -> None:
    """Evaluations have stores of their own."""
    run(tmp_path, "beam", str(written(tmp_path, "3.json", BEAM)))
    assert not hm.store.exists()
