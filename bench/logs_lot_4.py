"""The fourth lot of public logs.

What is fitted, what is predicted and the cutoff of each were written down before any prediction was seen: the
motion that moves most is fitted, or the first half if there is one motion, and the cutoff is ten times the
highest frequency of the commanded motion. Defaults were chosen with an eye on them since.
"""

from __future__ import annotations

import numpy as np

from .public_log import Geometry, PublicLog, Recording

QUARTER = np.pi / 2

REVO = "robots/revoarm_{}/data_{}"
REVO_COLUMNS = {
    "time": 0,
    "position": range(1, 8),
    "velocity": range(8, 15),
    "effort": range(15, 22),
}
EXO = {
    quantity: f"filtering/data/excit/excit_{file}_record.txt"
    for quantity, file in (("position", "ang"), ("velocity", "vel"), ("effort", "motor"))
}


def _small(folder: str, position: str = "position", rest: str = "") -> Recording:
    """Return a motion of xmate-small by its folder, the name of its positions and the end of other names."""
    files = {"position": position, "velocity": f"velocity{rest}", "effort": f"torque{rest}"}
    return Recording({quantity: f"build/{folder}/{file}.txt" for quantity, file in files.items()})


LOT_4 = (
    PublicLog(
        "revoarm-right",
        "right arm of a robot with two by BrainCo, seven joints, 100 Hz, 30 s and 102 s; motor torques",
        "123yjm/Brainco_identification",
        "none stated",
        "URDF/urdf/revoarm_bimanual_revo2.urdf",
        {
            "excitation": Recording(REVO.format("right", "inertia/bimanual_excite_traj_20260624_202430.txt")),
            "friction": Recording(REVO.format("right", "friction/friction_trajectory_20260624_233323.csv")),
        },
        "excitation",
        ("friction",),
        5.0,
        {"columns": REVO_COLUMNS},
        moving=tuple(f"revoarm_right_joint{k}" for k in range(1, 8)),
        tuned=True,
        notes="the first is three times the same 10 s, 0.5 Hz is the last harmonic; in the second the joints "
        "move one after another at even speeds; efforts have steps of 0.005 to 0.026 N m; signs, unit and "
        "gravity checked with the described gravity; the hand's fingers are locked",
    ),
    PublicLog(
        "revoarm-left",
        "left arm of the same robot, seven joints, 100 Hz, 30 s and 102 s; motor torques",
        "123yjm/Brainco_identification",
        "none stated",
        "URDF/urdf/revoarm_bimanual_revo2.urdf",
        {
            "excitation": Recording(REVO.format("left", "inertia/bimanual_excite_traj_20260625_145639.txt")),
            "friction": Recording(REVO.format("left", "friction/friction_trajectory_20260625_150107.csv")),
        },
        "excitation",
        ("friction",),
        5.0,
        {"columns": REVO_COLUMNS},
        moving=tuple(f"revoarm_left_joint{k}" for k in range(1, 8)),
        tuned=True,
        notes="as revoarm-right, with the same positions",
    ),
    PublicLog(
        "exoskeleton",
        "an exoskeleton's arm, five turning joints, 20 Hz, 20 s; motor torques",
        "JinJiaC-job/My_exeleton_dynamic_calibration_optimized",
        "none stated",
        Geometry(
            (
                (0, -QUARTER, 0, 0, -0.18876),
                (0, QUARTER, 0, 0, -0.08124),
                (0, np.pi * 4 / 9, 0, 0, 0),
                (0, 0, 0.2525, 0, 0.01215),
                (0, QUARTER, 0, 0, 0.112),
            )
        ),
        {"first half": Recording(EXO, (0.0, 0.5)), "second half": Recording(EXO, (0.5, 1.0))},
        "first half",
        ("second half",),
        2.5,
        {"columns": {quantity: range(1, 6) for quantity in EXO}, "rate": 20.0},
        tuned=True,
        notes="rows and rate of the authors' scripts; a vertical slide below them moves by some mm in 20 s "
        "and is left out, as its effort shows no motion; 0.25 Hz is the last harmonic; efforts are noisy; no "
        "inertias are published, so that unit and signs stand as the scripts take them",
    ),
    PublicLog(
        "xmate-small",
        "Rokae xMate ER3 Pro, seven joints, 1 kHz, four small motions of 8 to 20 s; joint torques",
        "Stray8/roake_param_identify",
        "none stated",
        Geometry(
            (
                (0, 0, 0, 0, 0.3415),
                (0, -QUARTER, 0, 0, 0),
                (0, QUARTER, 0, 0, 0.394),
                (0, -QUARTER, 0, 0, 0),
                (0, QUARTER, 0, 0, 0.366),
                (0, -QUARTER, 0, 0, 0),
                (0, QUARTER, 0, 0, 0.2503),
            )
        ),
        {
            "first": _small("collect"),
            "again": _small("ly_data/SGPR_joint/collect"),
            "shorter": _small("ly_data/SGPR_sparse/joint/collect"),
            "other": _small("ly_data/testset", "position_ly", "_file"),
        },
        "first",
        ("again", "shorter", "other"),
        10.0,
        {"rate": 1000.0},
        tuned=True,
        notes="joints move by less than 0.18 rad, 1 Hz is the fastest; again and shorter repeat the first, "
        "which stands still for its last 2 s; the other is under torque control; rows as those of log xmate: "
        "the position of the tool that the authors logged is that of an ER3, not of an ER7; signs checked "
        "with the gravity that the controller logged",
    ),
)
"""The fourth lot."""
