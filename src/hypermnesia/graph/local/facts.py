"""Facts of an episode: what its turns state, put so that each stands on its own.

``confidence`` is the product of what may be wrong with a fact: see :data:`CONFIDENCE`. The
``weight`` in the episode is ``0.3 + 0.4 * centrality + 0.3 * specificity``: never below the
scale's "tangential" (0.3, HyperMem), and full only for a definite statement of the theme.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from hypermnesia.graph.local import cues, words
from hypermnesia.graph.local.asked import Question, depends, question_before
from hypermnesia.graph.local.person import Edit, applied, resolve
from hypermnesia.graph.local.queries import queries
from hypermnesia.graph.local.reading import Reading, place, readings, says_enough
from hypermnesia.graph.local.said import Said, name_of, said_in
from hypermnesia.graph.local.scene import Scene
from hypermnesia.graph.local.settings import Thresholds
from hypermnesia.graph.model import FactText, Turn
from hypermnesia.language.dates import Mention
from hypermnesia.store.incidence import FactRole

CONFIDENCE = {"resolved": 0.95, "quoted": 0.8, "hedged": 0.75, "points back": 0.7, "answer": 0.9}
"""Factors: the person was resolved or none was meant; the words stand as said behind the name;
it is said with reserve; it begins with a word for something not named; it needs its question."""
SHARED = "What does {} share a picture of?"
"""What a picture answers."""
CORE = 0.5
"""Centrality from which a fact is of the episode's core."""
JOINED = 300
"""Characters up to which a statement that points back joins the one before it."""
KEYWORDS = 6
"""Keywords of a fact at most."""


def facts(turns: Sequence[Turn], thresholds: Thresholds) -> list[FactText]:
    """The facts of some consecutive turns, in order; see the module.

    A statement made again, word for word, is one fact with several turns.
    """
    return list(distilled(said_in(turns), thresholds)[1])


@lru_cache(maxsize=32)
def distilled(said: tuple[Said, ...], thresholds: Thresholds) -> tuple[Scene, tuple[FactText, ...]]:
    """The scene and the facts of some talk; remembered, as an episode's text is made of them.

    All episodes of a chunk are asked for their facts before the first is asked for its text.
    """
    scene = Scene.of(said)
    found: dict[str, FactText] = {}
    for position in range(len(said)):
        for fact in _of_turn(scene, position, thresholds):
            known = found.get(fact.content)
            if known is None:
                found[fact.content] = fact
            elif position not in known.turns:
                found[fact.content] = replace(known, turns=(*known.turns, position))
    return scene, tuple(found.values())


def _of_turn(scene: Scene, position: int, thresholds: Thresholds) -> Iterator[FactText]:
    turn = scene.turns[position]
    question = question_before(scene.turns, position)
    last: tuple[FactText, Reading] | None = None
    for reading in _chosen(scene, turn, question, thresholds):
        if last is not None and (longer := _continued(scene, position, last, reading)):
            last = longer
            continue
        asked = question if last is None and reading.opens and depends(reading) else None
        if last is not None:
            yield last[0]
        last = _fact(scene, position, reading, asked), reading
    if last is not None:
        yield last[0]
    if turn.message.caption:
        yield _shared(scene, position, turn.message.caption)


def _chosen(
    scene: Scene, turn: Said, question: Question | None, thresholds: Thresholds
) -> list[Reading]:
    """The statements of a turn that become facts: the most specific ones if they are many."""
    assistant = turn.message.role == "assistant"
    limit = thresholds.per_answer if assistant else thresholds.per_turn
    kept = [
        reading
        for reading in readings(turn, scene.people)
        if says_enough(reading) or (question is not None and question.is_answered_by(reading))
    ]
    if question is not None and question.is_taken_up_by(kept):
        kept = kept[1:]
    if assistant:
        kept = [r for r in kept if r.specificity >= thresholds.specific]
    if len(kept) > limit:
        kept.sort(key=lambda r: (-r.specificity, r.start))
        kept = sorted(kept[:limit], key=lambda r: r.start)
    return kept


def _continued(
    scene: Scene, position: int, last: tuple[FactText, Reading], reading: Reading
) -> tuple[FactText, Reading] | None:
    """The last fact with a statement taken in that points back to it, if it does.

    "I adopted a puppy. She is three months old." is one fact: apart, the second says nothing.
    """
    fact, before = last
    follows = reading.index == before.index + 1 and cues.points_back(reading.core)
    if not follows or reading.end - before.start > JOINED:
        return None
    content, speaker = scene.turns[position].content, name_of(scene.turns[position])
    other = scene.other(speaker)
    doubtful = [resolve(r.core, speaker, other) is None for r in (before, reading)]
    if doubtful[0] != doubtful[1] or len(fact.turns) > 1:
        return None
    gap = content[before.end : reading.start]
    whole = replace(
        before,
        text=before.text + gap + reading.text,
        end=reading.end,
        telling=before.telling + reading.telling,
        names=before.names + reading.names,
        numbers=before.numbers + reading.numbers,
        mentions=before.mentions + reading.mentions,
        first=before.first or reading.first,
        second=before.second or reading.second,
        index=reading.index,
    )
    return _fact(scene, position, whole, None), whole


def _fact(scene: Scene, position: int, reading: Reading, question: Question | None) -> FactText:
    turn = scene.turns[position]
    speaker = name_of(turn)
    lead = 0 if question else reading.lead
    said = reading.text[lead:]
    edits = None if question else resolve(said, speaker, scene.other(speaker))
    prefix = "" if edits else f"{speaker}: "
    if question:
        prefix = f'{speaker} (asked "{question.text}"): '
    offset = reading.start + lead
    content, mentions = _dated(said, edits or (), reading.mentions, offset, prefix)
    centrality = scene.centrality(reading.telling)
    where = None if turn.message.role == "assistant" else place(reading, scene.people)
    keywords = _keywords(scene, reading)
    return FactText(
        content=content,
        turns=(position, question.position) if question else (position,),
        span=(offset, reading.end),
        mentions=mentions,
        where=where,
        keywords=keywords,
        queries=queries(speaker, content if edits else None, keywords, mentions, where),
        confidence=_confidence(reading, resolved=edits is not None, answer=question is not None),
        role=_role(reading, centrality),
        weight=round(0.3 + 0.4 * centrality + 0.3 * reading.specificity, 4),
    )


def _dated(
    said: str, edits: Sequence[Edit], mentions: Sequence[Mention], offset: int, prefix: str
) -> tuple[str, tuple[Mention, ...]]:
    """The statement with edits carried out and dates written beside their phrases.

    Returns:
        The content, and the mentions with their places in it.
    """
    notes = [
        Edit(m.end - offset, m.end - offset, f" ({m.text})")
        for m in mentions
        if leaves_date_open(m) and not said.startswith(f" ({m.text})", m.end - offset)
    ]
    together = sorted((*edits, *notes), key=lambda e: (e.start, e.end))
    content = prefix + applied(said, together)
    moved: list[Mention] = []
    for m in mentions:
        start, end = m.start - offset, m.end - offset
        shift = len(prefix)
        shift += sum(
            len(e.text) - (e.end - e.start) for e in together if e.end <= start and e.start < start
        )
        moved.append(replace(m, start=start + shift, end=end + shift))
    return content, tuple(m for m in moved if content[m.start : m.end] == m.phrase)


def leaves_date_open(mention: Mention) -> bool:
    """Whether a date phrase needs its day beside it: it is known, but not stated in full."""
    stated = mention.explicit and str(mention.first.year) in mention.phrase
    return mention.year_known and not stated


def _keywords(scene: Scene, reading: Reading) -> tuple[str, ...]:
    """Its names as a whole, then the other telling words by what they have of the theme."""
    names = tuple(dict.fromkeys(reading.names))[: KEYWORDS // 2]
    named = {words.term(w) for name in names for w in words.words(name)}
    rest = {w: scene.theme.get(w, 0.0) for w in reading.telling if w not in named}
    return names + words.strongest(rest, [reading.text], KEYWORDS - len(names))


def _role(reading: Reading, centrality: float) -> FactRole:
    """The first that holds.

    Causal if it gives a reason, temporal if it is dated, core if it is of the theme, a detail if
    it has a name or number, else context.
    """
    if cues.gives_reason(reading.core):
        return "causal"
    if reading.mentions:
        return "temporal"
    if centrality >= CORE:
        return "core"
    return "detail" if reading.names or reading.numbers else "context"


def _confidence(reading: Reading, *, resolved: bool, answer: bool) -> float:
    factors = [CONFIDENCE["resolved" if resolved else "quoted"]]
    factors += [CONFIDENCE["hedged"]] * cues.hedges(reading.core)
    factors += [CONFIDENCE["answer"]] * answer
    factors += [CONFIDENCE["points back"]] * (not answer and cues.points_back(reading.core))
    product = 1.0
    for factor in factors:
        product *= factor
    return round(product, 4)


def is_picture(fact: FactText) -> bool:
    """Whether a fact is what a picture shows."""
    return fact.queries[:1] == (SHARED.format(fact.content.partition(" shares ")[0]),)


def _shared(scene: Scene, position: int, caption: str) -> FactText:
    """What a picture sent along shows."""
    turn = scene.turns[position]
    speaker = name_of(turn)
    bare = caption.strip()[:600].rstrip(" .")
    article = bare[:2].casefold() in {"a ", "an"} or bare[:4].casefold() == "the "
    content = f"{speaker} shares {bare}" if article else f"{speaker} shares a picture: {bare}"
    start = turn.content.rfind(bare)
    telling = words.telling(words.words(bare), scene.people)
    weighted = {word: scene.theme.get(word, 0.0) for word in telling}
    centrality = scene.centrality(telling)
    keywords = words.strongest(weighted, [bare], KEYWORDS)
    return FactText(
        content=content,
        turns=(position,),
        span=(start, start + len(bare)) if start >= 0 else None,
        mentions=(),
        where=None,
        keywords=keywords,
        queries=(SHARED.format(speaker),),
        confidence=CONFIDENCE["resolved"],
        role="detail",
        weight=round(0.3 + 0.4 * centrality + 0.3 * min(1.0, 0.1 * len(telling)), 4),
    )
