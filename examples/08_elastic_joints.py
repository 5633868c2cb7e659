"""Which motor torques does an arm with elastic joints need to follow a fast motion?

Joints with harmonic drives and torque sensors are springs: the motor must wind them up ahead of the link.
That takes the second time derivative of the joint torques. Shows what it is worth on a KUKA iiwa.
"""

import numpy as np
from plotly import graph_objects as go

import closedform as cf
from closedform.elastic import ComputedTorque, Feedforward, track

arm = cf.ElasticJointRobot(
    cf.load("iiwa14"),
    stiffness=1e4,  # N m/rad at the joints
    motor_inertia=1e-4,  # kg m^2 at the motor shafts
    gear_ratio=0.01,  # of joint to motor speed
    spring_at="link",
)
start, end = np.deg2rad([[-40, 30, 0, 90, 0, -40, 0], [40, 60, 20, 50, 10, -70, 30]])
move = cf.trajectory.polynomial(start, end, duration=0.8, degree=7)  # smooth up to its snap

t = np.linspace(0, move.duration, 200)
motor_torque = arm.inverse_dynamics(*move.derivatives(t, 4))  # exact, from four derivatives of the motion
print("largest motor torques [N m]:", np.abs(motor_torque).max(axis=0).round(2))

laws = {
    "with tau''": Feedforward(arm, poles=[-40, -40]),
    "without tau''": Feedforward(arm, poles=[-40, -40], torque_rates=False),
    "rigid robot's law": ComputedTorque(arm, poles=[-40, -40]),
}
figure = go.Figure()
print(f"\n{'feedforward':<20}largest error of a joint")
for name, law in laws.items():
    run = track(law, move, step=5e-4)
    print(f"{name:<20}{np.rad2deg(run.worst):.1e} deg")
    figure.add_scatter(x=run.t, y=np.rad2deg(np.abs(run.error).max(axis=1)), name=name)

figure.update_layout(title="Errors of the links", xaxis_title="time [s]", yaxis_title="error [deg]")
figure.update_yaxes(type="log", exponentformat="power")
figure.write_html("elastic.html")
