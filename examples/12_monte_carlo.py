"""How far is my tool off if every link is a little longer or crooked?

Draws 100,000 arms whose joints are displaced by 0.1 mm and tilted by 0.2 mrad (standard deviations), computes
where their tools are in one call, and draws how the errors are distributed.
"""

import numpy as np
from plotly import graph_objects as go

import closedform as cf

robot = cf.load("ur5")
q = np.deg2rad([30, -60, 80, -40, 50, 0])
rng = np.random.default_rng(0)

# a row x, y, z, roll, pitch, yaw per joint: where it is in the link before it
spread = np.repeat([1e-4, 2e-4], 3)  # m and rad
arms = robot.geometry + spread * rng.normal(size=(100_000, *robot.geometry.shape))

tools = robot.kernel("pose", geometry=True)(q, arms)  # (100000, 4, 4)
errors = 1e3 * np.linalg.norm(tools[:, :3, 3] - robot.pose(q)[:3, 3], axis=1)  # mm

print(f"{len(errors):,} arms")
for share in (50, 90, 99, 99.9):
    print(f"{share:5} % of the tools are within {np.percentile(errors, share):.2f} mm")

counts, edges = np.histogram(errors, bins=100)
figure = go.Figure(go.Bar(x=(edges[1:] + edges[:-1]) / 2, y=counts))
figure.update_layout(title="Errors of the tool", xaxis_title="error [mm]", yaxis_title="arms")
figure.write_html("tool_errors.html")
