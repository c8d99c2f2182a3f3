"""A user's own heads: what is read is checked first."""

from __future__ import annotations

import logging
import pickle
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from hypermnesia.errors import ModelError
from hypermnesia.judge import own_heads
from hypermnesia.judge.chain import Chain
from hypermnesia.judge.local import LocalJudge
from hypermnesia.judge.local_heads import SHIPPED, Heads, arrays
from hypermnesia.judge.own_heads import read, remove, shapes, write
from tests.judge.passages import passage

Arrays = dict[str, npt.NDArray[np.generic]]


def some(shift: float = 0.0) -> Arrays:
    """One head, as it ships but for its bias."""
    return {
        "durable/text/weight": arrays()["durable/text/weight"],
        "durable/text/bias": SHIPPED.floats("durable/text/bias") + np.float32(shift),
    }


def test_what_was_written_is_read_and_named_after_its_content(tmp_path: Path) -> None:
    """Other arrays, another name; the same, the same."""
    names = list[str]()
    for number, own in enumerate((some(1.0), some(1.0), some(2.0))):
        path = tmp_path / "deep" / f"{number}.npz"
        write(path, own)
        heads = read(path)
        assert heads is not None
        assert set(heads.own) == set(own)
        assert all((heads.own[name] == own[name]).all() for name in own)
        assert path.stat().st_mode & 0o077 == 0
        names.append(heads.name)
    assert names[0] == names[1] != names[2]
    assert all(name.startswith("local_") and len(name) == 14 for name in names)


def test_a_judge_answers_with_its_own_heads_and_the_shipped_rest(tmp_path: Path) -> None:
    """What the file does not hold is as it ships."""
    write(tmp_path / "h.npz", some(-9.0))
    heads = read(tmp_path / "h.npz")
    assert heads is not None
    text = passage("We decided to use NATS for the billing events")
    (own,), (shipped,) = LocalJudge(heads=heads).analyze([text]), LocalJudge().analyze([text])
    assert own.durable < shipped.durable
    assert own.type_probabilities == shipped.type_probabilities
    assert own.salience == shipped.salience


def test_every_shipped_array_but_the_shape_of_the_trees_can_be_replaced() -> None:
    """Their features and thresholds mean nothing without the leaves they were grown with."""
    kept = set(arrays()) - set(shapes())
    assert {name.rpartition("/")[2] for name in kept} == {"feature", "threshold", "columns"}
    full = {name: np.zeros(shape, np.float32) for name, shape in shapes().items()}
    judge = LocalJudge(heads=Heads("zero", full))
    one, other = passage("The port is 80"), passage("The port is 90")
    (said,) = judge.analyze([one])
    assert (said.durable, said.salience, judge.gate) == (0.5, 2.0, 0.0)
    assert len(judge.supersede([one], other)) == 1
    assert judge.relevance(one, [other]) == [0.5]


def test_heads_of_another_version_are_left_out_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A memory that worked yesterday must open after an upgrade."""
    monkeypatch.setattr(own_heads, "shipped_digest", lambda: b"x" * 32)
    write(tmp_path / "h.npz", some())
    monkeypatch.undo()
    with caplog.at_level(logging.WARNING, "hypermnesia"):
        assert read(tmp_path / "h.npz") is None
    assert "another version" in caplog.text
    assert "judge reset" in caplog.text


def _raw(path: Path, **named: npt.ArrayLike) -> None:
    meta: dict[str, npt.ArrayLike] = {
        "meta/format": np.asarray(1),
        "meta/base": np.frombuffer(own_heads.shipped_digest(), np.uint8),
    }
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, **(meta | named))


BAD_ARRAYS = {
    "an unknown name": {"durable/text/other": np.zeros(1, np.float32)},
    "another shape": {"durable/text/bias": np.zeros(2, np.float32)},
    "whole numbers": {"durable/text/bias": np.zeros(1, np.int64)},
    "text": {"durable/text/bias": np.asarray(["a"])},
    "not a number": {"durable/text/bias": np.full(1, np.nan, np.float32)},
    "infinite": {"durable/text/bias": np.full(1, np.inf, np.float32)},
    "a feature of the trees": {"supersede/full/threshold": np.zeros((400, 31), np.float32)},
}


@pytest.mark.parametrize("named", BAD_ARRAYS.values(), ids=BAD_ARRAYS)
def test_arrays_that_do_not_fit_are_refused(tmp_path: Path, named: Arrays) -> None:
    """When they are read and before they are written; the file there was stays."""
    _raw(tmp_path / "bad.npz", **named)
    with pytest.raises(ModelError, match="judge reset"):
        read(tmp_path / "bad.npz")
    write(tmp_path / "good.npz", some())
    with pytest.raises(ModelError):
        write(tmp_path / "good.npz", named)
    assert read(tmp_path / "good.npz") is not None
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["bad.npz", "good.npz"]


def test_a_file_that_is_no_heads_is_refused(tmp_path: Path) -> None:
    """Whatever it is; nothing in it is ever run."""
    write(tmp_path / "h.npz", some())
    whole = (tmp_path / "h.npz").read_bytes()
    files = {
        "half": whole[: len(whole) // 2],
        "empty": b"",
        "text": b"hello",
        "zip": b"PK\x03\x04" + b"\0" * 40,
        "pickle": pickle.dumps({"a": 1}),
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(ModelError, match="damaged"):
            read(tmp_path / name)
    np.savez(tmp_path / "other.npz", a=np.zeros(1))
    np.savez(tmp_path / "objects.npz", a=np.asarray([{}], object))
    np.save(tmp_path / "array.npy", np.zeros(1))
    for name in ("other.npz", "objects.npz", "array.npy"):
        with pytest.raises(ModelError, match=r"judge reset|no heads"):
            read(tmp_path / name)
    with pytest.raises(ModelError, match="cannot be read"):
        read(tmp_path / "missing")
    with pytest.raises(ModelError, match="cannot be read"):
        read(tmp_path)


def test_an_oversize_file_is_refused_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before it fills the memory."""
    write(tmp_path / "h.npz", some())
    monkeypatch.setattr(own_heads, "LARGEST", 100)
    with pytest.raises(ModelError, match="too large"):
        read(tmp_path / "h.npz")


def test_resetting_removes_the_file_and_says_whether_there_was_one(tmp_path: Path) -> None:
    """A second time there is nothing to remove."""
    write(tmp_path / "h.npz", some())
    assert remove(tmp_path / "h.npz")
    assert not remove(tmp_path / "h.npz")
    with pytest.raises(ModelError, match="cannot be removed"):
        remove(tmp_path)


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """With its name and that nothing changed."""
    (tmp_path / "file").touch()
    with pytest.raises(ModelError, match="nothing changed"):
        write(tmp_path / "file" / "h.npz", some())


def test_what_was_judged_before_the_training_keeps_a_gate_of_its_kind() -> None:
    """Not the published one, which belongs to judges on another scale."""
    chain = Chain([LocalJudge(heads=Heads("local_1a2b3c4d", {"gate": np.asarray(1.25)}))])
    assert chain.gate("local_1a2b3c4d") == chain.gate("local") == chain.gate("local_ffffffff")
    assert chain.gate("local") == 1.25
    assert chain.gate("chat") == 3.0
