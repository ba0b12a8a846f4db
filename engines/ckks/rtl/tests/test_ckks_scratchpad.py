# SPDX-License-Identifier: Apache-2.0 OR MIT
"""ckks_scratchpad against an array: every port at once, collisions and their order, groups of
lanes, banks with separate addresses, and flipped bits."""

from dataclasses import dataclass, field
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import Lint, in_sweep, random_source, run_bench, setting
from arith.simulation.streams import start
from engines.ckks.rtl.tests.ckks_rows import packed, unpacked

READS, WRITES = 3, 2
# log2 of the lanes, of the rows and of the partitions; whether banks are in pairs.
SHAPES = [(2, 5, 1, 0), (5, 6, 2, 0), (5, 6, 2, 1)]
SWEPT = [(3, 7, 3, 0), (2, 6, 1, 1)]


@dataclass
class Offer:
    """The request of a port until it is served."""

    row: int
    groups: int = 0
    words: list[int] = field(default_factory=list)


class Bench:
    def __init__(self, dut: Any) -> None:
        self.dut = dut
        log_lanes, self.address_bits, log_partitions, self.pairs = map(
            int, setting("SHAPE").split())
        self.rng = random_source(setting("SHAPE"))
        self.lanes, self.rows = 1 << log_lanes, 1 << self.address_bits
        self.rows_of_partition = self.rows >> log_partitions
        self.group_size = min(self.lanes, 16)
        self.groups = self.lanes // self.group_size
        self.banks = [[self.rng.getrandbits(30) for _ in range(self.rows)]
                      for _ in range(self.lanes)]
        self.reads: list[Offer | None] = [None] * READS
        self.writes: list[Offer | None] = [None] * WRITES
        # Words that come in two clocks: by port, -1 being the transforms'.
        self.coming: list[dict[int, list[int]]] = [{}, {}]
        self.waited = 0

    def partition(self, row: int) -> int:
        return row // self.rows_of_partition

    def own_rows(self) -> list[int]:
        base = self.rng.randrange(self.rows // self.rows_of_partition) * self.rows_of_partition
        rows = [base + self.rng.randrange(self.rows_of_partition) for _ in range(self.lanes)]
        return 2 * rows[:self.lanes // 2] if self.pairs else rows

    async def fill(self) -> None:
        for row in range(self.rows):
            self.dut.own_write_valid_i.value = 1
            self.dut.own_write_row_i.value = packed([row] * self.lanes, self.address_bits)
            self.dut.own_write_word_i.value = packed([bank[row] for bank in self.banks])
            await RisingEdge(self.dut.clk_i)
        self.dut.own_write_valid_i.value = 0

    def granted(self, offers: list[Offer | None], own: list[int] | None) -> list[bool]:
        taken = {self.partition(own[0])} if own else set()
        found = []
        for offer in offers:
            wins = offer is not None and self.partition(offer.row) not in taken
            if wins and offer is not None:
                taken.add(self.partition(offer.row))
            found.append(wins)
        return found

    async def step(self) -> None:
        dut, rng = self.dut, self.rng
        for port in range(READS):
            if self.reads[port] is None and rng.random() < 0.7:
                self.reads[port] = Offer(rng.randrange(self.rows))
        for port in range(WRITES):
            if self.writes[port] is None and rng.random() < 0.7:
                self.writes[port] = Offer(rng.randrange(self.rows),
                                          rng.randrange(1, 1 << self.groups),
                                          [rng.getrandbits(30) for _ in range(self.lanes)])
        own_read = self.own_rows() if rng.random() < 0.5 else None
        own_write = self.own_rows() if rng.random() < 0.5 else None
        own_words = [rng.getrandbits(30) for _ in range(self.lanes)]
        self.avoid_reads_of_what_is_written(own_read, own_write)
        self.drive(own_read, own_write, own_words)
        await ReadOnly()
        self.check_words()
        reads, writes = self.granted(self.reads, own_read), self.granted(self.writes, own_write)
        assert unpacked(int(dut.read_ready_o.value), READS, 1) == [int(g) for g in reads]
        assert unpacked(int(dut.write_ready_o.value), WRITES, 1) == [int(g) for g in writes]
        assert not int(dut.error_o.value)
        self.move(own_read, own_write, own_words, reads, writes)
        await RisingEdge(dut.clk_i)

    def avoid_reads_of_what_is_written(self, own_read: list[int] | None,
                                       own_write: list[int] | None) -> None:
        """Removes conflicts: the scoreboard ensures that no word is read while it is written."""
        written = {offer.row for offer in self.writes if offer} | set(own_write or ())
        self.reads = [None if offer and offer.row in written else offer for offer in self.reads]
        if own_read and written & set(own_read):
            own_read.clear()

    def drive(self, own_read: list[int] | None, own_write: list[int] | None,
              own_words: list[int]) -> None:
        dut, bits = self.dut, self.address_bits
        dut.own_read_valid_i.value = int(bool(own_read))
        dut.own_read_row_i.value = packed(own_read or [0] * self.lanes, bits)
        dut.own_write_valid_i.value = int(bool(own_write))
        dut.own_write_row_i.value = packed(own_write or [0] * self.lanes, bits)
        dut.own_write_word_i.value = packed(own_words)
        reads = [offer or Offer(0) for offer in self.reads]
        writes = [offer or Offer(0, 0, [0] * self.lanes) for offer in self.writes]
        dut.read_valid_i.value = sum(bool(o) << i for i, o in enumerate(self.reads))
        dut.read_row_i.value = packed([offer.row for offer in reads], bits)
        dut.write_valid_i.value = sum(bool(o) << i for i, o in enumerate(self.writes))
        dut.write_row_i.value = packed([offer.row for offer in writes], bits)
        dut.write_groups_i.value = packed([offer.groups for offer in writes], self.groups)
        dut.write_word_i.value = packed([packed(offer.words) for offer in writes], 30 * self.lanes)

    def check_words(self) -> None:
        for port, words in self.coming.pop(0).items():
            if port < 0:
                found = unpacked(int(self.dut.own_read_word_o.value), self.lanes)
            else:
                whole = unpacked(int(self.dut.read_word_o.value), READS, 30 * self.lanes)[port]
                found = unpacked(whole, self.lanes)
            assert found == words, f"port {port}"

    def move(self, own_read: list[int] | None, own_write: list[int] | None, own_words: list[int],
             reads: list[bool], writes: list[bool]) -> None:
        words: dict[int, list[int]] = {}
        if own_read:
            words[-1] = [bank[row] for bank, row in zip(self.banks, own_read)]
        for port, (offer, wins) in enumerate(zip(self.reads, reads)):
            if offer and wins:
                words[port] = [bank[offer.row] for bank in self.banks]
                self.reads[port] = None
            self.waited += bool(offer) and not wins
        self.coming.append(words)
        if own_write:
            for bank, row, word in zip(self.banks, own_write, own_words):
                bank[row] = word
        for port, (offer, wins) in enumerate(zip(self.writes, writes)):
            if offer and wins:
                for lane, bank in enumerate(self.banks):
                    if offer.groups >> lane // self.group_size & 1:
                        bank[offer.row] = offer.words[lane]
                self.writes[port] = None


async def begin(dut: Any) -> Bench:
    await start(dut, own_read_valid_i=0, own_read_row_i=0, own_write_valid_i=0, own_write_row_i=0,
                own_write_word_i=0, read_valid_i=0, read_row_i=0, write_valid_i=0, write_row_i=0,
                write_groups_i=0, write_word_i=0)
    bench = Bench(dut)
    await bench.fill()
    return bench


@cocotb.test()
async def words_are_right(dut: Any) -> None:
    bench = await begin(dut)
    for _ in range(1500):
        await bench.step()
    assert bench.waited > 100


@cocotb.test()
async def a_flipped_bit_is_told(dut: Any) -> None:
    """The word is written completely, then one of its bits is flipped in the memory."""
    bench = await begin(dut)
    rng = bench.rng
    for _ in range(8):
        row, bank, bit = rng.randrange(bench.rows), rng.randrange(bench.lanes), rng.randrange(31)
        part = dut.gen_partition[bench.partition(row)]
        if bench.pairs:
            half, pair = divmod(bank, bench.lanes // 2)
            words, bit = part.gen_pairs.gen_pair[pair].u_pair.words, bit + 36 * half
        else:
            words = part.gen_banks.gen_bank[bank].u_bank.words
        place = words[row % bench.rows_of_partition]
        kept = int(place.value)
        place.value = kept ^ 1 << bit
        await RisingEdge(dut.clk_i)
        for is_flipped in (True, False):
            dut.read_valid_i.value = 1
            dut.read_row_i.value = row
            await RisingEdge(dut.clk_i)
            dut.read_valid_i.value = 0
            seen = []
            for _ in range(6):
                await ReadOnly()
                seen.append(int(dut.error_o.value))
                await RisingEdge(dut.clk_i)
            assert seen == [0, 0, 0, int(is_flipped), 0, 0]
            place.value = kept
            await RisingEdge(dut.clk_i)


def _parameters(shape: tuple[int, int, int, int]) -> dict[str, int]:
    return {"LogLanes": shape[0], "AddressBits": shape[1], "LogPartitions": shape[2],
            "Pairs": shape[3], "UltraBanks": shape[3] << shape[0] - 1, "ReadPorts": READS, "WritePorts": WRITES}


LINTS = [Lint("ckks_scratchpad", _parameters(shape)) for shape in (*SHAPES, *SWEPT)]


@pytest.mark.parametrize("shape", [*SHAPES, *in_sweep(SWEPT)])
def test_ckks_scratchpad(shape: tuple[int, int, int, int]) -> None:
    run_bench(__file__, "ckks_scratchpad", _parameters(shape), public_depth=6, optimize="-O0",
              settings={"SHAPE": " ".join(map(str, shape))})
