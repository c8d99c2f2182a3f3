"""Cross-encoders: a ``/rerank`` server, or an ONNX model in a directory."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from hypermnesia.errors import ModelError
from hypermnesia.models.http import ATTEMPTS, TIMEOUT, Endpoint, JsonObject, Secret
from hypermnesia.models.onnx import session

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt
    from tokenizers import Tokenizer

TEXT_LIMIT = 8_000
"""Characters of one text that are sent to a server: more than its models read."""
WINDOW = 512
"""Word pieces of a query and a text together: the training length of BERT-like cross-encoders."""
BATCH = 16
"""Pairs in one forward pass."""


class Reranker(Protocol):
    """Scores texts by how well they answer a query."""

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One finite score a text, in order; higher is more relevant.

        Raises:
            ModelError: the model cannot be loaded or reached, or answered badly.
        """
        ...


class RerankEndpoint:
    """A ``/rerank`` server of the shape that Cohere, Jina and vLLM share.

    ``POST {base}/rerank`` with ``{model, query, documents, top_n}``, answered by
    ``{results: [{index, relevance_score}]}``. Most servers score in [0, 1], some give
    logits. Safe to share between threads.

    Args:
        base_url: everything before ``/rerank``, the API version included.
        model: as the server names it.
        api_key: sent as a bearer token; read by the caller from the environment.
        timeout: seconds one attempt may take; all together take at most twice that.
        attempts: requests sent at most for one call.

    Raises:
        ModelError: the address or the key cannot be used.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: Secret | None = None,
        timeout: float = TIMEOUT,
        attempts: int = ATTEMPTS,
    ) -> None:
        self._endpoint = Endpoint(base_url, api_key=api_key, timeout=timeout, attempts=attempts)
        self._model = model

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score a text, in order; see :class:`Reranker`."""
        if not texts:
            return []
        body = {
            "model": self._model,
            "query": query[:TEXT_LIMIT],
            "documents": [text[:TEXT_LIMIT] for text in texts],
            "top_n": len(texts),
        }
        return _scores(self._endpoint.post("/rerank", body), len(texts))


class OnnxCrossEncoder:
    """A BERT-like cross-encoder with one output: the probability that a text is relevant.

    Loading is lazy and happens once.

    Args:
        directory: holds ``onnx/model.onnx`` and ``tokenizer.json``.
        threads: cores a forward pass may use; 0 = all.
    """

    def __init__(self, directory: Path, *, threads: int = 0) -> None:
        self._directory = directory
        self._threads = threads

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """The logistic function of each logit, in [0, 1]; see :class:`Reranker`."""
        batches = (texts[i : i + BATCH] for i in range(0, len(texts), BATCH))
        return [score for batch in batches for score in self._forward(query, batch)]

    def _forward(self, query: str, texts: Sequence[str]) -> list[float]:
        pairs = self._tokenizer.encode_batch([(query, text) for text in texts])
        feed = {
            "input_ids": np.array([pair.ids for pair in pairs], np.int64),
            "attention_mask": np.array([pair.attention_mask for pair in pairs], np.int64),
            "token_type_ids": np.array([pair.type_ids for pair in pairs], np.int64),
        }
        names = [node.name for node in self._session.get_inputs()]
        logits = np.asarray(self._session.run(None, {n: feed[n] for n in names})[0], np.float64)
        if logits.size != len(texts):
            raise ModelError(
                f"{self._directory} gives {logits.shape} numbers for {len(texts)} pairs;"
                " name a cross-encoder with one output"
            )
        if not np.isfinite(logits).all():
            raise ModelError(f"{self._directory} gave a score that is no finite number")
        return _logistic(logits.ravel()).tolist()

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer  # noqa: PLC0415 - loaded only when a model is used

        path = self._file("tokenizer.json")
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # tokenizers raises Exception itself
            raise ModelError(f"{path} cannot be loaded as a tokenizer: {error}") from error
        tokenizer.enable_padding()
        # Takes from the longer of the two, so a short query stays whole.
        tokenizer.enable_truncation(max_length=WINDOW, strategy="longest_first")
        return tokenizer

    @cached_property
    def _session(self) -> Any:
        return session(self._file("onnx/model.onnx"), threads=self._threads)

    def _file(self, name: str) -> Path:
        path = self._directory / name
        if not path.is_file():
            raise ModelError(
                f"{path} is missing; name a directory that holds onnx/model.onnx and tokenizer.json"
            )
        return path


def _scores(reply: JsonObject, count: int) -> list[float]:
    try:
        found = {entry["index"]: entry["relevance_score"] for entry in reply["results"]}
        scores = [found[i] for i in range(count)]
    except (LookupError, TypeError):
        raise ModelError(f"the rerank server did not score each of {count} texts") from None
    if not all(_is_finite(score) for score in scores):
        raise ModelError("the rerank server gave a score that is no finite number")
    return [float(score) for score in scores]


def _is_finite(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    try:
        return number and math.isfinite(value)
    except OverflowError:  # an integer beyond any float
        return False


def _logistic(logits: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """1 / (1 + e^-x) without overflow."""
    return 0.5 * (1.0 + np.tanh(0.5 * logits))
