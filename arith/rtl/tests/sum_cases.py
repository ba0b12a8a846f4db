# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Inputs and models for the units of sum_top; each module's test file checks its own outputs."""

import random
from collections.abc import Callable, Mapping
from typing import Any

from arith.rtl.tests.fields import FELT, FR, SECP256K1, edge_values, residue, runs_of_bits
from arith.rtl.tests.pipeline_cases import Pipeline, Unit, latencies
from cocotb.triggers import Timer

INPUTS = [
    "operands_i", "op0_i", "op1_i", "op2_i", "const_i", "coef0_i", "coef1_i", "coef2_i",
    "subtract_i", "fr_value_i", "felt_value_i",
]
WIDE = 300
ALL_COEFFICIENTS = (1 << 27) - 1
Model = Callable[[Mapping[str, int]], int]


def _words(packed: int) -> list[int]:
    return [packed >> WIDE * i & (1 << WIDE) - 1 for i in range(9)]


def _sum(count: int, width: int) -> Model:
    return lambda v: sum((_words(v["operands_i"]) * 2)[:count]) % (1 << width)


def _compressed(v: Mapping[str, int]) -> int:
    words = _words(v["operands_i"])
    return sum(words + words[:2]) % (1 << WIDE)


def _add(modulus: int) -> Model:
    return lambda v: (
        v["op0_i"] - v["op1_i"] if v["subtract_i"] else v["op0_i"] + v["op1_i"]
    ) % modulus


def _signed(coefficient: int) -> int:
    return coefficient - 16 if coefficient >= 8 else coefficient


def _linear(modulus: int) -> Model:
    return lambda v: (
        sum(_signed(v[f"coef{i}_i"]) * v[f"op{i}_i"] for i in range(3)) + v["const_i"]
    ) % modulus


# In the order of latency_o; for a modulus, the unit is only checked with operands below it.
UNITS: list[tuple[str, Model, int]] = [
    ("tree1_o", _sum(1, 132), 0),
    ("tree3_o", _sum(3, WIDE), 0),
    ("tree9_o", _sum(9, WIDE), 0),
    ("add_o", _sum(2, 133), 0),
    ("pair_o", _compressed, 0),
    ("fr_add_o", _add(FR), FR),
    ("felt_add_o", _add(FELT), FELT),
    ("fr_reduce_o", lambda v: v["fr_value_i"] % FR, 0),
    ("felt_reduce_o", lambda v: v["felt_value_i"] % FELT, 0),
    ("fr_linear_o", _linear(FR), FR),
    ("felt_linear_o", _linear(FELT), FELT),
    ("fold_linear_o", _linear(SECP256K1), SECP256K1),
]


def _near_multiple(rng: random.Random, modulus: int, multiples: int) -> int:
    """A value in [0, multiples * modulus), often next to a multiple."""
    if rng.random() < 0.5:
        return rng.randrange(multiples * modulus)
    value = rng.randint(0, multiples) * modulus + rng.choice([-2, -1, 0, 1, 2])
    return min(max(value, 0), multiples * modulus - 1)


def random_inputs(rng: random.Random, modulus: int, coefficients: int = ALL_COEFFICIENTS
                  ) -> dict[str, int]:
    """A random input. `coefficients` is the mask of allowed ones, as in linear_sum's
    Coefficients."""
    def pick() -> int:
        return rng.choice(edge_values(modulus)) if rng.random() < 0.4 else residue(rng, modulus)

    extreme = rng.random() < 0.1
    def coefficient(operand: int) -> int:
        choice = [c for c in range(-4, 5) if c == 0 or coefficients >> 9 * operand + 4 + c & 1]
        return rng.choice([choice[0], choice[-1]] if extreme else choice)

    values = {f"op{i}_i": modulus - 1 if extreme else pick() for i in range(3)}
    values |= {f"coef{i}_i": coefficient(i) & 0xF for i in range(3)}
    return values | {
        "operands_i": runs_of_bits(rng, 9 * WIDE) if rng.random() < 0.5
        else rng.getrandbits(9 * WIDE),
        "const_i": modulus - 1 if extreme else pick(),
        "subtract_i": rng.getrandbits(1),
        "fr_value_i": _near_multiple(rng, FR, 9),
        "felt_value_i": _near_multiple(rng, FELT, 25),
    }


async def check_units(dut: Any, rng: random.Random, outputs: list[str], count: int = 800,
                      coefficients: int = ALL_COEFFICIENTS) -> None:
    """Feeds `count` inputs of each field, with some of the coefficients, and checks the given
    outputs of sum_top."""
    await Timer(1, unit="ns")
    for modulus in (FR, FELT, SECP256K1):
        units = [
            Unit(output, latency, model)
            for (output, model, only), latency in zip(UNITS, latencies(dut), strict=True)
            if output in outputs and only in (0, modulus)
        ]
        if not units:
            continue
        pipeline = Pipeline(dut, units, INPUTS)
        await pipeline.begin()
        for _ in range(count):
            await pipeline.step(rng, random_inputs(rng, modulus, coefficients))
        await pipeline.drain(rng)
