"""MuJoCo's compiler, kept quiet and given only the meshes that give a body its inertia."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from ..errors import ClosedFormError, DescriptionError
from ..files import file_size
from .mjcf_document import Document

MAX_MESH_BYTES = 256 * 2**20
"""Size of all mesh files that inertias come from."""

_compiling = Lock()


def mujoco() -> Any:
    """Return the optional mujoco package."""
    try:
        return import_module("mujoco")
    except ImportError:
        raise ClosedFormError("MJCF files are read by MuJoCo: pip install closedform[mjcf]") from None


def compile_document(document: Document) -> Any:
    """Return MuJoCo's model of a document, with its complaints as ours."""
    try:
        with quiet():
            spec = mujoco().MjSpec.from_string(document.text(), include=document.texts())
            _keep_what_has_mass(spec, document.path)
            return _finite(spec.compile(), document.path)
    except (ValueError, mujoco().FatalError) as error:
        if isinstance(error, ClosedFormError):
            raise
        reason = " ".join(str(error).split())
    if not document.attached:  # whose lines are those of other files
        reason = re.sub(r"\bline (\d+)\b", lambda found: document.place(int(found[1])), reason)
    raise DescriptionError(document.path, [f"MuJoCo: {reason}"])


def _finite(model: Any, path: str) -> Any:
    """Return the model, or raise an error that names the bodies whose numbers overflow."""
    fields = ("body_mass", "body_inertia", "body_ipos", "body_iquat", "body_pos", "body_quat")
    finite = np.all(
        [np.isfinite(getattr(model, each)).reshape(model.nbody, -1).all(1) for each in fields], axis=0
    )
    problems = [
        f"body {model.body(int(i)).name or f'#{i}'!r}: its mass, inertia or pose is not finite"
        for i in np.flatnonzero(~finite)
    ]
    if problems:
        raise DescriptionError(path, problems)
    return model


@contextmanager
def quiet() -> Iterator[None]:
    """Keep MuJoCo from writing its log into the working folder; its handler is global, hence the lock."""
    package = mujoco()
    with _compiling, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = package.get_mju_user_warning()
        package.set_mju_user_warning(lambda message: None)
        try:
            yield
        finally:
            package.set_mju_user_warning(before)


def _keep_what_has_mass(spec: Any, path: str) -> None:
    """Delete geoms of meshes without influence on inertias, then the meshes that no geom is left for.

    Collisions are switched off, which spares the convex hulls; static bodies keep their names.
    """
    rule = spec.compiler.inertiafromgeom
    always, never = (
        rule == getattr(mujoco().mjtInertiaFromGeom, f"mjINERTIAFROMGEOM_{each}")
        for each in ("TRUE", "FALSE")
    )
    low, high = spec.compiler.inertiagrouprange
    spec.compiler.fusestatic = spec.compiler.discardvisual = False
    spec.compiler.LRopt.mode = mujoco().mjtLRMode.mjLRMODE_NONE
    needed = set()
    for geom in list(spec.geoms):
        geom.contype = geom.conaffinity = 0
        if not geom.meshname:
            continue
        weightless = geom.mass == 0 or (np.isnan(geom.mass) and geom.density == 0)
        body = geom.parent
        if (
            weightless
            or never
            or not low <= geom.group <= high
            or body.id == 0
            or (body.explicitinertial and not always)
        ):
            spec.delete(geom)
        else:
            needed.add(geom.meshname)
    total = 0
    for mesh in list(spec.meshes):
        if mesh.name not in needed and not spec.flexes:
            spec.delete(mesh)
        elif mesh.file:
            total += _mesh_bytes(mesh, path)
    if total > MAX_MESH_BYTES:
        raise DescriptionError(path, [f"its meshes have {total} bytes; the limit is {MAX_MESH_BYTES}"])


def _mesh_bytes(mesh: Any, path: str) -> int:
    """Return the size of a mesh file, or raise an error that names the mesh."""
    size = file_size(Path(mesh.file))
    if size is not None:
        return size
    raise DescriptionError(
        path,
        [
            f"mesh {mesh.name!r}: its file {mesh.file} is missing, and a body has its inertia from it; "
            "put the file there, or give the body an <inertial>"
        ],
    )
