"""Tantivy: a full-text search engine in the process (extra ``peers``)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypermnesia.evals.adapters.extras import needed
from hypermnesia.evals.adapters.protocol import Found, Item

HEAP = 15_000_000
"""Bytes that the one indexing thread may fill before it writes: the least Tantivy takes."""


class Tantivy:
    """BM25 over English stems; any word of the query may match, its own stop-words do not."""

    def __init__(self, folder: Path) -> None:
        self._package: Any = needed("tantivy", "peers")
        self._analyzer = _analyzer(self._package)
        fields = self._package.SchemaBuilder()
        fields.add_text_field("id", stored=True, tokenizer_name="raw")
        fields.add_text_field("text", stored=True, tokenizer_name="words")
        self._schema = fields.build()
        self._index = self._package.Index(self._schema, path=str(folder))
        self._index.register_tokenizer("words", self._analyzer)
        self._writer = self._index.writer(HEAP, 1)

    def add(self, items: Sequence[Item]) -> int:
        """One commit."""
        for item in items:
            self._writer.add_document(self._package.Document(id=item.id, text=item.text))
        self._commit()
        return 0

    def search(self, query: str, k: int) -> list[Found]:
        """The query's words go through the analyzer, never through the query language."""
        package = self._package
        words = dict.fromkeys(self._analyzer.analyze(query))
        terms = [package.Query.term_query(self._schema, "text", word) for word in words]
        searcher = self._index.searcher()
        asked = package.Query.boolean_query([(package.Occur.Should, term) for term in terms])
        hits = searcher.search(asked, k).hits
        return [Found(searcher.doc(address)["id"][0], score) for score, address in hits]

    def delete(self, ids: Sequence[str]) -> None:
        """One commit."""
        for name in ids:
            self._writer.delete_documents_by_term("id", name)
        self._commit()

    def reset(self) -> None:
        """One commit."""
        self._writer.delete_all_documents()
        self._commit()

    def close(self) -> None:
        """Wait for the writer."""
        self._writer.wait_merging_threads()

    def _commit(self) -> None:
        self._writer.commit()
        self._index.reload()


def _analyzer(package: Any) -> Any:
    keep = package.Filter
    builder = package.TextAnalyzerBuilder(package.Tokenizer.simple())
    for step in (keep.lowercase(), keep.stopword("english"), keep.stemmer("english")):
        builder = builder.filter(step)
    return builder.build()
