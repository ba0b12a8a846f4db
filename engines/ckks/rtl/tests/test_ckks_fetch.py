# SPDX-License-Identifier: Apache-2.0 OR MIT
"""ckks_fetch against programs in a simulated memory: headers of every shape, tables and
instructions in order, slow receivers, damaged programs, errors of the memory, stops and resets."""

import random
from typing import Any

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import Lint, random_source, run_bench
from arith.simulation.crc32c import crc32c
from arith.simulation.streams import reset, start
from engines.ckks.card import isa as card_isa
from engines.ckks.rtl.tests.card_memory import CardMemory, Timing

MEMORY_BITS, LOG_LANES, LOG_RADIX, ADDRESS_BITS, COLUMNS = 16, 3, 3, 8, 3
ISA = card_isa.load()
FAULTS = {error.name: error.code for error in ISA.errors}
TRANSFER = ISA.limits["transfer_bytes"]


def header_of(rng: random.Random) -> dict[str, int]:
    degree = rng.randint(LOG_LANES + 1, LOG_LANES + ADDRESS_BITS)
    room = 1 << ADDRESS_BITS + LOG_LANES - degree
    return {"magic": ISA.limits["magic"], "version": ISA.limits["version"], "log_degree": degree,
            "log_radix": LOG_RADIX, "slots": rng.randint(1, room),
            "primes": rng.choice((1, 16, 17, 256, rng.randint(1, 256))),
            "segments": rng.randrange(ISA.limits["segments"] + 1),
            "columns": rng.randint(1, COLUMNS),
            "instructions": rng.choice((1, 2, 65, rng.randint(1, 300)))}


def image_of(header: dict[str, int], primes: list[int], words: list[int]) -> bytes:
    table = b"".join(prime.to_bytes(4, "little") for prime in primes)
    table += bytes(-len(table) % TRANSFER)
    body = table + b"".join(word.to_bytes(32, "little") for word in words)
    parts = {"checksum": crc32c(body)} | header
    first = bytearray(TRANSFER)
    for part in ISA.header:
        end = part.offset + part.bytes
        first[part.offset:end] = parts[part.name].to_bytes(part.bytes, "little")
    return bytes(first) + body


class Bench:
    def __init__(self, dut: Any, rng: random.Random, timing: Timing, pause: float) -> None:
        self.dut, self.rng = dut, rng
        self.memory = CardMemory(dut, rng, 32, 1 << MEMORY_BITS, timing)
        self.words: list[int] = []
        self.primes: dict[int, int] = {}
        self.headers: list[tuple[int, ...]] = []
        self.fetched, self.pause = 0, pause
        self._task = cocotb.start_soon(self._run())

    async def _run(self) -> None:
        dut = self.dut
        while True:
            ready = self.rng.random() >= self.pause
            dut.word_ready_i.value = int(ready)
            await ReadOnly()
            if int(dut.word_valid_o.value) and ready:
                self.words.append(int(dut.word_o.value))
            if int(dut.primes_valid_o.value):
                data = int(dut.primes_data_o.value)
                for place in range(8):
                    self.primes[8 * int(dut.primes_place_o.value) + place] = (
                        data >> 32 * place & 0xffff_ffff)
            if int(dut.header_valid_o.value):
                self.headers.append(tuple(int(port.value) for port in (
                    dut.log_degree_o, dut.slots_o, dut.primes_o, dut.segments_o, dut.words_o)))
            self.fetched += int(dut.fetched_o.value)
            await RisingEdge(dut.clk_i)

    async def begin(self, address: int) -> None:
        self.words, self.primes, self.headers, self.fetched = [], {}, [], 0
        while not int(self.dut.idle_o.value):
            await RisingEdge(self.dut.clk_i)
        self.dut.address_i.value, self.dut.start_i.value = address, 1
        await RisingEdge(self.dut.clk_i)
        self.dut.start_i.value = 0

    async def finished(self) -> int:
        for _ in range(20_000):
            await RisingEdge(self.dut.clk_i)
            if self.fetched:
                return int(self.dut.fault_o.value)
        raise AssertionError("nothing is fetched")


def program_of(rng: random.Random) -> tuple[dict[str, int], list[int], list[int]]:
    header = header_of(rng)
    return (header, [rng.getrandbits(32) for _ in range(header["primes"])],
            [rng.getrandbits(256) for _ in range(header["instructions"])])


async def begin(dut: Any) -> None:
    await start(dut, start_i=0, address_i=0, stop_i=0, word_ready_i=0)


@cocotb.test()
@cocotb.parametrize((("name", "pause"), [("quick", 0.0), ("slow", 0.5)]))
async def programs_are_right(dut: Any, name: str, pause: float) -> None:
    rng = random_source(name)
    timing = {"quick": Timing(latency=3, jitter=0),
              "slow": Timing(latency=90, jitter=30, bandwidth=0.6, pause=0.2)}[name]
    await begin(dut)
    bench = Bench(dut, rng, timing, pause)
    for _ in range(10):
        header, primes, words = program_of(rng)
        image, address = image_of(header, primes, words), rng.randrange(64) * TRANSFER
        bench.memory.write(address, image)
        await bench.begin(address)
        assert await bench.finished() == 0
        assert bench.words == words
        assert [bench.primes[place] for place in range(len(primes))] == primes
        names = ("log_degree", "slots", "primes", "segments", "instructions")
        assert bench.headers == [tuple(header[name] for name in names)]


@cocotb.test()
async def harmed_programs_are_refused(dut: Any) -> None:
    rng = random_source("harmed")
    await begin(dut)
    bench = Bench(dut, rng, Timing(latency=10), 0.1)
    shapes = [("log_degree", LOG_LANES), ("log_degree", 17), ("log_radix", LOG_RADIX + 1),
              ("slots", 0), ("columns", COLUMNS + 1), ("primes", 0), ("primes", 257),
              ("segments", ISA.limits["segments"] + 1), ("instructions", 0),
              ("instructions", 1 << 24)]
    cases = [("magic", {"magic": ISA.limits["magic"] ^ 1 << rng.randrange(32)}),
             ("magic", {"version": 2}),
             *[("shape", {field: value}) for field, value in shapes]]
    for fault, change in cases:
        header, primes, words = program_of(rng)
        bench.memory.write(0, image_of(header | change, primes, words))
        await bench.begin(0)
        assert await bench.finished() == FAULTS[fault], change
        assert not bench.words and not bench.primes and not bench.headers
    # One slot more than there is room for.
    header, primes, words = program_of(rng)
    room = 1 << ADDRESS_BITS + LOG_LANES - header["log_degree"]
    for slots, fault in ((room, 0), (room + 1, FAULTS["shape"])):
        bench.memory.write(0, image_of(header | {"slots": slots}, primes, words))
        await bench.begin(0)
        assert await bench.finished() == fault
    for _ in range(6):
        header, primes, words = program_of(rng)
        image = bytearray(image_of(header, primes, words))
        image[rng.choice((20, rng.randrange(TRANSFER, len(image))))] ^= 1 << rng.randrange(8)
        bench.memory.write(0, bytes(image))
        await bench.begin(0)
        assert await bench.finished() == FAULTS["checksum"]


@cocotb.test()
async def errors_stops_and_resets_end_it(dut: Any) -> None:
    rng = random_source("ends")
    await begin(dut)
    bench = Bench(dut, rng, Timing(latency=30), 0.2)
    for turn in range(10):
        header, primes, words = program_of(rng)
        address = 4096 - TRANSFER
        bench.memory.write(address, image_of(header, primes, words))
        bench.memory.failing = {rng.choice((0, 1))} if turn % 3 == 0 else set()
        await bench.begin(address)
        if turn % 3 == 0:
            assert await bench.finished() == FAULTS["memory"]
        else:
            for _ in range(rng.randrange(200)):
                await RisingEdge(dut.clk_i)
            if turn % 3 == 1:
                dut.stop_i.value = 1
                await RisingEdge(dut.clk_i)
                dut.stop_i.value = 0
                await RisingEdge(dut.clk_i)
            else:
                await reset(dut, clocks=1)
        bench.memory.failing = set()
        await bench.begin(address)
        assert await bench.finished() == 0 and bench.words == words


PARAMETERS = {"MemoryBits": MEMORY_BITS, "LogLanes": LOG_LANES, "LogRadix": LOG_RADIX,
              "AddressBits": ADDRESS_BITS, "Columns": COLUMNS}


LINTS = [Lint("ckks_fetch", parameters) for parameters in (PARAMETERS, {})]


def test_ckks_fetch() -> None:
    run_bench(__file__, "ckks_fetch", PARAMETERS, optimize="-O0")
