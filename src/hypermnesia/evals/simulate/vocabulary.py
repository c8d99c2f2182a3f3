"""Names that the simulated agent works with, and phrases for what it does to files."""

from __future__ import annotations

PROJECTS = (
    "Heron", "Larkspur", "Basalt", "Quince", "Tundra", "Marlin",
    "Saffron", "Obelisk", "Juniper", "Kestrel", "Verbena", "Cobalt",
)  # fmt: skip
COMPONENTS = (
    "exporter", "importer", "scheduler", "notifier", "thumbnailer", "ledger", "indexer",
    "audit trail", "coupon engine", "geocoder", "mailer", "report builder", "sync agent",
    "upload gateway", "session store", "quota meter", "label printer", "webhook relay",
    "archive", "translator", "price calculator", "form validator", "chat widget", "map tiles",
)  # fmt: skip
PEOPLE = (
    "Anneke", "Bastian", "Carmen", "Dilara", "Emeka", "Fiona", "Goran", "Hiroshi", "Ingrid",
    "Jonas", "Katya", "Lorenzo", "Mei", "Noor",
)  # fmt: skip
FOLDERS = ("services", "packages", "apps", "libs", "internal")
MODULES = (
    "retry", "retry_policy", "client", "client_pool", "session", "session_cleanup", "schema",
    "schema_diff", "tokens", "token_refresh", "queue", "queue_drain", "router", "limits",
    "parser", "parser_state", "cache", "cache_keys", "hooks", "metrics", "locks", "upload",
)  # fmt: skip
SUFFIXES = ("py", "ts", "go", "rs", "sql", "yaml")
VERBS = ("flush", "merge", "resolve", "acquire", "rewind", "decode", "rotate", "compact")
OBJECTS = ("Batch", "Cursor", "Lease", "Snapshot", "Header", "Manifest", "Window", "Segment")
PURPOSES = (
    "the backoff between attempts", "the mapping of old to new columns", "cleaning up stale rows",
    "the handshake with the partner", "the order in which jobs start", "splitting large payloads",
    "checks of the signature", "the merge of duplicate contacts", "the switch for the new layout",
    "counting what a tenant uses", "all rules for discounts", "how partial results are joined",
)  # fmt: skip
SYMPTOMS = (
    "hung on empty input", "returned rows twice", "swallowed the first error",
    "ignored the deadline", "wrote to the wrong folder", "lost the last chunk",
    "refused valid addresses", "kept the lock after a crash", "leaked a connection",
    "sorted umlauts last", "rounded half a cent down", "skipped leap days",
)  # fmt: skip
CURES = (
    "a guard at the top was enough", "the loop now ends on None", "we raise instead of logging",
    "a context manager closes it", "the comparison uses casefold", "it reads the clock once",
    "the query got a DISTINCT", "the path is resolved first", "retries are bounded",
    "an off-by-one in the slice", "the default is explicit now", "a fsync was missing",
)  # fmt: skip
