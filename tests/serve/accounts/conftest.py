"""A service of each test's own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hypermnesia.memory import Memory
from hypermnesia.serve.accounts import passwords
from tests.serve.accounts.service import Service, running


@pytest.fixture(scope="session", autouse=True)
def cheap_hashes() -> Iterator[None]:
    """Argon2 with as little work as it allows: what it protects here is no secret."""
    from argon2 import PasswordHasher

    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "hasher", lambda: cheap)
        yield


@pytest.fixture
def service(memory: Memory) -> Iterator[Service]:
    """On the default address, with nobody known yet."""
    with running(memory) as started:
        yield started
