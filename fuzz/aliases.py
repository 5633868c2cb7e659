"""Outputs that overlap inputs: the result is that of copies, or an error that says why not.

Inputs and outputs are laid out at random over one piece of memory: exact aliases, shifted, reversed,
transposed and strided views, broadcast inputs. The truth is the same call on copies without `out`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations
from typing import Any

import casadi as ca
import numpy as np

import closedform as cf
from closedform.description import Description, Joint, Link, Mimic
from closedform.forms import FORMS
from closedform.kernels import Kernel, compiled

from .outcome import Outcome

Array = np.ndarray[Any, Any]

BATCHES: tuple[tuple[int, ...], ...] = (
    (),
    (0,),
    (1,),
    (2,),
    (3,),
    (7,),
    (8,),
    (9,),
    (17,),
    (64,),
    (2, 3),
    (3, 1),
    (5, 4),
    (2, 1, 3),
)

TOLERANCE = {"float64": 1e-8, "float32": 3e-2}
"""Relative to the largest entry: vector and scalar code round differently, and states are taken at
random, singular ones too; an overwritten input shows in the first digit."""

PER_KERNEL = 12
"""Cases per kernel at least: a short run compiles few."""


def tree() -> cf.Robot:
    """Return a floating body with a ball, a slide and a joint that mimics another."""
    rng = np.random.default_rng(0)
    inertia = cf.Inertial.of(1.3, (0.1, -0.05, 0.2), np.diag([0.3, 0.25, 0.2]))
    axis = np.eye(6)[:, [2]]
    kinds = [
        ("free", np.eye(6), "base", None),
        ("ball", np.eye(6)[:, :3], "link0", None),
        ("revolute", axis, "link0", None),
        ("prismatic", np.eye(6)[:, [4]], "link2", None),
        ("revolute", axis, "link2", Mimic("joint2", -0.7, 0.3)),
    ]
    joints = []
    for k, (kind, screw, parent, mimic) in enumerate(kinds):
        pose = np.eye(4)
        pose[:3, 3] = rng.uniform(-0.3, 0.3, 3)
        joints.append(Joint(f"joint{k}", kind, parent, f"link{k}", pose, screw, mimic=mimic))
    links = [Link("base"), *(Link(f"link{k}", inertia) for k in range(len(kinds)))]
    return cf.Robot.from_description(Description("tree", tuple(links), tuple(joints), (0.0, 0.0, -9.81)))


def own(name: str, dtype: type) -> Kernel:
    """Return kernels of expressions: exchanged entries, several outputs, numbers as inputs."""
    x, y, t = ca.SX.sym("x", 3), ca.SX.sym("y", 3), ca.SX.sym("t")
    A = ca.SX.sym("A", 3, 3)
    outputs = {
        "turned": [("r", ca.vertcat(x[2], x[0] + y[1], x[1] * y[0]))],
        "both": [("a", y + t), ("b", x[::-1] * t)],
        "transposed": [("B", A.T + ca.diag(x))],
        "row": [("r", A @ x)],
        "number": [("n", (), ca.dot(x, y) + ca.trace(A) * t)],
    }[name]
    return compiled(name, [("x", x), ("y", y), ("t", (), t), ("A", A)], outputs, dtype=dtype)


LIGHT = ("inverse_dynamics", "mass_matrix", "gravity_torque", "external_torque", "kinetic_energy", "jacobian")
"""Forms of the larger robots; the small ones have all."""


@cache
def makers() -> dict[str, Callable[[], Kernel]]:
    """Return how to make every kernel that is tried, by name."""
    planar, ball = cf.load("2r"), cf.load("spherical_pendulum")
    small = [name for name, form in FORMS.items() if "rows" not in form.choices]
    rigid = [(planar, small), (ball, small), (tree(), LIGHT), (cf.load("panda"), LIGHT)]
    found: dict[str, Callable[[], Kernel]] = {}
    for dtype in (np.float64, np.float32):
        label = np.dtype(dtype).name
        for robot, forms in rigid:
            for form in forms:
                order = 1 if FORMS[form].ordered else None
                found[f"{robot.name} {form} {label}"] = lambda r=robot, f=form, o=order, d=dtype: r.kernel(
                    f, order=o, dtype=d
                )
        found[f"2r inverse_dynamics of phi {label}"] = lambda d=dtype: planar.kernel(
            "inverse_dynamics", phi=True, dtype=d
        )
        arm = cf.FlexibleArm.deluca_siciliano()
        for form in cf.flexible.catalogue.FORMS:
            found[f"flexible {form} {label}"] = lambda a=arm, f=form, d=dtype: a.kernel(f, dtype=d)
        for name in ("turned", "both", "transposed", "row", "number"):
            found[f"own {name} {label}"] = lambda n=name, d=dtype: own(n, d)
    elastic = cf.ElasticJointRobot(planar, 1e3, 0.1, 1.0)
    for form in cf.elastic.catalogue.FORMS:
        found[f"elastic {form}"] = lambda f=form: elastic.kernel(f)
    return found


# ------------------------------------------------------------------ memory


class Memory:
    """A piece of memory in which arrays are laid out at random."""

    def __init__(self, rng: np.random.Generator, dtype: np.dtype[Any], entries: int) -> None:
        self.rng = rng
        self.flat = rng.uniform(-1, 1, entries).astype(dtype)

    def view(self, shape: tuple[int, ...], *, repeat: bool = False) -> Array:
        """Return a view without repeated entries, or (`repeat`) with axes of stride 0."""
        rng, size = self.rng, self.flat.itemsize
        order = list(range(len(shape)))[::-1]
        if rng.random() < 0.3:
            rng.shuffle(order)
        strides, reach, low, high = [0] * len(shape), size * int(rng.integers(1, 3)), 0, 0
        for axis in order:
            if repeat and rng.random() < 0.5:
                continue
            sign = -1 if rng.random() < 0.2 else 1
            strides[axis] = sign * reach
            extent = reach * max(0, shape[axis] - 1)
            low, high = (low - extent, high) if sign < 0 else (low, high + extent)
            reach = extent + reach + size * int(rng.random() < 0.1)
        room = self.flat.nbytes - (high - low) - size
        start = size * int(rng.integers(0, min(room // size, 12) + 1)) - low
        return np.ndarray(shape, self.flat.dtype, self.flat.data, start, tuple(strides))

    def exact(self, shape: tuple[int, ...]) -> Array:
        """Return the first entries as a contiguous array."""
        return self.flat[: int(np.prod(shape, dtype=int))].reshape(shape)


def layouts(
    rng: np.random.Generator, kernel: Kernel, batch: tuple[int, ...]
) -> tuple[Memory, list[Array], list[Array]]:
    """Return memory with the inputs and outputs of a call in it."""
    shapes_in = [(*batch, *shape) for shape in kernel.input_shapes]
    shapes_out = [(*batch, *shape) for shape in kernel.output_shapes]
    largest = max(int(np.prod(shape, dtype=int)) for shape in (*shapes_in, *shapes_out))
    room = 40 * largest + 1000
    memory = Memory(rng, kernel.dtype, room)
    elsewhere = Memory(rng, kernel.dtype, room)
    exact = rng.random() < 0.4
    args = []
    for whole, core in zip(shapes_in, kernel.input_shapes, strict=True):
        shape = whole if rng.random() < 0.85 else (1,) * int(rng.integers(0, len(batch) + 1)) + core
        place = memory if rng.random() < 0.7 else elsewhere
        args.append(place.exact(shape) if exact else place.view(shape, repeat=rng.random() < 0.1))
    outs = []
    for shape in shapes_out:
        alike = [array for array in args if array.shape == shape and array.flags.writeable]
        if alike and rng.random() < 0.5:
            outs.append(alike[rng.integers(len(alike))])
        elif exact and len(shapes_out) == 1:
            outs.append(memory.exact(shape))
        else:
            place = memory if len(shapes_out) == 1 or rng.random() < 0.3 else Memory(rng, kernel.dtype, room)
            outs.append(place.view(shape, repeat=rng.random() < 0.05))
    return memory, args, outs


def repeated(array: Array) -> bool:
    """Whether entries of an array share memory, by its addresses."""
    at: Any = np.zeros(array.shape, int)
    for axis, (stride, size) in enumerate(zip(array.strides, array.shape, strict=True)):
        at = at + (stride * np.arange(size)).reshape((-1,) + (1,) * (array.ndim - axis - 1))
    return len(np.unique(at)) < array.size


# ------------------------------------------------------------------ cases


def call(rng: np.random.Generator, kernel: Kernel, args: list[Array], outs: list[Array]) -> str:
    """Evaluate into `outs` by one of the ways a user has; return which."""
    out = tuple(outs) if len(outs) > 1 else outs[0]
    same = [a for a in args for o in outs if a is o]
    deep = max(map(len, kernel.output_shapes)) < max(map(len, kernel.input_shapes))
    ways = ["kernel", "threads", "method"]
    if len(outs) == 1 and not deep and not repeated(outs[0]) and same:
        ways.append("ufunc")
    if all(
        a.shape == s
        for a, s in zip((*args, *outs), (*kernel.input_shapes, *kernel.output_shapes), strict=True)
    ):
        ways.append("bind")
    way = ways[rng.integers(len(ways))]
    if way == "ufunc":
        kernel.ufunc(*args, out=out)
    elif way == "bind":
        kernel.bind(*args, out=out)()
    elif way == "method":
        kernel.fast(*args, out=out)
    else:
        kernel(*args, out=out, threads=2 if way == "threads" else 1)
    return way


def verdict(rng: np.random.Generator, kernel: Kernel, batch: tuple[int, ...]) -> tuple[str, str]:
    """Run one case; return how it ended, and what is wrong (empty if nothing)."""
    memory, args, outs = layouts(rng, kernel, batch)
    truth = kernel(*(a.copy() for a in args))
    truths = truth if isinstance(truth, tuple) else (truth,)
    truths = tuple(np.broadcast_to(t, o.shape) for t, o in zip(truths, outs, strict=True))
    clash = any(map(repeated, outs)) or any(np.shares_memory(a, b) for a, b in combinations(outs, 2))
    shared = any(np.shares_memory(a, o) for a in args for o in outs)
    before = memory.flat.copy()
    try:
        way = call(rng, kernel, args, outs)
    except cf.ArgumentError as error:
        if clash and ("overlap each other" in str(error) or "share memory" in str(error)):
            return "refused", ""
        if "bind" in str(error) and (shared or clash or "C-contiguous" in str(error)):
            return "refused by bind", ""
        return "refused", f"refused without reason: {error}"
    if clash:
        return way, "outputs that share memory were taken"
    for out, right in zip(outs, truths, strict=True):
        scale = max(
            1.0, float(np.abs(right, where=np.isfinite(right), out=np.zeros(right.shape)).max(initial=0))
        )
        if not np.allclose(out, right, rtol=0, atol=TOLERANCE[kernel.dtype.name] * scale, equal_nan=True):
            return way, "wrong numbers"
    for out, right in zip(outs, truths, strict=True):
        out[...] = right  # whatever else has changed was written by mistake
    after = memory.flat.copy()
    memory.flat[...] = before
    for out, right in zip(outs, truths, strict=True):
        out[...] = right
    if not np.array_equal(after, memory.flat, equal_nan=True):
        return way, "memory outside the output was written"
    return f"{way}, {'shared' if shared else 'apart'}", ""


def schedule(rng: np.random.Generator, count: int) -> Iterator[tuple[str, Kernel]]:
    """Return `count` kernels by name, each compiled once and tried several times in a row."""
    names = sorted(makers())
    rng.shuffle(names)
    names = names[: max(1, min(len(names), count // PER_KERNEL))]
    for k, name in enumerate(names):
        kernel = makers()[name]()
        for _ in range(count // len(names) + (k < count % len(names))):
            yield name, kernel


def run(count: int, seed: int) -> Outcome:
    """Try overlapping arrays on the kernels of every owner."""
    outcome = Outcome()
    for number, (name, kernel) in enumerate(schedule(np.random.default_rng(seed), count)):
        rng = np.random.default_rng((seed, number))
        batch = BATCHES[rng.integers(len(BATCHES))]
        outcome.tried += 1
        with np.errstate(all="ignore"):  # random states are singular at times
            ending, wrong = verdict(rng, kernel, batch)
        outcome.endings[ending] += 1
        if wrong:
            outcome.failed(
                f"{name}, batch {batch}, {ending}: {wrong} (seed {seed}, case {number} of {count})"
            )
    return outcome
