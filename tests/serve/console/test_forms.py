"""Nothing changes unless a page of the console asked for it, on behalf of somebody who may."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.requests import Request

from hypermnesia.errors import Forbidden
from hypermnesia.identity import new_id
from hypermnesia.memory import Memory
from hypermnesia.models.http import tls_context
from hypermnesia.serve.accounts import tokens
from hypermnesia.serve.console.forms import COOKIE, Seal
from hypermnesia.serve.console.views import ACTIONS, PAGES
from hypermnesia.store.accounts import Account
from hypermnesia.types import Node
from tests.serve.console.rows import Rows, filled
from tests.serve.console.service import WAIT, fresh, served


@dataclass(frozen=True)
class Desk:
    """A memory with rows, and a browser without scripts, in a word, on its console."""

    memory: Memory
    rows: Rows
    client: httpx2.Client

    def get(self, path: str, **options: Any) -> httpx2.Response:
        """Open a page."""
        return self.client.get(f"/console{path}", **options)

    def post(self, path: str, sent: dict[str, str], **options: Any) -> httpx2.Response:
        """Send a form."""
        return self.client.post(f"/console{path}", data=sent, **options)

    def token(self, path: str = "") -> str:
        """The token that a page's forms carry."""
        found = re.search(r'name="token" value="(\w+)"', self.get(path).text)
        assert found is not None
        return found[1]

    def stored(self) -> list[Node]:
        """The rows as they are now."""
        return [self.memory.get(row.id) for row in self.rows.all()]


@contextmanager
def opened(folder: Path) -> Generator[Desk]:
    """A desk of one's own."""
    with fresh(folder) as memory, served(memory) as address:
        rows = filled(memory)
        with httpx2.Client(verify=tls_context(), base_url=address, timeout=WAIT) as client:
            yield Desk(memory, rows, client)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A desk for a test that changes something."""
    with opened(tmp_path) as own:
        yield own


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A desk that many tests share, because nothing that they try may change it."""
    with opened(tmp_path_factory.mktemp("standing")) as shared:
        yield shared


def form(rows: Rows, token: str = "") -> dict[str, str]:
    """A form that every action could use."""
    return {
        "token": token,
        "id": rows.old.id,
        "content": "forged",
        "action": "promote",
        "event": "0",
        "memory_type": "decision",
        "label": "forged",
    }


@pytest.mark.parametrize("path", ACTIONS)
def test_a_form_without_the_token_is_refused(path: str, standing: Desk) -> None:
    """Missing, wrong, that of another browser, or without the cookie: nothing happens."""
    before = standing.stored()
    standing.client.cookies.clear()
    token, cookies = standing.token(), dict(standing.client.cookies)
    for sent, jar in (
        ("", cookies),
        ("0" * 64, cookies),
        (token, {}),
        (token, {"hypermnesia_console": "another"}),
    ):
        standing.client.cookies.clear()
        standing.client.cookies.update(jar)
        answer = standing.post(path, form(standing.rows, sent))
        assert answer.status_code == 403, (sent, jar)
        assert "no longer valid" in answer.text
    assert standing.stored() == before
    assert not standing.memory.corpus_consent().given


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Host": "evil.example"},
    ],
    ids=lambda headers: "-".join(headers.values()),
)
def test_a_form_of_another_site_is_refused(headers: dict[str, str], standing: Desk) -> None:
    """Even if it had the token."""
    token = standing.token()
    answer = standing.post("/restore", form(standing.rows, token), headers=headers)
    assert answer.status_code in {401, 403, 421}
    assert standing.memory.get(standing.rows.old.id).status == "superseded"


@pytest.mark.parametrize(
    ("headers", "taken"),
    [
        ({"host": "a:1"}, True),
        ({"host": "a:1", "origin": "http://a:1"}, True),
        ({"host": "a:1", "origin": "https://a:1", "sec-fetch-site": "same-origin"}, True),
        ({"host": "a:1", "origin": "http://a:2"}, False),
        ({"host": "a:1", "origin": "null"}, False),
        ({"host": "a:1", "origin": "http://["}, False),
        ({"host": "a:1", "origin": ""}, False),
        ({"host": "a:1", "sec-fetch-site": "same-site"}, False),
        ({"host": "a:1", "sec-fetch-site": "cross-site", "origin": "http://a:1"}, False),
    ],
)
def test_the_origin_is_checked_whatever_stands_before_the_console(
    headers: dict[str, str], taken: bool
) -> None:
    """A browser says where a form comes from; the scheme may differ behind a proxy."""
    seal, cookie = Seal(), "c" * 20
    sent = {**headers, "cookie": f"{COOKIE}={cookie}"}
    raw = [(name.encode(), value.encode()) for name, value in sent.items()]
    request = Request({"type": "http", "method": "POST", "path": "/", "headers": raw})
    token = seal.token(request, cookie)
    if taken:
        seal.check(request, token)
        return
    with pytest.raises(Forbidden, match="another site"):
        seal.check(request, token)


def test_a_form_of_the_console_itself_is_taken(desk: Desk) -> None:
    """As a browser sends it."""
    headers = {"Origin": str(desk.client.base_url).rstrip("/"), "Sec-Fetch-Site": "same-origin"}
    answer = desk.post("/restore", form(desk.rows, desk.token()), headers=headers)
    assert answer.status_code == 303
    assert desk.memory.get(desk.rows.old.id).status == "active"


def test_looking_changes_nothing(standing: Desk) -> None:
    """No action answers to a link, and no page writes."""
    before, rows = standing.stored(), standing.rows
    for path in {*ACTIONS, *PAGES}:
        standing.get(path, params={"id": rows.old.id, "head": rows.topic.id})
    assert standing.stored() == before
    kinds = {event.kind for _, event in standing.memory.recent()}
    assert kinds <= {"add", "supersede", "update", "search"}


def test_every_page_forbids_scripts_frames_and_caches(standing: Desk) -> None:
    """Failures, too."""
    for path in [*standing.rows.paths(), "/nowhere", "/memory?id=%3Cscript%3E", "/search?q=a&k=0"]:
        headers = standing.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy, path
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/memory", 422),
        ("/memory?id=x", 422),
        ("/memory?id=01890a5d-ac96-774b-bcce-b302099a8057", 404),
        ("/search?q=a&k=51", 422),
        ("/search?q=a&k=%C2%B2", 422),
        ("/search?q=a&since=soon", 422),
        ("/search?q=a&status=odd", 422),
        ("/search?q=%00%ED%A0%80", 200),
        ("/timeline?as_of=99999-01-01", 422),
        ("/timeline?cursor=x", 422),
        ("/graph/members", 422),
        ("/graph/members?head=x", 422),
        ("/activity/part?after=-1", 422),
        ("/activity/part?after=99999999999999999999", 422),
        ("/review/gate?cursor=%00", 422),
        ("/forget", 422),
        ("?scope=" + "x" * 201, 422),
        ("/static/..%2F..%2Fpages.py", 404),
        ("/static/vendor/d3-LICENSE", 404),
        ("/%2e%2e/", 404),
    ],
)
def test_a_wrong_address_is_told_in_words(path: str, status: int, standing: Desk) -> None:
    """With the status that says whose mistake it is, and no traceback."""
    answer = standing.get(path)
    assert answer.status_code == status, answer.text
    assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    ("path", "sent", "status", "words"),
    [
        ("/add", {"content": " "}, 422, "content is missing"),
        ("/add", {"content": "x" * 64_001}, 422, "at most 64,000"),
        ("/add", {"content": "x" * 800_001}, 400, "maximum size"),
        ("/add", {"content": "\U0001f991" * 64_001}, 422, "at most 64,000"),
        ("/add", {"content": "a", "at": "soon"}, 422, "at"),
        ("/edit", {"metadata": "[]"}, 422, "must be a JSON object"),
        ("/edit", {"metadata": "[" * 20_000}, 422, "not JSON"),
        ("/edit", {"salience": "much"}, 422, "salience must be a number"),
        ("/put-back", {"event": "7"}, 422, "no longer in the log"),
        ("/review/gate", {"id": ""}, 422, "nothing was chosen"),
        ("/import", {}, 422, "no file was chosen"),
        ("/transfer/cancel", {"job": "x"}, 404, "no such job"),
        ("/access", {"label": "x", "days": "nan"}, 422, ""),
    ],
)
def test_a_wrong_form_is_told_in_words(
    path: str, sent: dict[str, str], status: int, words: str, standing: Desk
) -> None:
    """And nothing is stored."""
    before = standing.stored()
    answer = standing.post(path, {**form(standing.rows, standing.token()), **sent})
    assert (answer.status_code, words in answer.text) == (status, True), answer.text
    assert standing.stored() == before
    listed = standing.memory.list(status=("active", "low_signal", "superseded"))
    assert len(listed) == len(before)


def bearing(desk: Desk, **rights: Any) -> None:
    """From now on the desk's browser is somebody's, by a token; nothing is open any more."""
    now = datetime.now(UTC)
    admin = rights.get("admin", False)
    account = Account(new_id(), "ann", now, admin=admin, scopes=("*",) if admin else ("our*",))
    desk.memory.accounts.put_account(account)
    assert desk.get("").status_code == 401
    made = tokens.create(desk.memory.accounts, account, now, label="x", **rights)
    desk.client.headers["Authorization"] = f"Bearer {made.secret}"


def test_who_may_only_read_changes_nothing_and_sees_no_other_scope(desk: Desk) -> None:
    """Nor by a guessed id; the pages offer no button that would be refused."""
    theirs, ours = desk.rows, filled(desk.memory, "ours", mark=" of ours")
    bearing(desk, read_only=True)
    for path in ours.paths():
        text = desk.get(path).text
        assert 'class="button danger' not in text, path
        assert "Remember</button>" not in text
    sent = form(ours, desk.token("/review/gate"))
    for path in ACTIONS:
        assert desk.post(path, {**sent, "scope": "ours"}).status_code in {403, 404}, path
    secrets = {row.content for row in theirs.all()}
    for path in theirs.paths():
        for scoped in (path, f"{path}{'&' if '?' in path else '?'}scope=default"):
            assert not secrets & set(re.split("[<>]", desk.get(scoped).text)), scoped
    assert desk.get("?scope=default").status_code == 403
    assert desk.get(f"/memory?id={theirs.plain.id}").status_code == 404
    assert "alpha" not in desk.get(f"/graph/members?head={theirs.topic.id}").text


def test_what_is_done_in_the_console_stands_in_the_audit_log(desk: Desk) -> None:
    """Who, what, to which; never the content."""
    bearing(desk, admin=True)
    desk.post("/restore", form(desk.rows, desk.token()))
    desk.post("/add", {**form(desk.rows, desk.token()), "id": ""})
    found = [(entry.actor, entry.action, entry.target) for entry in desk.memory.accounts.audited(9)]
    restored = ("ann", "console.restore", desk.rows.old.id)
    assert found == [("ann", "console.add", "default"), restored]
