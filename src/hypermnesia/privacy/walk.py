"""Masking of secrets in JSON-like values."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

from hypermnesia.privacy.credentials import RULE as CREDENTIAL
from hypermnesia.privacy.credentials import is_secret_under
from hypermnesia.privacy.redact import Known, redact
from hypermnesia.privacy.scan import MASK, MASKED, compiled

DEEPEST = 32
"""Levels of nesting that are walked, JSON texts included; what lies deeper is masked whole."""
MOST_SECRETS = 256
"""Secrets of one object that are looked for elsewhere in it; bounds the work on hostile rows."""
_TOO_DEEP = MASK.format(rule="too-deep")


def redact_object(value: Any, personal: bool = False, *, identity: Collection[str] = ()) -> Any:
    """A copy of a JSON-like value in which every secret is masked.

    Strings and keys are masked as :func:`~hypermnesia.privacy.redact` does, JSON inside a
    string is walked too, and a value is also judged by the key it stands under. A secret that
    is found once is masked wherever else it occurs. Numbers under a key such as ``pin`` become
    a mask; every other value that is no text, mapping or sequence is kept.

    Args:
        value: mappings, sequences, strings, numbers; nested at most ``DEEPEST`` levels.
        personal: also mask personal data.
        identity: keys of the outermost mapping whose values are kept as they are. Deeper
            keys of the same names are walked: a secret must not hide under ``model``.
    """
    return examine(value, personal, identity=identity).value


@dataclass(frozen=True, slots=True)
class Examined:
    """A JSON-like value with its secrets masked.

    Attributes:
        rules: how often each rule found something.
    """

    value: Any
    rules: Mapping[str, int]


def examine(
    value: Any, personal: bool = False, *, identity: Collection[str] = (), sure: bool = False
) -> Examined:
    """Mask every secret of a JSON-like value, and say what was found.

    Args:
        value: see :func:`redact_object`.
        personal: also mask personal data.
        identity: see :func:`redact_object`.
        sure: only what is certain enough to change a stored text for good.
    """
    walk = _Walk(personal, sure=sure)
    once = walk.outermost(value, identity)
    if not walk.secrets:
        return Examined(once, walk.counts)
    again = walk.again()
    twice = again.outermost(once, identity)
    return Examined(twice, walk.counts + again.counts)


class _Walk:
    """One pass over a value; the first collects the secrets, the second looks for them."""

    def __init__(self, personal: bool, known: Known | None = None, *, sure: bool = False) -> None:
        self.personal = personal
        self.known = known
        self.sure = sure
        self.secrets: dict[str, str] = {}
        self.counts = Counter[str]()
        self.within = set[int]()

    def again(self) -> _Walk:
        """The second pass: the secrets of the first are looked for everywhere."""
        known = Known.of(dict(islice(self.secrets.items(), MOST_SECRETS)))
        return _Walk(self.personal, known, sure=self.sure)

    def outermost(self, value: Any, identity: Collection[str]) -> Any:
        """The whole value; ``identity`` names the keys to leave alone."""
        if isinstance(value, Mapping):
            self.within.add(id(value))
            return self.mapping(cast("Mapping[Any, Any]", value), 0, identity)
        return self.value(value, 0)

    def text(self, text: str, depth: int) -> str:
        """A string, or the JSON in it."""
        nested = _parsed(text)
        if nested is not None:
            walked = self.value(nested, depth + 1)
            return text if walked == nested else json.dumps(walked, ensure_ascii=False)
        redaction = redact(text, self.personal, known=self.known, sure=self.sure)
        for finding in redaction.findings:
            self.secrets.setdefault(text[finding.start : finding.end], finding.rule)
            self.counts[finding.rule] += 1
        return redaction.text

    def value(self, value: Any, depth: int) -> Any:
        """Any value, by its kind; one that holds itself is masked where it does."""
        if isinstance(value, str):
            return _TOO_DEEP if depth > DEEPEST else self.text(value, depth)
        if not isinstance(value, Mapping | list | tuple):
            return _TOO_DEEP if depth > DEEPEST else value
        held = cast("Mapping[Any, Any] | list[Any] | tuple[Any, ...]", value)
        if depth > DEEPEST or id(held) in self.within:
            return _TOO_DEEP
        self.within.add(id(held))
        try:
            return self.container(held, depth)
        finally:
            self.within.discard(id(held))

    def container(
        self, held: Mapping[Any, Any] | list[Any] | tuple[Any, ...], depth: int
    ) -> dict[Any, Any] | list[Any] | tuple[Any, ...]:
        """A value that holds others."""
        if isinstance(held, Mapping):
            return self.mapping(held, depth)
        items = [self.value(item, depth + 1) for item in held]
        return tuple(items) if isinstance(held, tuple) else items

    def mapping(
        self, mapping: Mapping[Any, Any], depth: int, identity: Collection[str] = ()
    ) -> dict[Any, Any]:
        """A mapping, keys included; keys that become equal are numbered apart."""
        label = mapping.get("name", mapping.get("key"))  # {"name": "DB_PASSWORD", "value": ...}
        out: dict[Any, Any] = {}
        for key, item in mapping.items():
            if key in identity:
                out[key] = item
                continue
            masked = self.text(key, depth) if isinstance(key, str) else key
            while masked in out:
                masked = f"{masked}#{len(out)}"
            out[masked] = self.under(label if key == "value" else key, item, depth + 1)
        return out

    def under(self, key: Any, item: Any, depth: int) -> Any:
        """The value of a key, which may be a secret because of the key."""
        if isinstance(item, list) and depth <= DEEPEST and id(item) not in self.within:
            self.within.add(id(item))
            listed = [self.under(key, each, depth + 1) for each in cast("list[Any]", item)]
            self.within.discard(id(item))
            return listed
        if not isinstance(key, str) or isinstance(item, bool) or not isinstance(item, str | int):
            return self.value(item, depth)
        text = str(item)
        if compiled(MASKED).search(text) or not is_secret_under(key, text):
            return self.value(item, depth)
        self.secrets.setdefault(text, CREDENTIAL)
        self.counts[CREDENTIAL] += 1
        return MASK.format(rule=CREDENTIAL)


def _parsed(text: str) -> Any | None:
    """The mapping or list that a string spells in JSON, else ``None``."""
    if text.lstrip()[:1] not in {"{", "["}:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
