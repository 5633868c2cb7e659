"""Public logs of real robots by name: where to get them, and what their documents say.

python -m bench.public_logs          which logs are here, and where the others are (see `public_log`)
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from closedform.arrays import Array

from .logs_lot_1 import LOT_1
from .logs_lot_2 import LOT_2
from .logs_lot_3 import LOT_3
from .logs_lot_4 import LOT_4
from .logs_lot_5 import LOT_5
from .public_log import Geometry, PublicLog, Recording, found, missing

__all__ = ["LOGS", "Geometry", "PublicLog", "Recording", "found", "missing", "public_logs"]

QUARTER = np.pi / 2


def _halves(files: str | Mapping[str, str], flat: bool = False) -> dict[str, Recording]:
    """Return the recordings of one motion: it as a whole, and its halves."""
    parts = {"whole": (0.0, 1.0), "first half": (0.0, 0.5), "second half": (0.5, 1.0)}
    return {name: Recording(files, part, flat=flat) for name, part in parts.items()}


def counterbalance(q: Array) -> Array:
    """Return the torques (rows, 6, 1) of the KR300's hydraulic counterbalance, which acts on joint 2.

    A cylinder of area A presses with the pressure of its gas on a rod between two points, D and k from the
    axis; the rod's stroke s and its lever follow from the angle e between them. The authors give the numbers.
    """
    D, k, A = 0.8, 0.2, np.pi * (0.055**2 - 0.030**2) / 4
    e = q[:, 1] + np.radians(95)
    s = np.sqrt(D**2 + k**2 - 2 * D * k * np.cos(e)) - (D - k)
    pressure = 1.01 * 296.8 * 328 * 2 * 0.0795 / (2 * 0.00048 - s * A)
    torque = np.zeros((*q.shape, 1))
    torque[:, 1, 0] = pressure * A * D * k * np.sin(e) / (s + D - k)
    return torque


UR10E = "dataset_ur10e/{}.csv"
PANDA = "matlab/data/Exciting_Traj/Trajectory_1/rbt_log/exciting_traj_{}.txt"
UR10 = ("shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3")
XMATE = "filtering/data/excit/excit_{}_record.txt"

LOGS = (
    PublicLog(
        "staubli-tx40",
        "Staubli TX40, six joints, 5 kHz, 9 s; motor side, joint 6 coupled to joint 5",
        "thanhndv212/figaroh-examples",
        "Apache-2.0",
        "examples/staubli_TX40/urdf/tx40_mdh_modified.urdf",
        _halves(
            {
                "position": "examples/staubli_TX40/data/pos_read_data.csv",
                "effort": "examples/staubli_TX40/data/curr_data.csv",
            }
        ),
        "first half",
        ("second half",),
        20.0,
        {
            "rate": 5000.0,
            "reduction": np.diag([32.0, 32, 45, -48, 45, 32]) + 32 * np.eye(6)[:, [5]] @ np.eye(6)[[4]],
            "offset": (0.0, -QUARTER, QUARTER, 0.0, 0.0, 0.0),
        },
        tuned=True,
        notes="the first half moves faster than the second",
    ),
    PublicLog(
        "tiago",
        "TIAGo, arm joints 1 to 4, 100 Hz, 80 s; motor currents",
        "thanhndv212/figaroh-examples",
        "Apache-2.0",
        "examples/tiago/urdf/tiago_48_schunk.urdf",
        _halves(
            {
                quantity: f"examples/tiago/data/identification/dynamic/tiago_{quantity}.csv"
                for quantity in ("position", "velocity", "effort")
            }
        ),
        "first half",
        ("second half",),
        5.0,
        {"gain": (13.6, 13.6, -8.7, -8.7)},
        moving=("arm_1_joint", "arm_2_joint", "arm_3_joint", "arm_4_joint"),
        locked={"torso_lift_joint": 0.2, "arm_5_joint": -0.1, "arm_6_joint": 0.0, "arm_7_joint": 0.0},
        tuned=True,
        notes="gains by the authors' script; efforts of the wrist are zero, so it is locked though it moves",
    ),
    PublicLog(
        "kuka-kr300",
        "KUKA KR300, six joints, 250 Hz, two motions of 10 s; motor torques",
        "JonasWeigand/Robot_Identification",
        "MIT",
        Geometry(
            (
                (0, 0, 0, 0, -0.675),
                (0, QUARTER, 0.350, 0, -0.189),
                (0, 0, 1.15, QUARTER, 0.189),
                (0, -QUARTER, 0.041, 0, -1),
                (0, QUARTER, 0, 0, 0),
                (0, -QUARTER, 0, 0, -0.24),
            )
        ),
        {"A": Recording("kr300_A.csv"), "B": Recording("kr300_B.csv")},
        "A",
        ("B",),
        10.0,
        {
            "reduction": (1798 / 7, 1872 / 7, 757 / 3, 221.0, 5032 / 21, 206793 / 1340),
            "motor_positions": False,
        },
        gravity=(0.0, 0.0, 9.81),
        further=(counterbalance,),
        tuned=True,
        notes="converted to CSV; a hydraulic counterbalance acts on joint 2; no inertias are published",
    ),
    PublicLog(
        "panda",
        "Franka Emika Panda, seven joints, about 1 kHz with gaps, 21 s",
        "marcocognetti/FrankaEmikaPandaDynModel",
        "GPL-3.0",
        "panda",
        _halves(
            {
                quantity: PANDA.format(file)
                for quantity, file in (
                    ("time", "time"),
                    ("position", "positions"),
                    ("velocity", "velocity"),
                    ("effort", "torques"),
                )
            },
            flat=True,
        ),
        "first half",
        ("second half",),
        10.0,
        tuned=True,
    ),
    PublicLog(
        "ur10e",
        "Universal Robots UR10e, six joints, 500 Hz stored at about 100 Hz, many motions; motor currents",
        "shamilmamedov/dynamic_calibration",
        "none stated",
        "URe/urdf/ur10e.urdf",
        {
            **{
                name: Recording(UR10E.format(f"identification_data/ur-{name}"))
                for name in (
                    "20_01_31-unload",
                    "20_02_05-20sec_8harm",
                    "20_02_05-20sec_12harm",
                    "20_02_06-20sec_5harm",
                    "20_02_06-20sec_10harm",
                    "20_02_10-20sec_7harm",
                    "20_02_10-30sec_12harm",
                    "20_02_12-40sec_12harm",
                    "20_02_12-50sec_12harm",
                    "20_02_19_14harm50sec",
                    "20_02_19_15harm50sec",
                )
            },
            **{
                name: Recording(UR10E.format(f"identification_data/ur-{name}"), payload=2.805)
                for name in ("20_01_31-load", "20_02_19_14harm50secLoad", "20_02_19_15harm50secLoad")
            },
            "ptp_10_points": Recording(UR10E.format("validation_data/ur-20_01_17-ptp_10_points")),
        },
        "20_02_10-30sec_12harm",
        ("20_02_12-40sec_12harm", "20_02_05-20sec_8harm", "ptp_10_points"),
        10.0,
        {
            "columns": {
                "time": 0,
                "position": range(1, 7),
                "velocity": range(7, 13),
                "effort": range(13, 19),
            },
            "gain": (14.87, 13.26, 11.13, 10.62, 11.03, 11.47),
        },
        tuned=True,
        notes="gains as the authors quote them, columns as their script reads them",
    ),
    PublicLog(
        "ur10",
        "Universal Robots UR10, six joints, 125 Hz, 28 s; joint torques in a ROS 2 bag",
        "unisa-acg/inverse-dynamics-solver",
        "BSD-3-Clause",
        "ur10",
        _halves("ur10_inverse_dynamics_solver/bagfiles/ur10_exciting_trajectory.db3"),
        "first half",
        ("second half",),
        5.0,
        {
            "columns": {
                quantity: [f"{joint}_joint {quantity}" for joint in UR10]
                for quantity in ("position", "velocity", "effort")
            }
        },
        tuned=True,
        notes="the wrist feels more than the catalogue describes, perhaps a tool",
    ),
    PublicLog(
        "ur10-three",
        "Universal Robots UR10, six joints, 50 Hz, three motions of 60 s",
        "kiwiwan/ur10_dyn_ident",
        "none stated",
        Geometry(
            (
                (0, 0, 0, 0, 0.128),
                (0, -QUARTER, 0, -QUARTER, 0.176),
                (0, 0, 0.612, 0, -0.128),
                (0, 0, 0.572, QUARTER, 0.116),
                (0, QUARTER, 0, 0, 0.116),
                (0, -QUARTER, 0, 0, 0.092),
            )
        ),
        {str(k): Recording(f"data/recdata/ur10_traj{k}_results.csv") for k in (1, 2, 3)},
        "1",
        ("2", "3"),
        3.0,
        {
            "columns": {"position": range(6), "velocity": range(6, 12), "effort": range(12, 18)},
            "rate": 50.0,
        },
        tuned=True,
        notes="almost no friction shows, perhaps from a simulator; rows of the authors' notebook",
    ),
    PublicLog(
        "xmate",
        "Rokae xMate, seven joints, 1 kHz, 20 s; torque sensors at the joints",
        "YanjunLIU-ac/Dynamic_Parameter_Identification_for_Rokae_xMate",
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
        _halves(
            {
                quantity: XMATE.format(file)
                for quantity, file in (("position", "ang"), ("velocity", "vel"), ("effort", "torque"))
            }
        ),
        "first half",
        ("second half",),
        5.0,
        {"rate": 1000.0},
        tuned=True,
        notes="positions and velocities have four decimals",
    ),
    PublicLog(
        "ar5",
        "Rokae AR5 on its side, seven joints, 50 Hz, 60 s",
        "FrankJIE09/Dynamics_identification_Frank",
        "none stated",
        "urdf/AR5-5_07R-W4C4A2.urdf",
        _halves("src/config/dynamics_identification_data_real.csv"),
        "first half",
        ("second half",),
        4.0,
        {
            "columns": {
                "time": 0,
                "position": range(1, 8),
                "velocity": range(8, 15),
                "effort": range(22, 29),
            },
        },
        gravity=(9.81, 0.0, 0.0),
        tuned=True,
        notes="gravity by the authors' rotation of the base; the velocities are differences of positions",
    ),
    *LOT_1,
    *LOT_2,
    *LOT_3,
    *LOT_4,
    *LOT_5,
)
"""The logs of the comparison: those that this project had an eye on first, those that came later last."""


def public_logs() -> dict[str, PublicLog]:
    """Return the logs whose files are here, by name."""
    return {log.name: log for log in LOGS if not missing(log)}


def main() -> None:
    """Print which logs are here, and where the others are."""
    for log in LOGS:
        gone = missing(log)
        state = "here" if not gone else f"clone {log.repository} under CLOSEDFORM_LOGS ({gone[0]} is missing)"
        print(f"{log.name:13s} {log.what}\n{'':13s} {log.repository} ({log.licence}): {state}")


if __name__ == "__main__":
    main()
