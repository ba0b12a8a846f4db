# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Drivers and monitors for valid/ready streams, with random pauses on both sides.

A stream `<name>` of a module has the ports `<name>_valid_*`, `<name>_ready_*`, `<name>_data_*` and
usually `<name>_last_*` (`_i`/`_o` as seen from the module); a name "" means `valid_i`, ... The
ports of an AXI4-Stream are `<name>_tvalid`, ..., and `<name>_tkeep`. A beat moves at a rising clock
edge at which valid and ready are both high.

While nothing moves, the clock wakes none of these: a driver sleeps while it has no beats, and while
its offered beat is not accepted; a monitor while nothing is offered.
"""

import os
import random
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Event, ReadOnly, RisingEdge, SimTimeoutError, Timer, with_timeout
from cocotb.utils import get_sim_time

from arith.simulation.ports import reader, writer

CLOCK_PERIOD_NS = 2
START_CLOCKS = 8
"""The first reset from random values: the checks of memories have no reset, and an error that they
report from such values stops an engine until a soft reset. They are empty after five clocks."""
POLLS = 2
"""The number of clocks of polling, which costs as much as one wake-up by a port."""


def _of_domain(dut: Any, domain: str, port: str) -> Any:
    """The port `<domain>_<port>`, or `port` if the module has one clock, the domain ""."""
    return getattr(dut, f"{domain}_{port}" if domain else port)


async def start(dut: Any, **inputs: int) -> None:
    """Starts the clock, sets `inputs` (port name to value), and holds the reset for two clocks, or
    for START_CLOCKS if registers begin with random values."""
    for port, value in inputs.items():
        getattr(dut, port).value = value
    cocotb.start_soon(Clock(dut.clk_i, CLOCK_PERIOD_NS, unit="ns").start())
    if hasattr(dut, "rst_ni"):
        await reset(dut, START_CLOCKS if "HALIMEDE_RANDOM_START" in os.environ else 2)


async def reset(dut: Any, clocks: int = 2) -> None:
    """Holds rst_ni low for `clocks` clocks; returns just after an edge, out of reset."""
    dut.rst_ni.value = 0
    for _ in range(clocks):
        await RisingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    await RisingEdge(dut.clk_i)


async def wait_clocks(clock: Any, count: int, period_ns: int = CLOCK_PERIOD_NS) -> None:
    """Like cocotb's `ClockCycles`, for a clock with this period; must be called in its high half,
    e.g. after an edge. Python does not count the clocks."""
    if count > 1:
        # Between the falling edge and the last rising one.
        await Timer((count - 1) * period_ns * 1000 - period_ns * 250, "ps")
    await RisingEdge(clock)


def _port(dut: Any, name: str, role: str, direction: str) -> Any:
    """None if the port does not exist. The names of an AXI4-Stream have a "t" and no direction."""
    if "axis" in name:
        return getattr(dut, f"{name}_t{role}", None)
    return getattr(dut, f"{name}_{role}_{direction}" if name else f"{role}_{direction}", None)


class StreamDriver:
    """Feeds beats into the module's input stream `name`; valid is low with probability `pause`.

    `domain` names the clock in a module with several: "bus" for bus_clk_i and bus_rst_ni.
    """

    def __init__(
        self, dut: Any, name: str, rng: random.Random, pause: float = 0.3, domain: str = "",
    ) -> None:
        self._edge = RisingEdge(_of_domain(dut, domain, "clk_i"))
        self._valid, self._ready, self._data, self._last, self._keep = (
            _port(dut, name, role, direction) for role, direction in (
                ("valid", "i"), ("ready", "o"), ("data", "i"), ("last", "i"), ("keep", "i"))
        )
        self._all_bytes = (1 << len(self._keep)) - 1 if self._keep is not None else 0
        self._random, self.pause = rng, pause
        self._beats: deque[tuple[int, int, int]] = deque()
        """Data, last, and the mask of the valid bytes."""
        self._drained, self._queued = Event(), Event()
        self._valid.value = 0
        self._task = cocotb.start_soon(self._run())

    def send(self, words: Sequence[int] | Iterable[int], is_whole: bool = True) -> None:
        """Queues a frame. The last word has `last`, unless the frame's rest is sent later."""
        frame = list(words)
        end = len(frame) - 1 if is_whole else None
        self._queue((word, int(i == end), self._all_bytes) for i, word in enumerate(frame))

    def send_bytes(self, data: bytes) -> None:
        """Queues a packet of an AXI4-Stream, which may end within a beat."""
        size = len(self._keep)
        parts = [data[at:at + size] for at in range(0, len(data), size)]
        self._queue((int.from_bytes(part, "little"), int(number == len(parts)), (1 << len(part)) - 1)
                    for number, part in enumerate(parts, 1))

    def _queue(self, beats: Iterable[tuple[int, int, int]]) -> None:
        self._beats.extend(beats)
        if self._beats:
            self._drained.clear()
            self._queued.set()

    async def drained(self, clocks: int = 100_000) -> None:
        """Waits until all queued beats have been accepted, at most `clocks` clocks."""
        if self._beats:
            await with_timeout(self._drained.wait(), clocks * CLOCK_PERIOD_NS, "ns")

    def clear(self) -> None:
        """Drops the unsent beats (use with a reset) and lowers valid."""
        self._beats.clear()
        self._task.cancel()
        self._valid.value = 0
        self._task = cocotb.start_soon(self._run())

    async def _run(self) -> None:
        edge, set_valid, set_data = self._edge, writer(self._valid), writer(self._data)
        set_last = writer(self._last) if self._last is not None else None
        set_keep = writer(self._keep) if self._keep is not None else None
        is_ready = reader(self._ready) if self._ready is not None else None
        becomes_ready = RisingEdge(self._ready) if self._ready is not None else None
        while True:
            if not self._beats:
                set_valid(0)
                self._queued.clear()
                await self._queued.wait()
                await edge
                continue
            if self._random.random() < self.pause:
                set_valid(0)
                await edge
                continue
            word, last, keep = self._beats[0]
            set_valid(1)
            set_data(word)
            if set_last is not None:
                set_last(last)
            if set_keep is not None:
                set_keep(keep)
            clocks = 0
            while True:
                await ReadOnly()
                if is_ready is None or is_ready():
                    await edge
                    break
                clocks += 1
                await (edge if clocks < POLLS else becomes_ready)
            self._beats.popleft()
            if not self._beats:
                set_valid(0)
                self._drained.set()


class StreamMonitor:
    """Accepts beats from the module's output stream `name`; ready is low with probability `pause`.

    `beats` holds (data, last) in order; `frames` the complete frames. Checks the rule that an
    offered beat stays offered, unchanged, until it is accepted. `extra` names further ports that
    are sampled with each beat (for instance "result_tag_o"): they are then in `extras`, a list of
    tuples. `domain` is as in StreamDriver.
    """

    def __init__(
        self, dut: Any, name: str, rng: random.Random, pause: float = 0.3,
        extra: Sequence[str] = (), domain: str = "",
    ) -> None:
        self._edge = RisingEdge(_of_domain(dut, domain, "clk_i"))
        self._is_out_of_reset = reader(_of_domain(dut, domain, "rst_ni"))
        valid = _port(dut, name, "valid", "o")
        self._is_valid, self._becomes_valid = reader(valid), RisingEdge(valid)
        ready = _port(dut, name, "ready", "i")
        self._write_ready = writer(ready) if ready is not None else None
        self._data = reader(_port(dut, name, "data", "o"))
        last = _port(dut, name, "last", "o")
        self._last = reader(last) if last is not None else lambda: 1
        self._extra = [reader(getattr(dut, port)) for port in extra]
        self._random, self._pause = rng, pause
        self._came, self._sleeps = Event(), False
        self.beats: list[tuple[int, int]] = []
        self.frames: list[list[int]] = []
        self.extras: list[tuple[int, ...]] = []
        self._frame: list[int] = []
        self._task = cocotb.start_soon(self._run())

    @property
    def pause(self) -> float:
        return self._pause

    @pause.setter
    def pause(self, chance: float) -> None:
        self._pause = chance
        if self._sleeps:
            self._set_ready()

    def stop(self) -> None:
        """Stops watching: a clear or a reset may withdraw offers."""
        self._task.cancel()

    def clear(self) -> None:
        """Drops everything received and watches again (use after a clear or a reset)."""
        self.beats, self.frames, self.extras, self._frame = [], [], [], []
        self._task.cancel()
        self._task = cocotb.start_soon(self._run())

    async def wait_frames(self, count: int, clocks: int = 200_000) -> list[list[int]]:
        """Waits for `count` frames, at most `clocks` clocks, and returns all frames."""
        await self.until(lambda: len(self.frames) >= count, clocks)
        return self.frames

    async def until(self, condition: Callable[[], bool], clocks: int) -> None:
        """Waits until the condition holds, at most this number of clocks. Only a frame can make it
        hold."""
        limit = int(get_sim_time("ps")) + clocks * CLOCK_PERIOD_NS * 1000
        while not condition():
            self._came.clear()
            left = limit - int(get_sim_time("ps"))
            try:
                await with_timeout(self._came.wait(), max(1, left), "ps")
            except SimTimeoutError:
                raise AssertionError(f"{len(self.frames)} frames after {clocks} clocks") from None
            await self._edge

    def _set_ready(self) -> None:
        self._is_ready = int(self._random.random() >= self._pause)
        if self._write_ready is not None:
            self._write_ready(self._is_ready)

    async def _run(self) -> None:
        waiting, clocks = None, 0
        edge, becomes_valid = self._edge, self._becomes_valid
        is_valid, is_out_of_reset = self._is_valid, self._is_out_of_reset
        self._sleeps = False
        while True:
            self._set_ready()
            await ReadOnly()
            valid = is_valid()
            clocks = 0 if valid else clocks + 1
            if clocks > POLLS and waiting is None:
                self._sleeps = True
                await becomes_valid
                await ReadOnly()
                self._sleeps = False
                valid = is_valid()
            if (valid or waiting is not None) and not is_out_of_reset():
                valid, waiting = 0, None
            beat = (self._data(), self._last()) if valid else None
            assert waiting is None or beat == waiting, f"offered {waiting}, then {beat}"
            taken = beat is not None and (self._write_ready is None or self._is_ready)
            waiting = None if taken else beat
            if taken and beat is not None:
                self._add(*beat)
            await edge

    def _add(self, data: int, last: int) -> None:
        self.beats.append((data, last))
        self.extras.append(tuple(read() for read in self._extra))
        self._frame.append(data)
        if last:
            self.frames.append(self._frame)
            self._frame = []
            self._came.set()
