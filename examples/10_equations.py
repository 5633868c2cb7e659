"""What are the equations of motion of my robot, written down?

Derives mass matrix, Coriolis matrix, gravity torques and inverse dynamics, with letters for masses, lengths
and gravity. Prints them, and writes a page with formulas.
"""

from pathlib import Path

import closedform as cf

robot = cf.load("2r")  # a planar arm with point masses; any robot will do, but long equations take a while
forms = ("mass_matrix", "coriolis_matrix", "gravity_torque", "inverse_dynamics")
found = {form: robot.equations(form, symbolic=True) for form in forms}

for form, equations in found.items():
    print(f"{form}\n{equations}\n")

print("in LaTeX:", found["gravity_torque"].latex())

formulas = "".join(f"<h2>{form}</h2>{equations.mathml()}" for form, equations in found.items())
Path("equations.html").write_text(f'<!doctype html><meta charset="utf-8">{formulas}', encoding="utf-8")
