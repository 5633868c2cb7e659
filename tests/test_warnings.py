"""Warnings point at the line of the user's code that led to them."""

from __future__ import annotations

import warnings
from pathlib import Path

import closedform as cf

LOADED = """<robot name="r"><link name="a"/><joint name="j" type="continuous"><parent link="a"/>
<child link="b"/></joint><link name="b"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="3" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""


def test_a_doubt_about_a_file_points_at_the_load(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(LOADED)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cf.load(path)
    assert [Path(each.filename).name for each in caught] == [Path(__file__).name]
    assert "load(path)" in Path(caught[0].filename).read_text().splitlines()[caught[0].lineno - 1]
