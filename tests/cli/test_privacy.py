"""The verb that finds and masks secrets."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from hypermnesia.cli.app import app
from tests.cli.conftest import Terminal

SECRET = "Kestrel-4821"


def scan(hm: Terminal, *options: str) -> tuple[int, str, str]:
    """Exit status, stdout and stderr of a scan."""
    arguments = ["privacy", "scan", "--store", str(hm.store), *options]
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.stdout, result.stderr


def test_a_clean_store_passes(hm: Terminal) -> None:
    """Exit status 0, nothing on stdout."""
    hm.add("billing uses NATS")
    assert scan(hm)[:2] == (0, "")


def test_what_is_found_is_listed_without_its_value(hm: Terminal) -> None:
    """Id, scope, rule, count; exit status 1 because it is still there."""
    added = hm.add(f"the wifi password is {SECRET}")
    status, out, err = scan(hm)
    assert status == 1
    assert out.split() == [added, "default", "spoken-secret", "1"]
    assert SECRET not in out + err
    assert "1 with a secret, 0 masked" in err


def test_fixing_masks_and_passes(hm: Terminal) -> None:
    """As JSON; the next scan finds nothing."""
    added = hm.add(f"the wifi password is {SECRET}")
    status, out, _ = scan(hm, "--fix", "--json")
    assert status == 0
    assert f'"id": "{added}"' in out
    assert scan(hm)[:2] == (0, "")
    assert SECRET not in hm.out("get", added, "--reveal")


def test_an_add_says_what_was_masked(hm: Terminal) -> None:
    """In the table and as JSON."""
    assert "masked    credential" in hm.out("add", f"DB_PASSWORD={SECRET}")
    added = hm.json("add", f"SMTP_PASSWORD={SECRET}")
    assert added["redacted"] == ["credential"]


@pytest.mark.parametrize("options", [("--personal",), ("--scope", "default")])
def test_a_scan_takes_its_options(hm: Terminal, options: tuple[str, ...]) -> None:
    """Personal data on request; a part of the store on request."""
    hm.add("write to bob@example.com")
    assert scan(hm, *options)[0] == ("--personal" in options)
