"""Identification: base parameters, logs and the parameters that explain them."""

from .base_parameters import BaseParameters, base_parameters
from .excitation import Excitation, excitation
from .friction import Friction
from .gains import DriveGains, drive_gains
from .locking import lock
from .log import Log
from .payload import Payload, identify_payload
from .reading import read_log
from .reduced import reduced_factor
from .regression import ExcitationError
from .result import Errors, Identification, Parameter
from .tables import LogError
from .transmission import Transmission
from .workflow import identify

__all__ = [
    "BaseParameters",
    "DriveGains",
    "Errors",
    "Excitation",
    "ExcitationError",
    "Friction",
    "Identification",
    "Log",
    "LogError",
    "Parameter",
    "Payload",
    "Transmission",
    "base_parameters",
    "drive_gains",
    "excitation",
    "identify",
    "identify_payload",
    "lock",
    "read_log",
    "reduced_factor",
]
