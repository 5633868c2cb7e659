"""What the controls of a robot know of the page that they are on."""

from __future__ import annotations

from typing import Any

from .page import Page
from .scene import RobotScene
from .state import ViewState


class RobotPage(Page):
    """The page of a robot: its state and its scene, and that something has changed or is needed."""

    state: ViewState
    scene: RobotScene
    play_tab: Any
    _stale = True

    def changed(self) -> None:
        """Have everything drawn and written anew, though the posture may be the same."""
        self._stale = True

    def prepare(self) -> None:
        """Compile what the present tool needs."""
        raise NotImplementedError
