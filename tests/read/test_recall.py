"""What is masked when a memory leaves the store."""

from __future__ import annotations

import pytest

from hypermnesia.read.recall import masked
from tests.store.bench import node


@pytest.mark.parametrize("secret", ["metadata", "Metadata7"])
def test_a_secret_may_be_spelled_like_a_field(secret: str) -> None:
    """It is masked in the values, the fields keep their names."""
    stored = node(f'wifi password: "{secret}"', tags=("home",), metadata={"room": secret})
    shown = masked(stored, "secrets")
    assert shown.content == 'wifi password: "[redacted:credential]"'
    assert shown.tags == ("home",)
    assert list(shown.metadata) == ["room"]


def test_a_secret_of_the_text_is_masked_in_tags_and_metadata() -> None:
    """One walk over all of it, with the secrets of each part known to the others."""
    stored = node(
        "the wifi password is Kestrel-4821", tags=("Kestrel-4821",), metadata={"a": "Kestrel-4821"}
    )
    shown = masked(stored, "secrets")
    assert "Kestrel" not in repr((shown.content, shown.tags, shown.metadata))


def test_a_memory_without_secrets_stays_the_same_object() -> None:
    """So that a caller can tell."""
    stored = node("billing uses nats", tags=("work",), metadata={"a": 1})
    assert masked(stored, "secrets") is masked(stored, "off") is stored
