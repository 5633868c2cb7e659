"""Small good robot files to spoil: random trees as URDF, MJCF and TOML, catalogue files, public robots."""

from __future__ import annotations

import random
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np

from closedform.description.catalogue import ROBOTS
from closedform.description.urdf import read_urdf
from closedform.model import build_model
from closedform.model.writing import model_toml

TREES = 24
"""Random trees of each format."""

CATALOGUE = ("2r", "pendulum", "spherical_pendulum", "cartpole", "screw_lift", "chang3r", "scara", "stanford")
PUBLIC = (
    "double_pendulum_description/urdf/double_pendulum_simple.urdf",
    "asr_twodof_description/urdf/TwoDofs.urdf",
    "iris_description/robots/iris_simple.urdf",
)
"""Small files of example-robot-data."""

LIMIT = '<limit lower="-2" upper="2.5" velocity="3" effort="40"/>'

JOINTS = """
name = "joints"
citation = "none"
link = [
  { name = "base" },
  { name = "a", mass = 1.0, com = [0.1, 0.0, 0.2], inertia = [0.3, 0.0, 0.0, 0.2, 0.0, 0.25] },
  { name = "b", mass = 2.0, com = [0.0, 0.1, 0.0], inertia = [0.1, 0.0, 0.0, 0.1, 0.0, 0.1] },
  { name = "c", mass = 1.5, com = [0.2, 0.0, 0.0], inertia = [0.2, 0.0, 0.0, 0.2, 0.0, 0.3] },
]
joint = [
  { name = "u", type = "universal", parent = "base", child = "a", axes = [[1, 0, 0], [0, 1, 0]] },
  { name = "p", type = "planar", parent = "a", child = "b", axis = [0, 0, 1], xyz = [0.1, 0, 0] },
  { name = "h", type = "helical", parent = "b", child = "c", axis = [0, 0.6, 0.8], pitch = 0.01 },
]
"""
"""Joints that are written by their axes."""


@cache
def seeds(kind: str) -> tuple[str, ...]:
    """Return the good files of a format: urdf, mjcf or toml."""
    trees = range(TREES)
    if kind == "mjcf":
        return tuple(mjcf_tree(random.Random(k)) for k in trees)
    urdfs = tuple(urdf_tree(random.Random(k)) for k in trees)
    if kind == "urdf":
        return (*urdfs, *_public())
    saved = (model_toml(build_model(read_urdf(text.encode(), "seed"))) for text in urdfs[:8])
    return (*saved, *(ROBOTS.joinpath(f"{name}.toml").read_text() for name in CATALOGUE), JOINTS)


def _public() -> list[str]:
    try:
        found = distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")
    except PackageNotFoundError:
        return []
    paths = [Path(str(found)) / path for path in PUBLIC]
    return [path.read_text() for path in paths if path.exists()]


def _text(values: object) -> str:
    return " ".join(repr(float(value)) for value in np.atleast_1d(np.asarray(values)))


def _vector(rng: random.Random, size: float = 0.5) -> str:
    return _text([round(rng.uniform(-size, size), rng.choice((1, 3, 9))) for _ in range(3)])


def _angles(rng: random.Random) -> str:
    turns = (0.0, 0.0, 1.5707963267948966, -1.5707963267948966, 3.141592653589793, 0.3, rng.uniform(-3, 3))
    return _text([rng.choice(turns) for _ in range(3)])


def _axis(rng: random.Random) -> str:
    axis = rng.choice(("1 0 0", "0 1 0", "0 0 1", "0 0 -1", "0.6 0.8 0", ""))
    return axis or _vector(rng, 1.0)


def _inertia(rng: random.Random) -> dict[str, str]:
    """Return the entries of the inertia of six random points of mass."""
    points = np.array([[rng.uniform(-0.2, 0.2) for _ in range(3)] for _ in range(6)])
    J = sum(0.3 * (x @ x * np.eye(3) - np.outer(x, x)) for x in points)
    rows = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
    return {key: repr(float(np.asarray(J)[at])) for key, at in rows.items()}


def urdf_tree(rng: random.Random) -> str:
    """Return a random tree of up to four joints as URDF."""
    count = rng.randint(1, 4)
    lines = ['<?xml version="1.0"?>', '<robot name="tree">', '  <link name="base"/>']
    for k in range(count):
        inertia = " ".join(f'{key}="{value}"' for key, value in _inertia(rng).items())
        lines += [
            f'  <link name="link{k}">',
            f'    <inertial><origin xyz="{_vector(rng)}" rpy="{_angles(rng)}"/>',
            f'      <mass value="{rng.uniform(0.2, 3)!r}"/><inertia {inertia}/></inertial>',
            "  </link>",
        ]
    driver = ""
    for k in range(count):
        kinds = ("revolute",) * 4 + ("continuous", "prismatic", "prismatic", "fixed", "planar", "floating")
        kind = rng.choice(kinds) if k else "revolute"
        parent = f"link{rng.randrange(k)}" if k and rng.random() < 0.8 else "base"
        mimic = ""
        if kind == "revolute":
            if driver and rng.random() < 0.3:
                mimic = f'<mimic joint="{driver}" multiplier="{rng.choice((-1, 0.5, 2))}" offset="0.1"/>'
            else:
                driver = f"joint{k}"
        lines += [
            f'  <joint name="joint{k}" type="{kind}">',
            f'    <origin xyz="{_vector(rng)}" rpy="{_angles(rng)}"/><parent link="{parent}"/>',
            f'    <child link="link{k}"/><axis xyz="{_axis(rng) if kind != "planar" else "0 0 1"}"/>',
            f"    {LIMIT}{mimic}",
            '    <dynamics damping="0.1" friction="0.2"/>' if rng.random() < 0.3 else "",
            "  </joint>",
        ]
    return "\n".join([*(line for line in lines if line), "</robot>", ""])


def mjcf_tree(rng: random.Random) -> str:
    """Return a random tree of up to four bodies as MJCF."""
    count, bodies = rng.randint(1, 4), ""
    for k in reversed(range(count)):
        kind = rng.choice(("hinge",) * 4 + ("slide", "slide", "ball")) if k else "hinge"
        axis = f' axis="{_axis(rng)}"' if kind != "ball" else ""
        more = rng.choice(("", ' armature="0.01"', ' damping="0.2"', f' pos="{_vector(rng, 0.1)}"'))
        inertia = _inertia(rng)
        full = " ".join(inertia[key] for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
        body = (
            f'<body name="body{k}" pos="{_vector(rng)}" euler="{_angles(rng)}">\n'
            f'<joint name="joint{k}" type="{kind}"{axis}{more}/>\n'
            f'<inertial pos="{_vector(rng)}" mass="{rng.uniform(0.2, 3)!r}" fullinertia="{full}"/>\n'
        )
        if rng.random() < 0.3:
            body += f'<site name="site{k}" pos="{_vector(rng)}"/>\n<geom size="0.1" mass="0"/>\n'
        bodies = f"{body}{bodies}</body>\n" if rng.random() < 0.7 else f"{body}</body>\n{bodies}"
    return (
        '<mujoco model="tree">\n<compiler angle="radian" boundmass="0"/>\n<option gravity="0 0 -9.81"/>\n'
        f'<default><joint limited="false"/></default>\n<worldbody>\n{bodies}</worldbody>\n</mujoco>\n'
    )
