"""Identification: base parameters, logs and the parameters that explain them.

| room | what it holds |
|---|---|
| `joints` | which joints can be logged and excited, those of drives in loops |
| `base` | base parameters of a robot: what its equations of motion can tell apart |
| `logs` | recorded motions: read, checked, repaired and filtered |
| `regression` | rows of a log, parameters as columns, and their least squares |
| `workflow` | from a log to a robot: the steps, the doubts, the result, drive gains and payloads |
| `floating` | the same for legged robots: base pose, contacts, measured wrenches |
| `exciting` | motions from which the base parameters can be identified well |

A room imports only rooms above it; a test holds this.
"""

from .base.parameters import base_parameters
from .base.result import BaseParameters
from .exciting.expected import ExpectedErrors
from .exciting.motion import Excitation
from .exciting.search import excitation
from .floating.identify import identify_floating
from .floating.log import FloatingLog, read_floating_log
from .floating.result import FloatingIdentification
from .logs.errors import LogError
from .logs.log import Log
from .logs.reading import read_log
from .logs.transmission import Transmission
from .regression.friction import FrictionTerms
from .regression.least_squares import ExcitationError
from .regression.payload_states import PayloadState
from .regression.reduced import reduced_factor
from .regression.torque_column import TorqueColumn
from .workflow.gains import DriveGains, drive_gains
from .workflow.identify import identify
from .workflow.joint_payload import IdentifiedPayload
from .workflow.known_mass import known_mass_gains
from .workflow.locking import lock
from .workflow.log_results import LogResult
from .workflow.payload import Payload, identify_payload
from .workflow.prediction import Errors
from .workflow.result import Identification, IdentifiedParameter
from .workflow.rollout import Rollout

__all__ = [
    "BaseParameters",
    "DriveGains",
    "Errors",
    "Excitation",
    "ExcitationError",
    "ExpectedErrors",
    "FloatingIdentification",
    "FloatingLog",
    "FrictionTerms",
    "Identification",
    "IdentifiedParameter",
    "IdentifiedPayload",
    "Log",
    "LogError",
    "LogResult",
    "Payload",
    "PayloadState",
    "Rollout",
    "TorqueColumn",
    "Transmission",
    "base_parameters",
    "drive_gains",
    "excitation",
    "identify",
    "identify_floating",
    "identify_payload",
    "known_mass_gains",
    "lock",
    "read_floating_log",
    "read_log",
    "reduced_factor",
]
