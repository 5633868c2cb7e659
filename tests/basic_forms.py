"""The forms of kinematics and dynamics proper: what tests of arrays and errors loop over."""

import closedform as cf

BASIC = {name: form for name, form in cf.FORMS.items() if form.group in ("kinematics", "dynamics")}
