# SPDX-License-Identifier: Apache-2.0 OR MIT
"""crc32c_beat against the bit-by-bit CRC: every single bit, and random states and data."""

from __future__ import annotations

from typing import Any

import cocotb
from cocotb.triggers import Timer

from arith.simulation.bench import lint_bench, random_source, run_bench
from arith.simulation.crc32c import ALL_ONES, advance, crc32c


async def step(dut: Any, state: int, data: int) -> int:
    dut.state_i.value = state
    dut.data_i.value = data
    await Timer(1, "ns")
    return int(dut.state_o.value)


@cocotb.test()
async def a_known_value(dut: Any) -> None:
    """The 32 ascending bytes of RFC 3720, section B.4, beat by beat."""
    state = ALL_ONES
    for beat in range(4):
        state = await step(dut, state, int.from_bytes(bytes(range(8 * beat, 8 * beat + 8)), "little"))
    assert state ^ ALL_ONES == 0x46DD794E == crc32c(bytes(range(32)))


@cocotb.test()
async def single_bits_and_random_beats(dut: Any) -> None:
    rng = random_source("beats")
    cases = [(0, 1 << bit) for bit in range(64)] + [(1 << bit, 0) for bit in range(32)]
    cases += [(rng.getrandbits(32), rng.getrandbits(64)) for _ in range(2000)]
    for state, data in cases:
        assert await step(dut, state, data) == advance(state, data.to_bytes(8, "little"))


def test_lint() -> None:
    lint_bench("crc32c_beat")


def test_crc32c_beat() -> None:
    run_bench(__file__, "crc32c_beat")
