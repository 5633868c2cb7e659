"""The papers' block matrices in the catalogue of a robot's forms: group `blocks`, one form per letter."""

from __future__ import annotations

from functools import partial

from . import block_letters
from .catalogue import FORMS, INERTIAS, MOTION
from .quantities import CORIOLIS, MASS, PHI, A, D, Q, V
from .quantity import Quantity

BLOCK_X = Quantity("X", r"\mathsf{X}", "1 or m", "screws of all joints in their body frames")
BLOCK_D = Quantity("D", r"\mathsf{D}", "1 or m", "map from the twists of parents to those of bodies")
BLOCK_A = Quantity("A", r"\mathsf{A}", "1 or m", "map from the joints' own twists to those of the bodies")
BLOCK_J = Quantity("J", r"\mathsf{J}", "1 or m", "map from qd to the body twists (omega; v) of all bodies")
BLOCK_U = Quantity("U", r"\mathsf{U}", "1 or m", "map from twists of the base frame to the body frames")
BLOCK_V = Quantity("V", r"\mathsf{V}", "rad/s, m/s", "body twists (omega; v) of all bodies")
BLOCK_a = Quantity("a", r"\mathsf{a}", "rad/s, m/s", "adjoint matrices of the joints' own twists")
BLOCK_b = Quantity("b", r"\mathsf{b}", "rad/s, m/s", "adjoint matrices of the twists of the bodies")
BLOCK_M = Quantity("M", r"\mathsf{M}", MASS.base_unit, "inertia matrices of all bodies about their origins")
BLOCK_M1 = Quantity(
    "M1", r"\mathsf{M}^{(1)}", CORIOLIS.base_unit, "block matrix of the rate of the mass matrix"
)
BLOCK_M2 = Quantity(
    "M2", r"\mathsf{M}^{(2)}", CORIOLIS.rate().unit, "block matrix of the second rate of the mass matrix"
)
BLOCK_C = Quantity("C", r"\mathsf{C}", CORIOLIS.base_unit, "block matrix of the Coriolis matrix")
BLOCK_C1 = Quantity(
    "C1", r"\mathsf{C}^{(1)}", BLOCK_C.rate().unit, "block matrix of the rate of the Coriolis matrix"
)
BLOCK_C2 = Quantity(
    "C2", r"\mathsf{C}^{(2)}", BLOCK_C.rate(2).unit, "block matrix of the second rate of the Coriolis matrix"
)

_blocks = partial(FORMS.add, group="blocks", needs=(MOTION,))
_massive_blocks = partial(FORMS.add, group="blocks", needs=(INERTIAS, MOTION), optional=(PHI,))
_factored_blocks = partial(_massive_blocks, choices=("factorisation",))
_blocks(block_letters.block_X, Q, BLOCK_X.array("s", "v"))
_blocks(block_letters.block_D, Q, BLOCK_D.array("s", "s"))
_blocks(block_letters.block_A, Q, BLOCK_A.array("s", "s"))
_blocks(block_letters.block_J, Q, BLOCK_J.array("s", "v"))
_blocks(block_letters.block_U, Q, BLOCK_U.array("s", 6))
_blocks(block_letters.block_a, V[1:], BLOCK_a.array("s", "s"))
_blocks(block_letters.block_V, V, BLOCK_V.array("s"))
_blocks(block_letters.block_V_dot, A, BLOCK_V.rate().array("s"))
_blocks(block_letters.block_b, V, BLOCK_b.array("s", "s"))
_blocks(block_letters.block_A_dot, V, BLOCK_A.rate().array("s", "s"))
_blocks(block_letters.block_J_dot, V, BLOCK_J.rate().array("s", "v"))
_massive_blocks(block_letters.block_M, Q, BLOCK_M.array("s", "s"))
_massive_blocks(block_letters.block_M1, V, BLOCK_M1.array("s", "s"))
_massive_blocks(block_letters.block_M2, A, BLOCK_M2.array("s", "s"))
_factored_blocks(block_letters.block_C, V, BLOCK_C.array("s", "s"))
_factored_blocks(block_letters.block_C_dot, A, BLOCK_C.rate().array("s", "s"))
_factored_blocks(block_letters.block_C_ddot, D, BLOCK_C.rate(2).array("s", "s"))
_factored_blocks(block_letters.block_C1, A, BLOCK_C1.array("s", "s"))
_factored_blocks(block_letters.block_C2, D, BLOCK_C2.array("s", "s"))
