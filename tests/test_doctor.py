"""The command line about itself: what is missing, the cache, help with examples, and how it ends."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import typer

import closedform as cf
from closedform.cli import EXAMPLES, app, main
from closedform.cli.capabilities import CAPABILITIES, Capability, missing
from closedform.cuda.driver import Gpu, gpus
from closedform.kernels import cache
from command_line import run

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


@pytest.fixture(name="folder")
def fixture_folder(tmp_path, monkeypatch):
    """Return a cache folder with one object."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("CLOSEDFORM_CACHE", str(folder))
    cache.save("0" * 64, b"one")
    return folder


def command(*words: str, **options) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    return subprocess.run([sys.executable, "-m", "closedform", *words], text=True, check=False, **options)


# ------------------------------------------------------------------ doctor


def test_doctor_tells_what_is_there_and_what_is_missing(folder, monkeypatch, capsys):
    versions = {"torch": "2.1.0+cpu", "jax": "0.10.1", "numpy": "2.4.6"}
    monkeypatch.setattr("closedform.cli.capabilities.installed", versions.get)
    code, out, err = run(capsys, "doctor")
    assert (code, err) == (0, "")
    assert f"closedform {cf.__version__}, Python {sys.version.split()[0]}" in out
    assert f"cache: {folder}: 1 file, 0.0 MB, usable" in out
    assert "MJCF files: mujoco is not installed: pip install closedform[mjcf]" in out
    assert "PyTorch: torch 2.1.0+cpu is installed, expected 2.6 or later: pip install 'torch>=2.6'" in out
    assert "arrays of JAX: jax" in out
    assert "jax is not" not in out


def test_doctor_names_gpus_or_the_reason_why_there_is_none(folder, monkeypatch, capsys):
    monkeypatch.setattr("closedform.cuda.driver.gpus", lambda: [Gpu("Some GPU", 8 * 2**30)])
    assert "GPU: Some GPU, 8 GiB\n" in run(capsys, "doctor")[1]

    def fail() -> list[Gpu]:
        raise cf.ClosedFormError("no driver")

    monkeypatch.setattr("closedform.cuda.driver.gpus", fail)
    assert "GPU: none: no driver\n" in run(capsys, "doctor")[1]
    assert json.loads(run(capsys, "doctor", "--json")[1])["gpu"] == {"devices": [], "problem": "no driver"}


def test_gpus_are_read_from_the_driver(monkeypatch):
    class Driver:
        def cuDeviceGetCount(self):
            return 0, 2

        def cuDeviceGetName(self, length, device):
            return 0, f"GPU number {device}".encode().ljust(length, b"\0")

        def cuDeviceTotalMem(self, device):
            return 0, (device + 1) * 2**30

    monkeypatch.setattr("closedform.cuda.driver.started", Driver)
    assert gpus() == [("GPU number 0", 2**30), ("GPU number 1", 2**31)]


def test_doctor_as_json_has_every_fact(folder, capsys):
    facts = json.loads(run(capsys, "doctor", "--json")[1])
    assert facts["closedform"] == cf.__version__
    assert facts["cpu"]["vector_bits"] in (128, 256, 512)
    assert facts["cache"]["folder"] == str(folder)
    assert [each["what"] for each in facts["capabilities"]] == [each.what for each in CAPABILITIES]
    assert all(facts["required"].values())


def test_doctor_imports_no_library_to_read_its_version():
    heavy = {"torch", "jax", "cupy", "mujoco", "pyarrow", "cvxpy", "clarabel", "dask", "pinocchio", "plotly"}
    code = (
        "import sys; from closedform.cli import app; app(['doctor'], standalone_mode=False); "
        f"print('imported:', {heavy} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("imported: set()\n")


def test_versions_are_compared_as_numbers(monkeypatch):
    need = Capability("tea", ("kettle>=2.10",), "kettle")
    for version, enough in {"2.9.5": False, "2.10": True, "2.10rc1": True, "3": True, "odd": True}.items():
        monkeypatch.setattr("closedform.cli.capabilities.installed", {"kettle": version}.get)
        assert (missing(need) == "") is enough, version


def test_capabilities_need_what_the_project_asks_for():
    extras = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    plain = {
        extra: {re.sub(r"\[.*?\]", "", each).replace("cupy-cuda13x", "cupy") for each in needs}
        for extra, needs in extras.items()
    }
    plain["dask"] |= {each.replace("dask", "distributed") for each in plain["dask"]}
    needs = {need for each in CAPABILITIES for need in each.needs}
    assert needs <= set().union(*plain.values())
    for extra in ("mjcf", "dask", "cuda", "identification"):
        assert plain[extra] <= needs, extra
    for each in CAPABILITIES:
        extra = re.fullmatch(r"closedform\[(\w+)\]", each.install)
        if extra:
            assert set(each.needs) <= plain[extra[1]]
        else:
            assert (each.install.replace("cupy-cuda13x", "cupy"),) == tuple(
                f"'{need}'" for need in each.needs
            )


# ------------------------------------------------------------------ cache


def test_cache_tells_its_place_and_size_and_removes_its_files(folder, capsys):
    size = sum(path.stat().st_size for path in folder.iterdir())
    assert run(capsys, "cache") == (0, f"{folder}: 1 file, 0.0 MB, usable\n", "")
    facts = {"folder": str(folder), "files": 1, "bytes": size, "usable": True, "problem": ""}
    assert json.loads(run(capsys, "cache", "--json")[1]) == facts
    assert run(capsys, "cache", "--clear") == (0, f"{folder}: removed 1 file, 0.0 MB\n", "")
    gone = json.loads(run(capsys, "cache", "--clear", "--json")[1])
    assert gone == {"folder": str(folder), "removed": 0, "bytes": 0}


def test_cache_tells_why_there_is_none(monkeypatch, capsys):
    monkeypatch.setenv("CLOSEDFORM_CACHE", "")
    code, out, _ = run(capsys, "cache")
    assert code == 0
    assert out.startswith("CLOSEDFORM_CACHE is empty")
    code, out, err = run(capsys, "cache", "--clear")
    assert (code, out) == (2, "")
    assert err.startswith("error: CLOSEDFORM_CACHE is empty")


# ------------------------------------------------------------------ help, pipes, keys


@pytest.mark.parametrize("verb", EXAMPLES, ids=lambda verb: verb.__name__)
def test_the_example_of_a_verb_is_one_and_is_in_its_help(verb, capsys):
    program, name, *words = shlex.split(EXAMPLES[verb])
    assert (program, name) == ("closedform", verb.__name__.replace("_", "-"))
    command = typer.main.get_command(app).commands[name]
    command.make_context(name, words)  # raises if a word is not understood
    code, out, _ = run(capsys, name, "--help")
    assert code == 0
    assert EXAMPLES[verb] in " ".join(out.split())


def test_the_module_is_the_command_line():
    done = command("--version", capture_output=True)
    assert (done.returncode, done.stdout) == (0, f"closedform {cf.__version__}\n")


def test_an_interrupt_is_no_traceback(monkeypatch, capsys):
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("closedform.description.catalogue.catalogue", interrupt)
    code, _, err = run(capsys, "robots")
    assert (code, "Traceback" in err) == (130, False)


@pytest.mark.parametrize(
    ("words", "found"), [("closedform doc", "doctor"), ("closedform report --fl", "--floating-base")]
)
def test_a_shell_can_complete_verbs_and_options(words, found, monkeypatch, capsys):
    monkeypatch.setenv("_CLOSEDFORM_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    with pytest.raises(SystemExit):
        main([])
    assert capsys.readouterr().out.split() == [found]
