"""Equality constraints of a MuJoCo model as mimic joints, and as what closes loops.

MuJoCo holds constraints softly, by stiff springs; here they hold exactly. A connect is a ball, a weld is
fixed, and polynomials of joints and of tendons that run along joints are couplings. A straight tendon of
constant length between two sites is a distance. `active="false"` ones and those that <flag> switches off are
not there. Loops are closed from the keyframe "assembled", if there is one, else from the reference posture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial

from ..arrays import Array
from ..rotations import pose, rotation_quaternion
from .description import Joint, Mimic
from .loop import Anchor, Closure, JointCoupling, Loop, Mechanism
from .mjcf_compile import mujoco
from .mjcf_document import ASSEMBLED
from .mjcf_left_out import constraint, disabled
from .mjcf_tendons import Linear, along_joints, between_sites

ROUNDING = 1e-9
"""Relative difference of two couplings of the same joints that counts as round-off."""

DIGITS = 1e-4
"""Relative difference of a length on two bodies that the digits of a file explain."""


@dataclass(frozen=True)
class _Connect:
    """A connect of two bodies: its label, and its point on each as a pose and the name of a frame there."""

    label: str
    poses: tuple[Array, Array]
    frames: tuple[str | None, str | None]


class Equalities:
    """The active equality constraints of a MuJoCo model whose joints and bodies have names."""

    def __init__(self, model: Any, joints: list[Joint], bodies: list[str], sites: dict[int, str]) -> None:
        self.model, self.joints, self.bodies, self.sites = model, joints, bodies, sites
        self.names = [joint.name for joint in joints if not joint.fixed]
        self.taken = {joint.child for joint in joints} | set(bodies)
        self.mimics: dict[int, tuple[int, float, float]] = {}
        self.closures: list[Closure] = []
        self.anchors: list[Anchor] = []
        self.open: list[str] = []
        self.connects: dict[tuple[int, int], list[_Connect]] = {}
        if disabled(model, "EQUALITY", "CONSTRAINT"):
            return
        active = [k for k in range(model.neq) if model.eq_active0[k]]
        later = [k for k in active if not self._mimic(k)]
        for k in later:
            if not self._close(k):
                self.open.append(constraint(model, k))
        for pair, found in self.connects.items():
            self._connect(pair, found)

    def coupled_joints(self) -> list[Joint]:
        """Return the joints, with linear couplings as mimics."""
        found = {
            self.names[joint]: Mimic(self.names[driver], slope, offset)
            for joint, (driver, slope, offset) in self.mimics.items()
        }
        return [replace(joint, mimic=found.get(joint.name)) for joint in self.joints]

    def mechanism(self) -> Mechanism | None:
        """Return what closes loops, with the joints that actuators drive."""
        if not self.closures:
            return None
        keys = [k for k in range(self.model.nkey) if self.model.key(k).name == ASSEMBLED]
        start = self.model.key_qpos[keys[0]] if keys else self.model.qpos0
        near = {}
        for j, name in enumerate(self.names):
            if j not in self.mimics:
                near[name] = tuple(self._coordinates(j, start).tolist())
        return Mechanism(tuple(self.closures), tuple(self.anchors), (), self._motors(), near)

    def _home(self, j: int) -> Array:
        return self._coordinates(j, self.model.qpos0)

    def _coordinates(self, j: int, qpos: Array) -> Array:
        first = int(self.model.jnt_qposadr[j])
        last = self.model.nq if j + 1 == self.model.njnt else int(self.model.jnt_qposadr[j + 1])
        q = np.array(qpos[first:last])
        if len(q) > 1:  # (w, x, y, z) at the end becomes (x, y, z, w)
            q[-4:] = np.roll(q[-4:], -1)
        return q

    def _kind(self, k: int) -> str:
        return str(mujoco().mjtEq(int(self.model.eq_type[k])).name).removeprefix("mjEQ_")

    def _mimic(self, k: int) -> bool:
        """Take a linear coupling of two joints as a mimic, unless it closes a circle of them.

        MuJoCo's y - y0 = a0 + a1 (x - x0) is y = a1 x + (y0 + a0 - a1 x0).
        """
        follower, driver = int(self.model.eq_obj1id[k]), int(self.model.eq_obj2id[k])
        a = np.array(self.model.eq_data[k][:5])
        if self._kind(k) != "JOINT" or driver < 0 or a[2:].any():
            return False
        if follower in self.mimics or follower in self._drivers(driver):
            return False
        y0, x0 = (float(self._home(j)[0]) for j in (follower, driver))
        self.mimics[follower] = (driver, float(a[1]), float(y0 + a[0] - a[1] * x0))
        return True

    def _drivers(self, joint: int) -> list[int]:
        """Return a joint and those that drive it."""
        found = [joint]
        while found[-1] in self.mimics:
            found.append(self.mimics[found[-1]][0])
        return found

    def _close(self, k: int) -> bool:
        """Add what a constraint closes; return whether it could be."""
        kind = self._kind(k)
        ends = (int(self.model.eq_obj1id[k]), int(self.model.eq_obj2id[k]))
        data = np.array(self.model.eq_data[k])
        if kind in ("CONNECT", "WELD"):
            return self._loop(k, kind, ends, data)
        if kind == "TENDON" and self._distance(ends, data):
            return True
        sides = [self._side(kind, end) for end in ends]
        if sides[0] is None or (ends[1] >= 0 and sides[1] is None):
            return False
        return self._coupling(sides[0], sides[1], Polynomial(data[:5]))

    def _loop(self, k: int, kind: str, ends: tuple[int, int], data: Array) -> bool:
        """Add a ball or a fixed joint between two bodies or sites."""
        model = self.model
        if int(model.eq_objtype[k]) == int(mujoco().mjtObj.mjOBJ_SITE):
            bodies = [int(model.site_bodyid[end]) for end in ends]
            poses = [pose(rotation_quaternion(model.site_quat[end]), model.site_pos[end]) for end in ends]
            frames = [self.sites.get(end) for end in ends]
        else:
            bodies, frames = list(ends), [None, None]
            if kind == "CONNECT":
                poses = [pose(None, data[:3]), pose(None, data[3:6])]
            else:
                poses = [pose(rotation_quaternion(data[6:10]), data[3:6]), pose(None, data[:3])]
        if any(model.body_mocapid[body] >= 0 for body in bodies):
            return False  # a hand that the user moves, no part of the mechanism
        if model.body_weldid[bodies[0]] == model.body_weldid[bodies[1]]:
            return True  # one rigid body holds itself
        label = str(model.equality(k).name) or f"{kind.lower()}{k}"
        if kind == "CONNECT":
            first, second = sorted((0, 1), key=lambda end: bodies[end])
            connect = _Connect(label, (poses[first], poses[second]), (frames[first], frames[second]))
            self.connects.setdefault((bodies[first], bodies[second]), []).append(connect)
            return True
        return self._pair(
            label, (bodies[0], bodies[1]), (poses[0], poses[1]), (frames[0], frames[1]), "fixed"
        )

    def _distance(self, ends: tuple[int, int], data: Array) -> bool:
        """Add the distance of two sites that a straight tendon of constant length keeps, if it is one."""
        model, sites = self.model, between_sites(self.model, ends[0])
        length = float(model.tendon_length0[ends[0]] + data[0])
        if sites is None or (ends[1] >= 0 and data[1:5].any()) or not length > 0:
            return False
        bodies = [int(model.site_bodyid[site]) for site in sites]
        if model.body_weldid[bodies[0]] == model.body_weldid[bodies[1]]:
            return True  # one rigid body holds itself
        poses = [pose(rotation_quaternion(model.site_quat[site]), model.site_pos[site]) for site in sites]
        label = str(model.tendon(ends[0]).name) or f"tendon{ends[0]}"
        named = self._frames(label, bodies, poses, [self.sites.get(site) for site in sites])
        return self._add(Loop(named[0], named[1], "distance", length))

    def _connect(self, bodies: tuple[int, int], found: list[_Connect]) -> None:
        """Add the connects of two bodies: one is a ball, two at different points are a hinge.

        Both points of a hinge would be one row too many, which the digits of a file do not satisfy exactly.
        """
        if len(found) == 2:
            first, second = found
            lines = [b[:3, 3] - a[:3, 3] for a, b in zip(first.poses, second.poses, strict=True)]
            lengths = [float(np.linalg.norm(line)) for line in lines]
            if min(lengths) > 0 and abs(lengths[0] - lengths[1]) <= DIGITS * max(lengths):
                a, b = (
                    pose(_along(line / length), T[:3, 3])
                    for line, length, T in zip(lines, lengths, first.poses, strict=True)
                )
                self._pair(f"{first.label}+{second.label}", bodies, (a, b), (None, None), "hinge")
                return
        for each in found:
            self._pair(each.label, bodies, each.poses, each.frames, "ball")

    def _pair(
        self,
        label: str,
        bodies: tuple[int, int],
        poses: tuple[Array, Array],
        frames: tuple[str | None, str | None],
        kind: str,
    ) -> bool:
        """Add a cut joint between frames of two bodies, which are made unless they have names."""
        named = self._frames(label, bodies, poses, frames)
        return self._add(Loop(named[0], named[1], kind))

    def _frames(
        self, label: str, bodies: Sequence[int], poses: Sequence[Array], frames: Sequence[str | None]
    ) -> list[str]:
        """Return names of frames of two bodies, which are made unless they have names."""
        return [
            frame or self._anchor(f"{label}/{side}", self.bodies[body], T)
            for side, body, T, frame in zip("ab", bodies, poses, frames, strict=True)
        ]

    def _add(self, closure: Closure) -> bool:
        """Add a closure, unless it is there already."""
        if closure not in self.closures:
            self.closures.append(closure)
        return True

    def _anchor(self, wanted: str, link: str, placement: Array) -> str:
        name = wanted
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        self.anchors.append(Anchor(name, link, placement))
        return name

    def _side(self, kind: str, end: int) -> Linear | None:
        """Return y - y0 of a joint or of a tendon along joints, in coordinates that are no mimics'."""
        if end < 0 or kind not in ("JOINT", "TENDON"):
            return None
        terms = along_joints(self.model, end) if kind == "TENDON" else {end: 1.0}
        if terms is None:
            return None
        found: dict[int, float] = {}
        offset = 0.0
        for joint, c in terms.items():
            offset -= c * float(self._home(joint)[0])
            root, slope, constant = self._root(joint)
            found[root] = found.get(root, 0.0) + c * slope
            offset += c * constant
        return Linear(found, offset)

    def _root(self, joint: int) -> tuple[int, float, float]:
        """Return the joint that a mimic follows at last, with slope and offset; a joint itself if none."""
        slope, offset = 1.0, 0.0
        while joint in self.mimics:
            joint, a, b = self.mimics[joint]
            slope, offset = slope * a, offset + slope * b
        return joint, slope, offset

    def _coupling(self, y: Linear, x: Linear | None, P: Polynomial) -> bool:
        """Add y = P(x), a coupling of joints if it is linear or of one joint by one."""
        if x is None or not P.coef[1:].any():
            return self._linear(Linear(y.terms, y.offset - float(P.coef[0])))
        if not P.coef[2:].any():
            return self._linear((y - x.times(float(P.coef[1]))) - Linear({}, float(P.coef[0])))
        left = {joint: c for joint, c in y.terms.items() if c}
        right = {joint: c for joint, c in x.terms.items() if c}
        if len(left) != 1 or len(right) != 1 or set(left) == set(right):
            return False
        ((joint, slope),), ((driver, c),) = left.items(), right.items()
        found = (P(Polynomial([x.offset, c])) - y.offset) / slope
        coefficients = tuple(float(each) for each in found.coef)
        return self._add(JointCoupling(self.names[joint], self.names[driver], coefficients))

    def _linear(self, zero: Linear) -> bool:
        """Add a linear function of joints that vanishes; one that always does holds nothing."""
        size = max(map(abs, zero.terms.values()), default=0.0)
        terms = {joint: c for joint, c in zero.terms.items() if abs(c) > ROUNDING * max(1.0, size)}
        if not terms:
            return abs(zero.offset) <= ROUNDING
        motors = {self._root(joint)[0] for joint in self._driven()}
        joint = max(terms, key=lambda each: (each not in motors, abs(terms[each]), each))
        drivers = [each for each in terms if each != joint]
        coefficients = [-zero.offset / terms[joint], *(-terms[each] / terms[joint] for each in drivers)]
        names = tuple(self.names[each] for each in drivers)
        return self._add(JointCoupling(self.names[joint], names, tuple(coefficients)))

    def _driven(self) -> list[int]:
        """Return the joints that actuators drive, by themselves or through tendons along joints."""
        model, kinds = self.model, mujoco().mjtTrn
        found: list[int] = []
        for k in range(model.nu):
            kind, target = int(model.actuator_trntype[k]), int(model.actuator_trnid[k][0])
            if kind in (int(kinds.mjTRN_JOINT), int(kinds.mjTRN_JOINTINPARENT)):
                found.append(target)
            elif kind == int(kinds.mjTRN_TENDON):
                found += along_joints(model, target) or {}
        return found

    def _motors(self) -> tuple[str, ...]:
        """Return the names of the joints that actuators drive, of a mimic the one that it follows."""
        roots = {self._root(joint)[0] for joint in self._driven()}
        return tuple(self.names[joint] for joint in sorted(roots))


def _along(z: Array) -> Array:
    """Return a rotation whose third column is a unit vector."""
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])
