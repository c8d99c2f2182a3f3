-- Times are microseconds since 1970 in UTC, each beside the offset in seconds its author gave.

CREATE TABLE setting (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- One row. Every write transaction takes the next number and stamps the memories it
-- changes with it, so that any process can tell what its caches have missed.
CREATE TABLE change_sequence (
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    value INTEGER NOT NULL
);
INSERT INTO change_sequence (id, value) VALUES (1, 0);

CREATE TABLE scope (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

CREATE TABLE encoder (
    id        INTEGER PRIMARY KEY,
    identity  TEXT NOT NULL UNIQUE,
    dimension INTEGER NOT NULL
);

CREATE TABLE memory (
    key                INTEGER PRIMARY KEY,
    id                 TEXT NOT NULL UNIQUE,
    scope              INTEGER NOT NULL REFERENCES scope (id),
    level              TEXT NOT NULL CHECK (level IN ('turn', 'fact', 'episode', 'topic')),
    content            TEXT NOT NULL,
    hash               BLOB,
    memory_type        TEXT NOT NULL CHECK (memory_type IN (
                           'fact', 'preference', 'decision', 'project',
                           'solution', 'architecture', 'conversation')),
    tags               TEXT NOT NULL DEFAULT '[]',
    metadata           TEXT NOT NULL DEFAULT '{}',
    salience           REAL CHECK (salience BETWEEN 0 AND 4),
    durable            REAL CHECK (durable BETWEEN 0 AND 1),
    status             TEXT NOT NULL CHECK (status IN (
                           'active', 'low_signal', 'superseded', 'deleted')),
    superseded_by      TEXT,
    valid_from         INTEGER NOT NULL,
    valid_from_offset  INTEGER NOT NULL,
    valid_until        INTEGER,
    valid_until_offset INTEGER,
    created_at         INTEGER NOT NULL,
    created_at_offset  INTEGER NOT NULL,
    updated_at         INTEGER NOT NULL,
    updated_at_offset  INTEGER NOT NULL,
    provenance         TEXT NOT NULL DEFAULT '{}',
    judge              TEXT NOT NULL,
    degraded           INTEGER NOT NULL DEFAULT 0,
    pinned             INTEGER NOT NULL DEFAULT 0,
    changed            INTEGER NOT NULL,
    CHECK ((status = 'deleted') = (hash IS NULL)),
    CHECK (status <> 'superseded' OR superseded_by IS NOT NULL)
);
-- A text lives once in a scope; its superseded versions stay as the chain's history.
CREATE UNIQUE INDEX memory_by_text ON memory (scope, hash)
    WHERE status IN ('active', 'low_signal');
CREATE INDEX memory_by_hash ON memory (scope, hash) WHERE status = 'superseded';
CREATE INDEX memory_by_change ON memory (scope, changed);
CREATE INDEX memory_by_time ON memory (scope, valid_from, key);
CREATE INDEX memory_by_successor ON memory (superseded_by) WHERE superseded_by IS NOT NULL;

-- The indexed form of tags (field 'tags') and of metadata (field 'metadata.NAME', value as JSON).
CREATE TABLE label (
    scope  INTEGER NOT NULL REFERENCES scope (id),
    field  TEXT NOT NULL,
    value  TEXT NOT NULL,
    memory INTEGER NOT NULL REFERENCES memory (key),
    PRIMARY KEY (scope, field, value, memory)
) WITHOUT ROWID;
CREATE INDEX label_by_memory ON label (memory);

-- Kept apart from memory so that counting a recall never touches the row or its indexes.
CREATE TABLE access (
    memory INTEGER PRIMARY KEY REFERENCES memory (key),
    count  INTEGER NOT NULL,
    last   INTEGER NOT NULL
);

-- dense: float16, one row per window of the text; tokens: compressed token vectors.
CREATE TABLE vectors (
    memory  INTEGER PRIMARY KEY REFERENCES memory (key),
    encoder INTEGER NOT NULL REFERENCES encoder (id),
    dense   BLOB NOT NULL,
    tokens  BLOB NOT NULL
);
CREATE INDEX vectors_by_encoder ON vectors (encoder);

-- scope holds one made-up term per scope, so that a match never leaves it.
CREATE VIRTUAL TABLE lexical USING fts5 (
    scope, terms, labels,
    content = '', contentless_delete = 1,
    tokenize = "porter unicode61 remove_diacritics 2 categories 'L* M* N* Co' tokenchars '_'"
);
-- Forgotten terms leave the index at once instead of at its next merge.
INSERT INTO lexical (lexical, rank) VALUES ('secure-delete', 1);

CREATE TABLE event (
    key    INTEGER PRIMARY KEY,
    at     INTEGER NOT NULL,
    kind   TEXT NOT NULL CHECK (kind IN (
               'add', 'update', 'supersede', 'restore', 'forget', 'search', 'import')),
    scope  INTEGER NOT NULL REFERENCES scope (id),
    memory TEXT,
    detail TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX event_by_memory ON event (memory) WHERE memory IS NOT NULL;
CREATE INDEX event_by_kind ON event (kind, key);
