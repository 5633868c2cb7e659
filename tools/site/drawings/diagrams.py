"""Diagrams of boxes and arrows; what is counted in them is counted when they are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import closedform as cf
from closedform.emit.export import LANGUAGES

from ..canvas import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, QUIET, TEAL, Canvas

APPLICATIONS = (
    "trajectory, integration, control, simulation; "
    "identification | flexible | redundancy | elastic; inverse kinematics"
)
Place = tuple[float, float, float, float]


def _boxes(canvas: Canvas, boxes: Mapping[str, tuple[Place, Sequence[str], str]], arrows: str) -> None:
    """Draw boxes by name, and arrows such as "a>b c>d" downwards or to the right."""
    for pair in arrows.split():
        one, other = pair.split(">")
        (x, y, width, height), (u, v, wide, high) = boxes[one][0], boxes[other][0]
        if v >= y + height:
            canvas.arrow((x + width / 2, y + height), (u + wide / 2, v))
        else:
            canvas.arrow((x + width, y + height / 2), (u, v + high / 2))
    for place, words, colour in boxes.values():
        canvas.box(*place, words, colour)


def flow() -> str:
    """Draw the rooms of the library: each imports only what stands above it."""
    canvas = Canvas(760, 560, "The rooms of the library, from descriptions to the command line")
    boxes = {
        "description": ((30, 20, 330, 48), ["description", "URDF, MJCF, TOML, MDH, screws: checked"], GREY),
        "model": ((400, 20, 330, 48), ["model", "an immutable tree of bodies with numbers"], GREY),
        "forms": ((400, 98, 330, 48), ["forms", "builders write CasADi expressions, once each"], BLUE),
        "programs": ((400, 176, 330, 48), ["programs", "flat lists of scalar operations"], BLUE),
        "emit": ((30, 254, 160, 48), ["emit", "C, CUDA, MATLAB ..."], TEAL),
        "equations": ((210, 254, 160, 48), ["equations", "SymPy, LaTeX"], TEAL),
        "guests": ((390, 254, 160, 48), ["guests", "torch, JAX, dask ..."], TEAL),
        "kernels": ((570, 254, 160, 48), ["kernels, cuda", "LLVM, gufuncs, GPUs"], TEAL),
        "owner": ((210, 332, 340, 48), ["owner, Robot", "a method per form, kernel, export"], BLUE),
        "apps": ((30, 410, 700, 48), ["applications", APPLICATIONS], ORANGE),
        "pages": ((30, 488, 330, 48), ["report, papers", "facts, figures, pages"], PURPLE),
        "cli": ((400, 488, 330, 48), ["cli", "one module per verb"], PURPLE),
    }  # fmt: skip
    _boxes(
        canvas, boxes,
        "description>model model>forms forms>programs programs>emit programs>equations programs>guests "
        "programs>kernels guests>kernels emit>owner equations>owner guests>owner kernels>owner owner>apps "
        "apps>pages pages>cli",
    )  # fmt: skip
    return canvas.svg()


def form_to_number() -> str:
    """Draw how a form becomes machine code, with the counts of one robot."""
    kernel = cf.load("panda").kernel("inverse_dynamics")
    counts = kernel.counts
    canvas = Canvas(760, 200, "From a form to a number: expression, program, machine code, gufunc")
    steps = (
        ("form", ["one function,", "as the paper reads"], BLUE),
        ("program", [f"{counts.total} operations", "of a Panda's torques"], BLUE),
        ("machine code", ["several samples", "in one register"], TEAL),
        ("gufunc", ["any batch,", "no GIL"], TEAL),
        ("array", ["of the kind", "that was given"], GREEN),
    )
    boxes = {
        title: ((14 + 150 * k, 30, 128, 76), [title, *words], colour)
        for k, (title, words, colour) in enumerate(steps)
    }
    boxes["cache"] = ((314, 142, 128, 42), ["cache", "on disk"], GREY)
    titles = [title for title, _, _ in steps]
    for one, other in pairwise(titles):
        (x, y, width, height), (u, *_) = boxes[one][0], boxes[other][0]
        canvas.arrow((x + width, y + height / 2), (u, y + height / 2))
    canvas.arrow((378, 106), (378, 142))
    for place, words, colour in boxes.values():
        canvas.box(*place, words, colour)
    canvas.text(470, 168, "machine code is kept between runs", QUIET, font_size=12)
    return canvas.svg()


def languages() -> str:
    """Draw one program, printed in every language."""
    counts = cf.load("panda").kernel("inverse_dynamics").counts
    canvas = Canvas(720, 260, "One program printed as source code of several languages")
    canvas.box(20, 96, 180, 66, ["inverse dynamics", "of a Panda", f"{counts.total} operations"], BLUE)
    canvas.box(270, 96, 150, 66, ["stream", "statements of", "no language"], BLUE)
    canvas.arrow((200, 129), (270, 129))
    for k, name in enumerate(LANGUAGES):
        y = 16 + 240 / len(LANGUAGES) * k
        canvas.arrow((420, 129), (520, y + 14))
        canvas.box(520, y, 170, 28, [name], TEAL)
    return canvas.svg()


def source_code() -> str:
    """Draw the objects that lead from a program to files."""
    canvas = Canvas(760, 330, "From a program to source code: subject, source, stream, text, files")
    steps = (
        (
            ["Subject", "what is computed, and of whom"],
            "+ Program, reserved words, precision (emit/source.py)",
        ),
        (
            ["Source", "one function: name, arrays with units"],
            "values used once move into expressions (emit/stream.py)",
        ),
        (
            ["Stream", "statements of no language"],
            "how a language writes numbers and entries (emit/dialect.py)",
        ),
        (["text", "C, C++, CUDA, MATLAB, NumPy"], "all of them or none (files.py)"),
        (["files", ""], ""),
    )
    for k, (words, step) in enumerate(steps):
        y = 10 + 64 * k
        canvas.box(20, y, 290, 42, [word for word in words if word], TEAL if k > 2 else BLUE)
        if step:
            canvas.arrow((165, y + 42), (165, y + 64))
            canvas.text(340, y + 57, step, QUIET, font_size=12)
    return canvas.svg()


def cluster() -> str:
    """Draw a lazy array in chunks, computed by workers, reduced to a few numbers."""
    canvas = Canvas(720, 240, "Chunks of a dask array go to workers, and a small result comes back")
    for k in range(6):
        y = 26 + 32 * k
        canvas.rectangle(40, y, 110, 28, BLUE, rx=4, opacity=f"{0.35 + 0.1 * k:.2f}")
        canvas.arrow((150, y + 14), (290, 58 + 62 * (k // 2)))
    for k in range(3):
        canvas.box(290, 34 + 62 * k, 150, 48, [f"worker {k + 1}", "the same kernel"], TEAL)
        canvas.arrow((440, 58 + 62 * k), (560, 120))
    canvas.box(560, 94, 130, 52, ["result", "a few numbers"], GREEN)
    canvas.text(95, 234, "chunks of q, qd, qdd", QUIET, "middle", font_size=12)
    return canvas.svg()


def pages() -> str:
    """Draw a subject, its facts, and the page."""
    canvas = Canvas(720, 250, "A subject becomes a study of facts, then a page of sections")
    for k, words in enumerate(
        (["robot, arm,", "log, path"], ["study", "computed once"], ["facts", "frozen dataclasses"])
    ):
        canvas.box(16 + 168 * k, 92, 132, 64, words, BLUE if k else GREY)
        canvas.arrow((148 + 168 * k, 124), (184 + 168 * k, 124))
    canvas.rectangle(520, 16, 184, 218, "var(--paper)", stroke=ORANGE, stroke_width=1.5, rx=6)
    canvas.text(612, 40, "page", INK, "middle", font_weight=600)
    for k, words in enumerate(
        ("summary", "motion in 3D", "torques and energy", "M, C, g", "base parameters", "speed")
    ):
        canvas.rectangle(536, 54 + 29 * k, 152, 23, "var(--line)", rx=3)
        canvas.text(546, 70 + 29 * k, words, INK, font_size=12)
    return canvas.svg()
