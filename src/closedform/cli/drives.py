"""Options of `closedform identify` about what drives torque: friction, springs and zeros of joints."""
# ruff: noqa: PLC0415

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ArgumentError, similar

if TYPE_CHECKING:
    from ..identification import FrictionTerms

Friction = Annotated[
    str,
    typer.Option(
        help="auto (chosen by cross validation), classic (viscous and Coulomb), none, or terms, such as "
        "viscous,coulomb=0.05,presliding=1e-4,stribeck=0.2,asymmetric,load,offset."
    ),
]
PassiveFriction = Annotated[
    str,
    typer.Option(
        help="Joints without drives in loops whose friction is identified, as elbow1,elbow2; or all.",
        show_default="none",
    ),
]
Springs = Annotated[
    str, typer.Option(help="Joints with linear springs, as joint1,joint2; or all.", show_default="none")
]
ZeroOffsets = Annotated[
    str, typer.Option(help="Joints whose zeros may be off, as joint1,joint2; or all.", show_default="none")
]


def friction_terms(text: str) -> FrictionTerms | str | None:
    """Return the friction model that the option asks for."""
    from ..identification import FrictionTerms

    named: dict[str, FrictionTerms | str | None] = {"auto": "auto", "classic": FrictionTerms(), "none": None}
    if text in named:
        return named[text]
    speeds = {"coulomb", "presliding", "stribeck"}
    known = [field.name for field in fields(FrictionTerms)]
    found: dict[str, Any] = {name: None if name in speeds else False for name in known}
    for part in text.split(","):
        name, given, value = (each.strip() for each in part.partition("="))
        if name not in known or bool(given) != (name in speeds):
            meant = similar(text, named) or similar(name, known)
            raise ArgumentError(
                f"--friction has {part!r}{meant}; expected {', '.join(named)}, or some of "
                + ", ".join(f"{each}=NUMBER" if each in speeds else each for each in known)
            )
        try:
            found[name] = float(value) if given else True
        except ValueError:
            raise ArgumentError(f"--friction: {name} is {value!r}; expected a number") from None
    return FrictionTerms(**found)


def joints(text: str) -> bool | list[str]:
    """Return the joints that an option names, or whether it means all."""
    if text in ("", "all"):
        return text == "all"
    return [name.strip() for name in text.split(",")]
