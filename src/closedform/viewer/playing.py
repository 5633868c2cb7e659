"""The controls of a motion: play, pause, time, speed, and the torques of one joint."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import panel
from .recording import DURATION, Player, Recording
from .robot_page import RobotPage

SPEEDS = ("0.25", "0.5", "1", "2", "4")


class Playing:
    """Plays a recording of the robot, once `load` has brought one."""

    def __init__(self, view: RobotPage) -> None:
        self._view = view
        self.player: Player | None = None
        self._asked = False
        gui = view.server.gui
        self._button = gui.add_button("Play")
        self._button.on_click(lambda _: view.loop.ask("play", self.toggle))
        self._time = gui.add_slider("time [s]", 0.0, DURATION, DURATION / 1000, 0.0)
        self._time.on_update(lambda event: view.ask("time", event, self._seek))
        self._speed = gui.add_dropdown("speed", SPEEDS, initial_value="1")
        self._speed.on_update(lambda event: view.ask("speed", event, self._set_speed))
        names = self._names()
        self._joint: Any = gui.add_dropdown("torque of", names or ["(none)"])
        self._joint.on_update(lambda event: view.ask("torque of", event, self._plot))
        self._words = gui.add_html("")
        self._chart: Any = None

    @property
    def moving(self) -> bool:
        """Whether a motion is being played."""
        return self.player is not None and self.player.playing

    def advance(self, seconds: float) -> bool:
        """Go on; return whether the posture has changed."""
        player = self.player
        if player is None or not player.advance(seconds):
            return False
        self._view.state.move(player.q)
        return True

    def pause(self) -> None:
        """Pause, as something else moves the robot now."""
        if self.moving:
            self.toggle()

    def sync(self) -> None:
        """Write the time and the torques of this instant."""
        player = self.player
        if player is None:
            return
        self._time.value = player.time
        computed, measured = player.torques
        rows = panel.compared(self._names(), computed, measured)
        self._words.content = rows

    def toggle(self) -> None:
        """Play or pause."""
        if self.player is None:
            self._asked = not self._asked  # it begins when there is something to play
        else:
            self.player.playing = not self.player.playing
        self._button.label = "Pause" if self.moving or self._asked else "Play"

    def load(self, recording: Recording) -> None:
        """Take over a recording, and begin if that was asked for before."""
        model = self._view.state.robot.model
        places = tuple(
            body.iq + body.joint.quaternion.start
            for body in model.independent
            if body.joint.quaternion is not None
        )
        self.player = Player(recording, places)
        self.player.playing, self._asked = self._asked, False
        duration = max(recording.duration, 1e-3)
        self._time.max, self._time.step = duration, duration / 1000
        self._set_speed()
        self._plot()

    def _seek(self) -> None:
        if self.player is not None:
            self.player.seek(float(self._time.value))
            self._view.state.move(self.player.q)
            self._view.changed()

    def _set_speed(self) -> None:
        if self.player is not None:
            self.player.speed = float(self._speed.value)

    def _names(self) -> list[str]:
        model = self._view.state.robot.model
        return [
            f"{body.joint_name} {part}" if part else body.joint_name
            for body in model.independent
            for part, _ in body.joint.velocity_entries
        ]

    def _plot(self) -> None:
        """Draw the torque of the chosen joint over time."""
        if self.player is None or self.player.recording.computed is None:
            return
        recording = self.player.recording
        k = self._names().index(self._joint.value)
        data = [recording.t - recording.t[0]]
        series: list[dict[str, object]] = [{"label": "t [s]"}]
        for label, torques, colour in (
            ("computed", recording.computed, "#3b7dd8"),
            ("measured", recording.measured, "#d9622b"),
        ):
            if torques is not None and np.isfinite(torques[:, k]).all():
                data.append(np.ascontiguousarray(torques[:, k]))
                series.append({"label": label, "stroke": colour, "width": 1.5})
        if self._chart is not None:
            self._chart.remove()
        with self._view.play_tab:
            self._chart = self._view.server.gui.add_uplot(
                tuple(data),
                tuple(series),
                scales={"x": {"time": False}},
                title=f"torque of {self._joint.value}",
                height=180,
            )
