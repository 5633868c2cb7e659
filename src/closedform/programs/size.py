"""The size of a program foreseen from the tree, before an expression is built.

Recursions visit every body, or every pair of a joint and one that carries it, or every triple; what
they do at each is nearly constant from robot to robot.
"""

from __future__ import annotations

import math
from typing import Any

from ..errors import ProgramSizeError
from ..forms import PLAIN, Form
from ..forms.stations import LONG
from ..model import Model

MAX_OPERATIONS = 1_000_000
"""Beyond this, straight-line code compiles for minutes and runs slower than a loop."""

MAX_ENTRIES = 2_000_000
"""Entries of all outputs together; zeros count, since they are written."""

MARGIN = 2.0
"""Programs foreseen beyond this many times the limit are not built: robots of parallel axes cost less."""

PER_BODY = 150.0
"""Operations per body of a form without two axes over the joints."""

PER_FRAME = 40.0
"""Operations per frame of a form that gives something of each, besides those per body."""

FAMILIES_PER_BODY = {"gravity_torque_rates": 50.0, "external_torque_rates": 60.0, "jacobian_rates": 75.0}
"""The same of families of forms at order 0, if they cost less."""

PER_PAIR = {
    "mass_matrix": 28.0,
    "mass_matrix_dot": 58.0,
    "mass_matrix_ddot": 100.0,
    "coriolis_matrix": 83.0,
    "coriolis_matrix_dot": 155.0,
    "coriolis_matrix_ddot": 270.0,
    "dynamic_matrices": 88.0,
    "dynamic_matrices_dot": 170.0,
    "gravity_torque_dq": 20.0,
    "gravity_torque_dphi": 22.0,
    "forward_dynamics": 57.0,
    "forward_dynamics_dtau": 60.0,
    "forward_dynamics_dq": 190.0,
    "forward_dynamics_dqd": 160.0,
    "forward_dynamics_derivatives": 310.0,
    "inverse_dynamics_dq": 96.0,
    "inverse_dynamics_dqd": 74.0,
    "inverse_dynamics_derivatives": 128.0,
    "mass_matrix_inverse": 60.0,
    "external_torque_dq": 40.0,
    "jacobian_dq": 33.0,
    "jacobian_dot_dq": 62.0,
    "com_jacobian_dq": 22.0,
    "task_inertia": 80.0,
    "task_inertia_inverse": 80.0,
    "dynamically_consistent_inverse": 95.0,
    "nullspace_projector": 110.0,
    "regressor": 103.0,
    "slotine_li_regressor": 103.0,
    "mass_matrix_rates": 50.0,
    "coriolis_matrix_rates": 130.0,
    "block_A": 100.0,
    "block_J": 40.0,
    "block_V": 50.0,
    "block_b": 50.0,
    "block_M1": 150.0,
    "block_C": 210.0,
}
"""Operations per pair of joints of which one carries the other, on chains of oblique axes."""

FACTORED = 1.6
"""Times the operations of the Coriolis matrix, as the papers factorise it."""

BY_STATION = {"mass_matrix": 13.0}
"""The same on branches long enough for stations."""

PER_TRIPLE = {
    "mass_matrix_dq": 13.0,
    "coriolis_matrix_dq": 53.0,
    "coriolis_matrix_dqd": 15.0,
    "mass_matrix_dphi": 8.0,
    "coriolis_matrix_dphi": 23.0,
    "block_V_dot": 25.0,
    "block_A_dot": 48.0,
    "block_J_dot": 23.0,
    "block_M2": 220.0,
    "block_C_dot": 70.0,
    "block_C_ddot": 140.0,
    "block_C1": 275.0,
    "block_C2": 1100.0,
}
"""Operations per joint and pair of joints that carry it; block matrices are over bodies, not dofs."""


def foreseen(form: Form, model: Model) -> float:
    """Return about how many operations the program of a form will have, of oblique axes."""
    depths: list[int] = []
    pairs = triples = 0
    for body in model.bodies:
        size = 1 if form.group == "blocks" else body.joint.nv
        depth = size + (depths[body.parent] if body.parent >= 0 else 0)
        depths.append(depth)
        pairs += size * depth
        triples += size * depth**2
    if form.name in BY_STATION and max(depths, default=0) > LONG:
        return BY_STATION[form.name] * pairs
    growth = (1 + (form.variant.order or 0) / 2) ** 2
    if form.variant.factorisation != PLAIN.factorisation and form.group != "blocks":
        growth *= FACTORED
    if form.name in PER_PAIR:
        return PER_PAIR[form.name] * pairs * growth
    if form.name in PER_TRIPLE:
        return PER_TRIPLE[form.name] * triples * growth
    frames = len(model.frames) if any("f" in each.shape for each in form.gives) else 0
    return FAMILIES_PER_BODY.get(form.name, PER_BODY) * len(model.bodies) * growth + PER_FRAME * frames


def check_size(form: Form, model: Any) -> None:
    """Raise ProgramSizeError if a form of a model is beyond what straight-line code is for.

    Operations are foreseen for trees of rigid bodies only; those of other models are counted later.
    """
    entries = sum(math.prod(shape) for shape in form.output_shapes(model))
    if entries > MAX_ENTRIES:
        raise too_large(f"{form.name} of robot {model.name!r}", f"{entries} entries", MAX_ENTRIES)
    operations = foreseen(form, model) if isinstance(model, Model) else 0.0
    if operations > MARGIN * MAX_OPERATIONS:
        size = f"about {operations:.1e} operations ({model.nv} degrees of freedom)"
        raise too_large(f"{form.name} of robot {model.name!r}", size, MAX_OPERATIONS)


def too_large(what: str, size: str, limit: int) -> ProgramSizeError:
    """Return the error of a program beyond a limit."""
    return ProgramSizeError(
        f"{what}: {size}; straight-line code is limited to {limit}; "
        "use a smaller robot or a form with fewer outputs"
    )
