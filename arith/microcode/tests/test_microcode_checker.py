# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Each rule of the checker has a program that breaks it; a correct program breaks none."""

from dataclasses import replace

import pytest

from arith.microcode import checker, isa
from arith.microcode.checker import RULES, CheckError, check, violations
from arith.microcode.image import Entry, Image
from arith.microcode.timing import FIELD_CORE, Clock

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
    ("uninitialized", [ADD | {"op2": S1, "coef2": 1}, LAST]),
    ("uninitialized", [MULTIPLY | {"mul_b": P0, "mul_emit": 1}, LAST]),
    ("uninitialized", [EMIT | {"mul_write": 1} | ADD | {"op0": P0, "coef0": 1}, LAST]),
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


CALL = {"jump": isa.CALL}
RETURN = {"jump": isa.RETURN}
FRAMES = 2
ENTRY = 3
"""The programs with subroutines come after these."""
TWICE: Turns = [LOOP, CONSTANT | {"mul_stride": 1} | end(1), ADD | RETURN]


def nested_image(turns: Turns, entry: int = ENTRY) -> Image:
    words = [isa.encode(turn, sequence=True) for turn in turns]
    return Image(MODULUS, 3, words, [1, 2, 3], [4, 5], [Entry("test", entry, 1, 1)], frames=FRAMES)


def test_a_sound_program_with_calls() -> None:
    """The subroutine's loop uses the whole table, whatever the iteration of the loop around the
    call."""
    turns = [*TWICE, LOOP | {"imm": 2}, ADD | CALL, CONSTANT | {"mul_stride": 2} | end(4), LAST]
    (counts,) = check(nested_image(turns)).values()
    assert (counts.turns, counts.products) == (2 + 2 * (2 + 5), 2 * (1 + 3))


@pytest.mark.parametrize("rule, turns, entry", [
    pytest.param("frames", [LOOP, ADD | LOOP, ADD | LOOP, ADD | LOOP, ADD | end(4), ADD | end(3),
                            ADD | end(2), ADD | end(1), LAST], 0, id="four loops"),
    pytest.param("frames", [*TWICE, ADD | CALL | {"imm": 4}, LOOP, ADD | CALL | {"imm": 0}, end(5),
                            ADD | RETURN, LAST], 3, id="a loop in a call in a loop in a call"),
    pytest.param("control", [ADD, ADD | CALL, RETURN, ADD | CALL, LAST], 3, id="calls itself"),
    pytest.param("control", [ADD | CALL | {"imm": 2}, RETURN, ADD | CALL, RETURN,
                             ADD | CALL, LAST], 4, id="two call each other"),
    pytest.param("control", [*TWICE, ADD | CALL | {"imm": 1}, LAST], 3, id="call into a loop"),
    pytest.param("control", [ADD, RETURN, LAST], 0, id="return without a call"),
    pytest.param("control", [LOOP, ADD | RETURN, end(1), ADD | CALL, LAST], 3,
                 id="return out of a loop"),
    pytest.param("control", [LOOP, ADD | RETURN, end(1), LAST], 0, id="return out of the program"),
    pytest.param("control", [ADD, ADD, ADD, ADD | CALL | {"imm": 5}, LAST, ADD], 3,
                 id="no return before the end"),
    pytest.param("control", [ADD | LOOP, ADD | CALL | {"imm": 4}, end(1), LAST, end(1)], 0,
                 id="end of a loop around the call"),
    pytest.param("control", [ADD | CALL | {"imm": 2}, LAST, LAST], 0, id="halt in a subroutine"),
    pytest.param("control", [ADD | CALL | {"imm": 9}, LAST], 0, id="call of nothing"),
    pytest.param("control", [ADD | {"jump": 3}, LAST], 0, id="no such jump"),
    pytest.param("control", [ADD | CALL | LOOP, LAST, RETURN], 0, id="two controls"),
    pytest.param("uninitialized", [ADD | {"op1": S1}, RETURN, ADD, ADD | CALL, LAST], 3,
                 id="an argument is missing"),
    pytest.param("constant", [*TWICE[:1], CONSTANT | {"mul_stride": 2} | end(1), TWICE[2],
                              ADD | CALL, LAST], 3, id="constants in a subroutine"),
    pytest.param("accumulator", [EMIT, MULTIPLY | RETURN, LAST, ADD | CALL, LAST], 3,
                 id="an open sum"),
    pytest.param("constant", [LOOP, LOOP | {"imm": 2}, CONSTANT | {"mul_stride": 1} | end(2),
                              ADD | {"mul_stride": 1} | end(1), LAST], 0,
                 id="rows of both loops together"),
])
def test_broken_programs_with_frames(rule: str, turns: Turns, entry: int) -> None:
    image = nested_image(turns, entry)
    assert rule in {violation.rule for violation in violations(image)}
    assert {violation.rule for violation in violations(image)} <= {rule, "unreached"}


def test_a_program_of_too_many_turns_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checker would walk all of them."""
    monkeypatch.setattr(checker, "MAX_TURNS", 1000)
    deep: Turns = [LOOP | {"imm": 4095}, LOOP | {"imm": 4095}, ADD | end(2), ADD | end(1), LAST]
    assert [str(v) for v in violations(nested_image(deep, 0))] == [
        "size at 2: test has more than 1000 turns"]
    image = nested_image([LAST], 0)
    image.frames = isa.SEQUENCE_LIMITS["frames"] + 1
    assert [v.rule for v in violations(image)] == ["size"]


def test_distances_hold_through_calls_and_loops() -> None:
    """A read in a subroutine comes one turn after the write before the call, and so after it."""
    fields = {"add_write": 1, "add_dst": 1}
    turns = [EMIT | {"mul_a": S1} | RETURN, ADD | fields | CALL, LAST]
    image = nested_image(turns, 1)
    assert violations(image) == []
    short = replace(FIELD_CORE, turn=FIELD_CORE.turn + Clock(-1))
    assert [(v.pc, v.rule) for v in violations(image, short)] == [(0, "latency")]


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
    elsewhere = {"entry", "size", "value", "latency", "lookup", "sign", "flag", "pace"}
    assert {rule for rule, _ in BROKEN} | elsewhere == set(RULES)


def test_one_turn_can_break_a_rule_in_a_late_iteration_only() -> None:
    turns = [LOOP | {"imm": 4}, CONSTANT | {"mul_stride": 1} | end(1), LAST]
    assert [v.rule for v in violations(image_of(turns))] == ["constant"]
    turns[0] = LOOP
    assert violations(image_of(turns)) == []
