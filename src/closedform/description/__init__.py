"""What the user wrote: URDF, MJCF, modified DH tables, screws and catalogue names."""

from .description import Description, Inertial, Joint, Limits, Link, Mimic
from .mdh import read_mdh
from .screws import read_screws
from .urdf import read_urdf

__all__ = [
    "Description",
    "Inertial",
    "Joint",
    "Limits",
    "Link",
    "Mimic",
    "read_mdh",
    "read_screws",
    "read_urdf",
]
