# SPDX-License-Identifier: Apache-2.0 OR MIT
"""equihash_midstate and equihash_leaves against hashlib and the golden model of BLAKE2b's rounds:
the value of a header's first block, and leaves of every parameter set, one a clock."""

import random
import struct
from collections import deque
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from arith.simulation.bench import Lint, random_source, run_bench, setting
from arith.simulation.streams import start
from arith.rtl.tests.test_blake_round import INITIAL_VALUE, SIGMA, packed
from engines.blake3.model.compression import BLAKE2B, one_round
from engines.equihash.model.puzzle import SETS, Parameters, leaf

MASK = (1 << 64) - 1
INDEX_BITS, CHUNK_BITS, CHUNKS = 25, 24, 10


def first_block(parameters: Parameters, header: bytes) -> list[int]:
    """BLAKE2b's value after the header's first 128 bytes (RFC 7693, sections 2.5 and 3.2)."""
    person = b"ZcashPoW" + struct.pack("<II", parameters.n, parameters.k)
    block = struct.pack("<BBBB28x16x16s", parameters.hash_bytes, 0, 1, 1, person)
    value = [a ^ b for a, b in zip(INITIAL_VALUE, struct.unpack("<8Q", block))]
    words = struct.unpack("<16Q", header[:128])
    state = [*value, *INITIAL_VALUE]
    state[12] ^= 128
    for number in range(12):
        state = one_round(BLAKE2B, state, [words[int(c, 16)] for c in SIGMA[number % 10]])
    return [value[i] ^ state[i] ^ state[i + 8] for i in range(8)]


async def _start_midstate(dut: Any) -> None:
    await start(dut, write_valid_i=0, write_place_i=0, write_word_i=0, start_i=0,
                start_set_i=0, start_slot_i=0)


async def _write(dut: Any, rng: random.Random, header: bytes, which: int, slot: int) -> None:
    """Writes a header's words in random order, and starts it in the clock after the last word."""
    dut.write_valid_i.value = 1
    for place in rng.sample(range(16), 16):
        dut.write_place_i.value = place
        dut.write_word_i.value = int.from_bytes(header[8 * place:8 * place + 8], "little")
        await RisingEdge(dut.clk_i)
    dut.write_valid_i.value = 0
    dut.start_i.value, dut.start_set_i.value, dut.start_slot_i.value = 1, which, slot
    await RisingEdge(dut.clk_i)
    dut.start_i.value = 0


@cocotb.test(skip=setting("top", "") != "midstate")
async def one_value_after_the_other(dut: Any) -> None:
    """Single headers of every set: each takes the clocks that the module's header states."""
    rng, clocks = random_source("midstate"), 12 * (int(setting("stages")) + 1)
    await _start_midstate(dut)
    for number in range(20):
        which, slot, header = number % 4, rng.randrange(8), rng.randbytes(128)
        await _write(dut, rng, header, which, slot)
        for clock in range(clocks + 1):
            await ReadOnly()
            assert int(dut.busy_o.value) == 0 and int(dut.done_o.value) == int(clock == clocks)
            if clock == clocks:
                assert int(dut.done_slot_o.value) == slot
                assert int(dut.done_value_o.value) == packed(first_block(SETS[which], header), 64)
            await RisingEdge(dut.clk_i)


@cocotb.test(skip=setting("top", "") != "midstate")
@cocotb.parametrize(pause=[0, 30, 100])
async def values_in_a_row(dut: Any, pause: int) -> None:
    """Headers as soon as a buffer is free, or up to `pause` clocks later: one header is written and
    goes through its rounds while another does, without interference."""
    rng, clocks, count = random_source(pause), 12 * (int(setting("stages")) + 1), 40
    await _start_midstate(dut)
    waiting: deque[tuple[int, int]] = deque()
    done: list[int] = []

    async def watch() -> None:
        for clock in range(count * (clocks + pause + 40)):
            await ReadOnly()
            if int(dut.done_o.value):
                assert (int(dut.done_slot_o.value), int(dut.done_value_o.value)) \
                    == waiting.popleft()
                done.append(clock)
                if len(done) == count:
                    return
            await RisingEdge(dut.clk_i)
        raise AssertionError(f"{len(done)} of {count} headers are done")

    watcher = cocotb.start_soon(watch())
    both_taken = 0
    for number in range(count):
        await ReadOnly()
        while int(dut.busy_o.value):
            both_taken += 1
            await RisingEdge(dut.clk_i)
            await ReadOnly()
        await RisingEdge(dut.clk_i)
        await ClockCycles(dut.clk_i, rng.randrange(pause + 1) + 1)
        which, slot, header = rng.randrange(4), rng.randrange(8), rng.randbytes(128)
        waiting.append((slot, packed(first_block(SETS[which], header), 64)))
        await _write(dut, rng, header, which, slot)
    await watcher
    if pause == 0:
        # Two headers are in progress at once: a buffer is written in 16 clocks, plus a short gap.
        assert done[-1] - done[2] <= (count - 3) * (clocks + 24) / 2 and both_taken


def chunks_of(parameters: Parameters, value: int) -> int:
    """A leaf in the module's format: each chunk in a separate field, the first lowest."""
    bits = parameters.collision_bits
    return sum((value >> parameters.n - bits * (j + 1) & (1 << bits) - 1) << CHUNK_BITS * j
               for j in range(parameters.k + 1))


def random_index(rng: random.Random, parameters: Parameters) -> int:
    limit = 1 << parameters.index_bits
    return rng.choice((0, 1, limit - 1, rng.randrange(limit), rng.randrange(limit)))


@cocotb.test(skip=setting("top", "") != "leaves")
@cocotb.parametrize(chance=[0.5, 1.0])
async def leaves(dut: Any, chance: float) -> None:
    """Leaves of eight interleaved solutions; each comes out in order, with its tag."""
    rng = random_source(chance)
    await start(dut, value_valid_i=0, value_slot_i=0, value_i=0, tail_valid_i=0, tail_slot_i=0,
                tail_i=0, index_valid_i=0, index_i=0)
    headers = [rng.randbytes(140) for _ in range(8)]
    for slot, header in enumerate(headers):
        parameters = SETS[slot % 4]
        dut.value_valid_i.value, dut.value_slot_i.value = 1, slot
        dut.value_i.value = packed(first_block(parameters, header), 64)
        dut.tail_valid_i.value, dut.tail_slot_i.value = 1, slot
        dut.tail_i.value = int.from_bytes(header[128:], "little")
        await RisingEdge(dut.clk_i)
    dut.value_valid_i.value = dut.tail_valid_i.value = 0
    waiting: deque[tuple[int, int, int]] = deque()  # clock, tag and index, chunks
    latency, count = 12 * int(setting("stages")) + 5, 1200
    for clock in range(count + latency):
        valid, slot = clock < count and rng.random() < chance, rng.randrange(8)
        parameters = SETS[slot % 4]
        index = random_index(rng, parameters)
        tagged = ((slot << 2 | slot % 4) << 2 | rng.randrange(4)) << INDEX_BITS | index
        dut.index_valid_i.value, dut.index_i.value = int(valid), tagged
        if valid:
            value = leaf(parameters, headers[slot], index)
            waiting.append((clock + latency, tagged, chunks_of(parameters, value)))
        await ReadOnly()
        due = bool(waiting) and waiting[0][0] == clock
        assert int(dut.leaf_valid_o.value) == int(due)
        if due:
            _, *expected = waiting.popleft()
            assert [int(dut.leaf_o.value), int(dut.chunks_o.value)] == expected
        await RisingEdge(dut.clk_i)
    assert not waiting


def _midstate(stages: int) -> dict[str, object]:
    return {"Built": "4'd15", "StagesPerRound": stages}


LEAVES = {"Built": "4'd15", "StagesPerRound": 2, "ChunkBits": CHUNK_BITS, "Chunks": CHUNKS}
LINTS = [Lint("equihash_midstate", _midstate(1)), Lint("equihash_midstate", _midstate(8)),
         Lint("equihash_leaves", LEAVES)]


@pytest.mark.parametrize("stages", [1, 8])
def test_equihash_midstate(stages: int) -> None:
    run_bench(__file__, "equihash_midstate", _midstate(stages),
              settings={"top": "midstate", "stages": stages})


def test_equihash_leaves() -> None:
    run_bench(__file__, "equihash_leaves", LEAVES,
              settings={"top": "leaves", "stages": LEAVES["StagesPerRound"]}, optimize="-O0")
