"""Settings from the environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from hypermnesia.config import build, load
from hypermnesia.engine import CONTEXT_LEVELS, GraphPolicy
from hypermnesia.errors import InvalidInput
from hypermnesia.models.rerank import OnnxCrossEncoder, RerankEndpoint


@pytest.fixture(autouse=True)
def _no_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "empty.toml").touch()
    monkeypatch.setenv("HYPERMNESIA_CONFIG", str(tmp_path / "empty.toml"))


def test_a_list_in_the_environment_is_json(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the reference says."""
    monkeypatch.setenv("HYPERMNESIA_CONTEXT_LEVELS", '["turn", "topic"]')
    assert load().context_levels == ("turn", "topic")


@pytest.mark.parametrize("value", ["turn", "[]", '["page"]', "7"])
def test_a_list_that_cannot_be_used_is_named(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """Not the file, which is innocent; and never shown."""
    monkeypatch.setenv("HYPERMNESIA_CONTEXT_LEVELS", value)
    with pytest.raises(InvalidInput, match="context_levels") as caught:
        load()
    assert "TOML" not in str(caught.value)
    assert "page" not in str(caught.value)


def test_a_named_file_that_is_not_there_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whoever names it wants its settings to hold."""
    monkeypatch.setenv("HYPERMNESIA_CONFIG", str(tmp_path / "gone.toml"))
    with pytest.raises(InvalidInput, match=r"gone\.toml"):
        load()


def test_the_graph_policy_is_what_the_settings_say(tmp_path: Path) -> None:
    """Each field by its setting; by default those of the policy itself."""
    store = str(tmp_path / "a.db")
    assert build(load(store=store)).graph == GraphPolicy()
    engine = build(
        load(
            store=store,
            graph_levels=("episode",),
            graph_weights=False,
            graph_lambda=0.25,
            graph_topics=1,
            graph_episodes=2,
            graph_facts=3,
            graph_candidates=4,
            graph_rerank="judge",
            graph_prior=5.0,
            graph_flat=False,
            graph_turns=False,
            graph_talk=False,
        )
    )
    assert engine.graph == GraphPolicy(
        levels=("episode",),
        weights=False,
        lam=0.25,
        topics=1,
        episodes=2,
        facts=3,
        candidates=4,
        rerank="judge",
        prior=5.0,
        flat=False,
        turns=False,
        talk=False,
    )


def test_the_context_of_a_published_preset_is_the_published_one(tmp_path: Path) -> None:
    """Unless the caller says otherwise."""
    store = str(tmp_path / "a.db")
    assert build(load(store=store)).context_levels == CONTEXT_LEVELS
    assert build(load(store=store, preset="hypermem")).context_levels == ("fact", "episode")
    chosen = load(store=store, preset="hypermem", context_levels=("turn",))
    assert build(chosen).context_levels == ("turn",)


def test_a_reranker_is_a_server_or_a_directory(tmp_path: Path) -> None:
    """Named by the model; without a name there is nothing to ask."""
    store, url = str(tmp_path / "a.db"), "http://127.0.0.1:9/v1"
    here = load(store=store, graph_rerank="model", rerank_model=str(tmp_path))
    assert isinstance(build(here).reranker, OnnxCrossEncoder)
    assert isinstance(build(load(here, rerank_url=url)).reranker, RerankEndpoint)
    assert build(load(here, graph_rerank="judge")).reranker is None
    with pytest.raises(InvalidInput, match="rerank_model"):
        build(load(store=store, graph_rerank="model"))
