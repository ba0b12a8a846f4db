# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hardware multipliers of mod_mul, counted in the elaborated design: a change that costs tiles, or
a folding that does not fold, is detected within seconds. (The whole area: arith.synthesis.area.)"""

import pytest

from arith.simulation.bench import in_sweep, yosys_or_skip
from arith.synthesis.area import Area, area_of, area_of_design, designs
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
# Each interval and family once.
FEW = [("xilinx", 1, "mod_mul_fr"), ("xilinx", 2, "mod_mul_fr_tiles"), ("xilinx", 4, "mod_mul_felt"),
       ("ecp5", 4, "mod_mul_fr_tiles")]


@pytest.mark.parametrize(("family", "interval", "design"),
                         [*FEW, *in_sweep([one for one in TILES if one not in FEW])])
def test_tiles(family: str, interval: int, design: str) -> None:
    yosys_or_skip()
    top, parameters = designs(family, interval)[design]
    modules = elaborate(top, parameters, family="xilinx")
    multipliers = sum(
        count * sum(cell["type"] == "$mul" for cell in modules[name]["cells"].values())
        for name, count in instance_counts(top, modules).items()
    )
    assert multipliers == TILES[family, interval, design]


def test_area_counts_instances_and_tile_registers() -> None:
    cells = {"DSP48E2": 2, "LUT6": 5, "SRL16E": 1, "FDRE": 90, "RAMB18E2": 1, "CARRY4": 3}
    block = Block("mul_grid", instances=3, cells=cells, tile_register_bits=86)
    assert area_of(block) == Area(6, 18, 12, 258, 1.5)


@pytest.mark.parametrize(("style", "blocks", "ultra"), [
    ("auto", 7.5, 0), ("ultra", 0, 4), *in_sweep([("block", 7.5, 0)])])
def test_a_memory_is_made_of_what_it_asks_for(style: str, blocks: float, ultra: int) -> None:
    """1,024 words of 256 bits; the memory style is part of a stored block's hash."""
    yosys_or_skip()
    found = area_of_design(
        "field_core_memory", {"Depth": 1024, "OutputRegister": 1, "MemoryStyle": f'"{style}"'},
        "xilinx")
    assert (found.block_memories, found.ultra_memories) == (blocks, ultra)


@pytest.mark.parametrize(("cores", "tables"), [(3, 6), *in_sweep([(1, 3), (2, 3)])])
def test_two_cores_share_their_tables(cores: int, tables: int) -> None:
    """Instructions, constants of products and of sums."""
    yosys_or_skip()
    parameters = {"CoresFr": 0, "CoresFelt": cores, "Programs": 2}
    modules = elaborate("poseidon_port", parameters, family="xilinx")
    counts = instance_counts("poseidon_port", modules)
    assert sum(number for name, number in counts.items()
               if name.startswith("field_core_rom")) == tables
    assert sum(number for name, number in counts.items() if name.split("$")[0] == "field_core") \
        == cores
