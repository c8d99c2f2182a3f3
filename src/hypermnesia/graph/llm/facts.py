"""Facts by a language model: taken down piece by piece, then weighed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from hypermnesia.errors import InvalidInput
from hypermnesia.graph.constructor import Constructor
from hypermnesia.graph.llm.ask import Asker
from hypermnesia.graph.llm.dated import dated
from hypermnesia.graph.llm.fields import Fields
from hypermnesia.graph.llm.show import Excerpt, numbered, pieces, said, shown_turn
from hypermnesia.graph.llm.steps import FACT_ROLES, FACT_WEIGHTS, FACTS
from hypermnesia.graph.local import cues, words
from hypermnesia.graph.local.facts import CORE
from hypermnesia.graph.local.words import shortened
from hypermnesia.graph.model import FactText, Turn
from hypermnesia.store.incidence import FactRole

CONTENT = 500
"""Characters of a fact at most: more is no single statement."""
MOST = 100
"""Facts of one piece at most."""
KEYWORDS, KEYWORD = 6, 60
"""Keywords of a fact at most, and characters of one."""
QUERIES, QUERY = 3, 200
"""Questions that a fact answers at most, and characters of one."""
PLACE = 120
"""Characters of a place at most."""
READ = 1_000
"""Characters of each turn from which the local weights take the theme."""
BEFORE, GLIMPSE = 2, 300
"""Turns before a piece that are shown with it, and characters of each."""


def facts(asker: Asker, local: Constructor, turns: Sequence[Turn]) -> list[FactText]:
    """The facts of some consecutive turns, in the order of the pieces, each text once."""
    found: dict[str, FactText] = {}
    for piece in pieces(turns):
        for fact in _of_piece(asker, local, turns, piece):
            key = fact.content.casefold().rstrip(".")
            known = found.setdefault(key, fact)
            if known is not fact:
                cited = dict.fromkeys((*known.turns, *fact.turns))
                found[key] = replace(known, turns=tuple(cited))
    return list(found.values())


def _of_piece(
    asker: Asker, local: Constructor, turns: Sequence[Turn], piece: Sequence[Excerpt]
) -> list[FactText]:
    ids = {f"t{i}": excerpt.position for i, excerpt in enumerate(piece, 1)}
    first = piece[0].position
    data = {
        "before": [shown_turn(t, shortened(said(t), GLIMPSE)) for t in _before(turns, first)],
        "turns": numbered("t", (shown_turn(turns[e.position], e.text) for e in piece)),
    }

    def read(answer: Fields) -> list[FactText] | None:
        return [_fact(item, turns, ids) for item in answer.items("facts", MOST)]

    written = asker.ask(FACTS, data, read, lambda: None)
    if written is None:
        within = set(ids.values())
        return [fact for fact in local.facts(turns) if fact.turns[0] in within]
    return _weighed(asker, turns, written)


def _before(turns: Sequence[Turn], first: int) -> Sequence[Turn]:
    return turns[max(first - BEFORE, 0) : first]


def _fact(item: Fields, turns: Sequence[Turn], ids: Mapping[str, int]) -> FactText:
    """One fact of the answer, not yet weighed.

    Raises:
        InvalidInput: it cannot be used.
    """
    cited = item.all_known("turns", ids)
    if not cited:
        raise InvalidInput(f"{item.where}turns is empty; cite the turns that say it")
    content, found = dated(item.text("content", CONTENT), turns[cited[0]].at)
    return FactText(
        content=content,
        turns=cited,
        span=None,
        mentions=found,
        where=item.optional("where", PLACE),
        keywords=item.texts("keywords", KEYWORDS, KEYWORD),
        queries=item.texts("queries", QUERIES, QUERY),
        confidence=item.share("confidence"),
        role="detail",
        weight=0.5,
    )


def _weighed(asker: Asker, turns: Sequence[Turn], found: Sequence[FactText]) -> list[FactText]:
    """The facts with role and weight."""
    if not found:
        return []
    data = {"facts": numbered("f", ({"content": fact.content} for fact in found))}
    ids = {f"f{i}": i for i in range(1, len(found) + 1)}

    def read(answer: Fields) -> list[tuple[FactRole, float]]:
        given: dict[int, tuple[FactRole, float]] = {
            item.known("id", ids): (item.one_of("role", FACT_ROLES), item.share("weight"))
            for item in answer.items("weights", len(found))
        }
        missing = [name for name, i in ids.items() if i not in given]
        if missing:
            raise InvalidInput(f"weights lacks {', '.join(missing[:10])}; give every fact once")
        return [given[i] for i in sorted(given)]

    weights = asker.ask(FACT_WEIGHTS, data, read, lambda: list(_local_weights(turns, found)))
    return [
        replace(fact, role=role, weight=weight)
        for fact, (role, weight) in zip(found, weights, strict=True)
    ]


def _local_weights(
    turns: Sequence[Turn], found: Iterable[FactText]
) -> Iterator[tuple[FactRole, float]]:
    """Role and weight by rules like those of local facts.

    ``0.3 + 0.4 * centrality + 0.3 * specificity``, see :mod:`hypermnesia.graph.local.facts`.
    """
    people = {words.term(w) for turn in turns for w in words.words(turn.message.speaker)}
    theme = words.weights((said(turn)[:READ] for turn in turns), people)
    strongest = sum(sorted(theme.values())[-3:]) or 1.0
    for fact in found:
        telling = words.telling(words.words(fact.content), people)
        central = min(1.0, sum(theme.get(w, 0.0) for w in dict.fromkeys(telling)) / strongest)
        specific = min(1.0, 0.25 * len(fact.mentions) + 0.1 * len(telling))
        role: FactRole = "core" if central >= CORE else "detail"
        if cues.gives_reason(fact.content):
            role = "causal"
        elif fact.mentions:
            role = "temporal"
        yield role, round(0.3 + 0.4 * central + 0.3 * specific, 4)
