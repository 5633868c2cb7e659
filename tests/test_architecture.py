"""The import flow, the public names and the references of the package."""

from __future__ import annotations

import ast
import functools
import inspect
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import closedform as cf
from closedform import joints
from closedform.description import read_mdh, read_screws
from closedform.kernels import cache

ROOT = Path(cf.__file__).parent
REPOSITORY = ROOT.parents[1]
DOCS = REPOSITORY / "docs"

APPLICATIONS = ("identification", "flexible", "redundancy", "elastic")

FLOW = (
    "arrays",
    "lazy",
    "errors",
    "checks",
    "files",
    "display",
    "chart",
    "rotations",
    "joints",
    "description",
    "model",
    "forms",
    "programs",
    "emit",
    "equations",
    "guests",
    "kernels",
    "cuda",
    "form_methods",
    "owner",
    "methods",
    "changes",
    "reaching",
    "moving",
    "looping",
    "states",
    "euler",
    "saving",
    "sticks",
    "drawing",
    "svg",
    "pictures",
    "shapes",
    "scene",
    "spheres",
    "robot",
    "loading",
    "convert",
    "trajectory",
    "integration",
    "control",
    "simulation",
    "loops",
    "contacts",
    *APPLICATIONS,
    "inverse_kinematics",
    "cluster",
    "report",
    "papers",
    "viewer",
    "cli",
    "__main__",
)
"""Each stage imports only what comes before it; applications do not import each other. Inverse kinematics
is no application but a door to one: it gives redundancy's search to robots without a closed form."""

DOORS = {
    "reaching": {"inverse_kinematics"},
    "moving": {"integration", "simulation"},
    "looping": {"loops", "contacts"},
    "loading": {"loops"},
    "guests": {"cuda"},
    "checks": {"guests"},
    "kernels": {"cuda"},
}
"""What a later stage computes, methods of a robot and arrays on a GPU: it is imported at the call."""

ROOMS = {"identification": ("joints", "base", "logs", "regression", "workflow", "floating", "exciting")}
"""Packages of a stage: each imports only those before it."""

SHAPELESS = {"arrays", "lazy", "errors", "checks", "files", "display", "guests"}
"""Modules that check, name, show or store, and so leave no trace in machine code."""

PUBLIC = {
    "load",
    "catalogue",
    "Robot",
    "Kernel",
    "ClosedFormError",
    "base_parameters",
    "identify",
    "excitation",
    "FlexibleArm",
    "FlexibleLink",
    "redundancy",
    "ElasticJointRobot",
    "trajectory",
}
METHODS = {
    "kinematics": {
        "pose",
        "jacobian",
        "jacobian_dot",
        "jacobian_ddot",
        "center_of_mass",
        "com_jacobian",
    },
    "dynamics": {
        "inverse_dynamics",
        "forward_dynamics",
        "mass_matrix",
        "coriolis_matrix",
        "gravity_torque",
        "external_torque",
        "kinetic_energy",
        "potential_energy",
    },
}
METHODS |= {
    "time": {
        "inverse_dynamics_rates",
        "mass_matrix_dot",
        "mass_matrix_ddot",
        "coriolis_matrix_dot",
        "coriolis_matrix_ddot",
        "gravity_torque_dot",
        "gravity_torque_ddot",
        "external_torque_dot",
        "external_torque_ddot",
    },
    "state": {
        "mass_matrix_dq",
        "coriolis_matrix_dq",
        "coriolis_matrix_dqd",
        "gravity_torque_dq",
        "inverse_dynamics_dq",
        "inverse_dynamics_dqd",
        "forward_dynamics_dq",
        "forward_dynamics_dqd",
        "forward_dynamics_dtau",
    },
    "parameters": {
        "regressor",
        "slotine_li_regressor",
        "mass_matrix_dphi",
        "coriolis_matrix_dphi",
        "gravity_torque_dphi",
    },
}
ATTRIBUTES = {
    "name",
    "nq",
    "nv",
    "joint_names",
    "body_names",
    "frame_names",
    "gravity",
    "phi",
    "neutral",
    "random_state",
    "kernel",
    "equations",
    "export",
    "inverse_kinematics",
    "from_mdh",
    "from_screws",
}


@functools.cache
def parsed(path: Path) -> ast.Module:
    """Return the syntax tree of a file, read once."""
    return ast.parse(path.read_text())


def stage(path: Path) -> str:
    relative = path.relative_to(ROOT)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def imported_modules(path: Path) -> set[tuple[str, ...]]:
    """Return the modules of the package that a module imports, at its top level or inside functions."""
    parts = path.relative_to(ROOT).parts
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = list(parts[:-1])[: len(parts) - node.level]
            names = [node.module] if node.module else [alias.name for alias in node.names]
            found.update(tuple(".".join([*base, name]).split(".")) for name in names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("closedform."):
            found.add(tuple(node.module.split(".")[1:]))
    return found


def test_imports_flow_one_way():
    for path in ROOT.rglob("*.py"):
        here = stage(path)
        if here == "__init__":
            continue
        assert here in FLOW, f"{path} belongs to no stage"
        for other in (
            {module[0] for module in imported_modules(path)} - {here, "__version__"} - DOORS.get(here, set())
        ):
            assert FLOW.index(other) < FLOW.index(here), f"{path} imports {other}"
            assert not {here, other} <= set(APPLICATIONS), f"{path} imports {other}"


def module_file(module: tuple[str, ...]) -> Path | None:
    """Return the file of a module or of a package; None for a name that is neither."""
    path = ROOT.joinpath(*module)
    return next((each for each in (path.with_suffix(".py"), path / "__init__.py") if each.is_file()), None)


def test_no_files_import_each_other_in_a_circle():
    files = [path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py"]
    needs = {
        path: {module_file(m) for m in imported_modules(path) if m[0] not in DOORS.get(stage(path), ())}
        - {None}
        for path in files
    }
    TopologicalSorter(needs).prepare()  # raises CycleError, with the circle


def test_imports_between_the_rooms_of_a_stage_flow_one_way():
    for package, rooms in ROOMS.items():
        for path in (ROOT / package).glob("*/*.py"):
            here = path.parent.name
            assert here in rooms, f"{path} belongs to no room"
            for other in {module[1] for module in imported_modules(path) if module[0] == package} - {here}:
                assert rooms.index(other) < rooms.index(here), f"{path} imports {other}"


BESIDE = {
    "oracles": (),
    "examples": (),
    "bench": ("oracles", "examples"),
    "fuzz": ("oracles",),
    "tests": ("oracles", "fuzz", "bench", "examples"),
}
"""What the folders beside the package may import of each other."""


def test_tests_and_bench_share_only_the_oracles():
    helpers = {path.stem for path in (REPOSITORY / "tests").glob("*.py")}
    for folder, allowed in BESIDE.items():
        forbidden = ({*BESIDE} | helpers) - {folder, *allowed}
        if folder == "tests":
            forbidden -= helpers
        for path in (REPOSITORY / folder).glob("*.py"):
            for node in ast.walk(parsed(path)):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and not node.level:
                    names = [node.module or ""]
                found = {name.split(".")[0] for name in names} & forbidden
                assert not found, f"{folder}/{path.name} imports {found}"


def test_the_cache_key_covers_all_code_behind_a_kernel():
    found, waiting = set(), {"kernels"}
    while waiting:
        found |= waiting
        files = [path for room in waiting for path in (ROOT / room).rglob("*.py")]
        files += [ROOT / f"{room}.py" for room in waiting if (ROOT / f"{room}.py").exists()]
        named = {
            module[0]
            for path in files
            for module in imported_modules(path)
            if module[0] not in DOORS.get(stage(path), ())
        }
        waiting = named - found
    assert found - SHAPELESS == {room.removesuffix(".py") for room in cache.ROOMS}


FORMATS = {"description/urdf.py", "description/catalogue.py", "model/urdf_writing.py", "model/writing.py"}
"""Files that read or write the words of a file format."""

CUT_JOINTS = {"description/loop.py"}
CUT_JOINTS |= {f"loops/{name}.py" for name in ("cut_joints", "dyads", "closing", "mjcf_writing")}
CUT_JOINTS |= {"loops/legs.py", "loops/found_legs.py"}
CUT_JOINTS |= {f"description/{name}.py" for name in ("constraints", "urdf_loops", "mjcf_equality", "rods")}
"""Files that name cut joints, some of which are called like joints of a tree."""

CONTACTS = {"description/contact.py", "contacts/rows.py"}
"""Files that name contacts, one of which is called like a joint."""

OTHER_MEANINGS = {
    ("flexible/boundary.py", "free"),  # an end of a beam
    ("forms/rows.py", "planar"),  # a task of three rows
    ("report/numerals.py", "fixed"),  # a number of decimals
}


def test_only_the_joints_know_the_names_of_their_kinds():
    names = set(joints.kinds())
    for path in ROOT.rglob("*.py"):
        where = path.relative_to(ROOT).as_posix()
        if stage(path) == "joints" or where in FORMATS | CUT_JOINTS | CONTACTS:
            continue
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in names:
                assert (where, node.value) in OTHER_MEANINGS, (
                    f"{where}:{node.lineno} names joints of kind {node.value!r}; ask the joint instead "
                    "(a property of joints.JointType)"
                )


def test_every_kind_of_joint_is_one_file():
    named = {kind: joints.joint_kind(kind).__module__ for kind in joints.kinds()}
    assert named == {kind: f"closedform.joints.{kind}" for kind in named}


def test_no_file_is_a_warehouse():
    for path in ROOT.rglob("*.py"):
        assert len(path.read_text().splitlines()) <= 350, path


def test_public_names_exist_and_are_documented():
    for name in PUBLIC:
        assert getattr(cf, name).__doc__, name
    assert set(cf.__all__) >= PUBLIC
    for name in ATTRIBUTES | set().union(*METHODS.values()):
        assert getattr(cf.Robot, name).__doc__, name


@pytest.mark.parametrize(
    ("constructor", "reader"), [(cf.Robot.from_mdh, read_mdh), (cf.Robot.from_screws, read_screws)]
)
def test_constructors_spell_out_the_options_of_their_readers(constructor, reader):
    spelled, read = (inspect.signature(each).parameters for each in (constructor, reader))
    assert {name: str(each) for name, each in spelled.items()} == {n: str(each) for n, each in read.items()}


def test_the_catalogue_of_forms_has_the_groups_of_the_design():
    for group, names in METHODS.items():
        assert {form.name for form in cf.FORMS.values() if form.group == group} >= names


def test_every_public_function_is_documented():
    for path in ROOT.rglob("*.py"):
        module = parsed(path)
        owners = [module, *(node for node in module.body if isinstance(node, ast.ClassDef))]
        for owner in owners:
            inherits = isinstance(owner, ast.ClassDef) and bool(owner.bases)
            for node in owner.body:
                if isinstance(node, ast.FunctionDef) and inherits:
                    continue  # documented where the base class declares it
                names = (
                    [getattr(each, "id", "") for each in node.decorator_list]
                    if hasattr(node, "decorator_list")
                    else []
                )
                if "overload" in names:
                    continue  # documented where it is written
                if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                    assert ast.get_docstring(node), f"{path.name}: {node.name}"


def test_every_citation_resolves():
    keys = set(re.findall(r"@\w+\{(\w+),", (DOCS / "references.bib").read_text()))
    cited = set()
    for path in ROOT.rglob("*.py"):
        cited |= set(re.findall(r"\[([A-Z][A-Za-z]+\d{4})\b", path.read_text()))
    assert cited <= keys, cited - keys
    assert keys <= cited, f"never cited: {keys - cited}"


def test_every_dynamic_form_says_what_it_returns():
    for form in cf.FORMS.values():
        assert form.summary.startswith("Return"), form.name
        assert form.summary.endswith("."), form.name


def test_no_test_lets_a_clock_decide():
    clocks = re.compile(r"\b(perf_counter|monotonic|time\.time)(_ns)?\(")
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if path.name != Path(__file__).name:
            assert not clocks.search(path.read_text()), (
                f"{path.name} measures time; a busy machine would decide"
            )
