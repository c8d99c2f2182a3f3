"""The stages by number, and stages 4 to 6: retrieval, answers, judgement.

Each of these keeps raw records in a folder of its own and goes on where it was interrupted. What
they say of a question together is written as the records of the whole run.
"""

from __future__ import annotations

import logging
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from hypermnesia.config import language_model
from hypermnesia.errors import InvalidInput
from hypermnesia.evals.asking import Outcome, answer, opened, prove, retrieve
from hypermnesia.evals.judging import judge
from hypermnesia.evals.locomo.construction import (
    EPISODES,
    HYPERGRAPH,
    INDEX,
    Advance,
    build_hypergraph,
    extract_episodes,
    index,
    require_talks,
)
from hypermnesia.evals.locomo.data import Talk
from hypermnesia.evals.locomo.experiment import Experiment
from hypermnesia.evals.locomo.full_context import answer_from, read_whole, whole
from hypermnesia.evals.parallel import in_order
from hypermnesia.evals.questions import Question
from hypermnesia.evals.records import Key, Record
from hypermnesia.evals.results import Run, read_records, read_timings
from hypermnesia.evals.systems import System
from hypermnesia.memory import Memory
from hypermnesia.models.chat import LanguageModel
from hypermnesia.read.context import Context

RETRIEVAL, ANSWERS, JUDGEMENT = "4_retrieval", "5_answers", "6_judgement"
LEFT: Mapping[int, str] = {
    1: EPISODES, 2: HYPERGRAPH, 3: INDEX, 4: RETRIEVAL, 5: ANSWERS, 6: JUDGEMENT,
}  # fmt: skip
"""What each stage leaves: a file, or the folder of a run."""
log = logging.getLogger("hypermnesia")
_NUMBERS = re.compile(r"([1-6])(?:-([1-6]))?")


class _Case(NamedTuple):
    """A question as it is put to a system, with what the former stage found."""

    system: System
    talk: Talk
    question: Question
    former: Mapping[str, Any] | None = None

    @property
    def key(self) -> Key:
        return Key(self.system.name, self.question.id)


def numbers(text: str) -> list[int]:
    """The stages that ``1-6``, ``4 5 6`` or ``2,4-6`` names, in order.

    Raises:
        InvalidInput: it names none, or something else.
    """
    found: set[int] = set()
    for part in re.split(r"[\s,]+", text.strip()):
        match = _NUMBERS.fullmatch(part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last:
            raise InvalidInput(f"stages are written 1-6 or '4 5 6', not {text[:40]!r}")
        found.update(range(first, last + 1))
    return sorted(found)


def discard(experiment: Experiment, stages: Sequence[int]) -> None:
    """Remove what stages left; with the first goes the store."""
    for stage in stages:
        left = experiment.part(LEFT[stage])
        if left.is_dir():
            shutil.rmtree(left)
        left.unlink(missing_ok=True)
    if 1 in stages:
        for path in experiment.folder.glob(f"{experiment.store.name}*"):
            path.unlink()


def run_stage(
    experiment: Experiment, stage: int, systems: Sequence[System], advance: Advance
) -> None:
    """Run one stage; each needs what the one before left.

    Args:
        experiment: what is run.
        stage: 1 to 6.
        systems: those that are asked; stages 1 to 3 are the same for all.
        advance: told of turns, talks, checks, or questions.

    Raises:
        InvalidInput: an earlier stage did not run.
        Conflict: it ran on other data.
        ModelError: a model failed; what was finished stays, start again to go on.
    """
    experiment.folder.mkdir(parents=True, exist_ok=True)
    match stage:
        case 1:
            extract_episodes(experiment, advance)
        case 2:
            build_hypergraph(experiment, advance)
        case 3:
            index(experiment, advance)
        case 4:
            _retrieve(experiment, systems, advance)
        case 5:
            _answer(experiment, systems, advance)
        case _:
            _judge(experiment, systems, advance)


def amount(experiment: Experiment, stage: int, systems: Sequence[System]) -> int:
    """How often a stage will tell that something is done."""
    match stage:
        case 1:
            return sum(len(talk.turns) for talk in experiment.talks)
        case 2:
            return len(experiment.talks)
        case 3:
            return 1
        case _:
            return len(systems) * sum(len(talk.questions) for talk in experiment.talks)


def gather(experiment: Experiment) -> dict[str, Any]:
    """Write what stages 4 to 6 say together as the run's own records; their summary."""
    parts = [experiment.part(name) for name in (RETRIEVAL, ANSWERS, JUDGEMENT)]
    records: dict[Key, Record] = {}
    timings: dict[Key, dict[str, float]] = {}
    for part in parts:
        for record in read_records(part):
            before = records.get(record.key, replace(record, metrics={}, detail={}))
            metrics = {**before.metrics, **record.metrics}
            detail = {**before.detail, **record.detail}
            records[record.key] = replace(before, metrics=metrics, detail=detail)
        for key, timing in read_timings(part).items():
            timings.setdefault(key, {}).update(timing)
    with Run.open(experiment.folder, experiment.manifest(), fresh=True) as run:
        for key, record in records.items():
            run.record(record, timings.get(key, {}))
        return run.finish()


def _retrieve(experiment: Experiment, systems: Sequence[System], advance: Advance) -> None:
    """Stage 4: rank turns and pack contexts."""
    experiment.former(INDEX, 3)
    require_talks(experiment)
    with Run.open(experiment.part(RETRIEVAL), experiment.manifest()) as run:
        for system in systems:
            cases = [_Case(system, talk, q) for talk in experiment.talks for q in talk.questions]
            with opened(experiment.store, experiment.settings, system) as memory:
                find = partial(_found, memory, _whole(experiment, system), experiment.max_tokens)
                _keep(run, cases, find, 1, advance)
        run.finish()


def _answer(experiment: Experiment, systems: Sequence[System], advance: Advance) -> None:
    """Stage 5: answer what stage 4 retrieved for."""
    model = language_model(experiment.settings)
    if model is not None:
        prove(model)
    with Run.open(experiment.part(ANSWERS), experiment.manifest()) as run:
        for system in systems:
            cases = _continued(experiment, RETRIEVAL, system)
            with opened(experiment.store, experiment.settings, system) as memory:
                texts = _whole(experiment, system)
                say = partial(_answered, memory, texts, model, experiment.max_tokens)
                _keep(run, cases, say, _workers(experiment, model), advance)
        run.finish()


def _judge(experiment: Experiment, systems: Sequence[System], advance: Advance) -> None:
    """Stage 6: judge the answers of stage 5; without a language model nothing is judged."""
    model = language_model(experiment.settings)
    if model is None:
        log.warning("nothing is judged: there is no language model (llm_url)")
        advance(amount(experiment, 6, systems))
        return
    prove(model)
    with Run.open(experiment.part(JUDGEMENT), experiment.manifest()) as run:
        for system in systems:
            cases = _continued(experiment, ANSWERS, system)
            decide = partial(_judged, model, experiment.rounds)
            _keep(run, cases, decide, _workers(experiment, model), advance)
        run.finish()


def _found(memory: Memory, texts: Mapping[str, Context], max_tokens: int, case: _Case) -> Outcome:
    if not case.system.retrieves:
        return read_whole(texts[case.talk.name])
    return retrieve(memory, case.system, case.question, case.talk.name, max_tokens)


def _answered(
    memory: Memory,
    texts: Mapping[str, Context],
    model: LanguageModel | None,
    max_tokens: int,
    case: _Case,
) -> Outcome | None:
    if case.system.retrieves:
        return answer(memory, case.question, case.talk.name, max_tokens)
    if model is None:
        return None  # sentences are extracted from what was found, and nothing was searched
    return answer_from(texts[case.talk.name], model, case.question)


def _judged(model: LanguageModel, rounds: int, case: _Case) -> Outcome:
    return judge(model, case.question, case.former or {}, rounds)


def _whole(experiment: Experiment, system: System) -> dict[str, Context]:
    """Every talk as a whole, for a system that reads it."""
    if system.retrieves:
        return {}
    return {talk.name: whole(talk.turns) for talk in experiment.talks}


def _workers(experiment: Experiment, model: LanguageModel | None) -> int:
    return 1 if model is None else experiment.settings.llm_concurrency


def _continued(experiment: Experiment, part: str, system: System) -> list[_Case]:
    """The questions that the stage before has records of.

    Raises:
        InvalidInput: it has none of this system.
        Conflict: they are of other data.
    """
    experiment.require_data(part)
    questions = experiment.questions()
    records = [r for r in read_records(experiment.part(part)) if r.system == system.name]
    if not records and (part == RETRIEVAL or system.retrieves):
        raise InvalidInput(
            f"{experiment.part(part)} has no records of {system.name!r}; run stage {part[0]}"
            f" before, with --stages {part[0]} --system {system.name}"
        )
    require_talks(experiment)
    return [_Case(system, *questions[record.id], record.detail) for record in records]


def _keep(
    run: Run,
    cases: Sequence[_Case],
    work: Callable[[_Case], Outcome | None],
    workers: int,
    advance: Advance,
) -> None:
    """Do what is not done yet, and record each outcome as it comes."""
    todo = [case for case in cases if not run.done(case.key)]
    advance(len(cases) - len(todo))
    for case, outcome in zip(todo, in_order(work, todo, workers), strict=True):
        if outcome is not None:
            run.record(_recorded(case, outcome), outcome.timing)
        advance(1)


def _recorded(case: _Case, outcome: Outcome) -> Record:
    question = case.question
    gold = {"question": question.text, "gold_answer": question.answer, "note": question.note}
    return Record(
        id=question.id,
        system=case.system.name,
        kind=question.kind,
        gold=question.gold,
        ranked=outcome.ranked,
        metrics=outcome.metrics,
        scores=outcome.scores,
        detail={**gold, **outcome.detail},
    )
