# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Builds the simulator once per test session. Without Verilator the tests are skipped."""

from pathlib import Path

import pytest

from arith.simulation.bench import skip_or_raise
from arith.simulation.toolchain import ToolMissing
from card.sim.build import build


@pytest.fixture(scope="session")
def program() -> Path:
    try:
        return build()
    except ToolMissing as missing:
        skip_or_raise(missing)
