# SPDX-License-Identifier: Apache-2.0 OR MIT
"""ckks_sums against plain integers: whole base conversions, sums of every shape with numbers,
halves and limbs, reads that wait, consecutive jobs, their clocks, and a reset in mid-job."""

import random
from dataclasses import dataclass, field
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import Lint, in_sweep, random_source, run_bench, setting
from arith.simulation.streams import reset, start
from engines.ckks.model import residues
from engines.ckks.model.conversion import Conversion
from engines.ckks.rtl.tests.ckks_rows import PRIME_BITS, Slots, all_primes, packed, residue, unpacked

ADDRESS_BITS = 12
TABLE = 64
# From the last read of a row to the write of column 0, and to the first read of a job that was
# taken.
WRITE_CLOCKS, FIRST_CLOCKS = 2 + 14 + 1, 2
# LogLanes, columns, and the degrees that are tried.
SHAPES = [(2, 3, (3, 5, 7)), (3, 4, (4, 6, 10))]
SWEPT = [(2, 1, (5, 6)), (4, 2, (6, 8))]


@dataclass
class Term:
    """A limb, its shift, and its factors: numbers, the two of the halves, or limbs."""

    slot: int
    numbers: list[int] = field(default_factory=list)
    limbs: list[int] = field(default_factory=list)
    is_halves: bool = False
    shift: int = 0


@dataclass
class Job:
    terms: list[Term]
    primes: list[int]
    results: list[int]
    is_fraction: bool = False

    def expected(self, slots: dict[int, list[int]]) -> list[list[int]]:
        """The limbs of the results."""
        found = []
        for column, prime in enumerate(self.primes):
            degree = len(slots[self.terms[0].slot])

            def factor(term: Term, place: int, column: int = column, degree: int = degree) -> int:
                if term.limbs:
                    return slots[term.limbs[column]][place]
                return term.numbers[2 * place // degree if term.is_halves else column]

            limb = []
            for place in range(degree):
                pairs = [(slots[term.slot][place] << term.shift, factor(term, place))
                         for term in self.terms]
                limb.append(residues.whole_part(pairs) if self.is_fraction
                            else residues.sum_of_products(pairs, prime))
            found.append(limb)
        return found

    def clocks(self, rows: int) -> int:
        """From the clock that takes it to its last write, if no read waits."""
        busy = rows * max(len(self.terms), len(self.primes))
        spare = max(0, len(self.primes) - len(self.terms))
        return FIRST_CLOCKS + busy - spare + WRITE_CLOCKS + len(self.primes) - 1


class Bench(Slots):
    def __init__(self, dut: Any, rng: random.Random, log_degree: int) -> None:
        super().__init__(1 << int(setting("LOG_LANES")), log_degree, ADDRESS_BITS)
        self.dut, self.rng, self.columns = dut, rng, int(setting("COLUMNS"))
        self.slots = (1 << ADDRESS_BITS) // self.rows
        self.coming: list[tuple[int, list[int]]] = [(0, [0] * self.columns)] * 2
        self.done: list[int] = []
        self.clock, self.wait, self.place = 0, 0.0, 0

    async def step(self) -> bool:
        """A clock; returns whether a job could be taken in it."""
        dut = self.dut
        word, factors = self.coming.pop(0)
        dut.read_word_i.value = word
        dut.factor_word_i.value = packed(factors, 30 * self.lanes)
        dut.read_ready_i.value = int(self.rng.random() >= self.wait)
        await ReadOnly()
        read, factors = 0, [0] * self.columns
        if int(dut.read_valid_o.value) and int(dut.read_ready_i.value):
            read = self.memory[int(dut.read_row_o.value)]
            if int(dut.factor_valid_o.value) & 1:
                rows = unpacked(int(dut.factor_row_o.value), self.columns, ADDRESS_BITS)
                factors = [self.memory[row] for row in rows]
        self.coming.append((read, factors))
        if int(dut.write_valid_o.value):
            self.memory[int(dut.write_row_o.value)] = int(dut.write_word_o.value)
        if int(dut.done_valid_o.value):
            self.done.append(int(dut.done_tag_o.value))
        ready = bool(int(dut.job_ready_o.value))
        await RisingEdge(dut.clk_i)
        self.clock += 1
        return ready

    async def begin(self, job: Job, tag: int) -> None:
        """Writes the job's terms after those of the previous job, then offers it."""
        dut, first = self.dut, self.place
        numbers = max(self.columns, 2)
        for term in job.terms:
            words = [slot * self.rows for slot in term.limbs] or term.numbers
            dut.term_valid_i.value, dut.term_place_i.value = 1, self.place
            dut.term_base_i.value, dut.term_shift_i.value = term.slot * self.rows, term.shift
            dut.term_limbs_i.value, dut.term_halves_i.value = int(bool(term.limbs)), term.is_halves
            dut.term_numbers_i.value = packed(words + [0] * (numbers - len(words)))
            self.place = (self.place + 1) % TABLE
            await self.step()
        dut.term_valid_i.value = 0
        dut.job_first_i.value, dut.job_terms_i.value = first, len(job.terms)
        dut.job_columns_i.value, dut.job_fraction_i.value = len(job.primes), job.is_fraction
        dut.job_prime_i.value = packed([prime >> 17 for prime in job.primes], PRIME_BITS)
        dut.job_result_i.value = packed([slot * self.rows for slot in job.results], ADDRESS_BITS)
        dut.job_tag_i.value, dut.job_valid_i.value = tag, 1
        while not await self.step():
            pass
        dut.job_valid_i.value = 0

    async def finish(self, tag: int) -> None:
        while tag not in self.done:
            await self.step()
        self.done.remove(tag)

    def random_job(self, free: list[int]) -> Job:
        """Returns a sum of any shape into free slots, or into one of its operands. Its operands lie
        in all others, and are below its smallest prime; a limb of numbers below 2^5 may be the
        25th."""
        rng = self.rng
        wanted = rng.randint(1, self.columns)
        primes = sorted(rng.choice(all_primes()) for _ in range(wanted))
        rng.shuffle(primes)
        count = rng.choice((1, 24, 25, rng.randint(1, 6)))
        taken = [slot for slot in range(self.slots) if slot not in free]
        least = min(primes)
        for slot in taken:
            self.put(slot, [residue(rng, least) for _ in range(self.degree)])
        terms = [self.random_term(taken, primes) for _ in range(count)]
        if count == 25:
            small = free[wanted]
            self.put(small, [rng.randrange(32) for _ in range(self.degree)])
            terms[-1] = Term(small, numbers=[rng.randrange(prime) for prime in primes])
        results = rng.sample(free[:wanted], wanted)
        if rng.random() < 0.3:
            results[0] = rng.choice(terms).slot
        return Job(terms, primes, results)

    def random_term(self, taken: list[int], primes: list[int]) -> Term:
        rng, slot = self.rng, self.rng.choice(taken)
        kind = rng.choice(("numbers", "limbs", "halves"))
        if kind == "limbs":
            return Term(slot, limbs=[rng.choice(taken) for _ in primes])
        if kind == "halves" and len(primes) == 1:
            return Term(slot, numbers=[residue(rng, primes[0]) for _ in range(2)], is_halves=True)
        return Term(slot, numbers=[residue(rng, prime) for prime in primes])


async def begin_bench(dut: Any) -> None:
    await start(dut, log_degree_i=0, term_valid_i=0, term_place_i=0, term_base_i=0, term_shift_i=0,
                term_limbs_i=0, term_halves_i=0, term_numbers_i=0, job_valid_i=0, job_first_i=0,
                job_terms_i=1, job_columns_i=1, job_fraction_i=0, job_prime_i=0, job_result_i=0,
                job_tag_i=0, read_ready_i=0, read_word_i=0, factor_word_i=0)


@cocotb.test()
async def conversions_are_right(dut: Any) -> None:
    """The overflow, then jobs of one target per column, back to back."""
    rng = random_source((setting("LOG_LANES"), setting("COLUMNS")))
    await begin_bench(dut)
    for degree, count in zip(map(int, setting("DEGREES").split()), (24, 1, 4)):
        dut.log_degree_i.value = degree
        bench = Bench(dut, rng, degree)
        count = min(count, bench.slots - 6)
        least = residues.RESIDUE_BITS - 7  # a term's shift has three bits
        wide = [prime for prime in all_primes() if prime.bit_length() >= least]
        chosen = rng.sample(wide[:-1], count + 4)
        conversion = Conversion(tuple(chosen[:count - 1] + [wide[-1]]),
                                tuple(chosen[count:]))
        half = conversion.product // 2
        numbers = [rng.choice((0, 1, -1, rng.randrange(-half, half), half - (half >> 20)))
                   for _ in range(bench.degree)]
        ready = [conversion.ready(number) for number in numbers]
        for slot in range(count):
            bench.put(slot, [values[slot] for values in ready])
        overflow = Job([Term(slot, numbers=[reciprocal], shift=shift) for slot, (shift, reciprocal)
                        in enumerate(conversion.fractions)], [1 << 17 | 1], [count], True)
        await bench.begin(overflow, 0)
        await bench.finish(0)
        assert bench.get(count) == [conversion.overflow(values) for values in ready]
        targets = conversion.targets
        for first in range(0, len(targets), bench.columns):
            primes = list(targets[first:first + bench.columns])
            by = [conversion.numbers(prime) for prime in primes]
            terms = [Term(slot, numbers=[each[slot] for each in by]) for slot in range(count + 1)]
            results = [count + 1 + first + c for c in range(len(primes))]
            await bench.begin(Job(terms, primes, results), 1 + first)
        for first in range(0, len(targets), bench.columns):
            await bench.finish(1 + first)
        for number, target in enumerate(targets):
            assert bench.get(count + 1 + number) == [value % target for value in numbers]


@cocotb.test()
async def sums_are_right(dut: Any) -> None:
    rng = random_source(("sums", setting("LOG_LANES"), setting("COLUMNS")))
    await begin_bench(dut)
    for degree in list(map(int, setting("DEGREES").split()))[:2]:
        dut.log_degree_i.value = degree
        bench = Bench(dut, rng, degree)
        bench.slots = min(bench.slots, 12)
        await bench.step()
        for number in range(24):
            bench.wait = 0.0 if number % 3 == 0 else rng.choice((0.1, 0.5))
            job = bench.random_job(rng.sample(range(bench.slots), bench.columns + 1))
            slots = {slot: bench.get(slot) for slot in range(bench.slots)}
            await bench.begin(job, number % 256)
            begun = bench.clock
            if number == 11:
                for _ in range(rng.randrange(job.clocks(bench.rows))):
                    await bench.step()
                await reset(dut, clocks=1)
                bench.coming = [(0, [0] * bench.columns)] * 2
                continue
            await bench.finish(number % 256)
            if bench.wait == 0.0:
                assert bench.clock - begun == job.clocks(bench.rows)
            for slot, expected in zip(job.results, job.expected(slots)):
                assert bench.get(slot) == expected, f"job {number}, N = 2^{degree}: {job}"


@cocotb.test()
async def jobs_follow_each_other_closely(dut: Any) -> None:
    """A short sum immediately after one of all columns: their ends keep the columns apart."""
    rng = random_source("close")
    await begin_bench(dut)
    degree = int(setting("DEGREES").split()[0])
    dut.log_degree_i.value = degree
    bench = Bench(dut, rng, degree)
    for slot in range(bench.slots):
        bench.put(slot, [rng.randrange(all_primes()[-1]) for _ in range(bench.degree)])
    jobs = []
    for number in range(12):
        wanted = 1 if number % 2 else bench.columns
        primes = [rng.choice(all_primes()) for _ in range(wanted)]
        # One term per sum leaves no spare clock between the rows.
        terms = [Term(0, numbers=[rng.randrange(prime) for prime in primes]) for _ in primes]
        results = [1 + (number * bench.columns + c) % (bench.slots - 1) for c in range(wanted)]
        jobs.append(Job(terms, primes, results))
        expected = jobs[-1].expected({0: bench.get(0)})
        await bench.begin(jobs[-1], number)
        if number >= 1:
            await bench.finish(number - 1)
            assert [bench.get(slot) for slot in jobs[-2].results] == before
        before = expected


def _parameters(shape: tuple[int, int, tuple[int, ...]]) -> dict[str, int]:
    return {"LogLanes": shape[0], "Columns": shape[1], "MaxLogDegree": 10,
            "AddressBits": ADDRESS_BITS}


LINTS = [Lint("ckks_sums", _parameters(shape)) for shape in (*SHAPES, *SWEPT)]


@pytest.mark.parametrize("shape", [*SHAPES, *in_sweep(SWEPT)])
def test_ckks_sums(shape: tuple[int, int, tuple[int, ...]]) -> None:
    run_bench(__file__, "ckks_sums", _parameters(shape), optimize="-O0", settings={
        "LOG_LANES": shape[0], "COLUMNS": shape[1], "DEGREES": " ".join(map(str, shape[2]))})
