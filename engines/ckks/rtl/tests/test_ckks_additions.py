# SPDX-License-Identifier: Apache-2.0 OR MIT
"""ckks_additions against plain integers: every kind of job, results in an operand's place, reads
that wait, consecutive jobs, their clocks, and a reset in mid-job."""

import random
from dataclasses import dataclass
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import Lint, random_source, run_bench, setting
from arith.simulation.streams import reset, start
from engines.ckks.rtl.tests.ckks_rows import Slots, packed, residue, some_prime

ADDRESS_BITS, SLOTS = 8, 5
LAST_CLOCKS = 5
"""The clocks from the job's last row to its write."""


@dataclass
class Job:
    kind: str
    prime: int
    a: int
    b: int
    numbers: list[int]
    result: int

    @property
    def reads(self) -> tuple[bool, bool]:
        return self.kind in ("add", "sub", "addnum"), self.kind in ("add", "sub", "neg")

    def expected(self, slots: list[list[int]]) -> list[int]:
        degree, (first, second) = len(slots[0]), self.reads
        found = []
        for place in range(degree):
            a = slots[self.a][place] if first else 0
            b = slots[self.b][place] if second else self.numbers[2 * place // degree]
            found.append((a - b if self.kind in ("sub", "neg") else a + b) % self.prime)
        return found


class Bench(Slots):
    def __init__(self, dut: Any, rng: random.Random, log_degree: int) -> None:
        super().__init__(1 << int(setting("LOG_LANES")), log_degree, ADDRESS_BITS)
        self.dut, self.rng, self.wait = dut, rng, 0.0
        self.coming = [(0, 0), (0, 0)]
        self.done: list[int] = []
        self.clock = 0

    async def step(self) -> bool:
        dut = self.dut
        dut.a_word_i.value, dut.b_word_i.value = self.coming.pop(0)
        ready = self.rng.random() >= self.wait
        dut.read_ready_i.value = int(ready)
        await ReadOnly()
        words = [self.memory[int(row.value)] if ready and int(valid.value)
                 else self.rng.getrandbits(30 * self.lanes)
                 for valid, row in ((dut.a_valid_o, dut.a_row_o), (dut.b_valid_o, dut.b_row_o))]
        self.coming.append((words[0], words[1]))
        if int(dut.write_valid_o.value):
            self.memory[int(dut.write_row_o.value)] = int(dut.write_word_o.value)
        if int(dut.done_valid_o.value):
            self.done.append(int(dut.done_tag_o.value))
        is_ready = bool(int(dut.job_ready_o.value))
        await RisingEdge(dut.clk_i)
        self.clock += 1
        return is_ready

    async def begin(self, job: Job, tag: int) -> None:
        dut = self.dut
        dut.job_first_i.value, dut.job_second_i.value = map(int, job.reads)
        dut.job_subtract_i.value = int(job.kind in ("sub", "neg"))
        dut.job_a_i.value, dut.job_b_i.value = job.a * self.rows, job.b * self.rows
        dut.job_numbers_i.value = packed(job.numbers)
        dut.job_prime_i.value, dut.job_tag_i.value = job.prime >> 17, tag
        dut.job_result_i.value, dut.job_valid_i.value = job.result * self.rows, 1
        while not await self.step():
            pass
        dut.job_valid_i.value = 0

    def random_job(self) -> Job:
        rng, prime = self.rng, some_prime(self.rng)
        kind = rng.choice(("add", "sub", "neg", "addnum", "zero"))
        numbers = [0, 0] if kind == "zero" else [residue(rng, prime) for _ in range(2)]
        for slot in range(SLOTS):
            self.put(slot, [residue(rng, prime) for _ in range(self.degree)])
        return Job(kind, prime, *(rng.randrange(SLOTS) for _ in range(2)), numbers,
                   rng.randrange(SLOTS))


@cocotb.test()
async def limbs_are_right(dut: Any) -> None:
    rng = random_source(setting("LOG_LANES"))
    await start(dut, log_degree_i=0, job_valid_i=0, job_first_i=0, job_second_i=0,
                job_subtract_i=0, job_a_i=0, job_b_i=0, job_numbers_i=0, job_prime_i=1,
                job_result_i=0, job_tag_i=0, read_ready_i=0, a_word_i=0, b_word_i=0)
    for degree in map(int, setting("DEGREES").split()):
        dut.log_degree_i.value = degree
        bench = Bench(dut, rng, degree)
        for _ in range(2):
            await bench.step()
        for number in range(60):
            bench.wait = rng.choice((0.0, 0.2, 0.6))
            job = bench.random_job()
            expected = job.expected([bench.get(slot) for slot in range(SLOTS)])
            await bench.begin(job, number)
            begun = bench.clock
            if number == 25:
                for _ in range(rng.randrange(bench.rows)):
                    await bench.step()
                await reset(dut, clocks=1)
                bench.coming = [(0, 0), (0, 0)]
                continue
            while not bench.done:
                await bench.step()
            assert bench.done.pop() == number
            if bench.wait == 0.0:
                assert bench.clock - begun == bench.rows + LAST_CLOCKS
            assert bench.get(job.result) == expected, f"{job}, N = 2^{degree}"


@cocotb.test()
async def jobs_follow_each_other(dut: Any) -> None:
    """One clock lies between the reads of two jobs."""
    rng = random_source("close")
    await start(dut, job_valid_i=0, read_ready_i=1)
    degree = int(setting("DEGREES").split()[0])
    dut.log_degree_i.value = degree
    bench = Bench(dut, rng, degree)
    for _ in range(2):
        await bench.step()
    job = bench.random_job()
    job.kind, job.a, job.b, job.result = "add", 0, 1, 2
    expected = job.expected([bench.get(slot) for slot in range(SLOTS)])
    begun = bench.clock
    for number in range(8):
        await bench.begin(job, number)
    while len(bench.done) < 8:
        await bench.step()
    assert bench.done == list(range(8)) and bench.get(2) == expected
    assert bench.clock - begun <= 8 * (bench.rows + 1) + LAST_CLOCKS + 1


def _parameters(log_lanes: int) -> dict[str, int]:
    return {"LogLanes": log_lanes, "MaxLogDegree": 8, "AddressBits": ADDRESS_BITS}


LINTS = [Lint("ckks_additions", _parameters(log_lanes)) for log_lanes in (2, 3, 5)]


@pytest.mark.parametrize(("log_lanes", "degrees"), [(2, "3 7"), (3, "8")])
def test_ckks_additions(log_lanes: int, degrees: str) -> None:
    run_bench(__file__, "ckks_additions", _parameters(log_lanes), optimize="-O0",
              settings={"LOG_LANES": log_lanes, "DEGREES": degrees})
