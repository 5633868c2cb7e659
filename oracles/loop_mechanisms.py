"""Mechanisms with closed loops, built by hand from points and axes: what loops are compared on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

import closedform as cf

X, Y, Z = np.eye(3)


def rod(mass: float, length: float, along: np.ndarray = X) -> cf.Inertial:
    """Return a slender rod from the origin of its frame."""
    across = np.eye(3) - np.outer(along, along)
    inertia = mass * length**2 / 12 * across + 1e-3 * mass * length**2 * np.eye(3)
    return cf.Inertial.of(mass, 0.5 * length * along, inertia)


def at(point: Sequence[float], R: np.ndarray | None = None) -> np.ndarray:
    """Return the pose of a frame at a point."""
    T = np.eye(4)
    T[:3, 3] = point
    if R is not None:
        T[:3, :3] = R
    return T


def axes(z: np.ndarray) -> np.ndarray:
    """Return a rotation whose z axis is given."""
    x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _cleaned(axis: np.ndarray) -> np.ndarray:
    """Return an axis without what is round-off."""
    axis = np.where(np.abs(axis) < 1e-12, 0.0, axis)
    return axis / np.linalg.norm(axis)


class Bodies:
    """A tree of bodies given in the base frame at home, in which its loops are closed."""

    def __init__(self) -> None:
        self.homes: list[np.ndarray] = []
        self.screws: list[np.ndarray] = []
        self.parents: list[int] = []
        self.inertials: list[cf.Inertial] = []
        self.names: list[str] = []
        self.frames: list[tuple[str, str, np.ndarray]] = []

    def add(
        self,
        name: str,
        parent: int,
        home: np.ndarray,
        inertial: cf.Inertial,
        *,
        turn: np.ndarray | None = None,
        slide: np.ndarray | None = None,
        free: bool = False,
    ) -> int:
        """Add a body that turns about an axis, slides along one, is free, or a ball; return its index.

        Axes are in the base frame, through the origin of the body.
        """
        zero = np.zeros(3)
        self.homes.append(home)
        if turn is not None:
            self.screws.append(np.concatenate([_cleaned(home[:3, :3].T @ turn), zero]))
        elif slide is not None:
            self.screws.append(np.concatenate([zero, _cleaned(home[:3, :3].T @ slide)]))
        else:
            self.screws.append(np.eye(6) if free else np.eye(6)[:, :3])
        self.parents.append(parent)
        self.inertials.append(inertial)
        self.names.append(name)
        return len(self.names) - 1

    def frame(self, name: str, body: int, home: np.ndarray) -> str:
        """Add a frame of a body, given in the base frame at home."""
        parent = "base" if body < 0 else f"{self.names[body]}_body"
        here = home if body < 0 else np.linalg.inv(self.homes[body]) @ home
        self.frames.append((name, parent, here))
        return name

    def robot(self, name: str, **options: Any) -> cf.Robot:
        """Return the tree; joints have the names of their bodies."""
        homes = [
            home if parent < 0 else np.linalg.inv(self.homes[parent]) @ home
            for home, parent in zip(self.homes, self.parents, strict=True)
        ]
        robot = cf.Robot.from_screws(
            homes,
            self.screws,
            parents=self.parents,
            inertials=self.inertials,
            name=name,
            joint_names=self.names,
            body_names=[f"{each}_body" for each in self.names],
            **options,
        )
        for each in self.frames:
            robot = robot.with_frame(*each)
        return robot


@cache
def four_bar(kind: str = "hinge") -> Any:
    """Return a crank and rocker in a vertical plane."""
    rods = [rod(1.0, 0.4), rod(1.5, 1.1), rod(1.2, 0.9)]
    rows = [(0, 0, 0, 0, 0), (0, 0, 0.4, 0, 0), (0, 0, 1.0, 0, 0)]
    bars = cf.Robot.from_mdh(
        rows, parents=[-1, 0, -1], inertials=rods, name="four_bar", gravity=(0, -9.81, 0)
    )
    bars = bars.with_frame("coupler", "link2", (1.1, 0, 0)).with_frame("rocker", "link3", (0.9, 0, 0))
    return bars.with_loops(
        [cf.Loop("coupler", "rocker", kind)],
        independent=["joint1"] if kind == "hinge" else None,
        near=[1.0, -0.6, 1.4],
    )


@cache
def five_bar(kind: str = "hinge") -> Any:
    """Return the planar five-bar with both motors at the base."""
    rods = [rod(1.0, 0.5), rod(0.7, 0.8), rod(1.0, 0.5), rod(0.7, 0.8)]
    rows = [(0, 0, 0, 0, 0), (0, 0, 0.5, 0, 0), (0, 0, 0.6, 0, 0), (0, 0, 0.5, 0, 0)]
    bars = cf.Robot.from_mdh(
        rows, parents=[-1, 0, -1, 2], inertials=rods, name="five_bar", gravity=(0, -9.81, 0)
    )
    bars = bars.with_frame("left", "link2", (0.8, 0, 0)).with_frame("right", "link4", (0.8, 0, 0))
    return bars.with_loops(
        [cf.Loop("left", "right", kind)], independent=["joint1", "joint3"], near=[2.2, -1.2, 0.9, 1.2]
    )


@cache
def planar_3rrr() -> Any:
    """Return a triangle on three legs with two links each, driven at the base."""
    made, loops = Bodies(), []
    corners = [np.array([np.cos(a), np.sin(a), 0]) for a in np.pi / 2 + 2 * np.pi / 3 * np.arange(3)]
    for k, c in enumerate(corners):
        base, tip = 0.9 * c, 0.25 * c
        side = np.array([-c[1], c[0], 0])
        knee = 0.5 * (base + tip) + 0.45 * side
        upper, lower = knee - base, tip - knee
        a = made.add(f"upper{k}", -1, at(base), _bar(1.0, upper), turn=Z)
        b = made.add(f"lower{k}", a, at(knee), _bar(0.6, lower), turn=Z)
        if k == 0:
            plate = cf.Inertial.of(2.0, -tip + 0.02 * X, 0.05 * np.eye(3))
            platform = made.add("platform", b, at(tip), plate, turn=Z)
        else:
            loops.append(
                cf.Loop(made.frame(f"tip{k}", b, at(tip)), made.frame(f"corner{k}", platform, at(tip)))
            )
    made.frame("centre", platform, at(np.zeros(3)))
    return made.robot("planar_3rrr", gravity=(0.0, -9.81, 0.0)).with_loops(
        loops, independent=[f"upper{k}" for k in range(3)]
    )


def _bar(mass: float, along: np.ndarray) -> cf.Inertial:
    length = float(np.linalg.norm(along))
    return rod(mass, length, along / length)


@cache
def gough_stewart() -> Any:
    """Return a platform on six legs that slide: universal joints below, balls above."""
    made, loops = Bodies(), []
    small = cf.Inertial.of(0.2, (0, 0, 0), 1e-3 * np.eye(3))
    spread = 2 * np.pi / 3 * np.array([0, 0, 1, 1, 2, 2]) + 0.2 * np.array([-1, 1, -1, 1, -1, 1])
    close = np.pi / 3 * np.array([-1, 1, 1, 3, 3, -1]) + 0.15 * np.array([1, -1, 1, -1, 1, -1])
    for k in range(6):
        b = np.array([np.cos(spread[k]), np.sin(spread[k]), 0])
        p = np.array([0.6 * np.cos(close[k]), 0.6 * np.sin(close[k]), 1.2])
        u = (p - b) / np.linalg.norm(p - b)
        R = axes(u)
        yoke = made.add(f"yoke{k}", -1, at(b, R), small, turn=R[:, 0])
        barrel = made.add(f"barrel{k}", yoke, at(b, R), rod(2.0, 0.7, Z), turn=R[:, 1])
        piston = made.add(f"piston{k}", barrel, at(p, R), rod(1.0, 0.7, -Z), slide=u)
        if k == 0:
            plate = cf.Inertial.of(8.0, np.array([0.0, 0.02, 1.25]) - p, np.diag([0.6, 0.7, 1.1]))
            platform = made.add("platform", piston, at(p), plate)
        else:
            ends = made.frame(f"leg{k}", piston, at(p)), made.frame(f"corner{k}", platform, at(p))
            loops.append(cf.Loop(*ends, "ball"))
    made.frame("tool", platform, at((0, 0, 1.25)))
    legs = [f"piston{k}" for k in range(6)]
    return made.robot("gough_stewart").with_loops(loops, independent=legs, actuated=legs)


@cache
def delta(kind: str = "fixed") -> Any:
    """Return a Delta with rods between universal joints; `kind` "hinge" has one joint less per cut leg."""
    made, loops = Bodies(), []
    small = cf.Inertial.of(0.05, (0, 0, 0), 2e-4 * np.eye(3))
    for k, angle in enumerate(2 * np.pi / 3 * np.arange(3)):
        c = np.array([np.cos(angle), np.sin(angle), 0])
        t = np.array([-c[1], c[0], 0])
        base, elbow = 0.2 * c, 0.2 * c + 0.25 * (0.9 * c - np.sqrt(1 - 0.81) * Z)
        wrist = 0.06 * c - 0.55 * Z
        length = float(np.linalg.norm(wrist - elbow))
        u = (wrist - elbow) / length
        R = np.column_stack([u, t, np.cross(u, t)])
        upper = made.add(f"arm{k}", -1, at(base), _bar(0.4, elbow - base), turn=t)
        a = made.add(f"swing{k}", upper, at(elbow, R), small, turn=t)
        b = made.add(f"rod{k}", a, at(elbow, R), rod(0.2, length), turn=R[:, 2])
        e = made.add(f"wrist{k}", b, at(wrist, R), small, turn=R[:, 2])
        if k == 0:
            plate = cf.Inertial.of(0.3, np.array([0, 0, -0.57]) - wrist, 2e-4 * np.eye(3))
            platform = made.add("platform", e, at(wrist), plate, turn=t)
            continue
        place = at(wrist, axes(t))
        if kind == "fixed":
            e = made.add(f"end{k}", e, at(wrist), small, turn=t)
        ends = made.frame(f"leg{k}", e, place), made.frame(f"side{k}", platform, place)
        loops.append(cf.Loop(*ends, kind))
    made.frame("tool", platform, at((0, 0, -0.57)))
    arms = [f"arm{k}" for k in range(3)]
    return made.robot("delta").with_loops(loops, independent=arms, actuated=arms)
