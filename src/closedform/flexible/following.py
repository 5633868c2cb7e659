"""Modes that follow the posture: the bending of an arm in the modes that its links have at that instant."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array
from .model import ArmModel


class FollowingModes(NamedTuple):
    """Coordinates (..., N - n) of the links' bending in the modes of the posture, and their frequencies [Hz].

    `delta` is normalised as the coordinates of the equations are: m omega^2 delta^2 / 2 is the elastic
    energy of each, and together they have all of it.
    """

    delta: Array
    frequencies: Array


def following_modes(model: ArmModel, B: Array, q: Array) -> FollowingModes:
    """Return the bending in the modes of the posture; B is the inertia matrix of the unbent arm there.

    Each link's modes solve (K - omega^2 M) v = 0 with its block M of B, in which all that is beyond
    turns with the posture and does not bend [DeLucaSiciliano1991, Eqs. (27), (28)]. It is a change of
    coordinates, delta = V following, with V^T M V = m and V^T K V = m omega^2: nothing is left out.
    """
    delta, frequencies = [], []
    for link, modes, part in zip(model.links, model.modes, model.parts, strict=True):
        M, K = B[..., part, part], np.diag(modes.k)
        root = 1 / np.sqrt(K)
        inverse, U = np.linalg.eigh(M * root * root[:, None])  # of 1 / omega^2, from fast to slow
        inverse, U = inverse[..., ::-1], U[..., ::-1]
        V = root[:, None] * U * np.sqrt(link.mass / inverse)[..., None, :]
        upwards = modes.shapes(0.0, 2) @ V  # curvature at the hub: shapes leave it upwards
        V = V * np.where(upwards < 0, -1.0, 1.0)[..., None, :]
        bent = np.swapaxes(V, -1, -2) @ M @ q[..., part, None] / link.mass
        delta.append(bent[..., 0])
        frequencies.append(1 / np.sqrt(inverse) / (2 * np.pi))
    return FollowingModes(np.concatenate(delta, axis=-1), np.concatenate(frequencies, axis=-1))
