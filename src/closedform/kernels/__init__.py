"""Programs as machine code: LLVM, NumPy gufuncs, an on-disk cache."""

from .compiled import compiled, traced
from .fast_call import FastCall
from .kernel import Kernel
from .patterns import Plan
from .precision import common_precision
from .recipe import DeferredRecipe, FormRecipe, ProgramRecipe, Recipe
from .signature import Signature, named_outputs

__all__ = [
    "DeferredRecipe",
    "FastCall",
    "FormRecipe",
    "Kernel",
    "Plan",
    "ProgramRecipe",
    "Recipe",
    "Signature",
    "common_precision",
    "compiled",
    "named_outputs",
    "traced",
]
