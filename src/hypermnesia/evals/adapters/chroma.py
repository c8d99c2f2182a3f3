"""Chroma: an embedded vector store with an HNSW index (extra ``peers``)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypermnesia.evals.adapters.extras import needed
from hypermnesia.evals.adapters.passages import first_of_each, most_rows, rows_of
from hypermnesia.evals.adapters.protocol import Found, Item
from hypermnesia.models.encoder import Embedder

NAME = "memories"


class Chroma:
    """A collection with the bundled encoder's vectors, cosine distance, default index settings.

    Its own default would download a model; its telemetry is off.
    """

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        settings = needed("chromadb.config", "peers").Settings(anonymized_telemetry=False)
        self._client = needed("chromadb", "peers").PersistentClient(str(folder), settings)
        self._embedder = embedder
        self._collection = self._created()
        self._widest = 1

    def add(self, items: Sequence[Item]) -> int:
        """Encode, then add in batches as large as Chroma takes."""
        rows = rows_of(items, self._embedder)
        self._widest = max(self._widest, most_rows(rows))
        step = self._client.get_max_batch_size()
        begin = self._collection.count()
        for start in range(0, len(rows), step):
            batch = rows[start : start + step]
            self._collection.add(
                ids=[f"{begin + start + i}/{row.owner}" for i, row in enumerate(batch)],
                embeddings=[row.vector for row in batch],
                documents=[row.text for row in batch],
                metadatas=[{"owner": row.owner} for row in batch],
            )
        return 0

    def search(self, query: str, k: int) -> list[Found]:
        """By the best row of each item; the score is the cosine."""
        found = self._collection.query(
            query_embeddings=[self._embedder.encode_queries([query])[0].dense[0]],
            n_results=k * self._widest,
            include=["metadatas", "distances"],
        )
        owners = (data["owner"] for data in found["metadatas"][0])
        scores = (1 - distance for distance in found["distances"][0])
        return first_of_each(zip(owners, scores, strict=True), k)

    def delete(self, ids: Sequence[str]) -> None:
        """Delete the rows of the items."""
        if ids:
            self._collection.delete(where={"owner": {"$in": list(ids)}})

    def reset(self) -> None:
        """Delete the collection and make a new one."""
        self._client.delete_collection(NAME)
        self._collection, self._widest = self._created(), 1

    def close(self) -> None:
        """Close the client."""
        self._client.close()

    def _created(self) -> Any:
        return self._client.create_collection(
            NAME, embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )
