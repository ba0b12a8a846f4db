# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The page of examples/browser as people see it, in headless Chromium, with a real `halimede serve`:
light and dark, narrow and wide; checked by axe-core; no part of the secret key in any request.

`make test-browser` runs it, and keeps screenshots in build/browser-page-shots."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Request, expect, sync_playwright

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "build" / "browser-page"
SHOTS = ROOT / "build" / "browser-page-shots"
LIMIT_MS = 120_000
SIZES = {"wide": (1280, 900), "narrow": (390, 844)}
LENGTH = 256


def command() -> str:
    folder = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    built = Path(os.environ.get("HALIMEDE_COMMAND", folder / "debug" / "halimede"))
    assert built.exists(), f"{built} is not built"
    return str(built)


@contextmanager
def address_of(*arguments: str) -> Iterator[str]:
    """Runs a server that prints its address at the end of its first line."""
    server = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL)
    assert server.stdout is not None
    try:
        yield server.stdout.readline().split()[-1]
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(120)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    store = str(tmp_path_factory.mktemp("store"))
    serve = [command(), "serve", "--listen", "127.0.0.1:0", "--store", store]
    with address_of(*serve) as service:
        with address_of("node", str(ROOT / "examples/browser/serve.mjs"), str(PAGE), service) as page:
            yield page


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
def opened(browser: Browser, url: str, size: str, scheme: Any) -> Iterator[tuple[Page, list[Request]]]:
    """Opens the page. Fails if the page has an error or loads anything from elsewhere."""
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    page.set_default_timeout(LIMIT_MS)
    problems: list[str] = []
    requests: list[Request] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda line: problems.append(line.text) if line.type == "error" else None)
    page.on("request", lambda request: requests.append(request))
    page.goto(url)
    expect(page.locator("#state")).to_have_text("Ready.", timeout=LIMIT_MS)
    yield page, requests
    # The first look for the keys finds none: the browser reports that answer, 404, as an error.
    assert [problem for problem in problems if "404" not in problem] == []
    assert all(request.url.startswith(url) for request in requests)
    context.close()


#: Keeps what the page encrypts and decrypts, and its client: the page itself gives nothing away.
SPY = """async () => {
    const { Client } = await (await import("./client/index.js")).load();
    const { create } = Client;
    const { encrypt, decrypt } = Client.prototype;
    window.spied = {};
    Client.create = (parameters) => (spied.client = create.call(Client, parameters));
    Client.prototype.encrypt = function (values, options) {
        spied.input = Array.from(values);
        return encrypt.call(this, values, options);
    };
    Client.prototype.decrypt = function (ciphertext) {
        const values = decrypt.call(this, ciphertext);
        spied.output = Array.from(values);
        return values;
    };
}"""


def check(page: Page, name: str) -> None:
    """Saves a screenshot. Checks that nothing is wider than the window, and that axe-core finds nothing."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"{name}.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), name
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_curve_is_computed_on(browser: Browser, url: str, size: str, scheme: str) -> None:
    with opened(browser, url, size, scheme) as (page, _):
        check(page, f"ready-{scheme}-{size}")
        page.get_by_role("button", name="Encrypt and compute").click()
        expect(page.locator("#state")).to_contain_text("saw only ciphertexts", timeout=LIMIT_MS)
        expect(page.locator("#steps tr")).to_have_count(6)
        check(page, f"smooth-{scheme}-{size}")


def test_a_drawn_curve_has_the_values_of_plain_arithmetic(browser: Browser, url: str) -> None:
    with opened(browser, url, "wide", "light") as (page, _):
        page.evaluate(SPY)
        box = page.locator("#curve").bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] / 3, box["y"] + 20, steps=5)
        page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] - 20, steps=9)
        page.mouse.up()
        expect(page.locator("#sample")).to_have_value("drawn")
        for operation in ("smooth", "slope", "energy"):
            page.select_option("#operation", operation)
            page.get_by_role("button", name="Encrypt and compute").click()
            expect(page.locator("#state")).to_contain_text("saw only ciphertexts", timeout=LIMIT_MS)
            x, got = page.evaluate("[spied.input, spied.output]")
            assert len(x) == len(got) == LENGTH and len(set(x)) > 100
            turned = lambda by: [x[(at + by) % LENGTH] for at in range(LENGTH)]
            if operation == "smooth":
                rows = zip(x, turned(1), turned(-1), turned(2), turned(-2))
                plain = [(6 * a + 4 * b + 4 * c + d + e) / 16 for a, b, c, d, e in rows]
            else:
                slope = [b - a for a, b in zip(turned(-1), turned(1))]
                plain = slope if operation == "slope" else [value * value for value in slope]
            assert max(abs(a - b) for a, b in zip(got, plain)) < 1e-5, operation


def test_no_request_has_a_part_of_the_secret_key(browser: Browser, url: str) -> None:
    with opened(browser, url, "wide", "light") as (page, requests):
        page.evaluate(SPY)
        page.get_by_role("button", name="Encrypt and compute").click()
        expect(page.locator("#state")).to_contain_text("saw only ciphertexts", timeout=LIMIT_MS)
        key = bytes(page.evaluate("Array.from(spied.client.secretKey())"))
        # The coefficients, 2 bits each, before the hash at the end of the file.
        secret = key[-32 - 4096 : -32]
        parts = [secret[at : at + 16] for at in range(0, 4080, 160)]
        bodies = [request.post_data_buffer or b"" for request in requests]
        assert sum(map(len, bodies)) > 10_000_000
        for request, body in zip(requests, bodies):
            sent = request.url.encode() + repr(request.headers).encode() + body
            for part in parts:
                assert part not in sent and part.hex().encode() not in sent, request.url
        assert parts[0] in key


def test_the_page_alone_and_a_service_that_fails(browser: Browser) -> None:
    serve = str(ROOT / "examples/browser/serve.mjs")
    with address_of("node", serve, str(PAGE), "http://127.0.0.1:9/") as url:
        context = browser.new_context()
        page = context.new_page()
        page.goto(url)
        expect(page.locator("#state")).to_have_text("Ready.", timeout=LIMIT_MS)
        page.get_by_role("button", name="Encrypt and compute").click()
        expect(page.locator("#state")).to_contain_text("It failed", timeout=LIMIT_MS)
        expect(page.locator("#state")).to_contain_text("502")
        for path in ("../package.json", "%2e%2e/README.md", "nothing.js", "client"):
            response = context.request.get(url + path)
            assert response.status in (400, 404), path
        context.close()
