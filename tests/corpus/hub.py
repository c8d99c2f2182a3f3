"""A stand-in for the Hugging Face hub: as much of its HTTP API as a commit to a data set needs."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "hf_test"


@dataclass
class Hub:
    """What the hub holds.

    Attributes:
        url: its address.
        files: contents by ``owner/name`` and path.
        commits: paths of each commit.
        private: whether each data set is.
        refuse: answer commits with this status instead.
        silent: accept a commit and never answer until this is set.
    """

    url: str = ""
    files: dict[str, dict[str, bytes]] = field(default_factory=dict[str, dict[str, bytes]])
    commits: list[list[str]] = field(default_factory=list[list[str]])
    private: dict[str, bool] = field(default_factory=dict[str, bool])
    refuse: int | None = None
    silent: threading.Event | None = None

    def rows(self, repo: str) -> list[dict[str, Any]]:
        """Rows of all files of JSON lines."""
        found = self.files.get(repo, {}).items()
        data = [content for path, content in found if path.endswith(".jsonl")]
        return [json.loads(line) for content in data for line in content.decode().splitlines()]

    def answer(self, method: str, path: str, token: str, body: bytes) -> tuple[int, Any]:
        """Status and JSON of a reply."""
        if token != f"Bearer {TOKEN}":
            return 401, {"error": f"bad token {token}"}
        parts = path.partition("?")[0].strip("/").split("/")
        match method, parts:
            case "POST", ["api", "repos", "create"]:
                return self._create(json.loads(body))
            case "POST", ["api", "datasets", owner, name, "preupload", "main"]:
                return self._preupload(f"{owner}/{name}", json.loads(body))
            case "POST", ["api", "datasets", owner, name, "commit", "main"]:
                return self._commit(f"{owner}/{name}", body)
            case "GET", ["api", "datasets", owner, name, "revision", "main"]:
                return 200, {"id": f"{owner}/{name}", "sha": "0" * 40}
            case _:
                return 404, {"error": f"{method} {path} is not known here"}

    def _create(self, wanted: dict[str, Any]) -> tuple[int, Any]:
        repo = f"{wanted['organization']}/{wanted['name']}"
        url = f"{self.url}/datasets/{repo}"
        if repo in self.files:
            return 409, {"error": "there is one", "url": url}
        self.files[repo] = {}
        self.private[repo] = wanted["visibility"] == "private"
        return 200, {"url": url}

    def _preupload(self, repo: str, wanted: dict[str, Any]) -> tuple[int, Any]:
        held = {path: _blob(content) for path, content in self.files[repo].items()}
        return 200, {
            "files": [
                {
                    "path": file["path"],
                    "uploadMode": "regular",
                    "shouldIgnore": False,
                    "oid": held.get(file["path"]),
                }
                for file in wanted["files"]
            ]
        }

    def _commit(self, repo: str, body: bytes) -> tuple[int, Any]:
        if self.refuse is not None:
            return self.refuse, {"error": "told to refuse"}
        items = [json.loads(line) for line in body.splitlines()]
        added = [item["value"] for item in items if item["key"] == "file"]
        for file in added:
            self.files[repo][file["path"]] = base64.b64decode(file["content"])
        self.commits.append([file["path"] for file in added])
        if self.silent is not None:
            self.silent.wait()
        oid = f"{len(self.commits):040x}"
        return 200, {"commitUrl": f"{self.url}/datasets/{repo}/commit/{oid}", "commitOid": oid}


@contextmanager
def serving() -> Generator[Hub]:
    """A hub on a port of its own."""
    hub = Hub()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self._reply(self.rfile.read(int(self.headers["Content-Length"])))

        def do_GET(self) -> None:
            self._reply(b"")

        def _reply(self, body: bytes) -> None:
            token = self.headers.get("Authorization", "")
            status, answer = hub.answer(self.command, self.path, token, body)
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as inherited
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hub.url = f"http://127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield hub
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


def _blob(content: bytes) -> str:
    """The name that git gives a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
