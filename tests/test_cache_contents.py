"""What the cache holds is counted, and only its own files are removed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import closedform as cf
from closedform.kernels import cache
from closedform.kernels.cache_contents import cache_contents, clear_cache

posix = pytest.mark.skipif(os.name != "posix", reason="owners, modes and links of POSIX")


@pytest.fixture(name="folder")
def fixture_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a cache folder with two objects."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("CLOSEDFORM_CACHE", str(folder))
    cache.save("0" * 64, b"one")
    cache.save("a" * 64, b"another")
    return folder


def test_files_and_their_bytes_are_counted(folder):
    found = cache_contents()
    assert (found.folder, found.files, found.problem) == (folder, 2, "")
    assert found.size == sum(path.stat().st_size for path in folder.iterdir()) > 0


def test_all_objects_are_removed(folder):
    size = cache_contents().size
    removed = clear_cache()
    assert (removed.files, removed.size) == (2, size)
    assert list(folder.iterdir()) == []
    assert clear_cache().files == 0


@posix
def test_only_files_of_the_cache_are_removed(folder, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / f"{'b' * 64}.o").write_text("mine")
    kept = {
        "notes.txt",
        "main.o",
        f"{'c' * 64}.o",
        f"{'d' * 64}.o",
        f"{'e' * 64}.o",
        f"{cache.TEMPORARY}{os.getpid()}-0123456789abcdef.tmp",
    }
    for name in ("notes.txt", "main.o", f"{cache.TEMPORARY}{os.getpid()}-0123456789abcdef.tmp"):
        (folder / name).write_text("mine")
    (folder / f"{'c' * 64}.o").symlink_to(outside / f"{'b' * 64}.o")
    (folder / f"{'d' * 64}.o").symlink_to(outside)
    (folder / f"{'e' * 64}.o").mkdir()
    left = folder / f"{cache.TEMPORARY}{os.getpid()}-fedcba9876543210.tmp"
    left.write_text("left behind")
    os.utime(left, (1, 1))
    assert clear_cache().files == 3  # two objects and the file that was left behind
    assert {path.name for path in folder.iterdir()} == kept
    assert (outside / f"{'b' * 64}.o").read_text() == "mine"


def test_a_folder_that_is_not_there_yet_is_usable_and_not_made(tmp_path, monkeypatch):
    monkeypatch.setenv("CLOSEDFORM_CACHE", str(tmp_path / "a" / "b"))
    found = cache_contents()
    assert (found.files, found.size, found.problem) == (0, 0, "")
    assert clear_cache().files == 0
    assert list(tmp_path.iterdir()) == []


@posix
@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("", "CLOSEDFORM_CACHE is empty, which turns the cache off; unset it"),
        ("~no-such-user-here/cache", "names a user who does not exist; write a folder's path"),
        ("/dev/null", "is not a folder; set CLOSEDFORM_CACHE to one"),
        ("/dev/null/cache", "cannot be used (Not a directory); set CLOSEDFORM_CACHE"),
        ("x" * 300, "cannot be used (File name too long); set CLOSEDFORM_CACHE"),
        ("/proc/closedform", "cannot be made, as /proc cannot be written; set CLOSEDFORM_CACHE"),
    ],
)
def test_a_place_that_is_no_folder_is_told(place, told, monkeypatch):
    monkeypatch.setenv("CLOSEDFORM_CACHE", place)
    if place.startswith("/proc"):
        monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anywhere, or so it is said
    found = cache_contents()
    assert told in found.problem
    assert found.files == 0
    with pytest.raises(cf.ClosedFormError, match="Nothing was removed"):
        clear_cache()


def refused(folder: Path, told: str) -> None:
    """Check that a folder is counted and told of, and that nothing is removed from it."""
    assert told in cache_contents().problem
    with pytest.raises(cf.ClosedFormError, match="Nothing was removed"):
        clear_cache()
    assert len(list(folder.iterdir())) == 2


@posix
def test_a_folder_that_others_may_write_is_told(folder):
    folder.chmod(0o777)
    refused(folder, "can be written by others; say chmod go-w")


@posix
def test_a_folder_of_another_user_is_told(folder, monkeypatch):
    uid = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: uid)
    refused(folder, "belongs to another user; set CLOSEDFORM_CACHE to a folder of your own")


def test_a_folder_that_is_read_only_is_told(folder, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)  # modes are no obstacle to root
    refused(folder, "cannot be read and written; say chmod u+rwx")


def test_a_file_that_cannot_be_removed_is_named(folder, monkeypatch):
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "unlink", refuse)
    with pytest.raises(cf.ClosedFormError, match=r"cannot be removed \(Permission denied\); 0 files were"):
        clear_cache()
