"""Mesh files that tests write: one cube in every format, and files made to do harm."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import numpy as np

from closedform.shapes import solids

CORNERS, FACES = solids.box(0.2, 0.4, 0.6)


def stl(vertices=CORNERS, faces=FACES) -> bytes:
    rows = [struct.pack("<12fH", 0, 0, 0, *vertices[face].ravel(), 0) for face in faces]
    return b"solid".ljust(80, b"\0") + struct.pack("<I", len(rows)) + b"".join(rows)


def ascii_stl() -> bytes:
    lines = ["solid cube"]
    for face in FACES:
        points = "".join(f"  vertex {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in CORNERS[face])
        lines.append(f"facet normal 0 0 0\n outer loop\n{points} endloop\nendfacet")
    return "\n".join([*lines, "endsolid cube"]).encode()


def obj() -> bytes:
    """Return the cube as four-sided faces with indices from the end, and a material."""
    points = "".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS)
    quads = "".join(f"f {k - 24}//1 {k - 23}//1 {k - 22}//1 {k - 21}//1\n" for k in range(0, 24, 4))
    return f"mtllib cube.mtl\n{points}usemtl paint\n{quads}".encode()


MTL = b"newmtl paint\nKd 1 0 0.5\nd 0.25\n"


def dae(body: str = "", head: str = "", scene: str = "") -> bytes:
    """Return the cube in centimetres as polygons, moved back by a node that turns and shifts it."""
    turned = CORNERS[:, [1, 0, 2]] * (1, -1, 1) * 100 - (100, 0, 0)  # the node's motion undone
    points = " ".join(f"{x:.9g}" for x in turned.ravel())
    index = " ".join(f"{k} 0" for k in range(24))
    scene = scene or (
        '<node><translate>0 100 0</translate><rotate>0 0 1 90</rotate><instance_geometry url="#cube">'
        '<bind_material><technique_common><instance_material symbol="s" target="#m"/></technique_common>'
        "</bind_material></instance_geometry></node>"
    )
    return f"""<?xml version="1.0"?>{head}
    <COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
    <asset><unit meter="0.01"/><up_axis>Y_UP</up_axis></asset>
    <library_effects><effect id="e"><profile_COMMON><technique sid="t"><phong><diffuse>
      <color>0 0.5 1 1</color></diffuse></phong></technique></profile_COMMON></effect></library_effects>
    <library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
    <library_geometries><geometry id="cube"><mesh>
      <source id="p"><float_array id="a" count="72">{points}</float_array><technique_common>
        <accessor source="#a" count="24" stride="3"/></technique_common></source>
      <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
      <polylist material="s" count="6"><input semantic="VERTEX" source="#v" offset="0"/>
        <input semantic="NORMAL" source="#p" offset="1"/><vcount>4 4 4 4 4 4</vcount><p>{index}</p></polylist>
    </mesh></geometry></library_geometries>{body}
    <library_visual_scenes><visual_scene id="scene">{scene}</visual_scene></library_visual_scenes>
    <scene><instance_visual_scene url="#scene"/></scene></COLLADA>""".encode()


LAUGHS = '<!DOCTYPE c [<!ENTITY a "ha">' + "".join(
    f'<!ENTITY {chr(98 + k)} "{f"&{chr(97 + k)};" * 10}">' for k in range(12)
)

DOUBLING = "".join(
    f'<node id="n{k + 1}"><instance_node url="#n{k}"/><instance_node url="#n{k}"/></node>' for k in range(60)
)

HOSTILE = {
    "empty.stl": b"",
    "short.stl": b"\0" * 83,
    "count.stl": b"\0" * 80 + b"\xff" * 4 + b"\0" * 50,
    "nothing.stl": b"\0" * 84,
    "nan.stl": stl(np.full_like(CORNERS, np.nan)),
    "far.stl": stl(CORNERS * 1e30),
    "flat.stl": stl(CORNERS * 0),
    "words.stl": b"solid x\nfacet normal 0 0 1\nouter loop\nvertex a b c\nvertex 1 2 3\nvertex 1 2 3\n",
    "index.obj": b"v 0 0 0\nf 1 2 99999999999\n",
    "overflow.obj": b"v 0 0 0\nf 1 2 " + b"9" * 40 + b"\n",
    "words.obj": b"v one two three\nf 1 2 3\n",
    "binary.obj": bytes(range(256)) * 20,
    "laughs.dae": dae(head=LAUGHS + "]>").replace(b"<up_axis>", b"<title>&m;</title><up_axis>"),
    "outside.dae": dae(head='<!DOCTYPE c [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
    "doubling.dae": dae(
        body=f'<library_nodes><node id="n0"/>{DOUBLING}</library_nodes>',
        scene='<instance_node url="#n60"/>',
    ),
    "itself.dae": dae(scene='<node id="loop"><instance_node url="#loop"/></node>'),
    "corners.dae": dae().replace(b"<vcount>4 4", b"<vcount>2000000000 4"),
    "stride.dae": dae().replace(b'offset="1"', b'offset="100000000"'),
    "unit.dae": dae().replace(b'meter="0.01"', b'meter="nan"'),
    "cut.dae": dae()[:900],
    "nodes.dae": b"<COLLADA>" + b"<a>" * 300_000,
    "root.dae": b"<html/>",
}
"""Files that hold no mesh that could be drawn."""


def write_hostile(folder: Path) -> list[str]:
    """Write them, with a file of half a gigabyte (of holes), a pipe and links; return the names."""
    for name, data in HOSTILE.items():
        (folder / name).write_bytes(data)
    with open(folder / "huge.stl", "wb") as file:
        file.truncate(500 * 2**20)
    os.mkfifo(folder / "pipe.stl")
    (folder / "folder.stl").mkdir()
    (folder / "secret.stl").symlink_to("/etc/passwd")
    more = ["huge.stl", "pipe.stl", "folder.stl", "secret.stl", "missing.stl", "mesh.step", "", "\0.stl"[1:]]
    places = ["http://host/x.stl", "file:///etc/passwd.stl", "package://nowhere/x.stl", "x" * 5000 + ".stl"]
    return [*HOSTILE, *more, *places]
