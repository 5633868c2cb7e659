"""Where should the elbow of my seven-joint arm be while its tool stays in place?

A tool pose leaves one joint to choose: the elbow can go round. Prints the best posture for several criteria,
and shows the whole self-motion in 3D.
"""

import numpy as np

import closedform as cf
from closedform import redundancy

robot = cf.load("panda")
q = np.array([0.3, 0.3, 0.2, -1.9, 0.1, 2.2, 0.8])  # rad
pose = robot.pose(q, "tool")  # what the tool is to hold: a 4x4 matrix

print("posture            manipulability   to nearest limit   gravity torques   elbow at x, y, z")
for name in ("as it was", "manipulability", "joint_limits", "gravity_load"):
    posture = q if name == "as it was" else redundancy.solve(robot, pose, task="pose", criterion=name).q
    J = robot.jacobian(posture, "tool")
    manipulability = np.sqrt(np.linalg.det(J @ J.T))
    room = np.rad2deg(robot.limit_distance(posture).min())
    torque = np.linalg.norm(robot.gravity_torque(posture))
    x, y, z = robot.pose(posture, "link4")[:3, 3]
    print(f"{name:<19}{manipulability:14.4f}{room:15.1f} deg{torque:14.1f} N m   {x:.2f}, {y:.2f}, {z:.2f} m")

(curve,) = redundancy.self_motion(robot, pose, task="pose", q0=q)
one, other = curve.ends
print(f"\nOne way the elbow goes until it meets the {one}, the other way until the {other}.")
robot.scene(curve.q, curve.length, tool="tool").save("self_motion.html")
