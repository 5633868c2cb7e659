"""Models as TOML files, in the format of the catalogue of robots."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import Array
from ..description.catalogue import SCALARS
from ..description.description import Inertial, inertia_entries, inertia_matrix, new_name
from ..errors import ClosedFormError
from ..joints import Fixed
from .body import Body, Frame
from .inertia import inertial_from_phi, pseudo_inertia_deficit
from .model import Model


def model_toml(model: Model) -> str:
    """Return a model as TOML text that `closedform.load` reads back: same tree, frames and numbers.

    Numbers are written with all their digits; inertias are those of lumped bodies.

    >>> import closedform as cf
    >>> from closedform.description.catalogue import read_toml
    >>> arm = cf.load("2r")
    >>> again = cf.Robot.from_description(read_toml(model_toml(arm.model).encode(), "2r"))
    >>> bool(abs(again.phi - arm.phi).max() < 1e-15), again.frame_names == arm.frame_names
    (True, True)
    """
    own = {body.name: i for i, body in enumerate(model.bodies)}
    names = {i: body.name for i, body in enumerate(model.bodies)}
    root = next((frame.name for frame in model.frames if frame.body < 0), "base")
    names[-1] = root
    links, joints = [{"name": root, **_inertial(root, model.base_phi, not model.bodies)}], []
    taken = {body.joint_name for body in model.bodies}
    for frame in model.frames:
        if frame.name == root:
            continue
        body = model.bodies[frame.body] if own.get(frame.name) == frame.body else None
        links.append(
            {"name": frame.name, **(_inertial(body.name, body.phi, model.has_inertia) if body else {})}
        )
        joints.append(_moving(model, body, names) if body else _fixed(frame, names, taken))
    parts = [
        f"name = {toml_value(model.name)}",
        f"citation = {toml_value(model.citation or 'written by closedform')}",
        f"gravity = {toml_value(model.gravity)}",
        toml_tables("link", links),
        toml_tables("joint", joints),
    ]
    return "\n".join(parts) + "\n"


def _inertial(name: str, phi: Array, described: bool) -> dict[str, Any]:
    if not described:
        return {}
    inertial = described_inertial(f"link {name!r}", phi)
    return {"mass": inertial.mass, "com": inertial.com, "inertia": inertia_entries(inertial.inertia)}


def described_inertial(name: str, phi: Array) -> Inertial:
    """Return the inertia of a link as files describe it, or say that no rigid body has it."""
    inertial = inertial_from_phi(phi)
    if inertial.mass < 0 or (inertial.mass == 0 and phi[6:9].any()) or pseudo_inertia_deficit(phi)[0] > 1e-6:
        raise ClosedFormError(
            f"{name} has inertias that no rigid body has, and files hold only such; correct "
            "them (with_phi), or identify with physical=True"
        )
    symmetric = inertia_matrix(inertia_entries(inertial.inertia))  # in the last digit too
    return replace(inertial, inertia=symmetric).checked(f"{name} cannot be saved")


def _moving(model: Model, body: Body, names: dict[int, str]) -> dict[str, Any]:
    table: dict[str, Any] = {
        "name": body.joint_name,
        "type": body.joint.kind,
        "parent": names[body.parent],
        "child": body.name,
        "xyz": body.placement[:3, 3],
        "rotation": body.placement[:3, :3],
        "subspace": body.joint.X,
    }
    table |= {key: bound for key, bound in vars(body.limits).items() if np.isfinite(bound)}
    table |= {key: getattr(body, key) for key in SCALARS if getattr(body, key)}
    if body.coupling is not None:
        driver = model.bodies[body.coupling.body].joint_name
        mimic = {"joint": driver, "multiplier": body.coupling.multiplier, "offset": body.coupling.offset}
        table["mimic"] = mimic
    return table


def _fixed(frame: Frame, names: dict[int, str], taken: set[str]) -> dict[str, Any]:
    """Return the fixed joint of a frame, with a name that no other joint has; models do not keep it."""
    return {
        "name": new_name(f"{frame.name}_fixed", taken),
        "type": Fixed.kind,
        "parent": names[frame.body],
        "child": frame.name,
        "xyz": frame.placement[:3, 3],
        "rotation": frame.placement[:3, :3],
    }


def toml_tables(name: str, rows: list[dict[str, Any]]) -> str:
    """Return an array of tables in TOML, one per line."""
    lines = "\n".join(f"  {toml_value(row)}," for row in rows)
    return f"\n{name} = [\n{lines}\n]"


def toml_value(given: Any) -> str:
    """Return a value in TOML, numbers with all their digits."""
    if isinstance(given, str):
        escaped = "".join(
            {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}.get(
                c, c if c.isprintable() else f"\\U{ord(c):08x}"
            )
            for c in given
        )
        return f'"{escaped}"'
    if isinstance(given, dict):
        return "{ " + ", ".join(f"{key} = {toml_value(value)}" for key, value in given.items()) + " }"
    if isinstance(given, np.ndarray | list | tuple):
        return "[" + ", ".join(toml_value(item) for item in given) + "]"
    return repr(float(given))
