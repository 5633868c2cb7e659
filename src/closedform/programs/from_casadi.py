"""From CasADi expressions to a program."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from .building import BUILDING
from .program import Operation, Program, needed
from .size import MAX_OPERATIONS, too_large
from .values import Values

Shaped = tuple[str, tuple[int, ...], ca.SX]
"""Name, core shape and expression (or symbol) of an array."""


def program(name: str, inputs: Sequence[Shaped], outputs: Sequence[Shaped]) -> Program:
    """Return the program of CasADi expressions; matrices are flattened row by row."""
    values = Values()
    with BUILDING:
        function = ca.Function(
            "f",
            [ca.vec(symbol.T) for _, _, symbol in inputs],
            [ca.densify(ca.vec(e.T)) for _, _, e in outputs],
        )
        if function.n_instructions() > MAX_OPERATIONS:
            raise too_large(name, f"{function.n_instructions()} operations", MAX_OPERATIONS)
        results = _run(function, values)
    given, made = (tuple((label, shape) for label, shape, _ in each) for each in (inputs, outputs))
    return _pruned(name, given, made, values.operations, results)


def core_shape(symbol: ca.SX) -> tuple[int, ...]:
    """Return the shape of an expression as an array: a column is a vector, of one entry too."""
    return (symbol.size1(),) if symbol.size2() == 1 else (symbol.size1(), symbol.size2())


def _run(function: ca.Function, values: Values) -> list[list[int]]:
    """Replay CasADi's instructions into numbered values; return those of the outputs."""
    starts = [0]
    for k in range(function.n_in()):
        starts.append(starts[-1] + function.nnz_in(k))
    results = [[0] * function.nnz_out(k) for k in range(function.n_out())]
    work: dict[int, int] = {}
    for k in range(function.n_instructions()):
        op, args, outs = (
            function.instruction_id(k),
            function.instruction_input(k),
            function.instruction_output(k),
        )
        if op == ca.OP_OUTPUT:
            results[outs[0]][outs[1]] = work[args[0]]
        elif op == ca.OP_INPUT:
            work[outs[0]] = values.input(starts[args[0]] + args[1])
        elif op == ca.OP_CONST:
            work[outs[0]] = values.constant(function.instruction_constant(k))
        else:
            work[outs[0]] = values.apply(op, [work[a] for a in args])
    return results


def _pruned(
    name: str,
    inputs: tuple[tuple[str, tuple[int, ...]], ...],
    outputs: tuple[tuple[str, tuple[int, ...]], ...],
    operations: list[Operation],
    results: list[list[int]],
) -> Program:
    """Return the program without values that no output needs."""
    used = needed(operations, results)
    renumber: dict[int, int] = {}
    kept: list[Operation] = []
    for old, (op, operands, number) in enumerate(operations):
        if old in used:
            renumber[old] = len(kept)
            kept.append((op, tuple(renumber[x] for x in operands), number))
    return Program(
        name, inputs, outputs, tuple(kept), tuple(tuple(renumber[v] for v in row) for row in results)
    )
