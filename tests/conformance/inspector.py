"""Every tool called by the official Inspector: ``inspector.py COMMAND ... -- TARGET ...``.

Before the dashes the Inspector and its options, after them the address or the command of the
server, whose store must be empty. The calls are one story, in the order of a memory's life.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Generator, Mapping
from typing import Any

from jsonschema import Draft202012Validator

MOVED = "Billing moved from Kafka to NATS because of the licence"


def story() -> Generator[tuple[str, dict[str, Any]], Any, None]:
    """Tools and their arguments; yields a call, and is sent its structured result."""
    old = yield "memory_add", {"content": "Billing uses Kafka", "at": "2026-01-12"}
    new = yield "memory_add", {"content": MOVED, "at": "2026-05-03", "tags": ["billing"]}
    other = yield "memory_add", {"content": "Ann prefers tabs", "memory_type": "preference"}
    assert old["id"] in new["superseded"]
    filters = {"tags": ["billing"], "types": [new["memory_type"]]}
    found = yield "memory_search", {"query": "what does billing use?", "filters": filters, "k": 3}
    assert [hit["id"] for hit in found["memories"]] == [new["id"]]
    found = yield "memory_search", {"query": "billing", "as_of": "2026-02-01", "explain": True}
    assert old["id"] in [hit["id"] for hit in found["memories"]]
    known = yield "memory_context", {"query": "billing infrastructure", "max_tokens": 500}
    assert MOVED in known["context"]
    compared = yield "memory_suggest", {"content": MOVED}
    assert compared["known"]
    page = yield "memory_list", {"limit": 1}
    rest = yield "memory_list", {"limit": 1, "cursor": page["cursor"]}
    assert {item["id"] for item in page["memories"] + rest["memories"]} == {new["id"], other["id"]}
    whole = yield "memory_get", {"id": new["id"]}
    assert whole["content"] == MOVED
    chain = yield "memory_history", {"id": new["id"]}
    assert [item["id"] for item in chain["memories"]] == [old["id"], new["id"]]
    overview = yield "memory_profile", {}
    assert overview["counts"]["superseded"] == 1
    corrected = yield "memory_update", {"id": new["id"], "content": f"{MOVED}.", "pin": True}
    assert corrected["id"] == new["id"]
    restored = yield "memory_restore", {"id": old["id"]}
    assert restored["status"] == "active"
    preview = yield "memory_forget", {"scope": "default"}
    assert (preview["dry_run"], preview["count"]) == (True, 3)
    erased = yield "memory_forget", {"ids": [other["id"]]}
    assert erased["ids"] == [other["id"]]
    erased = yield "memory_forget", {"scope": "default", "dry_run": False}
    assert erased["count"] == 2
    empty = yield "memory_list", {}
    assert not empty["memories"]
    help_ = yield "memory_help", {}
    assert "memory_search" in help_["help"]
    for name in ("memory_corpus_stats", "jev_queue_stats"):
        queued = yield name, {"scope": "default"}
        assert not queued["consent"]
    for name in ("memory_corpus_sync", "sync_jev_dataset"):
        left = yield name, {}
        assert left["rows"] == 0


class Inspector:
    """The Inspector, started once a request as its command line is."""

    def __init__(self, command: list[str], target: list[str]) -> None:
        self._command = command
        self._target = target

    def request(self, method: str, *options: str) -> Any:
        """The result of a request.

        Raises:
            SystemExit: it failed.
        """
        asked = [*self._command, "--format", "json", "--quiet", "--method", method, *options]
        done = subprocess.run(
            [*asked, "--", *self._target], capture_output=True, text=True, timeout=120, check=False
        )
        if done.returncode:
            raise SystemExit(f"{method} {' '.join(options)}: {done.stdout}{done.stderr}")
        return json.loads(done.stdout)["result"]

    def call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """The result of a tool."""
        given = json.dumps(arguments)
        return self.request("tools/call", "--tool-name", name, "--tool-args-json", given)


def main(inspector: Inspector) -> None:
    """Call every tool, hold its result to its schema, and read a memory as a resource.

    Raises:
        SystemExit: a call failed, or a tool was not called.
        AssertionError, ValidationError: a result is not what it should be.
    """
    tools = inspector.request("tools/list", "--strict")["tools"]
    schemas = {tool["name"]: Draft202012Validator(tool["outputSchema"]) for tool in tools}
    templates = inspector.request("resources/templates/list")["resourceTemplates"]
    assert [template["uriTemplate"] for template in templates] == ["memory://{id}"]
    calls = story()
    called: set[str] = set()
    answer: Any = None
    while True:
        try:
            name, arguments = calls.send(answer)
        except StopIteration:
            break
        result = inspector.call(name, arguments)
        assert not result.get("isError"), result
        answer = result["structuredContent"]
        schemas[name].validate(answer)
        if not called:
            _read(inspector, answer["id"])
        called.add(name)
    if called != set(schemas):
        raise SystemExit(f"never called: {', '.join(sorted(set(schemas) - called))}")
    sys.stdout.write(f"Inspector: {len(called)} tools called\n")


def _read(inspector: Inspector, memory_id: str) -> None:
    (listed,) = inspector.request("resources/list")["resources"]
    assert listed["uri"] == f"memory://{memory_id}"
    (contents,) = inspector.request("resources/read", "--uri", listed["uri"])["contents"]
    assert "Billing uses Kafka" in contents["text"]


if __name__ == "__main__":
    split = sys.argv.index("--")
    main(Inspector(sys.argv[1:split], sys.argv[split + 1 :]))
