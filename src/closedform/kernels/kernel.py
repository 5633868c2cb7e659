"""A program as a compiled function of arrays."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache as cache_function
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ..checks import whole_number
from ..errors import ArgumentError, shown
from ..lazy import cached_property
from ..programs import Counts, Program
from . import cache, fastcall, machine, overlap
from .fastest_order import fastest_code
from .gufunc import gufunc
from .outputs import named_outputs
from .recipe import Recipe
from .threads import run_parts

Array = NDArray[Any]


PARTS, PART = 8, 4096
"""Parts of a batch per thread at most, and samples per part at least."""


class Kernel:
    """A compiled program: call it with arrays of any leading batch shape.

    The arguments' last axes have the shapes `input_shapes`; everything before broadcasts.
    Inputs are converted to the kernel's precision (double by default). The call runs without
    the GIL; `threads` splits a large batch over that many. Programs of several outputs return a
    named tuple; they take a tuple of arrays as `out`, and return these arrays. An output may overlap
    inputs in any way: the result is that of copies. Outputs that overlap each other are refused.

    A `Recipe` says where the program comes from: a form of a robot, or expressions.
    """

    def __init__(self, recipe: Recipe, dtype: DTypeLike = np.float64) -> None:
        if not hasattr(type(recipe), "identity"):
            raise ArgumentError(
                f"Kernel: recipe is {shown(recipe)}; expected a recipe, as Robot.kernel makes it"
            )
        self.recipe = recipe
        self.name = name = recipe.name
        self.dtype = precision(name, dtype)
        self.input_names = tuple(each for each, _ in recipe.inputs)
        self.input_shapes = [shape for _, shape in recipe.inputs]
        self.output_shapes = [shape for _, shape in recipe.outputs]
        depth = min(map(len, self.output_shapes))
        self._several = len(self.output_shapes) > 1
        self._outputs = named_outputs(name, tuple(each for each, _ in recipe.outputs))
        # One array can then be a single sample of an input and many samples of an output, which NumPy does
        # not see; all other overlaps with inputs are NumPy's and the loop's business.
        self._deep = any(len(s) > depth for s in self.input_shapes)
        self.__doc__ = recipe.doc
        self.__name__ = name
        self._machine = machine.Machine(self._object_code())
        inner, outer = (",".join(map(_core, shapes)) for shapes in (self.input_shapes, self.output_shapes))
        self.ufunc = gufunc(
            name,
            recipe.doc,
            f"{inner}->{outer}",
            self._machine.address("loop"),
            len(self.input_shapes),
            len(self.output_shapes),
            self.dtype,
            self._machine,
        )
        self._fast = fastcall.definition("fast", recipe.doc, self._machine.address("fast"))
        self._bound = fastcall.definition(
            f"bound {name}",
            "Evaluate the bound arrays.",
            self._machine.address("bound_call"),
            arguments=False,
        )
        if fastcall.available():
            fastcall.fill(self._machine.address("api"), self.dtype)

    @property
    def output_shape(self) -> tuple[int, ...]:
        """The core shape of the (first) output."""
        return self.output_shapes[0]

    @property
    def fast(self) -> Callable[..., Any]:
        """The kernel as a built-in function: the same results, with single calls several times quicker."""
        if self.output_shapes == [()] or len(self.output_shapes) > 1 or not fastcall.available():
            return self
        return fastcall.builtin(self._fast, self)  # type: ignore[no-any-return]

    def _object_code(self) -> bytes:
        """Return the object code, from the cache where it was made before."""
        key = cache.key(*self.recipe.identity, self.dtype.name, machine.identity())
        code = cache.load(key)
        if code is None:
            real = "double" if self.dtype == np.float64 else "float"
            lanes = machine.register_bits() // (8 * self.dtype.itemsize)
            code = fastest_code(self.program, lanes, real)
            cache.save(key, code)
        return code

    @cached_property
    def program(self) -> Program:
        """The straight-line program behind the machine code."""
        return self.recipe.program()

    @property
    def counts(self) -> Counts:
        """Operations per evaluation."""
        return self.program.counts

    @property
    def signature(self) -> str:
        """The core shapes, as NumPy writes them."""
        return str(self.ufunc.signature)

    def __repr__(self) -> str:
        return f"<kernel {self.name} {self.signature} of {self.recipe.subject}, {self.dtype.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.recipe, self.dtype)

    def __call__(self, *args: ArrayLike, out: Any = None, threads: int = 1, **named: ArrayLike) -> Any:
        """Evaluate the program on arrays, in order or by name; `out` receives the result."""
        if named:
            args = arguments(self.name, self.input_names, args, named)
        if len(args) != len(self.input_shapes):
            raise self._wrong_count(args)
        for argument in args:
            if type(argument) is not np.ndarray and hasattr(argument, "__dask_graph__"):
                lazy = self._dask(args, out)
                return self._outputs._make(lazy) if self._several else lazy
        try:
            if out is not None and (self._several or self._deep or not _plain(out)):
                outs = out if isinstance(out, tuple) else (out,)
                overlap.check_outputs(self.name, outs)
                if self._deep:
                    args = tuple(overlap.kept(args, outs))
            if isinstance(threads, int) and threads == 1:
                result = self._evaluate(args, out)
            else:
                result = self._threaded(args, out, threads)
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise self._explained(args, out, error) from None
        except MemoryError as error:
            raise ArgumentError(
                f"{self.name}: the result does not fit in memory ({error}); split the batch, or give out="
            ) from None
        return self._outputs._make(result) if self._several else result

    def bind(self, *args: Array, out: Any) -> Callable[[], None]:
        """Return a function of no arguments that evaluates these very arrays into `out`.

        For control loops: write new values into the arrays, call, read `out`; nothing is
        allocated, checked or converted per call. The arrays must be C-contiguous, of the
        kernel's precision and of exactly the core shapes; `out` is a tuple of arrays for forms
        of several outputs.
        """
        outs = out if isinstance(out, tuple) else (out,)
        if len(args) != len(self.input_shapes):
            raise self._wrong_count(args)
        if len(outs) != len(self.output_shapes):
            expected = f"{len(self.output_shapes)} array(s)"
            raise ArgumentError(f"bind {self.name}: out should be {expected}; {len(outs)} given")
        operands = [*args, *outs]
        names = [*self.input_names, *(["out"] * len(outs))]
        shapes = [*self.input_shapes, *self.output_shapes]
        for name, operand, shape in zip(names, operands, shapes, strict=True):
            if not isinstance(operand, np.ndarray) or operand.dtype != self.dtype or operand.shape != shape:
                given = _described(operand)
                raise ArgumentError(f"bind {self.name}: {name} is {given}; expected {self.dtype} {shape}")
            if not operand.flags.c_contiguous or not operand.flags.aligned:
                raise ArgumentError(f"bind {self.name}: {name} must be C-contiguous and aligned")
        for k, written in enumerate(outs):
            if not written.flags.writeable:
                raise ArgumentError(f"bind {self.name}: out is read-only")
            others = [*args, *outs[:k]]
            if any(np.may_share_memory(written, other) for other in others):
                raise ArgumentError(
                    f"bind {self.name}: out overlaps another array; give it memory of its own"
                )
        pointers = _pointers(len(operands))(*(operand.ctypes.data for operand in operands))
        pointers.alive = (self, operands)
        if fastcall.available():
            return fastcall.builtin(self._bound, pointers)  # type: ignore[no-any-return]
        return partial(ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(self._machine.address("bound")), pointers)

    def _evaluate(self, args: Sequence[ArrayLike], out: Any) -> Any:
        """Call the gufunc, converting the arguments to the kernel's precision."""
        if out is None:
            return self.ufunc(*args, dtype=self.dtype)
        return self.ufunc(*args, out=out, dtype=self.dtype)

    def _threaded(self, args: tuple[ArrayLike, ...], out: Any, threads: int) -> Any:
        """Split the first batch axis over threads, each writing its part of the outputs."""
        threads = min(whole_number(f"{self.name}: threads", threads, 1), 4 * (os.cpu_count() or 1))
        arrays = [np.asarray(argument) for argument in args]
        for array, shape in zip(arrays, self.input_shapes, strict=True):
            if array.shape[max(0, array.ndim - len(shape)) :] != shape:
                raise ValueError("core shape")  # explained by the caller
        batches = [
            array.shape[: array.ndim - len(shape)]
            for array, shape in zip(arrays, self.input_shapes, strict=True)
        ]
        batch = np.broadcast_shapes(*batches)
        whole = [batch + shape for shape in self.output_shapes]
        outs = out if isinstance(out, tuple) else (out,) * (out is not None)
        fits = all(getattr(each, "shape", None) == shape for each, shape in zip(outs, whole, strict=False))
        if not batch or batch[0] < 2 or not fits:
            return self._evaluate(arrays, out)
        arrays = [np.asarray(each) for each in overlap.kept(arrays, outs)]
        outs = outs or tuple(np.empty(shape, self.dtype) for shape in whole)
        views = [
            np.broadcast_to(array, batch + shape)
            for array, shape in zip(arrays, self.input_shapes, strict=True)
        ]
        count = max(threads, min(PARTS * threads, batch[0] // PART))  # small parts even out busy cores
        edges = np.linspace(0, batch[0], min(count, batch[0]) + 1).astype(int)

        def run(k: int) -> None:
            part = slice(edges[k], edges[k + 1])
            self._evaluate([view[part] for view in views], tuple(each[part] for each in outs))

        run_parts(run, len(edges) - 1, threads)
        return outs[0] if len(outs) == 1 else outs

    def _dask(self, args: tuple[Any, ...], out: Any) -> Any:
        """Return lazy dask arrays; workers compile the kernel for themselves."""
        import dask.array as da  # noqa: PLC0415 (an extra, needed only here)

        if out is not None:
            raise ArgumentError(f"{self.name}: out= does not go with dask arrays; assign the result")
        letters = iter("abcdefghijklmnopqrstuvwxyz")
        cores = [[next(letters) for _ in shape] for shape in self.input_shapes]
        results = [[next(letters) for _ in shape] for shape in self.output_shapes]
        inner, outer = (",".join(f"({','.join(c)})" for c in group) for group in (cores, results))
        sizes = {
            letter: size
            for core, shape in zip(results, self.output_shapes, strict=True)
            for letter, size in zip(core, shape, strict=True)
        }
        dtypes = self.dtype if len(results) == 1 else [self.dtype] * len(results)
        return da.apply_gufunc(  # type: ignore[no-untyped-call]
            self, f"{inner}->{outer}", *args, output_dtypes=dtypes, output_sizes=sizes, allow_rechunk=True
        )

    def _wrong_count(self, args: Sequence[Any]) -> ArgumentError:
        expected = ", ".join(self.input_names)
        count = len(self.input_names)
        return ArgumentError(f"{self.name} takes {count} array(s) ({expected}); {len(args)} given")

    def _explained(self, args: tuple[ArrayLike, ...], out: Any, error: Exception) -> Exception:
        """Return the error of a failed call in the words of the arguments."""
        if isinstance(error, ArgumentError):
            return error
        for name, argument, shape in zip(self.input_names, args, self.input_shapes, strict=True):
            try:
                array = np.asarray(argument)
            except (ValueError, TypeError, OverflowError, RecursionError):
                return ArgumentError(
                    f"{self.name}: {name} is ragged or no array at all; expected (..., {_inner(shape)})"
                )
            if not np.can_cast(array.dtype, self.dtype, "same_kind") or array.dtype.kind not in "fiub":
                return ArgumentError(
                    f"{self.name}: {name} has dtype {array.dtype}; expected reals up to {self.dtype}"
                )
            if array.shape[max(0, array.ndim - len(shape)) :] != shape:
                return ArgumentError(
                    f"{self.name}: {name} has shape {array.shape}; expected (..., {_inner(shape)})"
                )
        detail = "" if out is None else f"; out is {_described(out)}"
        shapes = ", ".join(f"{n} {np.shape(a)}" for n, a in zip(self.input_names, args, strict=True))
        return ArgumentError(f"{self.name}: {error} (given {shapes}{detail})")


def arguments(
    name: str, inputs: Sequence[str], args: Sequence[ArrayLike], named: Mapping[str, ArrayLike]
) -> tuple[ArrayLike, ...]:
    """Return the arrays of a call in the order of the inputs, those given by name after the others."""
    left = inputs[len(args) :]
    if set(left) != set(named):
        given = ", ".join(map(shown, named))
        raise ArgumentError(
            f"{name} takes {', '.join(inputs)}; {len(args)} given in order, and {given} by name"
        )
    return (*args, *(named[each] for each in left))


def _plain(out: Any) -> bool:
    """Whether an output is one contiguous array, whose entries have memory each."""
    return type(out) is np.ndarray and out.flags.c_contiguous


def _described(out: Any) -> str:
    if isinstance(out, np.ndarray):
        return f"of shape {out.shape} and dtype {out.dtype}"
    return shown(out)


@cache_function
def _pointers(count: int) -> Any:
    """Return the type of an array of addresses whose instances can hold what keeps them valid."""
    return type("Pointers", (ctypes.c_void_p * count,), {})


def precision(name: str, dtype: DTypeLike) -> np.dtype[Any]:
    """Return float64 or float32 in the machine's byte order."""
    try:
        given = np.dtype(dtype)
    except (TypeError, ValueError, RecursionError):
        given = None
    if given is None or given not in (np.dtype(np.float64), np.dtype(np.float32)):
        raise ArgumentError(f"kernel {name!r}: dtype {shown(dtype)} is not float64 or float32")
    return given


def _core(shape: tuple[int, ...]) -> str:
    return "(" + ",".join(map(str, shape)) + ")"


def _inner(shape: tuple[int, ...]) -> str:
    return ", ".join(map(str, shape)) if shape else "no core axis"
