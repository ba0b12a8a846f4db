# SPDX-License-Identifier: Apache-2.0 OR MIT
"""equihash_midstate and equihash_leaves against hashlib and the golden model of BLAKE2b's rounds:
the value of a header's first block, and leaves of every parameter set at a leaf a clock."""

from __future__ import annotations

import random
import struct
from collections import deque
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import lint_bench, random_source, run_bench, setting
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


@cocotb.test(skip=setting("top", "") != "midstate")
async def values(dut: Any) -> None:
    """One header after the other, of every set; the words come in any order."""
    rng, rounds = random_source("midstate"), 12 * int(setting("stages"))
    await start(dut, write_valid_i=0, write_place_i=0, write_word_i=0, start_i=0,
                start_set_i=0, start_slot_i=0)
    for number in range(40):
        which, slot, header = number % 4, rng.randrange(8), rng.randbytes(128)
        dut.write_valid_i.value = 1
        for place in rng.sample(range(16), 16):
            dut.write_place_i.value = place
            dut.write_word_i.value = int.from_bytes(header[8 * place:8 * place + 8], "little")
            await RisingEdge(dut.clk_i)
        dut.write_valid_i.value = 0
        dut.start_i.value, dut.start_set_i.value, dut.start_slot_i.value = 1, which, slot
        await RisingEdge(dut.clk_i)
        dut.start_i.value = 0
        for clock in range(rounds + 1):
            await ReadOnly()
            assert int(dut.busy_o.value) == 1 and int(dut.done_o.value) == int(clock == rounds)
            if clock == rounds:
                assert int(dut.done_slot_o.value) == slot
                assert int(dut.done_value_o.value) == packed(first_block(SETS[which], header), 64)
            await RisingEdge(dut.clk_i)


def chunks_of(parameters: Parameters, value: int) -> int:
    """A leaf as the module has it: each chunk in a separate place, the first lowest."""
    bits = parameters.collision_bits
    return sum((value >> parameters.n - bits * (j + 1) & (1 << bits) - 1) << CHUNK_BITS * j
               for j in range(parameters.k + 1))


def random_index(rng: random.Random, parameters: Parameters) -> int:
    limit = 1 << parameters.index_bits
    return rng.choice((0, 1, limit - 1, rng.randrange(limit), rng.randrange(limit)))


@cocotb.test(skip=setting("top", "") != "leaves")
@cocotb.parametrize(chance=[0.5, 1.0])
async def leaves(dut: Any, chance: float) -> None:
    """Leaves of eight solutions by turns; each comes out in its order, with its tag."""
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


@pytest.mark.parametrize("stages", [1, 4])
def test_equihash_midstate(stages: int) -> None:
    parameters = {"Built": "4'd15", "StagesPerRound": stages}
    lint_bench("equihash_midstate", parameters)
    run_bench(__file__, "equihash_midstate", parameters,
              settings={"top": "midstate", "stages": stages})


@pytest.mark.parametrize("stages", [2])
def test_equihash_leaves(stages: int) -> None:
    parameters = {"Built": "4'd15", "StagesPerRound": stages, "ChunkBits": CHUNK_BITS,
                  "Chunks": CHUNKS}
    lint_bench("equihash_leaves", parameters)
    run_bench(__file__, "equihash_leaves", parameters,
              settings={"top": "leaves", "stages": stages}, optimise="-O0")
