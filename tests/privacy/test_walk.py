"""Redaction of JSON-like values."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hypermnesia.privacy import redact_object
from hypermnesia.privacy.walk import DEEPEST
from tests.privacy.samples import LIVE, fake
from tests.privacy.test_redact import PIECES

CREDENTIAL = "[redacted:credential]"
SPOKEN = "[redacted:spoken-secret]"


def test_strings_are_masked_wherever_they_stand() -> None:
    """Mappings, lists, tuples and keys are walked; the shape stays."""
    secret = fake("ghp_", 36)
    row = {"a": [f"x {secret}"], "b": ({"c": secret},), secret: 1, 7: None, "n": 1.5, "t": True}
    mask = "[redacted:github-token]"
    masked = {"a": [f"x {mask}"], "b": ({"c": mask},), mask: 1, 7: None, "n": 1.5, "t": True}
    assert redact_object(row) == masked


def test_a_value_is_judged_by_its_key() -> None:
    """The key says what prose would say with "is"."""
    row = {"password": "sunflower", "pin": 4821, "apiKey": "abc123def", "tokens": 4096, "n": 4821}
    expected = {"password": CREDENTIAL, "pin": CREDENTIAL, "apiKey": CREDENTIAL, "tokens": 4096}
    assert redact_object(row) == {**expected, "n": 4821}


def test_lists_and_name_value_pairs_belong_to_their_key() -> None:
    """Backup codes in a list; the environment of a container."""
    row = {"backup_codes": ["1234-5678"], "env": [{"name": "DB_PASSWORD", "value": "h1dden!"}]}
    assert redact_object(row) == {
        "backup_codes": [CREDENTIAL],
        "env": [{"name": "DB_PASSWORD", "value": CREDENTIAL}],
    }


def test_words_about_a_password_are_not_the_password() -> None:
    """A key promises a secret, its value may be a sentence."""
    row = {"password": "must be at least 8 characters", "token": "expired", "secret": None}
    assert redact_object(row) == row


def test_nested_json_is_walked_and_stays_json() -> None:
    """Two levels down, with the escapes that hide a secret from a text search."""
    inner = json.dumps({"p\u00e4ss": 1, "password": "sun\u00dfl0wer"})
    row = {"output": json.dumps({"state": inner})}
    state = json.loads(json.loads(redact_object(row)["output"])["state"])
    assert state == {"p\u00e4ss": 1, "password": CREDENTIAL}


def test_json_without_secrets_keeps_its_spelling() -> None:
    """Blanks and escapes are not normalised for nothing."""
    row = {"output": '{ "a":1,"b":"\\u00e4" }'}
    assert redact_object(row) == row


def test_a_secret_found_once_is_masked_everywhere() -> None:
    """Also where nothing gives it away, and as a whole word only."""
    row = {"a": "the wifi password is sunflower7", "b": "sunflower7!", "c": "sunflower77"}
    masked = redact_object(row)
    assert masked == {
        "a": f"the wifi password is {SPOKEN}",
        "b": f"{SPOKEN}!",
        "c": row["c"],
    }


def test_a_short_code_is_not_masked_inside_an_identifier() -> None:
    """Door code 4821 must not eat invoice INV-4821."""
    row = {"a": "door code 4821", "b": "INV-4821, version 1.4821, 4821"}
    assert redact_object(row)["b"] == f"INV-4821, version 1.4821, {SPOKEN}"


def test_identity_fields_pass_untouched_on_the_outermost_level_only() -> None:
    """The name of a field deeper down is no hiding place."""
    secret = fake("sk-", 48)
    row = {"id": secret, "model": "password: hunter22", "output": {"model": secret}}
    masked = redact_object(row, identity={"id", "model"})
    assert list(masked) == ["id", "model", "output"]
    assert masked == {**row, "output": {"model": "[redacted:openai-key]"}}


def test_keys_that_become_equal_are_kept_apart() -> None:
    """No value is lost."""
    row = {fake("ghp_", 36): 1, fake("gho_", 36): 2}
    assert list(redact_object(row).values()) == [1, 2]


def test_what_lies_too_deep_is_masked_whole() -> None:
    """Fail closed rather than overflow the stack; JSON in a string counts too."""
    deep: Any = "password: hunter22"
    for _ in range(DEEPEST * 40):
        deep = [deep]
    assert "hunter22" not in str(redact_object(deep))
    assert "too-deep" in str(redact_object(deep))
    redact_object("[" * 100_000)


def test_personal_data_is_masked_on_request() -> None:
    """The flag reaches every string."""
    row = {"a": ["bob@example.com"]}
    assert redact_object(row) == row
    assert redact_object(row, personal=True) == {"a": ["[redacted:email]"]}


JSON_VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.text(max_size=20),
        st.sampled_from(PIECES),
        st.sampled_from([secret for _, secret in LIVE]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.one_of(st.text(max_size=8), st.sampled_from(["password", "value", "name", "pin"])),
            inner,
            max_size=4,
        ),
        inner.map(lambda value: json.dumps([value])),
    ),
    max_leaves=12,
)


@given(JSON_VALUES, st.booleans())
@settings(max_examples=150, deadline=None)
def test_redacting_an_object_twice_changes_nothing(value: Any, personal: bool) -> None:
    """And no live credential survives the first time."""
    once = redact_object(value, personal)
    assert redact_object(once, personal) == once
    assert not any(secret in json.dumps(once) for _, secret in LIVE)
