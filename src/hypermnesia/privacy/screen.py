"""What may be stored, and in which words: the one door of every text that is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

from hypermnesia.errors import Refused
from hypermnesia.privacy.refuse import guard
from hypermnesia.privacy.walk import examine

StoredSecrets: TypeAlias = Literal["refuse", "redact", "keep"]
"""What becomes of a secret that does not open an account by itself (such a one is refused)."""


@dataclass(frozen=True, slots=True)
class Screened:
    """A text with its labels as they may be stored.

    Attributes:
        redacted: names of the rules whose findings were masked, sorted.
    """

    content: str
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    redacted: tuple[str, ...]


def screen(
    content: str,
    tags: tuple[str, ...] = (),
    metadata: Mapping[str, Any] | None = None,
    *,
    secrets: StoredSecrets,
) -> Screened:
    """Refuse what is prohibited, and deal with other secrets as the policy says.

    See :func:`masked`.

    Raises:
        Refused: content, a tag or the metadata holds prohibited material, or, with ``refuse``,
            any secret; the error names the rule, never the value.
    """
    labels = {} if metadata is None else metadata
    guard(content)
    guard_labels(tags, labels)
    return masked(content, tags, labels, secrets=secrets)


def guard_labels(tags: Iterable[str], metadata: Mapping[str, Any]) -> None:
    """Refuse prohibited material hidden in labels or metadata.

    Raises:
        Refused: a tag, a metadata name or a value inside it matches a rule.
    """
    for text in (*tags, *strings(metadata)):
        guard(text)


def masked(
    content: str, tags: tuple[str, ...], labels: Mapping[str, Any], *, secrets: StoredSecrets
) -> Screened:
    """Deal with the secrets of what is not prohibited as the policy says.

    Only findings of sure rules count: a password that is assigned, a JWT, a password in a URL.
    A secret told in a sentence ("the door code is ...") is stored, because it may be the very
    thing to remember, and masked at recall.

    Raises:
        Refused: with ``refuse``, any secret.
    """
    if secrets == "keep":
        return Screened(content, tags, labels, ())
    # One walk over all of it: a secret found in the text is masked in a tag as well.
    found = examine([content, list(tags), dict(labels)], sure=True)
    if not found.rules:
        return Screened(content, tags, labels, ())
    names = tuple(sorted(found.rules))
    if secrets == "refuse":
        raise Refused(
            names[0],
            f"Refused: the content holds a secret ({', '.join(names)}) and was not stored, because"
            " the setting `secrets` is `refuse`. Leave the secret out, or set it to `redact`.",
        )
    text, marked, data = found.value
    return Screened(text, tuple(dict.fromkeys(marked)), data, names)


def strings(value: Any) -> Iterator[str]:
    """Every text in a JSON-like value, names of fields included."""
    match value:
        case str():
            yield value
        case Mapping():
            for name, inner in cast("Mapping[Any, Any]", value).items():
                yield str(name)
                yield from strings(inner)
        case list():
            for inner in cast("Iterable[Any]", value):
                yield from strings(inner)
        case _:
            return
