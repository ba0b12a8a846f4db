# SPDX-License-Identifier: Apache-2.0 OR MIT
"""fold_reduce: any value of 516 bits, next to multiples, powers of two and the ends of both
folds."""

import random
from typing import Any

import cocotb
from arith.rtl.tests.fields import runs_of_bits
from arith.rtl.tests.pipeline_cases import pipeline_of
from arith.simulation.bench import Lint, random_source, run_bench

SECP256K1, OTHER = 2**256 - 2**32 - 977, 2**256 - 189
BITS = 516


def value(rng: random.Random) -> int:
    modulus = rng.choice((SECP256K1, OTHER))
    kind = rng.randrange(6)
    near = rng.randint(-2, 2)
    if kind == 0:
        count = rng.randint(1, 16)
        found = sum(rng.randrange(modulus) * rng.randrange(modulus) for _ in range(count))
    elif kind == 1:
        found = rng.randrange(2**rng.randint(1, 260)) * modulus + near
    elif kind == 2:
        found = 2**rng.randint(0, BITS) + near
    elif kind == 3:
        found = 2**BITS - 1 - rng.getrandbits(rng.randint(1, 300))
    elif kind == 4:
        # The result of one fold is a multiple of 2^256, or close to one.
        high = rng.getrandbits(rng.choice((1, 34, 230, 260)))
        found = (high << 256) + (-high * (2**256 - modulus) + near) % 2**256
    else:
        found = runs_of_bits(rng, BITS)
    return min(max(found, 0), 2**BITS - 1)


@cocotb.test()
async def results_are_right(dut: Any) -> None:
    rng = random_source("fold")
    shapes = [(output, lambda v, p=modulus: v["value_i"] % p, 1, None)
              for output, modulus in (("secp_o", SECP256K1), ("other_o", OTHER))]
    pipeline = await pipeline_of(dut, shapes, ["value_i"])
    for _ in range(4000):
        await pipeline.step(rng, {"value_i": value(rng)}, 0.0)
    await pipeline.drain(rng)


LINTS = [Lint("fold_top")]


def test_fold_reduce() -> None:
    run_bench(__file__, "fold_top", optimize="-O0")
