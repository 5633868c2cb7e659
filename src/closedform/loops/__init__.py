"""Robots with closed loops: constraint embedding in minimal coordinates, with every derivative.

| file | what it holds |
|---|---|
| `cut_joints` | the rows that cut joints and couplings add, with time derivatives |
| `linear` | square systems as expressions, by rotations |
| `spread` | a loop with some of its joints at zero, as its frame A sees it |
| `dyads`, `legs`, `found_legs` | loops that close by a formula: planar pairs; spherical loops and legs |
| `model`, `closing`, `actuation` | the mechanism: independent rows and coordinates, driven motions, by rank |
| `closed_tree` | constraint embedding: all velocities from the independent ones |
| `kinematics`, `dynamics`, `rates`, `state`, `parameters` | the forms |
| `assembly`, `numbers`, `implicit` | all coordinates from the independent ones, with gradients |
| `singularities`, `modes`, `postures` | singular postures with a distance, all assembly modes |
| `reading`, `saving` | mechanisms of files, and files of them |
| `robot` | the robot that users hold |
"""

from .errors import AssemblyError
from .robot import ClosedRobot

__all__ = ["AssemblyError", "ClosedRobot"]
