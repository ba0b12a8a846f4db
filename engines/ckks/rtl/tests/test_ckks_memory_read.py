# SPDX-License-Identifier: Apache-2.0 OR MIT
"""ckks_memory_read against a simulated memory: runs of every length and place, slow memories and
slow receivers, errors, bursts without their mark, drops and resets in mid-run, and its rate."""

import random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from arith.simulation.bench import Lint, random_source, run_bench, setting
from arith.simulation.streams import StreamMonitor, reset, start
from engines.ckks.rtl.tests.card_memory import CardMemory, Timing, runs_of
from engines.ckks.rtl.tests.ckks_rows import offer

ADDRESS_BITS = 18
SIZE = 1 << ADDRESS_BITS
# Bytes of a beat, most beats of a burst, places of the queue: a burst's, and those of the latency.
SHAPES = [(64, 64, 256), (16, 256, 512)]


class Bench:
    def __init__(self, dut: Any, rng: random.Random, timing: Timing, pause: float) -> None:
        self.dut, self.rng = dut, rng
        self.beat_bytes, self.max_beats = int(setting("BEAT_BYTES")), int(setting("MAX_BEATS"))
        self.memory = CardMemory(dut, rng, self.beat_bytes, SIZE, timing)
        self.memory.write(0, rng.randbytes(SIZE))
        self.taken = StreamMonitor(dut, "out", rng, pause, extra=("out_error_o",))

    async def send(self, runs: list[tuple[int, int]]) -> None:
        for address, beats in runs:
            await offer(self.dut, "run", address=address, beats=beats)

    def expected(self, address: int, beats: int) -> list[int]:
        whole = self.memory.read(address, beats * self.beat_bytes)
        step = self.beat_bytes
        return [int.from_bytes(whole[i:i + step], "little") for i in range(0, len(whole), step)]

    def check_bursts(self, runs: list[tuple[int, int]]) -> None:
        """Checks that each run's bursts are consecutive, and as long as allowed except at the ends.
        """
        bursts, size = iter(self.memory.read_bursts), self.max_beats * self.beat_bytes
        for address, beats in runs:
            end = address + beats * self.beat_bytes
            while address < end:
                stop = min(end, (address // size + 1) * size)
                assert next(bursts) == (address, (stop - address) // self.beat_bytes)
                address = stop
        assert next(bursts, None) is None


async def begin(dut: Any) -> None:
    await start(dut, drop_i=0, run_valid_i=0, run_address_i=0, run_beats_i=1, out_ready_i=0)


@cocotb.test()
@cocotb.parametrize((("name", "pause"), [("quick", 0.0), ("slow", 0.3), ("starving", 0.1)]))
async def runs_are_right(dut: Any, name: str, pause: float) -> None:
    rng = random_source((name, setting("BEAT_BYTES")))
    timing = {"quick": Timing(latency=3, jitter=0),
              "slow": Timing(latency=120, jitter=40, bandwidth=0.6, pause=0.3),
              "starving": Timing(latency=20, bandwidth=0.2)}[name]
    await begin(dut)
    bench = Bench(dut, rng, timing, pause)
    runs = runs_of(rng, bench.beat_bytes, SIZE, 14)
    await bench.send(runs)
    frames = await bench.taken.wait_frames(len(runs))
    assert frames == [bench.expected(*run) for run in runs]
    assert not any(error for error, in bench.taken.extras)
    bench.check_bursts(runs)
    await RisingEdge(dut.clk_i)
    assert int(dut.idle_o.value)


@cocotb.test()
async def errors_mark_their_beats(dut: Any) -> None:
    rng = random_source("errors")
    await begin(dut)
    bench = Bench(dut, rng, Timing(), 0.1)
    page = 4096 // bench.beat_bytes
    bench.memory.failing = {3}
    await bench.send([(2 * 4096, 2 * page), (4 * 4096, 5)])
    await bench.taken.wait_frames(2)
    errors = [error for error, in bench.taken.extras]
    assert errors == [0] * page + [1] * page + [0] * 5
    bench.memory.failing, bench.memory.cuts_bursts = set(), True
    await bench.send([(0, 3)])
    await bench.taken.wait_frames(3)
    assert [error for error, in bench.taken.extras[-3:]] == [0, 0, 1]


@cocotb.test()
async def a_drop_forgets_what_is_inside(dut: Any) -> None:
    rng = random_source("drops")
    await begin(dut)
    bench = Bench(dut, rng, Timing(latency=40, bandwidth=0.7), 0.2)
    for number in range(12):
        runs = runs_of(rng, bench.beat_bytes, SIZE, 3)
        sending = cocotb.start_soon(bench.send(runs))
        for _ in range(rng.randrange(300)):
            await RisingEdge(dut.clk_i)
        sending.cancel()
        bench.taken.stop()
        dut.run_valid_i.value = 0
        if number % 4 == 3:
            await reset(dut, clocks=1)
        else:
            dut.drop_i.value = 1
            await RisingEdge(dut.clk_i)
            dut.drop_i.value = 0
        bench.taken.clear()
        # The next run may be submitted at once; it waits until the memory has answered everything.
        run = runs_of(rng, bench.beat_bytes, SIZE, 1)[0]
        await bench.send([run])
        assert await bench.taken.wait_frames(1) == [bench.expected(*run)]


@cocotb.test()
async def a_fast_memory_is_used_every_clock(dut: Any) -> None:
    """Latency is hidden: from the first beat to the last no clock is lost but the refreshes."""
    rng = random_source("rate")
    await begin(dut)
    timing = Timing(latency=60, jitter=0, refresh_interval=1 << 30, refresh_clocks=0)
    bench = Bench(dut, rng, timing, 0.0)
    beats = 16 * bench.max_beats
    await bench.send([(0, beats)])
    begun = bench.memory.clock
    await bench.taken.wait_frames(1)
    assert bench.memory.clock - begun <= beats + 60 + 10


LINTS = [Lint("ckks_memory_read", {"BeatBytes": beat_bytes, "MaxBeats": max_beats})
         for beat_bytes, max_beats, _ in SHAPES]


@pytest.mark.parametrize(("beat_bytes", "max_beats", "places"), SHAPES)
def test_ckks_memory_read(beat_bytes: int, max_beats: int, places: int) -> None:
    parameters = {"AddressBits": ADDRESS_BITS, "BeatBytes": beat_bytes, "MaxBeats": max_beats,
                  "QueueBeats": places, "OpenBursts": 8}
    run_bench(__file__, "ckks_memory_read", parameters, optimize="-O0",
              settings={"BEAT_BYTES": beat_bytes, "MAX_BEATS": max_beats})
