"""The panel beside the picture: tables and matrices that follow the posture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import panel
from .numbers import Numbers
from .state import ViewState

if TYPE_CHECKING:
    from viser import ViserServer

TWIST = ("ωx", "ωy", "ωz", "vx", "vy", "vz")
"""Rows of a Jacobian."""

WIDTH = 330
"""Pixels."""


class Readings:
    """Texts in viser's second panel: torques, coordinates, M and J."""

    def __init__(self, server: ViserServer, state: ViewState) -> None:
        self._state = state
        gui = server.gui
        beside = gui.add_panel()
        wide = state.robot.nv > panel.WIDEST
        blank = np.full((8, 8, 3), 255, dtype=np.uint8)
        with beside.add_tab("Numbers"):
            self._measures = gui.add_html(panel.block("Numbers are being made ready."))
            self._loads = gui.add_html("")
            self._M = gui.add_html("")
            self._M_picture = gui.add_image(blank, visible=False) if wide else None
            self._J = gui.add_html("")
            self._J_picture = gui.add_image(blank, visible=False) if wide else None
        with beside.add_tab("Posture"):
            self._posture = gui.add_html("")
        beside.dock_left()
        beside.set_width(WIDTH)

    def write(self, found: Numbers) -> None:
        """Write the numbers of a posture."""
        state = self._state
        self._measures.content = panel.measures(found, state.frame)
        self._loads.content = panel.loads(found)
        self._posture.content = panel.posture(state.coordinates, state.q)
        self._M.content = panel.matrix("Mass matrix M [SI units]", found.mass_matrix)
        self._J.content = panel.matrix("Jacobian of the tool in its own frame", found.jacobian, TWIST)
        if self._M_picture is not None and found.mass_matrix is not None:
            self._M_picture.image = panel.heat(found.mass_matrix)
            self._M_picture.visible = True
        if self._J_picture is not None:
            self._J_picture.image = panel.heat(found.jacobian)
            self._J_picture.visible = True
