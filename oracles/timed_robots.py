"""The robots that are timed, as files that both sides load."""

from __future__ import annotations

import tempfile
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pinocchio as pin
from lxml import etree

import closedform as cf

from .pinocchio_peer import Peer, robot_data


@dataclass(frozen=True)
class Contest:
    """One robot on both sides."""

    title: str
    robot: cf.Robot
    peer: Peer

    @property
    def model(self) -> pin.Model:
        """Pinocchio's model."""
        return self.peer.model


def contest(title: str, path: Path, floating_base: bool) -> Contest:
    """Return a robot loaded from one file on both sides."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cf.ModelWarning)
        robot = cf.load(path, floating_base=floating_base)
    return Contest(title, robot, Peer(path, robot, floating_base))


@cache
def panda() -> Contest:
    """Return the Panda with its fingers fixed: seven dofs."""
    path = robot_data() / "panda_description/urdf/panda.urdf"
    tree = etree.parse(str(path))
    for joint in tree.getroot().findall("joint"):
        if "finger" in joint.get("name"):
            joint.set("type", "fixed")
    folder = Path(tempfile.mkdtemp(prefix="closedform-bench-"))
    target = folder / "panda_arm.urdf"
    tree.write(str(target))
    try:
        return contest("Panda", target, False)
    finally:
        target.unlink()
        folder.rmdir()


@cache
def ur5() -> Contest:
    """Return the UR5: six dofs."""
    return contest("UR5", robot_data() / "ur_description/urdf/ur5_robot.urdf", False)


@cache
def humanoid() -> Contest:
    """Return Talos on a free base: 38 dofs."""
    return contest("Talos (floating)", robot_data() / "talos_data/robots/talos_reduced.urdf", True)
