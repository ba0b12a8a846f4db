# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Paced programs: several turns of one job in flight, through loops and calls; none comes too
early."""

import random
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arith.microcode import isa
from arith.microcode.assemble import assemble
from arith.microcode.checker import check, violations
from arith.microcode.image import Entry, Image
from arith.microcode.paced import Order, Orders
from arith.microcode.program import Program, ProgramError, Value
from arith.microcode.simulator import SimulationError, Simulator
from arith.microcode.tests.nested_programs import FRAMES, MODULUS, SCALE, build, evaluate
from arith.microcode.tests.test_microcode_nested import words_of
from arith.microcode.timing import FIELD_CORE, Latencies

LATENCIES = Latencies(multiply=13, accumulate=4, reduce=16, sum=8)
PRODUCT_TO_PRODUCT, SUM_TO_PRODUCT, SUM_TO_SUM = 37, 46, 12  # clocks
LEAST, MOST = isa.PACE_LIMITS["least_wait"], isa.PACE_LIMITS["most_turns"]
S0, P0 = isa.register(isa.BANK_S, 0), isa.register(isa.BANK_P, 0)


def paced_image(orders: Orders | None = None) -> Image:
    return Image(MODULUS, 6, frames=FRAMES, paced=LATENCIES, orders=orders or Orders())


def results(image: Image, entry: Entry, words: list[int]) -> list[int]:
    return [word * SCALE % MODULUS for word in Simulator(image).run(entry, words)[0]]


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([Orders(), Orders(tries=2), Orders(compact=True)]))
@example(510267, Orders())  # A loop reads a call's product, which has been moved into bank S.
@example(1, Orders(compact=True))
def test_random_programs(seed: int, orders: Orders) -> None:
    words = words_of(seed)
    image = paced_image(Orders(tries=orders.tries, compact=orders.compact))
    entry = assemble(build(seed, len(words)), image)
    predicted = check(image)[entry.name]
    outputs, counts = Simulator(image).run(entry, words)
    assert [word * SCALE % MODULUS for word in outputs] == evaluate(seed, words)
    assert counts == predicted
    # The known order of the sections gives the same result again.
    again = paced_image(Orders(image.orders.known, compact=orders.compact))
    assemble(build(seed, len(words)), again)
    assert again.words == image.words


@pytest.mark.parametrize("seed", range(2))
def test_the_proof_holds_for_smaller_latencies(seed: int) -> None:
    words, image = words_of(seed), paced_image()
    entry = assemble(build(seed, len(words)), image)
    for latencies in (Latencies(1, 1, 1, 1), Latencies(12, 4, 9, 8), Latencies(13, 1, 16, 2)):
        image.paced = latencies
        check(image)
        assert results(image, entry, words) == evaluate(seed, words)


def test_larger_latencies_break_the_proof_and_the_result() -> None:
    for latencies in (Latencies(14, 4, 16, 8), Latencies(13, 4, 16, 12)):
        wrong = 0
        for seed in range(4):
            words, image = words_of(seed), paced_image()
            entry = assemble(build(seed, len(words)), image)
            image.paced = latencies
            assert {violation.rule for violation in violations(image)} == {"latency"}
            wrong += not _is_right(image, entry, seed, words)
        assert wrong >= 3


def _is_right(image: Image, entry: Entry, seed: int, words: list[int]) -> bool:
    try:
        return results(image, entry, words) == evaluate(seed, words)
    except SimulationError:
        return False


def test_a_wait_that_is_a_clock_shorter_breaks_the_proof() -> None:
    """A wait whose reduction breaks no rule was longer than the reads need: the result is right."""
    broken = wrong = 0
    for seed in (1,):
        words, image = words_of(seed), paced_image()
        entry = assemble(build(seed, len(words)), image)
        for pc, fields in enumerate(list(image.decoded())):
            if not fields["gap"]:
                continue
            mutant = replace(image, words=list(image.words))
            mutant.words[pc] -= 1 << isa.PACE_FIELDS["gap"].low
            found = {violation.rule for violation in violations(mutant)}
            assert found <= {"latency", "pace"}
            right = _is_right(mutant, entry, seed, words)
            assert right or found
            broken += bool(found)
            wrong += not right
    assert broken > 10 and wrong > 3


# ---- Compact programs: fewer turns -----------------------------------------------------------------
def test_compact_orders_save_turns() -> None:
    """A sum takes the register of its product's operand in the product's turn, straight code
    follows the loop at once, and only one sum has a separate turn."""
    def turns_of(compact: bool) -> int:
        program = Program("compact", MODULUS)
        values = [program.linear([(1, word)], 5) for word in program.inputs(3)]
        values = program.loop(4, values, lambda v: [
            program.linear([(1, program.product(x, x)), (1, v[0])]) for x in v])
        for index, value in enumerate(values):
            program.linear([(1, program.product(value, value))], output=index)
        image = paced_image(Orders(turn_cost=1000, compact=compact))
        entry = assemble(program, image)
        return check(image)[entry.name].turns

    # The sums before the loop have no products next to them; the loop's turns are 4 * 3.
    assert turns_of(compact=True) == 3 + 4 * 3 + 3
    assert turns_of(compact=False) > 3 + 4 * 3 + 3


# ---- Clocks of small programs ---------------------------------------------------------------------
def clocks_of(program: Program) -> int:
    """The clocks from the first turn's issue to the last one's."""
    image = paced_image()
    assemble(program, image)
    return check(image)[program.name].clocks - LATENCIES.of(FIELD_CORE.sum_write)


def test_a_chain_of_products() -> None:
    program = Program("chain", MODULUS)
    (value,) = program.inputs(1)
    for _ in range(5):
        value = program.product(value, value)
    program.linear([(1, value)], output=0)  # a separate turn, a few clocks later: nothing is lost
    late = clocks_of(program) - 4 * PRODUCT_TO_PRODUCT
    assert 0 <= late <= LEAST


def test_a_chain_of_sums() -> None:
    program = Program("sums", MODULUS)
    (value,) = program.inputs(1)
    for _ in range(3):
        value = program.linear([(2, value)])
    program.linear([(1, program.product(value, value))], output=0)
    late = clocks_of(program) - 2 * SUM_TO_SUM - SUM_TO_PRODUCT
    assert 0 <= late <= LEAST


def test_a_loop_waits_for_its_own_results_alone() -> None:
    program = Program("loop", MODULUS)
    value = program.product(program.inputs(1)[0], 3)
    (value,) = program.loop(9, [value], lambda values: [program.product(values[0], values[0])])
    program.linear([(1, value)], output=0)
    # A turn before the first iteration; after the last one an empty turn, then the sum.
    behind = PRODUCT_TO_PRODUCT + LEAST
    assert clocks_of(program) == 9 * PRODUCT_TO_PRODUCT + behind


def test_independent_products_go_clock_by_clock() -> None:
    program = Program("many", MODULUS)
    values = program.inputs(6)
    for first in values:
        for second in values:
            program.linear([(1, program.product(first, second))], output=0)
    # The first turn and the last one are separate issues.
    assert clocks_of(program) <= 36 + 2 * LEAST


@pytest.mark.parametrize("factors", [8, 9, 12])
def test_sums_of_more_products_than_an_issue_has_turns(factors: int) -> None:
    program, image = Program("sums", MODULUS), paced_image()
    values = program.inputs(4)
    totals = [program.products([(values[(number + k) % 4], values[(number * k) % 4])
                                for number in range(factors)]) for k in range(3)]
    others = [program.linear([(number + 1, value)]) for number, value in enumerate(values)]
    program.linear([(1, totals[0]), (1, totals[1]), (1, totals[2])], output=0)
    for index, value in enumerate(others):
        program.linear([(1, value), (1, others[0])], output=index + 1)
    entry, words = assemble(program, image), [3, 4, 5, 6]
    check(image)
    scaled = [word * SCALE for word in words]
    expected = sum(scaled[(number + k) % 4] * scaled[(number * k) % 4]
                   for k in range(3) for number in range(factors))
    assert results(image, entry, words) == [expected % MODULUS, *(
        ((number + 1) * value + scaled[0]) % MODULUS for number, value in enumerate(scaled))]


@pytest.mark.parametrize("count", [2, 3, 5])
def test_early_sums_of_a_loop(count: int) -> None:
    """They are computed an iteration earlier, which changes only the time."""
    found = []
    for early in (False, True):
        program, image = Program("early", MODULUS), paced_image()
        start = [program.linear([(1, value)]) for value in program.inputs(3)]

        def body(values: list[Value]) -> list[Value]:
            a, b, c = values
            total = program.linear([(1, a), (-2, b)], 5)
            more = program.linear([(1, total), (1, c)])
            return [program.linear([(1, program.products([(total, more), (a, b)]))]),
                    program.linear([(1, program.product(b, more)), (1, a)]),
                    program.linear([(1, program.product(c, total))])]

        for index, value in enumerate(program.loop(count, start, body, early=early)):
            program.linear([(1, value)], output=index)
        entry = assemble(program, image)
        check(image)
        found.append(results(image, entry, [3, 4, 5]))
    assert found[0] == found[1]


# ---- Refused programs
# -----------------------------------------------------------------------------
SQUARE = {"mul_en": 1, "mul_a": S0, "mul_b": S0}
EMIT = SQUARE | {"mul_emit": 1}
LAST = {"add_en": 1, "op1": S0, "coef1": 1, "out_en": 1, "control": isa.HALT}
NEXT_OF_TWO = {"following": 1}


def hand_made(turns: list[dict[str, int]]) -> Image:
    image = Image(MODULUS, 3, paced=LATENCIES, entries=[Entry("test", 0, 1, 1)])
    image.words = [image.encode(turn) for turn in turns]
    return image


def rules_of(turns: list[dict[str, int]]) -> set[str]:
    return {violation.rule for violation in violations(hand_made(turns))} - {"unreached"}


def test_products_of_a_sum_in_one_issue_or_four_clocks_apart() -> None:
    add = EMIT | {"mul_acc": 1}
    assert rules_of([NEXT_OF_TWO, SQUARE, add, LAST]) == set()
    assert rules_of([SQUARE, add, LAST]) == set()
    # An issue of eight turns, the last of which is a product; a turn adds to it two clocks later.
    eight: list[dict[str, int]] = [{"following": 7}, *[{} for _ in range(7)], SQUARE]
    eight[1] = {"gap": 9 - LEAST}
    assert rules_of([*eight, add, LAST]) == {"latency"}
    with pytest.raises(SimulationError, match="accumulator"):
        Simulator(hand_made([*eight, add, LAST])).run(Entry("test", 0, 1, 1), [3])
    eight[1] = {"gap": 11 - LEAST}
    assert rules_of([*eight, add, LAST]) == set()
    # In one issue with another turn in between: not the turn one clock before.
    assert rules_of([{"following": 2}, SQUARE, {}, add, LAST]) == {"latency"}


def test_issues() -> None:
    assert rules_of([NEXT_OF_TWO, {}, LAST]) == {"pace"}
    assert rules_of([{"control": isa.LOOP_BEGIN, "imm": 2, "following": 1}, {}, {}, LAST]) == {"pace"}
    assert rules_of([{"following": MOST - 1}, {"gap": 1}, *[{}] * 7, LAST]) == {"pace"}
    assert rules_of([{"following": MOST - 1}, {"gap": 2}, *[{}] * 7, LAST]) == set()
    with pytest.raises(SimulationError, match="several turns"):
        Simulator(hand_made([NEXT_OF_TWO, {}, LAST])).run(Entry("test", 0, 1, 1), [3])


def test_a_paced_image_has_no_lookups() -> None:
    image = Image(MODULUS, 3, folds=True, lookups=True, paced=LATENCIES)
    program = Program("plain", MODULUS)
    program.linear([(1, program.inputs(1)[0])], output=0)
    with pytest.raises(ProgramError, match="no lookups"):
        assemble(program, image)


def test_values_that_do_not_fit_take_another_order() -> None:
    """32 products of sums: all sums first would need 32 registers, and there are 16."""
    program, image = Program("wide", MODULUS), Image(MODULUS, 4, paced=LATENCIES)
    (value,) = program.inputs(1)
    total: Value | None = None
    for number in range(32):
        part = program.product(program.linear([(1, value)], number), value)
        total = part if total is None else program.linear([(1, total), (1, part)])
    assert total is not None
    program.linear([(1, total)], output=0)
    entry = assemble(program, image)
    check(image)
    word = Simulator(image).run(entry, [5])[0][0]
    expected = sum((5 * SCALE + number) * 5 * SCALE for number in range(32))
    assert word * SCALE % MODULUS == expected % MODULUS


def test_programs_longer_than_the_addresses_of_other_images() -> None:
    program, image = Program("far", MODULUS), paced_image()
    (value,) = program.inputs(1)
    (value,) = program.loop(2, [program.linear([(1, value)])], lambda values: [
        program.linear([(3, values[0])], 1)])
    program.linear([(1, value)], output=0)
    empty = [image.encode({"control": isa.HALT})] * (1 << isa.LIMITS["program_address_bits"])
    image.words = list(empty)
    entry = assemble(program, image)
    assert {violation.rule for violation in violations(image)} == {"unreached"}
    assert results(image, entry, [7]) == [(9 * 7 * SCALE + 4) % MODULUS]


def test_random_gaps_only_delay() -> None:
    """Longer waits anywhere are also correct."""
    rng = random.Random(3)
    for seed in range(6):
        words, image = words_of(seed), paced_image()
        entry = assemble(build(seed, len(words)), image)
        for pc, fields in enumerate(list(image.decoded())):
            room = isa.PACE_FIELDS["gap"].maximum - fields["gap"]
            image.words[pc] += rng.randint(0, min(room, 9)) << isa.PACE_FIELDS["gap"].low
        assert not violations(image)
        assert results(image, entry, words) == evaluate(seed, words)
