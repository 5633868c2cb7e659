"""A robot in the browser: sliders, gizmos, numbers and motions, all from one loop."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..errors import ClosedFormError
from ..robot import Robot
from .drag import Drag
from .ellipsoids import manipulability_ellipsoid
from .loop import Loop
from .numbers import numbers
from .page import listed
from .playing import Playing
from .reach import Reach
from .readings import Readings
from .recording import Recording, made_up
from .robot_page import RobotPage
from .scene import RobotScene
from .state import ViewState

FEW = 12
"""Velocities of a robot whose numbers are written often; those of a larger one less so."""

OFTEN, SELDOM = 1 / 35, 0.1
"""Seconds between two writings of few and of many numbers."""

MOST_WARNINGS = 3
"""Warnings about shapes that are shown."""

SHOWN = {
    "frames": "frames",
    "inertias": "inertia ellipsoids",
    "com": "centre of mass",
    "manipulability": "manipulability ellipsoid",
}
"""Parts of the picture that are hidden at first, and what they are called."""


class RobotView(RobotPage):
    """A robot on a page of its own: `url` says where, `q` reads and sets its posture, `stop` ends it."""

    def __init__(
        self,
        robot: Robot,
        q: ArrayLike | None = None,
        *,
        frame: str | None = None,
        recording: Recording | None = None,
        host: str = "127.0.0.1",
        port: int = 8080,
    ) -> None:
        self.state = ViewState(robot, q, frame)
        shapes = robot.shapes()
        super().__init__(host, port, robot.name)
        self.loop = Loop(self.frame, self._moving)
        self.scene = RobotScene(self.server, self.state, shapes)
        self._warnings = listed(shapes.warnings, MOST_WARNINGS)
        self._drawn: Array | None = None
        self._written = -1.0
        self._numbers_ready = False
        self._build()
        if recording is not None:
            self.playing.load(recording)
        self.frame(0.0)
        self.loop.start()
        self.prepare()

    @property
    def q(self) -> Array:
        """The posture."""
        return self.state.q.copy()

    @q.setter
    def q(self, q: ArrayLike) -> None:
        given = np.array(q, dtype=float)
        self.loop.ask("q", lambda: self._set(given))

    @property
    def note(self) -> str:
        """What the panel says about the last change, or nothing."""
        return self.state.note or self.loop.trouble

    def prepare(self) -> None:
        """Compile what the numbers and the solver need, beside the loop: the picture does not wait for it."""
        frame = self.state.frame

        def work() -> None:
            try:
                numbers(self.state.robot, self.state.q, frame)
                self._numbers_ready = True
                self.loop.ask("numbers", self.changed)
                reach = Reach(self.state.robot, frame)
                if reach.possible:
                    reach.follow(self.state.q, self.state.robot.pose(self.state.q, frame))
                    reach.elbow(self.state.q)
                if frame == self.state.frame:
                    self.loop.ask("reach", lambda: self.drag.ready(reach))
                if self.playing.player is None and self.state.robot.nv:
                    motion = made_up(self.state.robot)
                    self.loop.ask("motion", lambda: self.playing.load(motion))
            except ClosedFormError as error:
                note = str(error)
                self.loop.ask("trouble", lambda: setattr(self.state, "note", note))

        threading.Thread(target=work, name="closedform-prepare", daemon=True).start()

    def frame(self, seconds: float) -> None:
        """Draw and write what has changed; a motion that is played goes on by some seconds."""
        self.playing.advance(seconds)
        with self.server.atomic():  # one message to each client
            self._draw()

    def _draw(self) -> None:
        moved = self.state.q is not self._drawn
        if moved:
            self._drawn = self.state.q
            self.scene.place(self.state.bodies)
            self.drag.sync()
        elif self.drag.pending and not self.playing.moving:
            self.drag.renew()
        self._stale |= moved
        pause = OFTEN if self.state.robot.nv <= FEW else SELDOM
        if self._stale and time.monotonic() - self._written >= pause:
            self.write()
        self.say(self.note, *self._warnings)

    def _moving(self) -> bool:
        return self.playing.moving or self._stale or self.drag.pending

    def _set(self, q: Array) -> None:
        self.playing.pause()
        self.state.move(q)
        self.changed()

    def write(self) -> None:
        """Bring sliders and numbers to the posture."""
        self._stale, self._written = False, time.monotonic()
        for each, slider in self._sliders:
            value = each.rounded(self.state.q)
            if abs(slider.value - value) > each.step / 2:
                slider.value = value
        self.playing.sync()
        if not self._numbers_ready:
            return
        found = numbers(self.state.robot, self.state.q, self.state.frame)
        self.readings.write(found)
        if self.scene.shown("com"):
            self.scene.mark_com(found.center_of_mass)
        if self.scene.shown("manipulability"):
            tool, size = self.state.tool, self.scene.size
            self.scene.mark_manipulability(manipulability_ellipsoid(found.jacobian, tool, size))

    def _build(self) -> None:
        """Add the controls."""
        gui = self.server.gui
        self._status = gui.add_html("")
        tabs = gui.add_tab_group()
        with tabs.add_tab("Joints"):
            where = gui.add_button_group("go to", ("Home", "Random"))
            where.on_click(lambda event: self.loop.ask("where", lambda: self._go(event.target.value)))
            self._sliders = [(each, self._slider(each)) for each in self.state.coordinates]
        with tabs.add_tab("Tool"):
            self.drag = Drag(self)
        self.play_tab = tabs.add_tab("Play")
        with self.play_tab:
            self.playing = Playing(self)
        with tabs.add_tab("Show"):
            for part, words in SHOWN.items():
                self._checkbox(part, words, False)
            self._checkbox("robot", "robot", True)
            shadows = gui.add_checkbox(
                "shadows", True, hint="A computer without a graphics card is faster without."
            )
            shadows.on_update(lambda event: self.ask("shadows", event, lambda: self._shade(shadows.value)))
        self.readings = Readings(self.server, self.state)

    def _slider(self, each: Any) -> Any:
        label = f"{each.name} [{each.unit}]" if each.unit else each.name
        value = float(np.clip(each.rounded(self.state.q), *each.ends))
        slider = self.server.gui.add_slider(label, *each.ends, each.step, value)

        def turn() -> None:
            self.playing.pause()
            self.state.move(each.placed(self.state.q, float(slider.value)))
            self.changed()

        slider.on_update(lambda event: self.ask(f"slider {each.name}", event, turn))
        return slider

    def _checkbox(self, part: str, words: str, shown: bool) -> None:
        box = self.server.gui.add_checkbox(words, shown)
        box.on_update(lambda event: self.ask(part, event, lambda: self._show(part, box.value)))

    def _shade(self, shadows: bool) -> None:
        self.server.scene.configure_default_lights(cast_shadow=shadows)

    def _show(self, part: str, visible: bool) -> None:
        self.scene.show(part, visible)
        self.changed()

    def _go(self, where: str) -> None:
        home = self.state.home
        self._set(home if where == "Home" else self._random())

    def _random(self) -> Array:
        """Return a random posture; a floating base stays where it is."""
        q = np.array(self.state.robot.random_state(order=0)[0])
        for body in self.state.robot.model.independent:
            if body.joint.floats:
                part = slice(body.iq, body.iq + body.joint.nq)
                q[part] = self.state.q[part]
        return q
