"""The cache of object code is safe: damaged files, odd folders and many processes never change a result."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import closedform as cf
from closedform.kernels import cache, machine

Q = np.linspace(-1, 1, 22).reshape(11, 2)

posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes of POSIX")

SCRIPT = """
import sys
import closedform as cf, numpy as np
robot = cf.load("2r")
q = np.linspace(-1, 1, 22).reshape(11, 2)
for name in sys.argv[1:]:
    np.save(sys.stdout.buffer, getattr(robot, name)(q))
"""


@pytest.fixture(name="folder")
def fixture_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a cache folder of the test's own, which does not exist yet."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("CLOSEDFORM_CACHE", str(folder))
    return folder


@pytest.fixture(name="expected", scope="module")
def fixture_expected() -> np.ndarray:
    """Return the right result, from code that never was on disk."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLOSEDFORM_CACHE", "")
        return evaluate()


def evaluate() -> np.ndarray:
    """Return a result of a kernel that is new to this process."""
    return cf.load("2r").mass_matrix(Q)


DISPATCHER = 1
"""Files of a process that calls a method: besides kernels, the code that reads calls."""


def files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*")) if folder.exists() else []


def surroundings(**changes: str) -> dict[str, str]:
    """Return environment variables under which another process finds this very package."""
    return {**os.environ, "PYTHONPATH": str(Path(cf.__file__).parents[1]), **changes}


def start(*forms: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *forms],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=surroundings(),
    )


def result(process: subprocess.Popen[bytes]) -> bytes:
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors.decode()
    return output


def no_compiler(_text: str) -> bytes:
    raise AssertionError("the kernel should come from the cache")


# ------------------------------------------------------------------ use


def test_a_kernel_is_kept_in_one_file(folder: Path, expected: np.ndarray) -> None:
    np.testing.assert_array_equal(evaluate(), expected)
    assert len(files(folder)) == 1


def test_a_kept_kernel_is_not_compiled_again(
    folder: Path, expected: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate()
    before = [(path, path.read_bytes()) for path in files(folder)]
    monkeypatch.setattr(machine, "compile_text", no_compiler)
    np.testing.assert_array_equal(evaluate(), expected)
    assert [(path, path.read_bytes()) for path in files(folder)] == before


def test_names_do_not_matter_to_the_cache_but_numbers_do(folder: Path) -> None:
    rows = [(0, 0, 0, 0, 0), (0, 0, 1.0, 0, 0)]
    cf.Robot.from_mdh(rows, name="one").jacobian([0, 0])
    cf.Robot.from_mdh(rows, name="two", joint_names=["a", "b"]).jacobian([0, 0])
    assert len(files(folder)) == 1
    longer = cf.Robot.from_mdh([rows[0], (0, 0, 2.0, 0, 0)]).jacobian([0, 0])
    assert len(files(folder)) == 2
    assert longer[4, 0] == 2.0


def test_every_number_of_the_model_makes_its_own_kernel(folder: Path) -> None:
    robot = cf.load("2r")
    first = robot.gravity_torque([0.3, 0.4])
    phi = robot.phi.copy()
    phi[6] += 0.1
    others = [robot.with_gravity((0, 0, 1.0)), robot.with_gravity((0, -1.0, 0)), robot.with_phi(phi)]
    for count, other in enumerate(others, 2):
        assert not np.array_equal(other.gravity_torque([0.3, 0.4]), first)
        assert len(files(folder)) == count


def test_frames_and_precisions_make_their_own_kernels(folder: Path) -> None:
    robot = cf.load("2r")
    poses = [robot.pose([0.3, 0.4], frame) for frame in ("link1", "link2", "tool")]
    assert len(files(folder)) == 3
    assert not np.array_equal(poses[0], poses[1])
    assert robot.kernel("pose", "tool", np.float32)(np.float32([0.3, 0.4])).dtype == np.float32
    assert len(files(folder)) == 4


def test_another_casadi_makes_its_own_kernel(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluate()
    monkeypatch.setattr("casadi.CasadiMeta.version", lambda: "0.0.1")
    evaluate()
    assert len(files(folder)) == 2


def test_an_empty_variable_turns_the_cache_off(tmp_path: Path, expected: np.ndarray) -> None:
    home = tmp_path / "home"
    home.mkdir()
    process = subprocess.run(
        [sys.executable, "-c", SCRIPT, "mass_matrix"],
        capture_output=True,
        check=True,
        cwd=home,
        env=surroundings(CLOSEDFORM_CACHE="", HOME=str(home), XDG_CACHE_HOME=str(home)),
    )
    assert process.stdout.endswith(expected.tobytes())
    assert files(home) == []


@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep caches elsewhere")
def test_without_the_variable_the_users_cache_folder_is_used(tmp_path: Path) -> None:
    environment = surroundings(HOME=str(tmp_path), XDG_CACHE_HOME=str(tmp_path / "xdg"))
    environment.pop("CLOSEDFORM_CACHE", None)
    subprocess.run(
        [sys.executable, "-c", SCRIPT, "mass_matrix"],
        capture_output=True,
        check=True,
        env=environment,
    )
    assert len(files(tmp_path / "xdg" / "closedform")) == 1 + DISPATCHER


def test_a_tilde_in_the_variable_is_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: np.ndarray
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLOSEDFORM_CACHE", "~/kernels")
    np.testing.assert_array_equal(evaluate(), expected)
    assert not (tmp_path / "~").exists()


# ------------------------------------------------------------------ damage


def overwritten(at: int) -> Callable[[bytes], bytes]:
    return lambda data: data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


DAMAGES = {
    "empty": lambda data: b"",
    "one byte": lambda data: data[:1],
    "magic only": lambda data: data[: len(cache.MAGIC)],
    "head only": lambda data: data[: cache.HEAD],
    "half": lambda data: data[: len(data) // 2],
    "last byte missing": lambda data: data[:-1],
    "a byte too many": lambda data: data + b"\0",
    "another magic": lambda data: b"X" + data[1:],
    "no head": lambda data: data[cache.HEAD :],
    "digest changed": overwritten(len(cache.MAGIC) + 3),
    "code changed": overwritten(cache.HEAD + 200),
    "last byte changed": lambda data: data[:-1] + bytes([data[-1] ^ 1]),
    "zeros": lambda data: bytes(len(data)),
    "noise": lambda data: np.random.default_rng(0).bytes(len(data)),
    "text": lambda data: b"hello\n",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_replaced(folder: Path, expected: np.ndarray, damage: str) -> None:
    evaluate()
    (path,) = files(folder)
    good = path.read_bytes()
    path.write_bytes(DAMAGES[damage](good))
    np.testing.assert_array_equal(evaluate(), expected)
    assert files(folder) == [path]
    assert cache.load(path.stem) is not None  # whole again; which order of operations won may differ


def test_a_folder_in_place_of_the_file_does_not_matter(folder: Path, expected: np.ndarray) -> None:
    evaluate()
    (path,) = files(folder)
    path.unlink()
    path.mkdir()
    np.testing.assert_array_equal(evaluate(), expected)
    assert files(folder) == [path]


def test_a_file_that_vanishes_does_not_matter(folder: Path, expected: np.ndarray) -> None:
    for _ in range(2):
        np.testing.assert_array_equal(evaluate(), expected)
        (path,) = files(folder)
        path.unlink()


@pytest.mark.parametrize("place", ["/proc/closedform", "/dev/null", "/dev/null/cache", "x" * 300])
def test_a_folder_that_cannot_be_made_does_not_matter(
    place: str, expected: np.ndarray, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLOSEDFORM_CACHE", place)
    np.testing.assert_array_equal(evaluate(), expected)
    assert files(tmp_path) == []


def test_a_file_in_place_of_the_folder_does_not_matter(folder: Path, expected: np.ndarray) -> None:
    folder.write_text("mine")
    np.testing.assert_array_equal(evaluate(), expected)
    assert folder.read_text() == "mine"


def test_a_folder_that_cannot_be_written_does_not_matter(
    folder: Path, expected: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.mkdir()
    folder.chmod(0o500)  # no obstacle to root, so the calls are made to fail as well

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(cache.os, "open", refuse)
    np.testing.assert_array_equal(evaluate(), expected)
    folder.chmod(0o700)
    assert files(folder) == []


@pytest.mark.parametrize("calls", [("link", "replace"), ("fdopen",)])
def test_a_write_that_fails_leaves_no_file(
    folder: Path, expected: np.ndarray, monkeypatch: pytest.MonkeyPatch, calls: tuple[str, ...]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        for call in calls:
            patch.setattr(cache.os, call, fail)
        np.testing.assert_array_equal(evaluate(), expected)
    assert files(folder) == []


@pytest.mark.parametrize("links", [True, False])
def test_the_object_kept_first_is_the_one_that_all_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(1, "Operation not permitted")

    if not links:
        monkeypatch.setattr(cache.os, "link", refuse)
    assert cache.save("0" * 64, b"first") == b"first"
    assert cache.save("0" * 64, b"second") == b"first"
    assert cache.load("0" * 64) == b"first"
    assert len(files(folder)) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="no file size limit to set")
def test_a_full_disk_leaves_no_file(folder: Path, expected: np.ndarray) -> None:
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n" + SCRIPT
    process = subprocess.run(
        [sys.executable, "-c", limited, "mass_matrix"], capture_output=True, check=True, env=surroundings()
    )
    assert process.stdout.endswith(expected.tobytes())
    assert files(folder) == []


def test_the_files_used_longest_ago_go_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    robot = cf.load("2r")
    robot.kernel("mass_matrix")
    (old,) = files(folder)
    os.utime(old, (1, 1))
    robot.kernel("gravity_torque")
    (used,) = set(files(folder)) - {old}
    os.utime(used, (2, 2))
    cf.load("2r").kernel("gravity_torque")  # loaded, which makes it the younger one
    assert used.stat().st_mtime > 1000
    monkeypatch.setattr(cache, "LIMIT", used.stat().st_size + old.stat().st_size)
    robot.kernel("coriolis_matrix")
    assert old not in files(folder)


def test_a_process_looks_at_the_whole_folder_now_and_then(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look reads the state of every file; a process that compiles much would look at them all each time."""
    looks: list[Path] = []
    trim = cache._trim
    monkeypatch.setattr(cache, "_trim", lambda path: (looks.append(path), trim(path))[1])
    for k in range(2 * cache.LOOKS):
        cache.save(f"{k:064}", b"y")
    assert len(looks) == 2
    assert len(files(folder)) == 2 * cache.LOOKS
    monkeypatch.setattr(cache, "LIMIT", sum(path.stat().st_size for path in files(folder)))
    cache.save("f" * 64, b"y")
    assert len(looks) == 3, "a folder that may be full is looked at"
    assert len(files(folder)) == 2 * cache.LOOKS


def test_files_of_others_in_the_folder_are_left_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    monkeypatch.setattr(cache, "LIMIT", 0)
    evaluate()
    assert (folder / "notes.txt").read_text() == "mine"


def test_the_folder_is_private(folder: Path) -> None:
    evaluate()
    assert folder.stat().st_mode & 0o077 == 0
    assert all(path.stat().st_mode & 0o022 == 0 for path in files(folder))


# ------------------------------------------------------------------ objects that are not ours


def two_files(folder: Path) -> tuple[Path, Path]:
    """Return the files of `mass_matrix` and of another kernel."""
    evaluate()
    (path,) = files(folder)
    cf.load("2r").kernel("pose")
    (other,) = set(files(folder)) - {path}
    return path, other


def test_an_object_of_another_key_is_not_run(folder: Path, expected: np.ndarray) -> None:
    path, other = two_files(folder)
    path.write_bytes(other.read_bytes())
    assert cache.load(path.stem) is None
    np.testing.assert_array_equal(evaluate(), expected)
    assert cache.load(path.stem) != cache.load(other.stem)


@posix
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_is_replaced(folder: Path, expected: np.ndarray, mode: int) -> None:
    evaluate()
    (path,) = files(folder)
    path.chmod(mode)
    assert cache.load(path.stem) is None
    np.testing.assert_array_equal(evaluate(), expected)
    assert path.stat().st_mode & 0o777 == 0o600
    assert cache.load(path.stem) is not None


@posix
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o1777])
def test_a_folder_that_others_may_write_is_not_used_and_told_of_once(
    folder: Path, expected: np.ndarray, mode: int
) -> None:
    evaluate()
    before = [(path, path.read_bytes(), path.stat().st_mtime_ns) for path in files(folder)]
    folder.chmod(mode)
    with pytest.warns(RuntimeWarning, match=r"can be written by others; say chmod go-w .*cache") as caught:
        np.testing.assert_array_equal(evaluate(), expected)
    np.testing.assert_array_equal(evaluate(), expected)  # a second warning would be an error here
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert [(path, path.read_bytes(), path.stat().st_mtime_ns) for path in files(folder)] == before


@posix
def test_a_folder_of_another_user_is_not_used(
    folder: Path, expected: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate()
    (path,) = files(folder)
    owner = os.getuid()
    for uid in (0, owner + 1):
        if uid != owner:
            monkeypatch.setattr(cache.os, "getuid", lambda uid=uid: uid)
            monkeypatch.setattr(cache, "_REFUSED", set())
            with pytest.warns(RuntimeWarning, match="belongs to another user; set CLOSEDFORM_CACHE"):
                assert cache.load(path.stem) is None
            np.testing.assert_array_equal(evaluate(), expected)


@posix
def test_a_file_of_another_user_is_not_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluate()
    (path,) = files(folder)
    status = os.stat(path)
    foreign = os.stat_result((*status[:4], status.st_uid + 1, *status[5:]))
    monkeypatch.setattr(cache.os, "fstat", lambda _: foreign)
    assert cache.load(path.stem) is None


@posix
@pytest.mark.parametrize("what", ["pipe", "link", "endless", "huge"])
def test_what_is_no_plain_file_is_replaced(folder: Path, expected: np.ndarray, what: str) -> None:
    path, other = two_files(folder)
    path.unlink()
    if what == "pipe":
        os.mkfifo(path)
    elif what == "huge":
        path.touch(0o600)
        os.truncate(path, cache.LIMIT + 1)
    else:
        path.symlink_to(other if what == "link" else "/dev/zero")
    np.testing.assert_array_equal(evaluate(), expected)
    assert path.is_file()
    assert not path.is_symlink()
    assert cache.load(path.stem) is not None


def test_an_unknown_home_is_no_folder_to_make(
    tmp_path: Path, expected: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLOSEDFORM_CACHE", "~nobody-of-that-name/kernels")
    with pytest.warns(RuntimeWarning, match="names a user who does not exist") as caught:
        np.testing.assert_array_equal(evaluate(), expected)
    assert len(caught) == 1
    assert files(tmp_path) == []


@posix
def test_what_killed_processes_left_is_cleared_and_counted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.mkdir(mode=0o700)
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    dead = folder / f"{cache.TEMPORARY}{gone.pid}-x.tmp"
    alive = folder / f"{cache.TEMPORARY}{os.getpid()}-x.tmp"
    old = folder / "tmpabc.tmp"
    for path in (dead, alive, old):
        path.write_bytes(b"x" * 1000)
    os.utime(old, (1, 1))
    evaluate()
    assert alive.exists()
    assert not dead.exists()
    assert not old.exists()
    (kept,) = folder.glob("*.o")
    monkeypatch.setattr(cache, "LIMIT", kept.stat().st_size + 500)
    cache.save("0" * 64, b"y")
    assert not kept.exists(), "what is being written counts"


# ------------------------------------------------------------------ processes

FORMS = ("mass_matrix", "gravity_torque", "pose", "jacobian", "center_of_mass")


def test_processes_that_compile_at_once_agree_and_leave_one_file_each(folder: Path) -> None:
    running = [start(*FORMS) for _ in range(4)]
    outputs = {result(process) for process in running}
    assert len(outputs) == 1
    assert len(files(folder)) == len(FORMS) + DISPATCHER
    assert all(path.suffix == ".o" for path in files(folder))
    robot = cf.load("2r")
    assert all(getattr(robot, form)(Q).tobytes() in next(iter(outputs)) for form in FORMS)


def test_a_second_process_reads_what_the_first_wrote(folder: Path) -> None:
    first = result(start(*FORMS))
    before = {path: (path.read_bytes(), path.stat().st_ino) for path in files(folder)}
    assert result(start(*FORMS)) == first
    assert {path: (path.read_bytes(), path.stat().st_ino) for path in files(folder)} == before


def test_processes_that_find_a_damaged_file_at_once_agree(folder: Path) -> None:
    first = result(start("mass_matrix"))
    written = files(folder)
    for path in written:
        path.write_bytes(path.read_bytes()[:-5])
    assert {result(process) for process in [start("mass_matrix") for _ in range(3)]} == {first}
    assert files(folder) == written
