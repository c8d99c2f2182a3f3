"""Plain SQLite FTS5: Porter stems, stop-words left out of the query, any word may match."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import apsw

from hypermnesia.evals.adapters.protocol import Found, Item
from hypermnesia.evals.adapters.words import content_words

_CREATE = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS items USING fts5(id UNINDEXED, text, tokenize='porter')"
)
_MATCHING = (
    "SELECT id, -bm25(items) FROM items WHERE items MATCH ? ORDER BY bm25(items), rowid LIMIT ?"
)


class Fts5:
    """One table in one file, ranked by FTS5's own BM25 (k1 1.2, b 0.75)."""

    def __init__(self, folder: Path) -> None:
        self._connection = apsw.Connection(str(folder / "fts5.db"))
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute(_CREATE)

    def add(self, items: Sequence[Item]) -> int:
        """One transaction."""
        with self._connection:
            self._connection.executemany(
                "INSERT INTO items (id, text) VALUES (?, ?)", [(i.id, i.text) for i in items]
            )
        return 0

    def search(self, query: str, k: int) -> list[Found]:
        """Words are quoted, so that nothing in them is syntax."""
        words = " OR ".join(f'"{word}"' for word in content_words(query))
        if not words:
            return []
        return [Found(*row) for row in self._connection.execute(_MATCHING, (words, k))]

    def delete(self, ids: Sequence[str]) -> None:
        """Remove the rows; FTS5 has no index on an id, so each is looked for."""
        with self._connection:
            self._connection.executemany("DELETE FROM items WHERE id = ?", [(i,) for i in ids])

    def reset(self) -> None:
        """Drop the table."""
        with self._connection:
            self._connection.execute("DROP TABLE items")
            self._connection.execute(_CREATE)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
