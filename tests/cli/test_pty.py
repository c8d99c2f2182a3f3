"""The installed command on real terminals."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("needs a pseudo-terminal", allow_module_level=True)

import pty


def _chunks(handle: int) -> Iterator[bytes]:
    """What arrives at the controlling end of a terminal until the other end closes."""
    while select.select([handle], [], [], 30)[0]:
        try:
            chunk = os.read(handle, 65536)
        except OSError:  # how Linux reports that the last writer has gone
            return
        if not chunk:
            return
        yield chunk


def _in_terminal(*args: str, stdin: bytes = b"", environ: Mapping[str, str]) -> tuple[str, str]:
    """Run the installed command with stdout and stderr on terminals of their own."""
    outs = [pty.openpty(), pty.openpty()]
    command = [Path(sys.executable).with_name("hypermnesia"), *args]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=outs[0][1],
        stderr=outs[1][1],
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", **environ},
    ) as process:
        for _, slave in outs:
            os.close(slave)
        assert process.stdin is not None
        process.stdin.write(stdin)
        process.stdin.close()
        shown = [b"".join(_chunks(master)).decode() for master, _ in outs]
    for master, _ in outs:
        os.close(master)
    assert process.returncode == 0, shown
    return shown[0], shown[1]


@pytest.mark.parametrize(("environ", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_a_real_terminal_sees_a_bar_and_then_the_outcome(
    tmp_path: Path, environ: Mapping[str, str], *, coloured: bool
) -> None:
    """The bar has a rate, is coloured unless NO_COLOR is set, and goes away; rows are on stdout."""
    lines = b"".join(b"Service %d listens on port %d\n" % (n, 8000 + n) for n in range(3))
    store = {"HYPERMNESIA_STORE": f"{tmp_path}/m.db"}
    out, err = _in_terminal("add", "-", "--lines", stdin=lines, environ={**store, **environ})
    assert len(out.splitlines()) == 3
    assert "3/3" in err
    assert "memories/s" in err
    assert "3 memories added, 0 failed" in err.splitlines()[-1]
    assert bool(re.search(r"\x1b\[(3[0-7]|38;)", err)) is coloured


def test_an_ingest_on_a_terminal_tells_how_far_it_is(tmp_path: Path) -> None:
    """Of how many messages, since the file can be counted."""
    path = tmp_path / "talk.txt"
    path.write_text("\n".join(f"Ann: I saw bird number {i}." for i in range(70)), "utf-8")
    store = str(tmp_path / "memory.db")
    out, bar = _in_terminal("ingest", str(path), "--store", store, environ={"NO_COLOR": "1"})
    assert out == ""
    assert "/70" in bar  # how far depends on when the terminal is drawn
    assert "70 turns stored" in bar


def test_a_pipe_is_read_once_though_its_messages_are_not_counted(tmp_path: Path) -> None:
    """As in ``hypermnesia ingest <(command)``: counting would leave nothing to store."""
    said = b"Ann: I saw a heron.\nBo: I saw two of them."
    store = str(tmp_path / "memory.db")
    _, told = _in_terminal(
        "ingest", "/dev/stdin", "--store", store, stdin=said, environ={"NO_COLOR": "1"}
    )
    assert "2 turns stored" in told
