# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compares loopback_port with its model: data of every length, harmed frames, pauses on both sides,
resets, and the clocks of a full stream."""

import random
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from cocotb.utils import get_sim_time

from arith.simulation.bench import run_bench
from arith.simulation.engines import EngineBench
from card.model.frames import beats_of
from engines.loopback.model import echo

CLOCK_NS = 2


def random_frame(rng: random.Random, kind: float | None = None) -> bytes:
    """A request: most are valid, some harmed after the header, some of a wrong length."""
    size = rng.choice([0, 8, 16, rng.randrange(0, 512) & ~7, echo.MOST_DATA_BYTES])
    kind = rng.random() if kind is None else kind
    if kind < 0.15:
        size = rng.choice([size | rng.randrange(1, 8), echo.MOST_DATA_BYTES + 8,
                           rng.randrange(4100, 9000)])
    frame = bytearray(echo.request(rng.getrandbits(64), rng.randbytes(size)))
    if 0.15 <= kind < 0.4:
        bit = rng.randrange(64, 8 * len(frame))
        frame[bit // 8] ^= 1 << bit % 8
    return bytes(frame)


async def echoes(dut: Any, name: str, pause_in: float, pause_out: float, count: int) -> None:
    bench = await EngineBench.begin(dut, name, pause_in, pause_out)
    errors = words = 0

    async def watch() -> None:
        nonlocal errors, words
        while True:
            await RisingEdge(dut.clk_i)
            await ReadOnly()
            errors += int(dut.error_o.value)
            words += int(dut.events_o.value)

    cocotb.start_soon(watch())
    # One of a wrong length, one harmed, and the others at random.
    frames = [random_frame(bench.rng, kind) for kind in (0.0, 0.2, *[None] * (count - 2))]
    bench.rng.shuffle(frames)
    for frame in frames:
        bench.driver.send(beats_of(frame))
    got = await bench.monitor.wait_frames(count, 400_000)
    expected = [echo.reply(frame) for frame in frames]
    assert got == [beats_of(frame) for frame in expected]
    await ClockCycles(dut.clk_i, 3)
    assert int(dut.idle_o.value) == 1
    statuses = [frame[-16] for frame in expected]
    assert set(statuses) == {echo.OK, echo.WRONG_LENGTH, echo.CORRUPT}
    assert errors == sum(status != echo.OK for status in statuses)
    assert words == sum(len(frame) - 40 + 8 for frame in expected) // 8


@cocotb.test()
async def random_frames(dut: Any) -> None:
    await echoes(dut, "frames", 0.2, 0.3, 150)


@cocotb.test()
async def a_reader_that_waits(dut: Any) -> None:
    await echoes(dut, "slow", 0.0, 0.9, 60)


@cocotb.test()
async def one_beat_a_clock(dut: Any) -> None:
    """A full stream takes one clock per beat, and two more per frame."""
    bench = await EngineBench.begin(dut, "full")
    frames = [echo.request(i, bench.rng.randbytes(1024)) for i in range(40)]
    begun = get_sim_time("ns")
    for frame in frames:
        bench.driver.send(beats_of(frame))
    await bench.monitor.wait_frames(len(frames), 20_000)
    clocks = (get_sim_time("ns") - begun) / CLOCK_NS
    beats = sum(len(frame) // 8 + 2 for frame in frames)
    assert beats <= clocks <= beats + 1024 // 8 + 30


@cocotb.test()
async def resets_anywhere(dut: Any) -> None:
    """A soft reset discards all frames, and only the next frame is answered."""
    bench = await EngineBench.begin(dut, "resets", 0.1, 0.3)
    for _ in range(40):
        for _ in range(bench.rng.randrange(1, 4)):
            bench.driver.send(beats_of(random_frame(bench.rng)))
        await ClockCycles(dut.clk_i, bench.rng.randrange(1, 200))
        await bench.soft_reset()
        await ClockCycles(dut.clk_i, 5)
        bench.monitor.clear()
        frame = random_frame(bench.rng)
        bench.driver.send(beats_of(frame))
        assert await bench.monitor.wait_frames(1, 20_000) == [beats_of(echo.reply(frame))]
        bench.monitor.clear()


def test_loopback_port() -> None:
    run_bench(__file__, "loopback_port")
