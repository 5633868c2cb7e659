"""Smooth motions with exact derivatives of any order."""

from .fit import fit_fourier, fit_spline
from .harmonic import Harmonic, cosine, fourier
from .piecewise import PiecewisePolynomial
from .polynomial import polynomial
from .profile import profile
from .scaling import time_scaled
from .spline import spline
from .stretch import Paced, Stretched, stretch
from .trajectory import Jump, Trajectory

__all__ = [
    "Harmonic",
    "Jump",
    "Paced",
    "PiecewisePolynomial",
    "Stretched",
    "Trajectory",
    "cosine",
    "fit_fourier",
    "fit_spline",
    "fourier",
    "polynomial",
    "profile",
    "spline",
    "stretch",
    "time_scaled",
]
