"""Signing in and out, and setting up, in a browser that is made of a client with cookies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from urllib.parse import quote

import pytest

from hypermnesia.memory import Memory
from hypermnesia.serve.accounts import totp
from hypermnesia.serve.accounts.entry import safe_target
from hypermnesia.serve.accounts.secret import csrf_of
from tests.serve.accounts.service import PASSWORD, Service, running

NAME = "hypermnesia_session"
RIGHT = {"name": "ada", "password": PASSWORD}


@pytest.fixture
def peopled(closed: Service) -> Service:
    """Ada can sign in, and administers."""
    closed.account(password=True, admin=True)
    return closed


@pytest.fixture
def secure(memory: Memory) -> Iterator[Service]:
    """A service that clients reach over TLS."""
    with running(memory, serve_url="https://m.example") as service:
        service.account(password=True)
        service.http.headers["Host"] = "m.example"
        yield service


# --- signing in --------------------------------------------------------------------


def test_the_right_password_begins_a_session(peopled: Service) -> None:
    """In a cookie that no script reads and no other site's form brings along."""
    answer = peopled.browser().post("/signin", data={**RIGHT, "next": "/console?scope=x"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/console?scope=x")
    cookie = answer.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=lax", "Path=/"} <= set(cookie.split("; "))
    assert "Secure" not in cookie
    assert "Domain" not in cookie
    browser = peopled.signed_in()
    assert browser.get("/api/v1/account").json()["name"] == "ada"
    sent = f'odd={{"a": [1, "b"]}}; @x=é; {NAME}={browser.cookies[NAME]}; =; z'
    answer = peopled.http.get("/api/v1/account", headers={b"Cookie": sent.encode()})
    assert answer.status_code == 200  # whatever else the host keeps in cookies


def test_over_tls_the_cookie_is_bound_to_host_and_tls(secure: Service) -> None:
    """And the other cookie's name is not taken."""
    headers = {"Origin": "https://m.example"}
    answer = secure.http.post("/signin", data=RIGHT, headers=headers)
    name, _, rest = answer.headers["set-cookie"].partition("=")
    assert name == f"__Host-{NAME}"
    assert {"Secure", "HttpOnly", "Path=/"} <= set(rest.split("; "))
    session = rest.partition(";")[0]
    for sent, status in ((name, 200), (NAME, 401)):
        answer = secure.http.get("/api/v1/account", headers={"Cookie": f"{sent}={session}"})
        assert answer.status_code == status


@pytest.mark.parametrize(
    "attempt",
    [
        {"name": "ada", "password": "wrong wrong wrong"},
        {"name": "nobody", "password": PASSWORD},
        {"name": "ADA", "password": PASSWORD},
        {"name": "ada", "password": ""},
        {"name": "", "password": ""},
        {"name": "ada", "password": PASSWORD * 20},
        {"next": "/"},
        {"name": "a\0da", "password": "\0"},
    ],
)
def test_anything_else_is_refused_in_the_same_words(
    peopled: Service, attempt: dict[str, str]
) -> None:
    """Who has an account is nobody's business; nor is what was typed the log's."""
    answer = peopled.browser().post("/signin", data=attempt)
    assert answer.status_code == 403
    assert "name, password or one-time code is wrong" in answer.text
    assert "set-cookie" not in answer.headers
    (entry,) = peopled.accounts.hall.store.audited(9)
    assert (entry.action, entry.outcome) == ("sign-in", "refused")
    assert entry.target in {"ada", "unknown name"}


def test_a_disabled_account_and_one_without_a_password_cannot_sign_in(peopled: Service) -> None:
    """Whatever is typed."""
    store = peopled.accounts.hall.store
    store.put_account(replace(peopled.known(), disabled=True))
    peopled.account("eve")
    for name in ("ada", "eve"):
        answer = peopled.browser().post("/signin", data={"name": name, "password": PASSWORD})
        assert answer.status_code == 403


def test_guessing_is_slowed_down(peopled: Service) -> None:
    """Even the right password has to wait then; from another account it has not."""
    peopled.account("eve", password=True)
    wrong = {"name": "ada", "password": "wrong wrong wrong"}
    browser = peopled.browser()
    statuses = [browser.post("/signin", data=wrong).status_code for _ in range(9)]
    assert statuses == [403] * 8 + [429]
    assert browser.post("/signin", data={**RIGHT, "name": "eve"}).status_code == 303
    answer = peopled.browser().post("/signin", data=RIGHT)
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) == 30
    peopled.clock.forward(timedelta(seconds=30))
    assert peopled.browser().post("/signin", data=RIGHT).status_code == 303


def test_a_one_time_code_is_asked_for_and_works_once(peopled: Service) -> None:
    """Seen on its way, it is of no use."""
    seed = totp.new_seed()
    store = peopled.accounts.hall.store
    store.put_account(replace(peopled.known(), totp=seed))
    code = totp.code_at(seed, totp.step_of(peopled.clock()))
    statuses = [
        peopled.browser().post("/signin", data={**RIGHT, "code": given}).status_code
        for given in ("", "000000" if code != "000000" else "1", code, code)
    ]
    assert statuses == [403, 403, 303, 403]


def test_a_session_ends_by_signing_out_and_by_time(peopled: Service) -> None:
    """On the server: a cookie that was kept is worth nothing."""
    first, second = peopled.signed_in(), peopled.signed_in()
    kept = dict(first.cookies)
    answer = first.post("/signout", data={"csrf_token": csrf_of(kept[NAME])})
    assert answer.status_code == 303
    assert f'{NAME}=""' in answer.headers["set-cookie"]
    stale = peopled.browser()
    stale.cookies.update(kept)
    assert stale.get("/api/v1/account").status_code == 401
    assert second.get("/api/v1/account").status_code == 200
    peopled.clock.forward(timedelta(hours=12))
    assert second.get("/api/v1/account").status_code == 401


def test_a_person_is_led_to_the_sign_in_page_and_back(peopled: Service) -> None:
    """Programs are told 401."""
    page = {"Accept": "text/html"}
    answer = peopled.http.get("/console/search?q=a b", headers=page)
    assert answer.status_code == 303
    assert answer.headers["location"] == f"/signin?next={quote('/console/search?q=a%20b', safe='')}"
    form = peopled.http.get(answer.headers["location"])
    assert 'value="/console/search?q=a%20b"' in form.text
    assert peopled.http.get("/api/v1/memories", headers=page).status_code == 401
    assert peopled.http.get("/console").status_code == 401


# --- forged forms ------------------------------------------------------------------

FOREIGN: list[dict[str, str]] = [
    {},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Referer": "https://evil.example/"},
]


def test_nobody_is_signed_in_by_another_sites_form(peopled: Service) -> None:
    """To an account of the attacker's, which would then learn what one remembers."""
    for headers in FOREIGN:
        answer = peopled.http.post("/signin", data=RIGHT, headers=headers)
        assert answer.status_code == 403, headers
        assert "set-cookie" not in answer.headers


def test_a_session_changes_nothing_for_another_sites_page(peopled: Service) -> None:
    """Neither its form nor its script, nor one that has guessed the address."""
    cookie = {"Cookie": f"{NAME}={peopled.signed_in().cookies[NAME]}"}
    own = {"Origin": peopled.url}
    body = {"content": "forged"}
    for headers in [*FOREIGN, own, {**own, "X-CSRF-Token": "0" * 64}]:
        answer = peopled.http.post("/api/v1/memories", json=body, headers={**cookie, **headers})
        assert answer.status_code == 403, headers
    for headers in [*FOREIGN, own]:
        data = {"csrf_token": "0" * 64}
        answer = peopled.http.post("/signout", data=data, headers={**cookie, **headers})
        assert answer.status_code == 403, headers
    token = {"X-CSRF-Token": csrf_of(cookie["Cookie"].partition("=")[2])}
    body["scope"] = "ada"
    answer = peopled.http.post("/api/v1/memories", json=body, headers={**cookie, **own, **token})
    assert answer.status_code == 201


def test_the_token_of_one_session_is_of_no_use_in_another(peopled: Service) -> None:
    """It is derived from the session's secret."""
    first, second = peopled.signed_in(), peopled.signed_in()
    token = {"X-CSRF-Token": csrf_of(first.cookies[NAME])}
    body = {"content": "x", "scope": "ada"}
    assert second.post("/api/v1/memories", json=body, headers=token).status_code == 403
    assert first.post("/api/v1/memories", json=body, headers=token).status_code == 201


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example", "//evil.example", "/\\evil.example", "\\/evil.example",
        "/%09/evil.example\t", "/\t/evil.example", "javascript:alert(1)", "evil.example",
        "///evil.example", " //evil.example", "/ok\r\nSet-Cookie: a=b", "/é", "",
    ],
)  # fmt: skip
def test_signing_in_leads_nowhere_else(target: str) -> None:
    """No open redirect, however it is spelt."""
    assert safe_target(target) in {"", "/%09/evil.example"}
    assert not safe_target(target).startswith(("//", "/\\"))


def test_a_bad_target_leads_to_the_console(peopled: Service) -> None:
    """Over HTTP, too."""
    answer = peopled.browser().post("/signin", data={**RIGHT, "next": "//evil.example"})
    assert answer.headers["location"] == "/console"


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"name=ada&name=eve", "application/x-www-form-urlencoded", 400),
        (b"name=%ff", "application/x-www-form-urlencoded", 400),
        (b"name=\xff", "application/x-www-form-urlencoded", 400),
        (b"&".join(b"a%d=1" % n for n in range(60)), "application/x-www-form-urlencoded", 400),
        (b"name=" + b"x" * 40_000, "application/x-www-form-urlencoded", 413),
        (b'{"name": "ada"}', "application/json", 415),
        (b"name=ada", "multipart/form-data; boundary=x", 415),
    ],
)
def test_a_form_that_is_none_is_refused(
    closed: Service, body: bytes, kind: str, status: int
) -> None:
    """Doubled fields, bytes that are no text, too much, or another type."""
    headers = {"Origin": closed.url, "Content-Type": kind}
    assert closed.http.post("/signin", content=body, headers=headers).status_code == status


def test_pages_run_and_frame_nothing(closed: Service) -> None:
    """And what was typed comes back as text."""
    hostile = '"><script>alert(1)</script>'
    data = {"name": hostile, "password": "x", "next": f"/{hostile}"}
    answer = closed.browser().post("/signin", data=data)
    assert "<script>alert" not in answer.text
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["cache-control"] == "no-store"


# --- setting up --------------------------------------------------------------------


def test_a_setup_link_makes_the_first_account_once(service: Service) -> None:
    """There is no default password, and the secret is where browsers send it to nobody."""
    link = service.accounts.setup_link(service.url)
    assert link is not None
    page, _, secret = link.partition("#")
    assert page == f"{service.url}/setup"
    form = {"link": secret, "name": "ada", "password": PASSWORD}
    assert service.http.get("/setup").status_code == 200
    first = service.browser().post("/setup", data=form)
    assert first.status_code == 303
    again = service.browser().post("/setup", data={**form, "name": "eve"})
    assert again.status_code == 403
    assert service.accounts.setup_link(service.url) is None
    assert service.http.get("/setup").headers["location"] == "/signin"
    ada = service.known()
    assert (ada.admin, ada.scopes) == (True, ("*",))
    assert service.signed_in().get("/api/v1/account").json()["admin"] is True


def test_a_bad_setup_makes_no_account_and_leaves_the_link(service: Service) -> None:
    """One may try again."""
    secret = (service.accounts.setup_link(service.url) or "").partition("#")[2]
    form = {"link": secret, "name": "ada", "password": PASSWORD}
    for change in (
        {"link": "hm_setup_wrong"}, {"link": ""}, {"password": "short"}, {"name": ""},
        {"name": "a*"}, {"name": "x" * 61}, {"name": "a\nb"},
    ):  # fmt: skip
        answer = service.browser().post("/setup", data={**form, **change})
        assert answer.status_code in {403, 422}, change
    assert service.accounts.hall.store.accounts() == []
    assert service.browser().post("/setup", data=form).status_code == 303


def test_a_setup_link_expires_and_needs_the_services_own_page(service: Service) -> None:
    """A day after it was printed."""
    secret = (service.accounts.setup_link(service.url) or "").partition("#")[2]
    form = {"link": secret, "name": "ada", "password": PASSWORD}
    for headers in FOREIGN:
        assert service.http.post("/setup", data=form, headers=headers).status_code == 403
    service.clock.forward(timedelta(hours=24))
    assert service.browser().post("/setup", data=form).status_code == 403


def test_guessing_a_setup_code_is_slowed_down(service: Service) -> None:
    """Though nobody could."""
    form = {"link": "hm_setup_x", "name": "ada", "password": PASSWORD}
    browser = service.browser()
    statuses = [browser.post("/setup", data=form).status_code for _ in range(41)]
    assert statuses == [403] * 40 + [429]
