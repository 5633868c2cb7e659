"""What holds for all tests: one thread of linear algebra each, and examples of libraries that are there.

Two workers share the cores; threads of BLAS beside them would wait for one another. Modules that receive
arrays of a library have no examples to run where the library is not installed.
"""

import os
from importlib.util import find_spec

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported

collect_ignore_glob = [
    f"src/closedform/guests/{library}_*.py"
    for library in ("torch", "jax", "cupy")
    if find_spec(library) is None
]
