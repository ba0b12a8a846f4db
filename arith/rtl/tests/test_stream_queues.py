# SPDX-License-Identifier: Apache-2.0 OR MIT
"""stream_skid and stream_fifo: order, full rate, random back-pressure, clear and reset during a
stream; the capacity of the FIFO."""

import cocotb
from arith.rtl.tests.stream_cases import PAUSES, clear_or_reset, random_frames
from arith.simulation.bench import Lint, random_source, run_bench
from arith.simulation.streams import StreamDriver, StreamMonitor, start
from cocotb.triggers import ClockCycles

DEPTH = 5
QUEUES = cocotb.parametrize(name=["skid", "fifo"])


@cocotb.test()
@QUEUES
async def order_is_kept(dut, name: str):
    """Every frame comes out complete and in order, for each mix of pauses."""
    rng = random_source(f"{name} order")
    await start(dut, clear_i=0)
    driver, monitor = StreamDriver(dut, f"{name}_in", rng), StreamMonitor(dut, f"{name}_out", rng)
    sent: list[list[int]] = []
    for driver.pause, monitor.pause in PAUSES:
        frames = random_frames(rng, 60)
        for frame in frames:
            driver.send(frame)
        sent += frames
        assert await monitor.wait_frames(len(sent)) == sent


@cocotb.test()
@QUEUES
async def one_beat_a_clock(dut, name: str):
    """Without pauses, a long frame takes its length and a few clocks."""
    rng = random_source(f"{name} rate")
    await start(dut, clear_i=0)
    driver = StreamDriver(dut, f"{name}_in", rng, pause=0.0)
    monitor = StreamMonitor(dut, f"{name}_out", rng, pause=0.0)
    words = [rng.getrandbits(64) for _ in range(300)]
    driver.send(words)
    assert await monitor.wait_frames(1, clocks=len(words) + 6) == [words]


@cocotb.test()
@QUEUES
async def clear_and_reset_empty_it(dut, name: str):
    """After clear_i, and after a reset, nothing old comes out and new frames pass."""
    rng = random_source(f"{name} restart")
    await start(dut, clear_i=0)
    driver, monitor = StreamDriver(dut, f"{name}_in", rng), StreamMonitor(dut, f"{name}_out", rng, pause=0.8)
    for by_reset in (False, True, False, True):
        for frame in random_frames(rng, 20):
            driver.send(frame)
        await ClockCycles(dut.clk_i, rng.randint(5, 40))
        await clear_or_reset(dut, driver, monitor, by_reset)
        frames = random_frames(rng, 10)
        for frame in frames:
            driver.send(frame)
        assert await monitor.wait_frames(len(frames)) == frames


@cocotb.test()
async def the_fifo_holds_depth_beats_and_one(dut):
    rng = random_source("capacity")
    await start(dut, clear_i=0, fifo_out_ready_i=0)
    driver = StreamDriver(dut, "fifo_in", rng, pause=0.0)
    words = [rng.getrandbits(64) for _ in range(DEPTH + 4)]
    driver.send(words)
    await ClockCycles(dut.clk_i, 3 * DEPTH)
    assert len(driver._beats) == 3, "the FIFO holds Depth beats and one in its output register"
    monitor = StreamMonitor(dut, "fifo_out", rng)
    assert await monitor.wait_frames(1) == [words]


LINTS = [Lint("stream_skid", {"DataWidth": 65}), Lint("stream_fifo", {"Depth": DEPTH}),
         Lint("stream_fifo", {"Depth": 1, "DataWidth": 1})]


def test_stream_queues():
    run_bench(__file__, "stream_top", {"Depth": DEPTH})
