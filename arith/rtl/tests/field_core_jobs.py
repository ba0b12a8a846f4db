# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Feeds jobs into a field_core top (field_core_image) and checks the results by their tags."""

import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.ports import reader, writer
from arith.simulation.streams import StreamMonitor, reset

TAG_BITS = 72


@dataclass(frozen=True)
class Job:
    """One job and its expected result, and that of its quick program if it has one."""

    entry: int
    words: tuple[int, ...]
    result: tuple[int, ...]
    quick: tuple[int, ...] = ()


class Bench:
    """One core: jobs go in with random pauses, results are matched to them as they arrive."""

    def __init__(self, dut: Any, rng: random.Random, pause: float) -> None:
        self.dut, self.rng, self.pause = dut, rng, pause
        self.waiting: dict[int, Job] = {}   # by tag
        self.finished = 0
        self.quick = 0
        """The finished jobs with the quick program's result, if that differs."""
        self._queue: deque[tuple[int, Job]] = deque()
        self.monitor = StreamMonitor(dut, "result", rng, pause, extra=("result_tag_o",))
        self._checked = self._beats = 0
        self._driver = cocotb.start_soon(self._drive())

    def send(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            tag = self.rng.getrandbits(TAG_BITS)
            assert tag not in self.waiting
            self.waiting[tag] = job
            self._queue.append((tag, job))

    @property
    def unsent(self) -> int:
        """The number of jobs without an offered word."""
        return len(self._queue)

    def forget(self) -> None:
        """The effect of a reset on the jobs in and before the core."""
        self._driver.cancel()
        self.dut.job_valid_i.value = 0
        self._queue.clear()
        self.waiting.clear()
        self.monitor.clear()
        self._checked = self._beats = 0
        self._driver = cocotb.start_soon(self._drive())

    async def wait_until(self, condition: Callable[[], bool], clocks: int) -> None:
        edge = RisingEdge(self.dut.clk_i)
        for _ in range(clocks):
            self._check()
            if condition():
                return
            await edge
        raise AssertionError(f"{len(self.waiting)} jobs without a result after {clocks} clocks")

    async def finish(self, clocks: int = 400_000) -> None:
        """All results have arrived and are right, and the core is idle."""
        await self.wait_until(lambda: not self.waiting, clocks)
        await RisingEdge(self.dut.clk_i)
        await ReadOnly()
        assert int(self.dut.idle_o.value) == 1
        assert int(self.dut.result_valid_o.value) == 0
        await RisingEdge(self.dut.clk_i)

    def _check(self) -> None:
        """Matches the frames that have arrived since the last call."""
        while len(self.monitor.frames) > self._checked:
            frame = self.monitor.frames[self._checked]
            extras = self.monitor.extras[self._beats : self._beats + len(frame)]
            tags = {extra[0] for extra in extras}
            assert len(tags) == 1, "the tag changed within a result"
            tag = tags.pop()
            assert tag in self.waiting, f"a result with the unknown tag {tag:#x}"
            job = self.waiting.pop(tag)
            quickly = tuple(frame) == job.quick != job.result
            assert quickly or tuple(frame) == job.result, f"entry {job.entry}, words {job.words}"
            self.quick += quickly
            self._checked += 1
            self._beats += len(frame)
            self.finished += 1

    async def _drive(self) -> None:
        """Entry and tag are random after the first word: they must not be read again."""
        dut, rng, edge = self.dut, self.rng, RisingEdge(self.dut.clk_i)
        set_valid, is_ready = writer(dut.job_valid_i), reader(dut.job_ready_o)
        while True:
            if not self._queue:
                set_valid(0)
                await edge
                continue
            tag, job = self._queue.popleft()
            for index, word in enumerate(job.words):
                while rng.random() < self.pause:
                    set_valid(0)
                    await edge
                set_valid(1)
                dut.job_data_i.value = word
                dut.job_last_i.value = int(index == len(job.words) - 1)
                dut.job_entry_i.value = job.entry if index == 0 else 0
                dut.job_tag_i.value = tag if index == 0 else rng.getrandbits(TAG_BITS)
                taken = False
                while not taken:
                    await ReadOnly()
                    taken = bool(is_ready())
                    await edge


async def reset_in_mid_job(bench: Bench, jobs: Callable[[int], Sequence[Job]], rounds: int = 4,
                           each: int = 8, clocks: int = 3000) -> None:
    """Resets the core repeatedly while it has jobs; then it works as after the first reset."""
    dut, rng = bench.dut, bench.rng
    for _ in range(rounds):
        bench.send(jobs(each))
        for _ in range(rng.randrange(20, clocks)):
            await RisingEdge(dut.clk_i)
        bench.forget()
        await reset(dut, clocks=rng.choice((1, 2, 5)))
        bench.forget()
    bench.send(jobs(2 * each))
    await bench.finish()
