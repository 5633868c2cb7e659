"""The viewer: frames a second of the server, with and without a browser, and the time to a first picture."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import numpy as np

import closedform as cf
from closedform.viewer.robot_view import RobotView
from tools.chromium import FLAGS, chromium

ROBOTS = ("iiwa14", "humanoid")
"""A robot of 7 dofs, for which 30 frames a second are promised, and one of 37."""

WATCH = """
    window.drawn = {frames: 0, first: 0, triangles: 0};
    const plain = WebGL2RenderingContext.prototype.drawElements;
    WebGL2RenderingContext.prototype.drawElements = function (mode, count, ...rest) {
        window.drawn.triangles += count / 3;
        return plain.call(this, mode, count, ...rest);
    };
    const tick = () => {
        if (window.drawn.triangles > LEAST) {
            window.drawn.frames += 1;
            window.drawn.first = window.drawn.first || Date.now() / 1000;
        }
        window.drawn.triangles = 0;
        requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
"""
"""Counts frames in which about as many triangles were drawn as the robot has, and when the first was."""


def run(quick: bool = False) -> dict[str, Any]:
    results: dict[str, Any] = {}
    for name in ROBOTS:
        results[name] = found = {"alone": _alone(name, 100 if quick else 400)}
        print(f"  {name:10s} {found['alone']:7.1f} frames/s of the server alone (poses, scene, numbers)")
    path = chromium()
    if path is None:
        print("  no Chromium: nothing is measured in a browser")
        return results
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(FLAGS))
        _first_picture(browser, "iiwa14")  # kernels and the browser's own caches
        for name in ROBOTS:
            times = [_first_picture(browser, name) for _ in range(1 if quick else 3)]
            served, seen = _playing(browser, name, 2.0 if quick else 5.0)
            results[name] |= {"first_picture": min(times), "served": served, "seen": seen}
            print(
                f"  {name:10s} first picture {min(times):.2f} s after the start of the process; playing, "
                f"{served:.1f} frames/s served, {seen:.1f} drawn by Chromium without a graphics card"
            )
        browser.close()
    return results


def _alone(name: str, count: int) -> float:
    """Return the frames a second of the server without a client."""
    robot = cf.load(name)
    with RobotView(robot, port=0) as view:
        _wait(view)
        view.loop.end()
        (q,) = robot.random_state(0, batch=count, order=0)
        best = np.inf
        for part in np.array_split(q, 4):
            began = time.perf_counter()
            for each in part:
                view.state.move(each)
                view.frame(0.0)
                view.write()  # in every frame, though frames that follow at once do without
            best = min(best, (time.perf_counter() - began) / len(part))
    return float(1 / best)


def _wait(view: RobotView) -> None:
    """Wait until numbers, solver and motion are ready."""
    while view.playing.player is None:
        time.sleep(0.05)


def _first_picture(browser: Any, name: str) -> float:
    """Return the seconds from the start of `closedform view` to the robot in a browser that is open."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.add_init_script(WATCH.replace("LEAST", str(_triangles(name) // 2)))
    began = time.time()
    command = [sys.executable, "-m", "closedform", "view", name, "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        page.goto(process.stdout.readline().strip())
        while not page.evaluate("window.drawn.first"):
            page.wait_for_timeout(20)
        first = float(page.evaluate("window.drawn.first")) - began
    finally:
        process.terminate()
        process.wait()
        page.close()
    return first


def _playing(browser: Any, name: str, seconds: float) -> tuple[float, float]:
    """Return the frames a second that are served, and drawn by the browser, while a motion plays."""
    with RobotView(cf.load(name), port=0) as view:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.add_init_script(WATCH.replace("LEAST", str(_triangles(name) // 2)))
        page.goto(view.url)
        while not page.evaluate("window.drawn.first"):
            page.wait_for_timeout(20)
        _wait(view)
        view.loop.ask("play", view.playing.toggle)
        page.wait_for_timeout(1000)
        began, served, seen = time.time(), view.loop.frames, page.evaluate("window.drawn.frames")
        page.wait_for_timeout(1000 * seconds)
        served, seen = view.loop.frames - served, page.evaluate("window.drawn.frames") - seen
        took = time.time() - began
        page.close()
    return served / took, seen / took


def _triangles(name: str) -> int:
    return sum(len(piece.faces) for piece in cf.load(name).shapes().pieces)
