"""An answer without a language model: the sentence among the hits that answers best.

A sentence is worth its token MaxSim with the question, more if its memory ranks high and if it
offers the kind of thing that is asked for, less if it is itself a question or no longer holds.
A question about a time is answered with the date that the sentence names. What is too unlike the
question is no answer: then nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

import numpy as np

from hypermnesia.answer.result import NOT_KNOWN, Answer, Asked
from hypermnesia.answer.wanted import Wanted, offers, wanted
from hypermnesia.errors import ModelError
from hypermnesia.language.dates import Mention, annotate, mentions
from hypermnesia.language.statements import statements
from hypermnesia.models.encoder import Embedder
from hypermnesia.models.late import compress_all, expand_all, maxsim, query_tokens
from hypermnesia.read.context import Citation
from hypermnesia.store.lexicon import query_terms
from hypermnesia.types import Hit, Vector

HITS = 12
"""Hits whose sentences are read."""
SENTENCES = 12
"""Sentences read of one hit."""
READ = 4_000
"""Characters read of one hit."""
THRESHOLD = 0.6
"""Worth below which the best sentence is no answer. Set where nearly all questions about a
conversation keep their sentence and nearly all questions about another one lose it
(``bench/answer_study.py``). A question about the same people and things that they never spoke of is
beyond what likeness can tell."""
RANK, OFFERS, ASKS, OUTDATED = 0.3, 0.05, -0.1, -0.1
"""What the score of the memory (in [0, 1]), offering what is asked for, being a question and being
superseded are worth beside a MaxSim, which lies between -1 and 1. Chosen from a coarse grid by
``bench/answer_study.py``."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that may answer.

    Attributes:
        hit: where it stands.
        speaker: who says it, with a colon; empty in what no one says.
        text: its words.
    """

    hit: Hit
    speaker: str
    text: str

    @property
    def whole(self) -> str:
        """With its speaker, as it is compared with the question."""
        return f"{self.speaker}{self.text}"

    @property
    def said(self) -> datetime:
        """What its dates count from."""
        return self.hit.node.valid_from


def extract(embedder: Embedder, asked: Asked, hits: Sequence[Hit]) -> Answer:
    """The sentence that answers best, or for a question about a time its date.

    Args:
        embedder: when it fails, common words decide and the answer is marked as degraded.
        asked: the question.
        hits: what a search for it found, the most useful first.
    """
    told = [hit for hit in hits if hit.level in {"turn", "fact"}]
    read = [sentence for hit in told[:HITS] for sentence in _sentences(hit)]
    if not read:
        return _nothing(degraded=False)
    try:
        alike, degraded = likeness(embedder, asked.text, [s.whole for s in read]), False
    except ModelError:  # the search has logged it
        alike, degraded = _shared_words(asked.text, [s.whole for s in read]), True
    what = wanted(asked.text)
    worth = alike + np.asarray([_bonus(sentence, what) for sentence in read], np.float32)
    best = int(np.argmax(worth))
    if worth[best] < THRESHOLD:
        return _nothing(degraded=degraded)
    return _answer(read[best], what, degraded=degraded)


def likeness(embedder: Embedder, question: str, texts: Sequence[str]) -> Vector:
    """How alike each text is to a question, shape ``(n,)``.

    MaxSim; the cosine where an encoder has no token vectors that could be compared.

    Raises:
        ModelError: the encoder failed.
    """
    (query,) = embedder.encode_queries([question])
    encodings = embedder.encode(texts)
    tokens, weights = query_tokens(query)
    late = maxsim(tokens, weights, *expand_all(compress_all(encodings)))
    mean = query.dense.mean(axis=0)
    cosines = [float(np.max(e.dense @ mean)) / float(np.linalg.norm(mean)) for e in encodings]
    return np.where(np.isnan(late), np.asarray(cosines, np.float32), late)


def _shared_words(question: str, texts: Sequence[str]) -> Vector:
    """Share of the question's words that each text has."""
    terms = set(query_terms(question))
    shares = [len(terms & set(query_terms(text))) / max(len(terms), 1) for text in texts]
    return np.asarray(shares, np.float32)


def _sentences(hit: Hit) -> Iterator[Sentence]:
    speaker, text = "", hit.content[:READ]
    if hit.level == "turn":
        name, colon, said = text.partition(": ")
        speaker, text = (name + colon, said) if colon else ("", text)
    for statement in islice(statements(text), SENTENCES):
        yield Sentence(hit, speaker, statement.text)


def _bonus(sentence: Sentence, what: Wanted) -> float:
    dated = what == "date" and bool(mentions(sentence.text, sentence.said))
    return (
        RANK * sentence.hit.score
        + OFFERS * offers(sentence.text, what, dated=dated)
        + ASKS * sentence.text.endswith("?")
        + OUTDATED * (sentence.hit.superseded_by is not None)
    )


def _answer(sentence: Sentence, what: Wanted, *, degraded: bool) -> Answer:
    hit = sentence.hit
    quote = annotate(sentence.whole, sentence.said)
    return Answer(
        text=_time(sentence) if what == "date" else quote,
        known=True,
        kind="extractive",
        citations=(Citation(1, hit.id, hit.score, hit.sources, clipped=False),),
        hits=(hit,),
        quote=quote,
        tokens=0,
        degraded=degraded,
    )


def _time(sentence: Sentence) -> str:
    """The date that a sentence names, or when it was said."""
    found: list[Mention] = mentions(sentence.text, sentence.said)
    if found:
        return found[0].text
    day = sentence.said
    return f"said on {day.day} {day:%B %Y}"


def _nothing(*, degraded: bool) -> Answer:
    return Answer(NOT_KNOWN, known=False, kind="extractive", citations=(), hits=(), quote="",
                  tokens=0, degraded=degraded)  # fmt: skip
