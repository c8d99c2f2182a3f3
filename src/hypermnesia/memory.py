"""The facade: every surface (library, command line, MCP) calls only this.

It is long because it is the one place that states every verb with its arguments; each body only
checks them and hands over to the pipelines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from hypermnesia import validate
from hypermnesia.errors import HypermnesiaError, InvalidInput
from hypermnesia.read.context import Context, pack
from hypermnesia.read.filters import Moment, Names, filter_of
from hypermnesia.read.overview import overview, suggestions
from hypermnesia.read.recall import masked, masked_event
from hypermnesia.read.search import alike, search
from hypermnesia.read.surroundings import Hyperedge, Surroundings, hyperedges, surroundings
from hypermnesia.store.accounts import AccountStore
from hypermnesia.store.protocol import Event, Filter
from hypermnesia.transfer import Imported, export_file, import_file
from hypermnesia.types import (
    MEMORY_TYPES,
    Added,
    Failure,
    Forgotten,
    Health,
    Hit,
    Node,
    Page,
    Profile,
    Suggestion,
)
from hypermnesia.write import erasure
from hypermnesia.write.batch import Item, write_many
from hypermnesia.write.draft import draft
from hypermnesia.write.pipeline import write
from hypermnesia.write.revise import Changes, existing, restore, update

if TYPE_CHECKING:
    from hypermnesia.answer.result import Answer
    from hypermnesia.config import Settings
    from hypermnesia.corpus.consent import Consent, CorpusStats
    from hypermnesia.corpus.export import Exported
    from hypermnesia.corpus.flush import Flushed
    from hypermnesia.engine import Engine
    from hypermnesia.graph.entry import Source
    from hypermnesia.graph.ingest import Ingested
    from hypermnesia.graph.messages import Message
    from hypermnesia.store.service import ServiceStore
    from hypermnesia.write.cleanse import Scanned

FORGET_SIMILARITY = 0.8
"""Cosine from which ``forget(query=...)`` takes a memory to be meant."""


class Memory:
    """A long-term memory on one store. Safe to share between threads; a context manager.

    Open one with :meth:`open`. Where a method takes ``scope``, ``None`` means the default
    scope of the settings; nothing ever crosses from one scope to another. Times may be
    aware datetimes, dates or ISO 8601 text; without an offset they are UTC.

    Every method may raise :class:`~hypermnesia.errors.StoreError` when the store cannot be
    used and :class:`~hypermnesia.errors.InvalidInput` when an argument cannot.
    """

    def __init__(self, engine: Engine, scope: str) -> None:
        self._engine = engine
        self._scope = scope

    @classmethod
    def open(
        cls, store: str | Path | None = None, *, settings: Settings | None = None, **overrides: Any
    ) -> Self:
        """Open or create a memory.

        Args:
            store: the file; ``None`` = the configured one, else the platform's data directory.
            settings: all settings; ``None`` = read from environment and configuration file.
            **overrides: single settings, see :class:`~hypermnesia.config.Settings`.

        Raises:
            StoreError: the store cannot be opened; the message says why and what to do.
            InvalidInput: a setting is unknown or out of bounds.
        """
        from hypermnesia.config import build, load  # noqa: PLC0415 - pydantic is slow to import

        if store is not None:
            overrides["store"] = validate.place(store)
        if settings is None or overrides:
            settings = load(settings, **overrides)
        scope = validate.scope(settings.scope)  # before a store is opened for nothing
        return cls(build(settings), scope)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def scope(self) -> str:
        """The scope that calls work in which name none."""
        return self._scope

    @property
    def service(self) -> ServiceStore:
        """What a service on this memory keeps: jobs, and answers it may have to give twice."""
        return self._engine.store.service

    @property
    def accounts(self) -> AccountStore:
        """Who may use a service on this store, and how much."""
        return self._engine.store.accounts

    def close(self) -> None:
        """Release the store; the memory cannot be used afterwards."""
        self._engine.store.close()

    # --- writing -------------------------------------------------------------------

    def add(
        self,
        content: str,
        *,
        scope: str | None = None,
        at: Moment = None,
        tags: Iterable[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        memory_type: str | None = None,
        pin: bool = False,
        provenance: Mapping[str, str | None] | None = None,
    ) -> Added:
        """Remember a text: judged, gated, indexed, and compared with what it may replace.

        When this returns, the memory is durable and every process on the store finds it.

        Args:
            content: up to 64,000 characters.
            scope: isolation boundary.
            at: event time, since when the content holds; ``None`` = now.
            tags: labels to filter by.
            metadata: a JSON object, up to 16,000 characters.
            memory_type: one of the seven types; ``None`` = the judge decides.
            pin: keep it active whatever its salience.
            provenance: ``source, client, user_id, agent_id, session_id, turn_id``.

        Raises:
            Refused: the text holds a credential or other prohibited material; or any secret, if
                the setting ``secrets`` says so. By default those are masked: see ``redacted``.
            EncoderMismatch: the store waits to be re-embedded.
        """
        checked = draft(
            content,
            scope=self._within(scope),
            at=at,
            tags=tags,
            metadata=metadata,
            memory_type=memory_type,
            pin=pin,
            provenance=provenance,
            secrets=self._engine.secrets,
        )
        (outcome,) = write(self._engine, [checked])
        if isinstance(outcome, HypermnesiaError):
            raise outcome
        return outcome

    def add_many(
        self,
        items: Iterable[Item],
        *,
        scope: str | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> list[Added | Failure]:
        """Remember many texts; a bad one fails alone and is reported in its place.

        Args:
            items: texts, or mappings of the arguments of :meth:`add`.
            scope: scope of the items that name none.
            progress: called with the number of items done since the last call.
        """
        return list(
            write_many(self._engine, items, self._within(scope), progress or (lambda _done: None))
        )

    def ingest(
        self,
        messages: Source,
        *,
        scope: str | None = None,
        session: str | None = None,
        format: str | None = None,  # noqa: A002 - what the command line calls it, too
        select: str | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Ingested:
        """Remember a conversation: its turns word for word, and facts, episodes and topics.

        Everything of a chunk of messages is stored in one transaction. What is known already
        is passed over, so an interrupted ingest continues by starting again.

        Args:
            messages: mappings with ``content`` and ``role`` or ``speaker``, optionally
                ``timestamp``, ``id``, ``session`` and ``caption``; or a file or stream, see
                :func:`hypermnesia.graph.sources.read`.
            scope: isolation boundary.
            session: session of messages that name none; ``None`` = the file's name, or
                ``"conversation"``.
            format: of a file or stream; ``None`` = told from its beginning.
            select: of a file with several conversations, only that of this id or title.
            progress: called with the number of messages done since the last call.

        Raises:
            InvalidInput: the source cannot be read or has no known format.
            EncoderMismatch: the store waits to be re-embedded.
            ModelError: the encoder failed; the chunks before stay.
        """
        from hypermnesia.graph.entry import take_in  # noqa: PLC0415 - readers are slow to import

        return take_in(
            self._engine,
            messages,
            self._within(scope),
            session=session,
            format=format,
            select=select,
            progress=progress,
        )

    def observe(
        self, message: Mapping[str, Any] | Message, *, scope: str | None = None
    ) -> Ingested:
        """Append one message to a live session; see :meth:`ingest`.

        Raises:
            InvalidInput: the message cannot be used.
        """
        from hypermnesia.graph.entry import observe  # noqa: PLC0415 - as above

        return observe(self._engine, message, self._within(scope))

    def update(
        self,
        memory_id: str,
        *,
        scope: str | None = None,
        content: str | None = None,
        at: Moment = None,
        tags: Iterable[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        memory_type: str | None = None,
        salience: float | None = None,
        durable: float | None = None,
        pin: bool | None = None,
        unchanged_since: datetime | None = None,
    ) -> Added:
        """Correct a memory in place; ``None`` leaves a field as it is.

        A new text is judged and compared like any other; the former one stays in
        :meth:`events`. To record that something *changed*, add the new fact instead: it
        supersedes the old one and both stay in the history.

        With ``unchanged_since``, the ``updated_at`` of the memory as the caller read it, nobody
        else's change in between is overwritten.

        Raises:
            Outdated: it was changed after ``unchanged_since``.
            NotFound: no memory has this id.
            Refused: the new text holds prohibited material.
            Conflict: another memory has this text, or the memory is superseded.
        """
        changes = Changes(
            content=None if content is None else validate.content(content),
            tags=None if tags is None else validate.tags(tags),
            metadata=None if metadata is None else validate.metadata(metadata),
            memory_type=None
            if memory_type is None
            else validate.one_of(memory_type, MEMORY_TYPES, "type"),
            salience=None if salience is None else validate.number(salience, 0, 4, "salience"),
            durable=None if durable is None else validate.number(durable, 0, 1, "durable"),
            pinned=pin,
            valid_from=validate.moment(at, "at"),
        )
        memory_id, since = validate.identifier(memory_id), unchanged_since
        return update(self._engine, memory_id, changes, _scoped(scope), since)

    def restore(self, memory_id: str, *, scope: str | None = None) -> Node:
        """Undo a supersession, or lift a memory over the gate: it is active again.

        What had superseded it stays as it is.

        Raises:
            NotFound: no memory has this id, or it was forgotten.
            Conflict: the same text is live under another id.
        """
        return restore(self._engine, validate.identifier(memory_id), _scoped(scope))

    def forget(
        self,
        *,
        ids: Sequence[str] | None = None,
        query: str | None = None,
        scope: str | None = None,
        dry_run: bool = False,
        min_similarity: float = FORGET_SIMILARITY,
        erase: bool = False,
    ) -> Forgotten:
        """Erase memories for good, with every index of them.

        With a turn go the facts that were drawn from no other, with its last member an episode
        or topic; what is returned names them too.

        Exactly one selection: ``ids``; or ``query`` (what is at least ``min_similarity``
        alike, in the given or default scope); or ``scope`` alone, which empties it.

        Args:
            ids: memories to erase; with ``scope``, they must belong to it.
            query: a text that says what is meant.
            scope: see above.
            dry_run: only tell what would be erased.
            min_similarity: cosine from which a memory is meant by the query.
            erase: with everything that a memory superseded, rewrite the store's file, and prove
                that nothing is left: see ``receipt``. Ids that were forgotten before are taken,
                too. Takes time and room in proportion to the whole store.

        Raises:
            NotFound: an id is unknown; then nothing is erased.
            StoreBusy: with ``erase``, others used the file all through the configured wait. The
                memories are erased; the message says how to finish.
        """
        chosen = self._chosen(ids, query, scope, min_similarity, forgotten=erase)
        chosen += erasure.earlier(self._engine, chosen) if erase else []
        chosen += self._engine.store.dependants(chosen)
        if dry_run or not chosen:
            return Forgotten(tuple(chosen), dry_run)
        from hypermnesia.graph.entry import forget  # noqa: PLC0415 - as for ingest

        pieces = erasure.samples(self._engine, chosen) if erase else ()
        forget(self._engine, chosen)
        receipt = erasure.prove(self._engine, chosen, pieces) if erase else None
        return Forgotten(tuple(chosen), dry_run, receipt)

    # --- reading -------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        scope: str | None = None,
        k: int = 10,
        levels: Names = None,
        types: Names = None,
        tags: Names = None,
        metadata: Mapping[str, Any] | None = None,
        status: Names = None,
        since: Moment = None,
        until: Moment = None,
        as_of: Moment = None,
        min_score: float = 0.0,
    ) -> list[Hit]:
        """The memories that answer best, each with its reasons in ``hit.explain``.

        Args:
            query: a question or words.
            scope: isolation boundary.
            k: most hits, 1 to 50.
            levels: any of ``turn, fact, episode, topic``.
            types: any of the seven types.
            tags: all of these.
            metadata: equal to all of these.
            status: any of ``active`` (the default), ``low_signal``, ``superseded``.
            since: event time not before; a bare date means its start.
            until: event time not after; a bare date means its end.
            as_of: what held at this instant; a bare date means its end.
            min_score: lowest ``hit.score`` returned, 0 to 1.
        """
        where = filter_of(
            self._within(scope),
            levels=levels,
            types=types,
            tags=tags,
            metadata=metadata,
            status=status,
            since=since,
            until=until,
            as_of=as_of,
        )
        return search(
            self._engine,
            validate.query(query),
            where,
            validate.count(k, validate.MAX_K, "k"),
            validate.number(min_score, 0, 1, "min_score"),
        )

    def context(
        self, query: str, *, max_tokens: int = 2000, k: int = 50, **filters: Any
    ) -> Context:
        """Hits packed into a prompt-ready text with dates and citations.

        Args:
            query: a question or words.
            max_tokens: budget, 50 to 100,000; never exceeded.
            k: most memories considered.
            **filters: those of :meth:`search`; without ``levels`` those of the settings.

        Returns:
            The text, a ``str`` with ``.citations`` and ``.tokens``; empty when nothing fits.
        """
        budget = validate.bounded(max_tokens, 50, 100_000, "max_tokens")
        return self._packed(self._evidence(query, k, filters), budget)

    def answer(
        self, question: str, *, max_tokens: int = 4000, k: int = 50, **filters: Any
    ) -> Answer:
        """Answer a question from what is remembered, or say that it is not known.

        The configured language model reads a :meth:`context` and answers. Without one, and
        when it fails, the sentence that answers best is taken out of the memories.

        Args:
            question: one question.
            max_tokens: budget of the context, 50 to 100,000.
            k: most memories considered.
            **filters: those of :meth:`search`; without ``levels`` those of the settings.
        """
        from hypermnesia.answer.pipeline import answer  # noqa: PLC0415 - used here only
        from hypermnesia.answer.result import Asked  # noqa: PLC0415

        question = validate.query(question)
        budget = validate.bounded(max_tokens, 50, 100_000, "max_tokens")
        hits = self._evidence(question, k, filters)
        as_of = validate.moment(filters.get("as_of"), "as_of", end=True)
        return answer(self._engine, Asked(question, as_of), hits, self._packed(hits, budget))

    def suggest(self, content: str, *, scope: str | None = None, k: int = 5) -> Suggestion:
        """What is known already about a text that one thinks of adding."""
        hits = self.search(content, scope=scope, k=validate.count(k, validate.MAX_K, "k"))
        return suggestions(content, hits)

    def get(self, memory_id: str, *, scope: str | None = None, reveal: bool = False) -> Node:
        """One memory by its id, whatever its status.

        Args:
            memory_id: its id.
            scope: the scope it must belong to; ``None`` = any.
            reveal: show secrets that recall masks.

        Raises:
            NotFound: no memory has this id, or it was forgotten.
        """
        node = existing(self._engine, validate.identifier(memory_id), _scoped(scope))
        return node if reveal else masked(node, self._engine.redact)

    def history(self, memory_id: str, *, scope: str | None = None) -> tuple[Node, ...]:
        """Every version linked to a memory by supersession, oldest first.

        Raises:
            NotFound: no memory has this id, or it was forgotten.
        """
        node = self.get(memory_id, scope=scope)
        return tuple(
            masked(version, self._engine.redact)
            for version in self._engine.store.chain(node.id)
            if version.status != "deleted" and version.scope == node.scope
        )

    def events(self, memory_id: str, *, scope: str | None = None) -> tuple[Event, ...]:
        """What happened to a memory, oldest first; secrets are masked as in recall.

        Raises:
            NotFound: no memory has this id, or it was forgotten.
        """
        node = self.get(memory_id, scope=scope)
        return tuple(
            masked_event(event, self._engine.redact) for event in self._engine.store.events(node.id)
        )

    def recent(
        self, *, scope: str | None = None, limit: int = 50, after: int = 0
    ) -> tuple[tuple[int, Event], ...]:
        """What happened last in a scope, newest first; secrets are masked as in recall.

        Args:
            scope: whose log.
            limit: at most so many events, 1 to 1000.
            after: only events of a higher number.

        Returns:
            Each event with its number, which only rises.
        """
        found = self._engine.store.recent(
            self._within(scope),
            validate.count(limit, validate.MAX_PAGE, "limit"),
            validate.bounded(after, 0, 2**53, "after"),
        )
        return tuple((number, masked_event(e, self._engine.redact)) for number, e in found)

    def surroundings(
        self, memory_id: str, *, scope: str | None = None, limit: int = 100
    ) -> Surroundings:
        """What a memory is joined to in the hypergraph, and the turns or facts tied to it.

        Args:
            memory_id: its id.
            scope: the scope it must belong to; ``None`` = any.
            limit: at most so many in each direction, 1 to 1000.

        Raises:
            NotFound: no memory has this id, or it was forgotten.
        """
        node = existing(self._engine, validate.identifier(memory_id), _scoped(scope))
        return surroundings(self._engine, node, validate.count(limit, validate.MAX_PAGE, "limit"))

    def hyperedges(
        self, heads: Sequence[str], *, scope: str | None = None, limit: int = 100
    ) -> tuple[Hyperedge, ...]:
        """What episodes and topics hold, by falling weight, in the order of ``heads``.

        Args:
            heads: their ids; one that the scope does not know holds nothing.
            scope: isolation boundary.
            limit: at most so many members of each, 1 to 1000.
        """
        return hyperedges(
            self._engine,
            self._within(scope),
            validate.identifiers(heads),
            validate.count(limit, validate.MAX_PAGE, "limit"),
        )

    def list(
        self,
        *,
        scope: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
        newest: bool = True,
        levels: Names = None,
        types: Names = None,
        tags: Names = None,
        metadata: Mapping[str, Any] | None = None,
        status: Names = None,
        since: Moment = None,
        until: Moment = None,
        as_of: Moment = None,
    ) -> Page:
        """Memories by event time, a page at a time.

        Args:
            scope: isolation boundary.
            limit: items a page, 1 to 1000.
            cursor: what the last page returned; ``None`` = from the start.
            newest: newest first.
            levels: this and all below as in :meth:`search`.
            types: see there.
            tags: see there.
            metadata: see there.
            status: see there.
            since: see there.
            until: see there.
            as_of: see there.
        """
        where = filter_of(
            self._within(scope),
            levels=levels,
            types=types,
            tags=tags,
            metadata=metadata,
            status=status,
            since=since,
            until=until,
            as_of=as_of,
        )
        page = self._engine.store.list(
            where, validate.count(limit, validate.MAX_PAGE, "limit"), cursor, newest=newest
        )
        return Page(tuple(masked(n, self._engine.redact) for n in page.items), page.cursor)

    def profile(self, scope: str | None = None) -> Profile:
        """A scope at a glance: counts, time span, and what matters most by type."""
        return overview(self._engine, self._within(scope))

    def scopes(self) -> Sequence[str]:
        """Names of the scopes that hold a memory."""
        return self._engine.store.scopes()

    # --- care ----------------------------------------------------------------------

    def export(self, path: str | Path, *, scope: str | None = None) -> int:
        """Write everything (of a scope) as JSON lines; returns how many memories."""
        return export_file(self._engine, Path(path), _scoped(scope))

    def import_(
        self, path: str | Path, *, progress: Callable[[int], None] | None = None
    ) -> Imported:
        """Store what :meth:`export` wrote, ids, times and verdicts kept.

        Args:
            path: the file.
            progress: called with the number of lines done since the last call.
        """
        return import_file(self._engine, Path(path), progress)

    def check(self) -> Health:
        """Compare rows and indexes with each other, and prove that a write works."""
        return self._engine.store.check()

    def scan(
        self,
        *,
        scope: str | None = None,
        fix: bool = False,
        personal: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> Scanned:
        """Look through what is stored for secrets; see :func:`hypermnesia.write.cleanse.scan`.

        Args:
            scope: only of its memories; ``None`` = the whole store.
            fix: mask what is found, for good, in texts, labels, indexes and the log.
            personal: also look for personal data.
            progress: called with the number of memories done since the last call.
        """
        from hypermnesia.write.cleanse import scan  # noqa: PLC0415 - used here only

        return scan(
            self._engine,
            _scoped(scope),
            personal=personal,
            fix=fix,
            progress=progress or (lambda _done: None),
        )

    def reindex(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Rebuild what is derived from the rows; re-embed after a change of encoder.

        Lexical search goes on meanwhile, and an interrupted run continues where it stopped.

        Args:
            progress: called with (done, total).

        Returns:
            How many memories were embedded.

        Raises:
            ModelError: the encoder does not answer; the store stays as it is.
        """
        from hypermnesia.engine import embed  # noqa: PLC0415 - used here only

        def vectors(texts: Sequence[str]) -> list[tuple[Any, bytes]]:
            return [(e.dense, e.tokens) for e in embed(self._engine.embedder, texts)]

        vectors(["probe"])  # an encoder that cannot answer must not become the store's own
        return self._engine.store.reindex(vectors, progress or (lambda _done, _total: None))

    def backup(self, path: str | Path, progress: Callable[[int, int], None] | None = None) -> None:
        """Copy the store, consistent as of one moment, while others read and write."""
        self._engine.store.backup(Path(path), progress or (lambda _done, _total: None))

    # --- reasoning corpus ----------------------------------------------------------

    def corpus_consent(self, given: bool | None = None, *, scope: str | None = None) -> Consent:
        """Let a scope's judgements be queued and leave, or no longer; off unless given.

        Withdrawn consent drops at once everything of the scope that is queued.

        Args:
            given: ``None`` = only tell what holds.
            scope: whose judgements.
        """
        from hypermnesia.corpus.consent import consent  # noqa: PLC0415 - used here only

        return consent(self._engine, self._within(scope), given)

    def corpus_stats(self, *, scope: str | None = None) -> CorpusStats:
        """What is queued, and what became of the rest; ``None`` = of all scopes."""
        from hypermnesia.corpus.consent import stats  # noqa: PLC0415 - used here only

        return stats(self._engine, _scoped(scope))

    def corpus_flush(
        self, *, scope: str | None = None, progress: Callable[[int], None] | None = None
    ) -> Flushed:
        """Hand over what is queued; see :func:`hypermnesia.corpus.flush.flush`.

        Args:
            scope: only its rows; ``None`` = those of every scope that agrees.
            progress: called with the number of rows done since the last call.

        Raises:
            Conflict: another process is at it.
            CorpusError: the folder or the hub did not take the rows; they stay queued.
        """
        from hypermnesia.corpus.flush import flush  # noqa: PLC0415 - used here only

        return flush(self._engine, _scoped(scope), progress=progress)

    def corpus_flush_due(self) -> Flushed | None:
        """Hand over what is queued if it is time; for a service to call now and then.

        Returns:
            ``None`` when nothing is due, or another process is at it.
        """
        from hypermnesia.corpus.flush import flush_due  # noqa: PLC0415 - used here only

        return flush_due(self._engine)

    def corpus_export(
        self,
        path: str | Path,
        *,
        scope: str | None = None,
        format: str | None = None,  # noqa: A002 - as ingest calls it
    ) -> Exported:
        """Write what is queued, or left and is kept, to a file; nothing in the queue changes.

        Args:
            path: the file.
            scope: only its rows; ``None`` = those of every scope that agrees.
            format: ``jsonl`` or ``parquet``; ``None`` = told from the file's name.

        Raises:
            CorpusError: the file cannot be written.
        """
        from hypermnesia.corpus.export import export_corpus  # noqa: PLC0415 - used here only
        from hypermnesia.engine import ROW_FORMATS, RowFormat  # noqa: PLC0415 - the same

        kind: RowFormat | None = None
        if format is not None:
            kind = validate.one_of(format, ROW_FORMATS, "format")
        return export_corpus(self._engine, Path(path), _scoped(scope), kind)

    # --- inside --------------------------------------------------------------------

    def _within(self, scope: str | None) -> str:
        return self._scope if scope is None else validate.scope(scope)

    def _evidence(self, query: str, k: int, filters: Mapping[str, Any]) -> list[Hit]:
        chosen: dict[str, Any] = {"levels": self._engine.context_levels, **filters}
        return self.search(query, k=k, **chosen)

    def _packed(self, hits: Sequence[Hit], budget: int) -> Context:
        """The hits in a context, with the texts that superseded some, and with dates resolved."""
        from hypermnesia.language.dates import annotate  # noqa: PLC0415 - used here only

        newer = list({hit.superseded_by for hit in hits if hit.superseded_by})
        found = self._engine.store.get(newer, hits[0].node.scope) if newer else []
        successors = {node.id: masked(node, self._engine.redact) for node in found}
        return pack(hits, budget, successors, annotate)

    def _chosen(
        self,
        ids: Sequence[str] | None,
        query: str | None,
        scope: str | None,
        min_similarity: float,
        *,
        forgotten: bool,
    ) -> list[str]:
        if (ids is not None) + (query is not None) > 1 or (ids, query, scope) == (None,) * 3:
            raise InvalidInput("forget takes ids, or a query, or a scope alone to empty it")
        if ids is not None:
            chosen = validate.identifiers(ids)
            return [
                existing(self._engine, value, _scoped(scope), forgotten=forgotten).id
                for value in chosen
            ]
        everything = ("active", "low_signal", "superseded")
        if query is not None:
            floor = validate.number(min_similarity, 0, 1, "min_similarity")
            where = Filter(self._within(scope), statuses=everything)
            return [node.id for node in alike(self._engine, validate.query(query), where, floor)]
        where = Filter(validate.scope(scope), statuses=everything)
        return [node.id for node in self._engine.store.iterate(where)]


def _scoped(scope: str | None) -> str | None:
    return None if scope is None else validate.scope(scope)
