"""Mesh files: where a robot file means them to be, and their parts, within bounds."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import numpy as np

from ..arrays import Array
from ..errors import ClosedFormError, shown
from ..files import file_size, read_regular
from .dae import read_dae
from .obj import read_obj
from .part import MeshError, Part, by_colour
from .stl import read_stl

MAX_MESH_BYTES = 32 * 2**20
"""Size of one mesh file."""

MAX_ALL_BYTES = 256 * 2**20
"""Size of all mesh files of a robot."""

MAX_MATERIAL_BYTES = 2**20
"""Size of a file of materials."""

PACKAGE = re.compile(r"(?:package|model)://([^/]*)/+(.+)|\$\(find ([^)]+)\)/+(.+)")
"""A path in a package of ROS or a model of Gazebo."""

SEARCHED = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH", "GAZEBO_MODEL_PATH")
"""Variables of the environment that list folders of packages."""

LEVELS = 12
"""Folders above a robot file in which packages are looked for."""

NO_FOLDER = "which has no folder"
"""How a line ends that tells of the mesh of a text."""

ENDINGS = (".stl", ".obj", ".dae")


class MeshFiles:
    """The mesh files of one robot file, each read once."""

    def __init__(self, robot_file: str) -> None:
        self.folder, self.text = Path(robot_file).parent, not robot_file
        self.left = MAX_ALL_BYTES
        self.known: dict[Path, list[Part] | MeshError] = {}
        self.sized: dict[tuple[Path, bytes], list[Part]] = {}

    def scaled(self, name: str, scale: Array) -> list[Part]:
        """Return the parts of a mesh as a robot file names it, or raise an error that says why not.

        Equal meshes are the same objects.
        """
        path = self.find(name)
        key = path, scale.tobytes()
        if key not in self.sized:
            with np.errstate(all="ignore"):  # what is not finite is found when parts are checked
                parts = self._parts(path)
                ones = bool((scale == 1).all())
                self.sized[key] = parts if ones else _drawable([part.moved(np.diag(scale)) for part in parts])
        return self.sized[key]

    def _parts(self, path: Path) -> list[Part]:
        if path not in self.known:
            try:
                self.known[path] = self._read(path)
            except MeshError as error:
                self.known[path] = error
            except (ClosedFormError, MemoryError) as error:
                self.known[path] = MeshError(str(error) or "is too large for the memory")
        found = self.known[path]
        if isinstance(found, MeshError):
            raise found
        return found

    def find(self, name: str) -> Path:
        """Return the file that a name means: a path, a file:// or a package:// address."""
        if self.text:
            raise MeshError(NO_FOLDER)
        if not name.lower().endswith(ENDINGS):
            raise MeshError(f"is of a kind that is not read; {', '.join(ENDINGS)} are")
        if re.match(r"(?!package|model|file)[a-z][a-z+.-]+://", name):
            raise MeshError("is not on this machine")
        for candidate in self._candidates(name.replace("\\", "/")):
            if file_size(candidate) is not None:
                return self._allowed(candidate)
        raise MeshError("is missing")

    def _candidates(self, name: str) -> Iterator[Path]:
        """Yield the places where a file may be, the likeliest first."""
        inside = PACKAGE.fullmatch(name)
        if inside is None:
            plain = re.sub(r"^file:/{0,2}(?=/)", "", name)
            yield self.folder / plain
            yield self.folder / unquote(plain)
            yield self.folder / Path(plain).name
            return
        package, rest = (inside[1], inside[2]) if inside[2] else (inside[3], inside[4])
        above = [self.folder, *self.folder.parents][:LEVELS]
        for folder in above:
            if folder.name == package:
                yield folder / rest
            yield folder / package / rest
        for folder in _package_folders():
            yield from (folder / package / rest, folder / "share" / package / rest)
            if folder.name == package:
                yield folder / rest
        for folder in above:  # a package in a folder of another name
            yield folder / rest

    def _allowed(self, path: Path) -> Path:
        """Return a path, links followed, that is below a folder of the robot or of packages."""
        real = path.resolve()
        roots = [folder for folder in (self.folder, *self.folder.parents)[:LEVELS] if folder.parent != folder]
        if not real.name.lower().endswith(ENDINGS):
            raise MeshError("is a link to a file of another kind")
        if not any(real.is_relative_to(root.resolve()) for root in (*roots, *_package_folders())):
            raise MeshError("is outside the folders of the robot and of packages")
        return real

    def _read(self, path: Path) -> list[Part]:
        data = read_regular(path, min(MAX_MESH_BYTES, max(self.left, 0)))
        self.left -= len(data)
        ending = path.suffix.lower()
        if ending == ".obj":
            parts = read_obj(data, lambda name: _beside(path, name))
        else:
            parts = {".stl": read_stl, ".dae": read_dae}[ending](data)
        return _drawable(by_colour(parts))


def _drawable(parts: list[Part]) -> list[Part]:
    """Return the parts that have triangles, or raise an error if there is none."""
    found = [part for part in (each.checked() for each in parts) if len(part.faces)]
    if not found:
        raise MeshError("has no triangle")
    return found


def _beside(mesh: Path, name: str) -> bytes | None:
    """Return the bytes of a file of materials in the folder of a mesh, None if there is none to be read."""
    path = mesh.parent / Path(name.replace("\\", "/")).name
    try:
        return read_regular(path, MAX_MATERIAL_BYTES) if path.suffix.lower() == ".mtl" else None
    except ClosedFormError:
        return None


def _package_folders() -> list[Path]:
    """Return the folders of packages that the environment names."""
    words = [word for name in SEARCHED for word in os.environ.get(name, "").split(os.pathsep)]
    return [Path(word).resolve() for word in words if word][:100]


def fault(link: str, name: str, error: MeshError) -> str:
    """Return the line that tells of a mesh that is not drawn."""
    return f"{link}: mesh {shown(name)} {error}"
