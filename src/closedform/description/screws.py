"""Product-of-exponentials descriptions: home placements and joint screws."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DescriptionError
from .description import Description, Inertial, Joint, Limits, Link
from .rotations import adjoint, inverse, snap_rotation

KIND_OF_DOFS = {3: "ball", 6: "free"}


def read_screws(
    placements: Sequence[ArrayLike],
    screws: Sequence[ArrayLike],
    *,
    inertials: Sequence[Inertial] | None = None,
    parents: Sequence[int] | None = None,
    spatial: bool = False,
    armature: Sequence[float] | None = None,
    limits: Sequence[Limits] | None = None,
    name: str = "robot",
    joint_names: Sequence[str] | None = None,
    body_names: Sequence[str] | None = None,
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
    source: str = "screws",
    citation: str = "",
) -> Description:
    """Return the description of bodies given by home placements and joint screws.

    With `spatial=False`, `placements[i]` is B_i, the home pose of body i in its parent, and
    `screws[i]` is X_i in the frame of body i [MuellerKumar2021, Eqs. (3), (4)]. With
    `spatial=True` both are in the base frame at home, as in textbooks on the product of
    exponentials. A screw is (omega; v) or a 6 x k matrix of them: revolute (e; x cross e),
    prismatic (0; e), helical (e; x cross e + h e), or a joint of up to six dofs whose screws
    span a subalgebra (cylindrical, planar, ball, free, ...). `parents[i]` is the index (from
    0) of the parent body, or -1 for the base.
    """
    n = len(placements)
    problems: list[str] = []
    parents = list(range(-1, n - 1)) if parents is None else list(parents)
    joint_names = [f"joint{i + 1}" for i in range(n)] if joint_names is None else list(joint_names)
    body_names = [f"link{i + 1}" for i in range(n)] if body_names is None else list(body_names)
    for what, given in (
        ("screws", screws),
        ("inertials", inertials),
        ("parents", parents),
        ("armature", armature),
        ("limits", limits),
        ("joint_names", joint_names),
        ("body_names", body_names),
    ):
        if given is not None and len(given) != n:
            problems.append(f"{what} has {len(given)} entries; placements has {n}")
    if problems:
        raise DescriptionError(source, problems)
    homes = [_home(T, joint_names[i], problems) for i, T in enumerate(placements)]
    columns = [_screw(X, joint_names[i], problems) for i, X in enumerate(screws)]
    for i, parent in enumerate(parents):
        if not -1 <= parent < i:
            problems.append(f"joint {joint_names[i]!r}: parent {parent} is not -1 or an earlier body")
    if problems:
        raise DescriptionError(source, problems)
    joints = []
    for i in range(n):
        X, B = columns[i], homes[i]
        if spatial:
            X = adjoint(inverse(homes[i])) @ X
            if parents[i] >= 0:
                B = inverse(homes[parents[i]]) @ homes[i]
        B = B.copy()
        B[:3, :3] = snap_rotation(B[:3, :3])
        joints.append(
            Joint(
                name=joint_names[i],
                kind=kind_of_screws(X),
                parent=body_names[parents[i]] if parents[i] >= 0 else "base",
                child=body_names[i],
                placement=B,
                subspace=X,
                limits=limits[i] if limits is not None else Limits(),
                armature=float(armature[i]) if armature is not None else 0.0,
            )
        )
    links = [Link("base")] + [
        Link(body_names[i], inertials[i] if inertials is not None else None) for i in range(n)
    ]
    return Description(name, tuple(links), tuple(joints), gravity, source, citation)


def kind_of_screws(X: NDArray[np.float64]) -> str:
    """Return the joint kind that the columns of X span."""
    if X.shape[1] == 1:
        w, v = X[:3, 0], X[3:, 0]
        if not w.any():
            return "prismatic"
        return "revolute" if abs(w @ v) <= 1e-14 * np.linalg.norm(v) else "helical"
    if np.linalg.matrix_rank(X[:3]) == 3:
        return KIND_OF_DOFS.get(X.shape[1], "subspace")
    return "subspace"


def _home(T: ArrayLike, joint: str, problems: list[str]) -> NDArray[np.float64]:
    T = np.asarray(T, dtype=float)
    if T.shape != (4, 4) or not np.isfinite(T).all():
        problems.append(f"joint {joint!r}: placement should be a finite 4x4 pose")
        return np.eye(4)
    R = T[:3, :3]
    if not np.allclose(R @ R.T, np.eye(3), atol=1e-9) or np.linalg.det(R) < 0:
        problems.append(f"joint {joint!r}: the upper left 3x3 of its placement is not a rotation")
    return T


def _screw(X: ArrayLike, joint: str, problems: list[str]) -> NDArray[np.float64]:
    X = np.asarray(X, dtype=float)
    X = X[:, None] if X.ndim == 1 else X
    if X.ndim != 2 or X.shape[0] != 6 or not 1 <= X.shape[1] <= 6 or not np.isfinite(X).all():
        problems.append(f"joint {joint!r}: screw has shape {X.shape}; expected finite (6,) or (6, k), k <= 6")
        return np.eye(6)
    if np.linalg.matrix_rank(X) < X.shape[1]:
        problems.append(f"joint {joint!r}: its screws are linearly dependent or zero")
    if X.shape[1] == 1:
        length = np.linalg.norm(X[:3] if X[:3].any() else X[3:])
        if abs(length - 1) > 1e-9:
            problems.append(f"joint {joint!r}: its axis has length {length:g}; give a unit vector")
    return X
