# SPDX-License-Identifier: Apache-2.0 OR MIT
"""ckks_transform against the plain transform: all shapes of lanes, radix and N, both directions in
any order, two primes, limbs that follow each other closely or not, and a reset in mid-job."""

import random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import Lint, in_sweep, random_source, run_bench, setting
from arith.simulation.streams import reset, start
from engines.ckks.model import residues, transform
from engines.ckks.model.layout import Layout
from engines.ckks.rtl.tests.ckks_rows import packed, residue, unpacked

ADDRESS_BITS = 10
SLOTS = 4
# LogLanes, LogRadix, MaxLogDegree, and the tested degrees. The number of lanes equals a butterfly's
# inputs, or is larger.
SHAPES = [(3, 3, 9, (5, 8, 9)), (4, 4, 8, (5, 8)), (3, 2, 8, (6, 7))]
SWEPT = [(5, 4, 10, (7, 10)), (2, 1, 6, (4, 6)), (2, 2, 7, (3, 7)), (4, 1, 7, (6, 7)), (6, 4, 11, (8, 11)),
         (5, 2, 9, (8, 9))]


def direct(values: list[int], prime: int, table: list[int], inverse: bool) -> list[int]:
    """The transform by its stages, residue by residue."""
    values, degree = list(values), len(values)
    sizes = [degree >> stage + 1 for stage in range(degree.bit_length() - 1)]
    for half in reversed(sizes) if inverse else sizes:
        groups = degree // (2 * half)
        for group in range(groups):
            factor = table[groups + group]
            for i in range(2 * half * group, 2 * half * group + half):
                a, b = values[i], values[i + half]
                if inverse:
                    values[i], values[i + half] = (a + b) % prime, (a - b) * factor % prime
                else:
                    values[i], values[i + half] = (a + b * factor) % prime, (a - b * factor) % prime
    return values


class Memory:
    """The banks, with their own addresses, and the unit's clocks."""

    def __init__(self, dut: Any, lanes: int) -> None:
        self.dut, self.lanes = dut, lanes
        self.rows = [[0] * (1 << ADDRESS_BITS) for _ in range(lanes)]
        self.coming: list[int] = [0, 0]
        self.done: list[int] = []
        self.clock = 0

    async def step(self) -> bool:
        """A clock; returns whether a job could be taken in it."""
        self.dut.read_word_i.value = self.coming[0]
        await ReadOnly()
        rows = unpacked(int(self.dut.read_row_o.value), self.lanes, ADDRESS_BITS)
        words = [bank[row] for bank, row in zip(self.rows, rows)]
        if int(self.dut.write_valid_o.value):
            places = unpacked(int(self.dut.write_row_o.value), self.lanes, ADDRESS_BITS)
            written = unpacked(int(self.dut.write_word_o.value), self.lanes)
            for bank, row, word in zip(self.rows, places, written):
                bank[row] = word
        if int(self.dut.done_valid_o.value):
            self.done.append(int(self.dut.done_tag_o.value))
        is_read = int(self.dut.read_valid_o.value)
        self.coming = [self.coming[1], packed(words) if is_read else 0]
        is_ready = bool(int(self.dut.job_ready_o.value))
        await RisingEdge(self.dut.clk_i)
        self.clock += 1
        return is_ready


class Bench:
    def __init__(self, dut: Any, rng: random.Random, log_degree: int) -> None:
        self.dut, self.rng = dut, rng
        self.log_lanes, self.log_radix = int(setting("LOG_LANES")), int(setting("LOG_RADIX"))
        self.max_degree = int(setting("MAX_LOG_DEGREE"))
        self.layout = Layout(log_degree, self.log_lanes)
        self.memory = Memory(dut, 1 << self.log_lanes)
        self.tables: list[tuple[int, list[int], bool]] = []

    async def load_factors(self, which: int, inverse: bool) -> None:
        rng, degree = self.rng, self.layout.log_degree
        prime = rng.choice(residues.primes())
        root = transform.root_of(prime, degree + 1)
        root = pow(root, -1, prime) if inverse else root
        table = transform.factors(prime, root, degree)
        self.tables.append((prime, table, inverse))
        row_bits = self.max_degree - self.log_lanes
        own_passes = (self.log_lanes - 1) // self.log_radix
        own_bits = 1 + (own_passes - 1).bit_length() + row_bits
        for entry in transform.entries(self.layout, self.log_radix, prime, table, row_bits):
            top = row_bits + 1 if entry.unit is None else own_bits - 1
            self.dut.factor_valid_i.value = 1
            self.dut.factor_shared_i.value = int(entry.unit is None)
            self.dut.factor_units_i.value = 1 << (entry.unit or 0)
            self.dut.factor_entry_i.value = entry.place | which << top
            self.dut.factor_words_i.value = packed(entry.words)
            await self.memory.step()
        self.dut.factor_valid_i.value = 0

    def place(self, slot: int, values: list[int]) -> None:
        for bank, column in enumerate(transform.store(self.layout, values)):
            base = slot * self.layout.rows
            self.memory.rows[bank][base:base + self.layout.rows] = column

    def values(self, slot: int) -> list[int]:
        base = slot * self.layout.rows
        banks = [bank[base:base + self.layout.rows] for bank in self.memory.rows]
        return transform.load(self.layout, banks)

    async def jobs(self, count: int, pause: float) -> int:
        """Random jobs, at most one a slot; returns the clocks from the first to the last."""
        rng, dut, memory = self.rng, self.dut, self.memory
        expected: dict[int, tuple[int, list[int]]] = {}
        kept: dict[int, tuple[int, list[int]]] = {}
        free, begun, first = set(range(SLOTS)), 0, memory.clock
        while begun < count or expected:
            offer = begun < count and free and rng.random() >= pause
            if offer:
                slot, which = rng.choice(sorted(free)), rng.randrange(2)
                prime, table, inverse = self.tables[which]
                values = [residue(rng, prime) for _ in range(1 << self.layout.log_degree)]
                # Half of the limbs come from other slots, which keep them.
                source = slot + rng.choice((0, SLOTS))
                self.place(source, values)
                dut.job_inverse_i.value, dut.job_prime_i.value = int(inverse), prime >> 17
                dut.job_buffer_i.value, dut.job_tag_i.value = which, slot
                dut.job_base_i.value = slot * self.layout.rows
                dut.job_source_i.value = source * self.layout.rows
                dut.job_valid_i.value = 1
                while not await memory.step():
                    pass
                dut.job_valid_i.value = 0
                expected[slot] = (begun, direct(values, prime, table, inverse))
                kept[slot] = (source, values)
                free.discard(slot)
                begun += 1
            else:
                await memory.step()
            while memory.done:
                slot = memory.done.pop(0)
                number, values = expected.pop(slot)
                assert self.values(slot) == values, f"job {number}"
                source, values = kept[slot]
                assert source == slot or self.values(source) == values
                free.add(slot)
        return memory.clock - first


@cocotb.test()
async def limbs_are_right(dut: Any) -> None:
    rng = random_source((setting("LOG_LANES"), setting("LOG_RADIX")))
    await start(dut, log_degree_i=0, job_valid_i=0, job_inverse_i=0, job_prime_i=0, job_buffer_i=0,
                job_base_i=0, job_source_i=0, job_tag_i=0, factor_valid_i=0, factor_shared_i=0, factor_units_i=0,
                factor_entry_i=0, factor_words_i=0, read_word_i=0)
    for degree in map(int, setting("DEGREES").split()):
        dut.log_degree_i.value = degree
        bench = Bench(dut, rng, degree)
        # Both directions, then twice the same: then two jobs fill the unit.
        for directions in ((False, True), (True, True)):
            bench.tables.clear()
            for which, inverse in enumerate(directions):
                await bench.load_factors(which, inverse)
            await bench.jobs(8, pause=0.9)
            await bench.jobs(10, pause=0.0)
        dut._log.info("N = 2^%d", degree)
        await reset(dut, clocks=1)


def _parameters(shape: tuple[int, int, int, tuple[int, ...]]) -> dict[str, int]:
    return {"LogLanes": shape[0], "LogRadix": shape[1], "MaxLogDegree": shape[2],
            "AddressBits": ADDRESS_BITS}


# The lints of ckks_core and ckks_port cover it in each run.
LINTS = in_sweep([Lint("ckks_transform", _parameters(shape)) for shape in (*SHAPES, *SWEPT)])


@pytest.mark.parametrize("shape", [*SHAPES, *in_sweep(SWEPT)])
def test_ckks_transform(shape: tuple[int, int, int, tuple[int, ...]]) -> None:
    run_bench(__file__, "ckks_transform", _parameters(shape), settings={
        "LOG_LANES": shape[0], "LOG_RADIX": shape[1], "MAX_LOG_DEGREE": shape[2],
        "DEGREES": " ".join(map(str, shape[3]))})
