"""Pinocchio's motion of frames and momentum about the centre of mass, in our coordinates."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from .pinocchio_peer import Peer

REFERENCES = {"body": pin.LOCAL, "world": pin.WORLD, "world_aligned": pin.LOCAL_WORLD_ALIGNED}
ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]


class FramePeer(Peer):
    """A peer for frames in any reference, and for the centre of mass of parts of the robot."""

    def moved(self, q, qd, qdd) -> None:
        """Take a state, which the other methods are of."""
        state = self.q(q), self.G @ qd, self.G @ qdd
        pin.computeJointJacobiansTimeVariation(self.model, self.data, *state[:2])
        pin.forwardKinematics(self.model, self.data, *state)
        pin.updateFramePlacements(self.model, self.data)
        self.state = state

    def jacobian_in(self, frame: str, reference: str) -> np.ndarray:
        return self._columns(pin.getFrameJacobian, frame, reference)

    def jacobian_dot_in(self, frame: str, reference: str) -> np.ndarray:
        return self._columns(pin.getFrameJacobianTimeVariation, frame, reference)

    def _columns(self, function, frame: str, reference: str) -> np.ndarray:
        full = function(self.model, self.data, self._frame(frame), REFERENCES[reference])
        return full[ANGULAR_FIRST] @ self.G

    def jacobian_dq_in(self, frame: str, reference: str) -> np.ndarray:
        """Return Pinocchio's kinematic Hessian of a body, whose frame is that of its joint."""
        return self.hessian(frame, REFERENCES[reference])

    def velocity(self, frame: str, reference: str) -> np.ndarray:
        return self._motion(pin.getFrameVelocity, frame, reference)

    def acceleration(self, frame: str, reference: str) -> np.ndarray:
        """Return the rate of the twist's components.

        Pinocchio turns the spatial acceleration of LOCAL to world axes; the rate of what it calls the
        velocity in LOCAL_WORLD_ALIGNED is its classical acceleration.
        """
        classical = reference == "world_aligned"
        function = pin.getFrameClassicalAcceleration if classical else pin.getFrameAcceleration
        return self._motion(function, frame, reference)

    def classical_acceleration(self, frame: str, reference: str) -> np.ndarray:
        return self._motion(pin.getFrameClassicalAcceleration, frame, reference)

    def _motion(self, function, frame: str, reference: str) -> np.ndarray:
        motion = function(self.model, self.data, self._frame(frame), REFERENCES[reference])
        return motion.vector[ANGULAR_FIRST].copy()

    def placement(self, frame: str) -> pin.SE3:
        return self.data.oMf[self._frame(frame)].copy()

    def momentum(self) -> tuple[np.ndarray, ...]:
        """Return h, h', A and A' of the centroidal momentum h = A qd."""
        pin.dccrba(self.model, self.data, *self.state[:2])
        A, Ad = (each[ANGULAR_FIRST] @ self.G for each in (self.data.Ag, self.data.dAg))
        pin.computeCentroidalMomentumTimeVariation(self.model, self.data, *self.state)
        h, hd = (each.vector[ANGULAR_FIRST].copy() for each in (self.data.hg, self.data.dhg))
        return h, hd, A, Ad

    def centres(self, frame: str) -> tuple[np.ndarray, ...]:
        """Return velocity and acceleration of the centre of mass, and that of a body with all it carries."""
        pin.centerOfMass(self.model, self.data, *self.state)
        joint = self.model.frames[self._frame(frame)].parentJoint
        carried = self.data.oMi[joint].act(self.data.com[joint])
        return self.data.vcom[0].copy(), self.data.acom[0].copy(), carried
