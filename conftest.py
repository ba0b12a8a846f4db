# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Collects lints as tests, and sets the order of the tests: files that compile designs run first,
so that no long test runs alone at the end. (`make test-python` distributes the files in this
order.)"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from arith.simulation.bench import Lint, lints_of

ROOT = Path(__file__).parent
# Sets of folders, those with the longest tests first; all others run last.
ORDER = ({"formal", "rtl"}, {"boards", "microcode", "sim", "simulation", "synthesis"})
# Files of the first set that run cargo or the simulated card, which `make test` builds meanwhile.
# They run after the rest of their set: a process that waits for cargo's lock leaves a processor
# idle.
WAITING = {
    "test_blake3_table.py", "test_bls12_381_port.py", "test_bls_coprocessor.py",
    "test_ckks_core.py", "test_ckks_port.py", "test_equihash_table.py",
    "test_poseidon_rates.py", "test_secp256k1_table.py",
}


class LintItem(pytest.Item):
    """One of a bench's lints as a test."""

    def __init__(self, *, lint: Lint, **others: Any) -> None:
        super().__init__(**others)
        self.lint = lint

    def runtest(self) -> None:
        self.lint.check()


class Bench(pytest.Module):
    """A file of tests with its lints, which run first."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        for number, lint in enumerate(lints_of(self.obj, self.path)):
            yield LintItem.from_parent(self, name=f"lint[{lint.name}-{number}]", lint=lint)
        yield from super().collect()


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> Bench:
    return Bench.from_parent(parent, path=module_path)


def place(file: Path) -> int:
    """Returns the index of the first set in ORDER that names a folder of the file, or the number of
    sets."""
    folders = set(file.relative_to(ROOT).parts)
    return next((number for number, names in enumerate(ORDER) if names & folders), len(ORDER))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: (place(item.path), item.path.name in WAITING))
