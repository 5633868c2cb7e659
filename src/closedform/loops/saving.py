"""Robots with loops as files, which `load` reads back; the text of TOML files."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..checks import file_path
from ..description.loop import Loop
from ..errors import ArgumentError, ModelWarning, shown, warn
from ..files import write_files
from ..model.writing import model_toml, toml_tables, toml_value
from .assembly import Assembler
from .mjcf_writing import closed_mjcf
from .model import ClosedModel
from .modes import distinct
from .numbers import ClosureNumbers
from .urdf_writing import closed_urdf


class ClosedFiles:
    """Methods that write the robot."""

    model: ClosedModel
    _assembler: Assembler
    _numbers: ClosureNumbers

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the robot as a TOML file that `load` reads back, with its loops; return its path.

        >>> import os, tempfile, closedform as cf
        >>> path = cf.load("four_bar").save(os.path.join(tempfile.mkdtemp(), "bars.toml"))
        >>> cf.load(path).joint_names
        ('crank',)
        """
        return self._written(path, ".toml", closed_toml)

    def to_mjcf(self, path: str | os.PathLike[str]) -> Path:
        """Write the robot as an MJCF file, its loops as equalities of MuJoCo, and return its path.

        A ball is a connect, a fixed loop a weld, a hinge two connects along its axis; distances are tendons
        of constant length, a universal joint is a connect and such a tendon; couplings are polynomials of
        joints, or tendons along joints. Other kinds are refused. Actuated joints have motors, and the
        keyframe "assembled" is a posture in which the loops are closed: MuJoCo's own reference, all joints
        at zero, may not be. MuJoCo holds equalities softly; loaded again they are exact, with the same
        assembly mode.

        >>> import os, tempfile, closedform as cf
        >>> path = cf.load("four_bar").to_mjcf(os.path.join(tempfile.mkdtemp(), "bars.xml"))
        >>> cf.load(path).joint_names
        ('crank',)
        """
        return self._written(path, ".xml", closed_mjcf)

    def to_urdf(self, path: str | os.PathLike[str]) -> Path:
        """Write the robot as a URDF file with the <loop> elements of URDF+, and return its path.

        Other software reads the tree. `load` closes the loops; the independent joints are those of the
        robot. A URDF has no place for actuated joints other than those, and none for the posture in which
        the loops are closed: warnings say what is lost. Distances, and couplings that are no mimics, are
        refused.

        >>> import os, tempfile, closedform as cf
        >>> path = cf.load("parallel_ankle").to_urdf(os.path.join(tempfile.mkdtemp(), "leg.urdf"))
        >>> cf.load(path).joint_names == cf.load("parallel_ankle").joint_names
        True
        """
        target = self._written(path, ".urdf", closed_urdf)
        lost = [] if self.model.direct else ["the actuated joints"]
        x, gap = self._numbers.closed(self.model.tree.neutral())
        found = self._assembler.found(x[list(self.model.iq)], None)
        same = gap <= self._numbers.tolerance and np.isfinite(found).all()
        if not same or len(distinct(self.model, self._numbers, np.array([found, x]))) > 1:
            lost.append("the posture in which the loops are closed, so that another assembly mode is loaded")
        if lost:
            warn(f"to_urdf: URDF has no place for {' and '.join(lost)}; keep it with save", ModelWarning)
        return target

    def _written(self, path: str | os.PathLike[str], ending: str, text: Callable[[ClosedModel], str]) -> Path:
        target = file_path(f"path (ending in {ending})", path)
        if target.suffix.lower() != ending:
            raise ArgumentError(f"path is {shown(str(target))}; expected a path that ends in {ending}")
        return write_files({target: text(self.model)})[0]


def closed_toml(model: ClosedModel) -> str:
    """Return a mechanism as TOML text: its tree, what closes it, its coordinates and a closed posture."""
    loops: list[dict[str, Any]] = []
    couplings: list[dict[str, Any]] = []
    for each in model.closures:
        if isinstance(each, Loop):
            length = {} if each.length is None else {"length": each.length}
            loops.append({"frame_a": each.frame_a, "frame_b": each.frame_b, "kind": each.kind, **length})
        else:
            couplings.append(
                {"joint": each.joint, "drivers": each.drivers, "coefficients": each.coefficients}
            )
    near = {
        body.joint_name: np.asarray(model.near[body.iq : body.iq + body.joint.nq])
        for body in model.tree.independent
    }
    near_lines = "\n".join(f"{toml_value(name)} = {toml_value(q)}" for name, q in near.items())
    parts = [
        f"independent = {toml_value(model.joint_names)}",
        f"actuated = {toml_value(model.actuated_names)}",
        model_toml(model.tree),
        *([toml_tables("loop", loops)] if loops else []),
        *([toml_tables("coupling", couplings)] if couplings else []),
        f"\n[near]\n{near_lines}",
    ]
    return "\n".join(parts) + "\n"
