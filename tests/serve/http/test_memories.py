"""Single memories over REST."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from hypermnesia.memory import Memory
from hypermnesia.models.http import tls_context

API = "/api/v1"
UNKNOWN = "01890a5d-ac96-774b-bcce-b302099a8057"


def put(http: httpx2.Client, content: str = "Billing uses NATS") -> str:
    """Remember a text; its id."""
    return http.post(f"{API}/memories", json={"content": content}).json()["id"]


def test_what_was_added_is_found_at_once(http: httpx2.Client) -> None:
    """Read your own writes."""
    reply = http.post(
        f"{API}/memories",
        json={"content": "Billing uses NATS", "tags": ["x"], "at": "2026-05-03T10:00:00+02:00"},
    )
    assert reply.status_code == 201
    found = http.post(f"{API}/search", json={"query": "billing"}).json()["items"]
    assert [hit["id"] for hit in found] == [reply.json()["id"]]
    assert found[0]["node"]["valid_from"] == "2026-05-03T10:00:00+02:00"


def test_an_added_memory_says_who_it_is_in_every_view(http: httpx2.Client, memory: Memory) -> None:
    """By id, in the list, in its history and in its log."""
    added = put(http)
    one = http.get(f"{API}/memories/{added}").json()
    assert one["content"] == memory.get(added).content
    assert http.get(f"{API}/memories").json()["items"][0]["id"] == added
    assert http.get(f"{API}/memories/{added}/history").json()["items"][0]["id"] == added
    assert http.get(f"{API}/memories/{added}/events").json()["items"][0]["kind"] == "add"


def test_a_batch_keeps_its_order_and_its_failures(http: httpx2.Client) -> None:
    """A bad item fails alone."""
    reply = http.post(
        f"{API}/memories/batch",
        json={"items": ["alpha", {"content": "beta", "tags": ["t"]}, {"content": "PIN is \x00"}]},
    )
    items = reply.json()["items"]
    assert [item.get("status") for item in items] == ["active", "active", None]
    assert items[2]["index"] == 2
    assert items[2]["error"] == "InvalidInput"


def test_pages_follow_each_other(http: httpx2.Client) -> None:
    """Every memory once, whatever the size of a page."""
    for number in range(5):
        put(http, f"memory {number}")
    seen: list[str] = []
    cursor = None
    while True:
        query = {"limit": "2", **({"cursor": cursor} if cursor else {})}
        page = http.get(f"{API}/memories", params=query).json()
        seen += [item["content"] for item in page["items"]]
        cursor = page["cursor"]
        if cursor is None:
            break
    assert sorted(seen) == [f"memory {number}" for number in range(5)]


def test_a_list_is_filtered_by_metadata(http: httpx2.Client) -> None:
    """A value is JSON if it parses, else text."""
    http.post(f"{API}/memories", json={"content": "alpha", "metadata": {"n": 1, "s": "a=b"}})
    http.post(f"{API}/memories", json={"content": "beta", "metadata": {"n": "1"}})
    for given, expected in (["n=1"], "alpha"), (['n="1"'], "beta"), (["n=1", "s=a=b"], "alpha"):
        found = http.get(f"{API}/memories", params={"metadata": given}).json()["items"]
        assert [item["content"] for item in found] == [expected]


# --- versions ----------------------------------------------------------------------


def test_a_change_needs_the_version_it_was_made_for(http: httpx2.Client) -> None:
    """Without one it is refused, with an old one, too; with the right one it is made."""
    path = f"{API}/memories/{put(http)}"
    tag = http.get(path).headers["etag"]
    assert http.patch(path, json={"tags": ["a"]}).status_code == 428
    assert http.patch(path, json={"tags": ["a"]}, headers={"If-Match": '"x"'}).status_code == 412
    changed = http.patch(path, json={"tags": ["a"]}, headers={"If-Match": f'"x", {tag}'})
    assert changed.status_code == 200
    assert http.patch(path, json={"tags": ["b"]}, headers={"If-Match": tag}).status_code == 412
    assert http.patch(path, json={"tags": ["b"]}, headers={"If-Match": "*"}).status_code == 200
    assert http.get(path).json()["tags"] == ["b"]


def test_reading_and_searching_change_no_version(http: httpx2.Client) -> None:
    """Counters of recall are no part of what a client would overwrite."""
    path = f"{API}/memories/{put(http)}"
    tag = http.get(path).headers["etag"]
    http.post(f"{API}/search", json={"query": "billing"})
    assert http.get(path).headers["etag"] == tag


def test_of_two_changes_of_one_version_one_is_made(http: httpx2.Client, address: str) -> None:
    """However close they come."""
    path = f"{API}/memories/{put(http)}"
    tag = http.get(path).headers["etag"]
    start = threading.Barrier(4)

    def change(number: int) -> int:
        with httpx2.Client(verify=tls_context(), base_url=address, timeout=120) as own:
            start.wait()
            body = {"tags": [str(number)]}
            return own.patch(path, json=body, headers={"If-Match": tag}).status_code

    with ThreadPoolExecutor(4) as pool:
        statuses = sorted(pool.map(change, range(4)))
    assert statuses == [200, 412, 412, 412]


# --- keys --------------------------------------------------------------------------


def test_a_request_that_is_sent_again_is_answered_again(
    http: httpx2.Client, memory: Memory
) -> None:
    """The same answer, and nothing is done twice."""
    headers = {"Idempotency-Key": "k1"}
    first = http.post(f"{API}/memories", json={"content": "alpha"}, headers=headers)
    memory.forget(ids=[first.json()["id"]])
    again = http.post(f"{API}/memories", json={"content": "alpha"}, headers=headers)
    assert (again.status_code, again.json()) == (201, first.json())
    assert again.headers["idempotency-replayed"] == "true"
    assert not memory.list().items


def test_a_key_belongs_to_one_request(http: httpx2.Client) -> None:
    """Another body, or another address, is another request."""
    headers = {"Idempotency-Key": "k1"}
    http.post(f"{API}/memories", json={"content": "alpha"}, headers=headers)
    other = http.post(f"{API}/memories", json={"content": "beta"}, headers=headers)
    assert other.status_code == 422
    assert other.json()["type"].endswith("IdempotencyKeyReused")
    forgotten = http.post(f"{API}/forget", json={"scope": "none"}, headers=headers)
    assert forgotten.status_code == 200


def test_a_request_that_failed_may_be_tried_again_under_its_key(http: httpx2.Client) -> None:
    """Only what was done is answered alike."""
    headers = {"Idempotency-Key": "k1"}
    body = {"ids": [UNKNOWN]}
    for _ in range(2):
        assert http.post(f"{API}/forget", json=body, headers=headers).status_code == 404


def test_a_key_that_is_no_key_is_refused(http: httpx2.Client) -> None:
    """Nothing is stored."""
    headers = {"Idempotency-Key": "two words"}
    reply = http.post(f"{API}/memories", json={"content": "alpha"}, headers=headers)
    assert reply.status_code == 422
    assert not http.get(f"{API}/memories").json()["items"]


def test_the_text_of_a_memory_is_not_kept_with_an_answer(
    http: httpx2.Client, memory: Memory
) -> None:
    """What is forgotten would live on there."""
    headers = {"Idempotency-Key": "k1"}
    added = http.post(f"{API}/memories", json={"content": "the vault"}, headers=headers).json()
    http.patch(
        f"{API}/memories/{added['id']}",
        json={"content": "the vault opens"},
        headers={"Idempotency-Key": "k2", "If-Match": "*"},
    )
    http.post(f"{API}/forget", json={"ids": [added["id"]]}, headers={"Idempotency-Key": "k3"})
    store = memory.service
    assert "vault" not in repr([store.jobs(10)])
    memory.forget(scope="default", erase=True)


# --- forgetting --------------------------------------------------------------------


def test_a_dry_run_tells_and_erases_nothing(http: httpx2.Client) -> None:
    """The receipt of what would go is the same as that of what went."""
    added = put(http)
    told = http.post(f"{API}/forget", json={"ids": [added], "dry_run": True}).json()
    assert told["ids"] == [added]
    assert http.get(f"{API}/memories/{added}").status_code == 200
    done = http.post(f"{API}/forget", json={"ids": [added]}).json()
    assert done["ids"] == [added]
    assert http.get(f"{API}/memories/{added}").status_code == 404


def test_erasing_gives_a_receipt(http: httpx2.Client) -> None:
    """Each index, with what was found there: nothing."""
    added = put(http)
    done = http.post(f"{API}/forget", json={"ids": [added], "erase": True}).json()
    assert done["receipt"]


def test_one_memory_is_deleted_by_its_address(http: httpx2.Client) -> None:
    """And is gone."""
    added = put(http)
    assert http.delete(f"{API}/memories/{added}").json()["ids"] == [added]
    assert http.delete(f"{API}/memories/{added}").status_code == 404


@pytest.mark.parametrize(
    "body",
    [{}, {"dry_run": True}, {"ids": []}, {"ids": [UNKNOWN], "query": "a"}, {"ids": ["x"]}],
)
def test_what_is_to_be_forgotten_must_be_said(http: httpx2.Client, body: object) -> None:
    """Nobody empties a scope by leaving it out."""
    put(http)
    assert http.post(f"{API}/forget", json=body).status_code == 422
    assert len(http.get(f"{API}/memories").json()["items"]) == 1


def test_a_superseded_memory_is_restored(http: httpx2.Client, memory: Memory) -> None:
    """Twice is once."""
    added = memory.add("alpha", pin=True)
    for _ in range(2):
        reply = http.post(f"{API}/memories/{added.id}/restore")
        assert (reply.status_code, reply.json()["status"]) == (200, "active")
        assert reply.headers["etag"]


# --- problems ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nowhere", 404),
        ("GET", f"{API}/nowhere", 404),
        ("DELETE", f"{API}/search", 405),
        ("GET", f"{API}/memories/{UNKNOWN}", 404),
        ("GET", f"{API}/memories/no-id", 404),
        ("GET", f"{API}/memories?limit=0", 422),
        ("GET", f"{API}/memories?nonsense=1", 422),
        ("POST", f"{API}/search", 422),
    ],
)
def test_every_failure_is_a_problem(
    http: httpx2.Client, method: str, path: str, status: int
) -> None:
    """With the same fields, whatever went wrong."""
    reply = http.request(method, path)
    assert reply.status_code == status
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json()["status"] == status
    assert reply.json()["type"].startswith("urn:hypermnesia:")


def test_a_wrong_field_is_named_and_its_value_is_not_repeated(http: httpx2.Client) -> None:
    """Whoever sent it knows it, and a log must not."""
    reply = http.post(f"{API}/memories", json={"content": "a", "memory_type": "s3cret"})
    assert reply.json()["errors"][0]["where"] == "body.memory_type"
    assert "s3cret" not in reply.text


def test_a_refused_text_names_the_rule(http: httpx2.Client) -> None:
    """And not the secret."""
    secret = "sk_" + "live_51H8xk2eZvKYlo2C0abcdefgh"
    reply = http.post(f"{API}/memories", json={"content": f"key {secret}"})
    assert (reply.status_code, reply.json()["rule"]) == (422, "stripe-key")
    assert secret not in reply.text


def test_all_methods_of_an_address_are_named(http: httpx2.Client) -> None:
    """Although each is a route of its own."""
    assert http.put(f"{API}/memories", json={}).headers["allow"] == "GET, POST"


def test_scopes_do_not_mix(http: httpx2.Client) -> None:
    """What is added to one is not found in another."""
    http.post(f"{API}/memories", json={"content": "alpha", "scope": "a"})
    for scope, number in ("a", 1), ("b", 0):
        body = {"query": "alpha", "scope": scope}
        assert len(http.post(f"{API}/search", json=body).json()["items"]) == number
    assert http.get(f"{API}/scopes").json()["items"] == ["a"]


def test_the_published_names_do_what_the_verbs_do(http: httpx2.Client) -> None:
    """One after the other."""
    added = http.post("/api/add", json={"content": "Billing uses NATS"})
    assert added.status_code == 201
    identifier = added.json()["id"]
    assert http.post("/api/search", json={"query": "nats"}).json()["items"][0]["id"] == identifier
    assert http.post("/api/list", json={}).json()["items"][0]["id"] == identifier
    assert http.post("/api/profile", json={}).json()["counts"]["active"] == 1
    assert http.post("/api/suggest", json={"content": "Billing uses NATS"}).json()["known"]
    assert "memory_add" in http.post("/api/help", json={}).json()["help"]
    assert http.post("/api/forget", json={"ids": [identifier]}).json()["ids"] == [identifier]
