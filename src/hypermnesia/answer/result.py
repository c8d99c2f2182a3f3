"""What a question came to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from hypermnesia.read.context import Citation
from hypermnesia.types import Hit

Kind: TypeAlias = Literal["model", "extractive"]

NOT_KNOWN = "not known"
"""The text of an answer that the memory does not hold."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question.

    Attributes:
        text: as it was put.
        as_of: the moment whose knowledge is asked for; ``None`` = now.
    """

    text: str
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with what it rests on.

    Attributes:
        text: in few words, or :data:`NOT_KNOWN`.
        known: whether the memory holds an answer.
        kind: ``model``: a language model read the memories and answered; ``extractive``: a date
            or sentence taken out of one of them.
        citations: the memories that the answer rests on; their numbers are those of the context
            that a model read.
        hits: the same memories, in the same order.
        quote: the words of the first of them that an extractive answer was taken from, dates
            resolved; empty otherwise.
        tokens: of the context that a model read, 0 without a model.
        degraded: less was asked than is configured: the language model, the judge or the encoder
            failed.
    """

    text: str
    known: bool
    kind: Kind
    citations: tuple[Citation, ...]
    hits: tuple[Hit, ...]
    quote: str
    tokens: int
    degraded: bool
