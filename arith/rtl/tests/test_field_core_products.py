# SPDX-License-Identifier: Apache-2.0 OR MIT
"""field_core_products with saved carries: sums of products of several contexts, modulo secp256k1's
prime with high halves of single products, and Montgomery products in BLS12-381's base field, also of
turns in consecutive clocks."""

import random
from dataclasses import dataclass
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from arith.rtl.tests.bls12_base import BASE_P
from arith.rtl.tests.fields import SECP256K1, residue
from arith.simulation.bench import Lint, random_source, run_bench, setting
from arith.simulation.ports import reader, writer
from arith.simulation.streams import start

CONTEXTS = 4
MOST_PRODUCTS = 12
CLOCKS = 3000


@dataclass(frozen=True)
class Field:
    """A modulus with the latencies of the parts for tiles of 26x17, the factor of each residue, and
    the clocks between turns of a context that are allowed below four."""

    modulus: int
    width: int
    multiply: int
    reduce: int
    factor: int
    close: tuple[int, ...]
    high: bool

    @property
    def product(self) -> int:
        """Clocks from the factors to the residue."""
        return self.multiply + 1 + self.reduce


FIELDS = {
    "secp256k1": Field(SECP256K1, 256, 7, 4, 1, (2,), True),
    "bls12_base": Field(BASE_P, 384, 8, 11, pow(1 << 384, -1, BASE_P), (1,), False),
}


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


def factor(rng: random.Random, field: Field) -> int:
    modulus, kind = field.modulus, rng.randrange(8)
    if kind == 0:
        return rng.choice((0, 1, 2, modulus - 1, modulus - 2))
    if kind == 1:
        return (1 << rng.randrange(field.width)) % modulus
    if kind == 2:
        return ((1 << rng.randrange(modulus.bit_length())) - 1) % modulus
    return residue(rng, modulus)


def next_turn(rng: random.Random, sums: list[Sum], clock: int, close: tuple[int, ...]) -> int | None:
    """A context that may have a turn in this clock."""
    allowed = [context for context, one in enumerate(sums)
               if clock - one.clock in close or clock - one.clock >= 4]
    if 1 in close and rng.random() < 0.5:
        allowed = [context for context in allowed if clock - sums[context].clock == 1] or allowed
    return rng.choice(allowed) if allowed and rng.random() < 0.9 else None


@cocotb.test()
async def products_are_right(dut: Any) -> None:
    field = FIELDS[setting("field")]
    rng = random_source("products")
    names = ("multiply_valid_i a_i b_i turn_valid_i turn_context_i turn_add_i turn_follows_i "
             "reduce_valid_i high_i")
    await start(dut, **dict.fromkeys(names.split(), 0))
    write = {name: writer(getattr(dut, name)) for name in names.split()}
    product, error = reader(dut.product_o), reader(dut.memory_error_o)
    sums = [Sum() for _ in range(CONTEXTS)]
    turns: dict[int, Expected] = {}
    highs = 0
    for clock in range(CLOCKS):
        context = next_turn(rng, sums, clock, field.close)
        if context is not None:
            one = sums[context]
            add = 0 < one.products < MOST_PRODUCTS and rng.random() < 0.8
            a, b = factor(rng, field), factor(rng, field)
            if add and rng.random() < 0.1:
                # The sum becomes a multiple of the modulus, or almost.
                a, b = (-one.value) % field.modulus, 1
            elif rng.random() < 0.05:
                a = b = field.modulus - 1  # up to the largest sum
            value = a * b + (one.value if add else 0)
            high = value >> field.width if field.high and not add and rng.random() < 0.3 else None
            highs += high is not None
            sums[context] = Sum(value, one.products + 1 if add else 1, clock)
            turns[clock] = Expected(context, add, value * field.factor % field.modulus, high)
            write["a_i"](a)
            write["b_i"](b)
        turn = turns.get(clock - field.multiply + 2)
        write["turn_valid_i"](int(turn is not None))
        if turn is not None:
            write["turn_context_i"](turn.context)
            write["turn_add_i"](int(turn.add))
        late = turns.get(clock - field.product + 2)
        write["high_i"](int(late is not None and late.high is not None))
        await RisingEdge(dut.clk_i)
        assert not error()
        due = turns.pop(clock - field.product, None)
        if due is not None:
            expected = due.product if due.high is None else due.high
            assert product() == expected, f"{product():#x}, expected {expected:#x}"
    assert highs > CLOCKS // 20 or not field.high


PARAMETERS = {
    "secp256k1": {"Folds": "1'b1", "SavedCarries": "1'b1", "High": "1'b1", "Contexts": CONTEXTS},
    "bls12_base": {"Width": 384, "Modulus": f"384'h{BASE_P:x}", "SavedCarries": "1'b1",
                   "Follows": "1'b1", "Contexts": CONTEXTS},
}
LINTS = [Lint("field_core_products", parameters) for parameters in PARAMETERS.values()]


@pytest.mark.parametrize("field", FIELDS)
def test_field_core_products(field: str) -> None:
    run_bench(__file__, "field_core_products", PARAMETERS[field], settings={"field": field},
              optimize="-O0")
