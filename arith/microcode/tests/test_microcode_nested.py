# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Nested loops and subroutines: programs compute what their authors mean."""

import random
from typing import Any, Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arith.microcode import isa, listing, simulator
from arith.microcode.assemble import assemble
from arith.microcode.checker import CheckError, check
from arith.microcode.image import Counts, Image
from arith.microcode.lives import Lives
from arith.microcode.lookup import ROWS, digit, scalar_of, window
from arith.microcode.program import Keep, Lookup, Program, ProgramError, Value
from arith.microcode.rom import package_text
from arith.microcode.simulator import SimulationError, Simulator
from arith.microcode.tests.nested_programs import (
    FRAMES, MODULUS, SCALE, build, evaluate,
)
from arith.microcode.timing import Latencies, Pace

REGISTER_BITS = 6


def run(program: Program, words: list[int], frames: int = FRAMES, register_bits: int = REGISTER_BITS
        ) -> tuple[list[int], Counts]:
    """Checks and simulates. Returns the results as field values."""
    image = Image(program.modulus, register_bits, frames=frames)
    entry = assemble(program, image)
    predicted = check(image)[program.name]
    outputs, counts = Simulator(image).run(entry, words)
    assert predicted == counts
    return [word * SCALE % MODULUS for word in outputs], counts


def words_of(seed: int) -> list[int]:
    rng = random.Random(f"{seed}/words")
    return [rng.randrange(MODULUS) for _ in range(1 + seed % 4)]


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 2**32))
def test_random_programs(seed: int) -> None:
    words = words_of(seed)
    assert run(build(seed, len(words)), words)[0] == evaluate(seed, words)


@pytest.mark.parametrize("seed", range(40))
def test_few_registers_are_refused_or_enough(seed: int) -> None:
    words = words_of(seed)
    try:
        results, _ = run(build(seed, len(words)), words, register_bits=4)
    except ProgramError as error:
        assert "registers" in str(error) or "copy" in str(error)
    else:
        assert results == evaluate(seed, words)


# ---- Mutants: random programs detect each of these faults ----------------------------------------
def _caught(seeds: range = range(30)) -> int:
    """The number of programs with wrong results, or refused by the checker or the simulator."""
    caught = 0
    for seed in seeds:
        words = words_of(seed)
        image = Image(MODULUS, REGISTER_BITS, frames=FRAMES)
        try:
            entry = assemble(build(seed, len(words)), image)
            outputs, _ = Simulator(image).run(entry, words)
        except (SimulationError, ProgramError):
            caught += 1
            continue
        caught += [word * SCALE % MODULUS for word in outputs] != evaluate(seed, words)
    return caught


def test_the_unchanged_code_is_not_caught() -> None:
    assert _caught() == 0


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The simulator stops after a limit of turns: a mutant may loop forever."""
    decode = Simulator._decode

    def mutant(self: Simulator, context: Any, counts: Counts) -> Any:
        if counts.turns > 4000:
            raise SimulationError("no end")
        return decode(self, context, counts)

    monkeypatch.setattr(Simulator, "_decode", mutant)
    return monkeypatch


@pytest.mark.parametrize("dropped", ["value", "mul_base", "add_base"])
def test_a_frame_that_loses_something_is_caught(dropped: str, limited: pytest.MonkeyPatch) -> None:
    """`value` is the count of a loop, or the return address of a call: then it returns to 0."""
    frame = simulator._frame

    def mutant(context: Any, value: int, is_call: bool) -> Any:
        kept = frame(context, value, is_call)
        return type(kept)(**vars(kept) | {dropped: 0})

    limited.setattr(simulator, "_frame", mutant)
    assert _caught(range(60)) >= 5


def test_a_return_to_the_call_itself_is_caught(limited: pytest.MonkeyPatch) -> None:
    frame = simulator._frame
    limited.setattr(simulator, "_frame", lambda context, value, is_call: frame(
        context, value - is_call, is_call))
    assert _caught() >= 15


def test_a_call_that_keeps_the_bases_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A subroutine's constants do not move with the loops in which it is called."""
    def mutant(context: Any, fields: isa.Instruction) -> None:
        bases = context.mul_base, context.add_base
        jump(context, fields)
        if fields["jump"] == isa.CALL:
            context.mul_base, context.add_base = bases

    jump = simulator._jump
    monkeypatch.setattr(simulator, "_jump", mutant)
    assert _caught(range(60)) >= 5


def test_values_that_calls_may_overwrite_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the set of registers that calls write, a value that lives across a call is in one of
    them."""
    monkeypatch.setattr("arith.microcode.calls.Avoided.of", lambda self, value: frozenset())
    # Programs use registers from below and subroutines from above: they meet if there are few.
    caught = 0
    for seed in range(40):
        try:
            assemble(build(seed, 1 + seed % 4), Image(MODULUS, 4, frames=FRAMES))
        except ProgramError as error:
            caught += "copy" in str(error)
    assert caught >= 3


def test_lives_that_end_too_early_in_loops_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A value read in a loop is read again in its next iteration."""
    monkeypatch.setattr(Lives, "_last", lambda self, reads, made: max(reads, default=-1))
    assert _caught(range(60)) >= 5


# ---- Encoding
# -------------------------------------------------------------------------------------
def test_bases_of_an_inner_loop_begin_as_the_outer_loops_are() -> None:
    """Rows of an outer loop contain those of the inner loops; constants that never change have no
    rows."""
    program = Program("rows", MODULUS)
    (x,) = program.inputs(1)
    pairs, scales, last = [[1, 2, 3], [4, 5, 6]], [7, 8], 9

    def outer(values: list[Value]) -> list[Value]:
        (y,) = program.loop(3, values, lambda inner: [program.linear([(2, inner[0])], pairs)])
        return [program.linear([(1, program.product(y, scales))], last)]

    (x,) = program.loop(2, [x], outer)
    program.linear([(1, x)], output=0)
    image = Image(MODULUS, 3, frames=1)
    assemble(program, image)
    ends = [(f["mul_stride"], f["add_stride"]) for f in image.decoded()
            if f["control"] == isa.LOOP_END]
    # A row of the outer loop's sums has 4 words: 9, and three words of the inner loop.
    assert ends == [(0, 1), (1, 4)]
    montgomery = [image.register_value(value) for value in (9, 1, 2, 3, 9, 4, 5, 6)]
    assert image.add_constants == montgomery
    expected = 5 * SCALE
    for row, scale in zip(pairs, scales):
        for addend in row:
            expected = 2 * expected + addend
        expected = expected * scale + last
    assert run(program, [5])[0] == [expected % MODULUS]


def test_a_subroutine_stands_once_in_an_image_and_serves_all_programs() -> None:
    image, shared = Image(MODULUS, 4, frames=2), Program("shared", MODULUS)
    cube = shared.subroutine("cube", 1, lambda v: [
        program_product(shared, program_product(shared, v[0], v[0]), v[0])])
    entries = []
    for name in ("once", "thrice"):
        program = Program(name, MODULUS)
        (x,) = program.inputs(1)
        for _ in range(3 if name == "thrice" else 1):
            (x,) = program.call(cube, [x])
        program.linear([(1, x)], output=0)
        entries.append(assemble(program, image))
    check(image)
    (placed,) = image.subroutines.values()
    assert placed.pc == 0 and sum(f["jump"] == isa.RETURN for f in image.decoded()) == 1
    for entry, power in zip(entries, (3, 27)):
        (word,), _ = Simulator(image).run(entry, [5])
        assert word * SCALE % MODULUS == pow(5 * SCALE, power, MODULUS)


def program_product(program: Program, a: Value, b: Value) -> Value:
    return program.linear([(1, program.product(a, b))])


def test_an_image_says_what_its_core_needs() -> None:
    program = Program("nested", MODULUS)
    square = program.subroutine("square", 1, lambda v: [program.product(v[0], v[0])])
    (x,) = program.loop(3, program.inputs(1), lambda v: program.call(square, v))
    program.linear([(1, x)], output=0)
    image = Image(MODULUS, 3, frames=1)
    assemble(program, image)
    text = package_text("some_rom_pkg", image, "a test")
    assert "localparam int unsigned Frames = 1;" in text
    assert ("logic [field_core_isa_pkg::InstructionBits+field_core_isa_pkg::SequenceSlotBits-1:0] "
            "Program") in text
    lines = [listing.line(fields) for fields in image.decoded()]
    assert lines[0].endswith("return") and sum("call 0" in line for line in lines) == 1
    assert "Frames" not in package_text("plain_rom_pkg", plain_image(), "a test")


def plain_image() -> Image:
    program, image = Program("plain", MODULUS), Image(MODULUS)
    program.linear([(1, program.inputs(1)[0])], output=0)
    assemble(program, image)
    return image


def test_words_with_and_without_the_slot() -> None:
    fields = {"mul_en": 1, "imm": 77, "out_index": 3}
    for lookups in (False, True):
        plain = isa.encode(fields, lookups)
        assert isa.encode(fields, lookups, sequence=True) == plain
        call = isa.encode(fields | {"jump": isa.CALL}, lookups, sequence=True)
        assert call == plain | isa.CALL << isa.word_bits(lookups, False)
        assert isa.decode(call, lookups, sequence=True)["jump"] == isa.CALL
        with pytest.raises(isa.EncodingError):
            isa.encode({"jump": isa.CALL}, lookups)


# ---- Refused programs
# ------------------------------------------------------------------------------
def _nested(program: Program, depth: int, value: Value) -> Value:
    return program.loop(2, [value], lambda v: [program.linear([(2, v[0])])] if depth == 1 else [
        _nested(program, depth - 1, v[0])])[0]


@pytest.mark.parametrize("loops, frames", [(2, 1), (3, 2), (4, 3), (9, 8)])
def test_loops_deeper_than_the_frames_are_refused(loops: int, frames: int) -> None:
    program = Program("deep", MODULUS)
    program.linear([(1, _nested(program, loops, program.inputs(1)[0]))], output=0)
    assert run(program, [1], frames)[0] == [2 ** 2 ** loops * SCALE % MODULUS]
    if frames == 1:
        with pytest.raises(ProgramError, match="no frames"):
            assemble(program, Image(MODULUS, 3))
        return
    image = Image(MODULUS, 3, frames=frames - 1)
    entry = assemble(program, image)
    with pytest.raises(CheckError, match=f"more than {frames - 1} frames"):
        check(image)
    with pytest.raises(SimulationError, match=f"more than {frames - 1} frames"):
        Simulator(image).run(entry, [1])


Build = Callable[[Program, list[Value]], object]


def _outside(program: Program, values: list[Value]) -> None:
    program.subroutine("reads", 1, lambda v: [program.linear([(1, v[0]), (1, values[0])])])


def _arguments(program: Program, values: list[Value]) -> None:
    program.call(program.subroutine("two", 2, lambda v: [program.linear([(1, v[0])])]), values[:1])


def _output(program: Program, values: list[Value]) -> None:
    program.subroutine("output", 1, lambda v: [program.linear([(1, v[0])], output=0)])


def _halt(program: Program, values: list[Value]) -> None:
    def body(variables: list[Value]) -> list[Value]:
        program.halt_unless_zero()
        return variables

    program.loop(2, [program.linear([(1, values[0])])], body)


def _other_modulus(program: Program, values: list[Value]) -> None:
    other = Program("other", 97)
    program.call(other.subroutine("other", 1, lambda v: [other.linear([(1, v[0])])]), values[:1])


def _word_in_the_way(program: Program, values: list[Value]) -> None:
    """The job has a word in each register of the bank, and reads them after the call."""
    square = program.subroutine("square", 1, lambda v: [program.product(v[0], v[0])])
    (y,) = program.call(square, values[:1])
    for number in range(0, 8, 2):
        program.linear([(1, y), (1, values[number]), (1, values[number + 1])], output=number // 2)


def _short_column(program: Program, values: list[Value]) -> None:
    program.loop(2, [program.linear([(1, values[0])])], lambda v: program.loop(
        3, v, lambda w: [program.linear([(1, w[0])], [[1, 2], [3, 4]])]))


def _deep_column(program: Program, values: list[Value]) -> None:
    program.loop(2, [program.linear([(1, values[0])])],
                 lambda v: [program.linear([(1, v[0])], [[1, 2], [3, 4]])])


def _long_row(program: Program, values: list[Value]) -> None:
    columns = [[[200 * i + j + k for j in range(200)] for i in range(2)] for k in range(2)]

    def inner(variables: list[Value]) -> list[Value]:
        half = program.linear([(1, variables[0])], columns[0])
        return [program.linear([(1, half)], columns[1])]

    program.loop(2, [program.linear([(1, values[0])])], lambda v: program.loop(200, v, inner))


@pytest.mark.parametrize("build_bad, message", [
    (_outside, "reads a value that is not its own"),
    (_arguments, "1 arguments of the subroutine two, which has 2"),
    (_output, "no outputs"),
    (_halt, "straight code"),
    (_other_modulus, "different moduli"),
    (_word_in_the_way, "copy"),
    (_short_column, "2 values of a constant, 3 iterations"),
    (_deep_column, "more loops than are around it"),
    (_long_row, "a loop's row of 400 constants, the limit is 255"),
])
def test_impossible_programs(build_bad: Build, message: str) -> None:
    program = Program("impossible", MODULUS)
    with pytest.raises(ProgramError, match=message):
        build_bad(program, program.inputs(8))
        assemble(program, Image(MODULUS, 3, frames=4))


def test_quick_programs_have_one_level_of_loops_and_no_calls() -> None:
    pace = Pace(4, Latencies(13, 4, 11, 8), register_bits=5)
    image = Image((1 << 256) - (1 << 32) - 977, 3, folds=True, lookups=True, pace=pace, frames=2)
    usual = assemble(Program("usual", image.modulus), image)
    program = Program("quick", image.modulus)
    square = program.subroutine("square", 1, lambda v: [program.product(v[0], v[0])])
    program.call(square, program.inputs(1))
    with pytest.raises(ProgramError, match="a quick program has one level of loops and no calls"):
        assemble(program, image, quick_of=usual)


def test_windows_of_an_inner_loop_begin_where_the_outer_loop_has_come_to() -> None:
    """The base of digits moves with those of constants."""
    modulus, scalar, outer, inner = (1 << 256) - (1 << 32) - 977, random.Random(5), 4, 3
    program = Program("digits", modulus)
    key = program.inputs(1)[0]
    program.linear([(1, key)], keep=Keep(scalar=1))
    rows = [scalar.randrange(modulus) for _ in range(ROWS)]
    for number, row in enumerate(rows):
        program.linear([], row, keep=Keep(table=16 + number))
    one = program.linear([], 1)

    def step(values: list[Value]) -> list[Value]:
        word = program.product(one, Lookup(isa.LOOKUP_DIGIT, 16, 1, 2))
        return [program.signed(word, [(2, values[0])])]

    (total,) = program.loop(outer, [program.linear([], 0)], lambda values: [
        program.linear([(1, program.loop(inner, values, step, digit_stride=1)[0])], 1)],
        digit_stride=inner + 1)
    program.linear([(1, total)], output=0)
    image = Image(modulus, 3, folds=True, lookups=True, frames=1)
    entry = assemble(program, image)
    check(image)
    word, expected = scalar.randrange(modulus), 0
    for i in range(outer):
        for j in range(inner):
            found = digit(window(scalar_of(word), 2 + i * (inner + 1) + j))
            expected = 2 * expected + (-1 if found.negative else 1) * rows[found.row]
        expected += 1
    assert Simulator(image).run(entry, [word])[0] == [expected % modulus]
