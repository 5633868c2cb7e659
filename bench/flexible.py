"""Flexible links: modes, agreement with a Lagrangian, energy, speed of simulation, a fit of records."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np

from closedform.flexible import FlexibleArm, FlexibleLink, fit_hub_driven
from closedform.flexible.uniform import Frequencies
from closedform.report.flexible import FlexibleStudy, modes, tip
from oracles.flexible_lagrangian import Lagrangian

from .timing import interleaved

DATA = Path(os.environ.get("CLOSEDFORM_DATA", Path(__file__).parents[2] / "shared" / "data"))
TIPS = ((0.0, 0.0, 0.0), (12.0, 5.4, 0.0), (1.0, 0.6, -0.7), (1e5, 1e4, 0.0))


def run(quick: bool) -> dict[str, Any]:
    """Print the figures of flexible links next to their targets and return them."""
    return {
        "constants": _constants(),
        "modes": _modes(TIPS[:2] if quick else TIPS),
        "lagrangian": _lagrangian(three=not quick),
        "energy": _energy(),
        "tip": _tip(),
        "simulation": _simulation(quick),
        "records": _records(quick),
    }


def _told(what: str, value: float, target: float, unit: str = "") -> float:
    verdict = "met" if value < target else "MISSED"
    print(f"{what:76s} {value:9.3g} {unit:4s} target {target:g} {unit} {verdict}")
    return value


def _constants() -> int:
    facts = modes.gather(FlexibleStudy())
    verdict = "met" if facts.agree == facts.count else "MISSED"
    label = "printed frequencies, phi_e, phi_e', v, w, to all digits"
    print(f"{label:76s} {facts.agree:4d} of {facts.count} {verdict}")
    return facts.agree


def _modes(tips: tuple[tuple[float, float, float], ...]) -> float:
    """Return the largest relative error of twenty wave numbers, by Newton's step in 50 digits."""
    worst = 0.0
    with mp.workdps(50):
        for M, J, D in tips:

            def determinant(b: Any, M: float = M, J: float = J, D: float = D) -> Any:
                s, c, sh, ch = mp.sin(b), mp.cos(b), mp.sinh(b), mp.cosh(b)
                return (
                    1
                    + c * ch
                    - M * b * (s * ch - c * sh)
                    - J * b**3 * (s * ch + c * sh)
                    - 2 * D * b**2 * s * sh
                    + (mp.mpf(M) * J - mp.mpf(D) ** 2) * b**4 * (1 - c * ch)
                ) / ch

            for b in map(mp.mpf, Frequencies(M, J, D).roots(20)):
                worst = max(worst, float(abs(determinant(b) / mp.diff(determinant, b) / b)))
    return _told("modes 1 to 20 against 50-digit roots, relative", worst, 1e-10)


def _lagrangian(three: bool) -> dict[str, float]:
    links = [
        FlexibleLink(0.5, 0.2, 1.0, 1.0, 0.1, 2),
        FlexibleLink(0.4, 0.3, 2.0, 0.7, 0.05, 1),
        FlexibleLink(0.6, 0.15, 0.8, 0.4, 0.02, 3),
    ]
    arms = {"two links": FlexibleArm.deluca_siciliano()}
    if three:
        arms["three links, modes 2 1 3"] = FlexibleArm(links, (0.2, 0.001))
    rng = np.random.default_rng(0)
    found = {}
    for name, arm in arms.items():
        reference = Lagrangian(arm)
        flat, h = [entry for row in reference.B for entry in row], reference.coriolis()
        worst = 0.0
        for _ in range(10):
            q, qd = rng.normal(size=(2, arm.size))
            q[arm.joints :] *= 0.05
            for value, polynomials in ((arm.mass_matrix(q).ravel(), flat), (arm.coriolis_torque(q, qd), h)):
                exact = reference.values(polynomials, q, qd)
                worst = max(worst, float(np.abs(value - exact).max() / np.abs(exact).max()))
        found[name] = _told(f"B and h, {name}, against a symbolic Lagrangian, relative", worst, 1e-12)
    return found


def _energy() -> dict[str, float]:
    study = FlexibleStudy()
    found = {}
    for k, (figure, target) in enumerate((("Fig. 5", 1e-6), ("Fig. 6", 1e-4))):
        total = study.motions[k].energy.total
        found[figure] = _told(
            f"energy drift, {figure}, 2 s of 1 ms, relative", float(np.ptp(total) / total[0]), target
        )
    return found


def _tip() -> float:
    """Return the error of the tip of two links under gravity, led by stable inversion without feedback."""
    facts = tip.gather(FlexibleStudy())
    assert facts is not None  # the page's own example
    return _told("tip of two links under gravity along a path, part of the move", facts.worst[0], 1e-4)


def _simulation(quick: bool) -> dict[str, float]:
    arm = FlexibleArm.deluca_siciliano()
    start = np.array([0, np.pi / 2, 0.1, 0.002, 0, 0])
    batch = start * np.linspace(0.1, 1, 1000)[:, None]
    seconds = 0.5 if quick else 3.0
    one = interleaved({"one": lambda: arm.simulate(start, None, None, 2.0, 1e-3)}, seconds=seconds)["one"]
    many = interleaved({"many": lambda: arm.simulate(batch, None, None, 2.0, 1e-3)}, seconds=seconds)["many"]
    counts = arm.kernel("forward_dynamics").counts
    print(f"forward dynamics: {counts.additions} additions, {counts.multiplications} multiplications")
    return {
        "one run": _told("2 s of the two-link arm, RK4 1 ms", one * 1e3, 15, "ms"),
        "thousand runs": _told("the same from 1,000 initial states", many, 1, "s"),
    }


def _records(quick: bool) -> dict[str, float]:
    folder = DATA / "quanser-flexible-link"
    if not folder.is_dir():
        print("Quanser records: not at hand; set CLOSEDFORM_DATA")
        return {}
    from scipy.io import loadmat  # noqa: PLC0415

    names = [f"{c}_step_{s}{d}deg_run01" for c in ("hinf", "lqg") for s in ("", "neg_") for d in (20, 30)]
    records = {}
    for name in names:
        file = loadmat(folder / f"{name}.mat")
        records[name] = file["time"].ravel(), file["X1_meas"][:, 0], file["X1_meas"][:, 1]
    found = {}
    for fitted in [name for name in names if "20deg" in name][: 1 if quick else None]:
        fit = fit_hub_driven(*records[fitted])
        errors = {name: fit.error_on(*record) for name, record in records.items() if name != fitted}
        label = f"fit of {fitted}: worst prediction of 7 steps, part of peak"
        found[fitted] = _told(label, max(errors.values()), 0.12)
    return found
