"""The systems that can be compared, by name, and how each is opened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from hypermnesia import __version__
from hypermnesia.errors import InvalidInput
from hypermnesia.evals.adapters.bm25 import Bm25s
from hypermnesia.evals.adapters.chroma import Chroma
from hypermnesia.evals.adapters.dense import Dense
from hypermnesia.evals.adapters.extras import missing
from hypermnesia.evals.adapters.fts5 import Fts5
from hypermnesia.evals.adapters.lance import Lance
from hypermnesia.evals.adapters.protocol import Adapter
from hypermnesia.evals.adapters.tantivy_text import Tantivy
from hypermnesia.models.encoder import Embedder


@dataclass(frozen=True, slots=True)
class Contender:
    """A system as users name it.

    Attributes:
        about: what it is, in one line.
        extra: the extra that installs what it needs besides the package; empty = nothing.
        modules: what has to be importable; the first is named like its distribution.
    """

    about: str
    extra: str = ""
    modules: tuple[str, ...] = ()

    @property
    def problem(self) -> str | None:
        """Why it cannot be used here and what to do; ``None`` if it can be."""
        return next(filter(None, (missing(name, self.extra) for name in self.modules)), None)

    @property
    def version(self) -> str:
        """Version of what is compared."""
        return version(self.modules[0]) if self.modules else __version__


CONTENDERS: Mapping[str, Contender] = {
    "hypermnesia": Contender("this package with the settings in force"),
    "hypermnesia-dgui": Contender("this package, flat judged search as published"),
    "hypermnesia-hypermem": Contender("this package, topics to episodes to facts as published"),
    "fts5": Contender("SQLite FTS5: stems, stop-words left out, any word may match"),
    "bm25s": Contender("BM25 in a sparse matrix, stems", "eval", ("bm25s", "Stemmer")),
    "dense": Contender("exact cosine over the encoder's vectors"),
    "chromadb": Contender("vector store, HNSW; same encoder", "peers", ("chromadb",)),
    "lancedb": Contender(
        "vectors and full text fused by RRF; same encoder", "peers", ("lancedb", "pyarrow")
    ),
    "tantivy": Contender("full-text engine, BM25, stems", "peers", ("tantivy",)),
}
"""The peers among them are stores, not memories: they judge, relate and retire nothing."""
BY_WORDS: Mapping[str, Callable[[Path], Adapter]] = {
    "fts5": Fts5,
    "bm25s": Bm25s,
    "tantivy": Tantivy,
}
BY_MEANING: Mapping[str, Callable[[Path, Embedder], Adapter]] = {
    "dense": Dense,
    "chromadb": Chroma,
    "lancedb": Lance,
}
"""These are given the encoder in force, so that what differs is the system."""


def contenders(names: Iterable[str]) -> dict[str, Contender]:
    """The systems of these names, in their order, without repeats.

    Raises:
        InvalidInput: a system is unknown or not installed, or none is named.
    """
    found: dict[str, Contender] = {}
    for name in names:
        if name not in CONTENDERS:
            raise InvalidInput(f"there is no system {name!r}; known are {', '.join(CONTENDERS)}")
        found[name] = CONTENDERS[name]
        if problem := found[name].problem:
            raise InvalidInput(f"the system {name} cannot be used: {problem}")
    if not found:
        raise InvalidInput(f"no system is named; known are {', '.join(CONTENDERS)}")
    return found


def opened(name: str, folder: Path) -> Adapter:
    """A system on an empty folder of its own.

    Raises:
        InvalidInput: a package that it needs is not installed.
        HypermnesiaError: see :meth:`Memory.open`.
    """
    if name in BY_WORDS:
        return BY_WORDS[name](folder)
    if name in BY_MEANING:
        return BY_MEANING[name](folder, _embedder())
    from hypermnesia.evals.adapters.own import Own  # noqa: PLC0415 - see _embedder
    from hypermnesia.memory import Memory  # noqa: PLC0415

    _, _, preset = name.partition("-")
    return Own(Memory.open(folder / "memory.db", preset=preset or None))


def _embedder() -> Embedder:
    # Imported late: a system's memory is measured, and must not hold what only others need.
    from hypermnesia.config import embedder_of, load  # noqa: PLC0415

    return embedder_of(load())
