# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hardware multipliers of mod_mul, counted in the elaborated design: a change that costs tiles, or
a folding that does not fold, shows here within seconds. (The whole area: arith.synthesis.area.)"""

from __future__ import annotations

import pytest

from arith.simulation.bench import yosys_or_skip
from arith.synthesis.area import Area, area_of, designs
from arith.synthesis.yosys import Block, elaborate, instance_counts

# 9 Karatsuba leaves of 12 tiles; with tiles in the reduction, 4 rounds of 32 more for Fr. Folding
# divides both.
TILES = {
    ("xilinx", 1, "mod_mul_fr"): 108,
    ("xilinx", 1, "mod_mul_fr_tiles"): 236,
    ("xilinx", 2, "mod_mul_fr_tiles"): 118,
    ("xilinx", 4, "mod_mul_fr_tiles"): 59,
    ("xilinx", 1, "mod_mul_felt"): 108,
    ("xilinx", 2, "mod_mul_felt"): 54,
    ("xilinx", 4, "mod_mul_felt"): 27,
    ("ecp5", 4, "mod_mul_fr"): 36,
    ("ecp5", 4, "mod_mul_fr_tiles"): 80,
    ("ecp5", 4, "mod_mul_felt"): 36,
}


@pytest.mark.parametrize(("family", "interval", "design"), TILES)
def test_tiles(family: str, interval: int, design: str) -> None:
    yosys_or_skip()
    top, parameters = designs(family, interval)[design]
    modules = elaborate(top, parameters)
    multipliers = sum(
        count * sum(cell["type"] == "$mul" for cell in modules[name]["cells"].values())
        for name, count in instance_counts(top, modules).items()
    )
    assert multipliers == TILES[family, interval, design]


def test_area_counts_instances_and_tile_registers() -> None:
    cells = {"DSP48E2": 2, "LUT6": 5, "SRL16E": 1, "FDRE": 90, "RAMB18E2": 1, "CARRY4": 3}
    block = Block("mul_grid", instances=3, cells=cells, tile_register_bits=86)
    assert area_of(block) == Area(6, 18, 12, 258, 1.5)
