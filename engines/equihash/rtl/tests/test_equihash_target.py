# SPDX-License-Identifier: Apache-2.0 OR MIT
"""equihash_target against the golden model: every size, the sign, overflows, and hashes that equal
the target or miss it by one."""

import random
from typing import Any

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import random_source, run_bench
from arith.simulation.streams import start
from engines.equihash.model.puzzle import target_of

LATENCY = 5


def compact(rng: random.Random) -> int:
    """Sizes around both ends, mantissas around byte boundaries, sometimes the sign."""
    size = rng.choice((rng.randrange(5), rng.randrange(29, 37), rng.randrange(256)))
    mantissa = rng.choice((0, 1, 0xFF, 0x100, 0xFFFF, 0x1_0000, 0x7F_FFFF, rng.getrandbits(23)))
    return size << 24 | int(rng.random() < 0.15) << 23 | mantissa


def number(rng: random.Random, target: int | None) -> int:
    """A hash as a number: often near the target, otherwise arbitrary."""
    if target is not None and rng.random() < 0.7:
        return min(max(target + rng.choice((-1, 0, 1, -256, 256)), 0), (1 << 256) - 1)
    return rng.choice((0, 1, (1 << 256) - 1, rng.getrandbits(256) >> rng.randrange(256)))


@cocotb.test()
@cocotb.parametrize(chance=[0.4, 1.0])
async def targets(dut: Any, chance: float) -> None:
    rng = random_source(chance)
    await start(dut, valid_i=0, slot_i=0, bits_i=0, digest_i=0)
    waiting: list[tuple[int, int, int]] = []
    seen: list[bool] = []
    for clock in range(3000):
        valid = rng.random() < chance and clock < 3000 - LATENCY
        bits, slot = compact(rng), rng.randrange(8)
        target = target_of(bits)
        hashed = number(rng, target)
        dut.valid_i.value, dut.slot_i.value, dut.bits_i.value = int(valid), slot, bits
        dut.digest_i.value = int.from_bytes(hashed.to_bytes(32, "little"), "big")
        if valid:
            missed = target is None or hashed > target
            seen.append(missed)
            waiting.append((clock + LATENCY, slot, int(missed)))
        await ReadOnly()
        due = bool(waiting) and waiting[0][0] == clock
        assert int(dut.valid_o.value) == int(due)
        if due:
            _, slot, missed = waiting.pop(0)
            assert (int(dut.slot_o.value), int(dut.missed_o.value)) == (slot, missed)
        await RisingEdge(dut.clk_i)
    assert not waiting and 0.1 < sum(seen) / len(seen) < 0.9


def test_equihash_target() -> None:
    run_bench(__file__, "equihash_target")
