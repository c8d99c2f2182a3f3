-- What a service on this store keeps. Times are microseconds since 1970 in UTC.

CREATE TABLE job (
    id         text COLLATE "C" PRIMARY KEY,
    kind       text NOT NULL,
    scope      text,
    principal  text NOT NULL,
    state      text NOT NULL CHECK (state IN
                   ('queued', 'running', 'cancelling', 'done', 'failed', 'cancelled')),
    done       bigint NOT NULL DEFAULT 0,
    total      bigint,
    attempts   integer NOT NULL DEFAULT 0,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    worker     text,
    lease      bigint,
    payload    bytea,
    result     text,
    error      text
);
CREATE INDEX job_by_state ON job (state, id);

-- Answers to requests that carried an idempotency key; status is null while one is under way.
CREATE TABLE reply (
    key    text PRIMARY KEY,
    digest bytea NOT NULL,
    status integer,
    body   bytea NOT NULL DEFAULT '',
    until  bigint NOT NULL
);
CREATE INDEX reply_by_time ON reply (until);
