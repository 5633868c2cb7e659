"""What a robot looks like: meshes and solids of its file, or shapes made of its joints and inertias."""

from .shape import Shape, Shapes

__all__ = ["Shape", "Shapes"]
