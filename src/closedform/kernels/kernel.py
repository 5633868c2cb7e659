"""A program as a compiled function of arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy import ndarray
from numpy.typing import ArrayLike, DTypeLike

from ..arrays import Array
from ..errors import ArgumentError, shown
from ..guests import guest_of, let_be_traced
from ..lazy import cached_property
from ..programs import Counts, Program
from . import cache, machine, memory_layout, overlap
from .bound_call import bound_call
from .fast_call import FastCall
from .fastest_order import fastest_code, tuned
from .gufunc import gufunc
from .operand import whole_steps
from .patterns import Plan
from .recipe import ProductRecipe, Recipe
from .signature import Signature, named_outputs
from .tensor_call import tensor_batch, tensor_sample
from .threads import threaded
from .xla_handler import XlaHandler

new_tuple = tuple.__new__  # of any named tuple, without the checks of its own constructor


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
        inputs, outputs = recipe.inputs, recipe.outputs
        self.input_names = tuple(each for each, _ in inputs)
        self.input_shapes = [shape for _, shape in inputs]
        self.output_shapes = [shape for _, shape in outputs]
        self._count = len(inputs)
        several = len(outputs) > 1
        self.results = named_outputs(name, tuple(each for each, _ in outputs)) if several else None
        depth = min(map(len, self.output_shapes))
        # One array can then be a single sample of an input and many samples of an output, which NumPy does
        # not see; all other overlaps with inputs are NumPy's and the loop's business.
        self._deep = any(len(s) > depth for s in self.input_shapes)
        self.__doc__ = recipe.doc
        self.__name__ = name
        self._signature = Signature(name, self.input_names, self.input_shapes, self.output_shapes, self.dtype)
        code = self._object_code()
        self.code_size = len(code)
        self._machine = machine.Machine(code, "bound", "loop")
        self.ufunc = gufunc(
            name,
            recipe.doc,
            str(self._signature),
            self._machine.address("loop"),
            len(self.input_shapes),
            len(self.output_shapes),
            self.dtype,
            self._machine,
        )
        self._converting = partial(self.ufunc, dtype=self.dtype)
        self.bound_address = self._machine.address("bound")
        let_be_traced(self)

    @property
    def output_shape(self) -> tuple[int, ...]:
        """The core shape of the (first) output."""
        return self.output_shapes[0]

    @property
    def fast(self) -> Callable[..., Any]:
        """The kernel as a function: the same results, with single calls several times quicker."""
        if not memory_layout.trusted():
            return self
        plan = Plan(self, self.results)
        made: Callable[..., Any] = _FastKernel.of(plan)
        made.patterns.expect(plan)  # type: ignore[attr-defined]
        return made

    def _object_code(self) -> bytes:
        """Return the object code, from the cache if it was made before."""
        key = cache.key(*self.recipe.identity, self.dtype.name, machine.identity(), str(tuned()))
        code = cache.load(key)
        if code is None:
            real = "double" if self.dtype == np.float64 else "float"
            lanes = machine.register_bits() // (8 * self.dtype.itemsize)
            code = fastest_code(self.program, lanes, real)
            code = cache.save(key, code)
        return code

    @cached_property
    def program(self) -> Program:
        """The straight-line program behind the machine code."""
        return self.recipe.program()

    @property
    def counts(self) -> Counts:
        """Operations per evaluation."""
        return self.program.counts

    @cached_property
    def vjp(self) -> Kernel:
        """The vector-Jacobian product: from the inputs and a cotangent per output, a gradient per input.

        It is a kernel of its own, which has products again. Gradients are by the entries of each input, also
        by those of quaternions; they cost two to three times the program, however many inputs it has.

        >>> import closedform as cf
        >>> gravity = cf.load("pendulum").kernel("gravity_torque")
        >>> float(gravity.vjp([0.0], [1.0])[0]) == float(cf.load("pendulum").gravity_torque_dq([0.0])[0, 0])
        True
        """
        return Kernel(ProductRecipe(self.recipe, "vjp"), self.dtype)

    @cached_property
    def jvp(self) -> Kernel:
        """The Jacobian-vector product: from the inputs and a tangent per input, a tangent per output.

        >>> import closedform as cf
        >>> robot = cf.load("pendulum")
        >>> tau_dot = robot.kernel("gravity_torque").jvp([0.3], [2.0])
        >>> bool(abs(tau_dot - robot.gravity_torque_dot([0.3], [2.0])) < 1e-12)
        True
        """
        return Kernel(ProductRecipe(self.recipe, "jvp"), self.dtype)

    @cached_property
    def single(self) -> Kernel:
        """The same program in single precision."""
        return Kernel(self.recipe, np.float32)

    @cached_property
    def xla_handler(self) -> XlaHandler:
        """The machine code through which XLA, and so JAX, evaluates batches."""
        return XlaHandler(self._signature, self._machine.address("loop"), self._machine)

    def tensor_call(self, read: int, count: int | None = None) -> Callable[..., None] | None:
        """Return what evaluates tensors whose library has a DLPack function at an address; None if it cannot.

        It takes inputs and outputs in order, of a single sample or of `count` samples, all whole.
        """
        if count is None:
            return tensor_sample(self, read)
        steps = whole_steps([*self.input_shapes, *self.output_shapes], self.dtype.itemsize)
        return tensor_batch(self, read, count, self._machine.address("loop"), steps)

    @property
    def signature(self) -> str:
        """The core shapes, as NumPy writes them."""
        return str(self._signature)

    def __repr__(self) -> str:
        return f"<kernel {self.name} {self.signature} of {self.recipe.subject}, {self.dtype.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.recipe, self.dtype)

    def __call__(self, /, *args: ArrayLike, out: Any = None, threads: int = 1, **named: ArrayLike) -> Any:
        """Evaluate the program on arrays, in order or by name; `out` receives the result."""
        if named:
            args = self._signature.in_order(args, named)
        if len(args) != self._count:
            raise self._signature.wrong_count(args)
        for argument in args:
            if type(argument) is ndarray:
                continue
            guest = guest_of(argument)
            if guest is not None:
                return guest.call(self, args, out, threads)
            if isinstance(argument, ndarray):
                args = self._signature.plain(args)
                break
        try:
            if out is not None and (self.results or self._deep or not _plain(out)):
                outs = tuple(out) if isinstance(out, tuple) else (out,)
                if isinstance(out, tuple) or not self.results:
                    self._signature.check_outputs(outs)
                    out = outs if self.results else out  # NumPy takes no named tuple, as results are
                overlap.check_outputs(self.name, outs)
                if self._deep:
                    args = tuple(overlap.kept(args, outs))
            if isinstance(threads, int) and threads == 1:
                result = self._converting(*args) if out is None else self._converting(*args, out=out)
            else:
                result = threaded(self._signature, self._converting, args, out, threads)
        except (TypeError, ValueError, OverflowError, RuntimeError) as error:  # PyTorch's: a list of tensors
            raise self._signature.explained(args, out, error) from None
        except MemoryError as error:
            raise ArgumentError(
                f"{self.name}: the result does not fit in memory ({error}); split the batch, or give out="
            ) from None
        return result if self.results is None else new_tuple(self.results, result)

    def on_gpu(
        self,
        /,
        *args: ArrayLike,
        out: Any = None,
        device: int = 0,
        chunk: int | None = None,
        threads: int | None = None,
        progress: Callable[[float], Any] | None = None,
        **named: ArrayLike,
    ) -> Any:
        """Evaluate NumPy arrays on an NVIDIA GPU, also more of them than its memory holds.

        Arguments and results are those of a call, memory-mapped arrays too. Chunks of the batch are copied to
        the GPU, evaluated and copied back at the same time, by some `threads`; an input of one sample is
        copied once. `chunk` is the number of samples of each (some 32 MiB), `device` the number of the GPU.
        `progress` is called with the fraction done, by one thread at a time.

        For arrays that are on a GPU already, call the kernel: it evaluates them where they are.
        """
        from ..cuda.host_batch import evaluate_on_gpu  # noqa: PLC0415 (a later stage, where there is a GPU)

        if named:
            args = self._signature.in_order(args, named)
        if len(args) != self._count:
            raise self._signature.wrong_count(args)
        outs = evaluate_on_gpu(self, self._signature, args, out, device, chunk, threads, progress)
        return outs[0] if self.results is None else new_tuple(self.results, outs)

    def bind(self, *args: Array, out: Any) -> Callable[[], None]:
        """Return a function of no arguments that evaluates these very arrays into `out`.

        For control loops: write new values into the arrays, call, read `out`; nothing is
        allocated, checked or converted per call. The arrays must be C-contiguous and of the
        kernel's precision, of one sample or of a batch; `out` is a tuple of arrays for forms of several
        outputs. Tensors and CuPy arrays on a GPU are evaluated there, by one launch on the current stream.

        >>> import numpy as np, closedform as cf
        >>> q, tau = np.zeros((1000, 2)), np.empty((1000, 2))
        >>> step = cf.load("2r").kernel("gravity_torque").bind(q, out=tau)
        >>> q[:] = 0.5
        >>> step()
        """
        outs = out if isinstance(out, tuple) else (out,)
        if len(args) != self._count:
            raise self._signature.wrong_count(args)
        guest = next((found for each in (*args, *outs) if (found := guest_of(each)) is not None), None)
        if guest is not None:
            return guest.bind(self, args, out)
        return bound_call(self, self._signature, args, outs)  # type: ignore[no-any-return]


class _FastKernel(FastCall):
    """A kernel that is called in place; it converts other arrays as the kernel does."""

    __slots__ = ()

    def resolve(self, /, *args: Any, **named: Any) -> Any:
        """Evaluate the kernel."""
        plan = self.subject
        result = plan.kernel(*args, **named)
        if self.patterns is not None:
            self.patterns.learn(plan, args, named, plan.kernel.input_names[: len(args)])
        return result

    def __repr__(self) -> str:
        return f"<fast {repr(self.subject.kernel)[1:]}"

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self.subject.kernel, "fast")


def _plain(out: Any) -> bool:
    """Whether an output is one contiguous array of floats, whose entries have memory of their own."""
    return type(out) is ndarray and out.dtype.kind == "f" and out.flags.c_contiguous


def precision(name: str, dtype: DTypeLike) -> np.dtype[Any]:
    """Return float64 or float32 in the machine's byte order."""
    try:
        given = np.dtype(dtype)
    except (TypeError, ValueError, RecursionError):
        given = None
    if given is None or given not in (np.dtype(np.float64), np.dtype(np.float32)):
        raise ArgumentError(f"kernel {name!r}: dtype {shown(dtype)} is not float64 or float32")
    return np.dtype(given.type)  # the one of NumPy itself, without metadata
