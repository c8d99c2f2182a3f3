-- What a service on this store keeps. Times are microseconds since 1970 in UTC.

CREATE TABLE job (
    id         TEXT PRIMARY KEY,
    kind       TEXT NOT NULL,
    scope      TEXT,
    principal  TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN
                   ('queued', 'running', 'cancelling', 'done', 'failed', 'cancelled')),
    done       INTEGER NOT NULL DEFAULT 0,
    total      INTEGER,
    attempts   INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    worker     TEXT,
    lease      INTEGER,
    payload    BLOB,
    result     TEXT,
    error      TEXT
) WITHOUT ROWID;
CREATE INDEX job_by_state ON job (state, id);

-- Answers to requests that carried an idempotency key; status is null while one is under way.
CREATE TABLE reply (
    key    TEXT PRIMARY KEY,
    digest BLOB NOT NULL,
    status INTEGER,
    body   BLOB NOT NULL DEFAULT x'',
    until  INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX reply_by_time ON reply (until);
