"""Forms as flat lists of scalar operations: common subexpressions, ordering, chunking, counts."""

from .evaluate import evaluate
from .program import Counts, Operation, Program, Shaped, core_shape, program
from .schedule import ORDERS, Chunk, Clear, Step, Store, schedule
from .trace import trace

__all__ = [
    "ORDERS",
    "Chunk",
    "Clear",
    "Counts",
    "Operation",
    "Program",
    "Shaped",
    "Step",
    "Store",
    "core_shape",
    "evaluate",
    "program",
    "schedule",
    "trace",
]
