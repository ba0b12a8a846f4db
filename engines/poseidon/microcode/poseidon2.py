# SPDX-License-Identifier: Apache-2.0 OR MIT
"""field_core programs for Poseidon2 (x^5 over Fr), widths 2, 3, 4 and 8.

Products are those of the S-boxes, three each, two conversions for each element, to and from
Montgomery form, and from width 4 on the diagonal of each partial round. The other entries of the
matrices are small, so that sums of three operands compute them. No image of a card has these
programs.
"""

from typing import Sequence

from arith.microcode.assemble import assemble
from arith.microcode.image import MONTGOMERY_BITS, Image
from arith.microcode.program import Constant, Program, Value
from engines.poseidon.microcode.partial_loop import each, in_blocks
from engines.poseidon.microcode.sbox import fifth_power
from engines.poseidon.model.parameters import FR
from engines.poseidon.model.poseidon2 import PARTIAL_ROUNDS, Poseidon2, poseidon2

WIDTHS = tuple(PARTIAL_ROUNDS)


def m4(program: Program, block: Sequence[Value], constants: Sequence[Constant | None]
       ) -> list[Value]:
    """The matrix M4 in six sums of three operands, and two more with constants (the paper's
    Appendix B)."""
    a, b, c, d = block
    left = program.linear([(2, d), (1, a), (1, b)])
    right = program.linear([(2, b), (1, c), (1, d)])

    def last_row(constant: Constant | None) -> Value:
        return program.linear([(4, c), (4, d), (1, left)], constant)

    def second_row(constant: Constant | None) -> Value:
        return program.linear([(4, a), (4, b), (1, right)], constant)

    second, last = second_row(None), last_row(None)
    first = program.linear([(1, left), (1, second)], constants[0])
    third = program.linear([(1, right), (1, last)], constants[2])
    return [first, second if constants[1] is None else second_row(constants[1]),
            third, last if constants[3] is None else last_row(constants[3])]


def external(program: Program, state: Sequence[Value], constants: Sequence[Constant | None]
             ) -> list[Value]:
    """The external matrix, and the constants of the next round."""
    width = len(state)
    if width < 4:
        return [program.linear([(2 if index == row else 1, x) for index, x in enumerate(state)],
                               constants[row]) for row in range(width)]
    if width == 4:
        return m4(program, state, constants)
    blocks = [m4(program, state[start:start + 4], [None] * 4) for start in range(0, width, 4)]
    return [program.linear([(2, own), (1, other)], constants[4 * number + index])
            for number in range(2)
            for index, (own, other) in enumerate(zip(blocks[number], blocks[1 - number]))]


def narrow_phase(program: Program, instance: Poseidon2, state: list[Value]) -> list[Value]:
    """The partial rounds of widths 2 and 3, in three turns each. Values (x, u) have a total of
    y + sum u after the S-box y = x^5, and

        x_{n+1} = 2*y_n + sum u_n + c_n,    u_{n+1} = total_n + d*u_n.

    The sums of u_{n+1} fill the turns of the next S-box."""
    constants, diagonal = [*instance.partial[1:], 0], instance.diagonal[1:]

    def others(y: Value, u: list[Value]) -> list[Value]:
        return [program.linear([*((d + 1 if index == row else 1, x) for index, x in enumerate(u)),
                                (1, y)]) for row, d in enumerate(diagonal)]

    def next_x(y: Value, u: list[Value], constant: Constant) -> Value:
        return program.linear([(2, y), *((1, value) for value in u)], constant)

    def one_round(carried: list[Value], numbers: range) -> list[Value]:
        x, y, *u = carried
        u = others(y, u)
        y = fifth_power(program, x)
        return [next_x(y, u, each(numbers, lambda number: constants[number])), y, *u]

    x, *u = state
    y = fifth_power(program, x)
    carried = [next_x(y, u, constants[0]), y, *u]
    # Two rounds in an iteration, so that each u uses the register of the one before the last.
    count = len(constants)
    carried, number = in_blocks(program, carried, [one_round] * 2, 1, 1, count)
    for left in range(number, count):
        carried = one_round(carried, range(left, left + 1))
    x, y, *u = carried
    return [x, *others(y, u)]


def wide_phase(program: Program, instance: Poseidon2, state: list[Value]) -> list[Value]:
    """The partial rounds from width 4 on, with a product for each element of the diagonal."""
    def body(values: list[Value]) -> list[Value]:
        values = [fifth_power(program, values[0]), *values[1:]]
        # The element of the S-box is ready last.
        total = program.small_combination([(1, x) for x in (*values[1:], values[0])])
        constants: list[Constant | None] = [[*instance.partial[1:], 0]]
        constants += [None] * (instance.width - 1)
        return [program.linear([(1, program.product(x, entry)), (1, total)], constant)
                for x, entry, constant in zip(values, instance.diagonal, constants)]

    return program.loop(len(instance.partial), state, body)


def permutation(instance: Poseidon2) -> Program:
    """Returns the program from canonical inputs to canonical outputs."""
    program = Program(instance.name, FR)
    width = instance.width
    to_montgomery = pow(2, MONTGOMERY_BITS, FR)
    from_montgomery = pow(2, -MONTGOMERY_BITS, FR)

    def full_round(state: list[Value], following: Sequence[Constant | None]) -> list[Value]:
        """A full round, with the constants of the next round."""
        return external(program, [fifth_power(program, x) for x in state], following)

    def full_rounds(state: list[Value], following: Sequence[Sequence[int]]) -> list[Value]:
        columns: list[Constant | None] = [list(column) for column in zip(*following)]
        return program.loop(len(following), state, lambda values: full_round(values, columns))

    state = external(program, [program.product(x, to_montgomery) for x in program.inputs(width)],
                     instance.first[0])
    state = full_rounds(state, instance.first[1:])
    state = full_round(state, [instance.partial[0], *[None] * (width - 1)])
    phase = narrow_phase if width < 4 else wide_phase
    state = phase(program, instance, state)
    state = [program.linear([(1, x)], c) for x, c in zip(state, instance.last[0])]
    state = full_rounds(state, instance.last[1:])
    for index, x in enumerate(full_round(state, [None] * width)):
        program.linear([(1, program.product(x, from_montgomery))], output=index)
    return program


def image_of(widths: Sequence[int] = WIDTHS) -> Image:
    """One image with the programs of several widths, each entry with its width as code."""
    image = Image(FR, 3 if max(widths) <= 4 else 4)
    for width in widths:
        assemble(permutation(poseidon2(width)), image, width)
    return image
