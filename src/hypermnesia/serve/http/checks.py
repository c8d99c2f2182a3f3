"""Whether a service would run with these settings, found out without serving anybody."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hypermnesia.config import Settings
from hypermnesia.errors import HypermnesiaError, InvalidInput
from hypermnesia.folders import expanded
from hypermnesia.memory import Memory
from hypermnesia.serve.http.health import Probe
from hypermnesia.serve.http.service import listen, service_app


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that a service needs.

    Attributes:
        detail: what was found; why not, if it is not ok.
    """

    name: str
    ok: bool
    detail: str


def checks(settings: Settings) -> Iterator[Check]:
    """Everything that a service needs, one after the other."""
    yield _checked("address", lambda: _address(settings))
    yield _checked("backups", lambda: _backups(settings))
    try:
        memory = Memory.open(settings=settings)
    except HypermnesiaError as error:
        yield Check("store", ok=False, detail=str(error))
        return
    with memory:
        probe = Probe(memory)
        yield _checked("store", lambda: _said(probe.write, "opened and written"))
        yield _checked("models", lambda: _said(probe.warm, "loaded, and a search went through"))
        yield _checked("accounts", lambda: _accounts(memory, settings))


def _checked(name: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, ok=True, detail=look())
    except HypermnesiaError as error:
        return Check(name, ok=False, detail=str(error))


def _said(work: Callable[[], None], done: str) -> str:
    work()
    return done


def _address(settings: Settings) -> str:
    with listen(settings.serve_host, settings.serve_port):
        return f"{settings.serve_host}:{settings.serve_port} is free"


def _backups(settings: Settings) -> str:
    if settings.serve_backup_folder is None:
        return "none are made; set serve_backup_folder"
    folder = expanded(settings.serve_backup_folder)
    standing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not standing.is_dir() or not os.access(standing, os.W_OK | os.X_OK):
        raise InvalidInput(f"{standing} cannot be written; no backup could be made in {folder}")
    return f"every {settings.serve_backup_hours:g} h to {folder}"


def _accounts(memory: Memory, settings: Settings) -> str:
    _app, accounts = service_app(memory, settings)
    if memory.accounts.accounts():
        return "set up; every request needs a credential"
    if accounts.hall.policy.site.private:
        return "none; open to whoever uses this machine, and to nobody else"
    return "none yet; everything is closed until the first one is made by the setup link"
