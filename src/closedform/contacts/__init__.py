"""Robots that touch something: a foot or tool held on the ground or a surface, as constraints.

| file | what it holds |
|---|---|
| `rows` | the velocities that contacts hold, with time derivatives |
| `model` | which rows are independent, found by rank, and which joints carry torque |
| `touching` | the equations of motion with contacts, at one posture |
| `forms`, `state`, `catalogue` | the forms, their derivatives by the state |
| `robot` | the robot that users hold |
"""

from .robot import ContactRobot, with_contacts

__all__ = ["ContactRobot", "with_contacts"]
