"""Robots with loops as MJCF files: the tree, and equalities between sites that hold what the loops hold.

A ball is a connect, a fixed loop a weld, and a hinge two connects along its axis. A distance is a straight
tendon of constant length; with a ball, one between points of two axes that stay perpendicular is a universal
joint. Couplings are polynomials of joints, or tendons along joints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from lxml import etree

from ..description.description import new_name
from ..description.loop import JointCoupling, Loop
from ..description.mjcf_document import ASSEMBLED
from ..errors import ClosedFormError
from ..forms.tree import Tree
from ..model import Frame
from ..model.mjcf_writing import mjcf_root
from ..model.urdf_writing import element, xml_text
from ..rotations import pose
from .model import ClosedModel
from .numbers import ClosureNumbers

DEGREE = 4
"""Degree of MuJoCo's polynomials."""


def closed_mjcf(model: ClosedModel) -> str:
    """Return a mechanism as MJCF text, with a keyframe of all joints in which its loops are closed."""
    file = _File(model)
    for closure in model.closures:
        file.add(closure)
    root = mjcf_root(file.tree)
    equality = root.find("equality")
    equality = element(root, "equality") if equality is None else equality
    equality.extend(file.equalities)
    if len(file.tendons):
        root.append(file.tendons)
    motors = [model.tree.bodies[k] for k in model.actuated]
    actuator = etree.Element("actuator")
    for body in motors:
        if body.joint.nv == 1:
            element(actuator, "motor", name=body.joint_name, joint=body.joint_name)
    if len(actuator):
        root.append(actuator)
    element(element(root, "keyframe"), "key", name=ASSEMBLED, qpos=_qpos(root, model))
    return xml_text(root)


class _File:
    """The tree with sites for loops, and the equalities and tendons that hold them."""

    def __init__(self, model: ClosedModel) -> None:
        self.tree = model.tree
        self.bodies = {body.name for body in model.tree.bodies}
        self.taken = {*self.bodies, *model.tree.frame_names}
        self.names: set[str] = set()
        self.length = ClosureNumbers(Tree.of(model.tree), ()).size
        self.equalities: list[etree._Element] = []
        self.tendons = etree.Element("tendon")

    def add(self, closure: Loop | JointCoupling) -> None:
        """Add what holds a loop or a coupling, or say that MuJoCo has nothing that does."""
        if isinstance(closure, JointCoupling):
            self._coupling(closure)
            return
        ends = [self._site(name) for name in (closure.frame_a, closure.frame_b)]
        if closure.kind == "distance":
            self._tendon(closure.name, ends, float(closure.length or 0.0))
        elif closure.kind in ("ball", "hinge", "universal"):
            self._equality("connect", ends)
        elif closure.kind == "fixed":
            self._equality("weld", ends)
        else:
            raise ClosedFormError(
                f"to_mjcf: loop {closure.name!r} is {closure.kind!r}, which no equality of MuJoCo holds; cut "
                "the loop at another joint and make this one a joint of the tree, or use save"
            )
        if closure.kind == "hinge":
            self._equality("connect", [self._site(name, 2) for name in (closure.frame_a, closure.frame_b)])
        if closure.kind == "universal":
            axes = [self._site(closure.frame_a, 0), self._site(closure.frame_b, 1)]
            self._tendon(closure.name, axes, np.sqrt(2) * self.length)

    def _site(self, frame: str, axis: int | None = None) -> str:
        """Return a site at the origin of a frame, or at a point of one of its axes."""
        own = self.tree.frame(frame)
        if axis is None and frame not in self.bodies:
            return frame
        name = new_name(f"{frame}/{'site' if axis is None else 'xyz'[axis]}", self.taken)
        shift = np.zeros(3) if axis is None else self.length * np.eye(3)[axis]
        placed = Frame(name, own.body, own.placement @ pose(None, shift))
        self.tree = replace(self.tree, frames=(*self.tree.frames, placed))
        return name

    def _equality(self, kind: str, ends: Sequence[str]) -> None:
        self.equalities.append(element(None, kind, site1=ends[0], site2=ends[1]))

    def _tendon(self, name: str, ends: Sequence[str], length: float) -> None:
        """Add a straight tendon whose length is constant: MuJoCo counts it from that at the reference."""
        apart = ClosureNumbers(Tree.of(self.tree), [Loop(ends[0], ends[1], "ball")])
        reference = float(np.linalg.norm(apart.residual(self.tree.neutral())))
        own = new_name(name, self.names)
        tendon = element(self.tendons, "spatial", name=own)
        for end in ends:
            element(tendon, "site", site=end)
        self._constant(own, length - reference)

    def _constant(self, tendon: str, value: float) -> None:
        """Hold the length of a tendon, counted from that at the reference."""
        self.equalities.append(element(None, "tendon", tendon1=tendon, polycoef=[value, 0, 0, 0, 0]))

    def _coupling(self, coupling: JointCoupling) -> None:
        """Add a polynomial of joints, or a tendon along joints if the drivers are several."""
        first, *others = coupling.coefficients
        if len(coupling.drivers) > 1:
            own = new_name(coupling.name, self.names)
            tendon = element(self.tendons, "fixed", name=own)
            element(tendon, "joint", joint=coupling.joint, coef=1.0)
            for name, c in zip(coupling.drivers, others, strict=True):
                element(tendon, "joint", joint=name, coef=-c)
            self._constant(own, first)
            return
        if any(others[DEGREE:]):
            raise ClosedFormError(
                f"to_mjcf: coupling {coupling.name!r} has the degree {len(others)}, those of MuJoCo have "
                f"{DEGREE}; use save"
            )
        line = [first, *others, 0, 0, 0, 0][: DEGREE + 1]
        driver = {"joint2": coupling.drivers[0]} if coupling.drivers else {}
        self.equalities.append(element(None, "joint", joint1=coupling.joint, **driver, polycoef=line))


def _qpos(root: etree._Element, model: ClosedModel) -> list[float]:
    """Return the closed posture in MuJoCo's coordinates, in the order of the file's joints."""
    bodies = {body.joint_name: body for body in model.tree.bodies}
    found: list[float] = []
    for node in root.find("worldbody").iter("joint", "freejoint"):
        body = bodies[node.get("name")]
        q, c = model.near[body.iq : body.iq + body.joint.nq], body.coupling
        if c is not None:
            q = c.multiplier * model.near[[model.tree.bodies[c.body].iq]] + c.offset
        elif body.joint.quaternion is not None:
            q = np.concatenate([q[:-4], np.roll(q[-4:], 1)])
        found += q.tolist()
    return found
