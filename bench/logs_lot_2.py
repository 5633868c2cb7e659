"""The second lot of public logs, chosen as the first was.

What is fitted, what is predicted and the cutoffs stood before any prediction. What was wrong at the first
look was mended since, so that they are unseen no more.
"""

from __future__ import annotations

import numpy as np

from .public_log import Geometry, PublicLog, Recording

QUARTER = np.pi / 2

XMATE = "data/recdata/xMate7p_traj{}_results.csv"
AIRBOT = "state_machine_demo/real_data/vali_{}.csv"
CHIRP = "examples/airbot_play/data/identification/{}_motion/identification_{}_real{}.csv"
EIGHT = "激励轨迹计算和动力学参数辨识/uts_traj_left.txt"
LWR = "data/KUKA/HW/measurements_{}.npz"

LOT_2 = (
    PublicLog(
        "xmate-er7",
        "Rokae xMate ER7 Pro, seven joints, 50 Hz, three motions of 20 s; joint torques",
        "NKU-ZiXuan/xMate7p_dyn_ident",
        "CC BY-NC-SA 4.0",
        Geometry(
            (
                (0, 0, 0, 0, 0.404),
                (0, -QUARTER, 0, 0, 0),
                (0, QUARTER, 0, 0, 0.4375),
                (0, -QUARTER, 0, 0, 0),
                (0, QUARTER, 0, 0, 0.4125),
                (0, -QUARTER, 0, 0, 0),
                (0, QUARTER, 0, 0, 0.2755),
            )
        ),
        {str(k): Recording(XMATE.format(k)) for k in (1, 2, 3)},
        "1",
        ("2", "3"),
        2.5,
        {
            "columns": {"position": range(7), "velocity": range(7, 14), "effort": range(21, 28)},
            "rate": 50.0,
        },
        tuned=True,
        notes="rows, rate and cutoff of the authors' notebook; motion 2 is motion 1 at 5/7 of its size",
    ),
    PublicLog(
        "airbot",
        "AIRBOT Play with a gripper, six joints, 195 Hz, eight motions of 25 s; motor torques",
        "Zeyu1-oss/dynamics_calibration_airbot",
        "none stated",
        "models/urdf/airbot_play_v3_gripper.urdf",
        {
            name: Recording(AIRBOT.format(file))
            for name, file in (
                ("7-5", "ptrnSrch_N7T25QR-5"),
                ("7-6", "ptrnSrch_N7T25QR-6"),
                ("7-7", "ptrnSrch_N7T25QR-7"),
                ("8", "ptrnSrch_N8T25QR"),
                ("8-8", "ptrnSrch_N8T25QR-8"),
                ("8-maxq1", "ptrnSrch_N8T25QR_maxq1"),
                ("12", "ga_N12T25"),
                ("opt", "opt"),
            )
        },
        "7-5",
        ("8-maxq1", "12", "opt"),
        5.0,
        {
            "columns": {
                "time": 0,
                "position": range(1, 7),
                "velocity": range(7, 13),
                "effort": range(13, 19),
            },
            "gain": (1, 1.7696, 1.8270, 1, 1, 1),
        },
        moving=tuple(f"joint{k}" for k in range(1, 7)),
        tuned=True,
        notes="gains of joints 2 and 3 by the authors, who fitted them to all these files; "
        "0.48 Hz is the last harmonic, in motion 12; signs of joints 2 to 5 checked with described gravity",
    ),
    PublicLog(
        "airbot-chirp",
        "AIRBOT Play with a gripper, six joints, 100 Hz, two motions of 30 s and 28 s; motor torques",
        "liuyurong129/figaroh_kinova",
        "none stated",
        "examples/airbot_play/data/urdf/airbot_play_v3_0_gripper.urdf",
        {
            name: Recording(
                {"position": CHIRP.format(motion, "q", load), "effort": CHIRP.format(motion, "tau", load)},
                payload=payload,
            )
            for name, motion, load, payload in (
                ("chirp", "chirp", "", 0.0),
                ("trapezoidal", "trapezoidal", "", 0.0),
                ("chirp loaded", "chirp", "_loaded", 0.48),
            )
        },
        "chirp",
        ("trapezoidal",),
        10.0,
        {"rate": 100.0},
        tuned=True,
        notes="rate and cutoff of the authors' settings; all joints move together, along one line; "
        "signs of joints 2 to 5 and the unit of joint 3 checked against described gravity",
    ),
    PublicLog(
        "eight-joints",
        "an arm of eight joints, 500 Hz, 30 s; motor side, joints 7 and 8 driven by two motors together",
        "Lr-2002/dynamic",
        "none stated",
        Geometry(
            (
                (0, QUARTER, 0.0001319, np.pi, 0.03320012),
                (0, QUARTER, -0.17, 1.56920367, 0.00066988),
                (0, QUARTER, 0.15005143, 0, 0.00029644),
                (0, QUARTER, 0.00020163, 0, 0.3533001),
                (0, QUARTER, 0, np.pi, -0.09228969),
                (0, QUARTER, -0.058162, -QUARTER, 0.21680999),
                (0, QUARTER, 0, -QUARTER, -0.0015),
                (0, QUARTER, 0, np.pi, 0),
            )
        ),
        {"first half": Recording(EIGHT, (0.0, 0.5)), "second half": Recording(EIGHT, (0.5, 1.0))},
        "first half",
        ("second half",),
        1.7,
        {
            "columns": {"position": range(8), "velocity": range(8, 16), "effort": range(16, 24)},
            "rate": 500.0,
            "reduction": np.block(
                [[np.eye(6), np.zeros((6, 2))], [np.zeros((2, 6)), np.array([[1, 1], [-1, 1]])]]
            ),
        },
        tuned=True,
        notes="rows, rate and wrist of the authors' script; 0.17 Hz is the last harmonic; motors 7 and 8 "
        "reach a limit; the script calls the efforts currents and takes them as torques",
    ),
    PublicLog(
        "lwr4",
        "KUKA LWR4+, seven joints, 200 Hz, three motions of 25 s; filtered torques of sensors at the joints",
        "kjyv/FloBaRoID",
        "LGPL-3.0",
        "model/kuka_lwr4.urdf",
        {str(k): Recording(LWR.format(k)) for k in (1, 2, 3)},
        "3",
        ("1", "2"),
        2.0,
        {
            "columns": {
                "time": "times",
                "position": "positions",
                "velocity": "velocities",
                "effort": "torques",
            }
        },
        tuned=True,
        notes="torques are filtered at 2 Hz, positions at 3 Hz; one sine per joint, in two phases, "
        "twice as fast in motion 3; 2 repeats 1; signs of joints 2 to 4 checked against described gravity",
        commit="e6c077ea5c09bceb49840f49e83450bb5979029b",
    ),
)
"""The second lot."""
