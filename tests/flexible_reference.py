"""Routes to the flexible arm's equations that share no code with the package.

`Lagrangian` derives B and h symbolically from the 2 x 2 matrices of the paper; `printed_inertia`
and `printed_coriolis` are its explicit coefficients for two links of two modes, corrected.
"""

import numpy as np
import sympy as sp


class Lagrangian:
    """B and h of an arm by SymPy: points as matrix products, T by integration along each link.

    Products of deflections are dropped from B by differentiation at zero deflection. Integrals
    over a link are replaced term by term: x^a phi_j phi_k by the moment of that monomial.
    """

    def __init__(self, arm):
        self.arm = arm
        n, counts = len(arm.links), [len(modes) for modes in arm.modes]
        theta = sp.symbols(f"theta1:{n + 1}")
        delta = [sp.symbols(f"delta{i + 1}_1:{m + 1}") for i, m in enumerate(counts)]
        self.q = [*theta, *(each for row in delta for each in row)]
        self.qd = [sp.Symbol(f"{each}_dot") for each in self.q]
        self.delta = [each for row in delta for each in row]
        N = len(self.q)
        B = sp.zeros(N, N)
        r, W = sp.zeros(2, 1), sp.eye(2)
        alpha = 0
        for i, (link, modes) in enumerate(zip(arm.links, arm.modes, strict=True)):
            A = sp.Matrix([[sp.cos(theta[i]), -sp.sin(theta[i])], [sp.sin(theta[i]), sp.cos(theta[i])]])
            W = W * A
            alpha += theta[i]
            x, phi = sp.Symbol("x"), sp.symbols(f"phi1:{counts[i] + 1}")
            y = sum(p * d for p, d in zip(phi, delta[i], strict=True))
            B += self.integral(self.gram(r + W * sp.Matrix([x, y])), x, phi, link, modes)
            B += link.hub_mass * self.gram(r) + link.hub_inertia * self.spin(alpha)
            ye = sum(mode.tip * d for mode, d in zip(modes, delta[i], strict=True))
            slope = sum(mode.tip_slope * d for mode, d in zip(modes, delta[i], strict=True))
            r = r + W * sp.Matrix([link.length, ye])
            W = W * sp.Matrix([[1, -slope], [slope, 1]])
            alpha += slope
        mass, inertia = arm.payload
        self.B = B + mass * self.gram(r) + inertia * self.spin(alpha)

    def gram(self, p):
        """J^T J of a point to first order in the deflections."""
        J = p.jacobian(self.q)
        zero = dict.fromkeys(self.delta, 0)
        J0 = J.subs(zero)
        J1 = sp.zeros(*J.shape)
        for d in self.delta:
            J1 += J.diff(d).subs(zero) * d
        return J0.T * J0 + J0.T * J1 + J1.T * J0

    def spin(self, alpha):
        row = sp.Matrix([[sp.diff(alpha, each) for each in self.q]])
        return row.T * row

    def integral(self, G, x, phi, link, modes):
        """Integrate the density times each entry along the link; moments by high-order quadrature."""
        points, weights = np.polynomial.legendre.leggauss(60)
        s = link.length * (points + 1) / 2
        rho = float(link.density) * link.length * weights / 2
        shapes = modes.shapes(s)
        known = {}

        def moment(powers):
            if powers not in known:
                value = rho * s ** powers[0]
                for j, power in enumerate(powers[1:]):
                    value = value * shapes[:, j] ** power
                known[powers] = float(value.sum())
            return known[powers]

        def entry(e):
            poly = sp.Poly(sp.expand(e), x, *phi)
            return sum(c * moment(powers) for powers, c in poly.terms())

        return G.applyfunc(entry)

    def functions(self):
        """NumPy functions B(q) and h(q, qd); h by the Lagrange equations of T = qd^T B qd / 2."""
        qd = sp.Matrix(self.qd)
        momentum = self.B * qd
        T = (qd.T * momentum)[0] / 2
        h = momentum.jacobian(self.q) * qd - sp.Matrix([T]).jacobian(self.q).T
        arguments = [*self.q, *self.qd]
        B = sp.lambdify(self.q, self.B, "numpy", cse=True)
        h = sp.lambdify(arguments, list(h), "numpy", cse=True)
        return (lambda q: np.array(B(*q))), (lambda q, qd: np.array(h(*q, *qd)))


def symbols_of_two_links(arm):
    """The paper's letters for its arm."""
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
    for line in text.strip().splitlines():
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
h504 = -e1
h505 = -e1*p11
h506 = -e1*p12
h601 = e2*l1
h602 = 2*e2*p11
h603 = 2*e2*p12
h604 = -e2
h605 = -e2*p11
h606 = -e2*p12
"""
