# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Assembled programs compute their results in few turns; impossible programs are refused."""

import random
from typing import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arith.microcode import isa
from arith.microcode.assemble import assemble
from arith.microcode.checker import check
from arith.microcode.image import Counts, Image
from arith.microcode.program import Program, ProgramError, Value
from arith.microcode.schedule import schedule
from arith.microcode.simulator import Simulator

MODULUS = 2**251 + 17 * 2**192 + 1
SCALE = pow(2, -256, MODULUS)
"""The field value of a job's word 1: words are read as Montgomery forms."""


def run(program: Program, words: Sequence[int], register_bits: int = 3) -> tuple[list[int], Counts]:
    """Checks and simulates. Returns the results as field values."""
    image = Image(program.modulus, register_bits)
    entry = assemble(program, image)
    predicted = check(image)[program.name]
    outputs, counts = Simulator(image).run(entry, words)
    assert predicted == counts
    return [word * SCALE % MODULUS for word in outputs], counts


class Dataflow:
    """A random straight program, with the expected field values."""

    def __init__(self, seed: int, inputs: int) -> None:
        self.random = random.Random(seed)
        self.program = Program("random", MODULUS)
        self.words = [self.random.randrange(MODULUS) for _ in range(inputs)]
        self.values: list[tuple[Value, int]] = [
            (value, word * SCALE % MODULUS)
            for value, word in zip(self.program.inputs(inputs), self.words)
        ]

    def recent(self) -> tuple[Value, int]:
        return self.random.choice(self.values[-5:])

    def add_product(self) -> None:
        factors, expected = [], 0
        for _ in range(self.random.randint(1, 4)):
            a, a_expected = self.recent()
            b, b_expected = self.recent()
            if self.random.random() < 0.4:
                b = b_expected = self.random.randrange(MODULUS)
            factors.append((a, b))
            expected += a_expected * b_expected
        self.values.append((self.program.products(factors), expected % MODULUS))

    def add_sum(self, output: int | None = None) -> int:
        chosen = [self.recent() for _ in range(self.random.randint(1, 3))]
        coefficients = [self.random.randint(-4, 4) for _ in chosen]
        constant = self.random.choice([None, self.random.randrange(MODULUS)])
        terms = [(c, value) for c, (value, _) in zip(coefficients, chosen)]
        expected = sum(c * e for c, (_, e) in zip(coefficients, chosen)) + (constant or 0)
        value = self.program.linear(terms, constant, output)
        self.values.append((value, expected % MODULUS))
        return expected % MODULUS


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 4), st.lists(st.booleans(), max_size=25))
def test_random_programs(seed: int, inputs: int, kinds: list[bool]) -> None:
    flow = Dataflow(seed, inputs)
    for is_product in kinds:
        if is_product:
            flow.add_product()
        else:
            flow.add_sum()
    expected = [flow.add_sum(output) for output in range(3)]
    results, _ = run(flow.program, flow.words, register_bits=4)
    assert results == expected


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32), st.lists(st.booleans(), min_size=1, max_size=30))
def test_schedule_keeps_every_rule(seed: int, kinds: list[bool]) -> None:
    flow = Dataflow(seed, 3)
    for is_product in kinds:
        if is_product:
            flow.add_product()
        else:
            flow.add_sum()
    section = flow.program.sections[0]
    turns = schedule(section)
    written = {v: n for n, turn in enumerate(turns)
               for v in ([turn.product] if turn.emits else []) + ([turn.sum] if turn.sum else [])}
    assert set(written) == set(section.operations)
    open_product = None
    for number, turn in enumerate(turns):
        if turn.sum:
            for value in turn.sum.operands():
                chained = turn.chained and value is turn.product
                assert chained or written.get(value, -1) < number
        if turn.product:
            assert open_product in (None, turn.product)
            open_product = None if turn.emits else turn.product
            for value in turn.product.operands():
                assert written.get(value, -1) < number


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(-20, 20), min_size=1, max_size=6), st.integers(0, 2**32))
def test_small_combinations(coefficients: list[int], seed: int) -> None:
    program = Program("combination", MODULUS)
    generator = random.Random(seed)
    words = [generator.randrange(MODULUS) for _ in coefficients]
    terms = list(zip(coefficients, program.inputs(len(words))))
    program.small_combination(terms, 7, output=0)
    expected = (sum(c * w * SCALE for c, w in zip(coefficients, words)) + 7) % MODULUS
    assert run(program, words)[0] == [expected]


@pytest.mark.parametrize("count", [1, 2, 5])
def test_loop_with_constants_of_each_iteration(count: int) -> None:
    program = Program("loop", MODULUS)
    inputs = program.inputs(2)
    factors, addends = [3 + 5 * i for i in range(count)], [7 * i + 1 for i in range(count)]

    def body(carried: list[Value]) -> list[Value]:
        x, y = carried
        new_x = program.linear([(1, program.product(x, factors)), (2, y)], addends)
        return [new_x, program.linear([(1, y)], 11)]

    x, y = program.loop(count, inputs, body)
    program.linear([(1, x)], output=0)
    program.linear([(1, y), (1, x)], output=1)
    fx, fy = 5 * SCALE, 9 * SCALE
    for factor, addend in zip(factors, addends):
        fx, fy = fx * factor + 2 * fy + addend, fy + 11
    assert run(program, [5, 9])[0] == [fx % MODULUS, (fx + fy) % MODULUS]


def doubling_loop(program: Program, constants: tuple[Sequence[int] | int, ...]) -> None:
    """The same loop twice, with x := (x*c0 + x*c1) + c2, c3 in each iteration."""
    (x,) = program.inputs(1)
    for _ in range(2):
        (x,) = program.loop(3, [x], lambda v: [program.linear(
            [(1, program.products([(v[0], constants[0]), (v[0], constants[1])]))], constants[2])])
    program.linear([(1, x)], constants[3], output=0)


@pytest.mark.parametrize("constants, mul_words, add_words, strides", [
    pytest.param((2, 3, 4, 4), 2, 1, (0, 0), id="constants that never change: no rows"),
    pytest.param((2, 2, [4, 5, 6], 5), 1, 3, (0, 1), id="a row for each iteration, found again"),
    pytest.param(([2, 3, 4], [2, 3, 4], 7, 7), 3, 1, (1, 0), id="equal columns are one"),
    pytest.param(([2, 3, 4], 2, [4, 5, 6], 7), 6, 4, (2, 1), id="a constant beside a column"),
])
def test_equal_constants_are_stored_once(
    constants: tuple[Sequence[int] | int, ...], mul_words: int, add_words: int,
    strides: tuple[int, int],
) -> None:
    program = Program("constants", MODULUS)
    doubling_loop(program, constants)
    image = Image(MODULUS)
    assemble(program, image)
    assert (len(image.mul_constants), len(image.add_constants)) == (mul_words, add_words)
    ends = [isa.decode(word) for word in image.words]
    ends = [fields for fields in ends if fields["control"] == isa.LOOP_END]
    assert [(f["mul_stride"], f["add_stride"]) for f in ends] == [strides] * 2
    first, second, addend = ([c] * 3 if isinstance(c, int) else c for c in constants[:3])
    expected = 5 * SCALE
    for a, b, c in list(zip(first, second, addend)) * 2:
        expected = expected * (a + b) + c
    assert run(program, [5])[0] == [(expected + constants[3]) % MODULUS]


def test_a_result_replaces_what_the_last_factor_of_a_sum_reads() -> None:
    """The turn of the last read of a variable may overwrite it: no turn is lost."""
    program = Program("rows", MODULUS)

    def body(carried: list[Value]) -> list[Value]:
        a, b = carried
        other = program.products([(a, 2), (b, 3)])
        own = program.products([(b, 5), (a, 7)])
        new_b = program.linear([(1, other)])
        return [program.linear([(1, own)]), new_b]

    a, b = program.loop(4, program.inputs(2), body)
    program.linear([(1, a)], output=0)
    program.linear([(1, b)], output=1)
    x, y = 3 * SCALE, 4 * SCALE
    for _ in range(4):
        x, y = 7 * x + 5 * y, 2 * x + 3 * y
    results, counts = run(program, [3, 4])
    assert results == [x % MODULUS, y % MODULUS]
    assert counts.turns == 1 + 4 * 4 + 2


def test_loop_invariants_and_values_carried_past_a_loop() -> None:
    program = Program("invariant", MODULUS)
    x, y, z = program.inputs(3)
    doubled = program.linear([(2, y)])
    (x,) = program.loop(4, [x], lambda v: [program.linear([(1, v[0]), (1, doubled)])])
    program.linear([(1, x), (1, z)], output=0)
    assert run(program, [1, 10, 100])[0] == [181 * SCALE % MODULUS]


def test_two_loops_in_a_row_get_a_turn_between_them() -> None:
    program = Program("two loops", MODULUS)
    (x,) = program.inputs(1)
    for _ in range(2):
        (x,) = program.loop(3, [x], lambda v: [program.linear([(2, v[0])])])
    program.linear([(1, x)], output=0)
    results, counts = run(program, [1])
    assert results == [64 * SCALE % MODULUS]
    assert counts.turns == 1 + 3 + 1 + 3 + 1


def test_results_wait_for_the_readers_of_what_they_replace() -> None:
    program = Program("swap", MODULUS)
    a, b = program.inputs(2)

    def body(carried: list[Value]) -> list[Value]:
        a, b = carried
        new_b = program.linear([(1, b)], 1)
        return [program.linear([(1, a), (1, b)]), new_b]

    a, b = program.loop(3, [a, b], body)
    program.linear([(1, a)], output=0)
    expected = (1 + 3 * 2) * SCALE + 0 + 1 + 2
    assert run(program, [1, 2])[0] == [expected % MODULUS]


def test_chains_of_products_leave_no_turn_empty() -> None:
    program = Program("chain", MODULUS)
    (x,) = program.inputs(1)
    for _ in range(20):
        x = program.linear([(1, program.product(x, x)), (3, x)], 5)
    program.linear([(1, program.product(x, x))], output=0)
    assert run(program, [3])[1] == Counts(turns=21, products=21, reductions=21, sums=21)


def test_a_sum_can_be_made_to_wait() -> None:
    """A late sum takes no register before it is due."""
    program = Program("wait", MODULUS)
    x, y = program.inputs(2)
    slow = program.products([(x, y)] * 5)
    late = program.linear([(1, x), (2, y)], after=slow)
    program.linear([(1, slow), (1, late)], output=0)
    turns = schedule(program.sections[0])
    assert [turn.sum is late for turn in turns] == [False] * 5 + [True, False]
    assert run(program, [2, 3])[0] == [(5 * 6 * SCALE**2 + 8 * SCALE) % MODULUS]


def test_few_operands_of_the_add_slot_read_a_bank() -> None:
    """Each additional pair costs the core a copy of the bank."""
    program = Program("ports", MODULUS)
    x, y = program.inputs(2)
    product = program.product(x, y)
    program.linear([(1, x), (3, product)], output=0)
    program.linear([(-1, product), (2, y)], output=1)
    program.linear([(1, product)], output=2)
    program.linear([(2, program.product(product, y)), (1, y)], output=3)
    image = Image(MODULUS)
    assemble(program, image)
    assert len(image.sum_reads) == 2
    expected = [2 * SCALE + 18 * SCALE**2, 6 * SCALE - 6 * SCALE**2, 6 * SCALE**2,
                36 * SCALE**3 + 3 * SCALE]
    assert run(program, [2, 3])[0] == [value % MODULUS for value in expected]


def test_a_short_life_takes_the_shortest_gap() -> None:
    """In a loop with all registers but one carried, values fit only into the gaps."""
    program = Program("gaps", MODULUS)

    def body(carried: list[Value]) -> list[Value]:
        products = [program.product(x, x) for x in carried]
        sums = [program.linear([(1, products[k]), (1, products[k + 1])]) for k in range(0, 6, 2)]
        return [program.linear([(1, products[k]), (1, sums[k // 2 % 3])], k) for k in range(7)]

    for index, x in enumerate(program.loop(3, program.inputs(7), body)):
        program.linear([(1, x)], output=index)
    words = [5 * k + 1 for k in range(7)]
    values = [word * SCALE % MODULUS for word in words]
    for _ in range(3):
        squares = [value * value for value in values]
        sums = [squares[k] + squares[k + 1] for k in range(0, 6, 2)]
        values = [(squares[k] + sums[k // 2 % 3] + k) % MODULUS for k in range(7)]
    assert run(program, words)[0] == values


def twelve_values_at_once(program: Program, inputs: list[Value]) -> None:
    copies = [program.linear([(1, inputs[0])], k) for k in range(12)]
    program.linear([(1, program.products(list(zip(copies, copies[::-1]))))], output=0)


@pytest.mark.parametrize("build", [
    pytest.param(lambda p, v: p.products([(v[0], v[1])] * 13), id="thirteen products"),
    pytest.param(lambda p, v: p.products([]), id="no products"),
    pytest.param(lambda p, v: p.linear([(5, v[0])]), id="coefficient 5"),
    pytest.param(lambda p, v: p.linear([(1, v[0])] * 4), id="four terms"),
    pytest.param(lambda p, v: p.linear([(1, v[0])], [1, 2]), id="column outside a loop"),
    pytest.param(lambda p, v: p.loop(0, [v[0]], lambda c: c), id="no iterations"),
    pytest.param(lambda p, v: p.loop(2, [v[0], v[0]], lambda c: c), id="carried twice"),
    pytest.param(lambda p, v: p.loop(2, v[:2], lambda c: c[::-1]), id="moved"),
    pytest.param(lambda p, v: p.loop(2, v[:1], lambda c: [p.product(c[0], c[0])]), id="bank"),
    pytest.param(lambda p, v: p.loop(2, v[:1], lambda c: p.loop(2, c, lambda d: d)), id="nested"),
    pytest.param(lambda p, v: p.loop(2, v[:1], lambda c: c), id="empty loop"),
    pytest.param(lambda p, v: p.loop(2, v[:1], lambda c: [p.linear([(1, c[0])], [1])]),
                 id="short column"),
    pytest.param(lambda p, v: (p.loop(2, v[:1], lambda c: [p.linear([(1, c[0])])]),
                               p.linear([(1, v[0])], output=0)), id="initial used again"),
    pytest.param(lambda p, v: p.loop(2, v[:2], lambda c: [p.linear([(1, c[1])], 1),
                                                          p.linear([(1, c[0])], 1)]),
                 id="readers wait for each other"),
    pytest.param(twelve_values_at_once, id="too many registers"),
])
def test_impossible_programs(build: Callable[[Program, list[Value]], object]) -> None:
    program = Program("impossible", MODULUS)
    with pytest.raises(ProgramError):
        build(program, program.inputs(3))
        assemble(program, Image(MODULUS, register_bits=3))


def test_moduli_must_agree() -> None:
    with pytest.raises(ProgramError, match="moduli"):
        assemble(Program("other", 97), Image(MODULUS))
