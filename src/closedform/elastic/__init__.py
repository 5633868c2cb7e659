"""Robots with elastic joints: plant, inverse dynamics, decoupling and other laws, simulation, robustness."""

from .condition import Condition, robustness_condition
from .control import Control, closed_loop
from .frequencies import natural_frequencies, resolving_step
from .friction import Friction
from .gains import pole_gains
from .laws import ComputedTorque, Decoupling, Feedforward, StagedDecoupling, chain_motion
from .momentum_observer import MomentumObserver
from .montecarlo import Robustness, Spread, monte_carlo
from .motor_observer import MotorObserver
from .observed_tracking import ObservedTracking, track_observed
from .observer import Observer
from .plant_observer import PlantObserver
from .robot import ElasticJointRobot
from .tracking import Tracking, state_on, track

__all__ = [
    "ComputedTorque",
    "Condition",
    "Control",
    "Decoupling",
    "ElasticJointRobot",
    "Feedforward",
    "Friction",
    "MomentumObserver",
    "MotorObserver",
    "ObservedTracking",
    "Observer",
    "PlantObserver",
    "Robustness",
    "Spread",
    "StagedDecoupling",
    "Tracking",
    "chain_motion",
    "closed_loop",
    "monte_carlo",
    "natural_frequencies",
    "pole_gains",
    "resolving_step",
    "robustness_condition",
    "state_on",
    "track",
    "track_observed",
]
