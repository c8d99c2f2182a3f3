"""The service as a process: started, checked, stopped and killed."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import apsw
import httpx2
import pytest

from hypermnesia.client import Client
from hypermnesia.errors import Unauthenticated
from hypermnesia.models.http import tls_context
from hypermnesia.serve.http.service import listen

PATIENCE = 120.0


def command(*arguments: str) -> list[str]:
    """The command line of the product."""
    return [sys.executable, "-c", "from hypermnesia.cli import main; main()", *arguments]


def environment(**settings: str) -> dict[str, str]:
    """Settings for a child: no judge, so that it starts soon, and one thread of the encoder."""
    return {
        **os.environ,
        "HYPERMNESIA_JUDGE": "off",
        "HYPERMNESIA_THREADS": "1",
        "HYPERMNESIA_LLM_CACHE": "off",
        **settings,
    }


class Process:
    """A service that runs."""

    def __init__(self, child: subprocess.Popen[str]) -> None:
        self.child = child
        self.lines: list[str] = []
        assert child.stderr is not None
        for line in child.stderr:
            self.lines.append(line)
            if found := re.search(r"serving (\S+) ", line):
                self.address = found[1]
                break
        else:
            raise AssertionError(self.lines)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.child.stderr is not None
        self.lines.extend(self.child.stderr)

    def ended(self) -> int:
        """Its exit status, and all that it said."""
        status = self.child.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return status


@contextmanager
def started(store: Path, *arguments: str, **settings: str) -> Generator[Process]:
    """A service on a port of the system's choice."""
    child = subprocess.Popen(
        command("serve", "--port", "0", "--store", str(store), *arguments),
        env=environment(**settings),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with child:  # closes its pipes in the end
        try:
            process = Process(child)
            try:
                yield process
            finally:
                child.kill()
                process.ended()  # before its pipes are closed, which are being read
        finally:
            child.kill()


def answering(process: Process) -> Client:
    """A client of a service that answers by now."""
    client = Client(process.address)
    client.scopes()
    return client


def test_it_serves_and_stops_when_it_is_told_to(tmp_path: Path) -> None:
    """What was acknowledged is there, and the status says that all was well."""
    store = tmp_path / "memory.db"
    with started(store) as process:
        with answering(process) as client:
            added = client.add("Billing uses NATS")
        process.child.send_signal(signal.SIGTERM)
        assert process.ended() == 0
    assert process.lines[-1] == "stopped\n"
    with started(store) as process, answering(process) as client:
        assert client.get(added.id).content == "Billing uses NATS"


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    """And a job that was under way goes on."""
    store = tmp_path / "memory.db"
    with started(store) as process:
        with httpx2.Client(
            verify=tls_context(), base_url=process.address, timeout=PATIENCE
        ) as http:
            http.post("/api/v1/memories", json={"content": "Billing uses NATS"})
            messages = [{"role": "user", "content": f"I moved to city {n}."} for n in range(200)]
            job = http.post("/api/v1/ingest", json={"messages": messages}).json()["id"]
        process.child.kill()
        process.ended()
    # The lease of the dead process: the next one would wait for it to run out.
    connection = apsw.Connection(str(store))
    connection.execute("UPDATE job SET lease = 0 WHERE lease IS NOT NULL")
    connection.close()
    with started(store) as process, answering(process) as client:
        assert len(client.list(levels="fact", limit=1000).items) >= 1
        tries = threading.Event()
        deadline = time.monotonic() + PATIENCE
        while not (found := client.job(job)).over and time.monotonic() < deadline:
            tries.wait(0.1)
        assert found.state == "done", found.error
        assert client.check().ok


def test_on_any_other_address_everything_is_closed_without_accounts(tmp_path: Path) -> None:
    """A link makes the first one; nothing else is open."""
    with started(tmp_path / "memory.db", "--host", "0.0.0.0") as process:
        port = process.address.rsplit(":", 1)[1]
        address = f"http://127.0.0.1:{port}"
        tries = threading.Event()
        while not any("/setup#" in line for line in process.lines):
            assert not tries.wait(0.01)
        with Client(address) as client, pytest.raises(Unauthenticated):
            client.scopes()
        assert httpx2.post(f"{address}/mcp", json={}, timeout=PATIENCE).status_code == 401


def test_an_address_that_is_taken_is_told(tmp_path: Path) -> None:
    """On one line, and with what to do."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        found = subprocess.run(
            command("serve", "--port", port, "--store", str(tmp_path / "memory.db")),
            env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
    assert found.returncode == 1
    assert "choose another --host or --port" in found.stderr
    assert "Traceback" not in found.stderr


def test_a_reply_does_not_wait_for_an_acknowledgement() -> None:
    """Connections that are taken send at once: 40 ms of each request, otherwise."""
    with listen("127.0.0.1", 0) as listening, socket.socket() as client:
        client.connect(listening.getsockname())
        taken, _ = listening.accept()
        with taken:
            assert taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_check_tells_what_would_keep_it_from_running(tmp_path: Path) -> None:
    """All of it, without serving anybody."""
    (tmp_path / "file").write_text("x", "utf-8")
    sound = subprocess.run(
        command("serve", "--check", "--json", "--port", "0", "--store", str(tmp_path / "m.db")),
        env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert sound.returncode == 0, sound.stderr
    assert {check["name"]: check["ok"] for check in json.loads(sound.stdout)} == {
        "address": True,
        "backups": True,
        "store": True,
        "models": True,
        "accounts": True,
    }
    broken = subprocess.run(
        command("serve", "--check", "--json", "--host", "192.0.2.1", "--store", str(tmp_path)),
        env=environment(HYPERMNESIA_SERVE_BACKUP_FOLDER=str(tmp_path / "file" / "backups")),
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert broken.returncode == 1
    assert not any(check["ok"] for check in json.loads(broken.stdout))
