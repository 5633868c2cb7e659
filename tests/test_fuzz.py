"""Short runs of every attack; `make fuzz` runs them whole."""

from __future__ import annotations

import pytest
from fuzz.__main__ import SECTIONS, run

SHORT = {"aliases": 300, "cache": 40, "processes": 4, "files": 400, "arguments": 800, "logs": 10}


@pytest.mark.parametrize("section", SECTIONS)
def test_no_attack_succeeds(section):
    outcome = run(section, SHORT[section], seed=1)
    assert outcome.tried >= SHORT[section]
    assert not outcome.failures, "\n".join(outcome.failures[:20])
