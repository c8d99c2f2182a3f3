"""What a caller wants remembered, checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, field
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from hypermnesia import validate
from hypermnesia.privacy import StoredSecrets, guard, guard_labels, masked
from hypermnesia.serial import provenance_from
from hypermnesia.store.text import content_hash
from hypermnesia.types import MEMORY_TYPES, Level, MemoryType, Provenance


@dataclass(frozen=True, slots=True)
class Draft:
    """A memory before it is judged.

    Attributes:
        at: event time; ``None`` = now.
        memory_type: type the caller insists on; ``None`` = the judge decides.
        pin: keep it active whatever its salience.
        redacted: rules whose findings were masked.
        hash: identity of the text within its scope, worked out once.
    """

    content: str
    scope: str
    level: Level = "fact"
    at: datetime | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    memory_type: MemoryType | None = None
    pin: bool = False
    provenance: Provenance = field(default_factory=Provenance)
    redacted: tuple[str, ...] = ()
    hash: bytes = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "hash", content_hash(self.scope, self.content))


def draft(
    content: object,
    *,
    scope: str,
    at: datetime | date | str | None = None,
    tags: Iterable[str] | str | None = None,
    metadata: Mapping[str, Any] | None = None,
    memory_type: str | None = None,
    pin: bool = False,
    provenance: Mapping[str, str | None] | None = None,
    secrets: StoredSecrets = "redact",
) -> Draft:
    """Refuse what is prohibited, check everything else, and mask secrets.

    Raises:
        Refused: the content, scope, provenance, a tag or the metadata holds prohibited material,
            or a secret that the policy refuses.
        InvalidInput: a value cannot be used; the message says which and why.
    """
    text = validate.content(content)
    guard(text)
    kind: MemoryType | None = None
    if memory_type is not None:
        kind = validate.one_of(memory_type, MEMORY_TYPES, "type")
    labels = validate.tags(tags), validate.metadata(metadata)
    guard_labels(*labels)
    screened = masked(text, *labels, secrets=secrets)
    checked = Draft(
        content=screened.content,
        scope=validate.scope(scope),
        at=validate.moment(at, "at"),
        tags=screened.tags,
        metadata=screened.metadata,
        memory_type=kind,
        pin=bool(pin),
        provenance=Provenance() if provenance is None else provenance_from(provenance),
        redacted=screened.redacted,
    )
    _guard_scope(checked.scope)
    if provenance is not None:
        guard_labels(filter(None, astuple(checked.provenance)), {})
    return checked


@lru_cache(maxsize=1024)
def _guard_scope(scope: str) -> None:
    """Refuse prohibited material in a scope's name; one that passed passes again."""
    guard(scope)
