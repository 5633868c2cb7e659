"""The explicit model of two links with two modes each: its named coefficients, and B and h made of them.

[DeLucaSiciliano1991, Eqs. (32)-(34) and the appendix]. Written in plain arithmetic, so that the letters
may be numbers, arrays, CasADi or SymPy symbols.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Letters = Mapping[str, Any]
"""Values or symbols by name: m2, d2, l1, phi11 for phi_11e, dphi11 for phi'_11e, ..."""


def inertia_coefficients(c: Letters) -> dict[str, Any]:
    """Return every b_ijk of (32).

    The paper writes m_1, m_2 and 0 for b331 to b661 by its normalisation of modes; here they are
    written out, so that they hold for modes of any boundary.
    """
    l1, p11, p12, s11, s12 = (c[name] for name in ("l1", "phi11", "phi12", "dphi11", "dphi12"))
    a, e1, e2, f1, f2 = _moment(c), *_swing(c), *_turning(c)
    M = c["mh2"] + c["m2"] + c["mp"]
    J = c["Jh2"] + c["Jo2"] + c["Jp"] + c["mp"] * c["l2"] ** 2 + 2 * c["l2"] * c["mxp"]
    first = {"b111": c["Jh1"] + c["Jo1"] + M * l1**2 + J, "b112": 2 * a * l1, "b113": 2 * a, "b114": -2 * l1}
    second = {"b121": J, "b122": a * l1, "b123": a, "b124": -l1}
    found = {**first, **second}
    for j, (w, p, s, cross) in enumerate(
        ((c["w11"], p11, s11, s11 * p12 - s12 * p11), (c["w12"], p12, s12, s12 * p11 - s11 * p12)), start=3
    ):
        found |= {f"b1{j}1": w + J * s + M * l1 * p, f"b1{j}2": a * (p + l1 * s)}
        found |= {f"b1{j}3": -(p + l1 * s), f"b1{j}4": a * cross}
    for j, e, f in ((5, e1, f1), (6, e2, f2)):
        found |= {f"b1{j}1": f, f"b1{j}2": e * l1, f"b1{j}3": e}
    found["b221"] = J
    for j, p, s in ((3, p11, s11), (4, p12, s12)):
        found |= {f"b2{j}1": J * s, f"b2{j}2": a * p, f"b2{j}3": -p, f"b2{j}4": -a * p}
    found |= {"b251": f1, "b261": f2}
    for i, p, s in ((3, p11, s11), (4, p12, s12)):
        k = i - 2
        found |= {f"b{i}{i}1": c[f"z1{k}{k}"] + M * p**2 + J * s**2}
        found |= {f"b{i}{i}2": 2 * a * p * s, f"b{i}{i}3": -2 * p * s}
        for j, e, f in ((5, e1, f1), (6, e2, f2)):
            found |= {f"b{i}{j}1": f * s, f"b{i}{j}2": e * p, f"b{i}{j}3": -e * p}
    found["b341"] = c["z112"] + M * p11 * p12 + J * s11 * s12
    found |= {"b342": a * (p11 * s12 + p12 * s11), "b343": -(p11 * s12 + p12 * s11)}
    for name, i, j in (("b551", 1, 1), ("b561", 1, 2), ("b661", 2, 2)):
        p, s, r, t = (c[f"{letter}2{k}"] for k in (i, j) for letter in ("phi", "dphi"))
        found[name] = c[f"z2{i}{j}"] + c["mp"] * p * r + c["Jp"] * s * t + c["mxp"] * (p * t + s * r)
    return found


def deflection_coefficients(c: Letters) -> dict[str, Any]:
    """Return every t_ij of (33)."""
    e1, e2 = _swing(c)
    ends = {f"t1{j}": c[f"phi1{j}"] - c["l1"] * c[f"dphi1{j}"] for j in (1, 2)}
    return {**ends, "t21": e1, "t22": e2, "t31": c["dphi11"], "t32": c["dphi12"]}


def coriolis_coefficients(c: Letters) -> dict[str, Any]:
    """Return every h_ijk of (34); the five that the paper misprints are corrected."""
    l1, p11, p12, s11, s12 = (c[name] for name in ("l1", "phi11", "phi12", "dphi11", "dphi12"))
    a, (e1, e2) = _moment(c), _swing(c)
    cross, both = p11 * s12 - p12 * s11, p11 * s12 + p12 * s11
    rows: dict[int, tuple[Any, ...]] = {
        1: (
            -2 * a * l1, 2 * a * (p11 - l1 * s11), 2 * a * (p12 - l1 * s12), -2 * e1 * l1, -2 * e2 * l1,
            -a * l1, -2 * a * l1 * s11, -2 * a * l1 * s12, -2 * e1 * l1, -2 * e2 * l1,
            -2 * e1 * l1 * s11, -2 * e2 * l1 * s11, -2 * e1 * l1 * s12, -2 * e2 * l1 * s12,
            2 * a, a, e1, e2, -2 * l1, -l1, -(p11 + l1 * s11), -(p12 + l1 * s12), -a * cross, a * cross,
        ),
        2: (
            a * l1, 2 * a * p11, 2 * a * p12, -a, -e1, -e2, l1, p11 + l1 * s11, p12 + l1 * s12,
            a * cross, -a * cross, p11 * s11, both, e1 * p11, e2 * p11, p12 * s12, e1 * p12, e2 * p12,
        ),
        3: (-a * (p11 - l1 * s11), -2 * a * p11, -2 * a * cross, *_link_one(c, p11, s11)),
        4: (-a * (p12 - l1 * s12), -2 * a * p12, 2 * a * cross, *_link_one(c, p12, s12)),
        5: (e1 * l1, 2 * e1 * p11, 2 * e1 * p12, e1, -e1 * p11, -e1 * p12),
        6: (e2 * l1, 2 * e2 * p11, 2 * e2 * p12, e2, -e2 * p11, -e2 * p12),
    }  # fmt: skip
    rows[3] += (-2 * p11 * s11, -both, -a * p11, -e1 * p11, -e2 * p11, -a * cross)
    rows[4] += (-both, -2 * p12 * s12, -a * p12, -e1 * p12, -e2 * p12, a * cross)
    return {f"h{i}{k:02d}": value for i, row in rows.items() for k, value in enumerate(row, start=1)}


def _link_one(c: Letters, p: Any, s: Any) -> tuple[Any, ...]:
    """Return h_i04 to h_i16 of a mode of the first link, whose end moves by p and turns by s."""
    l1, s11, s12, a, (e1, e2) = c["l1"], c["dphi11"], c["dphi12"], _moment(c), _swing(c)
    return (
        -2 * e1 * p, -2 * e2 * p, -a * p, -2 * a * p * s11, -2 * a * p * s12, -2 * e1 * p, -2 * e2 * p,
        -2 * e1 * p * s11, -2 * e2 * p * s11, -2 * e1 * p * s12, -2 * e2 * p * s12, -(p + l1 * s), -p,
    )  # fmt: skip


def misprints(c: Letters) -> dict[str, Any]:
    """Return the coefficients of h as the paper prints them, where that is wrong."""
    a, (e1, e2) = _moment(c), _swing(c)
    return {
        "h107": -a * c["l1"] * c["dphi11"],
        "h117": -e1,
        "h118": -e2,
        "h412": -2 * e2 * c["phi12"] * c["dphi12"],
        "h413": -2 * e1 * c["phi12"] * c["dphi11"],
    }


def _moment(c: Letters) -> Any:
    """Return the first moment of the second link and the payload about the second joint."""
    return c["m2"] * c["d2"] + c["mp"] * c["l2"] + c["mxp"]


def _swing(c: Letters) -> tuple[Any, Any]:
    """Return the momentum across the second link by each of its modes."""
    one, two = (c[f"v2{j}"] + c["mp"] * c[f"phi2{j}"] + c["mxp"] * c[f"dphi2{j}"] for j in (1, 2))
    return one, two


def _turning(c: Letters) -> tuple[Any, Any]:
    """Return the angular momentum about the second joint by each mode of the second link."""
    one, two = (
        c[f"w2{j}"]
        + c["Jp"] * c[f"dphi2{j}"]
        + c["mp"] * c["l2"] * c[f"phi2{j}"]
        + c["mxp"] * (c[f"phi2{j}"] + c["l2"] * c[f"dphi2{j}"])
        for j in (1, 2)
    )
    return one, two


def deflections(t: Letters, delta: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    """Return t_1, t_2, t_3 of [DeLucaSiciliano1991, Eq. (33)] for delta_11, delta_12, delta_21, delta_22."""
    d11, d12, d21, d22 = delta
    return (
        t["t11"] * d11 + t["t12"] * d12,
        t["t21"] * d21 + t["t22"] * d22,
        t["t31"] * d11 + t["t32"] * d12,
    )


def inertia_entries(b: Letters, c2: Any, s2: Any, delta: tuple[Any, ...]) -> dict[tuple[int, int], Any]:
    """Return the upper triangle of B(q), (32), by row and column from 1; `b` has the t_ij too."""
    t1, t2, t3 = deflections(b, delta)
    bent: dict[tuple[int, int], Any] = {
        (1, 1): b["b113"] * t1 + b["b114"] * t2,
        (1, 2): b["b123"] * t1 + b["b124"] * t2,
        (1, 3): b["b133"] * t2 + b["b134"] * delta[1],
        (1, 4): b["b143"] * t2 + b["b144"] * delta[0],
        (1, 5): b["b153"] * t1,
        (1, 6): b["b163"] * t1,
        (2, 3): b["b233"] * t2 + b["b234"] * t3,
        (2, 4): b["b243"] * t2 + b["b244"] * t3,
        **{(i, j): b[f"b{i}{j}3"] * t2 for i, j in ((3, 3), (3, 4), (4, 4))},
        **{(i, j): b[f"b{i}{j}3"] * t3 for i in (3, 4) for j in (5, 6)},
    }
    entries = {}
    for i in range(1, 7):
        for j in range(i, 7):
            entries[i, j] = b[f"b{i}{j}1"]
            if (i, j) in bent:
                entries[i, j] = entries[i, j] + b[f"b{i}{j}2"] * c2 + bent[i, j] * s2
    return entries


def coriolis_entries(
    h: Letters, c2: Any, s2: Any, delta: tuple[Any, ...], rates: tuple[Any, ...]
) -> list[Any]:
    """Return h_1 to h_6 of (34); `h` has the t_ij too, `rates` are those of q."""
    t1, t2, t3 = deflections(h, delta)
    v1, v2, *modes = rates
    w11, w12, w21, w22 = modes

    def row(first: int, *factors: Any) -> Any:
        """Return the sum of consecutive coefficients, each times its factor."""
        return sum(h[f"h{first + k}"] * factor for k, factor in enumerate(factors))

    one = row(101, v2, *modes) * v1 + row(106, v2, *modes) * v2
    one += row(111, w21, w22) * w11 + row(113, w21, w22) * w12
    turn = row(115, v1, v2, w21, w22) * t1 + row(119, v1, v2, w11, w12) * t2
    found = [one * s2 + (turn + row(123, delta[1] * w11, delta[0] * w12)) * v2 * c2]
    turn = row(204, v1, w21, w22) * t1 + row(207, v1, w11, w12) * t2
    turn = (turn + row(210, delta[1] * w11, delta[0] * w12)) * v1
    turn += (row(212, w11, w12) * t2 + row(214, w21, w22) * t3) * w11
    turn += (row(216, w12) * t2 + row(217, w21, w22) * t3) * w12
    found.append(row(201, v1, w11, w12) * v1 * s2 + turn * c2)
    for i, other, place in ((300, w12, delta[1]), (400, w11, delta[0])):
        across = row(i + 1, v1, v2, other, w21, w22) * v1 + row(i + 6, v2, *modes) * v2
        across += row(i + 11, w21, w22) * w11 + row(i + 13, w21, w22) * w12
        turn = row(i + 15, v1, v2, w11, w12) * t2 + row(i + 19, v2, w21, w22) * t3
        found.append(across * s2 + (turn + row(i + 22, place * v1)) * v2 * c2)
    for i in (500, 600):
        turn = (row(i + 4, t1 * v1) + row(i + 5, w11, w12) * t3) * v2
        found.append(row(i + 1, v1, w11, w12) * v1 * s2 + turn * c2)
    return found
