# SPDX-License-Identifier: Apache-2.0 OR MIT
"""field_core_products with saved carries: sums of products of several contexts, two or at least
four clocks apart, modulo secp256k1's prime, and high halves of single products."""

import random
from dataclasses import dataclass
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from arith.rtl.tests.fields import SECP256K1, residue
from arith.simulation.bench import Lint, random_source, run_bench
from arith.simulation.ports import reader, writer
from arith.simulation.streams import start

MODULUS = SECP256K1
MULTIPLY, ACCUMULATE, REDUCE = 7, 1, 4
"""Latencies of the parts, with tiles of 26x17."""
TURN = MULTIPLY - 2
PRODUCT = MULTIPLY + ACCUMULATE + REDUCE
CONTEXTS = 4
MOST_PRODUCTS = 12
CLOCKS = 3000


@dataclass
class Sum:
    """A context's open sum: its value, products and the clock of its last turn."""

    value: int = 0
    products: int = 0
    clock: int = -100


@dataclass(frozen=True)
class Expected:
    context: int
    add: bool
    product: int
    high: int | None


def factor(rng: random.Random) -> int:
    kind = rng.randrange(8)
    if kind == 0:
        return rng.choice((0, 1, 2, MODULUS - 1, MODULUS - 2))
    if kind == 1:
        return (1 << rng.randrange(256)) % MODULUS
    if kind == 2:
        return (1 << rng.randrange(256)) - 1
    return residue(rng, MODULUS)


def next_turn(rng: random.Random, sums: list[Sum], clock: int) -> int | None:
    """A context that may have a turn in this clock."""
    allowed = [context for context, one in enumerate(sums)
               if clock - one.clock == 2 or clock - one.clock >= 4]
    return rng.choice(allowed) if allowed and rng.random() < 0.9 else None


@cocotb.test()
async def products_are_right(dut: Any) -> None:
    rng = random_source("products")
    names = "multiply_valid_i a_i b_i turn_valid_i turn_context_i turn_add_i turn_follows_i reduce_valid_i high_i"
    await start(dut, **dict.fromkeys(names.split(), 0))
    write = {name: writer(getattr(dut, name)) for name in names.split()}
    product, error = reader(dut.product_o), reader(dut.memory_error_o)
    sums = [Sum() for _ in range(CONTEXTS)]
    turns: dict[int, Expected] = {}
    highs = 0
    for clock in range(CLOCKS):
        context = next_turn(rng, sums, clock)
        if context is not None:
            one = sums[context]
            add = 0 < one.products < MOST_PRODUCTS and rng.random() < 0.8
            a, b = factor(rng), factor(rng)
            if add and rng.random() < 0.1:
                # The sum becomes a multiple of the modulus, or almost.
                a, b = (-one.value) % MODULUS, 1
            value = a * b + (one.value if add else 0)
            high = value >> 256 if not add and rng.random() < 0.3 else None
            highs += high is not None
            sums[context] = Sum(value, one.products + 1 if add else 1, clock)
            turns[clock] = Expected(context, add, value % MODULUS, high)
            write["a_i"](a)
            write["b_i"](b)
        turn = turns.get(clock - TURN)
        write["turn_valid_i"](int(turn is not None))
        if turn is not None:
            write["turn_context_i"](turn.context)
            write["turn_add_i"](int(turn.add))
        late = turns.get(clock - PRODUCT + 2)
        write["high_i"](int(late is not None and late.high is not None))
        await RisingEdge(dut.clk_i)
        assert not error()
        due = turns.pop(clock - PRODUCT, None)
        if due is not None:
            expected = due.product if due.high is None else due.high
            assert product() == expected, f"{product():#x}, expected {expected:#x}"
    assert highs > CLOCKS // 20


PARAMETERS = {"Folds": "1'b1", "SavedCarries": "1'b1", "High": "1'b1", "Contexts": CONTEXTS}
LINTS = [Lint("field_core_products", PARAMETERS)]


def test_field_core_products() -> None:
    run_bench(__file__, "field_core_products", PARAMETERS, optimize="-O0")
