# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Registers at multiplier blocks: handwritten netlists, and a product by Yosys."""

from collections.abc import Mapping, Sequence
from typing import Any

from arith.simulation.bench import yosys_or_skip
from arith.synthesis.depth import Design, netlist_of
from arith.synthesis.multipliers import Multipliers, multipliers_of


def cell(kind: str, inputs: Mapping[str, Sequence[int]], outputs: Mapping[str, Sequence[int]]
         ) -> dict[str, Any]:
    return {"type": kind, "connections": {**inputs, **outputs},
            "port_directions": {**dict.fromkeys(inputs, "input"), **dict.fromkeys(outputs, "output")}}


def module(*cells: Mapping[str, Any], **outputs: Sequence[int]) -> dict[str, Any]:
    return {"cells": {f"c{n}": c for n, c in enumerate(cells)},
            "ports": {name: {"direction": "output", "bits": list(bits)}
                      for name, bits in outputs.items()}}


BLOCK = cell("DSP48E2", {"A": [10, 11], "B": [12]}, {"P": [20, 21, 22]})
FLOPS = [cell("FDRE", {"D": [bit - 9]}, {"Q": [bit]}) for bit in (10, 11, 12)]
PRODUCTS = [cell("FDRE", {"D": [20]}, {"Q": [30]}), cell("SRL16E", {"D": [21]}, {"Q": [31]})]


def test_registers_on_all_sides() -> None:
    """Bit 22 of the product is read by nothing, and does not count."""
    found = multipliers_of(module(BLOCK, *FLOPS, *PRODUCTS))
    assert found == Multipliers(1, 3, 3, 3, 2, 2) and found.complete


def test_an_input_that_logic_reads_or_makes() -> None:
    read = cell("LUT2", {"I0": [11]}, {"O": [40]})
    found = multipliers_of(module(BLOCK, *FLOPS, *PRODUCTS, read))
    assert (found.inputs_from_registers, found.inputs_alone) == (3, 2) and found.complete
    made = cell("LUT2", {"I0": [1]}, {"O": [10]})
    found = multipliers_of(module(BLOCK, made, *FLOPS[1:], *PRODUCTS))
    assert found.inputs_from_registers == 2 and not found.complete


def test_a_product_that_logic_reads() -> None:
    read = cell("LUT2", {"I0": [20]}, {"O": [40]})
    assert not multipliers_of(module(BLOCK, *FLOPS, *PRODUCTS, read)).complete
    assert not multipliers_of(module(BLOCK, *FLOPS, *PRODUCTS, word_o=[21])).complete


def test_a_tile_has_registers_behind_its_product() -> None:
    """Its operands come through the ports here."""
    yosys_or_skip()
    found = multipliers_of(netlist_of("test_tile", Design("mul_tile"), "xilinx"))
    assert (found.blocks, found.inputs, found.inputs_from_registers) == (1, 26 + 17, 0)
    assert found.products == found.products_into_registers == 26 + 17
