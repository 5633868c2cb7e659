"""Random trees with every kind of joint, physical inertias, oblique axes and couplings."""

from __future__ import annotations

import numpy as np

import closedform as cf
from closedform.description import Description, Joint, Link, Mimic

KINDS = ("revolute", "prismatic", "helical", "cylindrical", "planar", "ball", "free", "cartesian")


def rotation(rng: np.random.Generator) -> np.ndarray:
    """Return a random rotation."""
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return R * np.sign(np.linalg.det(R))


def placement(rng: np.random.Generator) -> np.ndarray:
    """Return a random pose: half the time axis-parallel, as robots are built, otherwise oblique."""
    T = np.eye(4)
    T[:3, :3] = rotation(rng) if rng.random() < 0.5 else np.eye(3)[rng.permutation(3)]
    if np.linalg.det(T[:3, :3]) < 0:
        T[:3, 0] *= -1
    T[:3, 3] = rng.uniform(-0.5, 0.5, 3)
    return T


def inertial(rng: np.random.Generator) -> cf.Inertial:
    """Return the inertia of eight random points of mass: physical by construction."""
    points, masses = rng.uniform(-0.3, 0.3, (8, 3)), rng.uniform(0.1, 1.0, 8)
    mass = masses.sum()
    com = masses @ points / mass
    r = points - com
    J = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, r, strict=True))
    return cf.Inertial.of(mass, com, J)


def screws(kind: str, rng: np.random.Generator) -> tuple[str, np.ndarray]:
    """Return the description kind and the joint screws of a kind of joint."""
    e = rng.normal(size=3) if rng.random() < 0.5 else np.eye(3)[rng.integers(3)] * rng.choice([-1, 1])
    e = e / np.linalg.norm(e)
    x = rng.uniform(-0.2, 0.2, 3) * rng.integers(2)
    zero = np.zeros(3)
    turn = np.concatenate([e, np.cross(x, e)])
    t1 = np.cross(e, np.eye(3)[int(np.argmin(np.abs(e)))])
    t1 /= np.linalg.norm(t1)
    t2 = np.cross(e, t1)
    slides = [np.concatenate([zero, t]) for t in (t1, t2, e)]
    skew = np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])
    return {
        "revolute": ("revolute", turn[:, None]),
        "prismatic": ("prismatic", slides[2][:, None]),
        "helical": ("helical", (turn + 0.1 * slides[2])[:, None]),
        "cylindrical": ("subspace", np.array([slides[2], turn]).T),
        "planar": ("subspace", np.array([slides[0], slides[1], turn]).T),
        "cartesian": ("subspace", np.array(slides).T),
        "ball": ("ball", np.vstack([np.eye(3), skew])),
        "free": ("free", np.eye(6)),
    }[kind]


def random_tree(seed: int, bodies: int = 8, kinds: tuple[str, ...] | None = None) -> cf.Robot:
    """Return a random tree; even seeds have only one-dof joints, odd ones every kind."""
    rng = np.random.default_rng(seed)
    if kinds is None:
        kinds = KINDS[:3] if seed % 2 == 0 else KINDS
    links, joints = [Link("base")], []
    for i in range(bodies):
        kind = kinds[i] if i < len(kinds) else str(rng.choice(kinds))
        described, X = screws(kind, rng)
        parent = links[rng.integers(len(links))].name if i % 3 == 2 else links[-1].name
        drivers = [j.name for j in joints if j.subspace.shape[1] == 1 and j.mimic is None]
        mimic = None
        if i == bodies - 1 and seed % 3 == 0 and X.shape[1] == 1 and drivers:
            mimic = Mimic(drivers[-1], -0.7, 0.3)
        joints.append(
            Joint(
                f"joint{i}",
                described,
                parent,
                f"link{i}",
                placement(rng),
                X,
                armature=0.05 * rng.integers(2),
                mimic=mimic,
            )
        )
        links.append(Link(f"link{i}", inertial(rng)))
    g = rng.normal(size=3) * 5
    return cf.Robot.from_description(Description(f"tree{seed}", tuple(links), tuple(joints), tuple(g)))
