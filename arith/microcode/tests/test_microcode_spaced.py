# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Quick programs: overlapping turns read the intended values, and not earlier."""

import random
from dataclasses import replace

import pytest

from arith.microcode import isa
from arith.microcode.assemble import assemble
from arith.microcode.checker import check, violations
from arith.microcode.image import Entry, Image
from arith.microcode.program import Keep, Lookup, Program, ProgramError, Value
from arith.microcode.simulator import SimulationError, Simulator
from arith.microcode.spaced import schedule_spaced
from arith.microcode.timing import FIELD_CORE_LOOKUPS, Clock, Latencies, Pace

MODULUS = (1 << 256) - (1 << 32) - 977
PACE = Pace(4, Latencies(multiply=13, accumulate=4, reduce=11, sum=8), register_bits=5)
PAIRS = Pace(2, Latencies(multiply=7, accumulate=1, reduce=4, sum=5), register_bits=5)
"""Turns in pairs: a control acts after the next turn."""
PRODUCT_TO_PRODUCT, PRODUCT_TO_SUM = 8, 1  # 32 and 3 clocks
SUM_TO_PRODUCT, SUM_TO_SUM, SUM_TO_FLAG = 11, 3, 12  # 41, 12 and 45 clocks
INPUTS, OUTPUTS, COUNT = 4, 2, 5


def turns_of(program: Program) -> list[int]:
    return [len(turns) for turns in schedule_spaced(program, PACE, FIELD_CORE_LOOKUPS)]


def test_a_chain_of_products_takes_the_clocks_between_two() -> None:
    program = Program("chain", MODULUS)
    (value,) = program.inputs(1)
    for _ in range(COUNT):
        value = program.product(value, value)
    program.linear([(1, value)], output=0)  # chained
    assert turns_of(program) == [(COUNT - 1) * PRODUCT_TO_PRODUCT + 1]


def test_a_sum_waits_for_what_it_cannot_take_from_the_multiplier() -> None:
    program = Program("sums", MODULUS)
    (value,) = program.inputs(1)
    square = program.product(value, value)
    twice = program.linear([(4, square), (4, square)])
    program.linear([(1, program.product(twice, value)), (1, twice)], output=0)
    assert turns_of(program) == [PRODUCT_TO_SUM + SUM_TO_PRODUCT + 1]


def test_a_chain_of_sums_and_the_flag() -> None:
    program = Program("flag", MODULUS)
    (value,) = program.inputs(1)
    for _ in range(COUNT):
        value = program.linear([(2, value)])
    program.linear([(1, value)], output=0, keep=Keep(flag=True))
    program.halt_unless_zero()
    assert turns_of(program)[0] == COUNT * SUM_TO_SUM + SUM_TO_FLAG + 1


def test_independent_products_follow_one_another_and_what_nobody_reads_is_left_out() -> None:
    program = Program("many", MODULUS)
    values = program.inputs(INPUTS)
    for first in values:
        for second in values:
            program.linear([(1, program.product(first, second))], output=0)
            program.product(first, program.product(second, second))
    assert turns_of(program) == [INPUTS * INPUTS]


def build(program: Program, seed: int) -> None:
    """Straight code, a loop and straight code again, with random sums and products."""
    rng = random.Random(seed)

    def some(values: list[Value], count: int) -> list[Value]:
        values = list(values)
        for _ in range(count):
            near = values[-6:]
            kind = rng.randrange(4)
            if kind == 0:
                values.append(program.linear([(rng.choice((-3, -1, 1, 4)), rng.choice(near))
                                              for _ in range(rng.randint(1, 3))],
                                             rng.randrange(MODULUS)))
            elif kind == 1:
                values.append(program.product(rng.choice(near), rng.randrange(MODULUS)))
            else:
                values.append(program.products([(rng.choice(near), rng.choice(near))
                                                for _ in range(rng.randint(1, 3))]))
        return values

    values = some(program.inputs(INPUTS), 12)
    kept = program.product(values[-1], values[-2])

    def body(carried: list[Value]) -> list[Value]:
        inside = some([kept, *carried], 14)
        return [program.product(inside[-1], carried[0]), program.linear([(1, inside[-2])], 1)]

    first, second = (program.product(values[-1], values[-3]), program.linear([(2, values[-4])], 3))
    looped = program.loop(COUNT, [first, second], body)
    ends = some([kept, *looped], 8)
    program.linear([(1, ends[-2])], output=1)
    program.linear([(1, ends[-1])], output=0, keep=Keep(flag=True))
    program.halt_unless_zero()


def image_of(seed: int, pace: Pace = PACE) -> tuple[Image, Entry, Entry]:
    image = Image(MODULUS, 4, folds=True, lookups=True, pace=pace)
    program = Program("usual", MODULUS)
    build(program, seed)
    (word,) = program.input_values[:1]
    program.linear([(0, word)], 5, output=0)
    program.linear([(0, word)], 6, output=1)
    usual = assemble(program, image)
    program = Program("quick", MODULUS)
    build(program, seed)
    return image, usual, assemble(program, image, quick_of=usual)


def words_of(seed: int) -> list[int]:
    return [random.Random(f"{seed}/words").randrange(MODULUS) for _ in range(INPUTS)]


@pytest.mark.parametrize("pace", [PACE, PAIRS], ids=["turns", "pairs"])
@pytest.mark.parametrize("seed", range(12))
def test_random_programs_come_to_the_same_at_both_distances(seed: int, pace: Pace) -> None:
    image, usual, quick = image_of(seed, pace)
    counts = check(image)
    simulator = Simulator(image)
    expected, _ = simulator.run(usual, words_of(seed))
    result, used = simulator.run(quick, words_of(seed))
    assert result == expected and used == counts["quick"]
    usual_clocks = counts["usual"].turns * pace.most.of(FIELD_CORE_LOOKUPS.turn)
    assert used.clocks < usual_clocks / 3


@pytest.mark.parametrize("seed", range(4))
def test_the_proof_holds_for_smaller_latencies(seed: int) -> None:
    """A core that is faster in some stage computes the same words with the same program."""
    image, usual, quick = image_of(seed)
    expected, _ = Simulator(image).run(usual, words_of(seed))
    for most in (Latencies(1, 1, 1, 1), Latencies(12, 4, 9, 8), Latencies(13, 1, 11, 2)):
        image.pace = replace(PACE, most=most)
        check(image)
        assert Simulator(image).run(quick, words_of(seed))[0] == expected


LATER = [Latencies(14, 4, 11, 8), Latencies(13, 4, 12, 8), Latencies(13, 4, 11, 12)]
LATER_PAIRS = [Latencies(8, 1, 4, 5), Latencies(7, 1, 5, 5), Latencies(7, 1, 4, 7)]


@pytest.mark.parametrize("built, pace", [
    *[(PACE, replace(PACE, most=most)) for most in LATER], (PACE, replace(PACE, clocks=3)),
    *[(PAIRS, replace(PAIRS, most=most)) for most in LATER_PAIRS],
], ids=["product", "reduction", "sum", "turn", "pairs, product", "pairs, reduction", "pairs, sum"])
def test_what_comes_too_early_breaks_the_proof_and_the_result(built: Pace, pace: Pace) -> None:
    broken = wrong = 0
    for seed in range(6):
        image, usual, quick = image_of(seed, built)
        expected, _ = Simulator(image).run(usual, words_of(seed))
        image.pace = pace
        found = violations(image)
        assert {violation.rule for violation in found} <= {"latency"}
        assert all(violation.pc >= quick.pc for violation in found)
        try:
            same = Simulator(image).run(quick, words_of(seed))[0] == expected
        except SimulationError:
            same = False
        # Everything that the proof accepts is right: it may be stricter than needed, but never too
        # lax.
        assert same or found
        broken += bool(found)
        wrong += not same
    assert broken >= 4 and wrong >= 3


def test_the_second_turn_of_a_pair_has_no_control() -> None:
    """The controls of a quick program are in even turns. Moved to the next one, or with an operation
    in the pair after the halt, they are refused."""
    image, _, quick = image_of(1, PAIRS)
    check(image)
    words = list(image.words)
    known = isa.fields_of(True, False, False)
    instructions = [{name: value for name, value in fields.items() if name in known}
                    for fields in image.decoded()]
    controls = [pc for pc in range(quick.pc, len(words)) if instructions[pc]["control"] != isa.NEXT]
    assert [instructions[pc]["control"] for pc in controls] == [
        isa.LOOP_BEGIN, isa.LOOP_END, isa.HALT]
    assert not any((pc - quick.pc) % PAIRS.turns for pc in controls)
    moved = ("control", "imm", "halt_unless_zero", "mul_stride", "add_stride")
    for pc in controls:
        first, second = instructions[pc], instructions[pc + 1]
        late = {name: first[name] for name in moved}
        image.words = list(words)
        image.words[pc] = image.encode(first | dict.fromkeys(moved, 0))
        image.words[pc + 1] = image.encode(second | late)
        assert "pace" in {violation.rule for violation in violations(image)}
        with pytest.raises(SimulationError):
            Simulator(image).run(quick, words_of(1))
    image.words = list(words)
    image.words[-1] = image.encode({"add_en": 1})
    assert "pace" in {violation.rule for violation in violations(image)}


def test_a_late_write_breaks_the_proof() -> None:
    image, _, _ = image_of(0)
    core = FIELD_CORE_LOOKUPS
    for name in ("sum_write", "product_write"):
        late = replace(core, **{name: getattr(core, name) + Clock(4)})
        assert {violation.rule for violation in violations(image, late)} == {"latency"}


def test_after_a_halt_that_does_not_take_place_the_usual_distance_is_kept() -> None:
    """The flag is set: the job continues in the other program, which does not wait for results
    itself."""
    image = Image(MODULUS, 3, folds=True, lookups=True, pace=PACE)

    def beginning(program: Program) -> Value:
        (value,) = program.inputs(1)
        program.linear([(1, value), (-1, value)], output=0, keep=Keep(flag=True))
        program.linear([(1, value)], keep=Keep(table=7))
        program.halt_unless_zero()
        return value

    program = Program("usual", MODULUS)
    beginning(program)
    value = program.product(program.linear([], 1), Lookup(isa.LOOKUP_WORD, 7))
    for _ in range(COUNT):
        value = program.linear([(1, program.product(value, value))])
    program.linear([(1, value)], output=0)
    usual = assemble(program, image)
    program = Program("quick", MODULUS)
    beginning(program)
    quick = assemble(program, image, quick_of=usual)
    check(image)
    (result,), counts = Simulator(image).run(quick, [3])
    assert result == pow(3, 2**COUNT, MODULUS) and counts.turns > SUM_TO_FLAG + COUNT


def test_registers_do_not_pass_from_one_program_to_the_other() -> None:
    image = Image(MODULUS, 3, folds=True, lookups=True, pace=PACE)
    usual = None
    for name in ("usual", "quick"):
        program = Program(name, MODULUS)
        (value,) = program.inputs(1)
        program.linear([(1, value), (-1, value)], output=0, keep=Keep(flag=True))
        program.halt_unless_zero()
        if usual is None:
            program.linear([(2, value)], output=0)
        usual = assemble(program, image, quick_of=usual)
    assert {violation.rule for violation in violations(image)} == {"uninitialized"}


def test_a_quick_program_has_a_conditional_halt_and_its_image_a_pace() -> None:
    image = Image(MODULUS, 3, folds=True, lookups=True, pace=PACE)
    program = Program("plain", MODULUS)
    (value,) = program.inputs(1)
    program.linear([(1, value)], output=0)
    usual = assemble(program, image)
    with pytest.raises(ProgramError, match="conditional halt"):
        assemble(program, image, quick_of=usual)
    image.pace = None
    with pytest.raises(ProgramError, match="no pace"):
        assemble(program, image, quick_of=usual)
