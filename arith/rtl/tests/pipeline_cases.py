# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Checks fixed-latency units against plain integers: feeds inputs clock by clock, with random gaps
for units with a valid, and compares each result in exactly the clock in which it is due."""

import random
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from arith.simulation.streams import start
from cocotb.triggers import RisingEdge


@dataclass
class Unit:
    """One unit of a bench top. `model` maps the inputs of a clock to the result."""

    output: str
    latency: int
    model: Callable[[Mapping[str, int]], int]
    interval: int = 1
    valid_bit: int | None = None
    due: deque[tuple[int, int]] = field(default_factory=deque)
    next_free: int = 0
    checked: int = 0


def latencies(dut: Any) -> list[int]:
    """The 8-bit fields of the top's latency_o: what the constant functions of arith_pkg promise."""
    packed = int(dut.latency_o.value)
    return [packed >> 8 * i & 0xFF for i in range(len(dut.latency_o) // 8)]


class Pipeline:
    """All units of a bench top, fed with the same inputs."""

    def __init__(self, dut: Any, units: list[Unit], inputs: list[str]) -> None:
        self.dut, self.units, self.inputs = dut, units, inputs
        self.clock = 0
        self.has_valid = any(unit.valid_bit is not None for unit in units)

    async def begin(self) -> None:
        valid = {"valid_i": 0} if self.has_valid else {}
        await start(self.dut, **dict.fromkeys(self.inputs, 0), **valid)

    async def step(self, rng: random.Random, values: Mapping[str, int], gap: float = 0.0) -> None:
        mask = 0
        for unit in self.units:
            if self.clock < unit.next_free:
                continue
            if unit.valid_bit is not None:
                if rng.random() < gap:
                    continue
                mask |= 1 << unit.valid_bit
            unit.next_free = self.clock + unit.interval
            unit.due.append((self.clock + unit.latency, unit.model(values)))
        for name in self.inputs:
            getattr(self.dut, name).value = values[name]
        if self.has_valid:
            self.dut.valid_i.value = mask
        await RisingEdge(self.dut.clk_i)
        self._check()
        self.clock += 1

    def _check(self) -> None:
        for unit in self.units:
            if unit.due and unit.due[0][0] == self.clock:
                _, expected = unit.due.popleft()
                got = int(getattr(self.dut, unit.output).value)
                assert got == expected, f"{unit.output}: {got:#x}, expected {expected:#x}"
                unit.checked += 1

    async def drain(self, rng: random.Random) -> None:
        """Checks what is still under way; the last inputs stay."""
        last = {name: int(getattr(self.dut, name).value) for name in self.inputs}
        for _ in range(max(unit.latency for unit in self.units) + 1):
            await self.step(rng, last)
        for unit in self.units:
            assert unit.checked > 0, unit.output
