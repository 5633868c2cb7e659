"""LLVM's NVPTX against NVIDIA's NVRTC: the two ways from a program to code of a GPU.

Both kernels are structures of arrays with one thread per sample. The LLVM text is that of the CPU's kernels
for one sample, with entries a stride apart; in single precision it computes sines in double, as there.
"""

from __future__ import annotations

import re
import time
from typing import Any

import llvmlite.binding as llvm

import closedform as cf
from closedform.kernels.body import body
from closedform.programs import Program

from . import clock
from .job import ARM, FORMS, Job, error, inputs_of, moved, reference
from .measuring import guarded
from .rows import OURS, Row, Sink

NAME = "evaluate"
TRIPLE = "nvptx64-nvidia-cuda"
SPECIAL = "llvm.nvvm.read.ptx.sreg"


def run(job: Job, sink: Sink) -> None:
    """Measure compilation and calls of both ways."""
    robot = job.load(ARM)
    for short in ("ID", "dID"):
        with guarded(f"{ARM} {short}, NVPTX"):
            _one(job, sink, robot, short)


def kernel_text(program: Program, real: str) -> str:
    """Return LLVM text of `evaluate(count, stride, inputs, outputs)` for one thread per sample."""
    written = body(program, NAME, 1, real)
    if written.workspace or "@llvm.memset" in written.text:
        raise ValueError("the program is cut into functions or clears memory")
    numbers = range(len(program.inputs) + len(program.outputs))
    _, _, instructions = written.text.partition("{\n")
    found = iter(range(len(instructions)))

    def strided(match: re.Match[str]) -> str:
        name, operand, entry = match.groups()
        step = f"%e{next(found)}"
        return (
            f"  {step} = mul i64 %stride, {entry}\n"
            f"  {name} = getelementptr {real}, ptr addrspace(1) %p{operand}, i64 {step}"
        )

    pattern = rf"  (%v\d+) = getelementptr {real}, ptr %p(\d+), i64 (\d+)"
    instructions = re.sub(pattern, strided, instructions)
    instructions = re.sub(rf"(load {real}|store {real} \S+), ptr ", r"\1, ptr addrspace(1) ", instructions)
    instructions = instructions.replace("  ret void\n}", "  br label %done\ndone:\n  ret void\n}")
    arguments = ", ".join(f"ptr addrspace(1) noalias %a{k}" for k in numbers)
    sizes = [f"declare i32 @{SPECIAL}.{each}.x()" for each in ("tid", "ctaid", "ntid")]
    kinds = sorted(set(re.findall(r"call (\w+) @(llvm\.[\w.]+)\(([^)]*)\)", instructions)))
    functions = {name: f"declare {kind} @{name}({_types(given)})" for kind, name, given in kinds}
    return "\n".join(
        [
            *sizes,
            *functions.values(),
            f"define ptx_kernel void @{NAME}(i64 %count, i64 %stride, {arguments}) {{",
            f"  %thread = call i32 @{SPECIAL}.tid.x()",
            f"  %block = call i32 @{SPECIAL}.ctaid.x()",
            f"  %threads = call i32 @{SPECIAL}.ntid.x()",
            "  %t = zext i32 %thread to i64",
            "  %b = zext i32 %block to i64",
            "  %n = zext i32 %threads to i64",
            "  %before = mul i64 %b, %n",
            "  %i = add i64 %before, %t",
            "  %inside = icmp ult i64 %i, %count",
            "  br i1 %inside, label %sample, label %done",
            "sample:",
            *(f"  %p{k} = getelementptr {real}, ptr addrspace(1) %a{k}, i64 %i" for k in numbers),
            instructions,
        ]
    )


def _types(arguments: str) -> str:
    return ", ".join(each.split()[0] for each in arguments.split(", "))


def ptx(text: str, kind: str) -> str:
    """Return the PTX of LLVM text for a kind of GPU such as sm_90."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(TRIPLE).create_target_machine(cpu=kind, opt=3)
    module = llvm.parse_assembly(text)
    module.triple = TRIPLE
    module.data_layout = str(target.target_data)
    module.verify()
    return str(target.emit_assembly(module))


def _one(job: Job, sink: Sink, robot: cf.Robot, short: str) -> None:
    import torch  # noqa: PLC0415 (the text is also tested where there is no PyTorch)

    from closedform.cuda.device import architecture  # noqa: PLC0415

    from .arrays_part import exported, outputs, start  # noqa: PLC0415
    from .job import DEVICE  # noqa: PLC0415
    from .launching import Loaded  # noqa: PLC0415
    from .torch_part import back, random_states  # noqa: PLC0415

    program = robot.program(FORMS[short])
    torch.zeros(1, device=DEVICE)
    begin = time.perf_counter()
    text = ptx(kernel_text(program, "float"), architecture(0))
    middle = time.perf_counter()
    ways: dict[str, Any] = {"nvptx": Loaded(text.encode() + b"\0", NAME)}
    end = time.perf_counter()
    ways["nvrtc"], compiling = exported(robot, short)
    notes = {
        "nvptx": f"LLVM {middle - begin:.2f} s, driver {end - middle:.2f} s",
        "nvrtc": f"NVRTC {compiling:.2f} s",
    }
    states, expected = reference(job, ARM, short)
    given = [torch.tensor(each.T.copy(), dtype=torch.float32, device=DEVICE) for each in states]
    for way, kernel in ways.items():
        made = outputs(robot.nv, short, len(states[0]))
        start(kernel, len(states[0]), given, made)
        torch.cuda.synchronize()
        shaped = zip(back(made), expected, strict=True)
        off = error([each.T.reshape(other.shape) for each, other in shaped], expected)
        spent = end - begin if way == "nvptx" else compiling
        sink.add(Row(ARM, short, "float32", 1, OURS, way, "compile", spent, note=notes[way]))
        for count in (1024, 2**20):
            arrays = random_states(robot.nv, inputs_of(FORMS[short]), count, "float32")
            turned, targets = [each.T.contiguous() for each in arrays], outputs(robot.nv, short, count)

            def call(count: int = count, kernel: Any = kernel, x: Any = turned, y: Any = targets) -> None:
                start(kernel, count, x, y)

            size = moved(robot.nv, short, count, "float32")
            sink.add(Row(ARM, short, "float32", count, OURS, way, "graph", clock.in_graph(call), size, off))
