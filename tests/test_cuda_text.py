"""Programs for GPUs, followed step by step on the CPU: every entry leaves once, with its own value."""

from __future__ import annotations

import math
import re
import struct
from fractions import Fraction
from functools import cache

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.cuda.parts import SLACK, parts
from closedform.cuda.staging import _operations, _waiting, staging
from closedform.cuda.text import STRIDE, source
from closedform.forms.variant import Variant
from closedform.programs import evaluate, program, trace
from closedform.programs.operations import NUMPY
from closedform.programs.sine_cosine import COSINE, PI_2, SINE

MEMORY = 227 * 1024
"""Bytes of shared memory of a data-centre card."""

NONE = 10**9
"""More operations than any program has."""


def constants_and_inputs():
    """Return a program whose outputs are constants, an input, zeros and one value twice."""
    x = ca.SX.sym("x", 2)
    y = ca.vertcat(ca.horzcat(x[0], 2.5, 0.0), ca.horzcat(x[0] * x[1], x[0] * x[1], ca.sin(x[1])))
    return program("mixed", [("x", (2,), x)], [("y", (2, 3), y), ("z", (), x[1] + 1)])


PROGRAMS = (
    "mixed",
    "panda inverse_dynamics",
    "panda mass_matrix",
    "panda inverse_dynamics_derivatives",
    "panda kinetic_energy",
    "2r mass_matrix_dq",
    "2r dynamic_matrices",
    "2r frame_poses",
    "humanoid mass_matrix",
)


@cache
def traced_program(name):
    """Return one of the programs, traced once, when it is first asked for."""
    robot, _, form = name.partition(" ")
    return trace(cf.load(robot).model, form) if form else constants_and_inputs()


def followed(traced, stage, inputs):
    """Return the slots of a thread after the operations of a part."""
    columns = np.concatenate([each.ravel() for each in inputs])
    values = {}

    def value(number):
        name, _, constant = traced.operations[number]
        if name in ("const", "input"):
            return constant if name == "const" else columns[int(constant)]
        return values[number]

    for number in stage.operations:
        name, operands, _ = traced.operations[number]
        assert number not in values, "computed twice"
        values[number] = NUMPY[name](*map(value, operands))
    slots = [None] * len(stage.slots)
    for number, slot in stage.slots.items():
        slots[slot] = value(number)
    return slots


def results_of(traced, inputs):
    """Return the outputs of a program, in rows."""
    found = evaluate(traced, *inputs)
    return [np.ravel(each) for each in (found if isinstance(found, tuple) else (found,))]


@pytest.mark.parametrize(("operations", "values"), [(NONE, 211), (1000, 211), (1, 3)])
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_entry_is_computed_by_one_part(name, operations, values):
    traced = traced_program(name)
    rng = np.random.default_rng(0)
    inputs = [rng.normal(size=shape) for _, shape in traced.inputs]
    results = [np.full(len(row), np.nan) for row in traced.results]
    for places in parts(traced, operations, values):
        stage = staging(traced, places, 220)
        slots = followed(traced, stage, inputs)
        for output, entry in stage.places:
            assert np.isnan(results[output][entry]), "written twice"
            results[output][entry] = slots[stage.slots[traced.results[output][entry]]]
        assert len(stage.slots) <= values + 1  # and zero
    for ours, theirs in zip(results, results_of(traced, inputs), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("most", [1000, 2000])
def test_parts_are_as_short_as_their_longest_entry_allows(most):
    traced = traced_program("panda inverse_dynamics_derivatives")
    needed = [len(staging(traced, [(o, e)], 220).operations) for o in (0, 1) for e in range(49)]
    stages = [staging(traced, places, 220) for places in parts(traced, most, 211)]
    lengths = [len(stage.operations) for stage in stages]
    assert len(lengths) > 1
    assert max(lengths) <= max(most, SLACK * max(needed))
    assert lengths == sorted(lengths, reverse=True)


def test_what_is_independent_is_cut_without_loss():
    """The legs of a robot with a fixed trunk share nothing."""
    x = ca.SX.sym("x", 4)
    y = ca.vertcat(*(ca.sin(x[i]) * ca.cos(x[i]) for i in range(4)))
    traced = program("legs", [("x", (4,), x)], [("y", (4,), y)])
    found = parts(traced, 6, 211)
    assert sorted(map(len, found)) == [2, 2]
    assert sum(len(staging(traced, places, 220).operations) for places in found) == 12


def test_matrices_keep_few_values_waiting():
    """Column by column from the last, the derivatives of an arm's torques wait in registers alone."""
    traced = traced_program("panda inverse_dynamics_derivatives")
    (places,) = parts(traced, NONE, 211)
    order = staging(traced, places, 220).operations
    assert _waiting(traced, order, 220) == 0 < _waiting(traced, as_asked(traced, places), 220)
    assert len(traced.operations) > 3000


def as_asked(traced, places):
    return _operations(traced, places, [0] * len(traced.operations))


def test_vectors_keep_fewer_values_waiting():
    """Torques and their rates from the last joint back, with what ends values done at once."""
    traced = trace(cf.load("iiwa14").model, "inverse_dynamics_rates", Variant(order=2))
    (places,) = parts(traced, NONE, 211)
    asked, order = as_asked(traced, places), staging(traced, places, 110).operations
    assert sorted(order) == sorted(asked)
    done = set()
    for value in order:
        operands = traced.operations[value][1]
        assert all(each in done or traced.operations[each][0] in ("const", "input") for each in operands)
        done.add(value)
    assert 2 * _waiting(traced, order, 110) < _waiting(traced, asked, 110)


@pytest.mark.parametrize("small", [False, True])
@pytest.mark.parametrize("real", ["float", "double"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_texts_write_every_entry_once_from_a_slot_that_is_filled(name, real, small):
    traced = traced_program(name)
    made = source(traced, real, MEMORY, small)
    if made is None:
        assert small
        return
    assert made.shared <= MEMORY
    assert made.text.count("{") == made.text.count("}")
    assert ("double" if real == "float" else "float") not in made.text.replace("extern __shared__ double", "")
    written = []
    for number, body in enumerate(made.text.split("__noinline__ void part")[1:]):
        tables = dict(re.findall(r"const unsigned (\w+)\[\] = \{([\d, ]+)\}", made.text))
        filled = {int(each) // STRIDE for each in re.findall(r"tile\[(\d+) \+ lane\] = ", body)}
        for name_, output in re.findall(r"leave_rows<\d+>\(warp \* \d+, (\w+), y(\d)", body):
            written += [(int(output), int(each), filled) for each in tables[name_].split(", ")]
        first = 0
        short = [int(each) for each in tables.get(f"places{number}", "").split(", ") if each]
        for output, width in re.findall(r"leave\(warp \* \d+, \d+, y(\d) \+ base \* \d+, (\d+)", body):
            written += [(int(output), each, filled) for each in short[first : first + int(width)]]
            first += int(width)
    assert all(place & 255 in filled for _, place, filled in written)
    entries = sorted((output, place >> 8) for output, place, _ in written)
    assert entries == [(o, e) for o, row in enumerate(traced.results) for e in range(len(row))]


def fma(a, b, c):
    """Return a b + c, rounded once."""
    if any(map(math.isnan, (a, b, c))):
        return math.nan
    return float(Fraction(a) * Fraction(b) + Fraction(c))


def in_python(line):
    """Return a line of a generated text in Python."""
    line = re.sub(
        r"^double s(\d+), c\1; sine_cosine\((\w+), s\1, c\1\);", r"s\1, c\1 = sine_cosine(\2)", line
    )
    line = re.sub(r"^(const )?(double|int) ", "", line.strip()).rstrip(";")
    line = re.sub(r", (\w) = ", r"; \1 = ", line)
    line = re.sub(r"= ([^;?]+) \? ([^;:]+) : ([^;]+)", r"= (\2) if (\1) else (\3)", line)
    return line.replace("+ lane]", "]").replace('nan("")', "math.nan")


def sine_cosine(text):
    """Return the function of a text for sine and cosine."""
    body = text.partition("void sine_cosine")[2].partition("{")[2].partition("\n}")[0].strip().splitlines()
    names = {"fma": fma, "fabs": abs, "math": math}
    names["__double2loint"] = lambda x: struct.unpack("<q", struct.pack("<d", x))[0] & 0xFFFFFFFF
    lines = "\n".join(map(in_python, body))

    def found(x):
        local = {**names, "x": x}
        exec(lines, local)
        return local["s"], local["c"]

    return found


def test_sine_and_cosine_as_they_are_written():
    written = sine_cosine(source(traced_program("mixed"), "double", MEMORY).text)
    for x in np.linspace(-40, 40, 101):
        np.testing.assert_allclose(written(float(x)), (np.sin(x), np.cos(x)), rtol=0, atol=1e-15)
    assert all(map(math.isnan, written(2.0**46)))


@pytest.mark.parametrize("small", [False, True])
@pytest.mark.parametrize("name", ["mixed", "panda inverse_dynamics_derivatives", "humanoid mass_matrix"])
def test_texts_compute_what_they_should(name, small):
    """Every line of every part, one after the other, as a thread would take them."""
    traced = traced_program(name)
    made = source(traced, "double", MEMORY, small) or source(traced, "double", MEMORY)
    rng = np.random.default_rng(1)
    inputs = [rng.normal(size=shape) for _, shape in traced.inputs]
    flat = {f"x{k}": [float(each) for each in np.ravel(array)] for k, array in enumerate(inputs)}
    tables = dict(re.findall(r"const unsigned (\w+)\[\] = \{([\d, ]+)\}", made.text))
    results = [np.full(len(row), np.nan) for row in traced.results]
    for number, body in enumerate(made.text.split("__noinline__ void part")[1:]):
        lines = re.search(r"(?:x\d \+= i \* d\d;\n)+(.*?)__syncthreads", body, re.DOTALL)[1].splitlines()
        tile = {}
        exec("\n".join(map(in_python, lines)), {**flat, "tile": tile, "sine_cosine": sine_cosine(made.text)})
        short = [int(each) for each in tables.get(f"places{number}", "").split(", ") if each]
        calls = re.findall(r"leave(_rows<\d+>)?\(warp \* \d+, (\w+), y(\d) \+ base \* \d+(?:, (\d+))?", body)
        for rows, table, output, width in calls:
            places = [int(each) for each in tables[table].split(", ")] if rows else short[: int(width)]
            short = short if rows else short[int(width) :]
            for place in places:
                results[int(output)][place >> 8] = tile[(place & 255) * STRIDE]
    for ours, theirs in zip(results, results_of(traced, inputs), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-13)


def test_cards_with_little_shared_memory_have_smaller_blocks():
    traced = traced_program("humanoid mass_matrix")
    warps = [source(traced, "double", memory).warps for memory in (227 * 1024, 99 * 1024)]
    assert warps == [2, 1]


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
