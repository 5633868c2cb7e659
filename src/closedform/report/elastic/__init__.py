"""The page of a robot on elastic joints."""

from ..page import Page
from . import chain, laws, motor_sensors, rates, robustness, tracking
from .elastic_study import ElasticStudy

ELASTIC_PAGE = Page(
    "Elastic joints",
    tuple(part.SECTION for part in (rates, laws, chain, tracking, motor_sensors, robustness)),
    "elastic_summary.html.j2",
)

__all__ = ["ELASTIC_PAGE", "ElasticStudy"]
