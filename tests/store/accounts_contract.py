"""What every store must do for accounts, credentials, quotas and the audit log."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from hypermnesia.errors import Conflict, NotFound
from hypermnesia.identity import new_id
from hypermnesia.store.accounts import (
    Account,
    AccountStore,
    AuditEntry,
    Credential,
    CredentialKind,
    OAuthClient,
    Request,
    Usage,
)
from tests.store.bench import EMBEDDER, NOON, Bench

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def an_account(name: str = "ada") -> Account:
    """An account with every field filled."""
    return Account(
        new_id(), name, NOON, admin=True, scopes=("a", "b*"), plan="free", allowance=7,
        password="$argon2id$x", totp="SEED", disabled=False,
    )  # fmt: skip


def a_credential(
    account: Account, digest: bytes = b"d", kind: CredentialKind = "api", **more: Any
) -> Credential:
    """A credential of an account that lives for an hour."""
    made = Credential(new_id(), kind, digest, account.id, NOON, NOON + HOUR)
    return replace(made, **more)


def known(bench: Bench, name: str = "ada") -> tuple[AccountStore, Account]:
    """The store of accounts, with one in it."""
    account = an_account(name)
    bench.store.accounts.put_account(account)
    return bench.store.accounts, account


def an_account_comes_back_as_it_was_stored(bench: Bench) -> None:
    """And from another connection to the same store."""
    store, account = known(bench)
    assert store.account("ada") == account
    assert store.account("Ada") is None
    assert bench.open(EMBEDDER).accounts.accounts() == [account]


def an_account_is_replaced_by_its_id_and_names_are_unique(bench: Bench) -> None:
    """All but the step of its one-time passwords, which only ever rises."""
    store, account = known(bench)
    assert store.accept_step(account.id, 5)
    changed = replace(account, name="eve", plan=None, allowance=None, disabled=True)
    store.put_account(changed)
    assert store.accounts() == [replace(changed, totp_step=5)]
    with pytest.raises(Conflict, match="'eve'"):
        store.put_account(an_account("eve"))


def a_time_step_is_accepted_once_and_never_an_older_one(bench: Bench) -> None:
    """A one-time password that was seen on its way is of no use."""
    store, account = known(bench)
    assert [store.accept_step(account.id, step) for step in (5, 5, 4, 6)] == [
        True, False, False, True,
    ]  # fmt: skip


def the_first_account_needs_the_setup_link_and_there_is_one_first_account(bench: Bench) -> None:
    """Neither half happens without the other."""
    store = bench.store.accounts
    for digest in (b"s", b"t"):
        store.issue(Credential(new_id(), "setup", digest, None, NOON, NOON + HOUR))
    assert not store.found(an_account(), b"wrong", NOON)
    assert not store.found(an_account(), b"s", NOON + HOUR)
    assert store.accounts() == []
    assert store.found(an_account("ada"), b"s", NOON)
    assert not store.found(an_account("eve"), b"t", NOON)
    assert [account.name for account in store.accounts()] == ["ada"]


def removing_an_account_removes_what_it_could_use(bench: Bench) -> None:
    """Its credentials, counters and notices; not what the audit log says of it."""
    store, account = known(bench)
    store.issue(a_credential(account))
    store.charge(a_request(account, limit=1))
    store.audit(AuditEntry(NOON, "ada", "cli", "account.create", "ada", "ok"))
    assert store.remove_account("ada")
    assert not store.remove_account("ada")
    assert store.credential(b"d") is None
    assert store.usage(NOON - DAY) == store.notices(account.id) == []
    assert len(store.audited(9)) == 1
    with pytest.raises(NotFound, match="removed"):
        store.issue(a_credential(account))


def a_credential_comes_back_as_it_was_stored_with_its_account(bench: Bench) -> None:
    """By the digest of its secret alone."""
    store, account = known(bench)
    full = a_credential(
        account, kind="code", label="l", prefix="p", scopes=("x",), read_only=True, family="f",
        client="c", detail={"redirect_uri": "u"},
    )  # fmt: skip
    store.issue(full)
    assert store.credential(b"d") == (full, account)
    assert store.credential(b"e") is None


def a_credential_lives_until_it_expires_or_is_revoked(bench: Bench) -> None:
    """It expires at the instant it names."""
    store, account = known(bench)
    one = a_credential(account)
    store.issue(one)
    assert one.live(NOON)
    assert not one.live(NOON + HOUR)
    assert store.revoke(one.id, NOON)
    assert not store.revoke(one.id, NOON)
    assert not store.revoke("unknown", NOON)
    found = store.credential(b"d")
    assert found is not None
    assert found[0].revoked_at == NOON
    assert not found[0].live(NOON)


def credentials_are_listed_by_kind_and_account_newest_first(bench: Bench) -> None:
    """Of one account, or of all."""
    store, ada = known(bench)
    _, eve = known(bench, "eve")
    old, new = a_credential(ada, b"1"), a_credential(ada, b"2", created_at=NOON + HOUR)
    for one in (old, new, a_credential(eve, b"3", "session"), a_credential(eve, b"4")):
        store.issue(one)
    assert store.credentials("api", ada.id) == [new, old]
    assert len(store.credentials("api")) == 3
    assert len(store.credentials("session")) == 1


def the_last_use_of_a_credential_only_moves_forward(bench: Bench) -> None:
    """Requests end in any order."""
    store, account = known(bench)
    one = a_credential(account)
    store.issue(one)
    for at in (NOON + HOUR, NOON):
        store.touch_credential(one.id, at)
    assert store.credentials("api")[0].used_at == NOON + HOUR


def a_code_is_redeemed_once_and_a_second_use_revokes_what_it_led_to(bench: Bench) -> None:
    """Whoever comes second, the thief or the robbed, tells of the theft."""
    store, account = known(bench)
    store.issue(a_credential(account, b"code", "code", family="f"))
    store.issue(a_credential(account, b"access", "access", family="f"))
    store.issue(a_credential(account, b"other", "access", family="g"))
    assert store.redeem(b"code", "access", NOON) is None
    redeemed = store.redeem(b"code", "code", NOON)
    assert redeemed is not None
    assert redeemed.used_at == NOON
    assert live(store, b"access")
    assert store.redeem(b"code", "code", NOON) is None
    assert not live(store, b"access")
    assert live(store, b"other")


def an_expired_code_is_not_redeemed(bench: Bench) -> None:
    """And nothing is revoked for it."""
    store, account = known(bench)
    store.issue(a_credential(account, b"code", "code", family="f"))
    store.issue(a_credential(account, b"access", "access", family="f", expires_at=NOON + DAY))
    assert store.redeem(b"code", "code", NOON + HOUR) is None
    assert live(store, b"access", NOON + HOUR)


def of_many_that_redeem_a_code_at_once_one_succeeds(bench: Bench) -> None:
    """From several connections."""
    store, account = known(bench)
    store.issue(a_credential(account, b"code", "code"))

    def attempt(_number: int) -> bool:
        return store.redeem(b"code", "code", NOON) is not None

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(attempt, range(16))) == 1


def a_refresh_token_is_replaced_and_keeps_its_expiry(bench: Bench) -> None:
    """However often it is rotated, its day comes."""
    store, account = known(bench)
    store.issue(a_credential(account, b"1", "refresh", family="f", client="c"))
    rotated = store.rotate("f", "c", b"1", b"2", NOON)
    assert rotated is not None
    assert (rotated.digest, rotated.expires_at) == (b"2", NOON + HOUR)
    assert store.rotate("f", "c", b"2", b"3", NOON) is not None
    assert store.rotate("f", "c", b"3", b"4", NOON + HOUR) is None


def a_refresh_token_used_again_ends_its_family(bench: Bench) -> None:
    """The current one included: nobody can tell who the thief is."""
    store, account = known(bench)
    store.issue(a_credential(account, b"1", "refresh", family="f", client="c"))
    store.issue(a_credential(account, b"access", "access", family="f"))
    store.rotate("f", "c", b"1", b"2", NOON)
    assert live(store, b"access")
    assert store.rotate("f", "c", b"1", b"3", NOON) is None
    assert not live(store, b"access")
    assert store.rotate("f", "c", b"2", b"4", NOON) is None


def a_family_is_revoked_once(bench: Bench) -> None:
    """It is told whether anything was left of it; of an unknown one nothing is."""
    store, account = known(bench)
    store.issue(a_credential(account, b"1", "refresh", family="f", client="c"))
    assert not store.revoke_family("g", NOON)
    assert live(store, b"1")
    assert store.revoke_family("f", NOON)
    assert not live(store, b"1")
    assert not store.revoke_family("f", NOON)


def a_refresh_token_in_the_hands_of_another_client_ends_its_family(bench: Bench) -> None:
    """It was given to one client."""
    store, account = known(bench)
    store.issue(a_credential(account, b"1", "refresh", family="f", client="c"))
    assert store.rotate("f", "d", b"1", b"2", NOON) is None
    assert store.rotate("f", "c", b"1", b"2", NOON) is None


def of_many_that_rotate_a_token_at_once_one_succeeds(bench: Bench) -> None:
    """And the others end the family."""
    store, account = known(bench)
    store.issue(a_credential(account, b"1", "refresh", family="f", client="c"))

    def attempt(number: int) -> bool:
        return store.rotate("f", "c", b"1", b"new%d" % number, NOON) is not None

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(attempt, range(16))) == 1
    assert all(one.revoked_at for one in store.credentials("refresh"))


def all_live_credentials_of_an_account_are_revoked_by_kind(bench: Bench) -> None:
    """What a new password does to sessions."""
    store, account = known(bench)
    for digest in (b"1", b"2"):
        store.issue(a_credential(account, digest, "session"))
    store.issue(a_credential(account, b"3"))
    assert store.revoke_all(account.id, ("session", "access"), NOON) == 2
    assert store.revoke_all(account.id, ("session", "access"), NOON) == 0
    assert live(store, b"3")


def clients_are_stored_up_to_a_bound(bench: Bench) -> None:
    """Anyone may register: not without end."""
    store = bench.store.accounts
    clients = [OAuthClient(str(n), {"client_name": "ü", "n": n}, NOON) for n in range(3)]
    assert [store.register(client, 2) for client in clients] == [True, True, False]
    assert store.client("0") == clients[0]
    assert store.client("2") is None


def a_request(account: Account, limit: int | None, **more: Any) -> Request:
    """A search at noon."""
    made = Request(account.id, "search", NOON, NOON - HOUR, limit, (80, 90, 100))
    return replace(made, **more)


def requests_are_counted_up_to_the_limit_and_refused_ones_are_not(bench: Bench) -> None:
    """What is shown is what is enforced."""
    store, account = known(bench)
    charges = [store.charge(a_request(account, 2)) for _ in range(4)]
    assert [(charge.allowed, charge.used) for charge in charges] == [
        (True, 1), (True, 2), (False, 2), (False, 2),
    ]  # fmt: skip
    assert store.spent(account.id, NOON - HOUR) == 2


def a_counter_begins_anew_with_the_window_even_when_it_was_exhausted(bench: Bench) -> None:
    """Nobody stays locked out by a month that is over."""
    store, account = known(bench)
    store.charge(a_request(account, 1))
    assert not store.charge(a_request(account, 1)).allowed
    later = a_request(account, 1, window=NOON)
    assert store.spent(account.id, NOON) == 0
    assert store.charge(later).used == 1
    assert not store.charge(later).allowed


def a_clock_set_back_gives_no_fresh_counter(bench: Bench) -> None:
    """The later window's count goes on."""
    store, account = known(bench)
    store.charge(a_request(account, 1, window=NOON))
    assert not store.charge(a_request(account, 1)).allowed


def no_limit_counts_without_end_and_none_at_all_allows_nothing(bench: Bench) -> None:
    """``None`` and 0."""
    store, account = known(bench)
    assert [store.charge(a_request(account, None)).used for _ in range(3)] == [1, 2, 3]
    _, eve = known(bench, "eve")
    assert not store.charge(a_request(eve, 0)).allowed


def an_unknown_account_is_allowed_nothing(bench: Bench) -> None:
    """It was removed while its request was under way."""
    assert not bench.store.accounts.charge(a_request(an_account(), None)).allowed


def of_many_requests_at_once_exactly_the_limit_is_allowed(bench: Bench) -> None:
    """No update is lost between two openings of the store either."""
    store, account = known(bench)
    other = bench.open(EMBEDDER).accounts

    def ask(number: int) -> bool:
        return (store, other)[number % 2].charge(a_request(account, 25)).allowed

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(ask, range(60))) == 25
    assert store.spent(account.id, NOON - HOUR) == 25


def notices_are_given_once_each_window_and_kept(bench: Bench) -> None:
    """With the request that reached the share."""
    store, account = known(bench)
    given = [[n.percent for n in store.charge(a_request(account, 10)).notices] for _ in range(12)]
    assert given == [[]] * 7 + [[80], [90], [100], [], []]
    again = [store.charge(a_request(account, 10, window=NOON)).notices for _ in range(8)]
    assert [notice.percent for notice in again[-1]] == [80]
    assert [(n.window, n.percent) for n in store.notices(account.id)] == [
        (NOON, 80), (NOON - HOUR, 100), (NOON - HOUR, 90), (NOON - HOUR, 80),
    ]  # fmt: skip
    assert all(notice.delivered_at == NOON for notice in store.notices(account.id))


def shares_passed_together_give_the_highest_notice(bench: Bench) -> None:
    """A limit of one is reached at once; a lowered one was passed long ago."""
    store, account = known(bench)
    (notice,) = store.charge(a_request(account, 1)).notices
    assert notice.percent == 100
    assert store.charge(a_request(account, 2)).notices == ()


def the_ledger_counts_by_day_and_action(bench: Bench) -> None:
    """Refusals apart."""
    store, account = known(bench)
    midnight = NOON.replace(hour=0)
    for at, limit, action in ((NOON, 1, "add"), (NOON, 1, "add"), (NOON + DAY, 2, "search")):
        store.charge(a_request(account, limit, at=at, action=action))
    assert store.usage(NOON, account.id) == [
        Usage(account.id, midnight, "add", 1, 1),
        Usage(account.id, midnight + DAY, "search", 1, 0),
    ]
    assert len(store.usage(NOON + DAY)) == 1
    assert store.usage(NOON, "nobody") == []


def the_audit_log_is_read_newest_first(bench: Bench) -> None:
    """A page at a time."""
    store = bench.store.accounts
    entries = [
        AuditEntry(NOON + n * HOUR, "ada", "cli", "token.create", str(n), "ok") for n in range(3)
    ]
    for entry in entries:
        store.audit(entry)
    assert store.audited(2) == [entries[2], entries[1]]
    assert store.audited(2, entries[1].at) == [entries[0]]


def sweeping_drops_what_is_over_and_keeps_api_tokens(bench: Bench) -> None:
    """An expired API token is still worth seeing in the list."""
    store, account = known(bench)
    store.register(OAuthClient("idle", {}, NOON), 9)
    store.register(OAuthClient("used", {}, NOON), 9)
    store.issue(a_credential(account, b"1", "api"))
    store.issue(a_credential(account, b"2", "session"))
    store.issue(a_credential(account, b"3", "refresh", expires_at=NOON + DAY * 9, client="used"))
    for at in (NOON, NOON + DAY):
        store.audit(AuditEntry(at, "ada", "cli", "x", "", "ok"))
    store.sweep(NOON + 2 * DAY, NOON + DAY)
    assert [store.credential(digest) is None for digest in (b"1", b"2", b"3")] == [
        False, True, False,
    ]  # fmt: skip
    assert [entry.at for entry in store.audited(9)] == [NOON + DAY]
    assert store.client("idle") is None
    assert store.client("used") is not None


def live(store: AccountStore, digest: bytes, at: datetime = NOON) -> bool:
    """Whether a credential is neither revoked nor expired."""
    found = store.credential(digest)
    return found is not None and found[0].live(at)


ACCOUNTS: tuple[Callable[[Bench], None], ...] = (
    an_account_comes_back_as_it_was_stored,
    an_account_is_replaced_by_its_id_and_names_are_unique,
    a_time_step_is_accepted_once_and_never_an_older_one,
    the_first_account_needs_the_setup_link_and_there_is_one_first_account,
    removing_an_account_removes_what_it_could_use,
    a_credential_comes_back_as_it_was_stored_with_its_account,
    a_credential_lives_until_it_expires_or_is_revoked,
    credentials_are_listed_by_kind_and_account_newest_first,
    the_last_use_of_a_credential_only_moves_forward,
    a_code_is_redeemed_once_and_a_second_use_revokes_what_it_led_to,
    an_expired_code_is_not_redeemed,
    of_many_that_redeem_a_code_at_once_one_succeeds,
    a_refresh_token_is_replaced_and_keeps_its_expiry,
    a_refresh_token_used_again_ends_its_family,
    a_family_is_revoked_once,
    a_refresh_token_in_the_hands_of_another_client_ends_its_family,
    of_many_that_rotate_a_token_at_once_one_succeeds,
    all_live_credentials_of_an_account_are_revoked_by_kind,
    clients_are_stored_up_to_a_bound,
    requests_are_counted_up_to_the_limit_and_refused_ones_are_not,
    a_counter_begins_anew_with_the_window_even_when_it_was_exhausted,
    a_clock_set_back_gives_no_fresh_counter,
    no_limit_counts_without_end_and_none_at_all_allows_nothing,
    an_unknown_account_is_allowed_nothing,
    of_many_requests_at_once_exactly_the_limit_is_allowed,
    notices_are_given_once_each_window_and_kept,
    shares_passed_together_give_the_highest_notice,
    the_ledger_counts_by_day_and_action,
    the_audit_log_is_read_newest_first,
    sweeping_drops_what_is_over_and_keeps_api_tokens,
)
