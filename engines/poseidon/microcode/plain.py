# SPDX-License-Identifier: Apache-2.0 OR MIT
"""field_core programs with the rounds as the Poseidon paper prints them, any width, both fields.

Each round adds its constants (here at the end of the round before), applies the S-box to the whole
state or to one element, and multiplies by the matrix. Three loops hold all rounds, so the matrix is
stored once and a program has few words; conversions to and from Montgomery form are at the ends.

Multiply slots for width t over Fr: 3t + t*t per full round, 3 + t*t per partial round. StarkWare's
matrix, all ones plus a small diagonal, uses only the add slot.
"""

from typing import Sequence

from arith.microcode.image import MONTGOMERY_BITS
from arith.microcode.program import Constant, Program, Value
from engines.poseidon.microcode import stark_rows
from engines.poseidon.microcode.sbox import power
from engines.poseidon.model.parameters import FELT, Instance


def product_rows(program: Program, instance: Instance, elements: list[Value],
                 constants: Sequence[Constant]) -> list[Value]:
    """The matrix by inner products, the row of the S-box's element last.

    In a partial round the new values of the other rows overwrite elements that every row reads.
    Their products therefore wait in bank P until the last row, which reads each element for the
    last time, and the add slot moves them one by one in its turns.
    """
    last, width = instance.partial_sbox_index, instance.width
    others = [index for index in range(width) if index != last]
    order = [*others, last]

    def row(index: int) -> Value:
        return program.products([(elements[j], instance.mds[index][j]) for j in order])

    products = {index: row(index) for index in order}
    rows = {index: program.linear([(1, products[index])], constants[index]) for index in order}
    return [rows[index] for index in range(width)]


def permutation(instance: Instance) -> Program:
    """Returns the program from canonical inputs to canonical outputs."""
    program = Program(f"{instance.name}-plain", instance.modulus)
    matrix = stark_rows.rows if instance.modulus == FELT else product_rows
    half, partial = instance.full_rounds // 2, instance.partial_rounds
    following = [instance.constants_of_round(number) for number in range(1, instance.rounds)]
    following.append((0,) * instance.width)

    def rounds(state: list[Value], first: int, count: int, full: bool) -> list[Value]:
        columns: list[Constant] = [list(c) for c in zip(*following[first:first + count])]

        def body(elements: list[Value]) -> list[Value]:
            powers = [power(program, x, instance.alpha)
                      if full or index == instance.partial_sbox_index else x
                      for index, x in enumerate(elements)]
            return matrix(program, instance, powers, columns)

        return program.loop(count, state, body)

    to_montgomery = pow(2, MONTGOMERY_BITS, instance.modulus)
    from_montgomery = pow(2, -MONTGOMERY_BITS, instance.modulus)
    state = [program.linear([(1, program.product(x, to_montgomery))], c)
             for x, c in zip(program.inputs(instance.width), instance.constants_of_round(0))]
    state = rounds(state, 0, half, full=True)
    state = rounds(state, half, partial, full=False)
    state = rounds(state, half + partial, half, full=True)
    for index, x in enumerate(state):
        program.linear([(1, program.product(x, from_montgomery))], output=index)
    return program
