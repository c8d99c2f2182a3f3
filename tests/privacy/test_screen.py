"""What may be stored, and in which words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from hypermnesia.errors import Refused
from hypermnesia.privacy import StoredSecrets, screen
from tests.privacy.prose import HARMLESS
from tests.privacy.samples import fake
from tests.privacy.test_redact import TEXTS

URL = "postgres://app:Blue-Tram-99@db/app"


def test_sure_findings_are_masked_and_named() -> None:
    """In the text, and wherever tags and metadata repeat the secret."""
    found = screen(
        "DB_PASSWORD=Blue-Tram-99", ("Blue-Tram-99",), {"note": ["Blue-Tram-99"]}, secrets="redact"
    )
    mask = "[redacted:credential]"
    assert found.content == f"DB_PASSWORD={mask}"
    assert (found.tags, found.metadata) == ((mask,), {"note": [mask]})
    assert found.redacted == ("credential",)


def test_a_secret_told_in_a_sentence_is_stored() -> None:
    """It may be the very thing to remember; recall masks it."""
    text = "the door code is 4821 and the wifi password is sunflower7"
    assert screen(text, secrets="redact").content == text


def test_keep_keeps_and_refuse_refuses_by_name() -> None:
    """The error says which rule, never the value."""
    assert screen(URL, secrets="keep").content == URL
    with pytest.raises(Refused, match="url-credential") as refused:
        screen(URL, secrets="refuse")
    assert "Blue-Tram" not in str(refused.value)


@pytest.mark.parametrize("secrets", ["redact", "refuse", "keep"])
def test_live_credentials_are_refused_under_every_policy(secrets: StoredSecrets) -> None:
    """In a tag and in the name of a field as well."""
    token = fake("ghp_", 36)
    for call in (
        lambda: screen(token, secrets=secrets),
        lambda: screen("x", (token,), secrets=secrets),
        lambda: screen("x", (), {token: 1}, secrets=secrets),
    ):
        with pytest.raises(Refused, match="github-token"):
            call()


@pytest.mark.parametrize("text", HARMLESS)
def test_ordinary_text_is_stored_as_it_is(text: str) -> None:
    """The same object: nothing is copied."""
    assert screen(text, secrets="refuse").content is text


@given(TEXTS)
@settings(max_examples=100, deadline=None)
def test_screening_twice_changes_nothing(text: str) -> None:
    """What was masked once is not masked again."""
    try:
        once = screen(text, secrets="redact").content
        twice = screen(once, secrets="redact")
    except Refused:
        return
    assert (twice.content, twice.redacted) == (once, ())
