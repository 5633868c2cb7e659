"""Scenes: robots in 3D on pages that need no network, drawn by three.js in the browser."""

from .parts import Marks, Solid, Tube
from .scene import Scene

__all__ = ["Marks", "Scene", "Solid", "Tube"]
