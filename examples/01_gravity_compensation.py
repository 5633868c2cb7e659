"""Which torques hold my arm still, and how much more with a load in its hand?

Reads a robot file, computes the joint torques that balance gravity in a posture, prints them beside what
the motors can give, and draws the posture.
"""

import closedform as cf

robot = cf.load("panda")  # or your own file: cf.load("my_arm.urdf")
loaded = robot.with_payload(3.0, com=(0, 0, 0.1))  # 3 kg, 0.1 m ahead of the tool frame

q = robot.q(joint2=0.6, joint4=-1.5, joint6=2.1)  # rad; joints that are not named stay at zero
empty, full = robot.gravity_torque(q), loaded.gravity_torque(q)

print("joint     limit [N m]   empty [N m]   with 3 kg [N m]   used")
for name, limit, without, with_load in zip(robot.joint_names, robot.effort_limits, empty, full, strict=True):
    used = abs(with_load) / limit
    print(f"{name:<10}{limit:11.1f}{without:14.2f}{with_load:18.2f}{used:7.0%}")

robot.scene(q, tau=full).save("posture.html")  # in 3D, with the torques
