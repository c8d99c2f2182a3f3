-- Talk: where turns stand in their conversations, and which days a memory speaks of.

CREATE SEQUENCE session_key AS bigint;

CREATE TABLE session (
    scope bigint NOT NULL REFERENCES scope (id),
    id    bigint NOT NULL DEFAULT nextval('session_key'),
    name  text COLLATE "C" NOT NULL,
    PRIMARY KEY (scope, id),
    UNIQUE (scope, name)
);

CREATE TABLE turn (
    scope    bigint NOT NULL,
    session  bigint NOT NULL,
    position bigint NOT NULL CHECK (position >= 0),
    memory   bigint NOT NULL,
    speaker  text NOT NULL,
    PRIMARY KEY (scope, session, position),
    UNIQUE (scope, memory),
    FOREIGN KEY (scope, session) REFERENCES session (scope, id),
    FOREIGN KEY (scope, memory) REFERENCES memory (scope, key)
);

-- Both ends included, as days of the proleptic Gregorian calendar: 1 is 1 January of year 1.
CREATE TABLE day (
    scope  bigint NOT NULL,
    memory bigint NOT NULL,
    first  integer NOT NULL,
    last   integer NOT NULL,
    PRIMARY KEY (scope, memory, first, last),
    CHECK (1 <= first AND first <= last AND last <= 3652059),
    FOREIGN KEY (scope, memory) REFERENCES memory (scope, key)
);

-- The hypergraph. That both ends of a row lie in one scope is part of its keys.

CREATE TABLE source (
    scope bigint NOT NULL,
    fact  bigint NOT NULL,
    turn  bigint NOT NULL,
    PRIMARY KEY (scope, fact, turn),
    FOREIGN KEY (scope, fact) REFERENCES memory (scope, key),
    FOREIGN KEY (scope, turn) REFERENCES memory (scope, key)
);
CREATE INDEX source_by_turn ON source (scope, turn);

CREATE TABLE member (
    scope  bigint NOT NULL,
    head   bigint NOT NULL,
    node   bigint NOT NULL,
    role   text NOT NULL,
    weight double precision NOT NULL CHECK (weight BETWEEN 0 AND 1),
    PRIMARY KEY (scope, head, node),
    CHECK (head <> node),
    FOREIGN KEY (scope, head) REFERENCES memory (scope, key),
    FOREIGN KEY (scope, node) REFERENCES memory (scope, key)
);
CREATE INDEX member_by_node ON member (scope, node);
