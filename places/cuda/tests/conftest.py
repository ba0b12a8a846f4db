# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs the tests of this folder with sanitizers: a process for each file (sanitized.py)."""

from __future__ import annotations

from functools import lru_cache, partial
from pathlib import Path

import pytest

from places.cuda.tests import sanitized
from places.cuda.tests.emulation import IS_CHECKED, IS_PLAIN, ROOT, TESTS


@lru_cache(maxsize=None)
def results_of(session: pytest.Session, path: Path) -> dict[str, sanitized.Result]:
    """The results of all chosen tests of a file."""
    names = [item.nodeid for item in session.items if item.path == path]
    return sanitized.run_tests(names, ROOT)


def relay(item: pytest.Item) -> None:
    """Gives a test the result that it has in the other process."""
    result = results_of(item.session, item.path)[item.nodeid]
    if result.outcome == "skipped":
        pytest.skip(result.text)
    if result.outcome == "failed":
        pytest.fail(result.text, pytrace=False)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if IS_CHECKED or IS_PLAIN:
        return
    for item in items:
        if TESTS in item.path.parents:
            # The fixtures are made in the other process.
            item.setup = lambda: None  # type: ignore[method-assign]
            item.runtest = partial(relay, item)  # type: ignore[method-assign]
