# SPDX-License-Identifier: Apache-2.0 OR MIT
"""crc32c_beat against the bit-by-bit CRC: every single bit, and random states and data."""

from typing import Any

import cocotb
from cocotb.triggers import Timer

import pytest
from arith.simulation.bench import Lint, random_source, run_bench
from arith.simulation.crc32c import ALL_ONES, advance, crc32c


async def step(dut: Any, state: int, data: int) -> int:
    dut.state_i.value = state
    dut.data_i.value = data
    await Timer(1, "ns")
    return int(dut.state_o.value)


@cocotb.test()
async def a_known_value(dut: Any) -> None:
    """The 32 ascending bytes of RFC 3720, section B.4, beat by beat (or the number that fills a
    beat)."""
    size = len(dut.data_i) // 8
    data = bytes(range(max(32, size)))
    state = ALL_ONES
    for at in range(0, len(data), size):
        state = await step(dut, state, int.from_bytes(data[at : at + size], "little"))
    assert state ^ ALL_ONES == crc32c(data)
    assert len(data) > 32 or state ^ ALL_ONES == 0x46DD794E


@cocotb.test()
async def single_bits_and_random_beats(dut: Any) -> None:
    rng = random_source("beats")
    bits = len(dut.data_i)
    cases = [(0, 1 << bit) for bit in range(bits)] + [(1 << bit, 0) for bit in range(32)]
    cases += [(rng.getrandbits(32), rng.getrandbits(bits)) for _ in range(min(2000, 128_000 // bits))]
    for state, data in cases:
        assert await step(dut, state, data) == advance(state, data.to_bytes(bits // 8, "little"))


LINTS = [Lint("crc32c_beat", {"Bytes": size}) for size in (1, 4, 8, 64)]


@pytest.mark.parametrize("size", [1, 8, 64])
def test_crc32c_beat(size: int) -> None:
    run_bench(__file__, "crc32c_beat", {"Bytes": size})
