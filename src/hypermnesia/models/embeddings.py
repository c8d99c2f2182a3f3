"""Embeddings from an OpenAI-compatible ``/v1/embeddings`` server.

Satisfies :class:`hypermnesia.models.encoder.Embedder`. Such a server gives one vector a
text and no token vectors, so the token arrays of every encoding are empty.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from hypermnesia.errors import ModelError
from hypermnesia.models.encoder import Encoding
from hypermnesia.models.http import ATTEMPTS, TIMEOUT, Endpoint, JsonObject, Secret

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hypermnesia.types import Matrix

BATCH = 32
"""Texts in one request."""
CHUNK = 1_600
"""Characters of one input: about 400 tokens of English, inside the window of 512-token models."""
OVERLAP = 160
"""Characters that consecutive chunks of a longer text share."""


class EmbeddingsEndpoint:
    """Vectors from a server; safe to share between threads.

    Args:
        base_url: where the API lives, with or without a trailing ``/v1``.
        model: as the server names it.
        dimension: length of a vector; ``None`` asks the server once, with a short text.
        api_key: sent as a bearer token; read by the caller from the environment.
        timeout: seconds one attempt may take; all together take at most twice that.
        attempts: requests sent at most for one batch.
        batch: texts in one request.
        chunk: characters of one input, more than twice :data:`OVERLAP`; a longer text
            becomes several inputs, each with its own vector.
        query_prefix: put before a query (some models were trained with one).
        passage_prefix: put before every chunk of a memory.

    Raises:
        ModelError: the address, the key or the chunk length cannot be used.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        dimension: int | None = None,
        api_key: Secret | None = None,
        timeout: float = TIMEOUT,
        attempts: int = ATTEMPTS,
        batch: int = BATCH,
        chunk: int = CHUNK,
        query_prefix: str = "",
        passage_prefix: str = "",
    ) -> None:
        if chunk <= 2 * OVERLAP or batch < 1:
            raise ModelError(f"a chunk needs over {2 * OVERLAP} characters, and a batch one text")
        self._endpoint = Endpoint(base_url, api_key=api_key, timeout=timeout, attempts=attempts)
        self._model = model
        self._dimension = dimension
        self._batch = batch
        self._chunk = chunk
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix

    @property
    def identity(self) -> str:
        """Model name, host, dimension, chunk length and prefix."""
        prefix = f";prefix={self._passage_prefix!r}" if self._passage_prefix else ""
        return f"{self._model}@{self._endpoint.host};{self.dimension};{self._chunk}{prefix}"

    @property
    def dimension(self) -> int:
        """Length of a dense vector.

        Raises:
            ModelError: it was not configured and the server does not answer.
        """
        if self._dimension is None:
            self._dimension = self._request(["dimension"], None).shape[1]
        return self._dimension

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        """Encode memories, in order; see :class:`hypermnesia.models.encoder.Embedder`."""
        return self._encode(texts, self._passage_prefix)

    def encode_queries(self, texts: Sequence[str]) -> list[Encoding]:
        """Encode queries, in order; see :class:`hypermnesia.models.encoder.Embedder`."""
        return self._encode(texts, self._query_prefix)

    def _encode(self, texts: Sequence[str], prefix: str) -> list[Encoding]:
        if not texts:
            return []
        chunks = [_chunks(text, self._chunk) for text in texts]
        inputs = [prefix + chunk for part in chunks for chunk in part]
        vectors = np.concatenate(
            [
                self._request(inputs[i : i + self._batch], self.dimension)
                for i in range(0, len(inputs), self._batch)
            ]
        )
        ends = np.cumsum([0, *map(len, chunks)])
        return [_encoding(vectors[start:end]) for start, end in pairwise(ends)]

    def _request(self, inputs: Sequence[str], dimension: int | None) -> Matrix:
        """Normalised vectors of one batch, shape ``(len(inputs), d)``."""
        body = {"model": self._model, "input": inputs, "encoding_format": "float"}
        reply = self._endpoint.post("/v1/embeddings", body)
        vectors = _vectors(_in_order(reply, len(inputs)))
        if dimension is not None and vectors.shape[1] != dimension:
            raise ModelError(
                f"{self._model} gave vectors of {vectors.shape[1]} numbers where {dimension} were"
                " expected; set the dimension this model has"
            )
        return vectors


def _chunks(text: str, limit: int) -> list[str]:
    """Pieces of at most ``limit`` characters that share :data:`OVERLAP`, cut at a space if near.

    A blank text becomes one space, because servers refuse an empty input.
    """
    if not text.strip():
        return [" "]
    chunks: list[str] = []
    start = 0
    while len(text) - start > limit:
        space = text.rfind(" ", start + limit - OVERLAP, start + limit)
        end = space if space > 0 else start + limit
        chunks.append(text[start:end])
        start = end - OVERLAP
    return [*chunks, text[start:]]


def _in_order(reply: JsonObject, count: int) -> list[Any]:
    """The embeddings by their ``index``, which must run from 0 to ``count - 1``."""
    try:
        found = {entry["index"]: entry["embedding"] for entry in reply["data"]}
        return [found[i] for i in range(count)]
    except (LookupError, TypeError):
        raise ModelError(
            f"the embeddings server did not answer one embedding for each of {count} inputs"
        ) from None


def _vectors(rows: Sequence[Any]) -> Matrix:
    try:
        raw = np.asarray(rows)
    except ValueError:
        raise ModelError("the embeddings server answered vectors of different lengths") from None
    if raw.ndim != 2 or raw.dtype.kind not in "fi":  # noqa: PLR2004 - rows of numbers
        raise ModelError("the embeddings server answered something else than lists of numbers")
    with np.errstate(over="ignore"):  # an overflow becomes inf, and is refused below
        vectors: Matrix = raw.astype(np.float32)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(norms).all() or not norms.all():
        raise ModelError("the embeddings server answered a vector that is zero or not finite")
    return vectors / norms


def _encoding(dense: Matrix) -> Encoding:
    empty = np.empty((0, dense.shape[1]), np.float32)
    return Encoding(dense=dense, pieces=np.empty(0, np.int32), tokens=empty)
