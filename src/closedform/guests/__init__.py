"""Arrays of other kinds: kernels that are given them answer in kind.

Each guest hands its arrays to the same programs; what a kind can do beyond NumPy (gradients, tracing) is
written in its own file. A guest is imported when the first of its arrays arrives, and its library is there
already: nothing here imports one by itself.
"""

from .doors import Kind, at_precision, called, in_kind, in_words, kind_of, own, sized, to_host, to_kind
from .kinds import Guest, guest_of, is_lazy, known_precision
from .tracing import being_traced, let_be_traced, untraced

__all__ = [
    "Guest",
    "Kind",
    "at_precision",
    "being_traced",
    "called",
    "guest_of",
    "in_kind",
    "in_words",
    "is_lazy",
    "kind_of",
    "known_precision",
    "let_be_traced",
    "own",
    "sized",
    "to_host",
    "to_kind",
    "untraced",
]
