"""What the arrays of a form are called in code, what they mean, their frames and units."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Quantity:
    """A symbol, what it stands for (with its frame) and its SI unit, per joint where joints differ."""

    symbol: str
    meaning: str
    unit: str

    def derivative(self, suffix: str, by: str, unit: str) -> Quantity:
        """Return the derivative by something, named with a suffix."""
        noun, _, _ = self.meaning.partition(", ")
        return Quantity(f"{self.symbol}_{suffix}", f"{by} of the {noun}", f"{self.unit}, {unit}")


_FORCE = "N m or N"

INPUTS = {
    "q": Quantity("q", "joint coordinates", "rad or m"),
    "qd": Quantity("qd", "joint velocities", "rad/s or m/s"),
    "qdd": Quantity("qdd", "joint accelerations", "rad/s^2 or m/s^2"),
    "qddd": Quantity("qddd", "joint jerks", "rad/s^3 or m/s^3"),
    "qdr": Quantity("qdr", "reference velocities", "rad/s or m/s"),
    "qddr": Quantity("qddr", "reference accelerations", "rad/s^2 or m/s^2"),
    "tau": Quantity("tau", "joint forces", _FORCE),
    "wrenches": Quantity(
        "wrenches",
        "wrenches (moment; force) of the environment on the bodies, each in its frame about its origin",
        "N m, N",
    ),
    "phi": Quantity(
        "phi",
        "inertial parameters XX XY XZ YY YZ ZZ MX MY MZ M of each body about its frame origin",
        "kg m^2, kg m, kg",
    ),
}
"""Inputs by name."""

OUTPUTS = {
    "pose": Quantity("T", "homogeneous transform of frame {frame} in the base frame", "1, positions m"),
    "jacobian": Quantity(
        "J", "map from qd to the body twist (omega; v) of frame {frame}, in that frame", "1 or m"
    ),
    "center_of_mass": Quantity("com", "centre of mass in the base frame", "m"),
    "com_jacobian": Quantity("J", "map from qd to the velocity of the centre of mass, base frame", "m or 1"),
    "inverse_dynamics": Quantity("tau", "joint forces", _FORCE),
    "forward_dynamics": Quantity("qdd", "joint accelerations", "rad/s^2 or m/s^2"),
    "mass_matrix": Quantity("M", "mass matrix", "kg m^2, kg m or kg"),
    "coriolis_matrix": Quantity("C", "Coriolis matrix", "the joint's force per velocity"),
    "gravity_torque": Quantity("g", "joint forces that hold the robot still", _FORCE),
    "external_torque": Quantity("tau", "joint forces equivalent to the wrenches", _FORCE),
    "kinetic_energy": Quantity("energy", "kinetic energy", "J"),
    "potential_energy": Quantity("energy", "potential energy", "J"),
    "regressor": Quantity("Y", "regressor, joint forces = Y phi", "the joint's force per parameter"),
    "slotine_li_regressor": Quantity("Y", "regressor, M qddr + C qdr + g = Y phi", "force per parameter"),
    "kinetic_energy_regressor": Quantity("y", "row with kinetic energy = y phi", "J per parameter"),
    "potential_energy_regressor": Quantity("y", "row with potential energy = y phi", "J per parameter"),
    "tau": Quantity("tau", "joint forces", _FORCE),
}
"""Outputs by the name of their form, or by their own where a form has several."""

_SUFFIXES = {
    "dot": ("time derivative", "per s"),
    "ddot": ("second time derivative", "per s^2"),
    "dq": ("derivative (last axis) by the joint coordinates", "per rad or m"),
    "dqd": ("derivative (last axis) by the joint velocities", "per rad/s or m/s"),
    "dqdd": ("derivative (last axis) by the joint accelerations", "per rad/s^2 or m/s^2"),
    "dtau": ("derivative (last axis) by the joint forces", "per N m or N"),
    "dphi": ("derivative (last axis) by the inertial parameters", "per kg m^2, kg m or kg"),
}


def quantity(name: str, table: dict[str, Quantity]) -> Quantity:
    """Return what an array is; the names of derivatives are read as such."""
    if name in table:
        return table[name]
    base, _, suffix = name.rpartition("_")
    if base and suffix in _SUFFIXES:
        by, unit = _SUFFIXES[suffix]
        return quantity(base, table).derivative(suffix, by, unit)
    if base and suffix.isdecimal():
        unit = "per s" if suffix == "1" else f"per s^{suffix}"
        return quantity(base, table).derivative(suffix, f"time derivative {suffix}", unit)
    if re.fullmatch(r"q\d+", name):
        return Quantity(name, f"time derivative {name[1:]} of q", f"rad/s^{name[1:]} or m/s^{name[1:]}")
    return Quantity(name, name.replace("_", " "), "SI")
