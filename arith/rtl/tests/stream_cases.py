# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What every queue-like stream module of `stream_top` must do (streams <name>_in and
<name>_out)."""

import random
from typing import Any

from arith.simulation.bench import random_source
from arith.simulation.streams import StreamDriver, StreamMonitor, reset, start
from cocotb.triggers import ClockCycles, RisingEdge


def random_frames(rng: random.Random, count: int, longest: int = 9) -> list[list[int]]:
    return [[rng.getrandbits(64) for _ in range(rng.randint(1, longest))] for _ in range(count)]


async def check_stream(dut: Any, name: str) -> None:
    """Every frame comes out whole and in order, for each mix of pauses."""
    rng = random_source(f"{name} order")
    await start(dut, clear_i=0)
    driver = StreamDriver(dut, f"{name}_in", rng)
    monitor = StreamMonitor(dut, f"{name}_out", rng)
    sent: list[list[int]] = []
    for pause_in, pause_out in [(0.0, 0.0), (0.7, 0.1), (0.1, 0.7), (0.5, 0.5)]:
        driver.pause, monitor.pause = pause_in, pause_out
        frames = random_frames(rng, 60)
        for frame in frames:
            driver.send(frame)
        sent += frames
        assert await monitor.wait_frames(len(sent)) == sent


async def check_full_rate(dut: Any, name: str) -> None:
    """Without pauses, a long frame takes its length and a few clocks."""
    rng = random_source(f"{name} rate")
    await start(dut, clear_i=0)
    driver = StreamDriver(dut, f"{name}_in", rng, pause=0.0)
    monitor = StreamMonitor(dut, f"{name}_out", rng, pause=0.0)
    words = [rng.getrandbits(64) for _ in range(300)]
    driver.send(words)
    assert await monitor.wait_frames(1, clocks=len(words) + 6) == [words]


async def check_restart(dut: Any, name: str) -> None:
    """After clear_i, and after a reset, nothing old comes out and new frames pass."""
    rng = random_source(f"{name} restart")
    await start(dut, clear_i=0)
    driver = StreamDriver(dut, f"{name}_in", rng)
    monitor = StreamMonitor(dut, f"{name}_out", rng, pause=0.8)
    for by_reset in (False, True, False, True):
        for frame in random_frames(rng, 20):
            driver.send(frame)
        await ClockCycles(dut.clk_i, rng.randint(5, 40))
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
        frames = random_frames(rng, 10)
        for frame in frames:
            driver.send(frame)
        assert await monitor.wait_frames(len(frames)) == frames
