"""Which inertias does my arm have? Gradient descent through simulated motions, in PyTorch.

    python examples/identify_by_gradient_torch.py [--page rollouts.html]

The links of a Panda differ from its data sheet. Pieces of 0.1 s of its motion are simulated as one batch,
from measured starts under known torques, and L-BFGS follows the gradient of the errors by all inertias. See
errors of 30 mrad fall to the noise, and base parameters that are found within a few standard deviations.
"""

import numpy as np
import torch
import typer
from plotly import graph_objects as go
from torch import Tensor

import closedform as cf

H, STEPS, NOISE = 0.005, 20, 5e-4  # seconds of a step, steps of a piece, rad
PANDA = cf.load("panda")
PSEUDO = torch.zeros(10, 4, 4, dtype=torch.float64)  # phi to [integral of r r^T, m c; m c^T, m] of a body
for k, (r, c) in enumerate([*zip(*np.triu_indices(3), strict=True), (0, 3), (1, 3), (2, 3), (3, 3)]):
    PSEUDO[k, r, c] = PSEUDO[k, c, r] = 1 if c == 3 else -1
    PSEUDO[k, :3, :3] += (r == c < 3) * torch.eye(3) / 2


def inertias(x: Tensor) -> Tensor:
    """Return phi for x (bodies, 4, 4), zero for the data sheet; any x gives bodies that can exist."""
    L = torch.linalg.cholesky(torch.tensordot(torch.tensor(PANDA.phi.reshape(-1, 10)), PSEUDO, 1))
    L = L @ (x.tril(-1) + torch.diag_embed(x.diagonal(dim1=1, dim2=2).exp()))
    return ((L @ L.mT).flatten(1) @ torch.linalg.pinv(PSEUDO.flatten(1))).flatten()


def errors(phi: Tensor, q: Tensor, qd: Tensor, tau: Tensor, measured: Tensor) -> Tensor:
    """Return simulated less measured angles (steps, pieces, joints), by the midpoint method."""
    path, acceleration = [], PANDA.kernel("forward_dynamics", phi=True)
    for _ in measured:
        a = acceleration(q, qd, tau, phi)
        b = acceleration(q + H / 2 * qd, qd + H / 2 * a, tau, phi)
        q, qd = q + H * qd + H**2 / 2 * a, qd + H * b
        path.append(q)
    return torch.stack(path) - measured


def main(page: str = "", pieces: int = 160, iterations: int = 120) -> np.ndarray:
    """Return and print base parameters: sheet, true, found, standard deviation; draw rollouts on a page."""
    rng, x = np.random.default_rng(0), torch.zeros(7, 4, 4, dtype=torch.float64, requires_grad=True)
    sheet, true = inertias(x.detach()), inertias(torch.tensor(rng.normal(0, 0.2, x.shape)))
    q, qd, qdd = rng.normal(size=(3, pieces, 7)) * [[[0.5]], [[0.8]], [[6]]]
    tau = PANDA.inverse_dynamics(q := q + np.array([0, 0, 0, -1.6, 0, 1.8, 0]), qd, qdd)
    run = PANDA.with_phi(true.numpy()).simulate(q, qd, tau[:, None].repeat(STEPS, 1), STEPS * H, H)
    q, qd = (x + rng.normal(0, size, x.shape) for x, size in ((run.q, NOISE), (qd, 10 * NOISE)))
    log = [torch.tensor(x) for x in (q[:, 0], qd, tau, q[:, 1:].swapaxes(0, 1))]
    optimiser = torch.optim.LBFGS([x], max_iter=iterations, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        squares = (errors(inertias(x), *log) / NOISE).square().mean()
        (x.grad,) = torch.autograd.grad(squares, x)
        return squares

    optimiser.step(loss)
    found, base = inertias(x).detach(), cf.base_parameters(PANDA)
    before, after = errors(sheet, *log), errors(found, *log)
    J = torch.func.jacfwd(errors)(found, *log)[..., base.kept]
    g = torch.einsum("spjk,spj->pk", J, after)  # of a piece: its errors share the noise of its start
    inverse = torch.linalg.inv(torch.einsum("spjk,spjl->kl", J, J)) * (pieces / (pieces - base.count)) ** 0.5
    table = [base.matrix @ phi.numpy() for phi in (sheet, true, found)] + [(g @ inverse).norm(dim=0).numpy()]
    print(f"errors of {1e3 * before.std():.1f} mrad fall to {1e3 * after.std():.1f}; sheet, true, found:")
    for name, *row in zip(base.names, *table, strict=True):
        print(f"{name:6} {row[0]:10.5f} {row[1]:10.5f} {row[2]:10.5f} +- {row[3]:.5f}")
    if page:
        shown = ("by the data sheet", before, 8), ("by what was found", after, 8), ("measured", 0, 4)
        moved = [(name, (log[3] + error - log[0])[:, 0].T.ravel(), size) for name, error, size in shown]
        dots = [go.Scatter(y=y, name=name, mode="markers", marker_size=size) for name, y, size in moved]
        go.Figure(dots).update_layout(xaxis_title="step, joint by joint", yaxis_title="rad").write_html(page)
    return np.stack(table, axis=1)


if __name__ == "__main__":
    typer.run(main)
