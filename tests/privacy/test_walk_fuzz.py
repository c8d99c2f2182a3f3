"""The walker under generated values: it never raises, never leaks, and changes nothing twice.

``tests/fuzz/walker.py`` does the same under the coverage-guided atheris, for as long as one likes.
"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hypermnesia.privacy import examine, redact_object
from tests.privacy.samples import LIVE
from tests.privacy.test_redact import PIECES
from tests.privacy.values import strings

SECRETS = [secret for _, secret in LIVE]
NAMES = (
    "password", "value", "name", "key", "pin", "apiKey", "token", "door code", "wifi password",
    "client_secret", "backup_codes", "state", "content", "id", "",
)  # fmt: skip
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.binary(max_size=9), st.dates()
)
TEXT = st.text(st.characters(), max_size=20)  # lone surrogates, too: JSON can spell them


def _spelt(value: Any, ascii_only: bool) -> str:
    """A value as JSON text, as far as JSON knows it."""
    return json.dumps(
        value, ensure_ascii=ascii_only, default=str, skipkeys=True, separators=(" , ", ":")
    )


def values(leaf: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Nested values with these leaves, at any place: item, key, text or JSON in a text."""
    keys = st.one_of(st.sampled_from(NAMES), leaf, TEXT, st.integers(), st.none(), st.booleans())
    hashable = keys.filter(lambda key: key.__hash__ is not None)
    return st.recursive(
        st.one_of(leaf, SCALARS, TEXT, st.sampled_from(PIECES)),
        lambda inner: st.one_of(
            st.lists(inner, max_size=4),
            st.tuples(inner, inner),
            st.dictionaries(hashable, inner, max_size=4),
            st.builds(_spelt, st.lists(inner, max_size=2), st.booleans()),
            st.builds(_spelt, st.dictionaries(hashable, inner, max_size=2), st.booleans()),
        ),
        max_leaves=15,
    )


def _joined(before: str, secret: str, after: str, separator: str) -> str:
    """A secret between other texts."""
    return separator.join((before, secret, after))


WITH_SECRET = values(
    st.builds(
        _joined,
        st.one_of(TEXT, st.sampled_from(PIECES)),
        st.sampled_from(SECRETS),
        TEXT,
        st.sampled_from([" ", "\n", ", ", '"', "'", "\t"]),
    )
)


@given(WITH_SECRET, st.booleans(), st.booleans())
@settings(max_examples=120)
def test_no_value_makes_it_raise_or_leak(value: Any, personal: bool, sure: bool) -> None:
    """A credential is gone from every text, key and JSON text, and the second walk is idle."""
    once = examine(value, personal, sure=sure)
    told = list(strings(once.value))
    assert not [secret for secret in SECRETS if any(secret in text for text in told)]
    again = examine(once.value, personal, sure=sure)
    assert repr(again.value) == repr(once.value)
    assert not again.rules
    if not once.rules and "too-deep" not in repr(once.value):
        assert repr(once.value) == repr(value)


@given(values(TEXT))
@settings(max_examples=80)
def test_the_shape_of_a_value_is_kept(value: Any) -> None:
    """As many items and fields, of the same kinds, in the same order."""

    def shape(one: Any) -> Any:
        match one:
            case dict():
                return [shape(inner) for inner in one.values()]
            case list() | tuple():
                return type(one), [shape(inner) for inner in one]
            case str() | int():
                return "scalar"
            case _:
                return repr(one)

    assert shape(redact_object(value)) == shape(value)


@given(st.sampled_from(SECRETS), TEXT, TEXT)
@settings(max_examples=60)
def test_a_long_secret_is_masked_even_where_it_is_glued(secret: str, a: str, b: str) -> None:
    """Once it is known, no letters around it hide it."""
    masked = redact_object({"one": f"here: {secret} .", "other": [f"x{a}{secret}{b}y"]})
    assert not any(secret in text for text in strings(masked))


def test_a_value_that_holds_itself_ends() -> None:
    """No JSON can, but a caller's object may."""
    loop: list[Any] = ["password: hunter22"]
    loop.append(loop)
    loop.append({"again": loop})
    assert "hunter22" not in repr(redact_object(loop))
    row: dict[str, Any] = {"token": []}
    row["token"] += [row, row["token"]]
    assert "too-deep" in repr(redact_object(row))
