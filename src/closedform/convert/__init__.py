"""Arrays of other libraries in the order that is used here, and back.

Pinocchio's, MuJoCo's and Drake's follow from their models, those of MATLAB and Isaac from names of joints.
"""

from .drake import Drake
from .isaac import Isaac, IsaacState
from .matlab import Matlab
from .mujoco import MuJoCo
from .pinocchio import Pinocchio
from .swaps import swap_halves, wxyz, xyzw

__all__ = ["Drake", "Isaac", "IsaacState", "Matlab", "MuJoCo", "Pinocchio", "swap_halves", "wxyz", "xyzw"]
