# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The order of the tests: files that compile designs come first, so that in the end no processor waits
for a long one. (`make test-python` hands out the files in this order.)"""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parent
# Folders of tests, those of the longest first; all others come behind.
ORDER = ({"formal", "rtl"}, {"boards", "microcode", "sim", "simulation", "synthesis"})


def place(file: Path) -> int:
    """The number of the first set in ORDER that names a folder of the file, or that of the sets."""
    folders = set(file.relative_to(ROOT).parts)
    return next((number for number, names in enumerate(ORDER) if names & folders), len(ORDER))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: place(item.path))
