"""Scenes: robots in 3D on pages that need no network, drawn by three.js in the browser."""

from .scene import Scene

__all__ = ["Scene"]
