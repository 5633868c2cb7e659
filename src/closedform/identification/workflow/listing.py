"""The result of an identification as a table to read."""

from __future__ import annotations

from .result import Identification


def listing(result: Identification) -> str:
    """Return parameters with their errors, and the torque errors of every joint."""
    rows = [f"doubt: {doubt}" for doubt in result.doubts]
    rows += [f"{result.robot.name}: {len(result.values)} parameters, condition number {result.condition:.1f}"]
    rows.append(
        f"friction: {result.friction}; cutoff {result.filters.cutoff:.3g} Hz; {result.method} least squares"
    )
    rows.append("")
    rows.append(f"{'parameter':<10}{'value':>12}{'std. error':>12}{'':>4}{'described':>12}")
    for p in result.parameters:
        told = "" if p.described is None else f"{p.described:>12.4g}"
        rows.append(f"{p.name:<10}{p.value:>12.4g}{p.standard_error:>12.2g}{'':>4}{told}")
    rows.append("")
    parts = {"fitted": result.fitted, "left out": result.cross_validation, "held out": result.held_out}
    shown = {name: errors for name, errors in parts.items() if errors is not None}
    rows.append(f"{'torque error':<24}" + "".join(f"{name:>12}" for name in shown))
    for j, joint in enumerate(result.robot.joint_names):
        rows.append(f"{joint:<24}" + "".join(f"{100 * e.relative[j]:>10.2f} %" for e in shown.values()))
    rows.append(f"{'total':<24}" + "".join(f"{100 * e.total:>10.2f} %" for e in shown.values()))
    rows.extend(f"note: {note}" for note in result.notes)
    return "\n".join(rows)
