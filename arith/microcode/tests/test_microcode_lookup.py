# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The lookup slot: digits have their values, programs are ordered, broken ones are refused."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arith.microcode import isa, listing
from arith.microcode.assemble import assemble
from arith.microcode.checker import check, violations
from arith.microcode.image import Entry, Image
from arith.microcode.lookup import (
    JOINT_ROWS, ROWS, SCALAR_BITS, WINDOW_BITS, WINDOWS, digit, joint_digit, scalar_of, window,
)
from arith.microcode.program import Keep, Lookup, Program, ProgramError, Value
from arith.microcode.simulator import SimulationError, Simulator, fold_reduce
from arith.microcode.timing import FIELD_CORE_LOOKUPS, Clock

MODULUS = 2**256 - 2**32 - 977
S0 = isa.register(isa.BANK_S, 0)
Turns = list[dict[str, int]]
ODD_SCALARS = st.integers(-2**129, 2**129 - 1).map(lambda half: 2 * half + 1)
FIXED = [random.Random(row).randrange(MODULUS) for row in range(2 * JOINT_ROWS)]


def recoded(odd: int) -> int:
    """A scalar as stored, from the sum that a program computes for it."""
    return scalar_of(odd + (1 << SCALAR_BITS) - 1)


@given(st.fixed_dictionaries({name: st.integers(f.minimum, f.maximum)
                              for name, f in isa.fields_of(True).items()}))
def test_encode_decode(fields: dict[str, int]) -> None:
    word = isa.encode(fields, lookups=True)
    assert word < 1 << isa.LOOKUP_INSTRUCTION_BITS and isa.decode(word, lookups=True) == fields
    base = {name: fields[name] for name in isa.FIELDS}
    assert word & (1 << isa.INSTRUCTION_BITS) - 1 == isa.encode(base)
    assert listing.line(fields)


def test_a_core_without_lookups_has_no_such_fields() -> None:
    with pytest.raises(isa.EncodingError, match="no field 'lookup'"):
        isa.encode({"lookup": 1})
    with pytest.raises(isa.EncodingError):
        isa.decode(isa.encode({"lookup": 1}, lookups=True))


@given(ODD_SCALARS)
def test_windows_are_odd_digits_of_the_scalar(odd: int) -> None:
    total = 0
    for number in range(WINDOWS):
        found = digit(window(recoded(odd), number))
        assert 0 <= found.row < ROWS
        total += (2 * found.row + 1) * (-1 if found.negative else 1) << WINDOW_BITS * number
    assert total == odd


@given(st.integers(0, 31), st.integers(0, 31))
def test_joint_digits(first: int, second: int) -> None:
    found = joint_digit(first, second)
    sign = -1 if found.negative else 1
    assert sign * (2 * (found.row >> WINDOW_BITS) + 1) == 2 * first - 31
    assert sign * (2 * (found.row & 31) - 31) == 2 * second - 31
    assert joint_digit(31 - first, 31 - second) == replace(found, negative=not found.negative)


@given(st.one_of(st.integers(0, 16 * MODULUS**2 - 1),
                 st.integers(0, 80).map(lambda near: 16 * MODULUS**2 - 1 - near),
                 st.integers(-40, 40).map(lambda near: 2**256 + near),
                 st.integers(1, 2**258).map(lambda times: times * MODULUS - 1)))
def test_folding(value: int) -> None:
    assert fold_reduce(value, MODULUS) == value % MODULUS


def run(program: Program, words: list[int]) -> list[int]:
    image = Image(MODULUS, 3, folds=True, lookups=True, fixed_table=FIXED)
    entry = assemble(program, image)
    predicted = check(image)[program.name]
    outputs, counts = Simulator(image).run(entry, words)
    assert predicted == counts
    return outputs


@settings(max_examples=20)
@given(ODD_SCALARS, ODD_SCALARS, st.integers(0, WINDOWS - 1), st.randoms(use_true_random=False))
def test_lookups_with_signs(first: int, second: int, number: int, rng: random.Random) -> None:
    """A table of multiples that is written and read in one section: by digit, jointly and
    directly."""
    program = Program("lookups", MODULUS)
    x, one_half, other_half = program.inputs(3)
    offset = (1 << SCALAR_BITS) - 1
    for value, scalar in ((one_half, 1), (one_half, 2), (other_half, 3)):
        program.linear([(1, value)], offset, keep=Keep(scalar=scalar))
    row: Value = x
    for index in range(ROWS):
        row = program.linear([(1, row), (2, x)] if index else [(1, x)], keep=Keep(table=16 + index))
    by_digit = program.product(x, Lookup(isa.LOOKUP_DIGIT, 16, 1, number))
    program.linear([(1, program.signed(by_digit, [(-3, x)]))], output=0)
    fixed = program.product(x, Lookup(isa.LOOKUP_FIXED, 1, number=number))
    program.linear([(1, program.signed(fixed))], output=1)
    program.linear([(1, program.product(x, Lookup(isa.LOOKUP_WORD, 19)))], output=2)
    x_word = rng.randrange(MODULUS)
    found = digit(window(recoded(first), number))
    sign = -1 if found.negative else 1
    joint = joint_digit(window(recoded(first), number), window(recoded(second), number))
    joint_word = FIXED[2 * joint.row + 1] * (-1 if joint.negative else 1)
    assert run(program, [x_word, first % MODULUS, second % MODULUS]) == [
        (sign * (2 * found.row + 1) * x_word**2 - 3 * x_word) % MODULUS,
        x_word * joint_word % MODULUS, 7 * x_word**2 % MODULUS,
    ]


def test_a_word_is_read_before_it_is_replaced() -> None:
    """Each product reads the word as the previous statements left it, in any turn."""
    program = Program("replaced", MODULUS)
    x, y = program.inputs(2)
    program.linear([(1, x)], keep=Keep(table=5))
    old = program.product(y, Lookup(isa.LOOKUP_WORD, 5))
    late = program.product(old, Lookup(isa.LOOKUP_WORD, 5))
    program.linear([(1, y)], keep=Keep(table=5))
    new = program.product(y, Lookup(isa.LOOKUP_WORD, 5))
    for index, value in enumerate((old, late, new)):
        program.linear([(1, value)], output=index)
    assert run(program, [3, 5]) == [15, 45, 25]


def test_windows_move_in_a_loop() -> None:
    program = Program("loop", MODULUS)
    x, half = program.inputs(2)
    program.linear([(1, half)], (1 << SCALAR_BITS) - 1, keep=Keep(scalar=0))
    program.linear([(1, x)], keep=Keep(table=ROWS))
    row: Value = x
    for index in range(ROWS):
        row = program.linear([(1, row), (2, x)] if index else [(1, x)], keep=Keep(table=index))
    total = program.linear([])

    def body(values: list[Value]) -> list[Value]:
        (shifted,) = values
        for _ in range(WINDOW_BITS):
            shifted = program.linear([(2, shifted)])
        one = program.linear([], 1)
        found = program.product(one, Lookup(isa.LOOKUP_DIGIT, 0, 0, WINDOWS - 1))
        return [program.signed(found, [(1, shifted)])]

    (total,) = program.loop(WINDOWS, [total], body, digit_stride=-1)
    program.linear([(1, total)], output=0)
    rng = random.Random(3)
    for _ in range(5):
        odd = rng.randrange(-2**129, 2**129) * 2 + 1
        x_word = rng.randrange(MODULUS)
        assert run(program, [x_word, odd % MODULUS]) == [odd * x_word % MODULUS]


@pytest.mark.parametrize("word, expected", [(0, [0, 12]), (1, [1]), (MODULUS - 1, [MODULUS - 1])])
def test_a_job_goes_on_where_the_flag_is_set(word: int, expected: list[int]) -> None:
    program = Program("halt", MODULUS)
    (x,) = program.inputs(1)
    program.linear([(1, x)], output=0, keep=Keep(flag=True))
    program.linear([(1, x)], 7, output=1)
    program.halt_unless_zero()
    program.linear([(4, x)], 12, output=1)
    image = Image(MODULUS, 3, folds=True, lookups=True)
    entry = assemble(program, image)
    assert check(image)["halt"].turns == 2
    outputs, counts = Simulator(image).run(entry, [word])
    assert outputs == (expected if word == 0 else [word, (word + 7) % MODULUS])
    assert counts.turns == (3 if word == 0 else 2)


def test_high_halves() -> None:
    program = Program("high", MODULUS)
    (x,) = program.inputs(1)
    program.linear([(1, program.high(x, 1 << 200))], output=0)
    for word in (0, 2**56 - 1, 2**56, MODULUS - 1):
        assert run(program, [word]) == [word >> 56]
    image = Image(MODULUS, 3, [MODULUS - 1], folds=True, lookups=True)
    image.words = [isa.encode({"mul_en": 1, "mul_a": S0, "mul_b": S0, "mul_emit": 1, "mul_high": 1,
                               "mul_acc": int(turn > 0)}, True) for turn in range(3)]
    with pytest.raises(SimulationError, match="high half"):
        Simulator(image).run(Entry("test", 0, 1, 0), [MODULUS - 1])


def test_signs_that_no_turn_has() -> None:
    program = Program("signs", MODULUS)
    (x,) = program.inputs(1)
    found = program.product(x, Lookup(isa.LOOKUP_DIGIT, 0, 0, 3))
    program.signed(found)
    for product in (found, x, program.product(x, x), program.product(x, Lookup(isa.LOOKUP_WORD, 1)),
                    program.products([(x, Lookup(isa.LOOKUP_DIGIT, 0)), (x, x)])):
        with pytest.raises(ProgramError, match="sign"):
            program.signed(product)
    with pytest.raises(ProgramError, match="halt"):
        Program("empty", MODULUS).halt_unless_zero()


ADD = {"add_en": 1, "op1": S0, "coef1": 1}
LAST = ADD | {"out_en": 1, "control": isa.HALT}
SCALARS = [ADD | {"scalar_write": 1, "scalar_dst": index} for index in range(4)]
ROW = [ADD | {"table_write": 1, "table_dst": index} for index in range(ROWS)]
EMIT = {"mul_en": 1, "mul_a": S0, "mul_emit": 1}
DIGIT = EMIT | {"lookup": isa.LOOKUP_DIGIT, "digit": 25, "digit_scalar": 1}
JOINT = EMIT | {"lookup": isa.LOOKUP_FIXED, "table_word": 1}
SIGNED = {"sign_op0": 1, "add_en": 1, "op0_is_product": 1, "coef0": 1}
FLAG = ADD | {"flag_write": 1}
MAY_HALT = LAST | {"halt_unless_zero": 1}
LOOP = ADD | {"control": isa.LOOP_BEGIN, "imm": 2}
BROKEN: list[tuple[str, Turns]] = [
    ("lookup", [*ROW, DIGIT, LAST]),
    ("lookup", [*SCALARS, *ROW[:-1], DIGIT, LAST]),
    ("lookup", [*SCALARS, *ROW, DIGIT | {"digit": 26}, LAST]),
    ("lookup", [*SCALARS, *ROW, DIGIT | {"table_word": 1}, LAST]),
    ("lookup", [*SCALARS[:3], JOINT, LAST]),
    ("lookup", [*SCALARS, JOINT | {"table_word": 2}, LAST]),
    ("lookup", [EMIT | {"lookup": isa.LOOKUP_WORD, "table_word": 9}, LAST]),
    ("lookup", [*SCALARS, LOOP, JOINT | {"digit": 25, "control": isa.LOOP_END, "imm": 5,
                                         "digit_stride": 1}, LAST]),
    ("sign", [*SCALARS, *ROW, DIGIT | SIGNED | {"op0_is_product": 0, "op0": S0}, LAST]),
    ("sign", [*SCALARS, *ROW, DIGIT | {"sign_op0": 1}, LAST]),
    ("sign", [EMIT | {"mul_b": S0} | SIGNED, LAST]),
    ("flag", [ADD, MAY_HALT, LAST]),
    ("flag", [MAY_HALT | {"flag_write": 1}, LAST]),
    ("flag", [FLAG, ADD | {"halt_unless_zero": 1}, LAST]),
    ("control", [FLAG, ADD, MAY_HALT | {"imm": 1}]),
    ("output", [FLAG, ADD | {"halt_unless_zero": 1, "control": isa.HALT}, LAST]),
    ("sum", [{"table_write": 1}, LAST]),
    ("product", [{"lookup": 1}, LAST]),
    ("product", [EMIT | {"mul_b": S0, "mul_emit": 0, "mul_high": 1},
                 EMIT | {"mul_b": S0, "mul_acc": 1}, LAST]),
]


def image_of(turns: Turns) -> Image:
    # A halt that is not taken continues at the next turn, unless another one is named.
    following = [{"imm": pc + 1} if turn.get("control") == isa.HALT else {}
                 for pc, turn in enumerate(turns)]
    words = [isa.encode(goes_on | turn, lookups=True) for goes_on, turn in zip(following, turns)]
    return Image(MODULUS, 3, words, [1], [1], [Entry("test", 0, 1, 1)], folds=True, lookups=True,
                 fixed_table=FIXED)


@pytest.mark.parametrize("rule, turns", BROKEN)
def test_broken_programs(rule: str, turns: Turns) -> None:
    assert {violation.rule for violation in violations(image_of(turns))} == {rule}


SOUND: Turns = [*SCALARS, *ROW, DIGIT | SIGNED, JOINT | SIGNED | {"digit": 25}, FLAG, MAY_HALT,
                LAST]


def test_sound_program_and_tables() -> None:
    image = image_of(SOUND)
    assert violations(image) == []
    image.fixed_table = FIXED[:-1]
    assert {violation.rule for violation in violations(image)} == {"size"}
    image.fixed_table = [*FIXED[:-1], MODULUS]
    assert {violation.rule for violation in violations(image)} == {"value"}


@pytest.mark.parametrize("name, by, rows", [
    ("table_read", Clock(0, multiply=-1, reduce=-1, sum=-1), [20]), ("flag_read", Clock(-1), [23]),
    ("scalar_read", Clock(0, sum=-1), []), ("turn", Clock(-1), [23]),
])
def test_worse_clocks_break_lookups(name: str, by: Clock, rows: list[int]) -> None:
    """Each lookup comes in the turn after the write that it needs."""
    timing = replace(FIELD_CORE_LOOKUPS, **{name: getattr(FIELD_CORE_LOOKUPS, name) + by})
    found = violations(image_of(SOUND), timing)
    assert {violation.rule for violation in found} <= {"latency"}
    assert sorted({violation.pc for violation in found}) == rows
