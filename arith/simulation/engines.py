# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The common part of the engines' benches: requests and replies at the ports of
docs/adding-an-engine.md, the end of all work, and resets."""

import random
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar

from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from arith.simulation.bench import random_source
from arith.simulation.streams import StreamDriver, StreamMonitor, reset, start

REQUESTS = dict.fromkeys(("soft_reset_i", "req_valid_i", "req_data_i", "req_last_i", "rpl_ready_i"), 0)
# The maximum time for an offered frame to leave, with a slow reader.
DRAIN_CLOCKS = 20_000
Reply = TypeVar("Reply")


class EngineBench:
    """An engine between a driver of requests and a monitor of replies."""

    is_idle_at_once = True  # after a reset

    def __init__(self, dut: Any, rng: random.Random, pause_in: float = 0.0, pause_out: float = 0.0) -> None:
        self.dut, self.rng = dut, rng
        self.driver = StreamDriver(dut, "req", rng, pause_in)
        self.monitor = StreamMonitor(dut, "rpl", rng, pause_out)

    @classmethod
    async def begin(cls, dut: Any, name: str, pause_in: float = 0.0, pause_out: float = 0.0) -> Self:
        """Starts the clock and resets the engine, which is then idle."""
        await start(dut, **REQUESTS)
        assert int(dut.idle_o.value) or not cls.is_idle_at_once
        return cls(dut, random_source(name), pause_in, pause_out)

    async def becomes_idle(self) -> None:
        """In the next clock the engine is idle and offers nothing."""
        await RisingEdge(self.dut.clk_i)
        await ReadOnly()
        assert int(self.dut.idle_o.value) == 1 and int(self.dut.rpl_valid_o.value) == 0
        await RisingEdge(self.dut.clk_i)

    async def hard_reset(self) -> None:
        self.driver.clear()
        self.monitor.stop()
        await reset(self.dut, clocks=self.rng.choice((1, 2, 5)))
        self.monitor.clear()
        assert int(self.dut.idle_o.value) == 1

    async def soft_reset(self) -> None:
        """The offered frame is completed; everything else is dropped. The source starts again after
        the reset, like the card's router."""
        dut = self.dut
        self.driver.clear()
        dut.soft_reset_i.value = 1
        await RisingEdge(dut.clk_i)
        await ReadOnly()
        offered, done = int(dut.rpl_valid_o.value), len(self.monitor.frames)
        await ClockCycles(dut.clk_i, self.rng.choice((1, 2, 5, 16)))
        dut.soft_reset_i.value = 0
        await RisingEdge(dut.clk_i)
        for _ in range(DRAIN_CLOCKS):
            if int(dut.idle_o.value):
                break
            await RisingEdge(dut.clk_i)
        assert int(dut.idle_o.value) == 1
        assert len(self.monitor.frames) - done <= offered + 1


class UnorderedBench(EngineBench, ABC, Generic[Reply]):
    """An engine whose replies come in any order. Each must be an expected one."""

    def __init__(self, dut: Any, rng: random.Random, pause_in: float = 0.0, pause_out: float = 0.0) -> None:
        super().__init__(dut, rng, pause_in, pause_out)
        self.waiting: Counter[Reply] = Counter()
        self.checked = 0

    @abstractmethod
    def parse(self, beats: list[int]) -> Reply:
        """The reply in a frame."""

    def check(self) -> None:
        """Matches the frames that have arrived since the last call."""
        for beats in self.monitor.frames[self.checked:]:
            reply = self.parse(beats)
            assert self.waiting[reply] > 0, f"unexpected reply {reply}"
            self.waiting[reply] -= 1
            self.checked += 1

    async def until(self, condition: Callable[[], bool], clocks: int) -> None:
        """Waits until the condition holds, which only a reply can cause."""
        def holds() -> bool:
            self.check()
            return condition()

        await self.monitor.until(holds, clocks)

    async def finish(self, clocks: int = 600_000) -> None:
        """Waits until every reply has arrived and the engine is idle."""
        await self.until(lambda: not self.waiting.total(), clocks)
        await self.becomes_idle()

    async def hard_reset(self) -> None:
        await super().hard_reset()
        self.waiting.clear()
        self.checked = 0

    async def soft_reset(self) -> None:
        self.check()
        await super().soft_reset()
        self.check()
        self.waiting.clear()
