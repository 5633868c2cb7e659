"""What do my robot and its load really weigh, according to logs of its joints?

Fits inertias and friction to logged positions and torques, prints them with standard errors beside those of
the robot file, and then weighs a load from a second log. The logs are simulated here; bring your .csv files.
"""

import numpy as np

import closedform as cf

rng = np.random.default_rng(0)


def record(robot, path):
    """Write 10 s of a lively motion, as the robot's own sensors would see it."""
    motion = cf.trajectory.fourier(np.zeros(6), *rng.normal(scale=0.3, size=(2, 6, 6)), period=10.0)
    t = np.arange(0, 10, 0.005)
    q, qd, qdd = motion.derivatives(t, 2)
    tau = robot.inverse_dynamics(q, qd, qdd) + 0.8 * qd + 0.5 * np.sign(qd)  # viscous and Coulomb friction
    noisy = [q + rng.normal(scale=1e-5, size=q.shape), tau + rng.normal(scale=0.05, size=q.shape)]
    header = ",".join(["time", *(f"q{k} [rad]" for k in range(1, 7)), *(f"tau{k} [Nm]" for k in range(1, 7))])
    np.savetxt(path, np.column_stack([t, *noisy]), delimiter=",", header=header, comments="")


sheet = cf.load("puma560")  # what the robot file says; the real forearm is heavier
real = sheet.with_payload(1.5, com=(0, 0.05, 0.1), frame="link4")
record(real, "empty.csv")
record(real.with_payload(2.5, com=(0, 0, 0.08)), "loaded.csv")

result = cf.identify(sheet, "empty.csv", hold_out=2.0)  # the last 2 s are predicted, not fitted
print(result)
result.robot.save("identified.toml")  # a robot with the inertias that were found; cf.load reads it

load = cf.identify_payload(result, "loaded.csv")
print(f"\n{load}")
