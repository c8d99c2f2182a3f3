"""One experiment on LoCoMo: its data, its systems, and the files that its stages leave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypermnesia.config import Settings
from hypermnesia.errors import Conflict, InvalidInput, NotFound
from hypermnesia.evals.conditions import encoder_of, in_force
from hypermnesia.evals.judging import ROUNDS
from hypermnesia.evals.locomo.audit import audited
from hypermnesia.evals.locomo.data import Talk, talks
from hypermnesia.evals.questions import Question
from hypermnesia.evals.results import MANIFEST, Manifest, digests, read_json
from hypermnesia.evals.systems import DEFAULT, described

LIMITS = (
    "99 of the 1,540 gold answers of LoCoMo are wrong by a published audit: no honest answer"
    " scores above 93.57%. 57 more cite a wrong turn. --audit puts right what it is given.",
    "Judges let wrong answers pass, most of all in the generous form that published figures use."
    " Read the strict form beside it.",
    "A model that reads the whole talk, without any memory, was published at 92.6%: the talks"
    " fit into the window of a current model, so LoCoMo cannot tell good memories apart by"
    " answers alone. Look at the evidence, and at the tokens a question costs.",
    "Category 5 (adversarial) is reported as abstention, apart from all other figures, as in"
    " published tables.",
)
"""What every report on LoCoMo has to say."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """What the stages work on.

    Attributes:
        file: the data set.
        folder: of the results.
        settings: in force for all systems.
        talks: with their gold put right, if an audit was given.
        select: names of the talks, if not all of the file were taken.
        audit: entries applied by kind of error, and those that fit no question.
        data: the files read.
        max_tokens: budget of a context.
        rounds: verdicts of each form on an answer.
    """

    file: Path
    folder: Path
    settings: Settings
    talks: Sequence[Talk]
    select: Sequence[str]
    audit: Mapping[str, int]
    data: Sequence[Path]
    max_tokens: int
    rounds: int

    @property
    def store(self) -> Path:
        """The memory of all talks, each in a scope of its name."""
        return self.folder / "memory.db"

    def part(self, name: str) -> Path:
        """The file or folder that a stage leaves."""
        return self.folder / name

    def former(self, name: str, stage: int) -> Any:
        """The JSON that an earlier stage left.

        Raises:
            InvalidInput: it did not run.
        """
        try:
            return read_json(self.part(name))
        except NotFound:
            raise InvalidInput(
                f"there is no {self.part(name)}; run stage {stage} before, with --stages {stage}"
            ) from None

    def require_data(self, part: str) -> None:
        """Refuse records of other data: their questions have the same ids, whatever the file.

        Args:
            part: the folder of the stage that made them, if it ran.

        Raises:
            Conflict: they are of another file or audit.
        """
        path = self.part(part) / MANIFEST
        if path.exists() and read_json(path)["data"] != digests(self.data):
            raise Conflict(
                f"{self.part(part)} holds records of other data; give this one another"
                f" --experiment, or run stage {part[0]} anew, with --stages {part[0]} --fresh"
            )

    def questions(self) -> dict[str, tuple[Talk, Question]]:
        """Every question with its talk, by id."""
        return {q.id: (talk, q) for talk in self.talks for q in talk.questions}

    def manifest(self) -> Manifest:
        """What decides the records; the choice of stages and systems does not."""
        options = "".join(f" --audit {path.name}" for path in self.data[1:])
        options += "".join(f" --select {name}" for name in self.select)
        quirks = {talk.name: dict(talk.quirks) for talk in self.talks}
        return Manifest.of(
            f"hypermnesia eval locomo {self.file.name}{options} --max-tokens {self.max_tokens}"
            f" --rounds {self.rounds} --experiment {self.folder.name}",
            settings={
                "in_force": in_force(self.settings),
                "systems": described(),
                "quirks": quirks,
                "audit": dict(self.audit),
                "limits": list(LIMITS),
            },
            encoder=encoder_of(self.settings),
            data=self.data,
            baseline=DEFAULT.name,
        )


def prepare(
    file: Path,
    folder: Path,
    settings: Settings,
    *,
    audit: Path | None = None,
    select: Sequence[str] = (),
    max_tokens: int = 2000,
    rounds: int = ROUNDS,
) -> Experiment:
    """Read the data and their audit.

    Raises:
        InvalidInput: a file cannot be used, or no conversation has a selected name.
    """
    found, errors = talks(file), dict[str, int]()
    if audit is not None:
        outcome = audited(found, audit)
        found = outcome.talks
        errors = {**outcome.errors, "on no question here": outcome.unmatched}
    names = [talk.name for talk in found]
    for name in select:
        if name not in names:
            raise InvalidInput(f"{file} has no conversation {name!r}; it has {', '.join(names)}")
    return Experiment(
        file=file,
        folder=folder,
        settings=settings,
        talks=[talk for talk in found if not select or talk.name in select],
        select=select,
        audit=errors,
        data=[file] if audit is None else [file, audit],
        max_tokens=max_tokens,
        rounds=rounds,
    )
