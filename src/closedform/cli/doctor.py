"""`closedform doctor`."""
# ruff: noqa: PLC0415

from __future__ import annotations

import os
import platform
from typing import Any

from .cache import cache_facts, cache_line
from .capabilities import CAPABILITIES, installed, missing
from .outcome import Outcome

REQUIRED = ("numpy", "scipy", "casadi", "llvmlite", "sympy", "lxml", "plotly")
"""Libraries that are always there, whose versions tell most about a problem."""

VECTORS = ("sse", "avx", "fma", "neon", "asimd", "sve", "altivec", "vsx")
"""How the compiler's names of vector extensions begin."""


def doctor() -> Outcome:
    """Show versions, the CPU, GPUs and the cache, and what is missing on this machine for what."""
    from ..kernels.cache_contents import cache_contents

    facts, cache = _facts(), cache_contents()
    cpu, gpu = facts["cpu"], facts["gpu"]
    extensions = " ".join(cpu["extensions"]) or "no vector extensions"
    shown = [
        f"closedform {facts['closedform']}, Python {facts['python']}, {facts['system']}",
        ", ".join(f"{name} {version or 'not found'}" for name, version in facts["required"].items()),
        f"CPU: {cpu['name']}, {cpu['cores']} cores, vectors of {cpu['vector_bits']} bits ({extensions})",
        *(f"GPU: {device['name']}, {device['bytes'] / 2**30:.0f} GiB" for device in gpu["devices"]),
        *([f"GPU: none: {gpu['problem']}"] if gpu["problem"] else []),
        f"cache: {cache_line(cache)}",
        "",
    ]
    for each in facts["capabilities"]:
        there = ", ".join(f"{name} {version}" for name, version in each["libraries"].items())
        shown.append(f"{each['what']}: {each['missing'] or there}")
    return Outcome(facts | {"cache": cache_facts(cache)}, shown)


def _facts() -> dict[str, Any]:
    """Return what there is on this machine, besides the cache."""
    from .. import __version__

    return {
        "closedform": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "required": {name: installed(name) for name in REQUIRED},
        "cpu": _cpu(),
        "gpu": _gpu(),
        "capabilities": [
            {
                "what": each.what,
                "libraries": {name: installed(name) for name in (n.split(">=")[0] for n in each.needs)},
                "missing": missing(each),
            }
            for each in CAPABILITIES
        ],
    }


def _cpu() -> dict[str, Any]:
    """Return the CPU and its vector extensions as the compiler sees them."""
    from ..kernels.machine import cpu, register_bits

    triple, name, features = cpu()
    on = [each.removeprefix("+") for each in features.split(",") if each.startswith("+")]
    return {
        "name": name,
        "triple": triple,
        "cores": os.cpu_count() or 1,
        "vector_bits": register_bits(),
        "extensions": sorted(each for each in on if each.startswith(VECTORS)),
    }


def _gpu() -> dict[str, Any]:
    """Return the GPUs, or why none can be used."""
    from ..cuda.driver import gpus
    from ..errors import ClosedFormError

    try:
        found = gpus()
        problem = "" if found else "NVIDIA's driver sees no GPU"
    except ClosedFormError as error:
        found, problem = [], str(error)
    return {"devices": [{"name": each.name, "bytes": each.memory} for each in found], "problem": problem}
