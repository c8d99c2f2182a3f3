-- The reasoning corpus: scopes that agreed to it, and redacted rows that wait to leave.

CREATE TABLE consent (
    scope INTEGER PRIMARY KEY REFERENCES scope (id),
    since INTEGER NOT NULL
);

-- A batch is here from the moment its rows are chosen until they have left.
CREATE TABLE outbox_batch (
    key  INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

CREATE TABLE outbox (
    key        INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    scope      INTEGER NOT NULL REFERENCES scope (id),
    use_case   TEXT NOT NULL CHECK (use_case IN ('analyze', 'rerank', 'supersede')),
    state      TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'uploaded', 'error')),
    reason     TEXT,
    batch      INTEGER REFERENCES outbox_batch (key) ON DELETE SET NULL,
    created_at INTEGER NOT NULL,
    body       TEXT NOT NULL
);
CREATE INDEX outbox_by_state ON outbox (state, key);
CREATE INDEX outbox_by_scope ON outbox (scope, use_case, state);
CREATE INDEX outbox_by_batch ON outbox (batch) WHERE batch IS NOT NULL;

-- Whose words a row holds: it goes when one of them is erased.
CREATE TABLE outbox_memory (
    memory INTEGER NOT NULL REFERENCES memory (key),
    row    INTEGER NOT NULL REFERENCES outbox (key) ON DELETE CASCADE,
    PRIMARY KEY (memory, row)
) WITHOUT ROWID;
CREATE INDEX outbox_memory_by_row ON outbox_memory (row);

CREATE TABLE outbox_total (
    scope    INTEGER NOT NULL REFERENCES scope (id),
    use_case TEXT NOT NULL,
    outcome  TEXT NOT NULL CHECK (outcome IN ('uploaded', 'unredacted', 'dropped')),
    rows     INTEGER NOT NULL,
    PRIMARY KEY (scope, use_case, outcome)
) WITHOUT ROWID;

-- At most one row: who may empty the queue, and until when.
CREATE TABLE outbox_lease (
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    holder TEXT NOT NULL,
    until  INTEGER NOT NULL
);

INSERT INTO setting (name, value) VALUES ('corpus_salt', lower(hex(randomblob(16))));
