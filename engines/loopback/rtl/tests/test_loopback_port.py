# SPDX-License-Identifier: Apache-2.0 OR MIT
"""loopback_port against its model: data of every length, harmed frames, pauses on both sides,
resets, and the clocks of a full stream."""

import random
import struct
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from cocotb.utils import get_sim_time

from arith.simulation.bench import random_source, run_bench
from arith.simulation.streams import StreamDriver, StreamMonitor, start
from engines.loopback.model import echo

CLOCK_NS = 2


def to_beats(frame: bytes) -> list[int]:
    padded = frame + bytes(-len(frame) % 8)
    return [word for (word,) in struct.iter_unpack("<Q", padded)]


def random_frame(rng: random.Random, kind: float | None = None) -> bytes:
    """A request: most sound, some harmed behind the header, some of a wrong length."""
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


async def _start(dut: Any, name: str, pause_in: float = 0.0, pause_out: float = 0.0):
    await start(dut, soft_reset_i=0, req_valid_i=0, req_data_i=0, req_last_i=0, rpl_ready_i=0)
    assert int(dut.idle_o.value) == 1
    rng = random_source(name)
    return (rng, StreamDriver(dut, "req", rng, pause_in), StreamMonitor(dut, "rpl", rng, pause_out))


async def echoes(dut: Any, name: str, pause_in: float, pause_out: float, count: int) -> None:
    rng, driver, monitor = await _start(dut, name, pause_in, pause_out)
    errors = words = 0

    async def watch() -> None:
        nonlocal errors, words
        while True:
            await RisingEdge(dut.clk_i)
            await ReadOnly()
            errors += int(dut.error_o.value)
            words += int(dut.events_o.value)

    cocotb.start_soon(watch())
    # One of a wrong length, one that is harmed, and the others by chance.
    frames = [random_frame(rng, kind) for kind in (0.0, 0.2, *[None] * (count - 2))]
    rng.shuffle(frames)
    for frame in frames:
        driver.send(to_beats(frame))
    got = await monitor.wait_frames(count, 400_000)
    expected = [echo.reply(frame) for frame in frames]
    assert got == [to_beats(frame) for frame in expected]
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
    """A full stream takes a clock a beat, and two more a frame."""
    rng, driver, monitor = await _start(dut, "full")
    frames = [echo.request(i, rng.randbytes(1024)) for i in range(40)]
    begun = get_sim_time("ns")
    for frame in frames:
        driver.send(to_beats(frame))
    await monitor.wait_frames(len(frames), 20_000)
    clocks = (get_sim_time("ns") - begun) / CLOCK_NS
    beats = sum(len(frame) // 8 + 2 for frame in frames)
    assert beats <= clocks <= beats + 1024 // 8 + 30


@cocotb.test()
async def resets_anywhere(dut: Any) -> None:
    """After a soft reset what was inside is gone, and the next frame is answered alone."""
    rng, driver, monitor = await _start(dut, "resets", 0.1, 0.3)
    for _ in range(40):
        for _ in range(rng.randrange(1, 4)):
            driver.send(to_beats(random_frame(rng)))
        await ClockCycles(dut.clk_i, rng.randrange(1, 200))
        driver.clear()
        dut.soft_reset_i.value = 1
        await ClockCycles(dut.clk_i, rng.randrange(1, 5))
        dut.soft_reset_i.value = 0
        while int(dut.idle_o.value) == 0:
            await RisingEdge(dut.clk_i)
        await ClockCycles(dut.clk_i, 5)
        monitor.clear()
        frame = random_frame(rng)
        driver.send(to_beats(frame))
        assert await monitor.wait_frames(1, 20_000) == [to_beats(echo.reply(frame))]
        monitor.clear()


def test_loopback_port() -> None:
    run_bench(__file__, "loopback_port")
