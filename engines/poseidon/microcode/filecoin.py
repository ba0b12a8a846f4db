# SPDX-License-Identifier: Apache-2.0 OR MIT
"""field_core programs for Filecoin's Poseidon (x^5 over Fr), any width.

Multiply slots of width t: a full round 3t for the S-boxes and t*(t-1) for the rows, whose last term
has the coefficient 1 and joins in the add slot; the last round t more, since the scale of its rows
is given; a partial round 3 + 2*(t-1). Together for t = 3: 4*15 + 55*7 + 3*15 + 18 = 508. The first
turn has no product (it adds the first round constant).
"""

from __future__ import annotations

from typing import Callable, Sequence

from arith.microcode.image import MONTGOMERY_BITS
from arith.microcode.program import Constant, Program, Value
from engines.poseidon.microcode.optimise import Affine, absorb_constants, sparse_basis
from engines.poseidon.microcode.rescale import rescale
from engines.poseidon.microcode.sbox import fifth_power
from engines.poseidon.model.parameters import Instance


def full_rounds(program: Program, state: list[Value], rounds: Sequence[Affine]) -> list[Value]:
    """S-boxes and rows with the coefficient 1 in the last column; several rounds are a loop."""
    unit = len(state) - 1

    def constant(pick: Callable[[Affine], int]) -> Constant:
        return pick(rounds[0]) if len(rounds) == 1 else [pick(affine) for affine in rounds]

    def body(elements: list[Value]) -> list[Value]:
        powers = [fifth_power(program, x) for x in elements]
        result = []
        for row in range(len(elements)):
            factors = [(powers[column], constant(lambda a: a.matrix[row][column]))
                       for column in range(unit)]
            terms = [(1, program.products(factors)), (1, powers[unit])]
            result.append(program.linear(terms, constant(lambda a: a.constants[row])))
        return result

    return body(state) if len(rounds) == 1 else program.loop(len(rounds), state, body)


def last_round(program: Program, state: list[Value], affine: Affine) -> None:
    """S-boxes and full rows of the given scale, straight into the outputs."""
    powers = [fifth_power(program, x) for x in state]
    for index, row in enumerate(affine.matrix):
        program.linear([(1, program.products(list(zip(powers, row))))], output=index)


def permutation(instance: Instance) -> Program:
    """The program from canonical inputs to canonical outputs."""
    program = Program(instance.name, instance.modulus)
    # A canonical word is the Montgomery form of x * 2^-256: that is the scale of both ends.
    scale = pow(2, -MONTGOMERY_BITS, instance.modulus)
    rounds = rescale(sparse_basis(absorb_constants(instance)), scale, scale,
                     unit_column=instance.width - 1)
    steps, others = rounds.partial, range(instance.width - 1)

    def partial_round(state: list[Value]) -> list[Value]:
        x, u = rounds.split(state)
        y = fifth_power(program, x)
        factors = [(u[j], [step.w[j] for step in steps]) for j in others]
        terms = [(1, program.products(factors)), (1, y)]
        new_x = program.linear(terms, [step.constant for step in steps])
        new_u = [program.linear([(1, program.product(y, [step.v[j] for step in steps])), (1, u[j])])
                 for j in others]
        return rounds.join(new_x, new_u)

    state = program.inputs(instance.width)
    state = [program.linear([(1, x)], c) for x, c in zip(state, rounds.initial)]
    # The rounds around a loop stay outside it: their last turn starts the next loop.
    for group in (rounds.first[:1], rounds.first[1:-1], rounds.first[-1:]):
        state = full_rounds(program, state, group)
    state = program.loop(len(steps), state, partial_round)
    for group in (rounds.last[:1], rounds.last[1:-1]):
        state = full_rounds(program, state, group)
    last_round(program, state, rounds.last[-1])
    return program
