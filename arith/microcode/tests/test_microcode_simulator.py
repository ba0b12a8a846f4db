# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The simulator's arithmetic is that of the hardware; undefined behavior stops it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arith.microcode import isa
from arith.microcode.image import Entry, Image, to_montgomery
from arith.microcode.simulator import SimulationError, Simulator, montgomery_reduce

MODULI = [
    0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001,
    2**251 + 17 * 2**192 + 1,
]
MODULUS = MODULI[1]
S0, S1, P0 = isa.register(1, 0), isa.register(1, 1), isa.register(0, 0)
HALT = {"control": isa.HALT}


@given(st.sampled_from(MODULI), st.integers(0, 2**516 - 1))
def test_montgomery_reduction(modulus: int, value: int) -> None:
    value %= modulus**2 << 4
    assert montgomery_reduce(value, modulus) == value * pow(2, -256, modulus) % modulus


def test_montgomery_form() -> None:
    assert montgomery_reduce(to_montgomery(5, MODULUS), MODULUS) == 5


def simulate(instructions: list[dict[str, int]], inputs: list[int], outputs: int = 1) -> list[int]:
    image = Image(MODULUS, words=[isa.encode(fields) for fields in instructions])
    return Simulator(image).run(Entry("test", 0, len(inputs), outputs), inputs)[0]


def test_reads_come_before_writes_and_the_product_is_chained() -> None:
    turn = {"mul_en": 1, "mul_a": S0, "mul_b": S1, "mul_emit": 1, "mul_write": 1,
            "add_en": 1, "op0_is_product": 1, "coef0": 1, "op1": S0, "coef1": -4,
            "add_write": 1, "out_en": 1}
    again = turn | {"out_index": 1} | HALT
    a, b, scale = 12345, 678, pow(2, -256, MODULUS)
    first = (a * b * scale - 4 * a) % MODULUS
    second = (first * b * scale - 4 * first) % MODULUS
    assert simulate([turn, again], [a, b], 2) == [first, second]


def test_loop_control() -> None:
    count_up = {"add_en": 1, "op1": S0, "coef1": 2, "add_write": 1}
    out = {"add_en": 1, "op1": S0, "coef1": 1, "out_en": 1}
    program = [{"control": isa.LOOP_BEGIN, "imm": 5},
               count_up | {"control": isa.LOOP_END, "imm": 1}, out | HALT]
    assert simulate(program, [1]) == [32]


@pytest.mark.parametrize("instructions", [
    pytest.param([{"add_en": 1, "op1": P0, "coef1": 1, "out_en": 1} | HALT], id="unset register"),
    pytest.param([{"mul_en": 1, "mul_a": S0, "mul_b": S0, "mul_acc": 1} | HALT],
                 id="unset accumulator"),
    pytest.param([{"add_en": 1, "op0_is_product": 1, "coef0": 1, "out_en": 1} | HALT],
                 id="no product"),
    pytest.param([{"mul_write": 1} | HALT], id="write without product"),
    pytest.param([{"mul_en": 1, "mul_a": S0, "mul_b_is_const": 1, "mul_emit": 1} | HALT],
                 id="no constant"),
    pytest.param([{"mul_en": 1, "mul_a": S0, "mul_b": S0}]
                 + [{"mul_en": 1, "mul_a": S0, "mul_b": S0, "mul_acc": 1}] * 40
                 + [{"mul_en": 1, "mul_a": S0, "mul_b": S0, "mul_acc": 1, "mul_emit": 1}],
                 id="accumulator overflow"),
    pytest.param([{}], id="runs off the end"),
    pytest.param([HALT], id="no output"),
])
def test_undefined_behavior_stops(instructions: list[dict[str, int]]) -> None:
    with pytest.raises(SimulationError):
        simulate(instructions, [MODULUS - 1])


def test_number_of_words_is_checked() -> None:
    image = Image(MODULUS, words=[isa.encode(HALT)])
    with pytest.raises(SimulationError, match="2 words"):
        Simulator(image).run(Entry("test", 0, 1, 0), [1, 2])
