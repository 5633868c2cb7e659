"""How far does my humanoid turn in the air when it throws up its arms?

In the air the angular momentum cannot change: the trunk must turn against the arms. Finds its motion from the
centroidal momentum matrix, prints it, and shows the humanoid on the way in 3D.
"""

import numpy as np

import closedform as cf

robot = cf.load("humanoid")
base = robot.joint_index("floating_base")  # the first six velocities: the twist of the trunk
arms = [robot.joint_index(f"{side}_shoulder_pitch") for side in ("left", "right")]
duration, steps, turn = 0.4, 400, -2.5  # s, and rad of both shoulders
dt = duration / steps
lift = cf.trajectory.polynomial(0.0, turn, duration=duration)


def velocity(q, t):
    """Return qd with the arms' own motion, and a twist of the trunk for which the momentum stays zero."""
    qd = robot.qd()
    qd[arms] = lift(t, order=1)
    A = robot.centroidal_momentum_matrix(q)
    qd[base] = np.linalg.solve(A[:, base], -A @ qd)
    return qd


path = [robot.neutral()]
for k in range(steps):
    middle = robot.integrate(path[-1], 0.5 * dt * velocity(path[-1], k * dt))
    path.append(robot.integrate(path[-1], dt * velocity(middle, (k + 0.5) * dt)))
path = np.array(path)

print(f"{robot.name}: {robot.mass:.1f} kg, {robot.nv} degrees of freedom")
print("time [s]   arms [deg]   trunk pitch [deg]   centre of mass moved [m]")
for k in range(steps // 8, steps + 1, steps // 8):
    roll, pitch, yaw = np.rad2deg(robot.euler_angles(path[k])[3:6])  # after the position
    moved = np.linalg.norm(robot.center_of_mass(path[k]) - robot.center_of_mass(path[0]))
    print(f"{k * dt:8.2f}{np.rad2deg(lift(k * dt)[0]):13.1f}{pitch:20.2f}{moved:27.1e}")

robot.scene(path, dt * np.arange(steps + 1)).save("humanoid.html")
