"""A flexible arm's B and h by Lagrange's equations in exact polynomial algebra: no code of the package."""

import numpy as np
from sympy.polys.domains import RR
from sympy.polys.rings import ring


class Lagrangian:
    """B and h of an arm in exact polynomial algebra: points as matrix products, T by integration.

    Sines and cosines of the joints, deflections, velocities, the abscissa and the mode shapes
    are the variables. Products of deflections are dropped from B by differentiation at zero
    deflection; integrals over a link replace x^a phi_j phi_k by the moment of that monomial.
    """

    def __init__(self, arm):
        n, counts = len(arm.links), [len(modes) for modes in arm.modes]
        names = [f"{f}{i}" for i in range(n) for f in "sc"]
        names += [f"delta{i}_{j}" for i, m in enumerate(counts) for j in range(m)]
        names += [f"qd{k}" for k in range(n + sum(counts))]
        names += ["x", *(f"phi{j}" for j in range(max(counts)))]
        self.ring, *variables = ring(names, RR)
        of = dict(zip(names, variables, strict=True))
        self.n, self.names = n, names
        self.sin, self.cos = [of[f"s{i}"] for i in range(n)], [of[f"c{i}"] for i in range(n)]
        delta = [[of[f"delta{i}_{j}"] for j in range(m)] for i, m in enumerate(counts)]
        self.delta = [each for row in delta for each in row]
        self.qd = [of[f"qd{k}"] for k in range(n + sum(counts))]
        one, zero = self.ring(1), self.ring(0)
        N = len(self.qd)
        self.B = [[zero] * N for _ in range(N)]
        r, W = [zero, zero], [[one, zero], [zero, one]]
        turn = [zero] * N  # d alpha / dq
        for i, (link, modes) in enumerate(zip(arm.links, arm.modes, strict=True)):
            s, c = self.sin[i], self.cos[i]
            W = self.product(W, [[c, -s], [s, c]])
            turn = [one if k == i else value for k, value in enumerate(turn)]
            phi = [of[f"phi{j}"] for j in range(counts[i])]
            y = sum((p * d for p, d in zip(phi, delta[i], strict=True)), zero)
            moments = self.moments(link, modes)
            self.add(self.gram(self.moved(r, W, of["x"], y)), lambda e, m=moments: self.integral(e, m))
            self.add(self.gram(r), lambda e, m=link.hub_mass: m * e)
            self.add(self.outer(turn), lambda e, J=link.hub_inertia: J * e)
            ye = sum((mode.tip * d for mode, d in zip(modes, delta[i], strict=True)), zero)
            slope = sum((mode.tip_slope * d for mode, d in zip(modes, delta[i], strict=True)), zero)
            r = self.moved(r, W, link.length, ye)
            W = self.product(W, [[one, -slope], [slope, one]])
            first = n + sum(counts[:i])
            turn = [
                modes[k - first].tip_slope * one if first <= k < first + counts[i] else value
                for k, value in enumerate(turn)
            ]
        mass, inertia = arm.payload
        self.add(self.gram(self.moved(r, W, *arm.payload_offset)), lambda e: mass * e)
        self.add(self.outer(turn), lambda e: inertia * e)

    @staticmethod
    def product(A, B):
        return [[A[i][0] * B[0][j] + A[i][1] * B[1][j] for j in (0, 1)] for i in (0, 1)]

    @staticmethod
    def moved(r, W, x, y):
        return [r[i] + W[i][0] * x + W[i][1] * y for i in (0, 1)]

    def add(self, G, change):
        for a, row in enumerate(G):
            for b, entry in enumerate(row):
                self.B[a][b] = self.B[a][b] + change(entry)

    def partial(self, p, k):
        """Return the derivative by the k-th coordinate."""
        if k < self.n:
            s, c = self.sin[k], self.cos[k]
            return p.diff(s) * c - p.diff(c) * s
        return p.diff(self.delta[k - self.n])

    def straight(self, p):
        for d in self.delta:
            p = p.subs(d, 0)
        return p

    def gram(self, p):
        """J^T J of a point to first order in the deflections."""
        N = len(self.qd)
        J = [[self.partial(p[i], k) for k in range(N)] for i in (0, 1)]
        J0 = [[self.straight(e) for e in row] for row in J]
        J1 = [
            [sum((self.straight(e.diff(d)) * d for d in self.delta), self.ring(0)) for e in row] for row in J
        ]
        return [
            [sum(J0[i][a] * (J0[i][b] + J1[i][b]) + J1[i][a] * J0[i][b] for i in (0, 1)) for b in range(N)]
            for a in range(N)
        ]

    def outer(self, row):
        return [[a * b for b in row] for a in row]

    @staticmethod
    def moments(link, modes):
        points, weights = np.polynomial.legendre.leggauss(60)
        s = link.length * (points + 1) / 2
        rho = float(link.density) * link.length * weights / 2
        shapes = modes.shapes(s)
        known = {}

        def moment(powers):
            if powers not in known:
                value = rho * s ** powers[0]
                for j, power in enumerate(powers[1:]):
                    value = value * (shapes[:, j] ** power if power else 1)
                known[powers] = float(value.sum())
            return known[powers]

        return moment

    def integral(self, p, moment):
        first = self.names.index("x")
        total = {}
        for powers, value in p.terms():
            left = powers[:first] + (0,) * (len(powers) - first)
            total[left] = total.get(left, 0) + value * moment(powers[first:])
        return self.ring.from_dict(total)

    def coriolis(self):
        """H by the Lagrange equations of T = qd^T B qd / 2, as polynomials."""
        N = len(self.qd)
        momentum = [sum((self.B[a][b] * self.qd[b] for b in range(N)), self.ring(0)) for a in range(N)]
        T = sum((momentum[a] * self.qd[a] for a in range(N)), self.ring(0)) * 0.5
        return [
            sum((self.partial(momentum[a], k) * self.qd[k] for k in range(N)), self.ring(0))
            - self.partial(T, a)
            for a in range(N)
        ]

    def values(self, polynomials, q, qd):
        """Numbers of a list of polynomials at a state."""
        point = {f"s{i}": np.sin(q[i]) for i in range(self.n)} | {
            f"c{i}": np.cos(q[i]) for i in range(self.n)
        }
        point |= {str(d): q[self.n + k] for k, d in enumerate(self.delta)}
        point |= {f"qd{k}": qd[k] for k in range(len(qd))}
        x = np.array([float(point.get(name, 0.0)) for name in self.names])
        found = []
        for p in polynomials:
            powers = np.array(p.monoms(), dtype=int).reshape(-1, len(x))
            found.append(np.dot(np.array([float(v) for v in p.coeffs()]), np.prod(x**powers, axis=1)))
        return np.array(found)
