# SPDX-License-Identifier: Apache-2.0 OR MIT
"""pipeline_delay, as registers and as a ring in memory, and valid_delay: exact number of clocks;
reset empties valid_delay only."""

import cocotb
import pytest
from arith.simulation.bench import Lint, random_source, run_bench, setting
from arith.simulation.streams import reset, start
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

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
async def delays_alone(dut):
    """On a separate pipeline_delay, with `stages`."""
    stages, rng = int(setting("stages")), random_source("alone")
    cocotb.start_soon(Clock(dut.clk_i, 2).start())
    sent: list[int] = []
    for _ in range(20 * stages):
        dut.data_i.value = rng.getrandbits(len(dut.data_i))
        await RisingEdge(dut.clk_i)
        sent.append(int(dut.data_i.value))
        await ReadOnly()
        if len(sent) > 3 * stages:
            assert int(dut.data_o.value) == sent[-stages]
        await FallingEdge(dut.clk_i)


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


IN_MEMORY = "-DHALIMEDE_DELAYS_IN_MEMORY"

LINTS = [
    *(Lint("pipeline_delay", {"Stages": stages, "DataWidth": 9}) for stages in (0, 1, 7)),
    *(Lint("valid_delay", {"Stages": stages}) for stages in (0, 1, 7)),
    *(Lint("pipeline_delay", {"Stages": stages, "DataWidth": 9}, options=[IN_MEMORY])
      for stages in (4, 5, 8, 9, 40)),
]


# On the ports of stream_top.
TOGETHER = "delays_by_stages|reset_empties_valid"


@pytest.mark.parametrize("options", [[], [IN_MEMORY]], ids=["registers", "memory"])
def test_pipeline_delay(options):
    run_bench(__file__, "stream_top", {"Depth": 5}, tests=TOGETHER,
              options=options)


@pytest.mark.parametrize("stages", [5, 8, 9, 33])
def test_long_delay(stages):
    run_bench(__file__, "pipeline_delay", {"DataWidth": 9, "Stages": stages}, tests="delays_alone",
              settings={"stages": stages}, options=[IN_MEMORY])
