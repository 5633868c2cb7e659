"""Robots written to files, and as tables, for other software."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from .checks import file_path
from .description.file_bytes import read_bytes
from .errors import ArgumentError, shown
from .files import write_bytes, write_files
from .model import Model
from .model.mdh_writing import MdhTable, mdh_table
from .model.mjcf_merging import merged_mjcf
from .model.mjcf_writing import mjcf_text
from .model.urdf_merging import merged_urdf
from .model.urdf_writing import urdf_text
from .model.writing import model_toml


class RobotFiles:
    """Methods that write the robot."""

    model: Model

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the robot as a TOML file that `load` reads back, whole or not at all; return its path.

        It holds the moving bodies with their lumped inertias, frames, limits, friction and gravity,
        numbers with all their digits.

        >>> import os, tempfile, closedform as cf
        >>> path = cf.load("scara").save(os.path.join(tempfile.mkdtemp(), "arm.toml"))
        >>> cf.load(path)
        <Robot 'scara': nq 4, nv 4, 4 moving bodies>
        """
        return self._written(path, ".toml", model_toml)

    def to_urdf(self, path: str | os.PathLike[str], *, merge: str | os.PathLike[str] | None = None) -> Path:
        """Write the robot as a URDF file and return its path.

        Bodies have their lumped inertias; frames are links without any. Rotor inertias and gravity
        have no place in a URDF: a warning says so. Limits that the robot does not have are 1e9.

        `merge` is the URDF file that the robot was loaded from, before it was identified or changed. The
        new file is a copy of it in which only inertias (`<inertial>`) and friction (`<dynamics>`) differ:
        meshes, limits, comments, order, blanks and encoding stay. The new inertia of a body goes to
        the heaviest of the links that are fixed to each other; the others keep theirs, unless no rigid
        body would remain, which a warning says.

        >>> import os, tempfile, closedform as cf
        >>> path = cf.load("puma560").to_urdf(os.path.join(tempfile.mkdtemp(), "puma.urdf"))
        >>> cf.load(path).nv
        6
        >>> heavier = cf.load(path).with_payload(2.0)
        >>> merged = heavier.to_urdf(path.with_name("heavier.urdf"), merge=path)
        >>> bool(abs(cf.load(merged).phi - heavier.phi).max() < 1e-12)
        True
        """
        if merge is None:
            return self._written(path, ".urdf", urdf_text)
        original = file_path("merge", merge)
        target = self._target(path, ".urdf")
        return write_bytes(target, merged_urdf(self.model, str(original), read_bytes(original)))

    def to_mjcf(self, path: str | os.PathLike[str], *, merge: str | os.PathLike[str] | None = None) -> Path:
        """Write the robot as an MJCF file (.xml) and return its path.

        `merge` is the MJCF file that the robot was loaded from, before it was identified or changed. The
        new file is a copy of it in which only inertias (`<inertial>`) and the damping, frictionloss and
        armature of joints differ. Other files that it names by relative paths are found from its own
        folder: write the new file beside it.

        >>> import os, tempfile, closedform as cf
        >>> path = cf.load("2r").to_mjcf(os.path.join(tempfile.mkdtemp(), "arm.xml"))
        >>> merged = cf.load(path).with_damping(0.5).to_mjcf(path.with_name("damped.xml"), merge=path)
        >>> cf.load(merged).damping
        array([0.5, 0.5])
        """
        if merge is None:
            return self._written(path, ".xml", mjcf_text)
        original = file_path("merge", merge)
        target = self._target(path, ".xml")
        return write_bytes(target, merged_mjcf(self.model, original, read_bytes(original)))

    def to_mdh(self) -> MdhTable:
        """Return the modified Denavit-Hartenberg table of the robot, in Khalil's convention.

        `Robot.from_mdh(**table)` is a robot with the same coordinates and torques; its frames lie on the
        joint axes, and inertias and tool are given in them. A tree has the columns gamma and b too. Joints
        must be revolute or prismatic; limits, friction and frames beside the tool have no place in a table.

        >>> import closedform as cf
        >>> table = cf.load("scara").to_mdh()
        >>> print(table)
        joint  parent    sigma    alpha        d    theta        r
        joint1      0        0        0        0        0    0.387
        joint2      1        0        0    0.325        0        0
        joint3      2        1    3.142    0.275        0        0
        joint4      3        0        0        0        0        0
        >>> cf.Robot.from_mdh(**table).nv
        4
        """
        self.model.require_numbers("to_mdh")
        return mdh_table(self.model)

    def _written(self, path: str | os.PathLike[str], ending: str, text: Callable[[Model], str]) -> Path:
        return write_files({self._target(path, ending): text(self.model)})[0]

    def _target(self, path: str | os.PathLike[str], ending: str) -> Path:
        """Return the path of a file to be written, or say why the robot or the path is unfit."""
        self.model.require_numbers(f"a {ending} file")
        target = file_path(f"path (ending in {ending})", path)
        if target.suffix.lower() != ending:
            raise ArgumentError(f"path is {shown(str(target))}; expected a path that ends in {ending}")
        return target
