"""The verbs that a client calls at the start and the end of a session."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import stamina

from hypermnesia import Memory
from hypermnesia.errors import Conflict
from tests.cli.conftest import OLD, Terminal
from tests.clients.transcripts import FACT, session, write


def _payload(event: str, path: Path | None = None, **extra: Any) -> str:
    return json.dumps(
        {
            "session_id": "5a0ddcd0", "transcript_path": str(path or "/none.jsonl"),
            "cwd": "/home/ann/shop",
            "permission_mode": "default", "hook_event_name": event, **extra,
        }
    )  # fmt: skip


def test_the_start_tells_what_is_known(hm: Terminal) -> None:
    """In the form that the client adds to the session."""
    hm.add(OLD, "--scope", "shop")
    hm.add("another scope", "--scope", "other")
    payload = _payload("SessionStart", source="startup")
    output = json.loads(hm.out("hook", "session-start", "--scope", "shop", stdin=payload))
    assert output["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    context = output["hookSpecificOutput"]["additionalContext"]
    assert OLD in context
    assert "another scope" not in context


def test_a_start_with_nothing_known_says_nothing(hm: Terminal) -> None:
    """An empty context would only cost tokens."""
    assert hm.out("hook", "session-start", stdin=_payload("SessionStart")) == ""


def test_a_transcript_is_taken_in_once_and_goes_on(hm: Terminal, tmp_path: Path) -> None:
    """At every stop anew; what was recalled stays out."""
    path = write(tmp_path / "t.jsonl", session()[:8])
    hook = ("hook", "session-end", "--wait", "--scope", "shop")
    assert "2 turns stored" in hm.run(*hook, stdin=_payload("Stop", path)).stderr
    write(path, session())
    assert "1 turns stored, 2 known" in hm.run(*hook, stdin=_payload("SessionEnd", path)).stderr
    turns = hm.json("list", "--scope", "shop", "--level", "turn")
    assert len(turns["items"]) == 3
    assert FACT not in json.dumps(hm.json("list", "--scope", "shop"))


def test_a_capture_waits_for_another_of_the_same_session(
    hm: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stop and the end of a session follow each other closely."""
    taken, tries = Memory.ingest, list[int]()

    def ingest(*arguments: Any, **options: Any) -> Any:
        tries.append(1)
        if len(tries) == 1:
            raise Conflict("another process is at it")
        return taken(*arguments, **options)

    monkeypatch.setattr(Memory, "ingest", ingest)
    path = write(tmp_path / "t.jsonl", session())
    with stamina.set_testing(True, attempts=2, cap=False):
        done = hm.run("hook", "session-end", "--wait", stdin=_payload("Stop", path))
    assert "3 turns stored" in done.stderr


@pytest.mark.parametrize("verb", ["session-start", "session-end"])
@pytest.mark.parametrize("payload", ["", "{", "[]", "null", b"\xff\xfe", '{"transcript_path": 5}'])
def test_a_malformed_message_never_breaks_the_client(
    hm: Terminal, verb: str, payload: str | bytes
) -> None:
    """Status 0, nothing on stdout, at most a line on stderr."""
    done = hm.run("hook", verb, stdin=payload)
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr.count("\n") <= 1


@pytest.mark.parametrize("verb", ["session-start", "session-end"])
def test_a_broken_store_never_breaks_the_client(tmp_path: Path, hm: Terminal, verb: str) -> None:
    """The reason is on stderr."""
    path = write(tmp_path / "t.jsonl", session())
    hm.store.write_bytes(b"no store at all" * 100)
    wait = ["--wait"] if verb == "session-end" else []
    done = hm.run("hook", verb, *wait, stdin=_payload("Stop", path))
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr.startswith("hypermnesia: ")


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe with a name stands for the log")
def test_the_client_does_not_wait_for_the_end(tmp_path: Path) -> None:
    """The work goes on in a process of its own, whose end the pipe tells."""
    home = tmp_path / "home"
    log = home / ".local" / "state" / "hypermnesia" / "log" / "hooks.log"
    log.parent.mkdir(parents=True)
    os.mkfifo(log)
    path = write(tmp_path / "t.jsonl", session())
    store = str(tmp_path / "m.db")
    run = [sys.executable, "-c", "from hypermnesia.cli import main; main()"]
    with subprocess.Popen(
        [*run, "hook", "session-end", "--store", store, "--scope", "shop"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={"HOME": str(home), "PATH": os.environ["PATH"]},
    ) as process:  # fmt: skip
        assert process.stdin is not None
        process.stdin.write(_payload("SessionEnd", path).encode())
        process.stdin.close()
        told = log.read_text()
        assert process.wait(120) == 0
    assert "3 turns stored" in told
    with Memory.open(store) as memory:
        assert len(memory.list(scope="shop", levels=("turn",)).items) == 3
