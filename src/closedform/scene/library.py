"""What the scenes of a page share: three.js, a script and a style sheet, once."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from .packing import compressed

SCRIPTS = ("data.js", "geometry.js", "orbit.js", "stage.js", "marks.js", "actors.js", "player.js", "main.js")
"""Files of the script, one after another."""

THREE = {"core": "three.core.min.js", "module": "three.module.min.js"}
"""Files of three.js: the second imports the first."""

SCENE = '<figure class="scene">'
"""How the part of a page begins that shows a scene."""


@cache
def environment() -> Environment:
    """Return the templates; everything put into them is escaped."""
    return Environment(
        loader=PackageLoader("closedform.scene"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def library() -> Markup:
    """Return what a page with scenes needs once: about 0.3 MB."""
    folder = files("closedform.scene")
    three = {
        name: compressed((folder / "vendor" / "three" / file).read_bytes()) for name, file in THREE.items()
    }
    script = "\n".join((folder / "templates" / name).read_text() for name in SCRIPTS)
    style = (folder / "templates" / "scene.css").read_text()
    licence = (folder / "vendor" / "three" / "LICENSE").read_text().split("\n\n")[1]
    template = environment().get_template("library.html.j2")
    shown = template.render(three=three, script=Markup(script), style=Markup(style), licence=licence)
    return Markup(shown)
