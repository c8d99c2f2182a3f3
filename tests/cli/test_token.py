"""Tokens and accounts of the service on the command line."""

from __future__ import annotations

import json

import pytest

from hypermnesia.serve.accounts import passwords, totp
from tests.cli.conftest import Terminal


@pytest.fixture(autouse=True)
def _cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Argon2 with as little work as it allows."""
    from argon2 import PasswordHasher

    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(passwords, "hasher", lambda: cheap)


def test_a_token_is_printed_once_and_alone(hm: Terminal) -> None:
    """So that a script can keep it; everything else is on stderr."""
    result = hm.run("token", "create", "laptop")
    secret = result.stdout.strip()
    assert secret.startswith("hm_api_")
    assert "\n" not in secret
    assert "not shown again" in result.stderr
    listed = hm.out("token", "list")
    assert secret not in listed
    assert listed.split("\t")[:3] == [secret[:13], "owner", "*"]


def test_a_token_has_the_rights_that_were_asked_for(hm: Terminal) -> None:
    """Scopes, reading alone, and an end."""
    hm.out("account", "create", "ada", "--allow", "team*")
    arguments = ["--account", "ada", "--allow", "team-a", "--read-only", "--days", "1"]
    made = json.loads(hm.out("token", "create", "ci", *arguments, "--json"))
    assert made["scopes"] == ["team-a"]
    assert made["read_only"] is True
    assert made["expires_at"] is not None
    assert "secret" not in json.loads(hm.out("token", "list", "--json"))[0]


def test_a_revoked_token_is_listed_as_such(hm: Terminal) -> None:
    """By the prefix that the list shows."""
    secret = hm.out("token", "create", "laptop").strip()
    hm.out("token", "revoke", secret[:13])
    assert "revoked" in hm.out("token", "list")
    again = hm.run("token", "revoke", secret[:13])
    assert again.exit_code == 1
    assert "no token in force" in again.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["--account", "nobody"],
        ["--account", "ada", "--allow", "other"],
        ["--account", "ada", "--admin"],
        ["--days", "0"],
        [],
    ],
)
def test_a_token_that_cannot_be_made_is_told(hm: Terminal, arguments: list[str]) -> None:
    """With several accounts one has to be named."""
    hm.out("account", "create", "ada", "--allow", "ada")
    hm.out("account", "create", "eve")
    if arguments == ["--days", "0"]:
        arguments = ["--account", "ada", *arguments]
    result = hm.run("token", "create", "x", *arguments)
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert result.stdout == ""


def test_an_account_is_made_changed_shown_and_removed(hm: Terminal) -> None:
    """Its own allowance wins over its plan."""
    hm.out("account", "create", "boss", "--admin")
    hm.out("account", "create", "ada", "--allow", "ada", "--plan", "free")
    shown = json.loads(hm.out("account", "change", "ada", "--allowance", "5", "--json"))
    assert shown["standing"]["limit"] == 5
    assert json.loads(hm.out("account", "show", "ada", "--json"))["scopes"] == ["ada"]
    assert [line.split("\t")[0] for line in hm.out("account", "list").splitlines()] == [
        "ada", "boss",
    ]  # fmt: skip
    hm.out("account", "remove", "ada")
    assert [one["name"] for one in json.loads(hm.out("account", "list", "--json"))] == ["boss"]
    assert hm.run("account", "remove", "boss").exit_code == 1
    assert hm.run("account", "create", "x", "--plan", "gone").exit_code == 1


def test_a_password_is_read_from_standard_input_and_never_shown(hm: Terminal) -> None:
    """Nor is a one-time seed, after it was printed."""
    hm.out("account", "create", "ada", "--admin")
    shown = hm.out("account", "password", "ada", stdin="correct horse battery\n")
    assert "correct horse" not in shown
    assert "with a password" in shown
    assert hm.run("account", "password", "ada", stdin="short\n").exit_code == 1
    assert hm.run("account", "password", "ada").exit_code == 1
    link = hm.out("account", "totp", "ada").strip()
    assert link.startswith("otpauth://totp/Hypermnesia:ada?secret=")
    assert "one-time code" in hm.out("account", "show", "ada")
    assert link.partition("secret=")[2][:32] not in hm.out("account", "show", "ada", "--json")
    hm.out("account", "totp", "ada", "--off")
    assert "one-time code" not in hm.out("account", "show", "ada")
    assert totp.new_seed() != totp.new_seed()


def test_what_was_done_stands_in_the_audit_log(hm: Terminal) -> None:
    """Newest first."""
    hm.out("account", "create", "ada", "--admin")
    hm.out("token", "create", "x")
    entries = json.loads(hm.out("account", "audit", "--json"))
    assert [entry["action"] for entry in entries] == ["token.create", "account.create"]
    assert {entry["actor"] for entry in entries} == {"command line"}
    assert len(hm.out("account", "audit", "--limit", "1").splitlines()) == 1
