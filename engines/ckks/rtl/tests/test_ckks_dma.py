# SPDX-License-Identifier: Apache-2.0 OR MIT
"""ckks_dma between a simulated memory and banks: limbs of all lanes and degrees both ways at once,
repeated limbs, slow memories and busy banks, errors, resets, and the clocks of many limbs."""

import random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import Lint, in_sweep, random_source, run_bench, setting
from arith.simulation.streams import reset, start
from engines.ckks.model import transform
from engines.ckks.model.layout import Layout
from engines.ckks.rtl.tests.card_memory import CardMemory, Timing
from engines.ckks.rtl.tests.ckks_rows import offer, packed, unpacked

ADDRESS_BITS, MEMORY_BITS = 11, 18
SIZE = 1 << MEMORY_BITS
# log2 of the lanes, and the degrees that are tried.
SHAPES = [(2, (5, 10)), (5, (6, 8, 10))]
SWEPT = [(3, (4, 10)), (4, (5, 10)), (6, (7, 10))]


class Bench:
    """Banks and memory around the unit. The lower slots are stored, the upper ones loaded."""

    def __init__(self, dut: Any, rng: random.Random, log_degree: int, timing: Timing,
                 wait: float) -> None:
        self.dut, self.rng, self.wait = dut, rng, wait
        self.log_lanes = int(setting("LOG_LANES"))
        self.layout = Layout(log_degree, self.log_lanes)
        self.degree, self.words = 1 << log_degree, min(1 << self.log_lanes, 16)
        self.slots = (1 << ADDRESS_BITS) // self.layout.rows
        self.banks = [[rng.getrandbits(30) for _ in range(1 << ADDRESS_BITS)]
                      for _ in range(self.layout.lanes)]
        self.memory = CardMemory(dut, rng, 4 * self.words, SIZE, timing)
        self.memory.write(0, b"".join(rng.getrandbits(30).to_bytes(4, "little")
                                      for _ in range(SIZE // 4)))
        self.coming = [0, 0]
        self.loaded = self.failures = 0
        self.stored: list[int] = []
        self._task = cocotb.start_soon(self._run())

    def stop(self) -> None:
        self._task.cancel()
        self.memory.stop()

    async def _run(self) -> None:
        dut = self.dut
        while True:
            dut.read_word_i.value = self.coming.pop(0)
            dut.read_ready_i.value = int(self.rng.random() >= self.wait)
            dut.write_ready_i.value = int(self.rng.random() >= self.wait)
            await ReadOnly()
            word = 0
            if int(dut.read_valid_o.value) and int(dut.read_ready_i.value):
                row, group = int(dut.read_row_o.value), int(dut.read_group_o.value)
                banks = self.banks[group * self.words:(group + 1) * self.words]
                word = packed([bank[row] for bank in banks])
            self.coming.append(word)
            if int(dut.write_valid_o.value) and int(dut.write_ready_i.value):
                row, group = int(dut.write_row_o.value), int(dut.write_group_o.value)
                for place, value in enumerate(unpacked(int(dut.write_word_o.value), self.words)):
                    self.banks[group * self.words + place][row] = value
            if int(dut.loaded_valid_o.value):
                self.loaded += 1
            self.failures += int(dut.loaded_error_o.value)
            if int(dut.stored_valid_o.value):
                self.stored.append(int(dut.stored_error_o.value))
            await RisingEdge(dut.clk_i)

    def limb(self, slot: int) -> list[int]:
        base = slot * self.layout.rows
        return transform.load(self.layout, [bank[base:base + self.layout.rows]
                                            for bank in self.banks])

    def in_memory(self, address: int, count: int) -> list[int]:
        data = self.memory.read(address, 4 * count)
        return [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)]

    async def load(self, address: int, run: int, slot: int) -> None:
        await offer(self.dut, "load", address=address, run=run,
                    result=slot * self.layout.rows)

    async def store(self, address: int, slot: int) -> None:
        await offer(self.dut, "store", address=address, source=slot * self.layout.rows)

    async def finished(self, loads: int, stores: int) -> None:
        for _ in range(100_000):
            if self.loaded >= loads and len(self.stored) >= stores:
                return
            await RisingEdge(self.dut.clk_i)
        raise AssertionError(f"{self.loaded} loaded, {self.stored} stored")


async def set_degree(dut: Any, degree: int) -> None:
    """Sets the degree a clock before jobs come."""
    dut.log_degree_i.value = degree
    for _ in range(2):
        await RisingEdge(dut.clk_i)


async def begin(dut: Any) -> None:
    await start(dut, log_degree_i=0, load_valid_i=0, load_address_i=0, load_run_i=0,
                load_result_i=0, load_factors_i=0, load_half_i=0, load_beats_i=0, store_valid_i=0, store_address_i=0,
                store_source_i=0, read_ready_i=0, read_word_i=0, write_ready_i=0)


@cocotb.test()
@cocotb.parametrize((("name", "wait"), [("quick", 0.0), ("slow", 0.4)]))
async def limbs_are_right(dut: Any, name: str, wait: float) -> None:
    timing = {"quick": Timing(latency=5, jitter=0),
              "slow": Timing(latency=100, jitter=40, bandwidth=0.7, pause=0.2)}[name]
    await begin(dut)
    for degree in map(int, setting("DEGREES").split()):
        await set_degree(dut, degree)
        bench = Bench(dut, random_source((name, degree)), degree, timing, wait)
        rng, count = bench.rng, 10
        half, bytes_of_limb = bench.slots // 2, max(4 * bench.degree, 64)
        places = SIZE // bytes_of_limb
        loads = [(rng.randrange(places // 2) * bytes_of_limb,
                  rng.choice((0, 0, rng.randint(0, degree))), half + number % half)
                 for number in range(min(count, half))]
        stores = [(number * bytes_of_limb, rng.randrange(half))
                  for number in rng.sample(range(places // 2, places), min(count, places // 2))]
        expected = [bench.in_memory(address, bench.degree >> run) for address, run, _ in loads]
        limbs = [bench.limb(slot) for _, slot in stores]

        async def all_loads(bench: Bench = bench, loads: Any = loads) -> None:
            for load in loads:
                await bench.load(*load)

        sending = cocotb.start_soon(all_loads())
        for store in stores:
            await bench.store(*store)
        await sending
        await bench.finished(len(loads), len(stores))
        assert bench.loaded == len(loads) and not bench.failures
        assert bench.stored == [0] * len(stores)
        for (_, run, slot), values in zip(loads, expected):
            repeated = [value for value in values for _ in range(1 << run)]
            assert bench.limb(slot) == repeated, f"N = 2^{degree}, run {run}"
        for (address, _), limb in zip(stores, limbs):
            assert bench.in_memory(address, bench.degree) == limb
        bench.stop()
        await reset(dut)


@cocotb.test()
async def errors_are_told(dut: Any) -> None:
    await begin(dut)
    degree = int(setting("DEGREES").split()[-1])
    await set_degree(dut, degree)
    bench = Bench(dut, random_source("errors"), degree, Timing(), 0.1)
    bench.memory.failing = {5, 9}
    for tag, page in enumerate((4, 5, 6)):
        await bench.load(4096 * page, 0, bench.slots // 2 + tag)
    for page in (9, 8):
        await bench.store(4096 * page, 0)
    await bench.finished(3, 2)
    assert bench.failures == 1 and bench.stored == [1, 0]
    bench.stop()


@cocotb.test()
async def a_reset_forgets_everything(dut: Any) -> None:
    await begin(dut)
    degree = int(setting("DEGREES").split()[-1])
    await set_degree(dut, degree)
    bench = Bench(dut, random_source("reset"), degree, Timing(latency=50), 0.2)
    for _ in range(5):
        await bench.load(4096, 0, bench.slots - 1)
        await bench.store(4096 * 20, 0)
        for _ in range(bench.rng.randrange(200)):
            await RisingEdge(dut.clk_i)
        await reset(dut, clocks=1)
        bench.loaded = 0
        bench.stored.clear()
        bench.coming = [0, 0]
        await bench.load(8192, 0, bench.slots - 1)
        await bench.store(4096 * 21, 1)
        await bench.finished(1, 1)
        assert bench.limb(bench.slots - 1) == bench.in_memory(8192, bench.degree)
        assert bench.in_memory(4096 * 21, bench.degree) == bench.limb(1)
    bench.stop()


@cocotb.test()
async def latency_is_hidden(dut: Any) -> None:
    """Limbs that are submitted in sequence take a clock a beat, for any latency."""
    await begin(dut)
    degree = int(setting("DEGREES").split()[-1])
    await set_degree(dut, degree)
    timing = Timing(latency=80, jitter=0, refresh_interval=1 << 30, refresh_clocks=0)
    bench = Bench(dut, random_source("rate"), degree, timing, 0.0)
    begun, beats = bench.memory.clock, bench.degree // bench.words
    for tag in range(8):
        await bench.load(4096 * tag, 0, bench.slots // 2 + tag % (bench.slots // 2))
    await bench.finished(8, 0)
    assert bench.memory.clock - begun <= 8 * (beats + 2) + 80 + 16
    bench.stop()


def _parameters(shape: tuple[int, tuple[int, ...]]) -> dict[str, int]:
    words = min(1 << shape[0], 16)
    return {"LogLanes": shape[0], "LogRadix": min(shape[0], 4), "MaxLogDegree": 10, "AddressBits": ADDRESS_BITS,
            "MemoryBits": MEMORY_BITS, "MaxBeats": min(64, 1024 // words), "QueueBeats": 256}


LINTS = [Lint("ckks_dma", _parameters(shape)) for shape in (*SHAPES, *SWEPT)]


@pytest.mark.parametrize("shape", [*SHAPES, *in_sweep(SWEPT)])
def test_ckks_dma(shape: tuple[int, tuple[int, ...]]) -> None:
    run_bench(__file__, "ckks_dma", _parameters(shape), optimize="-O0", settings={
        "LOG_LANES": shape[0], "DEGREES": " ".join(map(str, shape[1]))})
