# SPDX-License-Identifier: Apache-2.0 OR MIT
"""field_core programs for StarkWare's Poseidon (x^3 over Felt).

The matrices are all ones plus a small diagonal, so the linear layers need no products: nearly all
products are those of the S-boxes, two each. A full round of width t has 2t products and fewer sums;
it is the partial rounds whose sums must be reduced (`stark_narrow`, `stark_wide`). Products by
constants occur only at both ends, as the conversions to and from Montgomery form, and where they
relieve the add slot: partial rounds mix x^3 with elements that skip the S-box, so no scale other
than 1 is possible.
"""

from typing import Sequence

from arith.microcode.image import MONTGOMERY_BITS
from arith.microcode.program import Program, Value
from engines.poseidon.microcode.optimize import absorb_constants
from engines.poseidon.microcode.sbox import cube
from engines.poseidon.microcode.stark_narrow import width_3, width_4, width_5
from engines.poseidon.microcode.stark_rows import diagonal_of, rows, shared_row_of
from engines.poseidon.microcode.stark_wide import width_9
from engines.poseidon.model.parameters import Instance

PARTIAL_PHASES = {3: width_3, 4: width_4, 5: width_5, 9: width_9}


def cubes(program: Program, state: list[Value], first: int) -> list[Value]:
    """The S-boxes, element `first` before the others."""
    order = sorted(range(len(state)), key=lambda index: index != first)
    powers = {index: cube(program, state[index]) for index in order}
    return [powers[index] for index in range(len(state))]


def last_round(program: Program, instance: Instance, powers: list[Value], scale: int) -> None:
    """The rows times `scale`, computed by products that fill the turns of the outputs.

    Only width 3 has rows that fit in one sum each. """
    width, diagonal, shared = instance.width, diagonal_of(instance), shared_row_of(instance)
    if width == 3:
        scaled = [program.product(y, scale) for y in powers]
        for index, row in enumerate(instance.mds):
            program.linear(list(zip(row, scaled)), output=index)
        return
    order = [shared, *(index for index in range(width) if index != shared)]
    total = program.small_combination([(1, powers[index]) for index in order])
    total = program.product(total, scale)
    program.linear([(1, total)], output=shared)
    for index in order[1:]:
        own = program.product(powers[index], scale * diagonal[index])
        program.linear([(1, own), (1, total)], output=index)


def permutation(instance: Instance) -> Program:
    """Returns the program from canonical inputs to canonical outputs."""
    program = Program(instance.name, instance.modulus)
    rounds = absorb_constants(instance)
    shared = shared_row_of(instance)
    to_montgomery = pow(2, MONTGOMERY_BITS, instance.modulus)
    from_montgomery = pow(2, -MONTGOMERY_BITS, instance.modulus)

    state = [program.linear([(1, program.product(x, to_montgomery))], c)
             for x, c in zip(program.inputs(instance.width), rounds.initial)]

    def full_round(constants: Sequence[int]) -> list[Value]:
        return rows(program, instance, cubes(program, state, shared), constants)

    for affine in rounds.first[:-1]:
        state = full_round(affine.constants)
    state = PARTIAL_PHASES[instance.width](program, rounds, state)
    for affine in rounds.last[:-1]:
        state = full_round(affine.constants)
    last_round(program, instance, cubes(program, state, shared), from_montgomery)
    return program
