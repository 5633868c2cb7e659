"""Programs for GPUs, followed step by step on the CPU: every entry leaves once, with its own value."""

from __future__ import annotations

import re

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.cuda.staging import Compute, Flush, Put, staging
from closedform.cuda.text import SHARED, STRIDE, source
from closedform.programs import evaluate, program, trace
from closedform.programs.operations import NUMPY
from closedform.programs.sine_cosine import COSINE, PI_2, SINE

PLENTY, LITTLE = 10_000, 8
"""Slots of a thread: enough for every output at once, or for a few rows."""


def constants_and_inputs():
    """Return a program whose outputs are constants, an input, zeros and one value twice."""
    x = ca.SX.sym("x", 2)
    y = ca.vertcat(ca.horzcat(x[0], 2.5, 0.0), ca.horzcat(x[0] * x[1], x[0] * x[1], ca.sin(x[1])))
    return program("mixed", [("x", (2,), x)], [("y", (2, 3), y), ("z", (), x[1] + 1)])


def programs():
    yield "mixed", constants_and_inputs()
    for name, forms in {
        "panda": ("inverse_dynamics", "mass_matrix", "inverse_dynamics_derivatives", "kinetic_energy"),
        "2r": ("mass_matrix_dq", "dynamic_matrices", "frame_poses"),
        "humanoid": ("mass_matrix",),
    }.items():
        for form in forms:
            yield f"{name} {form}", trace(cf.load(name).model, form)


PROGRAMS = dict(programs())


def followed(traced, stage, inputs):
    """Return the outputs that the steps of a staging write, as warps of a GPU would."""
    columns = np.concatenate([each.ravel() for each in inputs])
    values = {}

    def value(number):
        name, _, constant = traced.operations[number]
        if name in ("const", "input"):
            return constant if name == "const" else columns[int(constant)]
        return values[number]

    slots = [None] * stage.slots
    results = [np.full(len(row), np.nan) for row in traced.results]
    for step in stage.steps:
        if isinstance(step, Compute):
            name, operands, _ = traced.operations[step.value]
            assert step.value not in values, "computed twice"
            values[step.value] = NUMPY[name](*map(value, operands))
        elif isinstance(step, Put):
            slots[step.slot] = value(step.value)
        else:
            assert isinstance(step, Flush)
            for entry in range(step.first, step.last):
                assert np.isnan(results[step.output][entry]), "written twice"
                results[step.output][entry] = slots[stage.table[step.output][entry]]
    return results


@pytest.mark.parametrize("memory", [PLENTY, LITTLE])
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_entry_leaves_once_with_its_value(name, memory):
    traced = PROGRAMS[name]
    rng = np.random.default_rng(0)
    inputs = [rng.normal(size=shape) for _, shape in traced.inputs]
    expected = evaluate(traced, *inputs)
    expected = expected if isinstance(expected, tuple) else (expected,)
    stage = staging(traced, memory)
    for ours, theirs in zip(followed(traced, stage, inputs), expected, strict=True):
        np.testing.assert_array_equal(ours, np.ravel(theirs))


def test_matrices_keep_few_values_waiting():
    """Column by column from the last, the derivatives of an arm's torques wait in registers alone."""
    traced = PROGRAMS["panda inverse_dynamics_derivatives"]
    assert staging(traced, PLENTY).waiting == 0
    assert len(traced.operations) > 3000


@pytest.mark.parametrize("real", ["float", "double"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_texts_name_what_they_use(name, real):
    traced = PROGRAMS[name]
    made = source(traced, real)
    assert made.threads in (32, 64)
    assert made.shared <= SHARED
    count = sum(map(len, traced.results))
    offsets = made.text.partition("] = {")[2].partition("}")[0].split(", ")
    assert len(offsets) == count
    assert all(int(each) % STRIDE == 0 for each in offsets)
    assert made.text.count("{") == made.text.count("}")
    assert ("double" if real == "float" else "float") not in made.text.replace("extern __shared__ double", "")


def test_outputs_beyond_shared_memory_are_written_one_by_one():
    traced = trace(cf.load("humanoid").model, "dynamic_matrices")
    made = source(traced, "double")
    assert made.shared == 0
    written = re.findall(r"^y(\d)\[i \* (\d+) \+ (\d+)\] = ", made.text, re.MULTILINE)
    assert len(set(written)) == len(written) == sum(map(len, traced.results))


def test_sine_and_cosine_in_single_precision():
    """The polynomials of the text, in float32: within two units in the last place of 1."""
    single = np.float32
    x = np.linspace(-2000, 2000, 200_001).astype(single)
    first = single(PI_2[0])
    second = single(PI_2[0] - float(first))
    third = single(PI_2[0] - float(first) - float(second) + PI_2[1])
    n = np.rint(x.astype(float) * 2 / np.pi)
    r = x.astype(float)
    for part in (first, second, third):
        r = (r - n * float(part)).astype(single).astype(float)  # fused: rounded once
    r = r.astype(single)
    z = r * r
    p = np.full_like(z, SINE[3])
    q = np.full_like(z, COSINE[3])
    for a in reversed(SINE[:3]):
        p = p * z + single(a)
    for a in (*reversed(COSINE[:3]), -0.5, 1.0):
        q = q * z + single(a)
    p = z * r * p + r
    turns = n.astype(int)
    s = np.where(turns & 1, q, p) * np.where(turns & 2, -1, 1)
    c = np.where(turns & 1, p, q) * np.where((turns + 1) & 2, -1, 1)
    unit = np.finfo(single).eps
    assert np.abs(s - np.sin(x.astype(float))).max() < 2 * unit
    assert np.abs(c - np.cos(x.astype(float))).max() < 2 * unit
