"""Mode shapes for three payloads, and the constants of the nominal one beside the printed ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from plotly.subplots import make_subplots

from ...arrays import Array
from ...flexible import FlexibleArm
from ..figure import PALETTE, Figure, figure, single
from ..section import Section
from .study import PAYLOADS, FlexibleStudy

POINTS = 101

PRINTED = {
    "frequency": ("0.48", "1.80", "2.18", "15.91"),
    "tip": ("0.186", "0.215", "0.883", "-0.069"),
    "tip_slope": ("0.657", "-0.560", "2.641", "-10.853"),
    "v": ("0.007", "0.013", "0.033", "0.054"),
    "w": ("0.002", "0.004", "0.012", "0.016"),
}
"""Constants as [DeLucaSiciliano1991, section VII] prints them."""

SYMBOLS = {"frequency": "f [Hz]", "tip": "phi_e", "tip_slope": "phi'_e [1/m]", "v": "v [kg]", "w": "w [kg m]"}


@dataclass(frozen=True)
class Constant:
    """A constant of a mode: its value, and what the paper prints."""

    value: float
    printed: str

    @property
    def text(self) -> str:
        """The value with as many digits as are printed."""
        return f"{self.value:.{len(self.printed.partition('.')[2])}f}"

    @property
    def agrees(self) -> bool:
        """Whether all printed digits agree."""
        return self.text == self.printed


@dataclass(frozen=True)
class ModeFacts:
    """Shapes (payloads, links, points, modes) over the length, and constants by symbol and mode."""

    payloads: tuple[str, ...]
    x: Array
    shapes: Array
    names: tuple[str, ...]
    constants: dict[str, tuple[Constant, ...]]

    @property
    def agree(self) -> int:
        """How many constants agree with all printed digits."""
        return sum(each.agrees for row in self.constants.values() for each in row)

    @property
    def count(self) -> int:
        """How many constants are printed."""
        return sum(len(row) for row in self.constants.values())


def gather(study: FlexibleStudy) -> ModeFacts:
    """Return shapes over the links' lengths, scaled by them, and the constants."""
    x = np.linspace(0, 1, POINTS)
    shapes = []
    for payload in PAYLOADS.values():
        arm = FlexibleArm.deluca_siciliano(payload)
        shapes.append(
            [
                modes.shapes(x * link.length) / link.length
                for link, modes in zip(arm.links, arm.modes, strict=True)
            ]
        )
    flat = [mode for modes in study.arms[False].modes for mode in modes]
    constants = {
        SYMBOLS[name]: tuple(
            Constant(getattr(mode, name), text) for mode, text in zip(flat, printed, strict=True)
        )
        for name, printed in PRINTED.items()
    }
    names = ("link 1, mode 1", "link 1, mode 2", "link 2, mode 1", "link 2, mode 2")
    return ModeFacts(tuple(PAYLOADS), x, np.array(shapes), names, constants)


def draw(facts: ModeFacts) -> Mapping[str, Figure]:
    """Return the shapes of both links side by side, one choice per payload."""
    links = facts.shapes.shape[1]
    plot = make_subplots(cols=links, subplot_titles=[f"link {k + 1}" for k in range(links)])
    for choice in range(len(facts.payloads)):
        for link in range(links):
            for mode in range(facts.shapes.shape[3]):
                plot.add_scatter(
                    x=single(facts.x),
                    y=single(facts.shapes[choice, link, :, mode]),
                    name=f"mode {mode + 1}",
                    showlegend=link == 0,
                    line={"color": PALETTE[mode], "width": 2.2, "simplify": False},
                    hovertemplate="%{y:.3f}",
                    visible=choice == 0,
                    meta={"choice": choice},
                    row=1,
                    col=link + 1,
                )
    plot.update_xaxes(title_text="x / length")
    plot.update_yaxes(title_text="shape / length", col=1)
    plot.update_layout(hovermode="x unified")
    return {"shapes": figure(plot, "Mode shapes", 380, facts.payloads)}


SECTION = Section("flexible_modes", "Modes", gather, draw)
