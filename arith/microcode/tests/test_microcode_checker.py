# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Each rule of the checker has a program that breaks it, and a sound program breaks none."""

from __future__ import annotations

import pytest

from arith.microcode import isa
from arith.microcode.checker import RULES, CheckError, check, violations
from arith.microcode.image import Entry, Image

S0, S1, P0, S9 = isa.register(1, 0), isa.register(1, 1), isa.register(0, 0), isa.register(1, 9)
MODULUS = 97
Turns = list[dict[str, int]]

MULTIPLY = {"mul_en": 1, "mul_a": S0, "mul_b": S0}
EMIT = MULTIPLY | {"mul_emit": 1}
ACCUMULATE = MULTIPLY | {"mul_acc": 1}
ADD = {"add_en": 1, "op1": S0, "coef1": 1}
LAST = ADD | {"out_en": 1, "control": isa.HALT}
LOOP = {"control": isa.LOOP_BEGIN, "imm": 3}
CONSTANT = {"mul_en": 1, "mul_a": S0, "mul_b_is_const": 1, "mul_emit": 1}


def end(start: int) -> dict[str, int]:
    return {"control": isa.LOOP_END, "imm": start}


def image_of(turns: Turns, inputs: int = 1, outputs: int = 1) -> Image:
    words = [isa.encode(turn) for turn in turns]
    return Image(MODULUS, 3, words, [1, 2, 3], [4, 5], [Entry("test", 0, inputs, outputs)])


SOUND: Turns = [
    MULTIPLY,
    ACCUMULATE | {"mul_emit": 1, "mul_write": 1} | LOOP,
    CONSTANT | {"mul_stride": 1} | end(2),
    EMIT | ADD | {"add_const_en": 1, "add_const": 1},
    LAST,
]

BROKEN: list[tuple[str, Turns]] = [
    ("control", [ADD]),
    ("frames", [LOOP, LOOP, ADD | end(2), LAST]),
    ("control", [LOOP | {"imm": 0}, ADD | end(1), LAST]),
    ("control", [LOOP, ADD, ADD | end(2), LAST]),
    ("control", [ADD | end(0), LAST]),
    ("control", [LOOP, LAST]),
    ("unreached", [LAST, ADD]),
    ("register", [ADD | {"op1": S9}, LAST]),
    ("register", [ADD | {"add_write": 1, "add_dst": 8}, LAST]),
    ("register", [EMIT | {"mul_write": 1, "mul_dst": 8}, LAST]),
    ("uninitialised", [ADD | {"op2": S1, "coef2": 1}, LAST]),
    ("uninitialised", [MULTIPLY | {"mul_b": P0, "mul_emit": 1}, LAST]),
    ("uninitialised", [EMIT | {"mul_write": 1} | ADD | {"op0": P0, "coef0": 1}, LAST]),
    ("constant", [CONSTANT | {"mul_const": 3}, LAST]),
    ("constant", [ADD | {"add_const_en": 1, "add_const": 2}, LAST]),
    ("constant", [LOOP, CONSTANT | {"mul_const": 1, "mul_stride": 1} | end(1), LAST]),
    ("accumulator", [ACCUMULATE | {"mul_emit": 1}, LAST]),
    ("accumulator", [MULTIPLY, EMIT, LAST]),
    ("accumulator", [MULTIPLY, LAST]),
    ("accumulator", [MULTIPLY, *[ACCUMULATE] * 11, ACCUMULATE | {"mul_emit": 1}, LAST]),
    ("accumulator", [MULTIPLY | LOOP, EMIT | {"mul_acc": 1} | end(1), LAST]),
    ("product", [ADD | {"op0_is_product": 1, "coef0": 1}, LAST]),
    ("product", [MULTIPLY | ADD | {"op0_is_product": 1, "coef0": 1},
                 ACCUMULATE | {"mul_emit": 1}, LAST]),
    ("product", [MULTIPLY | {"mul_write": 1}, ACCUMULATE | {"mul_emit": 1}, LAST]),
    ("product", [{"mul_emit": 1}, LAST]),
    ("sum", [{"add_write": 1}, LAST]),
    ("sum", [{"out_en": 1}, LAST]),
    ("coefficient", [ADD | {"coef1": 5}, LAST]),
    ("coefficient", [ADD | {"coef1": -5}, LAST]),
    ("output", [ADD | {"control": isa.HALT}]),
    ("output", [ADD | {"out_en": 1, "out_index": 1}, LAST]),
]


def test_sound_program() -> None:
    counts = check(image_of(SOUND))["test"]
    assert (counts.turns, counts.products, counts.reductions, counts.sums) == (7, 6, 5, 2)


@pytest.mark.parametrize("rule, turns", BROKEN)
def test_broken_programs(rule: str, turns: Turns) -> None:
    image = image_of(turns)
    assert {violation.rule for violation in violations(image)} == {rule}
    with pytest.raises(CheckError, match=rule):
        check(image)


def test_broken_images() -> None:
    def rules(image: Image) -> set[str]:
        return {violation.rule for violation in violations(image)}

    image = image_of([LAST])
    image.add_constants[1] = MODULUS
    assert rules(image) == {"value"}
    image = image_of([LAST])
    image.mul_constants *= 6000
    assert rules(image) == {"size"}
    assert rules(image_of([LAST], inputs=9)) == {"entry"}
    image = image_of([LAST])
    image.entries.append(Entry("nowhere", 7, 1, 1))
    assert rules(image) == {"entry"}


def test_every_rule_is_broken_somewhere() -> None:
    elsewhere = {"entry", "size", "value", "latency", "lookup", "sign", "flag"}
    assert {rule for rule, _ in BROKEN} | elsewhere == set(RULES)


def test_one_turn_can_break_a_rule_in_a_late_iteration_only() -> None:
    turns = [LOOP | {"imm": 4}, CONSTANT | {"mul_stride": 1} | end(1), LAST]
    assert [v.rule for v in violations(image_of(turns))] == ["constant"]
    turns[0] = LOOP
    assert violations(image_of(turns)) == []
