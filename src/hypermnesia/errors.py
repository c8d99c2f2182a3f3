"""Every exception Hypermnesia raises on purpose.

::

    HypermnesiaError
    ├── InvalidInput          a value the caller passed cannot be used
    ├── Refused               the content is prohibited and was not stored
    ├── NotFound              no memory has this id in this scope
    ├── Conflict              the change contradicts the state of the memory
    │   └── Outdated          the memory changed since the caller read it
    ├── StoreError            the store cannot be opened, read or written
    │   ├── StoreBusy         another process held the write lock too long
    │   ├── StoreReadOnly     the store may be read but not written
    │   ├── StoreVersion      the file was written by a newer Hypermnesia
    │   └── StoreCorrupt      the file is not, or no longer, a sound store
    ├── EncoderMismatch       the store was embedded by another encoder
    ├── ModelError            a model is missing, damaged or misconfigured
    ├── JudgeError            a judge answered badly, late or not at all
    ├── CorpusError           judgements could not be handed over; they stay queued
    ├── AccessError           a service does not do this for this caller
    │   ├── Unauthenticated   it is not known who calls
    │   ├── Forbidden         the caller is known and may not do this
    │   └── LimitReached      a quota or rate is used up for now
    └── ServiceError          a service is out of reach, overloaded or answered nonsense
        └── TimedOut          it took longer than allowed, and may still be at it

A message says what was wrong, where, and what to do. None ever holds a secret
or the content of a memory.
"""

from __future__ import annotations


class HypermnesiaError(Exception):
    """The root: catch this to catch everything the package raises on purpose."""


class InvalidInput(HypermnesiaError, ValueError):
    """A value the caller passed cannot be used."""


class Refused(HypermnesiaError):
    """The content is prohibited and nothing was stored.

    Attributes:
        rule: name of the refusal rule that matched; never the matched value.
    """

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule


class NotFound(HypermnesiaError, LookupError):
    """No memory has this id (in this scope, when one was given)."""


class Conflict(HypermnesiaError):
    """The requested change contradicts the state of the memory."""


class Outdated(Conflict):
    """The memory changed since the caller read it; read it again."""


class StoreError(HypermnesiaError):
    """The store cannot be opened, read or written."""


class StoreBusy(StoreError):
    """Another process held the write lock longer than the configured wait."""


class StoreReadOnly(StoreError):
    """The store may be read but not written."""


class StoreVersion(StoreError):
    """The file was written by a newer version and is left untouched."""


class StoreCorrupt(StoreError):
    """The file is not a Hypermnesia store, or is damaged."""


class EncoderMismatch(HypermnesiaError):
    """The store's vectors come from another encoder than the configured one."""


class ModelError(HypermnesiaError):
    """A model file is missing, damaged or misconfigured."""


class JudgeError(HypermnesiaError):
    """A judge answered badly, late or not at all."""


class AccessError(HypermnesiaError):
    """A service does not do this for this caller."""


class Unauthenticated(AccessError):
    """It is not known who calls: a credential is missing, unknown, expired or revoked."""


class Forbidden(AccessError):
    """The caller is known and may not do this."""


class LimitReached(AccessError):
    """A quota or a rate is used up for now.

    Attributes:
        retry_after: seconds until it is worth asking again.
    """

    def __init__(self, message: str, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ServiceError(HypermnesiaError):
    """A service is out of reach, overloaded, or answered what no service of this kind does."""


class CorpusError(HypermnesiaError):
    """Judgements could not be handed over; they stay queued."""


class TimedOut(ServiceError):
    """It took longer than allowed. A write may still complete."""
