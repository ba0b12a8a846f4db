# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The common part of the benches of stream modules: frames, mixes of pauses, and a clear or a
reset."""

import random
from typing import Any

from arith.simulation.streams import StreamDriver, StreamMonitor, reset
from cocotb.triggers import ClockCycles, RisingEdge

PAUSES = [(0.0, 0.0), (0.7, 0.1), (0.1, 0.7), (0.5, 0.5)]
"""The pauses of the driver and of the monitor."""


def random_frames(rng: random.Random, count: int, longest: int = 9) -> list[list[int]]:
    return [[rng.getrandbits(64) for _ in range(rng.randint(1, longest))] for _ in range(count)]


async def clear_or_reset(
    dut: Any, driver: StreamDriver, monitor: StreamMonitor, by_reset: bool, clocks: int = 1
) -> None:
    """Empties the module and forgets sent and received data; clear_i is high for `clocks`
    clocks."""
    driver.clear()
    monitor.stop()
    if by_reset:
        await reset(dut)
    else:
        dut.clear_i.value = 1
        await ClockCycles(dut.clk_i, clocks)
        dut.clear_i.value = 0
        await RisingEdge(dut.clk_i)
    monitor.clear()
