# SPDX-License-Identifier: Apache-2.0 OR MIT
"""stream_fifo: order, capacity, full rate, random back-pressure, clear and reset in mid-stream."""

import cocotb
from arith.rtl.tests.stream_cases import check_stream, check_full_rate, check_restart
from arith.simulation.bench import Lint, run_bench
from arith.simulation.streams import StreamDriver, StreamMonitor, start
from arith.simulation.bench import random_source
from cocotb.triggers import ClockCycles

DEPTH = 5
TESTS = ["arith/rtl/tests"]


@cocotb.test()
async def order_is_kept(dut):
    await check_stream(dut, "fifo")


@cocotb.test()
async def one_beat_a_clock(dut):
    await check_full_rate(dut, "fifo")


@cocotb.test()
async def clear_and_reset_empty_it(dut):
    await check_restart(dut, "fifo")


@cocotb.test()
async def holds_depth_beats_and_one(dut):
    rng = random_source("capacity")
    await start(dut, clear_i=0, fifo_out_ready_i=0)
    driver = StreamDriver(dut, "fifo_in", rng, pause=0.0)
    words = [rng.getrandbits(64) for _ in range(DEPTH + 4)]
    driver.send(words)
    await ClockCycles(dut.clk_i, 3 * DEPTH)
    assert len(driver._beats) == 3, "the FIFO takes Depth beats and one in its output register"
    monitor = StreamMonitor(dut, "fifo_out", rng)
    assert await monitor.wait_frames(1) == [words]


LINTS = [Lint("stream_fifo", {"Depth": DEPTH}), Lint("stream_fifo", {"Depth": 1, "DataWidth": 1})]


def test_stream_fifo():
    run_bench(__file__, "stream_top", {"Depth": DEPTH}, folders=TESTS)
