"""The command line, run within the process of a test."""

from __future__ import annotations

import pytest

from closedform.cli import main


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr of a command."""
    with pytest.raises(SystemExit) as stop:
        main(list(arguments))
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err
