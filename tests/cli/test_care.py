"""check, reindex, models, mcp."""

from __future__ import annotations

import json
from pathlib import Path

import apsw
import pytest
from click.testing import CliRunner

from hypermnesia.cli.app import app
from hypermnesia.serve import mcp
from tests.cli.conftest import Terminal
from tests.write.judges import ScriptedJudge


def _lose_vectors(store: Path) -> None:
    connection = apsw.Connection(str(store))
    connection.execute("DELETE FROM vectors")
    connection.close()


def test_check_counts_and_finds_nothing_wrong(hm: Terminal) -> None:
    """On a sound store."""
    hm.add("one fact")
    result = hm.run("check")
    assert result.exit_code == 0
    assert "memories  1" in result.stdout
    assert result.stderr == "no problem found\n"


def test_check_reports_a_problem_and_reindex_solves_it(hm: Terminal) -> None:
    """The status of check tells a script; what was lost is embedded again."""
    hm.add("one fact")
    _lose_vectors(hm.store)
    result = hm.run("check")
    assert result.exit_code == 1
    assert "has no vectors; run `hypermnesia reindex`" in result.stdout
    assert json.loads(hm.run("check", "--json").stdout)["ok"] is False
    assert hm.json("reindex") == {"embedded": 1}
    assert hm.run("check").exit_code == 0


def test_models_names_places_and_licences() -> None:
    """Of encoder and judge, without loading either."""
    found = json.loads(CliRunner().invoke(app, ["models", "--json"]).stdout)
    assert (found["encoder"]["kind"], found["judge"]["kind"]) == ("bundled", "local")
    assert Path(found["encoder"]["location"]).is_dir()
    assert Path(found["judge"]["location"]).is_dir()
    assert "Apache-2.0" in found["encoder"]["licence"]
    assert found["encoder"]["verified"].startswith("not tried")


@pytest.mark.parametrize(
    ("variables", "part", "kind"),
    [
        ({"JUDGE": "off"}, "judge", "off"),
        ({"JUDGE": "chat", "JUDGE_URL": "http://localhost:1", "JUDGE_MODEL": "m"}, "judge", "chat"),
        ({"ENCODER": "http://localhost:1/v1"}, "encoder", "embeddings endpoint"),
        ({"ENCODER": "/models/mine"}, "encoder", "directory"),
        ({}, "constructor", "local"),
        ({"LLM_URL": "http://localhost:1", "LLM_MODEL": "m"}, "constructor", "language model"),
    ],
)
def test_models_shows_what_is_configured(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], part: str, kind: str
) -> None:
    """From the environment as from anywhere else."""
    for name, value in variables.items():
        monkeypatch.setenv(f"HYPERMNESIA_{name}", value)
    found = json.loads(CliRunner().invoke(app, ["models", "--json"]).stdout)
    assert found[part]["kind"] == kind


def test_models_check_tries_encoder_and_judge(hm: Terminal, judge: ScriptedJudge) -> None:
    """And fails when the judge did."""
    assert "judge answered    scripted" in hm.out("models", "check")
    judge.broken = True
    result = hm.run("models", "check")
    assert result.exit_code == 1
    assert "judge could not answer" in result.stderr


def test_mcp_serves_the_store_and_scope_that_are_named(
    hm: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of the command's own may reach stdout."""
    served: list[tuple[str | None, str | None]] = []

    def serve(store: str | None, scope: str | None) -> None:
        served.append((store, scope))

    monkeypatch.setattr(mcp, "run", serve)
    assert hm.out("mcp", "--scope", "acme") == ""
    assert served == [(str(hm.store), "acme")]
