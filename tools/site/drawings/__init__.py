"""The pictures of the documents, one function each: computed by the library when the site is built."""

from __future__ import annotations

from collections.abc import Callable

from . import bodies, code, diagrams, motions, parameters

PICTURES: dict[str, Callable[[], str]] = {
    "face": motions.face,
    "robots": bodies.robots,
    "frames": bodies.frames,
    "inverse-kinematics": bodies.branches,
    "redundancy": bodies.self_motion,
    "equations": code.letters,
    "scenes": motions.scene,
    "forces": motions.forces,
    "trajectory": motions.profile,
    "simulation": motions.simulation,
    "flexible": motions.bending,
    "elastic": motions.springs,
    "base-parameters": parameters.base,
    "identification": parameters.fit,
    "excitation": parameters.exciting,
    "arrays": code.exact,
    "casadi": code.posture,
    "gpu": code.cards,
    "speed": code.speed,
    "command-line": code.terminal,
    "flow": diagrams.flow,
    "form-to-number": diagrams.form_to_number,
    "program-to-source": diagrams.source_code,
    "export": diagrams.languages,
    "scale": diagrams.cluster,
    "reports": diagrams.pages,
}
"""Pictures by the name of their file in docs/pictures."""
