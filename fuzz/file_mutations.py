"""Ways to spoil a robot file: in its structure (elements, attributes, values), in its text, in its bytes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from copy import deepcopy

from lxml import etree

NUMBERS = (
    "nan", "inf", "-inf", "1e308", "-1e308", "1e160", "1e-160", "1e51", "1e50", "1e20", "1e9", "5e-324",
    "1e-320", "1e-40", "3.6e-17", "1e-9", "2e-8", "-0", "-0.0", "0", "-1", "1", "1_0", "", " ", "x", "true",
    "false", "0x10", "1,0", "1.", ".5", "+1", " 1", "1e400", "1e", "--1", "\u0661", "\uff11", "1d0", "${x}",
)  # fmt: skip
"""What a number is replaced by."""

DIGITS = 100_000
TEXTS = (
    "", " ", "base", "link0", "link1", "joint0", "joint1", "body0", "world", "universe", "root_joint",
    "x" * 1200, " link0", "link0 ", "a\u00e9\u65e5", "it's", "a&b<c>", "\U000e0001", "fixed", "revolute",
    "prismatic", "floating", "planar", "continuous", "free", "ball", "hinge", "slide", "joint0_fixed",
    "link0_fixed", "floating_base", "universal", "helical", "subspace",
)  # fmt: skip
"""What a name is replaced by."""

TAGS = ("link", "joint", "origin", "axis", "mass", "inertia", "inertial", "loop_joint", "body", "geom", "foo")
HEADS = (
    '<?xml version="0.0"?>', '<?xml version="1.1"?>', '<?xml version="1.0" encoding="latin-1"?>', "\n\n",
    "\ufeff", "text ", "<!DOCTYPE robot>", '<!DOCTYPE robot [<!ENTITY a "b">]>', "<!-- a -- b -->", "<foo/>",
    '<?xml version="1.0" encoding="utf-16"?>', "\x00", "<?php ?>",
)  # fmt: skip

Rng = random.Random


def hostile(rng: Rng, value: str) -> str:
    """Return a value with one of its words replaced, or another value."""
    if rng.random() < 0.002:
        return "9" * DIGITS
    words = value.split()
    if words and re.match(r"[-+.\d]", value) and rng.random() < 0.9:
        words[rng.randrange(len(words))] = rng.choice(NUMBERS)
        return " ".join(words)
    return rng.choice(rng.choice((NUMBERS, TEXTS, TEXTS)))


def misspelt(rng: Rng, word: str) -> str:
    """Return a word with a letter changed, dropped, doubled or made a capital."""
    at = rng.randrange(max(len(word), 1))
    letter = word[at : at + 1]
    return rng.choice(
        (
            word[:at] + word[at + 1 :] or "a",
            word[:at] + letter * 2 + word[at + 1 :],
            word[:at] + "x" + word[at + 1 :],
            word.upper(),
            word.capitalize(),
            "x" + word,
        )
    )


def spoil_attribute(rng: Rng, root: etree._Element) -> None:
    """Change, drop, rename, add or exchange an attribute."""
    nodes = [node for node in root.iter("*") if node.attrib]
    node = rng.choice(nodes)
    key = rng.choice(list(node.attrib))
    match rng.choice(("value",) * 6 + ("drop", "rename", "add", "exchange")):
        case "value":
            _set(node, key, hostile(rng, node.get(key)))
        case "drop":
            del node.attrib[key]
        case "rename":
            value = node.attrib.pop(key)
            node.set(misspelt(rng, key), value)
        case "add":
            other = rng.choice(nodes)
            key = rng.choice([*other.attrib, "quat_xyzw", "ref", "armature", "version", "quat"])
            _set(node, key, rng.choice(("0 0 1e160 1e160", "0 0 0 2", "1", "0.3 0 0", hostile(rng, "1"))))
        case _:
            other = rng.choice(nodes)
            _set(node, key, rng.choice(list(other.attrib.values())))


def _set(node: etree._Element, key: str, value: str) -> None:
    """Set an attribute to what XML can hold."""
    node.set(key, "".join(letter for letter in value if letter >= " "))


def spoil_element(rng: Rng, root: etree._Element) -> None:
    """Drop, double, rename, move, wrap or add an element."""
    nodes = list(root.iter("*"))[1:]
    if not nodes:
        return
    node = rng.choice(nodes)
    parent = node.getparent()
    match rng.choice(("drop", "double", "rename", "move", "wrap", "add", "swap")):
        case "drop":
            parent.remove(node)
        case "double":
            parent.insert(parent.index(node), deepcopy(node))
        case "rename":
            node.tag = misspelt(rng, node.tag)
        case "move":
            place = rng.choice(nodes)
            if place is not node and node not in place.iterancestors():
                place.append(node)
        case "wrap":
            outer = etree.Element(rng.choice(TAGS))
            parent.replace(node, outer)
            outer.append(node)
        case "add":
            node.append(etree.Element(rng.choice(TAGS), name=rng.choice(TEXTS[2:10])))
        case _:
            parent.append(node)


def spoil_xml_text(rng: Rng, text: str) -> str:
    """Break the text of an XML file as people and tools do."""
    blank = re.search(r'" \w', text)
    match rng.randrange(7):
        case 0:
            return rng.choice(HEADS) + text
        case 1:
            return text[: rng.randrange(len(text))]
        case 2:
            return text.replace("<robot ", '<robot xmlns="http://example.org" ', 1)
        case 3 if blank:
            return text[: blank.start() + 1] + text[blank.start() + 2 :]
        case 4:
            return text.replace("</robot>", "<foo:bar baz:x='1'/></robot>")
        case 5:
            return text.replace("<link", "<!-- a -- b --><link", 1)
        case _:
            at = rng.randrange(len(text))
            return text[:at] + rng.choice(("<", ">", '"', "&", "&amp;", "--", "]]>", "\u00e9")) + text[at:]


def spoiled_xml(rng: Rng, text: str) -> bytes:
    """Return an XML file spoilt in one to three places."""
    root = etree.fromstring(text.encode())
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        rng.choice((spoil_attribute, spoil_attribute, spoil_element))(rng, root)
    text = etree.tostring(root, encoding="unicode")
    if rng.random() < 0.15:
        text = spoil_xml_text(rng, text)
    return encoded(rng, text)


def encoded(rng: Rng, text: str) -> bytes:
    """Return a text as bytes, mostly UTF-8."""
    encoding = rng.choice(("utf-8",) * 40 + ("utf-8-sig", "utf-16", "latin-1", "utf-32-le"))
    return text.encode(encoding, errors="replace")


def spoiled_toml(rng: Rng, text: str) -> bytes:
    """Return a TOML file spoilt in one to three places."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        text = rng.choice((_toml_value, _toml_value, _toml_value, _toml_key, _toml_line))(rng, text)
    return encoded(rng, text)


def _toml_value(rng: Rng, text: str) -> str:
    values = list(re.finditer(r'(?<=[\s\[,=])(-?[\d.][\w.+-]*|"[^"\n]*"|true|false)', text))
    if not values:
        return text
    at = rng.choice(values)
    others = (
        "[]",
        "{}",
        "[1, 2]",
        "1979-05-27",
        '"1.0"',
        "true",
        "-0.9",
        "10" * 200,
        '"\\u0000"',
        '"\\ud800"',
    )
    value = rng.choice(
        (*NUMBERS, *others, *(f'"{name}"' for name in TEXTS), "9" * (4400 if rng.random() < 0.1 else 3))
    )
    return text[: at.start()] + value + text[at.end() :]


def _toml_key(rng: Rng, text: str) -> str:
    keys = list(re.finditer(r"\b([a-z_]+)(?=\s*=)", text))
    if not keys:
        return text
    at = rng.choice(keys)
    key = rng.choice((misspelt(rng, at[0]), rng.choice(keys)[0], f"{at[0]}.{at[0]}", ".".join("a" * 300)))
    return text[: at.start()] + key + text[at.end() :]


def _toml_line(rng: Rng, text: str) -> str:
    lines = text.splitlines()
    at, to = rng.randrange(len(lines) or 1), rng.randrange(len(lines) or 1)
    match rng.randrange(4):
        case 0:
            del lines[at:to]
        case 1:
            lines.insert(to, lines[at])
        case 2:
            lines[at], lines[to] = lines[to], lines[at]
        case _:
            lines.insert(
                at, rng.choice(("[link]", "[[joint]]", "[mdh]", "[" * 2000, 'x = """', "motor = true"))
            )
    return "\n".join(lines)


def spoiled_bytes(rng: Rng, text: str) -> bytes:
    """Return a file with some bytes overwritten, dropped, repeated or added."""
    data = bytearray(text.encode())
    for _ in range(rng.randint(1, 3)):
        at, length = rng.randrange(len(data) or 1), rng.choice((1, 1, 2, 50))
        match rng.randrange(5):
            case 0:
                data[at : at + 1] = rng.choice(b"0123456789.-e ").to_bytes(1, "big")
            case 1:
                del data[at : at + length]
            case 2:
                data[at:at] = data[at : at + length]
            case 3:
                data[at:at] = rng.randbytes(length)
            case _:
                data[at : at + 1] = rng.randbytes(1)
    return bytes(data)


SPOILED: dict[str, Callable[[Rng, str], bytes]] = {
    "urdf": spoiled_xml,
    "mjcf": spoiled_xml,
    "toml": spoiled_toml,
}
"""How each format is spoilt in its structure."""
