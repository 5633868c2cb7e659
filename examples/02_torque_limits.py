"""How fast may my robot go through this motion before a motor gives up?

Takes a motion of two seconds, computes the torques along it, and lets it run as fast as the limits of torques
and velocities allow. Draws what each motor uses of its torque.
"""

import numpy as np
from plotly import graph_objects as go

import closedform as cf

robot = cf.load("panda")
start = robot.q(joint1=-1.0, joint2=0.4, joint4=-1.2, joint6=1.6)  # rad
end = robot.q(joint1=1.0, joint2=-0.3, joint4=-2.3, joint6=2.2)

slow = cf.trajectory.polynomial(start, end, duration=2.0)  # rest to rest, fifth degree
fast = cf.trajectory.time_scaled(robot, slow)  # the same path, another pace

figure = go.Figure()
print("motion   duration   largest share of a torque limit")
for name, motion in (("given", slow), ("fast", fast)):
    t = np.linspace(0, motion.duration, 300)
    q, qd, qdd = motion.derivatives(t, 2)
    used = 100 * np.abs(robot.inverse_dynamics(q, qd, qdd)) / robot.effort_limits
    most = used.max(axis=0)  # of each motor, over time
    print(f"{name:<9}{motion.duration:6.2f} s   {robot.joint_names[most.argmax()]}, {most.max():.1f} %")

for joint, share in zip(robot.joint_names, used.T, strict=True):
    figure.add_scatter(x=t, y=share, name=joint)
figure.update_layout(title="The fast motion", xaxis_title="time [s]", yaxis_title="torque used [%]")
figure.write_html("torque_limits.html")
