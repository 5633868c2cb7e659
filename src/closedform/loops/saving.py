"""Robots with loops as TOML files, which `load` reads back."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from ..checks import file_path
from ..description.loop import Loop
from ..errors import ArgumentError, shown
from ..files import write_files
from ..model.writing import model_toml, toml_tables, toml_value
from .model import ClosedModel


def save(model: ClosedModel, path: str | os.PathLike[str]) -> Path:
    """Write a robot with loops as a TOML file and return its path."""
    target = file_path("path (ending in .toml)", path)
    if target.suffix.lower() != ".toml":
        raise ArgumentError(f"path is {shown(str(target))}; expected a path that ends in .toml")
    return write_files({target: closed_toml(model)})[0]


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
