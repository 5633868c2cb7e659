"""How do I move a flexible arm so that its tip does not swing afterwards?

A light link of one metre turns by 60 degrees in a second. The torque of a rigid link leaves the tip swinging;
the torque that is computed for the tip itself does not. Draws both.
"""

import numpy as np
from plotly import graph_objects as go

import closedform as cf

link = cf.FlexibleLink(1.0, 0.5, 5.0, hub_inertia=0.1, modes=2)  # length m, density kg/m, rigidity N m^2
arm = cf.FlexibleArm([link], payload=(0.2, 0.0), damping=0.01)  # kg and kg m^2 at the tip; damping ratio
print("frequencies:", ", ".join(f"{f:.2f} Hz" for f in arm.frequencies[0]))

move = cf.trajectory.polynomial(0.0, np.deg2rad(60), duration=1.0, degree=9)
plan = arm.tip_inverse_dynamics(move)  # begins before the move does: the link must bend first
step = 1e-3
t = np.arange(plan.t[0], 3.0, step)  # s

inertia = arm.mass_matrix(np.zeros(arm.size))[0, 0]  # of hub, link and payload as one stiff body
torques = {
    "rigid link": inertia * move(t, order=2),
    "tip's path": np.interp(t, plan.t, plan.u[:, 0], left=0, right=0)[:, None],
}

figure = go.Figure(go.Scatter(x=t, y=np.rad2deg(move(t)[:, 0]), name="wanted", line={"dash": "dot"}))
print("torque of     swing of the tip after the move")
for name, torque in torques.items():
    run = arm.simulate(np.zeros(arm.size), torque=torque, duration=(len(t) - 1) * step, step=step)
    angle = np.rad2deg(np.arctan2(run.tip[:, 1], run.tip[:, 0]))
    swing = np.ptp(angle[t > plan.t[-1]]) / 2
    print(f"{name:<12}{swing:8.4f} deg")
    figure.add_scatter(x=t, y=angle, name=f"torque of the {name}")

figure.update_layout(title="Direction to the tip", xaxis_title="time [s]", yaxis_title="angle [deg]")
figure.write_html("tip.html")
