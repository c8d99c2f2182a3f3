-- Who may use a service on this store, and how much. Times are microseconds since 1970 in UTC.
-- Secrets are never here: a credential is known by the SHA-256 of its 256 random bits, a password
-- by its Argon2 hash. Only the seed of one-time passwords has to be kept as it is.

CREATE TABLE account (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,
    admin      INTEGER NOT NULL DEFAULT 0 CHECK (admin IN (0, 1)),
    scopes     TEXT NOT NULL DEFAULT '[]',
    plan       TEXT,
    allowance  INTEGER CHECK (allowance >= 0),
    password   TEXT,
    totp       TEXT,
    totp_step  INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    disabled   INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1))
);

-- A family is what one authorization led to: its code, its refresh token, its access tokens.
CREATE TABLE credential (
    id         TEXT PRIMARY KEY,
    digest     BLOB NOT NULL UNIQUE,
    kind       TEXT NOT NULL CHECK (kind IN
                   ('api', 'session', 'setup', 'code', 'access', 'refresh')),
    account    TEXT REFERENCES account (id) ON DELETE CASCADE,
    label      TEXT NOT NULL DEFAULT '',
    prefix     TEXT NOT NULL DEFAULT '',
    scopes     TEXT NOT NULL DEFAULT '[]',
    read_only  INTEGER NOT NULL DEFAULT 0 CHECK (read_only IN (0, 1)),
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    used_at    INTEGER,
    revoked_at INTEGER,
    family     TEXT,
    client     TEXT,
    detail     TEXT NOT NULL DEFAULT '{}',
    CHECK (kind = 'setup' OR account IS NOT NULL),
    CHECK (kind = 'api' OR expires_at IS NOT NULL)
) WITHOUT ROWID;
CREATE INDEX credential_by_account ON credential (account, kind);
CREATE INDEX credential_by_family ON credential (family) WHERE family IS NOT NULL;
CREATE INDEX credential_by_expiry ON credential (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE oauth_client (
    id         TEXT PRIMARY KEY,
    metadata   TEXT NOT NULL,
    created_at INTEGER NOT NULL
) WITHOUT ROWID;

-- One row an account: the counter begins anew with the first request of a later window.
CREATE TABLE quota (
    account TEXT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    began   INTEGER NOT NULL,
    used    INTEGER NOT NULL CHECK (used >= 0)
) WITHOUT ROWID;

CREATE TABLE quota_notice (
    account      TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    began        INTEGER NOT NULL,
    percent      INTEGER NOT NULL,
    at           INTEGER NOT NULL,
    delivered_at INTEGER,
    PRIMARY KEY (account, began, percent)
) WITHOUT ROWID;

-- Requests a day, counted by what was asked for.
CREATE TABLE usage (
    account TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    day     INTEGER NOT NULL,
    action  TEXT NOT NULL,
    allowed INTEGER NOT NULL DEFAULT 0,
    refused INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (account, day, action)
) WITHOUT ROWID;

-- Who did what and when; never the content. Outlives the accounts that it names.
CREATE TABLE audit (
    key     INTEGER PRIMARY KEY,
    at      INTEGER NOT NULL,
    actor   TEXT NOT NULL,
    via     TEXT NOT NULL,
    action  TEXT NOT NULL,
    target  TEXT NOT NULL,
    outcome TEXT NOT NULL
);
CREATE INDEX audit_by_time ON audit (at);
