"""Forms as flat lists of scalar operations: common subexpressions, ordering, chunking, counts."""

from .evaluate import evaluate
from .program import Counts, Operation, Program, Shaped, core_shape, program
from .schedule import ORDERS, Chunk, Store, schedule
from .trace import trace

__all__ = [
    "ORDERS",
    "Chunk",
    "Counts",
    "Operation",
    "Program",
    "Shaped",
    "Store",
    "core_shape",
    "evaluate",
    "program",
    "schedule",
    "trace",
]
