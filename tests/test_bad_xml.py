"""What is not XML, not a file or not a robot is refused; nothing hangs, leaks or reaches the network."""

from __future__ import annotations

import os
import random
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import closedform as cf
from urdf_texts import ARM, AXIS, Load, refusal


def test_the_plain_arm_loads(load: Load) -> None:
    assert load(ARM).nv == 1


@pytest.mark.parametrize("cut", [20, 60, 150, 250, len(ARM) - 12])
def test_a_truncated_file_names_the_line(load: Load, cut: int) -> None:
    line = ARM[:cut].count("\n") + 1
    assert re.search(rf"line {line}\b", refusal(load, ARM[:cut]))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" \n ",
        b"\0" * 100,
        bytes(range(256)) * 10,
        random.Random(0).randbytes(1000),
        b"\x89PNG\r\n\x1a\n" + b"\0" * 50,
        b"hello",
        b"{}",
        ARM.encode() + b"<more/>",
        b"<robot>" * 100_000,
        ARM.encode("utf-16")[2:],
        b'<robot name="r" name="r"/>',
        b"<robot>&undefined;</robot>",
        b'<robot name="&#0;"/>',
    ],
    ids=lambda data: str(data[:12]),
)
def test_what_is_not_xml_is_refused(load: Load, data: bytes) -> None:
    assert "XML" in refusal(load, data)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_unicode_files_with_a_byte_order_mark_load(load: Load, encoding: str) -> None:
    assert load(ARM.encode(encoding)).nv == 1


def bomb(reference: str) -> str:
    entities = '<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{i + 1} "{f"&a{i};" * 10}">' for i in range(12))
    return f"<!DOCTYPE robot [{entities}]>" + ARM.replace('name="r"', f'name="{reference}"')


@pytest.mark.parametrize(
    "text",
    [
        bomb("&a12;"),
        bomb("r").replace("</robot>", "&a12;</robot>"),
        f'<!DOCTYPE robot [<!ENTITY a "{"a" * 100_000}">]>'
        + ARM.replace("</robot>", "&a;" * 5000 + "</robot>"),
        '<!DOCTYPE robot [<!ENTITY a "&b;"><!ENTITY b "&a;">]>' + ARM.replace("</robot>", "&a;</robot>"),
        '<!DOCTYPE robot [<!ATTLIST mass value CDATA "7">]>' + ARM.replace('value="1"', ""),
    ],
    ids=["attribute", "text", "quadratic", "recursive", "defaults"],
)
def test_entity_bombs_and_defaults_of_document_types_are_refused(load: Load, text: str) -> None:
    assert len(refusal(load, text)) < 1000


@pytest.mark.parametrize(
    "template",
    [
        '<!DOCTYPE r [<!ENTITY x SYSTEM "{url}">]>' + ARM.replace("</robot>", "&x;</robot>"),
        '<!DOCTYPE r [<!ENTITY x SYSTEM "{url}">]>' + ARM.replace('"arm"', '"&x;"'),
        '<!DOCTYPE r [<!ENTITY % x SYSTEM "{url}"> %x;]>' + ARM,
        '<!DOCTYPE r SYSTEM "{url}">' + ARM.replace("</robot>", "&x;</robot>"),
        '<!DOCTYPE r PUBLIC "-//x//y" "{url}">' + ARM.replace("</robot>", "&x;</robot>"),
    ],
    ids=["text", "attribute", "parameter", "system", "public"],
)
def test_external_entities_are_never_read(load: Load, template: str, tmp_path_factory) -> None:
    secret = tmp_path_factory.mktemp("secret") / "secret.txt"
    secret.write_text("do-not-read-me")
    assert "do-not-read-me" not in refusal(load, template.replace("{url}", secret.as_uri()))


def test_includes_and_style_sheets_are_never_followed(load: Load, tmp_path_factory) -> None:
    secret = tmp_path_factory.mktemp("secret") / "secret.xml"
    secret.write_text('<link name="do-not-read-me"/>')
    text = f'<?xml-stylesheet href="{secret.as_uri()}"?>' + ARM.replace(
        'name="r">',
        f'name="r" xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="{secret.as_uri()}"/>',
    )
    assert "do-not-read-me" not in load(text).frame_names


def test_no_file_reaches_the_network(load: Load) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        url = f"http://127.0.0.1:{server.getsockname()[1]}/x.dtd"
        refusal(load, f'<!DOCTYPE r [<!ENTITY % x SYSTEM "{url}"> %x;]>' + ARM)
        with pytest.warns(cf.ModelWarning, match="DOCTYPE is skipped"):
            load(f'<!DOCTYPE robot SYSTEM "{url}">' + ARM)
        with pytest.raises(TimeoutError):
            server.accept()


def test_another_root_element_says_what_is_expected(load: Load) -> None:
    assert re.search("<sdf>.*<robot>.*<mujoco>", refusal(load, "<sdf/>"))


def test_comments_and_instructions_are_ignored(load: Load) -> None:
    text = ARM.replace('<axis xyz="0 0 1"/>', '<!-- <axis xyz="0 0 0"/> --><?run rm?><axis xyz="0 0 1"/>')
    assert load(text).nv == 1


# ------------------------------------------------------------------ files


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "nope.urdf", tmp_path / "no" / "folder.urdf"):
        with pytest.raises(cf.DescriptionError, match="no such file"):
            cf.load(path)


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    (tmp_path / "folder.urdf").mkdir()
    with pytest.raises(cf.DescriptionError, match=r"folder\.urdf"):
        cf.load(tmp_path / "folder.urdf")
    with pytest.raises(cf.ClosedFormError):
        cf.load(tmp_path)


def test_a_link_to_itself_is_not_a_file(tmp_path: Path) -> None:
    (tmp_path / "loop.urdf").symlink_to(tmp_path / "loop.urdf")
    with pytest.raises(cf.DescriptionError, match=r"loop\.urdf"):
        cf.load(tmp_path / "loop.urdf")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_named_pipe_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.urdf")
    code = "import sys, closedform as cf\ntry: cf.load(sys.argv[1])\nexcept cf.ClosedFormError as e: print(e)"
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "pipe.urdf"],
        capture_output=True,
        text=True,
        timeout=10,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(cf.__file__).parents[1])},
    )
    assert "pipe.urdf" in done.stdout


def test_a_file_beyond_the_size_limit_is_refused(load: Load) -> None:
    assert re.search("bytes.*limit", refusal(load, b"<robot>" + b" " * (65 * 2**20)))


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/tty"])
def test_devices_are_not_files(device: str, tmp_path: Path) -> None:
    if not Path(device).exists():
        pytest.skip("no such device on this system")
    (tmp_path / "robot.urdf").symlink_to(device)
    with pytest.raises(cf.DescriptionError, match=r"regular file|cannot be read"):
        cf.load(tmp_path / "robot.urdf")


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    with (tmp_path / "robot.toml").open("wb") as file:
        file.truncate(2**40)  # without blocks of its own
    with pytest.raises(cf.DescriptionError, match=r"1099511627776 bytes; the limit"):
        cf.load(tmp_path / "robot.toml")


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"<robot>" + b"<a/>" * 300_000 + b"</robot>", "tags"),
        (b"<robot " + b" ".join(b'a%d=""' % i for i in range(1_100_000)) + b"/>", "attributes"),
        (b"<robot " + b" ".join(b'xmlns:a%d="1"' % i for i in range(2000)) + b"/>", "namespaces"),
    ],
    ids=["tags", "attributes", "namespaces"],
)
def test_files_of_too_many_parts_are_refused_unparsed(load: Load, data: bytes, what: str) -> None:
    assert f"{what}; the limit is" in refusal(load, data)


TILTED = '<mujoco><worldbody><body euler="90.0001 0 0"><joint/><geom size="1"/></body></worldbody></mujoco>'
TILTED_TOML = (
    'name = "r"\ncitation = "none"\nlink = [{ name = "a" }, { name = "b" }]\njoint = [{ name = "j", '
    'type = "revolute", parent = "a", child = "b", axis = [0, 0, 1], rpy = [90.0001, 0, 0] }]'
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("robot.urdf", ARM.replace(AXIS, AXIS + '<origin rpy="1.5708 0 0"/>')),
        ("robot.xml", TILTED),
        ("robot.toml", TILTED_TOML),
    ],
)
def test_snap_rounds_quarter_turns_of_every_format(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    assert cf.load(tmp_path / name).model.bodies[0].placement[1, 1] != 0
    assert cf.load(tmp_path / name, snap=1e-4).model.bodies[0].placement[1, 1] == 0


def test_snap_rounds_quarter_turns_of_catalogue_robots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tilted.toml").write_text(TILTED_TOML)
    monkeypatch.setattr("closedform.description.catalogue.ROBOTS", tmp_path)
    assert cf.load("tilted").model.bodies[0].placement[1, 1] != 0
    assert cf.load("tilted", snap=1e-4).model.bodies[0].placement[1, 1] == 0
