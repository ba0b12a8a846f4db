# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Ports read and written in every clock: the same values as cocotb's, at the width at which
Verilator's integers end, and a written value that has not changed."""

from typing import Any

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from arith.simulation.bench import random_source, run_bench
from arith.simulation.ports import LONG_BITS, reader, writer
from arith.simulation.streams import start


@cocotb.test()
async def values_are_cocotbs(dut: Any) -> None:
    """Through a register slice that is always ready."""
    await start(dut, clear_i=0, in_valid_i=1, out_ready_i=1)
    rng, width = random_source("ports"), len(dut.in_data_i)
    set_data, data, valid = writer(dut.in_data_i), reader(dut.out_data_o), reader(dut.out_valid_o)
    seen = []
    values = [0, 1, (1 << width) - 1, 1 << width - 1, *(rng.getrandbits(width) for _ in range(20))]
    for value in [value for value in values for _ in range(3)]:
        set_data(value)
        await RisingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
        assert data() == int(dut.out_data_o.value) == value
        assert valid() == int(dut.out_valid_o.value) == 1
        seen.append(value)
    assert len(set(seen)) > 20
    with pytest.raises((ValueError, OverflowError)):
        set_data(1 << width)
    set_valid = writer(dut.in_valid_i)
    set_valid(0)
    await RisingEdge(dut.clk_i)
    await FallingEdge(dut.clk_i)
    assert valid() == 0


@pytest.mark.parametrize("width", [LONG_BITS, LONG_BITS + 1])
def test_ports(width: int) -> None:
    run_bench(__file__, "stream_skid", {"DataWidth": width}, optimize="-O0")
