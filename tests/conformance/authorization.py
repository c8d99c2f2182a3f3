"""The suite's scenarios for authorization servers: ``-m tests.conformance.authorization COMMAND``.

The suite plays the client, and a person who is signed in opens the address that it prints and
allows what is asked.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import httpx2

from hypermnesia.memory import Memory
from tests.serve.accounts.flow import Flow, submit
from tests.serve.accounts.service import WAIT, running


def main(command: Sequence[str]) -> int:
    """Run the scenarios against a service with one account; the exit code of the suite."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "memory.db"
        with Memory.open(store) as memory, running(memory, oauth_registration=True) as service:
            service.account(password=True)
            port, flow = _free_port(), Flow(service)
            registered = flow.register(redirect_uris=[f"http://127.0.0.1:{port}/callback"])
            assert registered.status_code == 201, registered.text
            asked = [
                *command, "authorization", "--url", service.url, "--client-id", flow.client_id,
                "--port", str(port), "--resource", f"{service.url}/mcp",
            ]  # fmt: skip
            with subprocess.Popen(asked, stdout=subprocess.PIPE, text=True) as suite:
                assert suite.stdout is not None
                _allow(suite.stdout, service.url, service.signed_in())
            return suite.returncode


def _allow(told: IO[str], url: str, person: httpx2.Client) -> None:
    for line in told:
        sys.stdout.write(line)
        if line.startswith(f"{url}/authorize?"):
            answer = submit(person, person.get(line.strip()))
            httpx2.get(answer.headers["location"], timeout=WAIT).raise_for_status()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
