"""Can a Panda find its way around a ball by sampling alone? Model predictive path integrals, in PyTorch.

    python examples/mppi_gpu_torch.py [--arms 4096] [--page motion.html]

Many arms try random accelerations for a second, under the torques that drives have; the best make a plan, and
the arm takes its first step: a CUDA graph on a GPU. See the tool pass the ball and stay at its goal.
"""

from time import perf_counter

import numpy as np
import torch

import closedform as cf

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
STEP, HORIZON, HELD = 0.04, 25, 5  # s, steps that are looked ahead, steps between random accelerations
SPREAD, WARMTH, DAMPING = 3.0, 0.1, 3.0  # rad/s^2; how little costs count, as part of the least; 1/s
BALL, ROOM = 0.12, 0.08  # radius, and how far the frames of the forearm and hand must stay away; m
PANDA, START = cf.load("panda"), np.array([-0.8, 0.4, 0.0, -1.9, 0.0, 2.3, 0.8])
GOAL, CENTRE = (PANDA.pose(START * [k, 1, 1, 1, 1, 1, 1], "tool")[:3, 3] for k in (-1, 0))


def planner(arms: int) -> tuple:
    """Return the angles of the arm, the noise that others try, and a function that advances by a step."""
    given = [START, 0 * START], GOAL, CENTRE, PANDA.effort_limits, PANDA.velocity_limits
    state, goal, centre, most, fastest = (torch.tensor(np.stack(x), device=DEVICE).float() for x in given)
    plan, noise = state.new_zeros(HORIZON, 1, 7), state.new_zeros(HORIZON // HELD, arms, 7)

    def step(q, qd, wanted):
        tau = PANDA.inverse_dynamics(q, qd, wanted - DAMPING * qd).clamp(-most, most)
        qd = qd + STEP * PANDA.forward_dynamics(q, qd, tau)
        points = PANDA.frame_poses(q := q + STEP * qd)[..., 3:, :3, 3]
        close, fast = (BALL + ROOM - (points - centre).norm(dim=-1)).relu(), (qd.abs() - fastest).relu()
        bad = 50 * close.sum(-1) + 10 * fast.sum(-1) + 0.02 * qd.square().sum(-1)
        return q, qd, (points[..., -1, :] - goal).norm(dim=-1) + bad

    def advance():
        q, qd, total, tries = *state, 0, noise.repeat_interleave(HELD, dim=0)
        for wanted in plan + tries:
            q, qd, cost = step(q, qd, wanted)
            total = total + cost.nan_to_num(1e9)
        weights = torch.softmax(-total / (WARMTH * total.min()), dim=0)
        better = plan + torch.einsum("a,taj->tj", weights, tries)[:, None]
        state.copy_(torch.stack(step(*state, better[0, 0])[:2]))
        plan.copy_(better.roll(-1, dims=0))

    return state[0], noise, advance


def main(arms: int = 4096 if DEVICE == "cuda" else 512, instants: int = 50, page: str = "") -> np.ndarray:
    """Return what is to go (m) over the instants; print it and the rate, draw the arm on a page."""
    (q, noise, advance), dice, graphed = planner(arms), torch.Generator(DEVICE), None
    advance()  # compiles; nothing moves without noise
    if DEVICE == "cuda":
        with torch.cuda.graph(graph := torch.cuda.CUDAGraph()):
            advance()
        graphed = graph.replay  # of tensors that `advance` keeps
    path, begin = [START], perf_counter()
    for k in range(instants):
        noise.normal_(0, SPREAD, generator=dice.manual_seed(k))
        (graphed or advance)()
        path.append(q.cpu().double().numpy())
    print(f"{arms * HORIZON * instants / (perf_counter() - begin):.3g} steps a second on {DEVICE}")
    points = PANDA.frame_poses(path)[:, 3:, :3, 3]
    to_go, off = np.linalg.norm(points[:, -1] - GOAL, axis=-1), np.linalg.norm(points - CENTRE, axis=-1)
    for k in range(0, instants + 1, 5):
        print(f"{k * STEP:.1f} s: {to_go[k]:.3f} m to go, {off[k].min() - BALL:.3f} m from the ball")
    if page:
        x = np.random.default_rng(0).normal(size=(3, 500))
        x, y, z = CENTRE[:, None] + BALL * x / np.linalg.norm(x, axis=0)
        PANDA.plot(path).add_mesh3d(x=x, y=y, z=z, alphahull=0, opacity=0.5).write_html(page)
    return to_go


if __name__ == "__main__":
    import typer

    typer.run(main)
