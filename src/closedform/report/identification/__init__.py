"""The pages of an identification and of an exciting motion."""

from ..page import Page
from . import exciting_motion, exciting_regressor, fit, measured_torques, parameters
from .studies import ExcitationStudy, IdentificationStudy

IDENTIFICATION_PAGE = Page(
    "Identified from a log",
    (fit.SECTION, measured_torques.SECTION, parameters.SECTION),
    "identification_summary.html.j2",
)

EXCITATION_PAGE = Page(
    "Exciting motion", (exciting_motion.SECTION, exciting_regressor.SECTION), "excitation_summary.html.j2"
)

__all__ = ["EXCITATION_PAGE", "IDENTIFICATION_PAGE", "ExcitationStudy", "IdentificationStudy"]
