"""Mode shapes and constants of the links; for the paper's arm three payloads, and the printed constants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from plotly.subplots import make_subplots

from ...arrays import Array
from ...flexible import FlexibleArm
from ..curves import add_curve
from ..figure import Figure, figure
from ..section import Section
from .arm_study import FlexibleStudy
from .paper_example import PAYLOADS, PRINTED

POINTS = 101

SYMBOLS = {"frequency": "f [Hz]", "tip": "phi_e", "tip_slope": "phi'_e [1/m]", "v": "v [kg]", "w": "w [kg m]"}


@dataclass(frozen=True)
class Constant:
    """A constant of a mode: its value, and what the paper prints, if anything."""

    value: float
    printed: str = ""

    @property
    def text(self) -> str:
        """The value with as many digits as are printed, or with four."""
        if not self.printed:
            return f"{self.value:.4g}"
        return f"{self.value:.{len(self.printed.partition('.')[2])}f}"

    @property
    def agrees(self) -> bool:
        """Whether all printed digits agree."""
        return self.text == self.printed


@dataclass(frozen=True)
class ModeFacts:
    """Shapes (points, modes) over the length, by payload and link, and constants by symbol and mode."""

    payloads: tuple[str, ...]
    x: Array
    shapes: tuple[tuple[Array, ...], ...]
    names: tuple[str, ...]
    constants: dict[str, tuple[Constant, ...]]
    printed: bool

    @property
    def agree(self) -> int:
        """How many constants agree with all printed digits."""
        return sum(each.agrees for row in self.constants.values() for each in row)

    @property
    def count(self) -> int:
        """How many constants there are."""
        return sum(len(row) for row in self.constants.values())


def gather(study: FlexibleStudy) -> ModeFacts:
    """Return shapes over the links' lengths, scaled by them, and the constants."""
    arms = {"": study.subject}
    if study.printed:
        arms = {name: FlexibleArm.deluca_siciliano(payload) for name, payload in PAYLOADS.items()}
    x = np.linspace(0, 1, POINTS)
    modes = [(f"link {i + 1}, mode {j + 1}", mode) for i, j, mode in _numbered(study.subject)]
    none = ("",) * len(modes)
    constants = {
        symbol: tuple(
            Constant(getattr(mode, name), text)
            for (_, mode), text in zip(modes, PRINTED[name] if study.printed else none, strict=True)
        )
        for name, symbol in SYMBOLS.items()
    }
    shapes = tuple(_shapes(arm, x) for arm in arms.values())
    return ModeFacts(tuple(arms), x, shapes, tuple(name for name, _ in modes), constants, study.printed)


def _numbered(arm: FlexibleArm) -> list[tuple[int, int, object]]:
    return [(i, j, mode) for i, modes in enumerate(arm.modes) for j, mode in enumerate(modes)]


def _shapes(arm: FlexibleArm, x: Array) -> tuple[Array, ...]:
    pairs = zip(arm.links, arm.modes, strict=True)
    return tuple(np.asarray(modes.shapes(x * link.length) / link.length) for link, modes in pairs)


def draw(facts: ModeFacts) -> Mapping[str, Figure]:
    """Return the shapes of the links side by side, one choice per payload."""
    links = len(facts.shapes[0])
    plot = make_subplots(cols=links, subplot_titles=[f"link {k + 1}" for k in range(links)])
    for choice, by_link in enumerate(facts.shapes):
        for link, shapes in enumerate(by_link, start=1):
            for mode, shape in enumerate(shapes.T):
                name, hover = f"mode {mode + 1}", "%{y:.3f}"
                add_curve(plot, facts.x, shape, name, mode, col=link, choice=choice, width=2.2, hover=hover)
    plot.update_xaxes(title_text="x / length")
    plot.update_yaxes(title_text="shape / length", col=1)
    plot.update_layout(hovermode="x unified")
    return {"shapes": figure(plot, "Mode shapes", 380, facts.payloads if len(facts.payloads) > 1 else ())}


SECTION = Section("flexible_modes", "Modes", gather, draw)
