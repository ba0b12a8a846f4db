# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The dashboard as people see it, in headless Chromium: empty, busy, with a device that fails, with a
token; light and dark, narrow and wide; by the keyboard alone; checked by axe-core.

`make test-dashboard` runs it, and keeps screenshots in build/dashboard."""

import json
import os
import re
import shutil
import signal
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

ROOT = Path(__file__).parents[3]
SHOTS = Path(os.environ.get("HALIMEDE_SCREENSHOTS", ROOT / "build" / "dashboard"))
TOKEN = "0123456789abcdef-of-tests"
LIMIT_MS = 60_000
#: A load above 0.
NOT_IDLE = re.compile(r"^[1-9]|^0\.[1-9]")
SIZES = {"wide": (1280, 900), "narrow": (390, 844)}


def command() -> str:
    built = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug" / "halimede"
    assert built.exists(), f"{built} is not built"
    return str(built)


@contextmanager
def service(*options: str, **variables: str) -> Iterator[str]:
    """Returns the URL of a service."""
    server = subprocess.Popen(
        [command(), "serve", "--listen", "127.0.0.1:0", *options], stdout=subprocess.PIPE, text=True,
        stderr=subprocess.DEVNULL, env={**os.environ, **variables})
    assert server.stdout is not None
    try:
        yield server.stdout.readline().split()[-1]
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(120)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = shutil.which("chromium") or shutil.which("google-chrome")
    assert path is not None, "Chromium is not installed (apt install chromium)"
    with sync_playwright() as playwright:
        # As root, Chromium runs without a sandbox; it only loads our page.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def page_of(browser: Browser, url: str, size: str, scheme: Any) -> Iterator[Page]:
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    page.set_default_timeout(LIMIT_MS)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    foreign = lambda request: problems.append(request.url) if not request.url.startswith(url) else None
    page.on("request", foreign)
    page.goto(url)
    yield page
    assert problems == []
    context.close()


def ask(url: str, path: str, items: list[dict[str, Any]]) -> int:
    """Returns the status of a request."""
    body = json.dumps({"items": items}).encode()
    request = urllib.request.Request(url + path, body, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


@contextmanager
def load(url: str) -> Iterator[None]:
    """Sends requests of several kinds, some of them bad, until the end."""
    ended = threading.Event()
    kinds = [
        ("/v1/blake3/hash", [{"message": "ab" * number} for number in range(200)]),
        ("/v1/poseidon/filecoin-hash?arity=2", [{"elements": [hex(n), "0x7"]} for n in range(40)]),
        ("/v1/poseidon/starknet-hash", [{"elements": ["0x1", "0x2"]}, {"elements": ["no number"]}]),
        ("/v1/blake3/hash?unknown=1", [{"message": ""}]),
    ]

    def run(path: str, items: list[dict[str, Any]]) -> None:
        while not ended.wait(0.02):
            ask(url, path, items)

    threads = [threading.Thread(target=run, args=kind) for kind in kinds]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def check(page: Page, name: str) -> None:
    """Saves a screenshot. Checks that nothing is wider than the window, and that axe-core finds nothing."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"{name}.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), name
    # The policy of the page blocks scripts: the checker is injected by the debugger.
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_empty_and_busy(browser: Browser, size: str, scheme: str) -> None:
    with service() as url:
        with page_of(browser, url, size, scheme) as page:
            expect(page.locator("#state")).to_have_text("live")
            expect(page.locator("#operations")).to_contain_text("no requests yet")
            expect(page.locator("#work")).to_contain_text("no computations yet")
            expect(page.locator("#failure")).to_be_hidden()
            check(page, f"empty-{scheme}-{size}")
            with load(url):
                expect(page.locator("#work tr")).to_have_count(3)
                expect(page.locator("#operations")).to_contain_text("blake3")
                expect(page.locator("#errors")).to_contain_text("setting")
                expect(page.locator("#work meter").first).to_have_attribute("aria-label", NOT_IDLE)
                page.wait_for_timeout(3000)
                check(page, f"busy-{scheme}-{size}")


def name_of(process: int) -> str:
    """Returns the command line of a process."""
    return Path(f"/proc/{process}/cmdline").read_text()


def children(process: int) -> list[int]:
    """Returns the child processes of a process."""
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def test_a_failing_device(browser: Browser) -> None:
    """A simulated card that is killed while the server uses it."""
    with service("--device", "sim", "--time-limit", "5") as url:
        (server,) = [child for child in children(os.getpid()) if "serve" in name_of(child)]
        simulators = children(server)
        assert simulators, "no simulated card runs"
        with page_of(browser, url, "wide", "light") as page:
            expect(page.locator("#state")).to_have_text("live")
            for process in simulators:
                os.kill(process, signal.SIGKILL)
            assert ask(url, "/v1/blake3/hash", [{"message": "00"}]) >= 500
            expect(page.locator("#failure")).to_contain_text("The device failed")
            expect(page.locator("#errors")).to_contain_text("device")
            check(page, "failing-device")


def test_the_keyboard_reaches_everything(browser: Browser) -> None:
    with service() as url, page_of(browser, url, "wide", "light") as page:
        expect(page.locator("#state")).to_have_text("live")
        page.keyboard.press("Tab")
        expect(page.locator(".skip")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("#operations-title")).to_be_focused()
        page.reload()
        seen = set()
        for _ in range(12):
            page.keyboard.press("Tab")
            seen.add(page.evaluate("document.activeElement.id || document.activeElement.tagName"))
        assert {"pause", "SUMMARY", "DIV"} <= seen, seen
        page.locator("#pause").focus()
        page.keyboard.press("Space")
        expect(page.locator("#pause")).to_have_attribute("aria-pressed", "true")


def test_a_token_is_asked_for_and_kept_nowhere(browser: Browser, tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text(f"tests {TOKEN}\n")
    tokens.chmod(0o600)
    with service("--tokens", str(tokens)) as url, page_of(browser, url, "wide", "dark") as page:
        expect(page.locator("#token")).to_be_focused()
        check(page, "token")
        page.keyboard.type("a-wrong-token-0123456789")
        page.keyboard.press("Enter")
        expect(page.locator("#state")).to_contain_text("unknown token")
        page.keyboard.type(TOKEN)
        page.keyboard.press("Enter")
        expect(page.locator("#state")).to_have_text("live")
        expect(page.locator("#login")).to_be_hidden()
        stored = page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])")
        assert TOKEN not in stored + page.content()
