"""Every kind of joint, one file each; nothing else asks a joint for the name of its kind."""

from .ball import Ball
from .fixed import Fixed
from .free import Free
from .helical import Helical
from .joint import JointType
from .joint_chain import JointChain
from .planar import Planar
from .prismatic import Prismatic
from .registry import joint_kind, joint_type, kind_of_screws, kinds, register, unregister
from .revolute import Revolute
from .subspace import Subspace
from .universal import Universal

__all__ = [
    "Ball",
    "Fixed",
    "Free",
    "Helical",
    "JointChain",
    "JointType",
    "Planar",
    "Prismatic",
    "Revolute",
    "Subspace",
    "Universal",
    "joint_kind",
    "joint_type",
    "kind_of_screws",
    "kinds",
    "register",
    "unregister",
]
