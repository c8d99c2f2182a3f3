"""Other programs' files are backed up and replaced whole."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from hypermnesia.clients import file
from hypermnesia.clients.system import System
from hypermnesia.errors import InvalidInput


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_is_replaced_with_its_permissions(system: System) -> None:
    """The backup can be read by the user alone."""
    path = system.home / "a.json"
    path.write_text("old")
    path.chmod(0o640)
    backup = file.save(path, "new", "old")
    assert path.read_text() == "new"
    assert _mode(path) == 0o640
    assert backup is not None
    assert backup.read_text() == "old"
    assert (_mode(backup), _mode(backup.parent)) == (0o600, 0o700)


def test_a_new_file_comes_with_its_folders_and_the_usual_mode(system: System) -> None:
    """And without a backup."""
    path = system.home / "deep" / "er" / "a.json"
    assert file.save(path, "new", None) is None
    (system.home / "other").touch()
    assert _mode(path) == _mode(system.home / "other")
    assert [one.name for one in path.parent.iterdir()] == ["a.json"]


def test_a_link_is_followed(system: System) -> None:
    """Settings are often links into a repository of such files."""
    real, link = system.home / "real.json", system.home / "link.json"
    real.write_text("old")
    link.symlink_to(real)
    file.save(link, "new", "old")
    assert link.is_symlink()
    assert real.read_text() == "new"


def test_a_link_in_a_circle_is_refused(system: System) -> None:
    """With a reason."""
    link = system.home / "link.json"
    link.symlink_to(link)
    with pytest.raises(InvalidInput):
        file.save(link, "new", None)


def test_backups_are_bounded(system: System) -> None:
    """The newest stay, and those of other files."""
    path, other = system.home / "a.json", system.home / "sub" / "a.json"
    file.save(other, "x", None)
    file.save(other, "y", "x")
    file.save(path, "0", None)
    for number in range(file.KEPT + 3):
        file.save(path, str(number + 1), str(number))
    kept = [backup.read_text() for backup in file.backups(path)]
    assert kept == [str(number) for number in range(3, file.KEPT + 3)]
    assert len(file.backups(other)) == 1


def test_what_changed_in_the_meantime_is_not_overwritten(system: System) -> None:
    """Clients write their files while they run."""
    path = system.home / "a.json"
    path.write_text("theirs")
    with pytest.raises(InvalidInput, match="changed by another program"):
        file.save(path, "new", "old")
    assert path.read_text() == "theirs"


def test_a_byte_order_mark_stays(system: System) -> None:
    """Some editors on Windows insist on one."""
    path = system.home / "a.json"
    path.write_bytes(b"\xef\xbb\xbf{}")
    before = file.load(path)
    assert before is not None
    assert file.body(before) == "{}"
    file.save(path, '{"a": 1}', before)
    assert path.read_bytes() == b'\xef\xbb\xbf{"a": 1}'


def test_a_failed_write_leaves_the_old_file_alone(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing beside it."""
    path = system.home / "a.json"
    path.write_text("old")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InvalidInput, match="No space left"):
        file.save(path, "new", "old")
    assert path.read_text() == "old"
    assert [one.name for one in path.parent.iterdir()] == ["a.json"]


@pytest.mark.parametrize("content", [b"\xff\xfe{\x00}\x00", b'{"a": "\xe9"}'])
def test_other_encodings_are_refused(system: System, content: bytes) -> None:
    """Rather than garbled."""
    path = system.home / "a.json"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match="not UTF-8"):
        file.load(path)


def test_a_folder_in_the_place_of_a_file_is_refused(system: System) -> None:
    """With the system's reason."""
    with pytest.raises(InvalidInput, match="cannot be read"):
        file.load(system.home)
