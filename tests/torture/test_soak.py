"""The rule by which a long run tells growth from noise, and that its measures see growth."""

from __future__ import annotations

import os
import tempfile
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest
from torture.report import soaked
from torture.soak import WATCHED, growth, soak

MOMENTS = [float(second) for second in range(100)]


def test_a_leak_is_growth() -> None:
    """However slow, once it exceeds what is noise; the slope tells how fast."""
    leaking = growth("resident memory", MOMENTS, [200 + second for second in MOMENTS])
    assert leaking.grew
    assert leaking.slope == pytest.approx(3600)


def test_warming_up_is_none() -> None:
    """What fills a cache and stays."""
    warming = [200 + min(second, 20) * 10 for second in MOMENTS]
    assert not growth("resident memory", MOMENTS, warming).grew


def test_noise_is_none() -> None:
    """Up and down, and a peak now and then."""
    noisy = [16 + second % 3 + 50 * (second == 80) for second in MOMENTS]
    found = growth("open descriptors", MOMENTS, noisy)
    assert not found.grew
    assert soaked([found])["rows"][0][1:3] == [17.0, 17.0]


@pytest.mark.parametrize("name", WATCHED)
def test_each_measure_sees_what_it_is_for(tmp_path: Path, name: str) -> None:
    """None of them reads always the same."""
    store, temporary = tmp_path / "memory.db", tmp_path / "temporary"
    temporary.mkdir()
    before, over = WATCHED[name].read(store, temporary), threading.Event()
    with ExitStack() as opened:
        for _ in range(4):
            opened.enter_context(tempfile.TemporaryFile(dir=temporary))
            (waiting := threading.Thread(target=over.wait)).start()
            opened.callback(waiting.join)
        opened.callback(over.set)
        kept = bytearray(os.urandom(1 << 20) * 64)
        (tmp_path / "memory.db-wal").write_bytes(b"x" * (1 << 20))
        (temporary / "left").touch()
        assert WATCHED[name].read(store, temporary) > before
        assert kept


def test_a_short_run_stays_as_it_is() -> None:
    """The load works, and cleans up after itself; the long run is ``make soak``."""
    growths, verbs = soak(0.01, 1, lambda _line: None)
    assert {one.name for one in growths} == set(WATCHED)
    assert verbs > 0
    assert next(one for one in growths if one.name == "temporary files").second == 0
