"""CUDA: a device function for one sample, and a kernel with one thread per sample."""

from __future__ import annotations

from .c_family import CFamily, block_comment, entry_text, listed
from .source import Source

NOTES = (
    "Structures of arrays: entry k (row-major) of a sample is k * stride after its entry 0. With "
    "stride = 1 the device function takes contiguous arrays. In the batch kernel entry k of sample i "
    "is array[k * stride + i], stride >= count, so that neighbouring threads read neighbouring "
    "numbers; any grid covers any count. Outputs overlap neither inputs nor each other.",
)


def write_cuda(source: Source) -> dict[str, str]:
    """Return the one file of a form, which nvcc and NVRTC compile as it is."""
    family = _Device(source)
    names = ", ".join(array.name for array in (*source.inputs, *source.outputs))
    launch = f"{source.function}_batch<<<blocks, threads>>>(count, stride, {names});"
    notes = (*NOTES, f"Launch: {launch}")
    lines = [
        *block_comment([source.function, "", source.claim, *source.documentation(entry_text, notes)]),
        "",
        *family.definition(),
        "",
        *_batch(family),
        "",
    ]
    return {".cu": "\n".join(lines)}


class _Device(CFamily):
    """The function for one sample, whose entries are a stride apart."""

    single = 5000  # the workspace that parts share is in slow local memory
    void = "static __device__ __forceinline__ void"
    part_void = "static __device__ __noinline__ void"
    trailing = (("long long", "stride"),)

    def entry(self, array: str, position: int | str) -> str:
        """Return an entry; each is a stride after the one before."""
        return f"{array}[{position} * stride]" if position else f"{array}[0]"

    def parameter(self, name: str, size: int, *, const: bool) -> str:
        """Return the declaration of an array that overlaps no other."""
        return f"{'const ' if const else ''}{self.source.real} *__restrict__ {name}"

    def sines_and_cosines(self) -> list[str]:
        """Return one call of CUDA's sincos per angle."""
        real, size = self.source.real, len(self.stream.angles)
        function = "sincosf" if real == "float" else "sincos"
        return [
            f"{real} s[{size}], c[{size}];",
            *(
                f"{function}({self.dialect.write(angle)}, &s[{k}], &c[{k}]);"
                for k, angle in enumerate(self.stream.angles)
            ),
        ]


def _batch(family: _Device) -> list[str]:
    source = family.source
    parameters = [
        "long long count",
        "long long stride",
        *(family.parameter(array.name, array.size, const=True) for array in source.inputs),
        *(family.parameter(array.name, array.size, const=False) for array in source.outputs),
    ]
    samples = ", ".join(f"{array.name} + i" for array in (*source.inputs, *source.outputs))
    return [
        listed(f'extern "C" __global__ void {source.function}_batch(', parameters, ")"),
        "{",
        "    const long long step = (long long)gridDim.x * blockDim.x;",
        "    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {",
        f"        {source.function}({samples}, stride);",
        "    }",
        "}",
    ]
