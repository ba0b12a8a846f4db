# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Levels of logic: handwritten netlists, and one from Yosys."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from arith.simulation.bench import yosys_or_skip
from arith.synthesis.depth import Design, designs, measured
from arith.synthesis.paths import CombinationalLoop, Path, deepest_paths, unregistered_reads

Bits = Sequence[int | str]


def cell(
    kind: str, inputs: Mapping[str, Bits], outputs: Mapping[str, Bits], **parameters: str
) -> dict[str, Any]:
    """A cell in Yosys's format."""
    return {
        "type": kind, "parameters": parameters, "connections": {**inputs, **outputs},
        "port_directions": {**dict.fromkeys(inputs, "input"), **dict.fromkeys(outputs, "output")},
    }


def module(cells: Sequence[Mapping[str, Any]], **ports: tuple[str, Bits]) -> dict[str, Any]:
    """A module of these cells, whose nets are called n2, n3 and so on, except ports."""
    bits = {bit for c in cells for net in c["connections"].values() for bit in net
            if isinstance(bit, int)}
    names = {f"n{bit}": {"hide_name": 0, "bits": [bit]} for bit in bits}
    return {
        "cells": {f"c{number}": c for number, c in enumerate(cells)},
        "ports": {name: {"direction": d, "bits": list(b)} for name, (d, b) in ports.items()},
        "netnames": names,
    }


def flop(d: int, q: int) -> dict[str, Any]:
    return cell("FDRE", {"C": [2], "D": [d]}, {"Q": [q]})


def lut(inputs: Sequence[int], output: int) -> dict[str, Any]:
    return cell(f"LUT{len(inputs)}", {f"I{i}": [n] for i, n in enumerate(inputs)}, {"O": [output]})


def test_a_chain_counts_its_longest_branch() -> None:
    cells = [flop(30, 10), flop(31, 11), lut([10, 11], 20), lut([20], 21), lut([21, 11], 30),
             lut([11], 31)]
    assert deepest_paths(module(cells), 9)[0] == Path(3.0, "n10", "n10")
    assert [path.levels for path in deepest_paths(module(cells), 9)] == [3.0]
    named = module(cells)
    named["netnames"]["state"] = named["netnames"].pop("n11")
    assert [(p.levels, p.end) for p in deepest_paths(named, 9)] == [(3.0, "n10"), (1.0, "state")]


def test_carries_and_multiplexers_count_less() -> None:
    carry = cell("CARRY4", {"S": [20], "CI": ["0"]}, {"O": [21]})
    mux = cell("MUXF7", {"I0": [21], "I1": [10], "S": [10]}, {"O": [22]})
    (path,) = deepest_paths(module([flop(22, 10), lut([10], 20), carry, mux]))
    assert path == Path(1.5, "n10", "n10")


def test_a_memory_leads_from_its_address_alone() -> None:
    memory = cell("RAM32M16", {"ADDRA": [10], "DIA": [21], "WCLK": [2]}, {"DOA": [22]})
    cells = [flop(22, 10), flop(10, 11), lut([11], 20), lut([20], 21), memory]
    paths = deepest_paths(module(cells))
    assert [(p.levels, p.end) for p in paths] == [(2.0, "n22 (RAM32M16.DIA)"), (1.0, "n10")]


@pytest.mark.parametrize(("registers", "levels"), [({}, 5.0), ({"MREG": "1"}, 1.0)])
def test_a_multiplier_without_registers_is_logic(
    registers: Mapping[str, str], levels: float
) -> None:
    product = cell("DSP48E2", {"A": [10]}, {"P": [20]}, **registers)
    paths = deepest_paths(module([flop(21, 10), product, lut([20], 21)]))
    assert paths[0].levels == levels


def test_ports_end_paths() -> None:
    net = module([lut([10], 20)], data_i=("input", [10]), data_o=("output", [20]))
    assert deepest_paths(net) == [Path(1.0, "n10", "port data_o")]


def test_a_loop_is_an_error() -> None:
    with pytest.raises(CombinationalLoop):
        deepest_paths(module([lut([21], 20), lut([20], 21), flop(21, 10)]))


def test_reads_of_memories() -> None:
    plain = cell("RAMB36E2", {"CLKARDCLK": [2]}, {"DOUTADOUT": [10]}, DOA_REG="0", DOB_REG="0")
    held = cell("RAMB18E2", {"CLKARDCLK": [2]}, {"DOUTADOUT": [11]}, DOA_REG="1", DOB_REG="0")
    assert unregistered_reads(module([plain, held, lut([10, 11], 12), flop(12, 13)])) == 1
    # A register directly after a memory is its output register, unless logic reads the memory
    # itself.
    assert unregistered_reads(module([plain, flop(10, 12)])) == 0
    assert unregistered_reads(module([plain, flop(10, 12)], word_o=("output", [10]))) == 1


def test_every_design_is_there() -> None:
    known = designs()
    assert {"shell", "blake3_port", "mod_divide", "field_core_poseidon_fr"} <= known.keys()
    assert any(design.clocked for design in known.values())


def test_a_register_slice_by_yosys() -> None:
    """One LUT between its registers, whatever the width."""
    yosys_or_skip()
    row = measured("test_slice", Design("stream_skid", {"DataWidth": 16}), 4, with_clock=False)
    assert row.levels == 1.0 and row.unregistered_reads == 0 and row.clock_mhz is None
    assert all(path.levels <= row.levels for path in row.paths)
