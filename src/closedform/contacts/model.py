"""The model of a robot with contacts: its tree, what holds it, and the rows that are independent."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
import scipy.linalg
from casadi import SX

from ..arrays import Array
from ..checks import instances, known_name, number
from ..description.contact import Contact
from ..errors import ArgumentError, listed, shown
from ..forms.tree import Tree
from ..lazy import cached_property
from ..model import Model, random_state
from ..model.on_tree import OnTree
from .rows import rates, row_count

POSTURES = 5
"""Random postures at which the rank of the rows is looked at."""

RANK = 1e-9
"""Singular value of rows of unit length that counts as zero."""


@dataclass(frozen=True, eq=False)
class ContactModel(OnTree):
    """A tree some of whose frames are held.

    `rows` are those of all contacts that are independent at almost every posture, `driven` the velocities
    that carry torque, `carried` is how many of the others contacts can push at almost every posture, and
    `restitution` is the part of a velocity with which a contact rebounds.
    """

    tree: Model
    contacts: tuple[Contact, ...]
    rows: tuple[int, ...]
    driven: tuple[int, ...]
    carried: int
    restitution: float

    @cached_property
    def row_names(self) -> tuple[str, ...]:
        """Names of all rows: their contact and place in it."""
        return tuple(f"{each.name}[{k}]" for each in self.contacts for k in range(row_count(each)))

    @cached_property
    def idle(self) -> tuple[int, ...]:
        """The velocities that carry no torque."""
        return tuple(k for k in range(self.tree.nv) if k not in set(self.driven))

    # what forms ask of the model of a robot

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self.tree.nq

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return self.tree.nv

    @cached_property
    def digest(self) -> str:
        """A hash of every number that the equations depend on."""
        h = hashlib.sha256(self.tree.digest.encode())
        h.update(repr((self.rows, self.driven, self.restitution)).encode())
        for each in self.contacts:
            frame = self.tree.frame(each.frame)
            h.update(repr((each.kind, each.normal, frame.body)).encode())
            h.update(np.ascontiguousarray(frame.placement).tobytes())
        return h.hexdigest()


def contact_model(
    tree: Model, contacts: Sequence[Contact], actuated: Sequence[str] | None, restitution: float
) -> ContactModel:
    """Return the model of a robot and its contacts; see `Robot.with_contacts`."""
    tree.require_numbers("with_contacts")
    given = _checked(tree, contacts)
    value = number("with_contacts: restitution", restitution)
    if not 0 <= value <= 1:
        raise ArgumentError(
            f"with_contacts: restitution is {shown(restitution)}; expected a number from 0 (contacts stay) "
            "to 1 (no energy is lost)"
        )
    driven = _driven(tree, actuated)
    idle = [k for k in range(tree.nv) if k not in set(driven)]
    postures = _postures(tree, given)
    carried = max(_rank(J[:, idle]) for J in postures) if idle else 0
    return ContactModel(tree, given, _independent(postures), driven, carried, value)


def _checked(tree: Model, contacts: Sequence[Contact]) -> tuple[Contact, ...]:
    given = instances("with_contacts: contacts", contacts, Contact, "a list of cf.Contact")
    if not given:
        raise ArgumentError("with_contacts: no contacts; expected a list of cf.Contact")
    names = [each.frame for each in given]
    for each in given:
        if tree.frame(known_name("frame", each.frame, tree.frame_names)).body < 0:
            raise ArgumentError(
                f"with_contacts: frame {each.frame!r} is fixed to the base, so that nothing can hold it; "
                "take a frame of a moving body"
            )
        if names.count(each.frame) > 1:
            raise ArgumentError(f"with_contacts: frame {each.frame!r} is there twice; leave one out")
    return given


def _driven(tree: Model, actuated: Sequence[str] | None) -> tuple[int, ...]:
    """Return the velocities of the joints that carry torque: all but those of a floating base."""
    if actuated is None:
        names: Sequence[str] = [body.joint_name for body in tree.independent if not body.joint.floats]
    else:
        names = instances("with_contacts: actuated", actuated, str, "a list of names of joints")
        for each in names:
            known_name("actuated joint", each, tree.joint_names)
        if len(set(names)) < len(names):
            raise ArgumentError(
                f"with_contacts: actuated is {listed(list(names), 8)}; expected joints, each once"
            )
    chosen = set(names)
    return tuple(
        k
        for body in tree.independent
        if body.joint_name in chosen
        for k in range(*body.velocities.indices(tree.nv))
    )


def _postures(tree: Model, contacts: Sequence[Contact]) -> list[Array]:
    """Return all rows at some random postures."""
    built, q = Tree.of(tree), SX.sym("q", tree.nq)
    rows = ca.vertcat(*(rates(built, q, [], each)[0] for each in contacts))
    at = ca.Function("rows", [q], [ca.densify(rows)])
    rng = np.random.default_rng(0)
    return [np.array(at(random_state(tree, rng, (), 0)[0])) for _ in range(POSTURES)]


def _scaled(J: Array) -> Array:
    """Return rows of unit length; those that vanish stay."""
    norms = np.linalg.norm(J, axis=1, keepdims=True)
    return np.asarray(J / np.where(norms > RANK, norms, 1.0))


def _rank(J: Array) -> int:
    return int(np.sum(np.linalg.svd(_scaled(J), compute_uv=False) > RANK))


def _independent(postures: Sequence[Array]) -> tuple[int, ...]:
    """Return the rows that are independent at almost every posture."""
    best = max(postures, key=_rank)
    order = scipy.linalg.qr(_scaled(best).T, mode="economic", pivoting=True)[2]
    return tuple(sorted(int(k) for k in order[: _rank(best)]))
