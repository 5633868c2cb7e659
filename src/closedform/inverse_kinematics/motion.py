"""What a chain of joints shall do, and how its branches are built: the parts that closed forms exchange."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from casadi import SX

Angles = list[SX]


@dataclass(frozen=True)
class Motion:
    """A motion x -> R x + p that six joints shall give together.

    `otherwise` has the coordinates of joints that the motion leaves free, as in a singular pose; `root` is
    a root of the resolvent, for arms that have one.
    """

    R: SX
    p: SX
    otherwise: Angles
    root: SX

    @property
    def reversed(self) -> Motion:
        """The motion that undoes this one, as the reversed chain sees it."""
        return Motion(self.R.T, -(self.R.T @ self.p), self.otherwise[::-1], self.root)


@dataclass(frozen=True)
class Branches:
    """How the branches of an arm are written: `build` gives the coordinates of each for a motion.

    If one joint is a root of a polynomial of the fourth degree, `resolvent` gives its coefficients (see
    `position.general`), and `build` is for one of the roots.
    """

    build: Callable[[Motion], Iterator[Angles]]
    resolvent: Callable[[Motion], SX] | None = None

    @property
    def reversed(self) -> Branches:
        """The branches of the chain seen from its other end."""
        build, resolvent = self.build, self.resolvent

        def backwards(motion: Motion) -> Iterator[Angles]:
            return (angles[::-1] for angles in build(motion.reversed))

        return Branches(backwards, None if resolvent is None else lambda motion: resolvent(motion.reversed))
