"""Data sets in which every talk has a memory of its own: ingest, ask, forget, go on.

What one talk came to is recorded before the next begins, so an interrupted run goes on there.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from hypermnesia.config import Settings, language_model
from hypermnesia.evals.asking import Outcome, answer, opened, prove, retrieve
from hypermnesia.evals.conditions import encoder_of, in_force
from hypermnesia.evals.parallel import in_order
from hypermnesia.evals.questions import Question
from hypermnesia.evals.records import Key, Record
from hypermnesia.evals.results import Manifest, Run
from hypermnesia.evals.systems import DEFAULT, System, described
from hypermnesia.memory import Memory
from hypermnesia.models.chat import LanguageModel

SCOPE = "talk"


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation and what is asked about it.

    Attributes:
        name: as errors and progress call it.
        messages: as :meth:`hypermnesia.Memory.ingest` takes them.
        questions: on this talk alone.
    """

    name: str
    messages: Sequence[Mapping[str, Any]]
    questions: Sequence[Question]


@dataclass(frozen=True, slots=True)
class Scoring:
    """How a data set is scored beyond what all have in common.

    Attributes:
        ranking: further metrics of a ranking of turns.
        judged: an answer judged by a model, in rounds.
    """

    ranking: Callable[[Question, Sequence[str]], Mapping[str, float]]
    judged: Callable[[LanguageModel, Question, Mapping[str, Any], int], Outcome]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked, and how.

    Attributes:
        settings: in force for all systems.
        systems: each is asked every question.
        scoring: of the data set.
        max_tokens: budget of a context.
        rounds: verdicts on one answer.
    """

    settings: Settings
    systems: Sequence[System]
    scoring: Scoring
    max_tokens: int
    rounds: int


def manifest(verb: str, plan: Plan, files: Sequence[Path], name: str) -> Manifest:
    """What decides the records; the choice of systems does not.

    Args:
        verb: the evaluation, as the command line calls it.
        plan: what is asked.
        files: of the data set.
        name: of the run.

    Raises:
        InvalidInput: a file cannot be read.
    """
    return Manifest.of(
        f"hypermnesia eval {verb} {' '.join(path.name for path in files)}"
        f" --max-tokens {plan.max_tokens} --rounds {plan.rounds} --name {name}",
        settings={"in_force": in_force(plan.settings), "systems": described()},
        encoder=encoder_of(plan.settings),
        data=files,
        baseline=DEFAULT.name,
    )


class Watcher(Protocol):
    """Is told how far an evaluation is."""

    def advance(self, done: int) -> None:
        """So many questions more are done."""
        ...

    def tell(self, label: str) -> None:
        """What is being done now."""
        ...


def evaluate(run: Run, talks: Iterable[Talk], plan: Plan, watcher: Watcher) -> dict[str, Any]:
    """Ask every question of every talk that has no record yet; the summary.

    Args:
        run: keeps the records.
        talks: read one at a time.
        plan: what is asked.
        watcher: told how far it is.

    Raises:
        InvalidInput: a talk cannot be used.
        ModelError: a model failed; what was finished stays, start again to go on.
    """
    model = language_model(plan.settings)
    if model is not None:
        prove(model)
    for talk in talks:
        missing = {
            system: [q for q in talk.questions if not run.done(Key(system.name, q.id))]
            for system in plan.systems
        }
        waiting = sum(map(len, missing.values()))
        watcher.advance(len(plan.systems) * len(talk.questions) - waiting)
        if waiting:
            _ask(run, talk, missing, plan, model, watcher)
    return run.finish()


def _ask(
    run: Run,
    talk: Talk,
    missing: Mapping[System, Sequence[Question]],
    plan: Plan,
    model: LanguageModel | None,
    watcher: Watcher,
) -> None:
    with tempfile.TemporaryDirectory(prefix="hypermnesia-eval-") as folder:
        store = Path(folder) / "memory.db"
        with Memory.open(store, settings=plan.settings) as memory:
            report = memory.ingest(talk.messages, scope=SCOPE, progress=_taking_in(talk, watcher))
        ingested = {
            "turns": report.turns,
            "facts": report.facts,
            "refused": report.refused,
            "failed": len(report.failed),
        }
        watcher.tell("asking")
        for system, questions in missing.items():
            workers = 1 if model is None else plan.settings.llm_concurrency
            with opened(store, plan.settings, system) as memory:
                ask = partial(_asked, memory, system, plan, model)
                outcomes = in_order(ask, questions, workers)
                for question, outcome in zip(questions, outcomes, strict=True):
                    record = _recorded(system, question, outcome, {"ingested": ingested})
                    run.record(record, outcome.timing)
                    watcher.advance(1)


def _taking_in(talk: Talk, watcher: Watcher) -> Callable[[int], None]:
    """What tells of an ingest: it takes longer than the questions, of which none is done yet."""
    taken = 0

    def tell(more: int) -> None:
        nonlocal taken
        taken += more
        watcher.tell(f"taking in {talk.name}: {taken}/{len(talk.messages)}")

    tell(0)
    return tell


def _asked(
    memory: Memory, system: System, plan: Plan, model: LanguageModel | None, question: Question
) -> Outcome:
    """Everything that is found out about one question."""
    found = retrieve(memory, system, question, SCOPE, plan.max_tokens)
    said = answer(memory, question, SCOPE, plan.max_tokens)
    steps = [found, Outcome(plan.scoring.ranking(question, found.ranked), {}), said]
    if model is not None:
        steps.append(plan.scoring.judged(model, question, said.detail, plan.rounds))
    return Outcome(
        metrics={name: value for step in steps for name, value in step.metrics.items()},
        detail={name: value for step in steps for name, value in step.detail.items()},
        timing={name: value for step in steps for name, value in step.timing.items()},
        ranked=found.ranked,
        scores=found.scores,
    )


def _recorded(
    system: System, question: Question, outcome: Outcome, detail: Mapping[str, Any]
) -> Record:
    asked = {"question": question.text, "gold_answer": question.answer, "note": question.note}
    return Record(
        id=question.id,
        system=system.name,
        kind=question.kind,
        gold=question.gold,
        ranked=outcome.ranked,
        metrics=outcome.metrics,
        scores=outcome.scores,
        detail={**asked, **outcome.detail, **detail},
    )
