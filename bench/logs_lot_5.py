"""The fifth lot of public logs, on which nothing was chosen with an eye.

What is fitted, what is predicted and the cutoff of each were written down before any prediction was seen: the
first half of the only motion is fitted, and the cutoff is ten times the highest frequency of the commanded
motion.
"""

from __future__ import annotations

import numpy as np

from .public_log import Geometry, PublicLog, Recording

QUARTER = np.pi / 2

HALVES = {"first half": (0.0, 0.5), "second half": (0.5, 1.0)}

SAWYER = {
    quantity: f"other_files/process_data/{file}.mat"
    for quantity, file in (("position", "q"), ("velocity", "qDot"), ("effort", "tau"))
}
"""Files of a matrix each, with a row per millisecond."""

ELBOW = np.arctan2(0.55, 0.045)
"""Direction of the WAM's elbow seen from the shoulder, 0.55 m up and 0.045 m ahead."""

LOT_5 = (
    PublicLog(
        "sawyer",
        "Rethink Sawyer, seven joints, 20 s; joint torques, a hundred times a second",
        "songtangzhong/robot-dynamics-identify-v1.3",
        "none stated",
        Geometry(
            (
                (0, 0, 0, 0, 0),
                (0, -QUARTER, 0.081, -QUARTER, 0.1925),
                (0, -QUARTER, 0, 0, 0.4),
                (0, QUARTER, 0, 0, -0.1685),
                (0, -QUARTER, 0, 0, 0.4),
                (0, QUARTER, 0, 0, 0.1363),
                (0, -QUARTER, 0, 0, 0),
            )
        ),
        {name: Recording(SAWYER, part) for name, part in HALVES.items()},
        "first half",
        ("second half",),
        3.0,
        {"rate": 1000.0},
        notes="geometry, rate and cutoff of the authors' programs, who do not name the robot: its lengths "
        "are those of a Sawyer; of ten rows nine repeat the one before; 0.3 Hz is the last harmonic",
    ),
    PublicLog(
        "wam-two",
        "Barrett WAM, joints 2 and 4 in a vertical plane, 250 Hz, 10 s; commanded torques, in JSON",
        "amir-noohian/dynamics-estimation",
        "none stated",
        Geometry(((0, -QUARTER, 0, -ELBOW, 0), (0, 0, float(np.hypot(0.55, 0.045)), 0, 0))),
        {name: Recording("pest_2dof_nogravity/wam_data/state_4.json", part) for name, part in HALVES.items()},
        "first half",
        ("second half",),
        5.0,
        {"columns": {name: [f"{name}[1]", f"{name}[3]"] for name in ("position", "velocity", "effort")}},
        notes="lengths by the maker's manual; the other joints stand; 0.5 Hz is the last harmonic; signs "
        "checked with the gravity that the controller logged",
    ),
)
"""The fifth lot."""
