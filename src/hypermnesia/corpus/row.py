"""A judgement as a row of the corpus: the published schema, with everything secret masked.

What leaves is treated as public. So names that callers gave (scopes, tags, sources, ids of users,
agents, sessions and turns) never get into a row: a scope and a set of tags stand there under a
disguise that only this store makes alike, and a source only if it is one of our own.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from hypermnesia.corpus.judgement import Judgement
from hypermnesia.identity import new_id
from hypermnesia.judge.questions import TEXT_LIMIT, wire
from hypermnesia.privacy import examine
from hypermnesia.store.outbox import Queued
from hypermnesia.types import Node

log = logging.getLogger("hypermnesia")

COLUMNS = (
    "id", "use_case", "instruct_type", "instruction", "input", "output", "state", "questions",
    "answers", "provider", "model", "scope", "memory_id", "source", "tag_id", "created_at",
)  # fmt: skip
"""Fields of a row, in the order of the published schema."""
SOURCES = frozenset(("ingest", "mcp", "rest"))
"""Sources that this package gives; any other is a caller's own text and is left out."""

_UUID = r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
_DISGUISE = r"[0-9a-f]{16}"
_OURS = {
    "id": _UUID,
    "use_case": "analyze|rerank|supersede",
    "instruct_type": r"(?:choice|noul|score)(?:\+(?:choice|noul|score))*",
    "provider": r"\w{1,40}",
    "model": r"[\w .:/@+-]{0,200}",
    "scope": _DISGUISE,
    "memory_id": _UUID,
    "source": "|".join(sorted(SOURCES)),
    "tag_id": _DISGUISE,
    "created_at": r"[0-9T:.+-]{19,40}",
}
_ODD = re.compile(r"[^\w .:/@+-]")
"""What a model's name may hold elsewhere, and not here."""
IDENTITY: Mapping[str, re.Pattern[str]] = {
    name: re.compile(pattern) for name, pattern in _OURS.items()
}
"""Fields that are not searched for secrets, because each can only look like this (or be null)."""


def row_of(
    judgement: Judgement, scope: str, *, model: str, salt: str, about: Node | None
) -> Queued:
    """A judgement ready to be queued.

    Args:
        judgement: of memories of the scope.
        scope: whose consent it rests on.
        model: name of the model that answered.
        salt: the store's own, see :meth:`~hypermnesia.store.outbox.OutboxReader.corpus_salt`.
        about: the memory that was judged, where its row is at hand.
    """
    row_id, now = new_id(), datetime.now(UTC)
    try:
        row = {
            "id": row_id,
            **_asked(judgement),
            "provider": judgement.backend,
            "model": _ODD.sub("_", model)[:200],
            **_origin(judgement, scope, salt, about),
            "created_at": now.isoformat(),
        }
        body = _encoded({name: row[name] for name in COLUMNS})
    except Exception as error:  # noqa: BLE001 - fail closed: it must cost neither secret nor memory
        # The kind of error alone: its message may quote what could not be redacted.
        log.warning("a corpus row could not be redacted: %s; it is left out", type(error).__name__)
        body = None
    return Queued(row_id, scope, judgement.use_case, judgement.memories, now, body)


def faults(row: Mapping[str, Any]) -> tuple[str, ...]:
    """What keeps a row from leaving: rules that find something in it, fields not as they must be.

    Never what was found. A row that cannot be searched does not leave either.
    """
    try:
        return _faults(row)
    except Exception as error:  # noqa: BLE001 - fail closed, whatever goes wrong in the search
        log.warning("a corpus row could not be searched for secrets: %s", type(error).__name__)
        return ("unreadable",)


def _faults(row: Mapping[str, Any]) -> tuple[str, ...]:
    odd = [
        f"field {name}"
        for name, pattern in IDENTITY.items()
        if row[name] is not None
        and not (isinstance(row[name], str) and pattern.fullmatch(row[name]))
    ]
    return (*odd, *sorted(examine(row, personal=True, identity=IDENTITY).rules))


def is_whole(row_id: str, body: str) -> bool:
    """Whether a row is what it was queued as: one line, an object of the columns, its own id."""
    try:
        row = json.loads(body)
    except (ValueError, RecursionError):
        return False
    whole = isinstance(row, dict) and set(row) == set(COLUMNS) and row["id"] == row_id
    return whole and "\n" not in body


def disguised(name: str, salt: str) -> str:
    """A stand-in for a name: the same for the same name in one store, telling nothing of it."""
    return hmac.new(salt.encode(), name.encode(), hashlib.sha256).hexdigest()[:16]


def _asked(judgement: Judgement) -> dict[str, Any]:
    """Questions and answers as objects and as text; whatever callers said in them is masked.

    That stands in the state alone, and once only: its text is made of what was masked.
    """
    block = judgement.block(_whole(judgement.texts))
    questions = {key: wire(question) for key, question in block.questions.items()}
    state = examine(block.state, personal=True).value
    return {
        "use_case": judgement.use_case,
        "instruct_type": "+".join(dict.fromkeys(q["type"] for q in questions.values())),
        "instruction": "\n".join(f"{key}: {q['instructions']}" for key, q in questions.items()),
        "input": _encoded(state),
        "output": _encoded(judgement.answers),
        "state": state,
        "questions": questions,
        "answers": dict(judgement.answers),
    }


def _origin(judgement: Judgement, scope: str, salt: str, about: Node | None) -> dict[str, Any]:
    """Where a judgement comes from, without a name that a caller gave."""
    subject = judgement.subject
    tags = () if about is None else about.tags
    source = None if about is None else about.provenance.source
    return {
        "scope": disguised(f"scope {scope}", salt),
        "memory_id": subject if subject and IDENTITY["memory_id"].fullmatch(subject) else None,
        "source": source if source in SOURCES else None,
        "tag_id": disguised(f"tags {sorted(tags)}", salt) if tags else None,
    }


def _whole(texts: Sequence[str]) -> Sequence[str]:
    """Texts that may be clipped: what a cut leaves of a secret, no rule would know."""
    if all(len(text) <= TEXT_LIMIT for text in texts):
        return texts
    return examine(list(texts), personal=True).value


def _encoded(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    text.encode()  # half a character cannot be stored, and must fail here
    return text
