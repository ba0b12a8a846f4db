# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Frames in wide and in narrow beats, for stream_narrow and stream_widen (streams `in` and
`out`)."""

import random
from typing import Any

from arith.simulation.bench import random_source, setting
from arith.simulation.streams import StreamDriver, StreamMonitor, reset, start
from cocotb.triggers import ClockCycles, RisingEdge

NARROW_BYTES = 8
PAUSES = [(0.0, 0.0), (0.7, 0.1), (0.1, 0.7), (0.5, 0.5)]


class Widths:
    """A frame in beats of either width."""

    def __init__(self, rng: random.Random, wide_bytes: int, length: int) -> None:
        body = length.to_bytes(4, "little") + rng.randbytes(length - 4)
        parts = -(-length // NARROW_BYTES)
        # Behind the end within the last narrow beat stands what came; behind that beat, anything
        # (in) or zeros (out).
        filled = body + rng.randbytes(parts * NARROW_BYTES - length)
        rest = -len(filled) % wide_bytes
        self.narrow = beats(filled, NARROW_BYTES)
        self.wide = beats(filled + rng.randbytes(rest), wide_bytes)
        self.wide_zeros = beats(filled + bytes(rest), wide_bytes)


def beats(data: bytes, size: int) -> list[int]:
    return [int.from_bytes(data[i : i + size], "little") for i in range(0, len(data), size)]


def frames(rng: random.Random, count: int) -> list[Widths]:
    """Every length up to two wide beats and a byte is among 150 frames, and longer ones."""
    wide_bytes = int(setting("wide_bytes"))
    lengths = [*range(4, 2 * wide_bytes + 2)] if count >= 150 else []
    lengths += [rng.randrange(4, 12 * wide_bytes) for _ in range(count - len(lengths))]
    rng.shuffle(lengths)
    return [Widths(rng, wide_bytes, length) for length in lengths]


async def check_order(dut: Any, incoming: str, outgoing: str) -> None:
    """Every frame comes out whole, in order, in beats of the other width, for each mix of
    pauses."""
    rng = random_source("order")
    await start(dut, clear_i=0, in_valid_i=0, out_ready_i=0)
    driver, monitor = StreamDriver(dut, "in", rng), StreamMonitor(dut, "out", rng)
    expected: list[list[int]] = []
    for driver.pause, monitor.pause in PAUSES:
        for frame in frames(rng, 150):
            driver.send(getattr(frame, incoming))
            expected.append(getattr(frame, outgoing))
        assert await monitor.wait_frames(len(expected)) == expected


async def check_rate(dut: Any, incoming: str, outgoing: str) -> None:
    """Without pauses a narrow beat passes in each clock, also from frame to frame."""
    rng = random_source("rate")
    await start(dut, clear_i=0, in_valid_i=0, out_ready_i=0)
    driver, monitor = StreamDriver(dut, "in", rng, 0.0), StreamMonitor(dut, "out", rng, 0.0)
    sent = frames(rng, 160)
    for frame in sent:
        driver.send(getattr(frame, incoming))
    clocks = sum(len(frame.narrow) for frame in sent) + 6
    expected = [getattr(frame, outgoing) for frame in sent]
    assert await monitor.wait_frames(len(sent), clocks) == expected


async def check_restart(dut: Any, incoming: str, outgoing: str) -> None:
    """After clear_i, and after a reset, the next beat begins a frame, wherever the last one was."""
    rng = random_source("restart")
    await start(dut, clear_i=0, in_valid_i=0, out_ready_i=0)
    driver = StreamDriver(dut, "in", rng, 0.2)
    monitor = StreamMonitor(dut, "out", rng, pause=0.5)
    for by_reset in (False, True) * 12:
        for frame in frames(rng, 20):
            driver.send(getattr(frame, incoming))
        await ClockCycles(dut.clk_i, rng.randint(3, 80))
        driver.clear()
        monitor.stop()
        if by_reset:
            await reset(dut)
        else:
            dut.clear_i.value = 1
            await RisingEdge(dut.clk_i)
            dut.clear_i.value = 0
            await RisingEdge(dut.clk_i)
        monitor.clear()
        sent = frames(rng, 5)
        for frame in sent:
            driver.send(getattr(frame, incoming))
        expected = [getattr(frame, outgoing) for frame in sent]
        assert await monitor.wait_frames(len(sent)) == expected
