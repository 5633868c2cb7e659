"""Public logs that came into the comparison after the first nine: the first lot.

What is fitted, what is predicted and the cutoff of each were written down before any prediction was seen: the
cutoff is ten times the highest frequency of the motion, or that of the authors' own filter. What was wrong
at the first look was mended since, so that they are unseen no more.
"""

from __future__ import annotations

import numpy as np

from .public_log import Geometry, PublicLog, Recording

QUARTER = np.pi / 2

KRANG = "29-ArmDataCollection/{}Data/data{}.txt"
DUAL = "code/para_est/coupled_ident/dualArmV2_data_write_excitation_{}.txt"
SLOW = "python_identification/csv_data/{}{}.csv"
MED = "src/test/measurements.csv"
GEN3 = "Examples/Kinova/SystemIdentification/IterativeSystemIdentification/full_params_data"

LOT_1 = (
    PublicLog(
        "krang",
        "Schunk LWA3 of Golem Krang, seven joints, 97 Hz with repeated rows, 48 s and 33 s; motor currents",
        "zubair-irshad/manipulator_parameter_identification",
        "none stated",
        "09-URDF/7DOFArm/singlearm.urdf",
        {
            name: Recording(
                {
                    quantity: KRANG.format(name, file)
                    for quantity, file in (
                        ("time", "TimeStamp"),
                        ("position", "Q"),
                        ("velocity", "DotQ_NF"),
                        ("effort", "Cur"),
                    )
                }
            )
            for name in ("train", "test")
        },
        "train",
        ("test",),
        4.0,
        {
            "gain": np.array([31.4, 31.4, 38, 38, 16, 16, 16])
            * 1e-3
            * np.array([596, 596, 625, 625, 552, 552, 552])
        },
        gravity=(0.0, -9.81, 0.0),
        tuned=True,
        notes="torque constants, gears and gravity by the authors' program; 0.39 Hz is their last harmonic",
    ),
    PublicLog(
        "dual-arm",
        "left arm of a dual-arm robot, seven joints, 99 Hz, three motions of 30 s; motor currents",
        "hujinfei1994/dyn_ident_dualArmV2",
        "none stated",
        Geometry(
            (
                (0, -QUARTER, 0, QUARTER, 0.18),
                (0, -QUARTER, 0, 0, 0),
                (0, QUARTER, 0, 0, 0.27),
                (0, -QUARTER, 0.03857, 0, 0),
                (0, QUARTER, 0, 0, 0.20),
                (0, -QUARTER, 0, -QUARTER, 0),
                (0, QUARTER, 0.065, 0, 0),
            )
        ),
        {name: Recording(DUAL.format(name)) for name in ("13.5", "15.7", "52.2")},
        "13.5",
        ("15.7", "52.2"),
        5.0,
        {
            "columns": {
                "time": 0,
                "position": range(1, 8),
                "velocity": range(8, 15),
                "effort": range(15, 22),
            },
            "units": {"position": "deg", "velocity": "rpm"},
            "gain": (1.35, 1.35, 6.1404, 6.1404, 5.78224, 5.78224, 5.14224),
        },
        tuned=True,
        notes="gains by the authors' friction script; torque sensors are logged too, but the wrist has none",
    ),
    PublicLog(
        "slow-six",
        "a six-joint arm (geometry by Shanghai Electric), 167 Hz, three slow motions of 22 s; motor torques",
        "Naruton94/robot_identification",
        "none stated",
        Geometry(
            (
                (0, 0, 0, 0, 0.1181),
                (0, QUARTER, 0, 0, 0),
                (0, 0, -0.416, 0, 0),
                (0, 0, -0.4208, 0, 0.1301),
                (0, QUARTER, 0, 0, 0.1021),
                (0, -QUARTER, 0, 0, 0.0568),
            )
        ),
        {
            str(k): Recording(
                {"position": SLOW.format("dataInput", k), "effort": SLOW.format("tau", k)}, across=True
            )
            for k in (1, 2, 3)
        },
        "1",
        ("2", "3"),
        2.0,
        {"rate": 500 / 3, "gain": (1, 1, -1, 1, 1, 1)},
        tuned=True,
        notes="the sign of joint 3 and the cutoff by the authors' script; joint 4 hardly moves in motion 1",
    ),
    PublicLog(
        "med7",
        "KUKA LBR Med 7, seven joints, 100 Hz, 16 s of which 10 move; torque sensors at the joints",
        "lbr-stack/dynamic_parameter_identification",
        "MIT",
        "urdf/med/med7dock.urdf",
        {
            "first 70 %": Recording(MED, (0.0, 0.7)),
            "last 30 %": Recording(MED, (0.7, 1.0)),
        },
        "first 70 %",
        ("last 30 %",),
        5.0,
        {
            "columns": {"position": range(7), "effort": range(7, 14)},
            "rate": 100.0,
            "gain": (-1,) * 7,
        },
        tuned=True,
        notes="rate by the authors' script; the torques at rest have the sign of the load, not of the drive",
    ),
    PublicLog(
        "gen3",
        "Kinova Gen3, seven joints, 98 Hz with gaps, angles wrapped, five motions of 14 s; filtered torques",
        "roahmlab/RAPTOR",
        "GPL-3.0",
        "Robots/kinova-gen3/kinova.urdf",
        {
            str(k): Recording(
                {
                    quantity: f"{GEN3}/{file}_downsampled_{k}.csv"
                    for quantity, file in (
                        ("time", "t"),
                        ("position", "q"),
                        ("velocity", "q_d"),
                        ("effort", "tau"),
                    )
                }
            )
            for k in range(1, 6)
        },
        "3",
        ("1", "2", "4"),
        5.0,
        tuned=True,
        notes="motion 3 moves most; motion 5 lacks four seconds; 0.5 Hz is the last harmonic",
        commit="04daa66070b6548b2139ff43bdffbc6a71a3c992",
    ),
)
"""The first lot."""
