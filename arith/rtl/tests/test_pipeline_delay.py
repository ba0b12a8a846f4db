# SPDX-License-Identifier: Apache-2.0 OR MIT
"""pipeline_delay and valid_delay: exact number of clocks; reset empties valid_delay only."""

from __future__ import annotations

import cocotb
from arith.simulation.bench import lint_bench, random_source, run_bench
from arith.simulation.streams import reset, start
from cocotb.triggers import ReadOnly, RisingEdge

STAGES = 7


@cocotb.test()
async def delays_by_stages(dut):
    rng = random_source("delay")
    await start(dut, clear_i=0)
    sent: list[tuple[int, int]] = []
    for _ in range(200):
        word, valid = rng.getrandbits(64), rng.getrandbits(1)
        dut.delay_data_i.value, dut.delay_valid_i.value = word, valid
        sent.append((word, valid))
        await ReadOnly()
        assert (int(dut.delay0_data_o.value), int(dut.delay0_valid_o.value)) == (word, valid)
        if len(sent) > STAGES:
            late = (int(dut.delay7_data_o.value), int(dut.delay7_valid_o.value))
            assert late == sent[-1 - STAGES]
        await RisingEdge(dut.clk_i)


@cocotb.test()
async def reset_empties_valid(dut):
    await start(dut, clear_i=0, delay_valid_i=1)
    for _ in range(STAGES + 2):
        await RisingEdge(dut.clk_i)
    dut.delay_valid_i.value = 0
    await reset(dut, clocks=1)
    for _ in range(STAGES + 2):
        assert int(dut.delay7_valid_o.value) == 0
        await RisingEdge(dut.clk_i)


def test_lint():
    for stages in (0, 1, 7):
        lint_bench("pipeline_delay", {"Stages": stages, "DataWidth": 9})
        lint_bench("valid_delay", {"Stages": stages})


def test_pipeline_delay():
    run_bench(__file__, "stream_top", {"Depth": 5}, folders=["arith/rtl/tests"])
