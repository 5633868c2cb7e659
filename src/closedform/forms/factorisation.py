"""Factorisations of the Coriolis forces C qd into a matrix and qd, by the name that a call chooses.

The forces leave C open. C = J^T (M J' + c J) over the bodies, with b = diag(ad_V) of their twists V:

    christoffel          c = (M b - b^T M + N) / 2, N V = -b^T M V: for one-dof joints the Christoffel symbols
    mueller-kumar        c = M b - b^T M  [MuellerKumar2021, Eq. (54)]
    garofalo             the same matrix  [Garofalo2013, Eq. (6b)]
    mueller-kumar-22     c = -b^T M  [MuellerKumar2021, Eq. (22)]
"""

from __future__ import annotations

CHRISTOFFEL = "christoffel"

SKEW_CONSISTENT = {CHRISTOFFEL: True, "mueller-kumar": True, "mueller-kumar-22": False, "garofalo": True}
"""By factorisation: whether Mdot - 2 C is skew-symmetric."""

FACTORISATIONS = tuple(SKEW_CONSISTENT)
"""What a call may choose."""
