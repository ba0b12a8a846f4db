# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Checks fixed-latency units against plain integers: feeds inputs clock by clock, with random gaps
for units with a valid, and compares each result in exactly the clock in which it is due."""

import random
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arith.simulation.streams import reset, start
from cocotb.triggers import RisingEdge, Timer


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
    """The 8-bit fields of the top's latency_o: the latencies by the functions of arith_pkg."""
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
        """Checks the results still in flight; the last inputs stay."""
        last = {name: int(getattr(self.dut, name).value) for name in self.inputs}
        for _ in range(max(unit.latency for unit in self.units) + 1):
            await self.step(rng, last)
        for unit in self.units:
            assert unit.checked > 0, unit.output


Shape = tuple[str, Callable[[Mapping[str, int]], int], int, int | None]
"""Output, model, Interval and valid_i bit of a unit."""


async def pipeline_of(dut: Any, shapes: Sequence[Shape], inputs: list[str]) -> Pipeline:
    """The units of a top, which are in the order of its latency_o, after a reset."""
    await Timer(1, unit="ns")
    units = [Unit(output, latency, model, interval, bit)
             for (output, model, interval, bit), latency in zip(shapes, latencies(dut), strict=True)]
    pipeline = Pipeline(dut, units, inputs)
    await pipeline.begin()
    return pipeline


async def check_results(
    dut: Any, shapes: Sequence[Shape], rng: random.Random, values: Callable[[random.Random], dict[str, int]],
    count: int,
) -> None:
    """`count` inputs at full rate, and the same number with gaps."""
    pipeline = await pipeline_of(dut, shapes, list(values(rng)))
    for gap in (0.0, 0.4):
        for _ in range(count):
            await pipeline.step(rng, values(rng), gap)
    await pipeline.drain(rng)


async def check_resets(
    dut: Any, shapes: Sequence[Shape], rng: random.Random, values: Callable[[random.Random], dict[str, int]],
    longest: int,
) -> None:
    """Folding starts again after a reset, up to `longest` clocks after the start."""
    for _ in range(4):
        pipeline = await pipeline_of(dut, shapes, list(values(rng)))
        for _ in range(rng.randint(1, longest)):
            await pipeline.step(rng, values(rng), gap=0.3)
        await reset(dut, clocks=1)
    pipeline = await pipeline_of(dut, shapes, list(values(rng)))
    for _ in range(60):
        await pipeline.step(rng, values(rng), gap=0.3)
    await pipeline.drain(rng)
