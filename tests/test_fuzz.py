"""Short runs of every attack; `make fuzz` runs them whole."""

from __future__ import annotations

import pytest

from fuzz.__main__ import SECTIONS, run
from fuzz.inventory import public_callables
from fuzz.recipes import EXCLUDED, RECIPES, forgotten

SHORT = {"aliases": 300, "cache": 40, "processes": 4, "files": 400, "arguments": 800, "logs": 10}


@pytest.mark.parametrize("section", SECTIONS)
def test_no_attack_succeeds(section):
    outcome = run(section, SHORT[section], seed=1)
    assert outcome.tried >= SHORT[section]
    assert not outcome.failures, "\n".join(outcome.failures[:20])


def test_every_public_callable_is_attacked_or_excluded_with_a_reason():
    assert forgotten() == []
    known = public_callables()
    assert [name for name in (*RECIPES, *EXCLUDED) if name not in known] == []
    assert all(EXCLUDED.values())
