# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Drivers and monitors for valid/ready streams, with random pauses on both sides.

A stream `<name>` of a module has the ports `<name>_valid_*`, `<name>_ready_*`, `<name>_data_*` and
mostly `<name>_last_*` (`_i`/`_o` as seen from the module); a name "" means `valid_i`, ... A beat
moves at a rising clock edge at which valid and ready are both high.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Event, ReadOnly, RisingEdge, with_timeout

from arith.simulation.ports import reader, writer

CLOCK_PERIOD_NS = 2


def _of_domain(dut: Any, domain: str, port: str) -> Any:
    """The port `<domain>_<port>`, or `port` where the module has one clock, the domain ""."""
    return getattr(dut, f"{domain}_{port}" if domain else port)


async def start(dut: Any, **inputs: int) -> None:
    """Starts the clock, sets `inputs` (port name to value), and holds the reset for two clocks."""
    for port, value in inputs.items():
        getattr(dut, port).value = value
    cocotb.start_soon(Clock(dut.clk_i, CLOCK_PERIOD_NS, unit="ns").start())
    if hasattr(dut, "rst_ni"):
        await reset(dut)


async def reset(dut: Any, clocks: int = 2) -> None:
    """Holds rst_ni low for `clocks` clocks; returns just after an edge, out of reset."""
    dut.rst_ni.value = 0
    for _ in range(clocks):
        await RisingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    await RisingEdge(dut.clk_i)


def _port(dut: Any, name: str, role: str, direction: str) -> Any:
    return getattr(dut, f"{name}_{role}_{direction}" if name else f"{role}_{direction}", None)


class StreamDriver:
    """Feeds beats into the module's input stream `name`; valid is low with chance `pause`.

    `domain` names the clock in a module of several: "bus" for bus_clk_i and bus_rst_ni.
    """

    def __init__(
        self, dut: Any, name: str, rng: random.Random, pause: float = 0.3, domain: str = "",
    ) -> None:
        self._edge = RisingEdge(_of_domain(dut, domain, "clk_i"))
        self._valid, self._ready, self._data, self._last = (
            _port(dut, name, role, direction)
            for role, direction in (("valid", "i"), ("ready", "o"), ("data", "i"), ("last", "i"))
        )
        self._random, self.pause = rng, pause
        self._beats: deque[tuple[int, int]] = deque()
        self._drained = Event()
        self._valid.value = 0
        self._task = cocotb.start_soon(self._run())

    def send(self, words: Sequence[int] | Iterable[int], is_whole: bool = True) -> None:
        """Queues a frame; the last word carries `last`, unless the frame's rest is sent later."""
        frame = list(words)
        end = len(frame) - 1 if is_whole else None
        self._beats.extend((word, int(i == end)) for i, word in enumerate(frame))
        self._drained.clear()

    async def drained(self, clocks: int = 100_000) -> None:
        """Waits until all queued beats have been taken, at most `clocks` clocks."""
        if self._beats:
            await with_timeout(self._drained.wait(), clocks * CLOCK_PERIOD_NS, "ns")

    def clear(self) -> None:
        """Forgets what has not been sent (use with a reset) and lowers valid."""
        self._beats.clear()
        self._task.cancel()
        self._valid.value = 0
        self._task = cocotb.start_soon(self._run())

    async def _run(self) -> None:
        edge, set_valid, set_data = self._edge, writer(self._valid), writer(self._data)
        set_last = writer(self._last) if self._last is not None else None
        is_ready = reader(self._ready) if self._ready is not None else None
        while True:
            if not self._beats or self._random.random() < self.pause:
                set_valid(0)
                await edge
                continue
            word, last = self._beats[0]
            set_valid(1)
            set_data(word)
            if set_last is not None:
                set_last(last)
            while True:
                await ReadOnly()
                taken = is_ready is None or is_ready()
                await edge
                if taken:
                    break
            self._beats.popleft()
            if not self._beats:
                set_valid(0)
                self._drained.set()


class StreamMonitor:
    """Takes beats from the module's output stream `name`; ready is low with chance `pause`.

    `beats` holds (data, last) in order; `frames` the complete frames. Checks the rule that a beat
    offered stays offered, unchanged, until it is taken. `extra` names further ports sampled with
    each beat (for instance "result_tag_o"): they are then in `extras`, a list of tuples. `domain`
    as in StreamDriver.
    """

    def __init__(
        self, dut: Any, name: str, rng: random.Random, pause: float = 0.3,
        extra: Sequence[str] = (), domain: str = "",
    ) -> None:
        self._edge = RisingEdge(_of_domain(dut, domain, "clk_i"))
        self._is_out_of_reset = reader(_of_domain(dut, domain, "rst_ni"))
        self._is_valid = reader(_port(dut, name, "valid", "o"))
        self._ready = _port(dut, name, "ready", "i")
        self._data = reader(_port(dut, name, "data", "o"))
        last = _port(dut, name, "last", "o")
        self._last = reader(last) if last is not None else lambda: 1
        self._extra = [reader(getattr(dut, port)) for port in extra]
        self._random, self.pause = rng, pause
        self.beats: list[tuple[int, int]] = []
        self.frames: list[list[int]] = []
        self.extras: list[tuple[int, ...]] = []
        self._frame: list[int] = []
        self._task = cocotb.start_soon(self._run())

    def stop(self) -> None:
        """Stops watching: a clear or a reset may withdraw what is offered."""
        self._task.cancel()

    def clear(self) -> None:
        """Forgets everything seen and watches again (use after a clear or a reset)."""
        self.beats, self.frames, self.extras, self._frame = [], [], [], []
        self._task.cancel()
        self._task = cocotb.start_soon(self._run())

    async def wait_frames(self, count: int, clocks: int = 200_000) -> list[list[int]]:
        """Waits for `count` frames, at most `clocks` clocks, and returns all frames."""
        for _ in range(clocks):
            if len(self.frames) >= count:
                return self.frames
            await self._edge
        raise AssertionError(f"{len(self.frames)} of {count} frames after {clocks} clocks")

    async def _run(self) -> None:
        waiting = None
        edge, set_ready = self._edge, writer(self._ready) if self._ready is not None else None
        while True:
            ready = int(self._random.random() >= self.pause)
            if set_ready is not None:
                set_ready(ready)
            await ReadOnly()
            beat = None
            if not self._is_out_of_reset():
                waiting = None
            elif self._is_valid():
                beat = (self._data(), self._last())
            assert waiting is None or beat == waiting, f"offered {waiting}, then {beat}"
            taken = beat is not None and (self._ready is None or ready)
            waiting = None if taken else beat
            if taken and beat is not None:
                self._keep(*beat)
            await edge

    def _keep(self, data: int, last: int) -> None:
        self.beats.append((data, last))
        self.extras.append(tuple(read() for read in self._extra))
        self._frame.append(data)
        if last:
            self.frames.append(self._frame)
            self._frame = []
