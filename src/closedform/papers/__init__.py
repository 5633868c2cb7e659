"""The papers that the library implements: where each equation is, and what each prints, computed again."""

from .exhibit import Exhibit, Table
from .page import PAPER_PAGE, write_paper
from .paper import KEYS, Item, Paper, paper
from .printed import Printed

__all__ = [
    "KEYS",
    "PAPER_PAGE",
    "Exhibit",
    "Item",
    "Paper",
    "Printed",
    "Table",
    "paper",
    "write_paper",
]
