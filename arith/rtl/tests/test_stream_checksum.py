# SPDX-License-Identifier: Apache-2.0 OR MIT
"""stream_checksum: the last beat of each summed frame is the CRC of the others, at every pause."""

from typing import Any

import cocotb
from arith.rtl.tests.stream_cases import random_frames
from arith.simulation.bench import random_source, run_bench
from arith.simulation.crc32c import crc32c
from arith.simulation.streams import StreamDriver, StreamMonitor, reset, start
from cocotb.triggers import ClockCycles


def summed(frame: list[int]) -> list[int]:
    """The expected output frame."""
    before = b"".join(beat.to_bytes(8, "little") for beat in frame[:-1])
    return [*frame[:-1], crc32c(before)]


@cocotb.test()
async def every_frame_is_summed(dut: Any) -> None:
    """Also frames of one beat, whose sum covers nothing."""
    rng = random_source("summed")
    await start(dut, in_sum_i=1)
    driver, monitor = StreamDriver(dut, "in", rng), StreamMonitor(dut, "out", rng)
    sent: list[list[int]] = []
    for pause_in, pause_out in [(0.0, 0.0), (0.7, 0.1), (0.1, 0.7), (0.5, 0.5)]:
        driver.pause, monitor.pause = pause_in, pause_out
        frames = random_frames(rng, 60)
        for frame in frames:
            driver.send(frame)
        sent += [summed(frame) for frame in frames]
        assert await monitor.wait_frames(len(sent)) == sent


@cocotb.test()
async def frames_without_a_sum_pass(dut: Any) -> None:
    """Frames with and without a sum alternate."""
    rng = random_source("mixed")
    await start(dut, in_sum_i=0)
    driver, monitor = StreamDriver(dut, "in", rng), StreamMonitor(dut, "out", rng)
    sent: list[list[int]] = []
    for number, frame in enumerate(random_frames(rng, 60)):
        has_sum = rng.random() < 0.5
        dut.in_sum_i.value = int(has_sum)
        driver.send(frame)
        sent.append(summed(frame) if has_sum else frame)
        assert await monitor.wait_frames(number + 1) == sent


@cocotb.test()
async def one_beat_a_clock(dut: Any) -> None:
    rng = random_source("rate")
    await start(dut, in_sum_i=1)
    driver = StreamDriver(dut, "in", rng, pause=0.0)
    monitor = StreamMonitor(dut, "out", rng, pause=0.0)
    frames = [[rng.getrandbits(64) for _ in range(6)] for _ in range(50)]
    for frame in frames:
        driver.send(frame)
    assert await monitor.wait_frames(50, clocks=300 + 8) == [summed(frame) for frame in frames]


@cocotb.test()
async def a_reset_forgets_the_sum(dut: Any) -> None:
    rng = random_source("reset")
    await start(dut, in_sum_i=1)
    driver, monitor = StreamDriver(dut, "in", rng), StreamMonitor(dut, "out", rng)
    for _ in range(10):
        driver.send([rng.getrandbits(64) for _ in range(9)])
        await ClockCycles(dut.clk_i, rng.randint(2, 12))
        driver.clear()
        monitor.stop()
        await reset(dut)
        monitor.clear()
        frame = [rng.getrandbits(64) for _ in range(4)]
        driver.send(frame)
        assert await monitor.wait_frames(1) == [summed(frame)]
        monitor.clear()


def test_stream_checksum() -> None:
    run_bench(__file__, "stream_checksum")
