"""URLs: what they name, and that a password is never shown."""

from __future__ import annotations

import pytest
from psycopg.conninfo import conninfo_to_dict

from hypermnesia.errors import InvalidInput
from hypermnesia.store.postgres.address import address_of

SECRET = "s3cr3t-pa%24%24"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (f"postgresql://ann:{SECRET}@db:5433/memories", "postgresql://ann@db:5433/memories"),
        (f"postgres://ann:{SECRET}@db/memories", "postgresql://ann@db/memories"),
        (f"postgresql:///m?host=db&password={SECRET}", "postgresql://db/m"),
        ("postgresql://db/m?schema=acme", "postgresql://db/m?schema=acme"),
        ("postgresql://one:1,two:2/m", "postgresql://one,two:1,2/m"),
        ("postgresql://", "postgresql:///"),
    ],
)
def test_a_url_is_shown_without_its_secrets(url: str, shown: str) -> None:
    """In messages, and by whatever prints the address."""
    address = address_of(url, connect_timeout=5)
    assert address.shown == shown
    assert "s3cr3t" not in repr(address)


def test_libpq_gets_everything_but_the_schema() -> None:
    """Parameters of the URL win over the defaults."""
    address = address_of(
        f"postgresql://ann:{SECRET}@db/m?schema=acme&sslmode=require&connect_timeout=3",
        connect_timeout=10,
    )
    found = conninfo_to_dict(address.conninfo)
    assert address.schema == "acme"
    assert found["password"] == "s3cr3t-pa$$"
    assert (found["sslmode"], found["connect_timeout"]) == ("require", "3")
    assert found["application_name"] == "hypermnesia"
    assert "schema" not in found


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:s3cr3t%zz@db/m",
        "postgresql://ann:s3cr3t@[::1/m",
        "postgresql://ann:s3cr3t@db/m?nonsense=1",
        "postgresql://ann:s3cr3t@db/m?schema",
        "postgresql://ann:s3cr3t@db/m?schema=Bad-Name",
        "postgresql://ann:s3cr3t@db/m?schema=" + "x" * 64,
        "postgresql://ann:s3cr3t@db/m?=",
    ],
)
def test_a_url_that_cannot_be_read_is_refused_without_repeating_it(url: str) -> None:
    """It may hold a password in the wrong place."""
    with pytest.raises(InvalidInput) as caught:
        address_of(url, connect_timeout=5)
    assert "s3cr3t" not in str(caught.value)
    assert caught.value.__cause__ is None
