"""What an MJCF file draws on its bodies: geoms as MuJoCo compiles them, with the colours of materials."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..description.file_bytes import read_bytes
from ..description.looks import LookSource
from ..description.mjcf import body_names
from ..description.mjcf_compile import mujoco, quiet
from ..description.mjcf_document import Document, read_document
from ..description.xml import parse_xml
from ..errors import ClosedFormError, shown
from ..files import file_size
from ..rotations import pose, rotation_quaternion
from .item import Item
from .mesh_files import MAX_ALL_BYTES, MAX_MESH_BYTES, NO_FOLDER, fault
from .part import MAX_COORDINATE, MeshError, Part
from .shape import Colour

VISIBLE = 3
"""Groups from this one on are those that MuJoCo's viewers do not show."""

MAX_REFUSED = 8
"""Meshes that MuJoCo may refuse one after the other, each time compiling anew; then it is given none."""

HIDDEN = 5
"""The group of geoms that are not drawn."""

UNSET = (0.5, 0.5, 0.5, 1.0)
"""Colour of a geom that is given none, so that its material counts."""

SOLIDS = {
    "SPHERE": "sphere",
    "CAPSULE": "capsule",
    "ELLIPSOID": "ellipsoid",
    "CYLINDER": "cylinder",
    "BOX": "box",
}
"""Solids by what MuJoCo calls them; planes and height fields are not of the robot."""


def mjcf_items(source: LookSource, links: Collection[str]) -> tuple[list[Item], list[str]]:
    """Return what is drawn on bodies of these names, and a line for all that is not.

    The frame of an item is the name of the body in the file.
    """
    place = source.path or "<text>"
    data = read_bytes(source.path) if source.path else source.document
    broken: dict[str, str] = {}
    while True:
        root, _ = parse_xml(place, data)
        document = read_document(place, root, len(data), looks=True)
        faults: list[str] = []
        names: set[str] = set()
        try:
            spec = _spec(document, bool(source.path), broken, faults)
            names = {mesh.name for mesh in spec.meshes}
            with quiet():
                model = spec.compile()
            return _items(model, links), faults
        except (ValueError, mujoco().FatalError) as error:
            reason = " ".join(str(error).split())
        told = {name for name in names if name and f"'{name}'" in reason}
        if not names:
            raise ClosedFormError(f"MuJoCo: {reason}")
        refused = told if told and len(broken) < MAX_REFUSED else names
        broken |= dict.fromkeys(refused, f"is refused by MuJoCo: {reason}")


def _spec(document: Document, folder: bool, broken: Mapping[str, str], faults: list[str]) -> Any:
    """Return MuJoCo's editable model with the meshes alone that are drawn and can be."""
    with quiet():
        spec = mujoco().MjSpec.from_string(document.text(), include=document.texts())
    compiler = spec.compiler
    compiler.fusestatic = compiler.discardvisual = False
    compiler.boundmass = compiler.boundinertia = 1.0  # bodies may lose the geoms that give them their own
    _hide([list(body.geoms) for body in spec.bodies])
    unfit = {mesh.name: _unfit(mesh, folder) for mesh in spec.meshes}
    bad = {**{name: why for name, why in unfit.items() if why}, **broken}
    used, left = set(), MAX_ALL_BYTES
    sizes = {
        mesh.name: file_size(Path(mesh.file)) or 0
        for mesh in spec.meshes
        if mesh.file and mesh.name not in bad
    }
    for geom in list(spec.geoms):
        if not geom.meshname:
            continue
        drawn = geom.group != HIDDEN
        if drawn and geom.meshname not in used and geom.meshname not in bad:
            left -= sizes.get(geom.meshname, 0)
            if left < 0:
                bad[geom.meshname] = f"is beyond the limit of {MAX_ALL_BYTES} bytes for all meshes"
        if drawn and geom.meshname not in bad:
            used.add(geom.meshname)
            continue
        if drawn:
            faults.append(fault(geom.parent.name, geom.meshname, MeshError(bad[geom.meshname])))
        spec.delete(geom)
    for mesh in list(spec.meshes):
        if mesh.name not in used and not (spec.flexes and mesh.name not in bad):
            spec.delete(mesh)
        else:
            mesh.inertia = mujoco().mjtMeshInertia.mjMESH_INERTIA_SHELL  # of surfaces with holes, too
    return spec


def _hide(bodies: list[list[Any]]) -> None:
    """Mark which geoms of bodies are not drawn, and let nothing collide, which spares the convex hulls.

    Those groups are drawn that MuJoCo's viewers show, or all if nothing is in these. If some geoms of a
    body collide and others do not, the others are there to be looked at.
    """
    every = not any(geom.group < VISIBLE for geoms in bodies for geom in geoms)
    for geoms in bodies:
        shown_ones = [every or geom.group < VISIBLE for geom in geoms]
        free = [not geom.contype and not geom.conaffinity for geom in geoms]
        looks = any(each and alone for each, alone in zip(shown_ones, free, strict=True))
        for geom, each, alone in zip(geoms, shown_ones, free, strict=True):
            geom.group = 0 if each and (alone or not looks) else HIDDEN
            geom.contype = geom.conaffinity = 0


def _unfit(mesh: Any, folder: bool) -> str:
    """Return why a mesh is not read, or nothing."""
    if not mesh.file:
        return ""
    if not folder:
        return NO_FOLDER
    size = file_size(Path(mesh.file))
    if size is None:
        return f"is missing: there is no {shown(mesh.file)}"
    return f"has {size} bytes; the limit is {MAX_MESH_BYTES}" if size > MAX_MESH_BYTES else ""


def _items(model: Any, links: Collection[str]) -> list[Item]:
    """Return the geoms of a compiled model that are drawn."""
    kinds = {int(getattr(mujoco().mjtGeom, f"mjGEOM_{name}")): solid for name, solid in SOLIDS.items()}
    mesh_kind = int(mujoco().mjtGeom.mjGEOM_MESH)
    names, found = body_names(model), []
    parts: dict[int, Part] = {}
    for i in range(model.ngeom):
        link, kind = names[model.geom_bodyid[i]], int(model.geom_type[i])
        colour = _colour(model, i)
        if link not in links or model.geom_group[i] == HIDDEN or not colour[3]:
            continue
        T = pose(rotation_quaternion(model.geom_quat[i]), model.geom_pos[i])
        name = model.geom(i).name or link
        size = np.array(model.geom_size[i])
        if kind == mesh_kind:
            k = int(model.geom_dataid[i])
            if k not in parts:
                parts[k] = _part(model, k)
            if len(parts[k].faces):
                found.append(Item(link, T, model.mesh(k).name, colour, part=parts[k]))
        elif kind in kinds and (np.abs(size) < MAX_COORDINATE).all():
            found.append(Item(link, T, name, colour, kinds[kind], _sizes(kinds[kind], size)))
    return found


def _sizes(solid: str, half: Any) -> tuple[float, ...]:
    """Return the sizes of a solid, of which MuJoCo has half lengths."""
    x, y, z = (float(each) for each in half)
    if solid in ("cylinder", "capsule"):
        return x, 2 * y
    return {"sphere": (x,), "ellipsoid": (x, y, z)}.get(solid, (2 * x, 2 * y, 2 * z))


def _part(model: Any, k: int) -> Part:
    """Return a mesh of a compiled model."""
    start, count = int(model.mesh_vertadr[k]), int(model.mesh_vertnum[k])
    first, faces = int(model.mesh_faceadr[k]), int(model.mesh_facenum[k])
    vertices = np.array(model.mesh_vert[start : start + count], dtype=float)
    return Part(vertices, np.array(model.mesh_face[first : first + faces], dtype=np.int64)).checked()


def _colour(model: Any, i: int) -> Colour:
    """Return the colour of a geom: its own, or that of its material."""
    rgba, material = np.array(model.geom_rgba[i]), int(model.geom_matid[i])
    if material >= 0 and np.allclose(rgba, UNSET):
        rgba = np.array(model.mat_rgba[material])
    red, green, blue, opacity = (float(each) for each in np.clip(np.nan_to_num(rgba), 0, 1))
    return red, green, blue, opacity
