# SPDX-License-Identifier: Apache-2.0 OR MIT
"""ckks_memory_write against a simulated memory: runs of every length and place, slow memories and
slow sources, errors, a reset in mid-run, and its rate."""

import random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import Lint, random_source, run_bench, setting
from arith.simulation.streams import StreamDriver, reset, start
from engines.ckks.rtl.tests.card_memory import CardMemory, Timing, runs_of
from engines.ckks.rtl.tests.ckks_rows import offer

ADDRESS_BITS = 18
SIZE = 1 << ADDRESS_BITS
SHAPES = [(64, 64, 128), (16, 256, 256)]
"""Bytes of a beat, most beats of a burst, places of the queue."""


class Bench:
    def __init__(self, dut: Any, rng: random.Random, timing: Timing, pause: float) -> None:
        self.dut, self.rng = dut, rng
        self.beat_bytes = int(setting("BEAT_BYTES"))
        self.memory = CardMemory(dut, rng, self.beat_bytes, SIZE, timing)
        self.image = bytearray(rng.randbytes(SIZE))
        self.memory.write(0, bytes(self.image))
        self.source = StreamDriver(dut, "in", rng, pause)
        self.done: list[int] = []
        cocotb.start_soon(self._watch())

    async def _watch(self) -> None:
        while True:
            await ReadOnly()
            if int(self.dut.done_valid_o.value):
                self.done.append(int(self.dut.done_error_o.value))
            await RisingEdge(self.dut.clk_i)

    async def send(self, runs: list[tuple[int, int]]) -> None:
        """Submits runs with random data, and writes them to the expected memory image."""
        for address, beats in runs:
            data = self.rng.randbytes(beats * self.beat_bytes)
            if not {address // 4096 + i for i in range(9)} & self.memory.failing:
                self.image[address:address + len(data)] = data
            step = self.beat_bytes
            self.source.send(int.from_bytes(data[i:i + step], "little")
                             for i in range(0, len(data), step))
            await offer(self.dut, "run", address=address, beats=beats)

    async def finished(self, count: int) -> None:
        for _ in range(100_000):
            if len(self.done) >= count:
                return
            await RisingEdge(self.dut.clk_i)
        raise AssertionError(f"{len(self.done)} of {count} runs done")


async def begin(dut: Any) -> None:
    await start(dut, run_valid_i=0, run_address_i=0, run_beats_i=1, in_valid_i=0, in_data_i=0)


@cocotb.test()
@cocotb.parametrize((("name", "pause"), [("quick", 0.0), ("slow", 0.1), ("starved", 0.6)]))
async def runs_are_right(dut: Any, name: str, pause: float) -> None:
    rng = random_source((name, setting("BEAT_BYTES")))
    timing = {"quick": Timing(latency=2, jitter=0),
              "slow": Timing(latency=120, jitter=40, bandwidth=0.5, pause=0.3),
              "starved": Timing(latency=20)}[name]
    await begin(dut)
    bench = Bench(dut, rng, timing, pause)
    runs = runs_of(rng, bench.beat_bytes, SIZE, 12)
    await bench.send(runs)
    await bench.finished(len(runs))
    assert bench.done == [0] * len(runs)
    assert bench.memory.bytes == bench.image
    assert sum(beats for _, beats in bench.memory.write_bursts) == sum(beats for _, beats in runs)


@cocotb.test()
async def errors_are_told_of_their_run(dut: Any) -> None:
    rng = random_source("errors")
    await begin(dut)
    bench = Bench(dut, rng, Timing(), 0.0)
    page = 4096 // bench.beat_bytes
    bench.memory.failing = {3}
    await bench.send([(0, 7), (2 * 4096, 3 * page), (3 * 4096, 1), (6 * 4096, 2 * page)])
    await bench.finished(4)
    assert bench.done == [0, 1, 1, 0]


@cocotb.test()
async def a_reset_forgets_everything(dut: Any) -> None:
    rng = random_source("reset")
    await begin(dut)
    bench = Bench(dut, rng, Timing(latency=40, bandwidth=0.7), 0.2)
    for _ in range(8):
        sending = cocotb.start_soon(bench.send(runs_of(rng, bench.beat_bytes, SIZE, 3)))
        for _ in range(rng.randrange(300)):
            await RisingEdge(dut.clk_i)
        sending.cancel()
        dut.run_valid_i.value = 0
        bench.source.clear()
        await reset(dut, clocks=1)
        bench.done.clear()
        address, beats = runs_of(rng, bench.beat_bytes, SIZE, 1)[0]
        await bench.send([(address, beats)])
        await bench.finished(1)
        size = beats * bench.beat_bytes
        assert bench.memory.read(address, size) == bench.image[address:address + size]


@cocotb.test()
async def a_fast_memory_is_used_every_clock(dut: Any) -> None:
    rng = random_source("rate")
    await begin(dut)
    timing = Timing(latency=20, jitter=0, refresh_interval=1 << 30, refresh_clocks=0)
    bench = Bench(dut, rng, timing, 0.0)
    beats = 1024
    begun = bench.memory.clock
    await bench.send([(0, beats)])
    await bench.finished(1)
    # A burst is collected before it is sent, in parallel with the previous one if the queue holds
    # both.
    most = int(setting("MAX_BEATS"))
    overlap = 1 if int(setting("PLACES")) >= 2 * most else 2
    assert bench.memory.clock - begun <= overlap * beats + most + 20 + 20


LINTS = [Lint("ckks_memory_write", {"BeatBytes": beat_bytes, "MaxBeats": max_beats, "QueueBeats": places})
         for beat_bytes, max_beats, places in SHAPES]


@pytest.mark.parametrize(("beat_bytes", "max_beats", "places"), SHAPES)
def test_ckks_memory_write(beat_bytes: int, max_beats: int, places: int) -> None:
    parameters = {"AddressBits": ADDRESS_BITS, "BeatBytes": beat_bytes, "MaxBeats": max_beats,
                  "QueueBeats": places, "OpenBursts": 8}
    run_bench(__file__, "ckks_memory_write", parameters, optimize="-O0",
              settings={"BEAT_BYTES": beat_bytes, "MAX_BEATS": max_beats, "PLACES": places})
