"""LanceDB: an embedded table with vectors and full text, searched together (extra ``peers``)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypermnesia.evals.adapters.extras import needed
from hypermnesia.evals.adapters.passages import first_of_each, most_rows, rows_of
from hypermnesia.evals.adapters.protocol import Found, Item
from hypermnesia.models.encoder import Embedder

NAME = "memories"


class Lance:
    """Hybrid search as it comes: exact vectors (no vector index), stemmed text, fused by RRF."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        os.environ.setdefault("LANCE_LOG", "error")  # a warning a search on stderr otherwise
        self._database = needed("lancedb", "peers").connect(folder)
        self._words = needed("lancedb.query", "peers").MatchQuery
        self._embedder = embedder
        self._table = self._created()
        self._widest = 1

    def add(self, items: Sequence[Item]) -> int:
        """Encode, add, and bring the text index up to date."""
        rows = rows_of(items, self._embedder)
        self._widest = max(self._widest, most_rows(rows))
        if rows:
            self._table.add([row._asdict() for row in rows])
            self._table.optimize()
        return 0

    def search(self, query: str, k: int) -> list[Found]:
        """By the best row of each item."""
        hybrid = self._table.search(
            query_type="hybrid", vector_column_name="vector", fts_columns="text"
        )
        vector = self._embedder.encode_queries([query])[0].dense[0]
        asked = hybrid.vector(vector).text(self._words(query, "text"))
        rows = asked.limit(k * self._widest).to_list()
        return first_of_each(((row["owner"], row["_relevance_score"]) for row in rows), k)

    def delete(self, ids: Sequence[str]) -> None:
        """Delete the rows of the items."""
        quoted = ", ".join("'" + name.replace("'", "''") + "'" for name in ids)
        if quoted:
            self._table.delete(f"owner IN ({quoted})")

    def reset(self) -> None:
        """Drop the table and make a new one."""
        self._database.drop_table(NAME)
        self._table, self._widest = self._created(), 1

    def close(self) -> None:
        """Nothing is open."""

    def _created(self) -> Any:
        arrow = needed("pyarrow", "peers")
        vector = arrow.list_(arrow.float32(), self._embedder.dimension)
        columns = [("owner", arrow.string()), ("text", arrow.string()), ("vector", vector)]
        table = self._database.create_table(NAME, schema=arrow.schema(columns))
        table.create_index("text", config=needed("lancedb.index", "peers").FTS())
        return table
