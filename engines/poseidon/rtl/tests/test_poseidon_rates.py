# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The utilization of the multipliers of a full card: every instance, and several cores behind one
stream. Runs only in sweeps: five minutes of processor time. Each run measures width 3 (`full_batch`
of test_poseidon_engine.py)."""

from pathlib import Path

import pytest

from arith.simulation.bench import is_sweep, skip_or_raise
from arith.simulation.toolchain import ToolMissing
from engines.poseidon.microcode.images import Programs
from engines.poseidon.rtl.measure import Figures, card_program, instances_by_name, measure_program
from engines.poseidon.rtl.table import LEAST_SCALING, LEAST_UTILIZATION, mixtures

pytestmark = pytest.mark.skipif(not is_sweep(), reason="five minutes of processor time: in sweeps")
CORES = 4


@pytest.fixture(scope="module")
def one_core(program: Path) -> dict[str, Figures]:
    """Every instance alone, and the mixtures, on the default card."""
    cases = {name: [instance] for name, instance in instances_by_name().items()} | mixtures()
    return measure_program(program, {name: (list(c), 1) for name, c in cases.items()}, 1)


def test_every_instance_keeps_the_multiplier_busy(one_core: dict[str, Figures]) -> None:
    assert len(instances_by_name()) == 12
    busy = {name: one_core[name].utilization for name in instances_by_name()}
    assert min(busy.values()) >= LEAST_UTILIZATION, busy


def test_cores_scale(one_core: dict[str, Figures]) -> None:
    """Fr at width 3 loads the stream most: more than 64 bytes in, every 127 clocks."""
    try:
        program = card_program(Programs.OPTIMIZED, CORES, CORES)
    except ToolMissing as missing:
        skip_or_raise(missing)
    cases = {name: (list(instances), CORES) for name, instances in mixtures().items()}
    for name, figures in measure_program(program, cases, 1).items():
        part = figures.utilization / one_core[name].utilization
        assert part >= LEAST_SCALING, f"{name}: {part:.3f} of linear"
        # All cores take jobs: fewer cores could not reach this rate.
        assert figures.clocks_per_hash * CORES < one_core[name].clocks_per_hash * 1.04, name
