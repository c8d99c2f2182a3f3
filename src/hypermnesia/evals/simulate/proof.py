"""Proof that a workload is sound: every gold set complete, every semantic question wordless."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from hypermnesia.evals.simulate.texts import stop_words
from hypermnesia.evals.simulate.world import Query, Row, World, answering

STEM = 5
"""Letters from which two words with the same beginning count as one: stricter than a stemmer."""
SHORT = 3
"""Letters of a whole word that, being the beginning of another, counts as the same."""


def prove(world: World) -> None:
    """Check the generator against its own truth and against the texts.

    Raises:
        AssertionError: a workload is unsound: a bug of the generator.
    """
    if found := list(problems(world)):
        raise AssertionError(f"{len(found)} flaws in the workload: {'; '.join(found[:5])}")


def problems(world: World) -> Iterator[str]:
    """Every flaw of a workload, in words."""
    yield from _repeated("text", (row.text.casefold() for row in world.rows))
    yield from _repeated("time", (row.at.isoformat() for row in world.rows))
    yield from _repeated("query", ((q.text + str(q.as_of)) for q in world.queries))
    by_id = {row.id: row for row in world.rows}
    for query in world.queries:
        if not query.golds:
            yield f"{query.id} has no gold"
        if set(query.golds) != set(answering(world.rows, query)):
            yield f"the golds of {query.id} are not all rows that answer it"
        if set(query.golds) & set(query.stale):
            yield f"{query.id} has a row that is gold and stale"
        yield from _flaws(query, [by_id[gold] for gold in query.golds], world.rows)


def _flaws(query: Query, golds: list[Row], rows: Iterable[Row]) -> Iterator[str]:
    """What the texts say against a question."""
    match query.shape:
        case "mention":
            named = {row.id for row in rows if mentions(row.text, query.about)}
            if named != set(query.golds) or not mentions(query.text, query.about):
                yield f"{query.id}: the texts with {query.about} are {sorted(named)}"
        case "meaning":
            for gold in golds:
                if common := shared(query.text, gold.text):
                    yield f"{query.id} shares {sorted(common)} with its gold {gold.id}"
        case "now" | "as_of" | "before" | "fact":
            for gold in golds:
                if missing := [name for name in _said(query, gold) if name not in gold.text]:
                    yield f"{query.id}: {gold.id} does not say {missing}"


def _said(query: Query, gold: Row) -> list[str]:
    """What a gold has to say: of which thing, and which value."""
    holder = query.about.split("/")[:-1]
    return [*holder, query.value or gold.value]


def mentions(text: str, name: str) -> bool:
    """Whether a text has the name whole: no longer path, symbol or number that contains it."""
    return re.search(rf"(?<![\w/-]){re.escape(name)}(?!\w|[/-]\w|\.\w)", text) is not None


def shared(one: str, other: str) -> set[str]:
    """Content words of the first text that the second has in some form."""
    return {a for a in content_words(one) if any(_alike(a, b) for b in content_words(other))}


def content_words(text: str) -> set[str]:
    """Words in lower case that carry content."""
    return set(re.findall(r"[^\W_]+", text.casefold())) - stop_words()


def _alike(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if len(short) >= SHORT and long.startswith(short):
        return True
    return one == other or (len(short) >= STEM and one[:STEM] == other[:STEM])


def _repeated(what: str, values: Iterable[str]) -> Iterator[str]:
    for value, count in Counter(values).items():
        if count > 1:
            yield f"{count} rows or queries have the {what} {value!r}"
