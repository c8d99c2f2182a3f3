-- Talk: where turns stand in their conversations, and which days a memory speaks of.

CREATE TABLE session (
    id    INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL REFERENCES scope (id),
    name  TEXT NOT NULL,
    UNIQUE (scope, name)
);

-- Ordered by place, so that a turn's neighbours lie beside it.
CREATE TABLE turn (
    session  INTEGER NOT NULL REFERENCES session (id),
    position INTEGER NOT NULL CHECK (position >= 0),
    memory   INTEGER NOT NULL UNIQUE REFERENCES memory (key),
    speaker  TEXT NOT NULL,
    PRIMARY KEY (session, position)
) WITHOUT ROWID;

-- Both ends included, as days of the proleptic Gregorian calendar: 1 is 1 January of year 1.
CREATE TABLE day (
    memory INTEGER NOT NULL REFERENCES memory (key),
    first  INTEGER NOT NULL,
    last   INTEGER NOT NULL,
    PRIMARY KEY (memory, first, last),
    CHECK (1 <= first AND first <= last AND last <= 3652059)
) WITHOUT ROWID;

-- The hypergraph. Keys belong to one scope each: both ends of a row lie in the same one, which
-- writes enforce, reads ask for and the check looks at. (A leading scope column would tempt the
-- query planner into walking through the whole scope for every row.)

CREATE TABLE source (
    fact INTEGER NOT NULL REFERENCES memory (key),
    turn INTEGER NOT NULL REFERENCES memory (key),
    PRIMARY KEY (fact, turn)
) WITHOUT ROWID;
CREATE INDEX source_by_turn ON source (turn);

CREATE TABLE member (
    head   INTEGER NOT NULL REFERENCES memory (key),
    node   INTEGER NOT NULL REFERENCES memory (key),
    role   TEXT NOT NULL,
    weight REAL NOT NULL CHECK (weight BETWEEN 0 AND 1),
    PRIMARY KEY (head, node),
    CHECK (head <> node)
) WITHOUT ROWID;
CREATE INDEX member_by_node ON member (node);
