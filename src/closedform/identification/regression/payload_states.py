"""Payload states: what a body carries in which logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...checks import positive, text
from ...errors import ArgumentError, shown
from ..logs.sources import chosen_logs


@dataclass(frozen=True)
class PayloadState:
    """What a body (the last one by default) carries in some logs; its `mass` in kg may be known.

    >>> PayloadState("cube", mass=2.8)
    PayloadState(name='cube', body=None, mass=2.8)
    """

    name: str
    body: str | None = None
    mass: float | None = None

    def __post_init__(self) -> None:
        text("payload state: name", self.name)
        if self.mass is not None:
            positive("payload state: mass", self.mass)


Payloads = Mapping[str | int, PayloadState | str] | Sequence[PayloadState | str | None] | None
"""What the robot carries in which logs, as `identify` takes it."""


def payload_states(given: Any, names: Sequence[str]) -> dict[str, PayloadState]:
    """Return the payload state of each log that has one, by its name.

    `given` is a mapping of logs (names, patterns or indices) to states, or a list with a state or None for
    each log; a text is the name of a state.
    """
    if given is None:
        return {}
    if isinstance(given, Mapping):
        pairs = [(k, state) for key, state in given.items() for k in chosen_logs("payloads", names, key)]
    elif isinstance(given, list | tuple):
        if len(given) != len(names):
            raise ArgumentError(f"payloads: {len(given)} states for {len(names)} log(s); give one for each")
        pairs = list(enumerate(given))
    else:
        raise ArgumentError(
            f"payloads is {shown(given)}; expected a mapping of logs to payloads, or a list, one for each log"
        )
    found: dict[str, PayloadState] = {}
    for k, each in pairs:
        if each is None:
            continue
        state = PayloadState(each) if isinstance(each, str) else each
        if not isinstance(state, PayloadState):
            raise ArgumentError(f"payloads has {shown(each)}; expected a name, a PayloadState, or None")
        if names[k] in found and found[names[k]] != state:
            raise ArgumentError(f"payloads: {names[k]} has two states; give it one")
        same = next((other for other in found.values() if other.name == state.name), state)
        if same != state:
            raise ArgumentError(f"payloads: {state.name!r} is described in two ways; describe it once")
        found[names[k]] = state
    return found


def check_states(
    states: Mapping[str, PayloadState], fitted: Sequence[str], bodies: Mapping[str, str]
) -> None:
    """Refuse payloads that no log determines: one with it and one without must be fitted.

    `bodies` has the body that carries each payload, by its name.
    """
    for payload in bodies:
        if not any(name in states and states[name].name == payload for name in fitted):
            raise ArgumentError(f"payloads: no log to fit has {payload!r}; fit one with it")
    for body in set(bodies.values()):
        free = [name for name in fitted if name not in states or bodies[states[name].name] != body]
        if not free:
            raise ArgumentError(
                f"payloads: {body!r} carries something in every log to fit; add a log without a payload, "
                "which tells the robot from it"
            )
