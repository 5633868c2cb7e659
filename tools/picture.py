"""Draws docs/_static/torques.svg: an arm along a motion, and its torques with two time derivatives.

`python -m tools.picture` writes it. Everything on it is computed by the library. Programs are evaluated as
they are written, not compiled, so that every machine draws the same.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import closedform as cf
from closedform.files import write_files
from closedform.forms import Variant
from closedform.programs import evaluate, trace

PICTURE = Path(cf.__file__).parents[2] / "docs" / "_static" / "torques.svg"

WIDTH, HEIGHT = 1200.0, 500.0
COLOURS = ("#6ea8fe", "#ffa94d", "#63e6be", "#e599f7", "#ff8787", "#4dd4f0", "#ffe066")
"""One for each joint, in the plots and on the arm; each has a contrast of 8 to 1 on the card."""

ROWS = (("τ", "N m"), ("τ′", "N m/s"), ("τ″", "N m/s²"))
WAYPOINTS = (
    (-1.3, 0.4, 0.2, -1.6, 0.0, 1.7, 0.8),
    (-0.6, -0.5, -0.3, -2.3, 0.6, 1.6, 0.2),
    (0.4, 0.4, 0.4, -1.6, -0.6, 2.0, 1.2),
    (1.25, -0.2, 0.1, -1.9, 0.2, 1.9, 0.8),
)
SERIF = 'fill="#eef2fb" font-style="italic" font-family="Georgia, serif"'
CODE = 'fill="#eef2fb" font-family="ui-monospace, monospace"'
MUTED = 'fill="#a9b6d3"'
GHOSTS = 7
SAMPLES = 160


def picture() -> str:
    """Return the picture."""
    robot = cf.load("panda")
    times = np.array([0.0, 0.6, 1.2, 1.8])
    motion = cf.trajectory.spline(times, WAYPOINTS, degree=7)
    t = np.linspace(0, motion.duration, SAMPLES)
    states = motion.derivatives(t, 4)
    rates = evaluate(trace(robot.model, "inverse_dynamics_rates", Variant(order=2)), *states)
    poses = evaluate(trace(robot.model, "frame_poses"), states[0])
    body = [_ground(), *_arm(poses), *_plots(t, rates), _words()]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" role="img" '
        'font-family="ui-sans-serif, system-ui, sans-serif">'
        "<title>A seven-joint arm in motion; its joint torques and their first and second time derivatives"
        "</title>"
    )
    return "\n".join([head, *body, "</svg>", ""])


def _ground() -> str:
    """Return the card and the ground under the arm."""
    x, y = _seen(np.zeros(3))
    return (
        '<defs><linearGradient id="card" x2="1" y2="1"><stop stop-color="#131a2c"/>'
        '<stop offset="1" stop-color="#1b2640"/></linearGradient><radialGradient id="ground">'
        '<stop stop-color="#46587f"/><stop offset="1" stop-color="#46587f" stop-opacity="0"/>'
        f'</radialGradient></defs><rect width="{WIDTH:.0f}" height="{HEIGHT:.0f}" rx="18" fill="url(#card)"/>'
        f'<ellipse cx="{x:.0f}" cy="{y:.0f}" rx="225" ry="44" fill="url(#ground)"/>'
        f'<path d="M{x - 34:.0f} {y + 6:.0f}h68" stroke="#7f90b6" stroke-width="16" stroke-linecap="round"/>'
    )


def _seen(points: np.ndarray) -> np.ndarray:
    """Return points as they are seen from the front and a little from above, in pixels, near ones larger."""
    x, y, z = np.moveaxis(points, -1, 0)
    tilt, far = 0.24, 4.5
    depth = far - np.cos(tilt) * x - np.sin(tilt) * z
    up = np.cos(tilt) * z - np.sin(tilt) * x
    return np.stack([290 + 1560 * y / depth, 400 - 1560 * up / depth], axis=-1)


def _path(points: np.ndarray) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _arm(poses: np.ndarray) -> list[str]:
    """Return the arm at some instants, the last in full, and the way of its tool."""
    shown = np.linspace(0, len(poses) - 1, GHOSTS).round().astype(int)
    ghosts = [
        f'<g opacity="{0.10 + 0.22 * k / GHOSTS:.2f}">{_links(poses[at], (("#b9c6e4", 19),))}</g>'
        for k, at in enumerate(shown[:-1])
    ]
    way = f'<path d="{_path(_seen(poses[:, -1, :3, 3]))}" fill="none" stroke="#ffe066" stroke-width="2.5"/>'
    metal = (("#0c1120", 29), ("#7f90b6", 24), ("#b7c4e0", 16), ("#eef2fb", 5))
    return [*ghosts, way, _links(poses[-1], metal), *_joints(_seen(poses[-1, :, :3, 3]))]


def _links(poses: np.ndarray, strokes: tuple[tuple[str, float], ...]) -> str:
    """Return an arm with a gripper as strokes of several widths on top of each other."""
    points = _seen(poses[:, :3, 3])
    kept = [i for i in range(len(points)) if i == 0 or np.hypot(*(points[i] - points[i - 1])) > 1]
    hand = np.array([[0, -0.05, 0.07], [0, -0.05, 0], [0, 0.05, 0], [0, 0.05, 0.07]])
    fingers = _seen(poses[-1, :3, 3] + hand @ poses[-1, :3, :3].T)
    lines = ((_path(points[kept]), 1.0), (_path(fingers), 0.45))
    drawn = "".join(
        f'<path d="{line}" stroke="{colour}" stroke-width="{share * width:.1f}"/>'
        for colour, width in strokes
        for line, share in lines
    )
    return f'<g fill="none" stroke-linecap="round" stroke-linejoin="round">{drawn}</g>'


def _joints(points: np.ndarray) -> list[str]:
    """Return the joints in their colours; those that share a point are rings around each other."""
    circles = []
    for j, colour in enumerate(COLOURS):
        x, y = points[1 + j]
        inner = any(np.hypot(*(points[1 + j] - points[1 + i])) < 1 for i in range(j))
        circles.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{5 if inner else 11}" fill="{colour}" stroke="#0c1120" '
            'stroke-width="2"/>'
        )
    return circles


def _plots(t: np.ndarray, rates: tuple[np.ndarray, ...]) -> list[str]:
    """Return the torques of all joints over time, and their derivatives below."""
    left, right, top, each = 650.0, 1160.0, 84.0, 114.0
    x = left + (right - left) * t / t[-1]
    parts = []
    for row, (values, (symbol, unit)) in enumerate(zip(rates, ROWS, strict=True)):
        low, high = float(values.min()), float(values.max())
        base = top + row * (each + 12)
        y = base + each * (high - values) / (high - low)
        zero = base + each * high / (high - low)
        middle = base + each / 2
        parts += [
            _text(left - 86, middle + 4, symbol, 27, SERIF),
            _text(left - 86, middle + 24, unit, 13, MUTED),
            _text(left - 8, base + 11, f"{high:.0f}", 12, f'{MUTED} text-anchor="end"'),
            _text(left - 8, base + each, f"{low:.0f}", 12, f'{MUTED} text-anchor="end"'),
            f'<path d="M{left:.0f} {zero:.1f}H{right:.0f}" stroke="#41527a"/>',
        ]
        parts += [
            f'<path d="{_path(np.stack([x, y[:, j]], axis=-1))}" fill="none" stroke="{colour}" '
            'stroke-width="2.2" stroke-linejoin="round"/>'
            for j, colour in enumerate(COLOURS)
        ]
    foot = top + 3 * (each + 12) + 10
    for j, colour in enumerate(COLOURS):
        parts.append(f'<circle cx="{left + 62 * j + 5:.0f}" cy="{foot - 4:.0f}" r="5" fill="{colour}"/>')
        parts.append(_text(left + 62 * j + 15, foot, f"joint {j + 1}", 13, MUTED))
    return [*parts, _text(right, foot, f"{t[-1]:.1f} s", 13, f'{MUTED} text-anchor="end"')]


def _words() -> str:
    """Return what was called, and the equation that it evaluates."""
    return (
        _text(554, 50, "robot.inverse_dynamics_rates(q, qd, qdd, qddd, q4)", 19, CODE)
        + _text(40, 50, 'robot = cf.load("panda")', 19, CODE)
        + _text(40, 474, "τ = M(q) q̈ + C(q, q̇) q̇ + g(q)", 21, SERIF)
    )


def _text(x: float, y: float, words: str, size: int, look: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" {look}>{words}</text>'


if __name__ == "__main__":
    write_files({PICTURE: picture()})
    print(PICTURE)
