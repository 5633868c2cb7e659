"""Errors of the library in the words of the command line."""

from __future__ import annotations

import re

OPTIONS = {
    "floating_base": "--floating-base",
    "motor_inertia": "--motor-inertia",
    "hold_out": "--hold-out",
    "mass_bounds": "--mass-bounds",
    "total_mass": "--total-mass",
    "symmetric": "--symmetric",
    "gear_ratio": "--gear-ratio",
    "trajectory": "--motion",
    "criterion": "--criterion",
    "targets": "--path",
    "target": "--target",
    "q0": "--start",
    "start": "--start",
    "tool": "--tool",
    "task": "--task",
    "undetermined": "--undetermined",
    "contacts": "--contacts",
    "flat": "--flat",
    "twist": "--twist",
    "wrench_axes": "--wrench-axes",
    "symbolic": "--symbolic",
    "seconds": "--seconds",
    "digits": "--digits",
    "order": "--order",
    "frame": "--frame",
    "reference": "--reference",
    "relative_to": "--relative-to",
    "factorisation": "--factorisation",
    "coordinates": "--coordinates",
    "period": "--period",
    "lower": "--lower",
    "upper": "--upper",
    "acceleration": "--acceleration",
    "torque_noise": "--torque-noise",
    "obstacles": "--keep-out",
    "workspace": "--box",
    "clearance": "--clearance",
    "margin": "--margin",
    "floor": "--floor",
    "terms": "--terms",
    "starts": "--starts",
    "iterations": "--iterations",
    "stiffness": "--stiffness",
    "duration": "--duration",
    "samples": "--samples",
    "precision": "--precision",
    "cutoff": "--cutoff",
    "lag": "--lag",
    "springs": "--springs",
    "zero_offsets": "--zero-offsets",
    "rate": "--rate",
    "step": "--step",
    "locked": "--locked",
    "units": "--units",
    "columns": "--columns",
    "window": "--window",
    "topic": "--topic",
    "reduction": "--reduction",
    "offset": "--offset",
    "gain": "--gain",
    "missing": "--missing",
    "payloads": "--payload",
    "on_error": "--on-error",
}
"""Arguments of the library and the options that set them."""

PHRASES = (
    (r'\{"(\w+)": "([^"]+)"\}', r"\1=\2"),
    (r"locked=\{'([^']+)': ([^}]+)\}", r"--locked \1=\2"),
    (r"locked=\{joint: coordinate\}", "--locked joint=coordinate"),
    (r'locked="absent"', "--locked absent"),
    (r"locked=\[\.\.\.\]", "--locked joint=coordinate"),
    (r"\b(gain|reduction|offset)=\[\.\.\.\]", r"--\1 ..."),
    (r"\bplausible=False", "--no-plausible"),
    (r"\bphysical=False", "--no-physical"),
    (r"\bphysical=True", "--physical"),
    (r'expected None, "half" or', "expected none, half or"),
    (
        r'expected None, "half", the .*',
        "expected none, half or seconds; or --hold-out-files, names or a number",
    ),
    (r'undetermined="(\w+)"', r"--undetermined \1"),
    (r"\brate= in Hz", "--rate in Hz"),
    (r'columns=\{"(\w+)": \[\.\.\.\]\}', r"--columns \1=..."),
    (
        r'columns=\{"time": 0, "position": \[1, \.\.\.\], "effort": \[\.\.\.\]\}',
        "--columns time=0 --columns position=1-2 --columns effort=3-4",
    ),
    (r'rate=\{"(\w+)": \.\.\.\}', r"--rate \1=..."),
    (r'missing="(\w+)"', r"--missing \1"),
    (r"^ElasticJointRobot: ", "elastic: "),
    (r"\btask='(\w+)'", r"--task \1"),
    (r"build the arm with exact=True", "say exact = true in the arm's file"),
)
"""What sentences of the library say in Python, and how the command line says it."""


def as_options(message: str) -> str:
    """Return a message whose arguments are named as options: "period is -1" as "--period is -1".

    Only if the message is about a value that was given ("... is ...") or asks for one
    ("name=value"), so that words of a sentence stay words.
    """
    for pattern, words in PHRASES:
        message = re.sub(pattern, words, message)
    for name, option in OPTIONS.items():
        message = re.sub(rf"(^|: |\n){name}( is |: | has | of joint )", rf"\1{option}\2", message)
        message = re.sub(rf"\b{name}=True\b", option, message)
        message = re.sub(rf"\b{name}=", f"{option} ", message)
    return message
