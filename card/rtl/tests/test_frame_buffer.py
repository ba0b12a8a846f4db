# SPDX-License-Identifier: Apache-2.0 OR MIT
"""frame_buffer: whole frames in order, offered only when complete, and flushes that tear none."""

from __future__ import annotations

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import lint_bench, random_source, run_bench
from arith.simulation.streams import StreamDriver, StreamMonitor, start

DEPTH = 16


def frame(number, length):
    return [number << 8 | place for place in range(length)]


@cocotb.test()
async def frames_pass_whole(dut):
    rng = random_source("pass")
    await start(dut, flush_i=0)
    driver = StreamDriver(dut, "in", rng)
    monitor = StreamMonitor(dut, "out", rng)
    for driver.pause, monitor.pause in ((0.0, 0.0), (0.5, 0.0), (0.0, 0.5), (0.3, 0.3)):
        frames = [frame(n, rng.choice((1, 2, 5, DEPTH - 1, DEPTH))) for n in range(200)]
        for beats in frames:
            driver.send(beats)
        assert await monitor.wait_frames(len(frames)) == frames
        monitor.clear()


@cocotb.test()
async def nothing_is_offered_before_the_last_beat(dut):
    rng = random_source("whole")
    await start(dut, flush_i=0, out_ready_i=1, in_last_i=0)
    dut.in_valid_i.value = 1
    for place in range(DEPTH):
        dut.in_data_i.value = place
        dut.in_last_i.value = int(place == DEPTH - 1)
        await ReadOnly()
        assert int(dut.in_ready_o.value) == 1 and int(dut.out_valid_o.value) == 0
        await RisingEdge(dut.clk_i)
    dut.in_valid_i.value = 0
    monitor = StreamMonitor(dut, "out", rng, 0.0)
    await monitor.wait_frames(1, clocks=2 * DEPTH)


@cocotb.test()
async def flush_drops_all_but_the_offered_frame(dut):
    """The monitor checks that an offer stands through a flush."""
    rng = random_source("flush")
    await start(dut, flush_i=0)
    driver = StreamDriver(dut, "in", rng, 0.1)
    monitor = StreamMonitor(dut, "out", rng, 0.5)
    number, kept, dropped = 0, 0, 0
    for _ in range(150):
        first = number
        for _ in range(rng.randrange(6)):
            driver.send(frame(number, rng.randrange(1, 6)))
            number += 1
        for _ in range(rng.randrange(25)):
            await RisingEdge(dut.clk_i)
        # The source is reset with the buffer; the frame it was sending is gone.
        driver.clear()
        dut.flush_i.value = 1
        await ReadOnly()
        assert int(dut.in_ready_o.value) == 0
        offered = int(dut.out_data_o.value) >> 8 if int(dut.out_valid_o.value) else None
        for _ in range(rng.randrange(1, 4)):
            await RisingEdge(dut.clk_i)
        dut.flush_i.value = 0
        before = len(monitor.frames)
        for _ in range(200):
            await RisingEdge(dut.clk_i)
        assert int(dut.out_valid_o.value) == 0
        after = [beats[0] >> 8 for beats in monitor.frames[before:]]
        assert after in ([], [offered]), (after, offered)
        arrived = {beats[0] >> 8 for beats in monitor.frames}
        assert offered is None or offered in arrived
        kept += len(arrived & set(range(first, number)))
        dropped += len(set(range(first, number)) - arrived)
    assert all(beats == frame(beats[0] >> 8, len(beats)) for beats in monitor.frames)
    assert len(monitor.beats) == sum(map(len, monitor.frames))
    assert kept > 20 and dropped > 20


def test_lint():
    lint_bench("frame_buffer")


def test_frame_buffer():
    run_bench(__file__, "frame_buffer", {"Depth": DEPTH})
