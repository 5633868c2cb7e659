"""Programs as machine code: LLVM, NumPy gufuncs, an on-disk cache."""

from .compiled import compiled, traced
from .kernel import Kernel
from .recipe import DeferredRecipe, FormRecipe, ProgramRecipe, Recipe
from .signature import named_outputs

__all__ = [
    "DeferredRecipe",
    "FormRecipe",
    "Kernel",
    "ProgramRecipe",
    "Recipe",
    "compiled",
    "named_outputs",
    "traced",
]
