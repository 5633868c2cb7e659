"""Product-of-exponentials descriptions: home placements and joint screws."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import collected, flag, real_array, sized_array, text
from ..errors import ArgumentError, DescriptionError, shown
from ..joints import kind_of_screws
from ..rotations import adjoint, checked_pose, inverse, snap_rotation
from .description import DEFAULT_GRAVITY, MAX_ELEMENTS, Description, Inertial, Joint, Limits, Link
from .entries import as_list, read_entries, read_joint_entries


def read_screws(
    placements: Sequence[ArrayLike],
    screws: Sequence[ArrayLike],
    *,
    inertials: Sequence[Inertial | None] | None = None,
    parents: Sequence[int] | None = None,
    spatial: bool = False,
    armature: Sequence[float] | None = None,
    limits: Sequence[Limits] | None = None,
    name: str = "robot",
    joint_names: Sequence[str] | None = None,
    body_names: Sequence[str] | None = None,
    gravity: tuple[float, float, float] = DEFAULT_GRAVITY,
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
    0) of the parent body, or -1 for the base; without it the robot is one chain. `limits` are those of
    the joints, `body_names` default to link1, link2, ...; the other options are those of `read_mdh`.
    """
    text("source", source)
    problems: list[str] = []
    poses = as_list(placements)
    if not poses:
        raise DescriptionError(source, [f"placements is {shown(placements)}; expected a list of 4x4 poses"])
    n = len(poses)
    if n > MAX_ELEMENTS:
        raise DescriptionError(source, [f"more than {MAX_ELEMENTS} placements, the limit"])
    screws = read_entries("screws", () if screws is None else screws, [np.eye(6)] * n, problems)
    of = read_joint_entries(
        n, problems, parents=parents, joint_names=joint_names, inertials=inertials, armature=armature
    )
    body_names = read_entries("body_names", body_names, [f"link{i + 1}" for i in range(n)], problems)
    limits = read_entries("limits", limits, [Limits()] * n, problems)
    with collected(problems):
        spatial = flag("spatial", spatial)
    homes, columns = [], []
    for joint, T, X in zip(of.joint_names, poses, screws, strict=True):
        with collected(problems):
            homes.append(checked_pose(f"joint {joint!r}: placement", T))
        with collected(problems):
            columns.append(_columns(f"joint {joint!r}: screw", X))
    if problems:
        raise DescriptionError(source, problems)
    joints = []
    for i in range(n):
        S, B = columns[i], homes[i]
        if spatial:
            S = adjoint(inverse(homes[i])) @ S
            if of.parents[i] >= 0:
                B = inverse(homes[of.parents[i]]) @ homes[i]
        B = B.copy()
        B[:3, :3] = snap_rotation(B[:3, :3])
        joints.append(
            Joint(
                name=of.joint_names[i],
                kind=kind_of_screws(S),
                parent=body_names[of.parents[i]] if of.parents[i] >= 0 else "base",
                child=body_names[i],
                placement=B,
                subspace=S,
                limits=limits[i],
                armature=of.armature[i],
            )
        )
    links = (Link("base"), *(Link(body_names[i], of.inertials[i]) for i in range(n)))
    return Description(name, links, tuple(joints), gravity, source, citation)


def _columns(name: str, given: ArrayLike) -> NDArray[np.float64]:
    """Return one screw or several as the columns of a matrix."""
    X = real_array(name, given)
    X = X[:, None] if X.ndim == 1 else X
    if X.ndim != 2 or X.shape[0] != 6 or not 1 <= X.shape[1] <= 6:
        raise ArgumentError(f"{name} has shape {np.shape(given)}; expected (6,) or (6, k), k <= 6")
    return sized_array(name, X, X.shape)
