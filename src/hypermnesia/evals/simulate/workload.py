"""The two workloads: ours, and one after the description of the published one."""

from __future__ import annotations

import random
from typing import Literal, TypeAlias

from hypermnesia.evals.simulate.memories import memories
from hypermnesia.evals.simulate.paper import paper_world
from hypermnesia.evals.simulate.proof import prove
from hypermnesia.evals.simulate.questions import questions
from hypermnesia.evals.simulate.world import World

Workload: TypeAlias = Literal["ours", "paper"]


def world(workload: Workload, seed: int, count: int, asked: int) -> World:
    """What is stored and asked; the same seed gives the same, whatever the machine.

    Args:
        workload: ``ours`` is proved sound: every question has all its golds, and earlier states
            can be asked for; ``paper`` has the flaws of the published one.
        seed: of all choices.
        count: memories, repeated ones included.
        asked: questions.

    Raises:
        InvalidInput: so many questions do not fit so few memories.
    """
    if workload == "paper":
        return paper_world(seed, count, asked)
    rng = random.Random(f"{seed}/ours")  # noqa: S311 - a workload, not a secret
    rows, repeats = memories(rng, count)
    made = World(seed, tuple(rows), repeats, questions(rng, rows, asked))
    prove(made)
    return made
