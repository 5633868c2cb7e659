"""The third lot of public logs.

What is fitted, what is predicted and the cutoff of each were written down before any prediction was seen: the
motion that moves most is fitted, and the cutoff is ten times the highest frequency of the commanded motion.
What was wrong at the first look was mended since, so that they are unseen no more.
"""

from __future__ import annotations

import numpy as np

from .public_log import Geometry, PublicLog, Recording

QUARTER = np.pi / 2

ROKAE = "data/{}/{}.mat"
PENDULUM_A = "data/experiment_records/design_A.0/20220815/sys_id/trajectory_{}.csv"
PENDULUM_C = "data/experiment_records/design_C.1/sys_id/20230629/20230629-{}/trajectory.csv"
MEASURED = {
    "time": "time",
    "position": ["pos_meas1", "pos_meas2"],
    "effort": ["tau_meas1", "tau_meas2"],
}

LOT_3 = (
    PublicLog(
        "rokae-six",
        "a six-joint arm by Rokae, 1 kHz, five motions of 20 s, each twice the same 10 s; drive torques",
        "JiyGuo/dynamical_identification",
        "none stated",
        Geometry(
            (
                (0, 0, 0, 0, 0),
                (0, -QUARTER, 0.04, -QUARTER, 0),
                (0, 0, 0.275, 0, 0),
                (0, -QUARTER, 0.025, 0, 0.28),
                (0, QUARTER, 0, 0, 0),
                (0, -QUARTER, 0, 0, 0),
            )
        ),
        {
            name: Recording(
                {"position": ROKAE.format(name, "joint"), "effort": ROKAE.format(name, "torque")},
                (start / duration, (start + 20) / duration),
            )
            for name, start, duration in (
                ("20210325_1", 10.2, 68.975),
                ("20210329_2", 19.35, 66.405),
                ("20210329_3", 12.85, 55.486),
                ("20210329_4", 9.45, 49.118),
                ("20210329_5", 8.25, 50.238),
            )
        },
        "20210329_5",
        ("20210325_1", "20210329_2", "20210329_3", "20210329_4"),
        5.0,
        {"units": {"effort": "mNm"}},
        tuned=True,
        notes="rows of the authors' program; the unit by inspection: through the gears that the steps of the "
        "positions show (81, 101, 81, 510/7, 80, 50), the steps of the efforts are 0.2 to 1.4 mN m, 0.001 of "
        "what such motors have; the drives are off at times before and after the motions; 0.5 Hz is the last "
        "harmonic; signs of joints 2 and 3 checked with gravity at rest",
    ),
    PublicLog(
        "pendulum-a",
        "double pendulum of DFKI (0.3 m and 0.2 m), two joints, 500 Hz, six motions of 10 s; drive torques",
        "dfki-ric-underactuated-lab/double_pendulum",
        "BSD-3-Clause",
        Geometry(((0, 0, 0, 0, 0), (0, 0, 0.3, 0, 0))),
        {name: Recording(PENDULUM_A.format(name)) for name in ("00", "01", "02", "03", "04", "05")},
        "04",
        ("00", "01", "02", "03", "05"),
        16.0,
        {"columns": MEASURED},
        gravity=(9.81, 0.0, 0.0),
        tuned=True,
        notes="the torques are commanded as sines of at most 10 rad/s, without feedback; measured efforts "
        "have steps of 0.006 N m, positions of 0.0004 rad; length, gravity and columns by the documents",
    ),
    PublicLog(
        "pendulum-c",
        "double pendulum of DFKI (0.2 m and 0.3 m), two joints, 500 Hz, five motions of 10 s; drive torques",
        "dfki-ric-underactuated-lab/double_pendulum",
        "BSD-3-Clause",
        Geometry(((0, 0, 0, 0, 0), (0, 0, 0.2, 0, 0))),
        {
            name: Recording(PENDULUM_C.format(name))
            for name in ("143339", "143524", "143601", "143704", "143747")
        },
        "143601",
        ("143339", "143524", "143704", "143747"),
        16.0,
        {"columns": MEASURED},
        gravity=(9.81, 0.0, 0.0),
        tuned=True,
        notes="as pendulum-a; drive 1 is idle in motions 143704 and 143747",
    ),
)
"""The third lot."""
