"""Every place where a service's rows may lie keeps its contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hypermnesia.store.postgres.store import PostgresStore
from hypermnesia.store.protocol import Store
from hypermnesia.store.service import ServiceStore
from hypermnesia.store.sqlite.store import SqliteStore
from tests.store import service_contract

CONTRACT = [
    rule
    for name, rule in vars(service_contract).items()
    if callable(rule) and getattr(rule, "__module__", "") == service_contract.__name__
    and name not in {"job", "state_of"}
]  # fmt: skip


@pytest.fixture(params=["sqlite", "postgres"])
def service(request: pytest.FixtureRequest) -> Iterator[ServiceStore]:
    """The service's part of an empty store of each kind."""
    store: Store
    if request.param == "sqlite":
        folder: Path = request.getfixturevalue("tmp_path")
        store = SqliteStore(folder / "memory.db", "test", 4)
    else:
        store = PostgresStore(request.getfixturevalue("postgres_url"), "test", 4)
    yield store.service
    store.close()


@pytest.mark.parametrize("rule", CONTRACT, ids=lambda rule: rule.__name__)
def test_contract(rule: Callable[[ServiceStore], None], service: ServiceStore) -> None:
    """See the rule's own explanation."""
    rule(service)


def test_what_a_job_was_made_of_is_not_left_in_the_file(tmp_path: Path) -> None:
    """It is a conversation, and may be asked to be forgotten as soon as it is stored."""
    store = SqliteStore(tmp_path / "memory.db", "test", 4)
    put = service_contract.job()
    noon, minute = service_contract.NOON, service_contract.MINUTE
    store.service.put_job(put, b"the vault opens at dawn")
    store.service.claim_job("a", noon, noon + minute)
    store.service.end_job(put.id, "a", noon, "done")
    store.close()
    assert b"the vault opens" not in (tmp_path / "memory.db").read_bytes()
