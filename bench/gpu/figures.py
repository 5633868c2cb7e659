"""The figures that the library promises on a GPU, and whether a run reached them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .job import ARM, FORMS
from .rows import OURS, Row, found, roof, share

GRAPH_RATIOS = {"ID": (5.0, 2.5), "dID": (4.0, 2.0), "M": (3.0, 2.0)}
"""Times that a form in a graph is to be faster than GRiD's, for the arm and for the humanoid, N = 1024."""


@dataclass(frozen=True)
class Figure:
    """A promise: what, the value found (None if not measured), its bound, and the unit."""

    what: str
    value: float | None
    bound: float
    unit: str
    least: bool = False

    @property
    def verdict(self) -> str:
        """Return met, missed or not measured."""
        if self.value is None:
            return "not measured"
        return "met" if (self.value >= self.bound if self.least else self.value <= self.bound) else "missed"

    def __str__(self) -> str:
        value = "-" if self.value is None else number(self.value)
        sense = "at least" if self.least else "at most"
        return f"{self.what:58s} {value:>8s} {self.unit:7s} ({sense} {number(self.bound)})  {self.verdict}"


def number(value: float) -> str:
    """Return a number of three digits."""
    return f"{value:.1e}" if value >= 1e5 else f"{value:.3g}"


def ratio(over: Row | None, under: Row | None) -> float | None:
    """Return the ratio of two times, if both were measured."""
    return over.seconds / under.seconds if over and under else None


def micro(row: Row | None, factor: float = 1e6) -> float | None:
    """Return the microseconds of a row."""
    return row.seconds * factor if row else None


def figures(rows: Sequence[Row], robots: Sequence[str]) -> Iterator[Figure]:
    """Yield every promise; the first robot is the arm, the second the humanoid."""

    def ours(robot: str, form: str, count: int, how: str, arrays: str = "torch", dtype: str = "float32"):
        wanted = {"robot": robot, "form": form, "count": count, "how": how, "arrays": arrays, "dtype": dtype}
        return found(rows, library=OURS, **wanted)

    humanoid = robots[1] if len(robots) > 1 else "humanoid"
    for k, robot in enumerate((ARM, humanoid)):
        for form, bounds in GRAPH_RATIOS.items():
            peer = found(rows, robot=robot, form=form, count=1024, how="graph", library="grid-rbd")
            value = ratio(peer, ours(robot, form, 1024, "graph"))
            what = f"{robot} {form}, N = 1024, in a graph, against GRiD"
            yield Figure(what, value, bounds[k], "times", least=True)
    for form in FORMS:
        what = f"{ARM} {form}, N = 1024, eager call"
        yield Figure(f"{what} with PyTorch", micro(ours(ARM, form, 1024, "eager")), 15, "us")
        yield Figure(f"{what} with JAX, jitted", micro(ours(ARM, form, 1024, "eager", "jax")), 30, "us")
    what = f"{humanoid} dID, N = 65536, in a graph"
    yield Figure(what, micro(ours(humanoid, "dID", 65536, "graph")), 300, "us")
    for robot in (ARM, humanoid):
        for form in FORMS:
            value = ratio(ours(robot, form, 2**20, "graph"), ours(robot, form, 2**20, "graph", "soa"))
            yield Figure(f"{robot} {form}, N = 1 M, rows against structure of arrays", value, 1.3, "times")
    for form, bound in (("ID", 1.4e10), ("rates", 4e9)):
        row = ours(ARM, form, 2**22, "graph", dtype="float64")
        what = "tau, tau', tau''" if form == "rates" else form
        value = row.count / row.seconds if row else None
        yield Figure(f"{ARM} {what} in double, N = 4 M", value, bound, "per s", least=True)
    for robot, form, bound in ((ARM, "ID", 1.0), (ARM, "dID", 1.0), (humanoid, "dID", 8.0)):
        value = micro(ours(robot, form, 1, "first use"), 1)
        yield Figure(f"{robot} {form}, first use", value, bound, "s")
        yield Figure(f"{robot} {form}, from disk", micro(ours(robot, form, 1, "from disk"), 1e3), 20, "ms")
    for count in (1024, 2**20):
        pair = (ours(ARM, form, count, "kernel, graph") for form in ("VJP", "ID"))
        yield Figure(f"{ARM} VJP of ID against ID, N = {count}, GPU", ratio(*pair), 4, "times")
    pair = (ours(ARM, form, 10_000, "CPU", "numpy", "float64") for form in ("VJP", "ID"))
    yield Figure(f"{ARM} VJP of ID against ID, CPU", ratio(*pair), 4, "times")
    tensors, arrays = (ours(ARM, "ID", 1, "CPU", each, "float64") for each in ("torch", "numpy"))
    beyond = (tensors.seconds - arrays.seconds) * 1e6 if tensors and arrays else None
    yield Figure("a call with CPU tensors, beyond one with NumPy arrays", beyond, 2, "us")


def ratios(rows: Sequence[Row]) -> list[str]:
    """Return lines that say how many times faster than each peer we are, graphs by graphs."""
    lines = []
    for row in rows:
        if row.library == OURS or not row.right or row.how not in ("graph", "eager"):
            continue
        if row.form not in FORMS:
            continue
        wanted = {name: getattr(row, name) for name in ("robot", "form", "dtype", "count", "how", "arrays")}
        ours = found(rows, library=OURS, **wanted)
        value = ratio(row, ours)
        if ours is not None and value is not None:
            what = f"{row.robot} {row.form} N = {row.count} {row.how}"
            lines.append(
                f"{what:36s} {ours.seconds * 1e6:9.1f} us, {row.library:9s} {row.seconds * 1e6:11.1f} us:"
                f" {value:8.1f} times"
            )
    return lines


def shares(rows: Sequence[Row]) -> list[str]:
    """Return lines of the share of the memory's speed that our largest batches reach."""
    top = roof(rows)
    return [
        f"{row.robot} {row.form} {row.dtype} N = {row.count} {row.arrays}: {100 * share(row, top):.0f}%"
        for row in rows
        if row.library == OURS and row.how == "graph" and row.count >= 2**20 and top
    ]
