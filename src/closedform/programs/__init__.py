"""Forms as flat lists of scalar operations: common subexpressions, ordering, chunking, counts."""

from .program import Counts, Operation, Program, program
from .schedule import Chunk, Store, schedule
from .trace import trace

__all__ = ["Chunk", "Counts", "Operation", "Program", "Store", "program", "schedule", "trace"]
