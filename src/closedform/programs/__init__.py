"""Forms as flat lists of scalar operations: common subexpressions, ordering, chunking, counts."""

from .evaluate import evaluate
from .program import Counts, Operation, Program, program
from .schedule import ORDERS, Chunk, Store, schedule
from .trace import trace

__all__ = [
    "ORDERS",
    "Chunk",
    "Counts",
    "Operation",
    "Program",
    "Store",
    "evaluate",
    "program",
    "schedule",
    "trace",
]
