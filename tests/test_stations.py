"""The mass matrix of long branches by stations is the one by moving wrenches from body to body."""

from __future__ import annotations

import numpy as np
import pytest

from closedform.forms import mass, stations
from closedform.programs import evaluate, trace
from test_program_size import chain
from tolerances import ROUNDING, worst


def test_stations_give_the_same_mass_matrix(robot, monkeypatch):
    if any(body.coupling is not None for body in robot.model.bodies):
        pytest.skip("joints that mimic others are moved from body to body")
    q = robot.random_state(2, batch=3)[0]
    plain = evaluate(trace(robot.model, "mass_matrix", closed=False), q)
    monkeypatch.setattr(mass, "LONG", 0)
    monkeypatch.setattr(stations, "SPACING", 2)
    M = evaluate(trace(robot.model, "mass_matrix", closed=False), q)
    assert worst(M, plain) < ROUNDING
    assert np.array_equal(M, np.swapaxes(M, -1, -2))


def test_a_long_chain_costs_half_and_keeps_the_digits_of_every_entry(monkeypatch):
    robot = chain(60)
    q = robot.random_state(0)[0]
    by_station = trace(robot.model, "mass_matrix")
    monkeypatch.setattr(mass, "LONG", 1000)
    plain = trace(robot.model, "mass_matrix")
    assert by_station.counts.total < 0.7 * plain.counts.total
    M, reference = evaluate(by_station, q), evaluate(plain, q)
    size = np.sqrt(np.outer(np.diag(reference), np.diag(reference)))
    assert np.abs((M - reference) / size).max() < ROUNDING
