"""Forms as flat lists of scalar operations: common subexpressions, ordering, chunking, counts."""

from .evaluate import evaluate
from .from_casadi import Shaped, core_shape, program
from .products import PRODUCTS
from .program import Counts, Operation, Program, needed
from .schedule import Chunk, Clear, Order, Step, Store, schedule
from .to_casadi import expressions
from .trace import form_program, trace
from .workspace import Workspace, values_read

__all__ = [
    "PRODUCTS",
    "Chunk",
    "Clear",
    "Counts",
    "Operation",
    "Order",
    "Program",
    "Shaped",
    "Step",
    "Store",
    "Workspace",
    "core_shape",
    "evaluate",
    "expressions",
    "form_program",
    "needed",
    "program",
    "schedule",
    "trace",
    "values_read",
]
