# SPDX-License-Identifier: Apache-2.0 OR MIT
"""ckks_decode against the instruction set's data file: random programs of every instruction, its
outputs to the scoreboard and to the table of TERMs, fences, a full table, and each kind of fault.
"""

import random
from collections import deque
from dataclasses import dataclass
from typing import Any

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import Lint, random_source, run_bench
from arith.simulation.streams import reset, start
from engines.ckks.card import isa as card_isa
from engines.ckks.card.isa import Isa

SLOTS, PRIMES, SEGMENTS, LOG_DEGREE, COLUMNS = 11, 7, 9, 10, 3
CARD_SLOTS, TABLE, LOG_REGIONS = 12, 64, 2
TABLE_TRANSFERS = -(-sum(8 << max(LOG_DEGREE - high, 0) for high in (3, 6, 9, 12)) // 16)
MEMORY_TRANSFERS = 1 << 28
PLACES = [1000 * region for region in range(SEGMENTS)]
"""The starts of the regions, in transfers."""
UNITS = {"load": 0, "factors": 0, "store": 1, "expand": 2, "ntt": 3, "intt": 3}
FAULTS = {error.name: error.code for error in card_isa.load().errors}
SUMS = ("conv", "macp", "whole")


@dataclass(frozen=True)
class Operand:
    unit: int
    resource: int
    write: bool


@dataclass
class Word:
    name: str
    values: dict[str, int]

    def encoded(self, isa: Isa) -> int:
        return isa.encode(self.name, self.values)


def random_word(rng: random.Random, isa: Isa, name: str, columns: int = 1) -> Word:
    """Returns a valid instruction. `columns`: those of the sum that a TERM belongs to."""
    values: dict[str, int] = {}
    if name in ("conv", "macp"):
        columns = rng.randint(1, COLUMNS)
        values |= {"columns": columns}
        values |= {f"p{c}": rng.randrange(PRIMES) for c in range(columns)}
    if name in SUMS:
        values["terms"] = rng.choice((1, 2, 25, rng.randint(1, 25)))
        values |= {f"x{c}": rng.randrange(SLOTS) for c in range(columns)}
        return Word(name, values)
    if name == "term":
        values["a"], values["shift"] = rng.randrange(SLOTS), rng.randrange(8)
        if rng.random() < 0.5:
            values["limb"] = 1
            return Word(name, values | {f"x{c}": rng.randrange(SLOTS) for c in range(columns)})
        values["halves"] = int(columns == 1 and rng.random() < 0.5)
        return Word(name, values | {f"n{c}": rng.getrandbits(30) for c in range(4)})
    for key in isa.instructions[name].fields:
        limit = {"a": SLOTS, "b": SLOTS, "x0": SLOTS, "p0": PRIMES, "segment": SEGMENTS,
                 "run": LOG_DEGREE + 1}.get(key, 1 << isa.fields[key].width)
        values[key] = rng.randrange(limit)
    # The card has one pair of halves, and its memory ends.
    values |= {key: value for key, value in (
        ("pair", 0), ("transfers", TABLE_TRANSFERS),
        ("offset", rng.choice((0, rng.randrange(1 << 20))))) if key in values}
    if name == "perm":
        values["exponent"] = rng.randrange(1, 2 << LOG_DEGREE, 2)
        values["x0"] = (values["a"] + rng.randrange(1, SLOTS)) % SLOTS
    return Word(name, values)


def program_of(rng: random.Random, isa: Isa, count: int) -> list[Word]:
    names = [name for name in isa.instructions if name not in ("end", "term")]
    words: list[Word] = []
    for _ in range(count):
        head = random_word(rng, isa, rng.choice(names))
        words.append(head)
        columns = head.values.get("columns", 1)
        words += [random_word(rng, isa, "term", columns)
                  for _ in range(head.values.get("terms", 0) if head.name in SUMS else 0)]
    return [*words, Word("end", {})]


def operands_of(isa: Isa, word: Word, unit: int, columns: int) -> list[Operand]:
    """Returns the operands in order: written ones first."""
    name, values = word.name, word.values
    slots = {field: values.get(field, 0) for field in ("a", "b", "x0", "x1", "x2", "x3")}
    writes, reads = [], []
    instruction = isa.instructions[name]
    xs = [slots[f"x{c}"] for c in range(columns)]
    if name != "term":
        writes += xs if instruction.writes == ("x*",) else [slots[w] for w in instruction.writes]
    buffer = CARD_SLOTS + values.get("buffer", 0)
    region = CARD_SLOTS + 2 + values.get("segment", 0) % (1 << LOG_REGIONS)
    writes += [buffer] * (name == "factors")
    reads += [buffer] * (name in ("ntt", "intt"))
    writes += [region] * (name == "store")
    reads += [region] * (name in ("load", "factors", "expand"))
    reads += xs if values.get("limb") else []
    reads += [slots[r] for r in instruction.reads if r in ("a", "b")]
    return [Operand(unit, resource, True) for resource in writes] + [
        Operand(unit, resource, False) for resource in reads]


def goes_on(isa: Isa, word: Word) -> int:
    """Returns the word with its address in memory."""
    if "segment" not in word.values:
        return word.encoded(isa)
    place = PLACES[word.values["segment"]] + word.values["offset"]
    return isa.encode(word.name, word.values | {"offset": place})


class Bench:
    """The memory before the unit, and the scoreboard and the products after it."""

    def __init__(self, dut: Any, rng: random.Random, pause: float) -> None:
        self.dut, self.rng, self.pause = dut, rng, pause
        self.isa = card_isa.load()
        self.words: deque[int] = deque()
        self.operands: list[Operand] = []
        self.instructions: list[tuple[int, int, int]] = []
        self.terms: list[tuple[int, int]] = []
        self.inside = 0
        self.products: deque[int] = deque()
        """The clocks in which the products inside are done."""
        self.ended = self.clock = 0
        self.absent: set[int] = set()
        self.beyond: set[int] = set()
        self._task = cocotb.start_soon(self._run())

    def stop(self) -> None:
        self._task.cancel()

    async def _run(self) -> None:
        dut, rng = self.dut, self.rng
        busy: deque[int] = deque()
        region = 0
        while True:
            dut.region_place_i.value = PLACES[region] if region < SEGMENTS else 0
            dut.region_absent_i.value = int(region in self.absent)
            dut.region_beyond_i.value = int(region in self.beyond)
            offers = bool(self.words) and rng.random() >= self.pause
            ready = rng.random() >= self.pause
            dut.word_valid_i.value = int(offers)
            dut.word_i.value = self.words[0] if offers else rng.getrandbits(256)
            dut.operand_ready_i.value = int(ready)
            ends = bool(self.products) and self.products[0] <= self.clock
            dut.product_done_i.value = int(ends)
            while busy and busy[0] <= self.clock:
                busy.popleft()
            dut.idle_i.value = int(not busy and not self.products and not self.inside)
            await ReadOnly()
            region = int(dut.region_o.value)
            if offers and int(dut.word_ready_o.value):
                self.words.popleft()
            if int(dut.operand_valid_o.value) and ready:
                self._take(busy)
            if int(dut.term_valid_o.value):
                self.terms.append((int(dut.term_place_o.value), int(dut.term_o.value)))
            self.ended += int(dut.end_o.value)
            if ends:  # before the edge, at which a test may begin anew
                self.products.popleft()
            await RisingEdge(dut.clk_i)
            self.clock += 1

    def _take(self, busy: deque[int]) -> None:
        dut = self.dut
        unit = int(dut.operand_unit_o.value)
        self.operands.append(Operand(unit, int(dut.operand_resource_o.value),
                                     bool(int(dut.operand_write_o.value))))
        is_last = int(dut.operand_last_o.value)
        self.inside = int(not is_last)
        if is_last:
            payload = int(dut.operand_payload_o.value)
            self.instructions.append((unit, payload >> 256, payload & (1 << 256) - 1))
            due = self.clock + self.rng.randint(1, 60)
            if unit == 4:
                latest = self.products[-1] if self.products else 0
                self.products.append(max(due, latest + 1))
            else:
                busy.append(due)

    async def start(self, words: list[int]) -> None:
        dut = self.dut
        self.words = deque(words)
        dut.words_i.value = len(words)
        dut.start_i.value = 1
        await RisingEdge(dut.clk_i)
        dut.start_i.value = 0

    async def finished(self) -> None:
        for _ in range(60_000):
            await RisingEdge(self.dut.clk_i)
            if self.ended or int(self.dut.fault_o.value):
                return
        raise AssertionError("no end and no fault")


def expected_of(isa: Isa, program: list[Word]
                ) -> tuple[list[Operand], list[tuple[int, int, int]], list[tuple[int, int]]]:
    operands, instructions, terms = [], [], []
    place, head, left, columns = 0, Word("end", {}), 0, 1
    for word in program:
        if word.name in ("end", "fence"):
            continue
        unit = {"product": 4, "sum": 5}.get(isa.instructions[word.name].unit, 4)
        unit = UNITS.get(word.name, unit)
        if word.name == "term":
            terms.append((place % TABLE, word.encoded(isa)))
            place, left = place + 1, left - 1
        elif word.name in SUMS:
            head, left, columns = word, word.values["terms"], word.values.get("columns", 1)
            first = place % TABLE
        operands += operands_of(isa, word, unit, columns if word.name in (*SUMS, "term") else 1)
        if word.name == "term" and left == 0:
            instructions.append((4, first, head.encoded(isa)))
        elif word.name not in SUMS and word.name != "term":
            instructions.append((unit, place % TABLE, goes_on(isa, word)))
    return operands, instructions, terms


async def begin(dut: Any, pause: float, rng: random.Random) -> Bench:
    await start(dut, start_i=0, stop_i=0, region_place_i=0, region_absent_i=0,
                region_beyond_i=0, log_degree_i=LOG_DEGREE, slots_i=SLOTS, primes_i=PRIMES,
                segments_i=SEGMENTS, words_i=1, word_valid_i=0, word_i=0, operand_ready_i=0,
                idle_i=0, product_done_i=0)
    return Bench(dut, rng, pause)


@cocotb.test()
@cocotb.parametrize(pause=[0.0, 0.4])
async def programs_are_taken_apart(dut: Any, pause: float) -> None:
    rng = random_source(pause)
    bench = await begin(dut, pause, rng)
    for turn in range(6):
        program = program_of(rng, bench.isa, 60)
        operands, instructions, terms = expected_of(bench.isa, program)
        bench.operands, bench.instructions, bench.terms, bench.ended = [], [], [], 0
        await bench.start([word.encoded(bench.isa) for word in program])
        if turn == 2:
            for _ in range(rng.randrange(300)):
                await RisingEdge(dut.clk_i)
            bench.stop()
            await reset(dut, clocks=1)
            bench = Bench(dut, rng, pause)
            continue
        await bench.finished()
        assert not int(dut.fault_o.value), f"{dut.fault_o.value} at {int(dut.number_o.value)}"
        assert bench.operands == operands
        assert bench.instructions == instructions
        assert bench.terms == terms
        assert not bench.words and not bench.products
    bench.stop()


ABSENT, BEYOND = 3, 4
LIMB = (4 << LOG_DEGREE) // 64


def harmed(rng: random.Random, isa: Isa) -> list[tuple[str, list[int], int]]:
    """Returns names of faults, words of a program, and the number of the faulty word."""
    def words(*all_words: Word) -> list[int]:
        return [word.encoded(isa) for word in all_words]

    def good(name: str, **changes: int) -> Word:
        return Word(name, random_word(rng, isa, name).values | changes)

    end, zero = Word("end", {}), good("zero")
    term = Word("term", {"a": 1, "n0": 5})
    conv = Word("conv", {"columns": 2, "terms": 1, "x0": 1, "x1": 2, "p1": 3})
    cases = [
        ("opcode", [0, *words(end)], 0),
        ("opcode", [*words(zero), 63, *words(end)], 1),
        *[("opcode", [word ^ 1 << bit, *words(end)], 0) for word, bit in
          ((words(zero)[0], 255), (words(good("add"))[0], 128), (words(good("ntt"))[0], 15))],
        *[("slot", words(zero, good(name, **{field: SLOTS}), end), 1) for name, field in
          (("load", "x0"), ("store", "a"), ("add", "b"), ("mul", "a"), ("intt", "x0"))],
        ("slot", words(Word("conv", conv.values | {"x1": SLOTS}), term, end), 0),
        ("slot", words(Word("whole", {"terms": 1, "x0": SLOTS}), term, end), 0),
        ("slot", words(conv, Word("term", {"a": 1, "limb": 1, "x1": CARD_SLOTS}), end), 1),
        *[("prime", words(good(name, p0=PRIMES), end), 0) for name in ("mul", "sub", "expand")],
        ("prime", words(Word("macp", conv.values | {"p1": 255}), term, end), 0),
        *[("segment", words(good(name, segment=SEGMENTS), end), 0)
          for name in ("load", "store", "factors", "expand")],
        ("operands", words(Word("conv", conv.values | {"columns": 0}), term, end), 0),
        ("operands", words(Word("conv", conv.values | {"columns": 4}), term, end), 0),
        ("operands", words(Word("conv", conv.values | {"x2": 1}), term, end), 0),
        ("operands", words(Word("conv", conv.values | {"p3": 1}), term, end), 0),
        ("operands", words(Word("conv", conv.values | {"terms": 26}), term, end), 0),
        ("operands", words(conv, Word("term", {"a": 1, "halves": 1}), end), 1),
        ("operands", words(conv, Word("term", {"a": 1, "x0": 1}), end), 1),
        ("operands", words(conv, Word("term", {"limb": 1, "n0": 1}), end), 1),
        ("operands", words(good("load", run=LOG_DEGREE + 1), end), 0),
        *[("operands", words(good("factors", transfers=count), end), 0)
          for count in (0, TABLE_TRANSFERS - 1, TABLE_TRANSFERS + 1)],
        *[("operands", words(good(name, pair=1), end), 0) for name in ("factors", "ntt", "intt")],
        ("absent", words(zero, good("load", segment=ABSENT), end), 1),
        ("absent", words(good("expand", segment=ABSENT), end), 0),
        ("address", words(good("store", segment=BEYOND), end), 0),
        ("address", words(good("store", segment=0, offset=MEMORY_TRANSFERS), end), 0),
        ("address", words(good("load", segment=0, offset=MEMORY_TRANSFERS - LIMB + 1, run=0),
                          end), 0),
        ("address", words(good("factors", segment=1,
                               offset=MEMORY_TRANSFERS - 999 - TABLE_TRANSFERS), end), 0),
        ("operands", words(good("perm", exponent=2), end), 0),
        ("operands", words(good("perm", exponent=(2 << LOG_DEGREE) + 1), end), 0),
        ("operands", words(good("perm", a=3, x0=3), end), 0),
        ("order", words(zero, term, end), 1),
        ("order", words(Word("conv", conv.values | {"terms": 2}), term, zero, end), 2),
        ("order", words(conv, term, term, end), 2),
        ("truncated", words(zero, end, zero, end), 1),
        ("truncated", words(zero, zero), 1),
    ]
    return cases


@cocotb.test()
async def faults_end_a_program(dut: Any) -> None:
    rng = random_source("faults")
    bench = await begin(dut, 0.1, rng)
    for name, words, place in harmed(rng, bench.isa):
        bench.operands, bench.instructions, bench.ended, bench.inside = [], [], 0, 0
        bench.products.clear()
        is_of_regions = name in ("absent", "address")
        bench.absent = {ABSENT} if is_of_regions else set()
        bench.beyond = {BEYOND} if is_of_regions else set()
        await bench.start(words)
        await bench.finished()
        for _ in range(40):
            await RisingEdge(dut.clk_i)
        assert int(dut.fault_o.value) == FAULTS[name], f"{name}: {[hex(w) for w in words]}"
        assert int(dut.number_o.value) == place and not bench.ended, name
        assert len(bench.words) == len(words) - place - 1, "words behind the fault are taken"
        assert len(bench.instructions) <= place
    # A region up to the memory's end is valid.
    bench.absent, bench.beyond, bench.ended = set(), set(), 0
    last = Word("store", {"a": 1, "segment": 0, "offset": MEMORY_TRANSFERS - LIMB})
    await bench.start([last.encoded(bench.isa), Word("end", {}).encoded(bench.isa)])
    await bench.finished()
    assert bench.ended and not int(dut.fault_o.value)
    # A stopped program takes nothing more; a valid one runs afterwards.
    bench.operands = []
    await bench.start([Word("zero", {}).encoded(bench.isa)] * 8)
    dut.stop_i.value = 1
    await RisingEdge(dut.clk_i)
    dut.stop_i.value = 0
    for _ in range(40):
        await RisingEdge(dut.clk_i)
    assert len(bench.words) >= 7 and not int(dut.fault_o.value)
    program = program_of(rng, bench.isa, 5)
    bench.operands, bench.ended, bench.inside = [], 0, 0
    await bench.start([word.encoded(bench.isa) for word in program])
    await bench.finished()
    assert bench.ended and bench.operands == expected_of(bench.isa, program)[0]
    bench.stop()


PARAMETERS = {"CardSlots": CARD_SLOTS, "Columns": COLUMNS, "TableBits": 6,
              "LogRegions": LOG_REGIONS}


LINTS = [Lint("ckks_decode", parameters) for parameters in (PARAMETERS, {})]


def test_ckks_decode() -> None:
    run_bench(__file__, "ckks_decode", PARAMETERS, optimize="-O0")
