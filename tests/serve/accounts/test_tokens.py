"""Making, seeing and revoking tokens, and managing accounts, over REST."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx2
import pytest

from hypermnesia.errors import Forbidden, InvalidInput, NotFound
from hypermnesia.serve.accounts import tokens
from hypermnesia.serve.accounts.secret import csrf_of, digest_of
from hypermnesia.store.sqlite.store import SqliteStore
from tests.serve.accounts.service import PASSWORD, Service


@pytest.fixture
def admin(closed: Service) -> httpx2.Client:
    """Ada's token, which administers."""
    account = closed.account(admin=True, scopes=["*"])
    return closed.bearing(closed.token(account, admin=True))


def test_a_token_is_shown_once_and_only_its_digest_is_kept(
    closed: Service, admin: httpx2.Client
) -> None:
    """Nothing in the file opens anything."""
    body = {"label": "ci", "scopes": ["team-*"], "read_only": True, "days": 2}
    made = admin.post("/api/v1/tokens", json=body)
    assert made.status_code == 201
    told = made.json()
    secret = told["secret"]
    assert told["prefix"] == secret[:13]
    assert told["expires_at"] == "2026-05-05T12:00:00Z"
    listed = admin.get("/api/v1/tokens").json()
    assert listed[0] == {name: value for name, value in told.items() if name != "secret"}
    assert secret not in admin.get("/api/v1/tokens").text
    found = closed.accounts.hall.store.credential(digest_of(secret))
    assert found is not None
    assert secret not in repr(found)
    store = closed.memory._engine.store
    assert isinstance(store, SqliteStore)
    written = b"".join(path.read_bytes() for path in store.path.parent.iterdir())
    assert told["prefix"].encode() in written
    assert secret.encode() not in written


def test_a_token_can_be_revoked_by_its_id_or_prefix(closed: Service, admin: httpx2.Client) -> None:
    """Once."""
    for name in ("id", "prefix"):
        made = admin.post("/api/v1/tokens", json={"label": "x"}).json()
        assert admin.delete(f"/api/v1/tokens/{made[name]}").status_code == 204
        assert admin.delete(f"/api/v1/tokens/{made[name]}").status_code == 404
        assert closed.bearing(made["secret"]).get("/api/v1/account").status_code == 401


def test_tokens_cannot_make_tokens_but_people_can(closed: Service) -> None:
    """Theirs alone, within what they may; an administrator's ordinary token is ordinary."""
    account = closed.account(password=True)
    boss = closed.account("boss", admin=True, scopes=["*"])
    for holder in (account, boss):
        client = closed.bearing(closed.token(holder))
        assert client.post("/api/v1/tokens", json={"label": "x"}).status_code == 403
        assert client.get("/api/v1/tokens").status_code == 403
        assert client.get("/api/v1/account/usage").status_code == 403
        assert client.get("/api/v1/audit").status_code == 403
    person = closed.signed_in()
    csrf = {"X-CSRF-Token": csrf_of(person.cookies["hypermnesia_session"])}

    def make(**body: Any) -> int:
        answer = person.post("/api/v1/tokens", json={"label": "x", **body}, headers=csrf)
        return answer.status_code

    assert make() == 201
    assert make(scopes=["ada-a", "ada"]) == 201
    assert make(scopes=["eve"]) == 403
    assert make(scopes=["*"]) == 403
    assert make(admin=True) == 403
    assert make(account="boss") == 403
    assert person.get("/api/v1/tokens?account=boss").status_code == 403
    assert {token["account"] for token in person.get("/api/v1/tokens").json()} == {"ada"}
    theirs = closed.accounts.hall.store.credentials("api", boss.id)[0]
    assert person.delete(f"/api/v1/tokens/{theirs.id}", headers=csrf).status_code == 404
    assert person.get("/api/v1/accounts").status_code == 403
    assert person.get("/api/v1/account/usage").json() == []


@pytest.mark.parametrize(
    "body",
    [
        {}, {"label": ""}, {"label": "x" * 101}, {"label": "a\x00b"}, {"label": "x", "days": 0},
        {"label": "x", "days": 1e9}, {"label": "x", "scopes": [""]}, {"label": "x", "more": 1},
        {"label": "x", "scopes": [" a"]}, {"label": "x", "scopes": ["a"] * 51},
        {"label": "x", "read_only": True, "admin": True},
    ],
)  # fmt: skip
def test_a_token_out_of_bounds_is_refused(admin: httpx2.Client, body: dict[str, Any]) -> None:
    """With the field named."""
    answer = admin.post("/api/v1/tokens", json=body)
    assert answer.status_code == 422, answer.text


def test_a_prefix_of_several_tokens_revokes_none(closed: Service) -> None:
    """One would not know which."""
    store, account = closed.accounts.hall.store, closed.known()
    made = [tokens.create(store, account, closed.clock(), label="x").credential for _ in range(2)]
    store.issue(replace(made[0], id="another", digest=b"another"))
    with pytest.raises(InvalidInput, match="2 tokens"):
        tokens.revoke(store, made[0].prefix, closed.clock())
    with pytest.raises(NotFound, match="no token"):
        tokens.revoke(store, "nothing", closed.clock())


def test_the_domain_refuses_what_no_surface_may_let_pass(
    closed: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever calls it."""
    store, account, now = closed.accounts.hall.store, closed.known(), closed.clock()
    for scopes, admin, error in ((["eve"], False, Forbidden), ([], True, Forbidden)):
        with pytest.raises(error):
            tokens.create(store, account, now, label="x", scopes=scopes, admin=admin)
    for life in (timedelta(0), timedelta(days=-1), timedelta(days=4000)):
        with pytest.raises(InvalidInput, match="lives"):
            tokens.create(store, account, now, label="x", life=life)
    monkeypatch.setattr(tokens, "MOST_TOKENS", 0)
    with pytest.raises(InvalidInput, match="tokens"):
        tokens.create(store, account, now, label="x")


# --- accounts ----------------------------------------------------------------------


def test_an_administrator_makes_changes_and_removes_accounts(
    closed: Service, admin: httpx2.Client
) -> None:
    """And each leaves an entry in the audit log, without the password."""
    body = {"name": "eve", "scopes": ["eve"], "plan": "free", "password": PASSWORD}
    made = admin.post("/api/v1/accounts", json=body)
    assert made.status_code == 201
    assert made.json()["password"] is True
    assert PASSWORD not in made.text
    assert "argon2" not in made.text
    assert admin.post("/api/v1/accounts", json=body).status_code == 409
    eve = closed.bearing(closed.token(closed.known("eve")))
    assert eve.get("/api/v1/account").json()["standing"]["limit"] == 2000
    changed = admin.patch("/api/v1/accounts/eve", json={"allowance": 7, "scopes": ["e*"]})
    assert changed.json()["allowance"] == 7
    assert eve.get("/api/v1/account").json()["standing"]["limit"] == 7
    assert admin.patch("/api/v1/accounts/eve", json={"allowance": -1}).json()["allowance"] is None
    assert admin.patch("/api/v1/accounts/eve", json={"plan": ""}).json()["plan"] is None
    assert admin.patch("/api/v1/accounts/eve", json={"disabled": True}).json()["disabled"]
    assert eve.get("/api/v1/account").status_code == 401
    admin.patch("/api/v1/accounts/eve", json={"disabled": False})
    assert eve.get("/api/v1/account").status_code == 401  # what it held was revoked
    assert admin.delete("/api/v1/accounts/eve").status_code == 204
    assert admin.delete("/api/v1/accounts/eve").status_code == 404
    entries = admin.get("/api/v1/audit").json()
    assert entries[0]["action"] == "account.remove"
    assert {entry["actor"] for entry in entries} == {"ada"}
    assert PASSWORD not in str(entries)


def test_somebody_is_always_left_to_administer(admin: httpx2.Client) -> None:
    """The last administrator cannot lock everybody out."""
    for body in ({"admin": False}, {"disabled": True}):
        assert admin.patch("/api/v1/accounts/ada", json=body).status_code == 409
    assert admin.delete("/api/v1/accounts/ada").status_code == 409
    admin.post("/api/v1/accounts", json={"name": "eve", "admin": True})
    assert admin.patch("/api/v1/accounts/ada", json={"admin": False}).status_code == 200
    assert admin.get("/api/v1/accounts").status_code == 403


@pytest.mark.parametrize(
    "body",
    [
        {"name": ""}, {"name": "a*"}, {"name": "x" * 61}, {"name": "a", "plan": "gone"},
        {"name": "a", "password": "short"}, {"name": "a", "allowance": -2},
        {"name": "a", "allowance": 2**60}, {"name": "a\u202eb"}, {"name": "a/b"},
    ],
)  # fmt: skip
def test_an_account_out_of_bounds_is_refused(admin: httpx2.Client, body: dict[str, Any]) -> None:
    """And not made in part."""
    assert admin.post("/api/v1/accounts", json=body).status_code == 422
    assert len(admin.get("/api/v1/accounts").json()) == 1


def test_everybodys_use_is_shown_to_administrators(closed: Service, admin: httpx2.Client) -> None:
    """By day and action."""
    admin.post("/api/v1/search", json={"query": "x", "scope": "a"})
    (line,) = admin.get("/api/v1/account/usage").json()
    assert (line["account"], line["action"], line["allowed"]) == ("ada", "rest.search", 1)
    assert admin.get("/api/v1/account/usage?account=ada").json() == [line]
    assert admin.get("/api/v1/account/usage?account=nobody").status_code == 404
    assert admin.get("/api/v1/audit?before=2026-01-01T00:00:00Z").json() == []
    assert admin.get("/api/v1/audit?before=2026-01-01T00:00:00").status_code == 422


def test_the_owner_of_an_open_service_can_make_accounts(service: Service) -> None:
    """From then on it is closed."""
    body = {"name": "ada", "admin": True}
    assert service.http.post("/api/v1/tokens", json={"label": "x"}).status_code == 422
    assert service.http.post("/api/v1/accounts", json=body).status_code == 201
    assert service.http.get("/api/v1/accounts").status_code == 401
