# SPDX-License-Identifier: Apache-2.0 OR MIT
"""equihash_duplicates: exact for every order of the indices, at a sustained index a clock."""

import random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import Lint, random_source, run_bench, setting
from arith.simulation.streams import start
from engines.equihash.model.puzzle import SETS, Parameters

MAX_INDEX_BITS = 25


def orders(rng: random.Random, parameters: Parameters) -> list[int]:
    """Orders that starve one side of the merges or the other, and nearly equal indices."""
    count, limit = parameters.indices, 1 << parameters.index_bits
    indices = sorted(rng.sample(range(limit), count))
    match rng.randrange(7):
        case 0:
            pass
        case 1:
            indices.reverse()
        case 2:  # both runs of a merge alternate, at every level
            indices = [indices[int(f"{i:0{parameters.k}b}"[::-1], 2)] for i in range(count)]
        case 3:  # the right run first, at some levels
            mask = rng.randrange(count)
            indices = [indices[i ^ mask] for i in range(count)]
        case 4:
            indices = [rng.choice(indices[:2]) for _ in indices]
        case 5:
            rng.shuffle(indices)
        case _:
            half = rng.choice((1, 2, count // 4, count // 2))
            indices = [indices[i // half % 2 * half + i % half] for i in range(count)]
    if rng.random() < 0.4:
        indices[rng.randrange(count)] = rng.choice(indices)
    return indices


@cocotb.test()
@cocotb.parametrize(pause=[0.0, 0.5])
async def every_order(dut: Any, pause: float) -> None:
    rng, built = random_source(pause), int(setting("built"))
    await start(dut, index_valid_i=0, index_i=0)
    sets = [number for number in range(4) if built >> number & 1]
    expected: dict[int, list[tuple[int, int]]] = {SETS[number].k: [] for number in sets}
    found: dict[int, list[tuple[int, int]]] = {k: [] for k in expected}

    async def watch() -> None:
        while True:
            await ReadOnly()
            valid = int(dut.verdict_valid_o.value)
            if valid:
                slots, bits = int(dut.verdict_slot_o.value), int(dut.verdict_duplicate_o.value)
                for level in range(9):
                    if valid >> level & 1:
                        found[level + 1].append((slots >> 3 * level & 7, bits >> level & 1))
            await RisingEdge(dut.clk_i)

    cocotb.start_soon(watch())
    for job in range(60 if pause == 0.0 else 25):
        number, slot = rng.choice(sets), job % 8
        parameters = SETS[number]
        indices = orders(rng, parameters)
        expected[parameters.k].append((slot, int(len(set(indices)) < len(indices))))
        for place, index in enumerate(indices):
            while rng.random() < pause:
                dut.index_valid_i.value = 0
                await RisingEdge(dut.clk_i)
            dut.index_valid_i.value = 1
            ends = int(place == 0) << 1 | int(place == len(indices) - 1)
            dut.index_i.value = ((slot << 2 | number) << 2 | ends) << MAX_INDEX_BITS | index
            await RisingEdge(dut.clk_i)
        dut.index_valid_i.value = 0
    for _ in range(2000):
        await RisingEdge(dut.clk_i)
    assert found == expected
    verdicts = [duplicate for one in expected.values() for _, duplicate in one]
    assert 0 < sum(verdicts) < len(verdicts)


BUILT = [1, 15]
LINTS = [Lint("equihash_duplicates", {"Built": f"4'd{sets}"}) for sets in BUILT]


@pytest.mark.parametrize("sets", BUILT)
def test_equihash_duplicates(sets: int) -> None:
    run_bench(__file__, "equihash_duplicates", {"Built": f"4'd{sets}"}, settings={"built": sets})
