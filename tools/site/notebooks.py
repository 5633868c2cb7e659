"""Notebooks run quietly: their kernels say nothing but errors."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def connect(app: Sphinx) -> None:
    """Give the kernels a profile of their own, which no setting of the user changes."""
    logging.getLogger("traitlets").setLevel(logging.WARNING)
    folder = Path(app.outdir).parent / "ipython"
    profile = folder / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    settings = "c.IPKernelApp.log_level = 40\n"  # among them that other users of this machine might listen
    (profile / "ipython_kernel_config.py").write_text(settings, encoding="utf-8")
    os.environ["IPYTHONDIR"] = str(folder)
