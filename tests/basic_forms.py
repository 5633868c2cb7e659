"""Forms that tests loop over: those of kinematics and dynamics proper, and those that every robot has."""

import closedform as cf

BASIC = {name: form for name, form in cf.FORMS.items() if form.group in ("kinematics", "dynamics")}
"""What tests of arrays and errors loop over."""

OF_FULL_RANK = ("task_inertia", "dynamically_consistent_inverse", "nullspace_projector")
"""What a robot has only for rows of a task that its frame can move in: a planar arm not for all six."""

EVERYWHERE = tuple(name for name in cf.FORMS if name not in OF_FULL_RANK)
"""Forms that every robot has without a choice."""
