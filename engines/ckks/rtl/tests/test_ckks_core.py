# SPDX-License-Identifier: Apache-2.0 OR MIT
"""ckks_core on a simulated memory: jobs that the compiler generates from operations, and random
instructions, leave the memory and the slots as the instruction simulator does; invalid programs end
with their code, and the next one runs.

`python -m engines.ckks.rtl.tests.test_ckks_core 3:10 5:13` prints the clocks of the RTL beside the
model's and the planner's, with 2^3 lanes at N = 2^10 and 2^5 at 2^13; at 2^16, of a transform alone.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cocotb
import numpy as np
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import Lint, in_sweep, is_sweep, random_source, run_bench, seed, setting
from arith.simulation.crc32c import crc32c
from arith.simulation.memories import MEMORIES
from arith.simulation.ports import reader
from arith.simulation.streams import reset, start
from arith.simulation.toolchain import PROJECT_ROOT
from engines.ckks.card import isa
from engines.ckks.model.layout import Layout
from engines.ckks.rtl.tests.card_memory import CardMemory, Timing

SLOTS, COLUMNS, LATENCY, LOG_PARTITIONS = 64, 3, 30, 4
LOG_DEGREE, LARGEST = 10, 16
OPERATIONS = ("hadd", "pmult", "ntt", "rescale", "rotation", "cmult", "cmult-seeds")
OPERATION_TEST = "operations_give_the_simulators_bits"
BITS_TEST = "uneven_memories_change_no_bits"
UNWRITTEN = (1 << 30) - 1
ISA = isa.load()
CODES = {error.name: error.code for error in ISA.errors}
HEADER = {part.name: part for part in ISA.header}
STEADY = Timing(latency=LATENCY, jitter=0, refresh_clocks=0)
UNEVEN = Timing(latency=60, jitter=40, bandwidth=0.6, pause=0.15)


def memory_bits(log_degree: int) -> int:
    return 23 if log_degree < LARGEST else 24


SIZE = 1 << memory_bits(LOG_DEGREE)


class Card:
    """The core with a memory that both of its ports see."""

    def __init__(self, dut: Any, rng: random.Random, timing: Timing) -> None:
        self.dut = dut
        beat_bytes = 4 * min(1 << int(setting("LOG_LANES")), 16)
        self.size = 1 << memory_bits(int(setting("LOG_DEGREE")))
        self.memory = CardMemory(dut, rng, beat_bytes, self.size, timing)
        self.control = CardMemory(dut, rng, 32, self.size, timing, prefix="m_axi_control")
        self.control.bytes = self.memory.bytes
        self._ended = reader(dut.done_valid_o)
        self._results = [reader(port) for port in
                         (dut.done_code_o, dut.done_number_o, dut.done_clocks_o)]

    def stop(self) -> None:
        self.memory.stop()
        self.control.stop()

    def fill(self, data: bytes) -> None:
        self.memory.bytes[:] = data + bytes(self.size - len(data))

    async def begin(self, address: int = 0) -> None:
        dut = self.dut
        dut.start_valid_i.value, dut.start_address_i.value = 1, address
        taken = False
        while not taken:
            await ReadOnly()
            taken = bool(int(dut.start_ready_o.value))
            await RisingEdge(dut.clk_i)
        dut.start_valid_i.value = 0

    async def run(self, address: int = 0, most: int = 2_000_000) -> tuple[int, int, int]:
        """Runs a job; returns its code, the number of the word and its clocks."""
        await self.begin(address)
        edge = RisingEdge(self.dut.clk_i)
        for _ in range(most):
            await ReadOnly()
            result = [read() for read in self._results] if self._ended() else None
            await edge
            if result:
                code, number, clocks = result
                return code, number, clocks
        raise AssertionError(f"no end after {most} clocks")


async def ready(dut: Any) -> None:
    await start(dut, start_valid_i=0, start_address_i=0)


def folder_of_jobs() -> Path:
    """Returns the folder. A setting has no slash, since it is part of a folder's name."""
    return Path(setting("FOLDER").replace("|", "/"))


def job(name: str, ending: str) -> bytes:
    return (folder_of_jobs() / f"{name}.{ending}").read_bytes()


async def check(card: Card, name: str) -> int:
    card.fill(job(name, "before"))
    code, number, clocks = await card.run()
    assert code == 0, f"{name}: code {code} at word {number}"
    expected = job(name, "after")
    found = card.memory.read(0, len(expected))
    wrong = [at for at in range(0, len(expected), 4) if found[at:at + 4] != expected[at:at + 4]]
    assert not wrong, f"{name}: {len(wrong)} words differ, from {wrong[0]:#x} to {wrong[-1]:#x}"
    assert card.memory.bytes[len(expected):] == bytes(card.size - len(expected))
    check_slots(card.dut, name)
    return clocks


def words_of_banks(partition: Any) -> list[Any]:
    """Returns the memories of a partition, of one or two banks each."""
    if hasattr(partition, "gen_pairs"):
        return [pair.u_pair.words for pair in partition.gen_pairs.gen_pair]
    return [bank.u_bank.words for bank in partition.gen_banks.gen_bank]


def check_slots(dut: Any, name: str) -> None:
    """Checks that all written slots have the simulator's residues."""
    layout = Layout(int(setting("LOG_DEGREE")), int(setting("LOG_LANES")))
    words = np.frombuffer(job(name, "slots"), dtype="<u4")
    partitions = list(dut.u_units.u_scratchpad.gen_partition)
    seen = 0
    for slot, residues in enumerate(words.reshape(-1, 1 << layout.log_degree)):
        if (residues == UNWRITTEN).all():
            continue
        seen += 1
        banks = words_of_banks(partitions[slot % len(partitions)])
        first = slot // len(partitions) * layout.rows
        for row in range(layout.rows):
            found = [int(words[first + row].value) for words in banks]
            if len(found) < layout.lanes:  # in pairs
                found = [word >> 36 * half for half in (0, 1) for word in found]
            for bank, word in enumerate(found):
                index = layout.index(bank, row)
                assert word & UNWRITTEN == residues[index], f"{name}: slot {slot}, residue {index}"
    assert seen > 0


def most_clocks_apart(name: str, clocks: int) -> int:
    """Returns the allowed difference of the model from the core: 2 clocks, or 1/1000 of long runs,
    if a limb has several bursts. The end of a burst depends on the limb's address, which the model
    does not know, and short transfers wait for it: random programs shorten limbs. The number of
    rejected words of a seed is random."""
    limb_beats = 1 << int(setting("LOG_DEGREE")) - min(int(setting("LOG_LANES")), 4)
    if name.startswith("random") or limb_beats <= 64:
        return clocks // 25
    return clocks // 200 if "seeds" in name else max(2, clocks // 1000)


@cocotb.test()
async def operations_give_the_simulators_bits(dut: Any) -> None:
    """Runs on a memory of steady latency, whose clocks equal the model's."""
    await ready(dut)
    card = Card(dut, random_source("steady"), STEADY)
    jobs = json.loads(job("jobs", "json"))
    found = {}
    for name in setting("OPERATIONS").split():
        clocks = await check(card, name)
        found[name] = {**jobs[name], "rtl": clocks}
        dut._log.info("%s: %d clocks, the model %d", name, clocks, jobs[name]["clocks"])
        most = most_clocks_apart(name, clocks)
        assert abs(jobs[name]["clocks"] - clocks) <= most, f"{name}: {clocks}, {jobs[name]}"
    (folder_of_jobs() / "clocks.json").write_text(json.dumps(found))
    card.stop()


@cocotb.test()
async def uneven_memories_change_no_bits(dut: Any) -> None:
    """Runs with a reset in the middle of an earlier job."""
    await ready(dut)
    rng = random_source("uneven")
    card = Card(dut, rng, UNEVEN)
    names = setting("OPERATIONS").split()
    for name in (names[0], *names[-2:]):
        card.fill(job(name, "before"))
        await card.begin()
        for _ in range(rng.randint(200, 3000)):
            await RisingEdge(dut.clk_i)
        await reset(dut)
        await check(card, name)
    card.stop()


class Damaged:
    """The image of a job with an error in its program."""

    def __init__(self, name: str) -> None:
        self.bytes = bytearray(job(name, "before"))
        self.program = self.number(0, 8)
        self.words = self.field("instructions")
        primes = -(-4 * self.field("primes") // 64) * 64
        self.first = self.program + 64 + primes

    def number(self, at: int, size: int) -> int:
        return int.from_bytes(self.bytes[at:at + size], "little")

    def field(self, name: str) -> int:
        part = HEADER[name]
        return self.number(self.program + part.offset, part.bytes)

    def set_field(self, name: str, value: int) -> None:
        part = HEADER[name]
        at = self.program + part.offset
        self.bytes[at:at + part.bytes] = value.to_bytes(part.bytes, "little")

    def word(self, number: int) -> int:
        return self.number(self.first + 32 * number, 32)

    def set_word(self, number: int, value: int) -> None:
        at = self.first + 32 * number
        self.bytes[at:at + 32] = value.to_bytes(32, "little")

    def find(self, name: str, start: int = 0) -> int:
        """Returns the number of the first instruction of this name from `start` on."""
        code = ISA.instructions[name].code
        return next(number for number in range(start, self.words)
                    if self.word(number) & 63 == code)

    def set(self, number: int, field: str, value: int) -> int:
        """Changes a field of a word, whose number it returns."""
        one = ISA.fields[field]
        self.set_word(number, self.word(number) & ~one.mask | value << one.low)
        return number

    def seal(self) -> None:
        """Corrects the program's checksum."""
        body = self.bytes[self.program + 64:self.first + 32 * self.field("instructions")]
        self.set_field("checksum", crc32c(bytes(body)))

    def absent(self, region: int) -> None:
        at = self.number(8, 8) + 8 * region
        self.bytes[at:at + 8] = b"\xff" * 8

    def region_of(self, number: int) -> int:
        one = ISA.fields["segment"]
        return (self.word(number) & one.mask) >> one.low


def faults() -> Iterator[tuple[str, Damaged, int]]:
    """Yields the name of a fault, the image, and the number of the faulty word."""
    wrong = Damaged("hadd")
    yield "opcode", wrong, wrong.set(wrong.find("add"), "opcode", 63)
    wrong = Damaged("hadd")
    yield "slot", wrong, wrong.set(wrong.find("load", 3), "x0", wrong.field("slots"))
    wrong = Damaged("hadd")
    yield "prime", wrong, wrong.set(wrong.find("add"), "p0", wrong.field("primes"))
    wrong = Damaged("hadd")
    yield "segment", wrong, wrong.set(wrong.find("store"), "segment", wrong.field("segments"))
    wrong = Damaged("hadd")
    at = wrong.find("load", 2)
    wrong.absent(wrong.region_of(at))
    first = next(number for number in range(wrong.words) if wrong.word(number) & 63 == 8
                 and wrong.region_of(number) == wrong.region_of(at))
    yield "absent", wrong, first
    wrong = Damaged("hadd")
    yield "address", wrong, wrong.set(wrong.find("store"), "offset", SIZE // 64 - 1)
    wrong = Damaged("ntt")
    yield "operands", wrong, wrong.set(wrong.find("factors"), "transfers", 1)
    wrong = Damaged("ntt")
    yield "operands", wrong, wrong.set(wrong.find("ntt"), "pair", 1)
    wrong = Damaged("rescale")
    at = wrong.find("term")
    wrong.set_word(at, wrong.word(wrong.find("load")))
    yield "order", wrong, at
    wrong = Damaged("hadd")
    wrong.set_field("instructions", wrong.words - 1)
    yield "truncated", wrong, wrong.words - 2
    yield "checksum", Damaged("hadd"), -1
    wrong = Damaged("hadd")
    wrong.set_field("magic", 0)
    yield "magic", wrong, 0
    wrong = Damaged("hadd")
    wrong.set_field("slots", SLOTS + 1)
    yield "shape", wrong, 0
    wrong = Damaged("hadd")
    wrong.bytes[0:8] = SIZE.to_bytes(8, "little")
    yield "address", wrong, 0
    wrong = Damaged("hadd")
    wrong.bytes[16:20] = (wrong.field("segments") - 1).to_bytes(4, "little")
    yield "segment", wrong, 0


@cocotb.test()
async def faults_end_a_job_and_no_other(dut: Any) -> None:
    await ready(dut)
    card = Card(dut, random_source("faults"), Timing(latency=20, jitter=10))
    for name, wrong, number in faults():
        dut._log.info("%s at word %d", name, number)
        if name == "checksum":
            wrong.set_field("checksum", wrong.field("checksum") ^ 1)
        else:
            wrong.seal()
        card.fill(bytes(wrong.bytes))
        code, at, _ = await card.run()
        assert code == CODES[name], f"{name}: code {code} at word {at}"
        # The checksum is known with the last word, wherever the decoder is then.
        assert at == number or number < 0, f"{name}: word {at} instead of {number}"
        await check(card, "hadd")
    card.stop()


@cocotb.test()
async def errors_of_the_memory_end_a_job_and_no_other(dut: Any) -> None:
    await ready(dut)
    card = Card(dut, random_source("memory"), Timing(latency=20, jitter=10))
    image = Damaged("hadd")
    table = image.number(8, 8)
    load = image.number(table + 8 * image.region_of(image.find("load")), 8)
    store = image.number(table + 8 * image.region_of(image.find("store")), 8)
    for address in (load, store):
        card.fill(bytes(image.bytes))
        card.memory.failing = {address // 4096}
        code, _, _ = await card.run()
        assert code == CODES["memory"]
        card.memory.failing = set()
        await check(card, "hadd")
    for address in (0, image.first):
        card.fill(bytes(image.bytes))
        card.control.failing = {address // 4096}
        code, _, _ = await card.run()
        assert code == CODES["memory"]
        card.control.failing = set()
        await check(card, "hadd")
    # A memory that does not answer for a while: the next job waits until it does.
    card.fill(bytes(image.bytes))
    card.memory.timing = Timing(latency=40_000, jitter=0)
    code, _, _ = await card.run()
    assert code == CODES["timeout"]
    card.memory.timing = Timing(latency=20)
    await check(card, "hadd")
    card.stop()


# ---- Jobs -----------------------------------------------------------------------------------------
def make_jobs(folder: Path, log_lanes: int, log_degree: int, operations: tuple[str, ...]) -> None:
    """Makes jobs with the compiler, the simulator and the model of the core's clocks."""
    # With the features of the whole workspace, as the Rust tests compile it. If they are compiling
    # it now, this waits for them.
    build = ["cargo", "build", "--quiet", "--locked", "--workspace", "--example", "card_jobs"]
    subprocess.run(build, cwd=PROJECT_ROOT, check=True, timeout=3600,
                   env=os.environ | {"CARGO_INCREMENTAL": "0"})
    target = PROJECT_ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
    # The memory only has room for a few limbs and tables of the largest ring.
    level = 3 if log_degree < LARGEST else 1
    numbers = (log_degree, level, log_lanes, SLOTS, COLUMNS, 4 * min(1 << log_lanes, 16), LATENCY)
    subprocess.run([target / "debug" / "examples" / "card_jobs", folder, *map(str, numbers),
                    *operations], cwd=PROJECT_ROOT, check=True, timeout=900)


def parameters(log_lanes: int, log_degree: int = LOG_DEGREE) -> dict[str, int]:
    return {"LogLanes": log_lanes, "MaxLogDegree": log_degree, "Columns": COLUMNS,
            "AddressBits": log_degree - log_lanes + SLOTS.bit_length() - 1, "CardSlots": SLOTS,
            "LogPartitions": LOG_PARTITIONS, "MemoryBits": memory_bits(log_degree),
            # More clocks than the longest sum of the longest limb needs.
            "TimeoutBits": log_degree + 4}


def random_programs(count: int) -> tuple[str, ...]:
    """Returns the names of programs of random instructions, every second one with expanded keys."""
    source = random.Random(f"{seed()} programs")
    return tuple(f"random-{source.getrandbits(32)}{('', '-seeds')[number % 2]}"
                 for number in range(count))


def _run(folder: Path, log_lanes: int, log_degree: int, operations: tuple[str, ...],
         tests: str | None = OPERATION_TEST) -> None:
    make_jobs(folder, log_lanes, log_degree, operations)
    run_bench(__file__, "ckks_core", parameters(log_lanes, log_degree), tests=tests,
              options=[str(MEMORIES)], settings={
        "LOG_LANES": log_lanes, "LOG_DEGREE": log_degree,
        "FOLDER": str(folder).replace("/", "|"), "OPERATIONS": " ".join(operations)})


def table(folder: Path) -> str:
    """Returns the clocks of the last run next to the model's."""
    found = json.loads((folder / "clocks.json").read_text())
    lines = ["| operation | words | planner | model | RTL | model / RTL |", "|---|---|---|---|---|---|"]
    lines += [f"| {name} | {of['words']} | {of['planned']:,} | {of['clocks']:,} | {of['rtl']:,} "
              f"| {of['clocks'] / of['rtl']:.4f} |" for name, of in found.items()]
    return "\n".join(lines)


# The lint of ckks_port covers eight lanes.
LINTS = [Lint("ckks_core", parameters(log_lanes)) for log_lanes in (2, *in_sweep([3, 5]))]


def test_ckks_core(tmp_path: Path) -> None:
    # The rotation reads keys like the product without seeds, which is left to sweeps.
    operations = [name for name in OPERATIONS if name != "cmult" or is_sweep()]
    _run(tmp_path, 3, LOG_DEGREE, (*operations, *random_programs(2)), tests=None)
    print(table(tmp_path))


@pytest.mark.parametrize(("log_lanes", "log_degree"), in_sweep(
    [(4, 10), (5, 10), *((lanes, degree) for lanes in (3, 4, 5) for degree in (11, 12, 13))]))
def test_larger_cores(log_lanes: int, log_degree: int, tmp_path: Path) -> None:
    _run(tmp_path, log_lanes, log_degree, (*OPERATIONS, *random_programs(4)))
    print(table(tmp_path))


@pytest.mark.parametrize(("log_lanes", "log_degree"), in_sweep([(6, 11)]))
def test_banks_in_pairs(log_lanes: int, log_degree: int, tmp_path: Path) -> None:
    """Its limbs have so few rows that banks are in pairs (ckks_bank_pair)."""
    _run(tmp_path, log_lanes, log_degree, ("hadd", "cmult", *random_programs(3)), BITS_TEST)


@pytest.mark.parametrize("log_lanes", in_sweep([5]))
def test_a_transform_of_the_largest_ring(log_lanes: int, tmp_path: Path) -> None:
    _run(tmp_path, log_lanes, LARGEST, ("ntt",))
    print(table(tmp_path))


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        for shape in sys.argv[1:] or ("3:10",):
            log_lanes, log_degree = map(int, shape.split(":"))
            operations = OPERATIONS if log_degree < LARGEST else ("ntt",)
            _run(Path(name), log_lanes, log_degree, operations)
            print(f"\n{1 << log_lanes} lanes, N = {1 << log_degree}\n\n{table(Path(name))}")


if __name__ == "__main__":
    main()
