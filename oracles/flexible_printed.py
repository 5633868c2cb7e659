"""B and h of two links of two modes: the explicit coefficients that the paper prints, corrected."""

import numpy as np


def symbols_of_two_links(arm):
    """Return the paper's letters for its arm."""
    one, two = arm.links
    p11, p12, p21, p22 = (mode.tip for modes in arm.modes for mode in modes)
    s11, s12, s21, s22 = (mode.tip_slope for modes in arm.modes for mode in modes)
    mp, Jp = arm.payload
    return {
        "l1": one.length, "l2": two.length, "m1": one.mass, "m2": two.mass, "d2": two.length / 2,
        "Jh1": one.hub_inertia, "Jh2": two.hub_inertia, "mh2": two.hub_mass, "mp": mp, "Jp": Jp,
        "Jo1": one.mass * one.length**2 / 3, "Jo2": two.mass * two.length**2 / 3,
        "p11": p11, "p12": p12, "p21": p21, "p22": p22, "s11": s11, "s12": s12, "s21": s21, "s22": s22,
        "w11": arm.modes[0][0].w, "w12": arm.modes[0][1].w, "v21": arm.modes[1][0].v,
        "v22": arm.modes[1][1].v, "w21": arm.modes[1][0].w, "w22": arm.modes[1][1].w,
    }  # fmt: skip


def evaluate(text, letters):
    """Return the named formulas of a table of lines "name = formula", which may use earlier ones."""
    known = dict(letters)
    for line in filter(str.strip, text.splitlines()):
        name, formula = line.split("=")
        known[name.strip()] = eval(formula, {}, known)
    return known


COMMON = """
a = m2*d2 + mp*l2
e1 = v21 + mp*p21
e2 = v22 + mp*p22
J2 = Jh2 + Jo2 + Jp + mp*l2**2
x12 = p11*s12 - p12*s11
"""

INERTIA = """
b111 = Jh1 + Jo1 + Jh2 + mh2*l1**2 + Jo2 + m2*l1**2 + Jp + mp*(l1**2 + l2**2)
b112 = 2*a*l1
b113 = 2*a
b114 = -2*l1
b121 = J2
b122 = a*l1
b123 = a
b124 = -l1
b131 = w11 + J2*s11 + (mh2 + m2 + mp)*l1*p11
b132 = a*(p11 + l1*s11)
b133 = -(p11 + l1*s11)
b134 = -a*x12
b141 = w12 + J2*s12 + (mh2 + m2 + mp)*l1*p12
b142 = a*(p12 + l1*s12)
b143 = -(p12 + l1*s12)
b144 = a*x12
b151 = w21 + Jp*s21 + mp*l2*p21
b152 = e1*l1
b153 = e1
b161 = w22 + Jp*s22 + mp*l2*p22
b162 = e2*l1
b163 = e2
b221 = J2
b231 = J2*s11
b232 = a*p11
b233 = -p11
b234 = -a*p11
b241 = J2*s12
b242 = a*p12
b243 = -p12
b244 = -a*p12
b251 = b151
b261 = b161
b331 = m1
b332 = 2*a*p11*s11
b333 = -2*p11*s11
b341 = 0
b342 = a*(p11*s12 + p12*s11)
b343 = -(p11*s12 + p12*s11)
b351 = b151*s11
b352 = e1*p11
b353 = -e1*p11
b361 = b161*s11
b362 = e2*p11
b363 = -e2*p11
b441 = m1
b442 = 2*a*p12*s12
b443 = -2*p12*s12
b451 = b151*s12
b452 = e1*p12
b453 = -e1*p12
b461 = b161*s12
b462 = e2*p12
b463 = -e2*p12
b551 = m2
b561 = 0
b661 = m2
"""

STATE = """
t1 = (p11 - l1*s11)*D11 + (p12 - l1*s12)*D12
t2 = e1*D21 + e2*D22
t3 = s11*D11 + s12*D12
"""

INERTIA_MATRIX = """
B11 = b111 + b112*c2 + (b113*t1 + b114*t2)*s2
B12 = b121 + b122*c2 + (b123*t1 + b124*t2)*s2
B13 = b131 + b132*c2 + (b133*t2 + b134*D12)*s2
B14 = b141 + b142*c2 + (b143*t2 + b144*D11)*s2
B15 = b151 + b152*c2 + b153*t1*s2
B16 = b161 + b162*c2 + b163*t1*s2
B22 = b221
B23 = b231 + b232*c2 + (b233*t2 + b234*t3)*s2
B24 = b241 + b242*c2 + (b243*t2 + b244*t3)*s2
B25 = b251
B26 = b261
B33 = b331 + b332*c2 + b333*t2*s2
B34 = b341 + b342*c2 + b343*t2*s2
B35 = b351 + b352*c2 + b353*t3*s2
B36 = b361 + b362*c2 + b363*t3*s2
B44 = b441 + b442*c2 + b443*t2*s2
B45 = b451 + b452*c2 + b453*t3*s2
B46 = b461 + b462*c2 + b463*t3*s2
B55 = b551
B56 = b561
B66 = b661
"""

CORIOLIS = """
h101 = -2*a*l1
h102 = 2*a*(p11 - l1*s11)
h103 = 2*a*(p12 - l1*s12)
h104 = -2*e1*l1
h105 = -2*e2*l1
h106 = -a*l1
h107 = -2*a*l1*s11
h108 = -2*a*l1*s12
h109 = -2*e1*l1
h110 = -2*e2*l1
h111 = -2*e1*l1*s11
h112 = -2*e2*l1*s11
h113 = -2*e1*l1*s12
h114 = -2*e2*l1*s12
h115 = 2*a
h116 = a
h117 = e1
h118 = e2
h119 = -2*l1
h120 = -l1
h121 = -(p11 + l1*s11)
h122 = -(p12 + l1*s12)
h123 = -a*x12
h124 = a*x12
h201 = a*l1
h202 = 2*a*p11
h203 = 2*a*p12
h204 = -a
h205 = -e1
h206 = -e2
h207 = l1
h208 = p11 + l1*s11
h209 = p12 + l1*s12
h210 = a*x12
h211 = -a*x12
h212 = p11*s11
h213 = p11*s12 + p12*s11
h214 = e1*p11
h215 = e2*p11
h216 = p12*s12
h217 = e1*p12
h218 = e2*p12
h301 = -a*(p11 - l1*s11)
h302 = -2*a*p11
h303 = -2*a*x12
h304 = -2*e1*p11
h305 = -2*e2*p11
h306 = -a*p11
h307 = -2*a*p11*s11
h308 = -2*a*p11*s12
h309 = -2*e1*p11
h310 = -2*e2*p11
h311 = -2*e1*p11*s11
h312 = -2*e2*p11*s11
h313 = -2*e1*p11*s12
h314 = -2*e2*p11*s12
h315 = -(p11 + l1*s11)
h316 = -p11
h317 = -2*p11*s11
h318 = -(p11*s12 + p12*s11)
h319 = -a*p11
h320 = -e1*p11
h321 = -e2*p11
h322 = -a*x12
h401 = -a*(p12 - l1*s12)
h402 = -2*a*p12
h403 = 2*a*x12
h404 = -2*e1*p12
h405 = -2*e2*p12
h406 = -a*p12
h407 = -2*a*p12*s11
h408 = -2*a*p12*s12
h409 = -2*e1*p12
h410 = -2*e2*p12
h411 = -2*e1*p12*s11
h412 = -2*e2*p12*s11
h413 = -2*e1*p12*s12
h414 = -2*e2*p12*s12
h415 = -(p12 + l1*s12)
h416 = -p12
h417 = -(p11*s12 + p12*s11)
h418 = -2*p12*s12
h419 = -a*p12
h420 = -e1*p12
h421 = -e2*p12
h422 = a*x12
h501 = e1*l1
h502 = 2*e1*p11
h503 = 2*e1*p12
h504 = e1
h505 = -e1*p11
h506 = -e1*p12
h601 = e2*l1
h602 = 2*e2*p11
h603 = 2*e2*p12
h604 = e2
h605 = -e2*p11
h606 = -e2*p12
"""

CORIOLIS_VECTOR = """
g11 = (h101*v2 + h102*w11d + h103*w12d + h104*w21d + h105*w22d)*v1
g12 = (h106*v2 + h107*w11d + h108*w12d + h109*w21d + h110*w22d)*v2
g13 = (h111*w21d + h112*w22d)*w11d + (h113*w21d + h114*w22d)*w12d
g14 = (h115*v1 + h116*v2 + h117*w21d + h118*w22d)*t1 + (h119*v1 + h120*v2 + h121*w11d + h122*w12d)*t2
h1 = (g11 + g12 + g13)*s2 + (g14 + h123*D12*w11d + h124*D11*w12d)*v2*c2
g21 = (h204*v1 + h205*w21d + h206*w22d)*t1 + (h207*v1 + h208*w11d + h209*w12d)*t2
g22 = (g21 + h210*D12*w11d + h211*D11*w12d)*v1
g23 = ((h212*w11d + h213*w12d)*t2 + (h214*w21d + h215*w22d)*t3)*w11d
g24 = (h216*w12d*t2 + (h217*w21d + h218*w22d)*t3)*w12d
h2 = (h201*v1 + h202*w11d + h203*w12d)*v1*s2 + (g22 + g23 + g24)*c2
g31 = (h301*v1 + h302*v2 + h303*w12d + h304*w21d + h305*w22d)*v1
g32 = (h306*v2 + h307*w11d + h308*w12d + h309*w21d + h310*w22d)*v2
g33 = (h311*w21d + h312*w22d)*w11d + (h313*w21d + h314*w22d)*w12d
g34 = (h315*v1 + h316*v2 + h317*w11d + h318*w12d)*t2 + (h319*v2 + h320*w21d + h321*w22d)*t3
h3 = (g31 + g32 + g33)*s2 + (g34 + h322*D12*v1)*v2*c2
g41 = (h401*v1 + h402*v2 + h403*w11d + h404*w21d + h405*w22d)*v1
g42 = (h406*v2 + h407*w11d + h408*w12d + h409*w21d + h410*w22d)*v2
g43 = (h411*w21d + h412*w22d)*w11d + (h413*w21d + h414*w22d)*w12d
g44 = (h415*v1 + h416*v2 + h417*w11d + h418*w12d)*t2 + (h419*v2 + h420*w21d + h421*w22d)*t3
h4 = (g41 + g42 + g43)*s2 + (g44 + h422*D11*v1)*v2*c2
h5 = (h501*v1 + h502*w11d + h503*w12d)*v1*s2 + (h504*t1*v1 + (h505*w11d + h506*w12d)*t3)*v2*c2
h6 = (h601*v1 + h602*w11d + h603*w12d)*v1*s2 + (h604*t1*v1 + (h605*w11d + h606*w12d)*t3)*v2*c2
"""


def state_of_two_links(q, qd):
    """Return the paper's letters for a state; rates of modes have a d behind them."""
    names = ("D11", "D12", "D21", "D22")
    rates = ("v1", "v2", "w11d", "w12d", "w21d", "w22d")
    return {
        "s2": np.sin(q[1]),
        "c2": np.cos(q[1]),
        **dict(zip(names, q[2:], strict=True)),
        **dict(zip(rates, qd, strict=True)),
    }


def printed_inertia(arm, q):
    """B of (32) at a state."""
    letters = {**symbols_of_two_links(arm), **state_of_two_links(q, np.zeros(6))}
    known = evaluate(COMMON + INERTIA + STATE + INERTIA_MATRIX, letters)
    return np.array([[known[f"B{min(i, j)}{max(i, j)}"] for j in range(1, 7)] for i in range(1, 7)])


def printed_coriolis(arm, q, qd):
    """H of (34) at a state, with h107, h117, h118, h412, h413 corrected."""
    letters = {**symbols_of_two_links(arm), **state_of_two_links(q, qd)}
    known = evaluate(COMMON + STATE + CORIOLIS + CORIOLIS_VECTOR, letters)
    return np.array([known[f"h{i}"] for i in range(1, 7)])


MISPRINTS = """
h107 = -a*l1*s11
h117 = -e1
h118 = -e2
h412 = -2*e2*p12*s12
h413 = -2*e1*p12*s11
"""


def named_coefficients(arm, wrong=False):
    """Return b, t and h by name; the five misprinted ones as they stand in the paper if `wrong`."""
    known = evaluate(COMMON + INERTIA + CORIOLIS + (MISPRINTS if wrong else ""), symbols_of_two_links(arm))
    for j in (1, 2):
        known[f"t1{j}"] = known[f"p1{j}"] - known["l1"] * known[f"s1{j}"]
        known[f"t2{j}"], known[f"t3{j}"] = known[f"e{j}"], known[f"s1{j}"]
    return {name: value for name, value in known.items() if name[0] in "bth" and name[1:].isdigit()}
