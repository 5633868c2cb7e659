"""What touches the ground or a surface: frames of a robot, and how they are held."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..checks import choice, sized_array, text
from ..errors import ArgumentError

CONTACT_KINDS = ("point", "fixed", "surface", "face")
"""How a frame is held: what each holds is in `closedform.contacts.rows`."""


@dataclass(frozen=True)
class Contact:
    """A frame of the robot that the surroundings hold, by its name.

    | kind | rows | what is held | what stays free |
    |---|---|---|---|
    | "point" | 3 | the origin of the frame | every rotation |
    | "fixed" | 6 | the frame | nothing |
    | "surface" | 1 | the origin, along the normal | slides on the surface, every rotation |
    | "face" | 3 | the origin along the normal, and the tilt | slides, the turn about the normal |

    `normal` is that of the surface in the base frame, towards the robot. Rows and forces are in axes whose
    z is the normal; for the default they are those of the base frame.

    >>> Contact("foot", "face").name
    'foot'
    """

    frame: str
    kind: str = "point"
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        text("contact: frame", self.frame)
        choice(f"contact {self.frame!r}: kind", self.kind, CONTACT_KINDS)
        n = sized_array(f"contact {self.frame!r}: normal", self.normal, (3,))
        length = float(np.linalg.norm(n))
        if not length > 0:
            raise ArgumentError(f"contact {self.frame!r}: normal has zero length; give a direction")
        object.__setattr__(self, "normal", tuple((n / length).tolist()))

    @property
    def name(self) -> str:
        """What messages call the contact."""
        return self.frame
