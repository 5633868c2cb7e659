"""Forms as methods: what a call chooses, in which precision, and the kernel that it gets."""

from .form_kernels import FormKernels, chosen_variant
from .method import OWNERS, FormFunction, FormMethod
from .still import is_still

__all__ = ["OWNERS", "FormFunction", "FormKernels", "FormMethod", "chosen_variant", "is_still"]
