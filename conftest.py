# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What pytest collects beside functions, and the order of the tests: files that compile designs come
first, so that in the end no processor waits for a long one. (`make test-python` hands out the files in
this order.)"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from arith.simulation.bench import Lint, lints_of

ROOT = Path(__file__).parent
# Folders of tests, those of the longest first; all others come behind.
ORDER = ({"formal", "rtl"}, {"boards", "microcode", "sim", "simulation", "synthesis"})


class LintItem(pytest.Item):
    """One of a bench's lints as a test."""

    def __init__(self, *, lint: Lint, **others: Any) -> None:
        super().__init__(**others)
        self.lint = lint

    def runtest(self) -> None:
        self.lint.check()


class Bench(pytest.Module):
    """A file of tests with its lints, which come first."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        for number, lint in enumerate(lints_of(self.obj, self.path)):
            yield LintItem.from_parent(self, name=f"lint[{lint.name}-{number}]", lint=lint)
        yield from super().collect()


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> Bench:
    return Bench.from_parent(parent, path=module_path)


def place(file: Path) -> int:
    """The number of the first set in ORDER that names a folder of the file, or that of the sets."""
    folders = set(file.relative_to(ROOT).parts)
    return next((number for number, names in enumerate(ORDER) if names & folders), len(ORDER))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: place(item.path))
