"""What A. De Luca, B. Siciliano print, computed again: constants, modes, motions, coefficients."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from plotly import graph_objects as go

from ..arrays import Array
from ..flexible import Coefficients, FlexibleArm
from ..flexible.two_links import coriolis_entries, misprints
from ..report.curves import add_curve, panels
from ..report.figure import PALETTE, Figure, figure, thinned
from ..report.flexible import FlexibleStudy, frequencies, modes, motions, tip
from ..report.flexible.paper_example import PAYLOADS, PRINTED, SQUARE
from .exhibit import Exhibit, Table
from .printed import Printed

SYMBOLS = {
    "frequency": "natural frequency f, Hz",
    "tip": "shape at the end, phi_e",
    "tip_slope": "slope of the shape at the end, phi'_e, 1/m",
    "v": "deformation moment v, kg",
    "w": "deformation moment w, kg m",
}

ROUNDED = 1e-12
"""What is left of a coefficient that is zero."""

SEEN = {
    "Fig. 5": "The arm is stretched and its forearm bent: the links pass their vibration to one another.",
    "Fig. 6": "The elbow is at a right angle and the upper arm bent: hardly any vibration turns the "
    "corner; the deflections of the forearm are two orders of magnitude smaller.",
    "Fig. 7": "As Fig. 5, with the damping D = 0.1 sqrt(K) of the modes.",
    "Fig. 8": "As Fig. 6, with the same damping.",
    "Fig. 9": "Torques of 0.2 N m on both joints, forwards and as long backwards, from rest. The paper "
    "does not print when they switch: here at 0.5 s and 1 s.",
    "Fig. 10": "As Fig. 9, with damping.",
}


def printed() -> list[Printed]:
    """Return the numbers that the paper prints, each beside ours."""
    arm = FlexibleArm.deluca_siciliano()
    found = []
    for i, link in enumerate(arm.links, start=1):
        found.append(Printed("Sec. VII", f"mass of link {i}, kg", "0.1", link.mass))
        found.append(
            Printed("Sec. VII", f"inertia of link {i} about its joint, kg m^2", "0.0083", link.inertia)
        )
    found.append(
        Printed(
            "Sec. VII", "centre of mass of link 2, m", "0.25", arm.links[1].first_moment / arm.links[1].mass
        )
    )
    each = [(i, j, mode) for i, one in enumerate(arm.modes, 1) for j, mode in enumerate(one, 1)]
    for name, what in SYMBOLS.items():
        for (i, j, mode), text in zip(each, PRINTED[name], strict=True):
            found.append(Printed("Sec. VII", f"{what}, link {i}, mode {j}", text, getattr(mode, name)))
    return found


def exhibits() -> list[Exhibit]:
    """Return the figures of the paper made again, its coefficients, and what its text argues."""
    study = FlexibleStudy()
    return [
        _drawing(study.subject),
        *_shapes(study),
        *_motions(study),
        _postures(study),
        _coefficients(study.subject),
        _energy(study.subject),
        *_tip(study),
    ]


def _drawing(arm: FlexibleArm) -> Exhibit:
    """Return the bent arm with the straight directions of its links."""
    q = np.array([0.35, 0.5, 0.35, 0.04, 0.08, 0.002])
    bent, straight = (arm.points(each, 41).reshape(2, 41, 2) for each in (q, q * [1, 1, 0, 0, 0, 0]))
    plot = go.Figure()
    for name, links, colour, dash in (("bent", bent, 0, "solid"), ("joint angles alone", straight, 7, "dot")):
        for k, (x, y) in enumerate(links.transpose(0, 2, 1)):
            line = {"color": PALETTE[colour], "dash": dash, "width": 4 if dash == "solid" else 2}
            plot.add_trace(go.Scatter(x=x, y=y, name=name, mode="lines", line=line, showlegend=not k))
    x, y = np.array([bent[0, 0], bent[1, 0], bent[1, -1]]).T
    marker = {"color": PALETTE[1], "size": 12}
    plot.add_trace(go.Scatter(x=x, y=y, name="hubs and payload", mode="markers", marker=marker))
    plot.update_xaxes(title_text="x [m]")
    plot.update_yaxes(title_text="y [m]", scaleanchor="x")
    text = (
        "Two links that bend in their plane. The joint angle of the second counts from the direction of "
        "the first one's end. Deflections are large here, to be seen."
    )
    return Exhibit("Fig. 1", "the arm", text, {"The bent arm": figure(plot, "A planar two-link arm", 380)})


def _shapes(study: FlexibleStudy) -> list[Exhibit]:
    """Return Figs. 2 to 4: the mode shapes for three payloads."""
    facts = modes.gather(study)
    found = []
    for k, (name, shapes) in enumerate(zip(PAYLOADS, facts.shapes, strict=True)):
        (picture,) = modes.draw(replace(facts, payloads=(name,), shapes=(shapes,))).values()
        mass, inertia = PAYLOADS[name]
        node = _node(study.subject, PAYLOADS[name])
        where = f"has its node at {node:.3f} m" if node else "has no node beyond the hub"
        text = (
            f"Payload of {mass:g} kg and {inertia:g} kg m^2. The second mode of link 2 {where}. Shapes are "
            "over the link's length, normalised as the printed constants are, with the tip's share (Eq. "
            "(30))."
        )
        found.append(Exhibit(f"Fig. {k + 2}", f"mode shapes, {name}", text, {f"Modes with {name}": picture}))
    return found


def _node(arm: FlexibleArm, payload: tuple[float, float]) -> float:
    """Return where the second mode of link 2 crosses zero, 0 if only at its hub."""
    x = np.linspace(0.02, arm.links[1].length, 2000)
    y = FlexibleArm.deluca_siciliano(payload).modes[1][1](x)
    crossings = np.flatnonzero(np.diff(np.sign(y)))
    return float(x[crossings[0]]) if crossings.size else 0.0


def _motions(study: FlexibleStudy) -> list[Exhibit]:
    """Return Figs. 5 to 10: the simulated motions, with their energies."""
    facts = motions.gather(study)
    found = []
    for motion in facts.motions:
        series, energies = motions.draw(replace(facts, motions=(motion,))).values()
        label = motion.case.figure
        text = (
            f"{SEEN[label]} Runge-Kutta steps of 1 ms over 2 s, as in the paper. Kinetic and potential "
            f"energy less the work of the torques plus the loss to damping change by {motion.drift:.1e} of "
            "the largest energy."
        )
        pictures = {"Modes, joints and tip over time": series, "Energies over time": energies}
        found.append(Exhibit(label, motion.case.title, text, pictures))
    return found


def _postures(study: FlexibleStudy) -> Exhibit:
    """Return the frequencies of the first link over the elbow's angle, (28)."""
    facts = frequencies.gather(study)
    straight, across = (facts.followed[0][k] for k in (0, len(facts.angle) // 2))
    text = (
        "What the end of link 1 carries turns with the elbow, and so do the modes of that link. The "
        f"printed 0.48 and 1.80 Hz are those of the right angle (ours: {across[0]:.4f} and {across[1]:.4f} "
        f"Hz), at which (MD) vanishes; the stretched arm has {straight[0]:.4f} and {straight[1]:.4f} Hz. "
        "The equations keep the constant modes of the right angle and let the inertia matrix follow: the "
        "frequencies that it has in any other posture differ from those of the posture's own modes by at "
        f"most {facts.apart:.1e} of them."
    )
    pictures = {"Frequencies of link 1 over the elbow's angle": frequencies.draw(facts)["followed"]}
    return Exhibit("Eq. (28)", "modes that follow the posture", text, pictures)


def _coefficients(arm: FlexibleArm) -> Exhibit:
    """Return the table of every b, t and h."""
    named = arm.coefficients()
    rows = tuple(
        (
            name,
            f"${named.latex(name)}$",
            f"{value:.6g}".replace("-", "−") if abs(value) > ROUNDED else "0",
            f"${named.latex(name, printed=True)}$" if name in named.corrected else "",
        )
        for name, value in named.items()
    )
    text = (
        "All 161 coefficients, in letters and for the paper's arm. Five of h are misprinted; the last "
        "column has what the paper prints. b331 to b661 are written out: by the normalisation of the "
        "modes they are m1, m2 and 0, as printed. They are those of `arm.coefficients()`."
    )
    table = Table(("name", "formula", "value", "as printed, if wrong"), rows)
    return Exhibit("Appendix", "the coefficients of B and h", text, table=table)


def _energy(arm: FlexibleArm) -> Exhibit:
    """Return the energy of the motion of Fig. 6 with the printed h and with the right one."""
    named = arm.coefficients()
    t = np.linspace(0.0, 2.0, 2001)
    curves = {"corrected h": _free(arm, named, {}), "printed h": _free(arm, named, misprints(named.letters))}
    changes = {name: float(np.ptp(energy) / energy[0]) for name, energy in curves.items()}
    plot = panels(["total energy [mJ]"])
    keep = thinned(t)
    for k, (name, energy) in enumerate(curves.items()):
        add_curve(plot, t[keep], 1e3 * energy[keep], name, k, dash="solid" if k else "dot")
    text = (
        "Nothing acts on the free arm of Fig. 6, so its energy must stay. With the five coefficients as "
        f"printed it changes by {changes['printed h']:.0%}, with the corrected ones by "
        f"{changes['corrected h']:.1e} (Runge-Kutta steps of 1 ms)."
    )
    pictures = {"Energy of the free motion": figure(plot, "Energy with the printed and the corrected h", 320)}
    return Exhibit("Eq. (34)", "the misprints, by the energy", text, pictures)


def _free(arm: FlexibleArm, named: Coefficients, changed: dict[str, float]) -> Array:
    """Return the energy along the free motion of Fig. 6 with some coefficients of h changed."""
    table, K = {**named, **changed}, np.diag(arm.stiffness)

    def rate(x: Array) -> Array:
        q, qd = x[:6], x[6:]
        elbow = float(q[1])
        h = coriolis_entries(table, np.cos(elbow), np.sin(elbow), tuple(q[2:].tolist()), tuple(qd.tolist()))
        return np.concatenate([qd, np.linalg.solve(arm.mass_matrix(q), -np.array(h) - K * q)])

    x = _runge_kutta(rate, np.concatenate([SQUARE, np.zeros(6)]), 1e-3, 2000)
    return np.asarray(arm.kinetic_energy(x[:, :6], x[:, 6:]) + arm.potential_energy(x[:, :6]))


def _runge_kutta(rate: Callable[[Array], Array], start: Array, h: float, steps: int) -> Array:
    """Return the states (steps + 1, n) by the classical method, as the paper integrates."""
    found = [start]
    for _ in range(steps):
        x = found[-1]
        a = rate(x)
        b = rate(x + h / 2 * a)
        c = rate(x + h / 2 * b)
        d = rate(x + h * c)
        found.append(x + h / 6 * (a + 2 * b + 2 * c + d))
    return np.array(found)


def _tip(study: FlexibleStudy) -> list[Exhibit]:
    """Return what the conclusion announces: the tip along a path by inversion."""
    facts = tip.gather(study)
    if facts is None:
        return []
    text = (
        "The conclusion announces inversion for tracking with the tip. It is done here by stable "
        "inversion, for two links in a vertical plane whose hubs and payload are light (the paper's own "
        "hubs are ten times as heavy as its links: the torques lose their hold on the tip after a "
        f"fraction of a millimetre of bending). The tip moves {facts.move:.2f} m in {facts.duration:g} s. "
        "Simulated from rest under the planned torques alone, without feedback, it is off by at most "
        f"{facts.worst[0]:.1e} of the move; with the torques of a rigid arm by {facts.worst[1]:.1e}. The "
        f"torques begin {1e3 * facts.before:.0f} ms before the path."
    )
    pictures: dict[str, Figure] = {each.title: each for each in tip.draw(facts).values()}
    return [Exhibit("Sec. VIII", "the tip along a path", text, pictures)]
