"""Mechanisms with loops, built link by link, for tests and benchmarks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import closedform as cf
from closedform.description.description import Description, Inertial, Joint, Link

Z = (0.0, 0.0, 1.0)
CRANK, COUPLER, ROCKER, GROUND = 1.0, 2.0, 1.5, 2.2
"""Lengths of the four-bar."""


def place(*position: float) -> np.ndarray:
    """Return the pose of a position."""
    T = np.eye(4)
    T[:3, 3] = position
    return T


def rod(mass: float, length: float) -> Inertial:
    """Return a slender rod along x, a little off its axis."""
    return Inertial.of(
        mass, (length / 2, 0.02, 0.01), (1e-3, 0, 0, mass * length**2 / 12, 0, mass * length**2 / 12)
    )


def revolute(name: str, parent: str, child: str, at: np.ndarray, axis: Sequence[float] = Z) -> Joint:
    """Return a revolute joint."""
    return Joint(name, "revolute", parent, child, at, np.array([[*axis, 0, 0, 0]], dtype=float).T)


def prismatic(name: str, parent: str, child: str, at: np.ndarray, axis: Sequence[float] = Z) -> Joint:
    """Return a prismatic joint."""
    return Joint(name, "prismatic", parent, child, at, np.array([[0, 0, 0, *axis]], dtype=float).T)


def bars(name: str, joints: Sequence[tuple[str, str, float, float, float]]) -> cf.Robot:
    """Return planar rods (joint, parent, x of the joint, length, mass) in the xy plane, gravity along -y.

    A rod is called as its joint with a b before it; the end of each has a frame with an e before it.
    """
    links = [Link("base"), *(Link(f"b{joint}", rod(mass, length)) for joint, _, _, length, mass in joints)]
    made = [revolute(joint, parent, f"b{joint}", place(x, 0, 0)) for joint, parent, x, _, _ in joints]
    robot = cf.Robot.from_description(Description(name, tuple(links), tuple(made)), gravity=(0.0, -9.81, 0.0))
    for joint, _, _, length, _ in joints:
        robot = robot.with_frame(f"e{joint}", f"b{joint}", (length, 0, 0))
    return robot


def four_bar(kind: str = "hinge") -> cf.ClosedRobot:
    """Return a crank, a coupler and a rocker."""
    tree = bars(
        "four_bar",
        [
            ("1", "base", 0.0, CRANK, 1.0),
            ("2", "b1", CRANK, COUPLER, 2.0),
            ("3", "base", GROUND, ROCKER, 1.5),
        ],
    )
    return tree.with_loops([cf.Loop("e2", "e3", kind)], near=[1.0, -0.6, 1.4])


def five_bar(actuated: Sequence[str] | None = None) -> cf.ClosedRobot:
    """Return two cranks and two couplers."""
    joints = [("1", "base", 0.0, 1.0, 1.0), ("2", "b1", 1.0, 1.3, 2.0), ("3", "base", 1.2, 1.0, 1.5)]
    tree = bars("five_bar", [*joints, ("4", "b3", 1.0, 1.3, 1.2)])
    near = [2.0, -1.0, 1.0, 1.0]
    return tree.with_loops([cf.Loop("e2", "e4", "ball")], ["1", "3"], actuated, near)


def anchors() -> tuple[np.ndarray, np.ndarray]:
    """Return where the legs of the Gough-Stewart platform meet its base and its platform."""
    angles = np.repeat(np.array([0, 2, 4]) * np.pi / 3, 2)
    sides = np.tile([-1.0, 1.0], 3)

    def ring(radius: float, spread: float) -> np.ndarray:
        phase = angles + sides * spread
        return radius * np.stack([np.cos(phase), np.sin(phase), 0 * phase], axis=1)

    return ring(1.0, 0.2), ring(0.6, 0.85)


CYLINDER, PISTON, PLATFORM = (2.0, 0.3, 0.06), (1.0, -0.2, 0.02), (10.0, (1.0, 1.2, 2.0))
"""Mass, centre along the leg and transverse inertia of its parts; mass and inertia of the platform."""


def gough_stewart(independent: str = "legs", *, split: bool = False) -> cf.ClosedRobot:
    """Return a platform on six legs, each a universal joint, a prismatic drive and a ball.

    The platform is free and the legs are cut at their balls; or, if `split`, it is carried by the first leg,
    whose ball is three revolute joints, so that all joints have one degree of freedom. The coordinates are
    the "legs" or the "platform".
    """
    base, top = anchors()
    height = 1.0
    ways = top + np.array([0, 0, height]) - base
    lengths = np.linalg.norm(ways, axis=1)
    links, joints, near, loops = [Link("base")], list[Joint](), list[float](), list[cf.Loop]()
    thin = [
        Inertial.of(mass, (0, 0, along), (inertia, 0, 0, inertia, 0, 0))
        for mass, along, inertia in (CYLINDER, PISTON)
    ]
    heavy = Inertial.of(PLATFORM[0], (0, 0, 0), (PLATFORM[1][0], 0, 0, PLATFORM[1][1], 0, PLATFORM[1][2]))
    if not split:
        links.append(Link("platform", heavy))
        joints.append(Joint("platform", "free", "base", "platform", place(0, 0, height), np.eye(6)))
        near += [0, 0, 0, 0, 0, 0, 1]
    for k, (point, way, length) in enumerate(zip(base, ways, lengths, strict=True)):
        links += [Link(f"cross{k}"), Link(f"cylinder{k}", thin[0]), Link(f"piston{k}", thin[1])]
        joints += [
            revolute(f"ux{k}", "base", f"cross{k}", place(*point), (1, 0, 0)),
            revolute(f"uy{k}", f"cross{k}", f"cylinder{k}", np.eye(4), (0, 1, 0)),
            prismatic(f"p{k}", f"cylinder{k}", f"piston{k}", np.eye(4)),
        ]
        a, b = np.arctan2(-way[1], way[2]), np.arcsin(way[0] / length)
        near += [a, b, length]
        if k == 0 and split:
            links += [Link("ball1"), Link("ball2"), Link("platform", heavy)]
            joints += [
                revolute("s1", "piston0", "ball1", np.eye(4), (0, 1, 0)),
                revolute("s2", "ball1", "ball2", np.eye(4), (1, 0, 0)),
                revolute("s3", "ball2", "platform", place(*-top[0]), Z),
            ]
            joints[-1] = Joint(
                "s3",
                "revolute",
                "ball2",
                "platform",
                place(*-top[0]),
                np.array([[0, 0, 1, *np.cross(top[0], Z)]]).T,
            )
            near += [-b, -a, 0.0]
    robot = cf.Robot.from_description(Description("gough_stewart", tuple(links), tuple(joints)))
    for k in range(6):
        robot = robot.with_frame(f"top{k}", "platform", top[k]).with_frame(f"tip{k}", f"piston{k}", (0, 0, 0))
        if not (k == 0 and split):
            loops.append(cf.Loop(f"top{k}", f"tip{k}", "ball"))
    legs = [f"p{k}" for k in range(6)]
    return robot.with_loops(loops, legs if independent == "legs" else ["platform"], legs, near)


DELTA = {"base": 0.2, "platform": 0.05, "arm": 0.3, "rod": 0.7}
"""Radii of base and platform, and lengths, of the Delta robot in metres."""

DELTA_MASSES = {"arm": 1.2, "rod": 0.4, "platform": 1.5}
"""Masses of an arm, a rod (both slender and uniform) and the platform."""


def delta() -> cf.ClosedRobot:
    """Return a Delta robot, its platform below the base (Clavel 1988).

    A parallelogram is one rod on a universal joint, since its two rods stay parallel; the platform only
    translates, on three prismatic joints.
    """
    arm, length = DELTA["arm"], DELTA["rod"]
    thin = [
        Inertial.of(m, (size / 2, 0, 0), (0, 0, 0, m * size**2 / 12, 0, m * size**2 / 12))
        for m, size in ((DELTA_MASSES["arm"], arm), (DELTA_MASSES["rod"], length))
    ]
    links = [Link("base"), Link("x"), Link("y"), Link("platform", Inertial.of(DELTA_MASSES["platform"]))]
    joints = [
        prismatic("px", "base", "x", np.eye(4), (1, 0, 0)),
        prismatic("py", "x", "y", np.eye(4), (0, 1, 0)),
        prismatic("pz", "y", "platform", np.eye(4), (0, 0, 1)),
    ]
    near = [0.0, 0.0, -0.6]
    for k in range(3):
        angle = 2 * np.pi * k / 3
        c, s = np.cos(angle), np.sin(angle)
        turn = place(DELTA["base"] * c, DELTA["base"] * s, 0)
        turn[:3, :3] = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
        links += [Link(f"arm{k}", thin[0]), Link(f"fork{k}"), Link(f"rod{k}", thin[1])]
        joints += [
            revolute(f"a{k}", "base", f"arm{k}", turn, (0, 1, 0)),
            revolute(f"e{k}", f"arm{k}", f"fork{k}", place(arm, 0, 0), (0, 1, 0)),
            revolute(f"f{k}", f"fork{k}", f"rod{k}", np.eye(4), Z),
        ]
        near += [0.3, 1.6, 0.0]
    robot = cf.Robot.from_description(Description("delta", tuple(links), tuple(joints)))
    loops = []
    for k in range(3):
        angle = 2 * np.pi * k / 3
        corner = DELTA["platform"] * np.array([np.cos(angle), np.sin(angle), 0])
        robot = robot.with_frame(f"corner{k}", "platform", corner)
        robot = robot.with_frame(f"tip{k}", f"rod{k}", (length, 0, 0))
        loops.append(cf.Loop(f"corner{k}", f"tip{k}", "ball"))
    return robot.with_loops(loops, [f"a{k}" for k in range(3)], near=near)
