"""The page of redundant inverse kinematics."""

from .comparison import SECTION as COMPARISON
from .curves import SECTION as CURVES
from .joints import SECTION as JOINTS
from .postures import SECTION as POSTURES
from .study import IkStudy, paper_study, study_of
from .tip import SECTION as TIP

SECTIONS = (JOINTS, TIP, CURVES, POSTURES, COMPARISON)
"""The sections in order."""

__all__ = ["SECTIONS", "IkStudy", "paper_study", "study_of"]
