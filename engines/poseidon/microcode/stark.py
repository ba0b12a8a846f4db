# SPDX-License-Identifier: Apache-2.0 OR MIT
"""field_core programs for StarkWare's Poseidon (x^3 over Felt).

The matrices are all ones plus a small diagonal, so every linear layer goes into the add slot and
only the S-boxes take products, two each. Products by constants stand at both ends alone, as the
conversions to and from Montgomery form: partial rounds mix x^3 with elements that skip the S-box,
so no other scale than 1 would do.
"""

from __future__ import annotations

from typing import Sequence

from arith.microcode.image import MONTGOMERY_BITS
from arith.microcode.program import Constant, Program, Value
from engines.poseidon.microcode.optimise import Schedule, absorb_constants
from engines.poseidon.microcode.sbox import cube
from engines.poseidon.model.parameters import Instance


def small_rows(program: Program, matrix: Sequence[Sequence[int]], powers: list[Value],
               constants: Sequence[Constant | None], outputs: bool = False) -> list[Value]:
    """The rows of a small matrix plus constants; perhaps as the job's outputs.

    Up to three elements a row is one add slot; beyond, the rows share the sum of all elements.
    """
    total = None if len(powers) <= 3 else program.small_combination([(1, y) for y in powers])
    rows = []
    for i, row in enumerate(matrix):
        shared = [] if total is None else [(1, total), (row[i] - 1, powers[i])]
        terms = shared or list(zip(row, powers))
        rows.append(program.small_combination(terms, constants[i], i if outputs else None))
    return rows


def partial_phase_of_three(program: Program, rounds: Schedule, state: list[Value]) -> list[Value]:
    """The S-boxes before the partial rounds, and those rounds, of width 3: two turns a round.

    With the state (p, q, x), y = x^3 and the matrix ((3, 1, 1), (1, -1, 1), (1, 1, -2)):
    p + q = 2g for g_n = 2p_{n-1} + y_{n-1}, and

        g_{n+1} = 2g_n + 4g_{n-1} + y_n,        x_{n+1} = 2g_n - 2y_n + c,

    so a round needs two sums of three terms. At the end p_n = g_n + 2g_{n-1}, q_n = g_n - 2g_{n-1};
    at the start 2g_0 = p_0 + q_0 stands for g_0, which would need a division.
    """
    constants = [step.constant for step in rounds.partial]
    into_p, into_q, into_x = rounds.first[-1].constants
    yp, yq, yx = (cube(program, x) for x in state)
    both = program.linear([(1, yp), (1, yq)])
    x = program.linear([(1, both), (-2, yx)], into_x)
    twice_g0 = program.linear([(4, yp), (2, yx)], into_p + into_q)

    y = cube(program, x)
    x = program.linear([(1, twice_g0), (-2, y)], constants[0])
    # 2p_0 = (p_0 + q_0) + (p_0 - q_0), and p_0 - q_0 = 2(yp + yq) plus constants.
    g1 = program.linear([(1, twice_g0), (2, both), (1, y)], into_p - into_q)
    y = cube(program, x)
    x = program.linear([(2, g1), (-2, y)], constants[1])
    g2 = program.linear([(2, g1), (2, twice_g0), (1, y)])
    y = cube(program, x)
    x = program.linear([(2, g2), (-2, y)], constants[2])

    def one_round(carried: list[Value], constant: Constant) -> list[Value]:
        """(x_n, g_{n-1}, g_{n-2}, y_{n-1}) to the same of n + 1."""
        x, new, old, y = carried
        newest = program.linear([(2, new), (4, old), (1, y)])
        y = cube(program, x)
        return [program.linear([(2, newest), (-2, y)], constant), newest, new, y]

    # Two rounds an iteration, so that each g takes the register of the last but one.
    looped = constants[3:-2]
    carried = program.loop(
        len(looped) // 2, [x, g2, g1, y],
        lambda values: one_round(one_round(values, looped[0::2]), looped[1::2]),
    )
    x, new, old, y = one_round(carried, constants[-2])
    newest = program.linear([(2, new), (4, old), (1, y)])
    y = cube(program, x)
    x = program.linear([(2, newest), (-2, y)], constants[-1])
    p = program.linear([(4, newest), (4, new), (1, y)])
    q = program.linear([(4, new), (1, y)])
    return [p, q, x]


def partial_phase(program: Program, instance: Instance, rounds: Schedule, state: list[Value]
                  ) -> list[Value]:
    """The same for any width, with the whole linear layer in the add slot, round by round."""
    index = rounds.partial_index
    constants = rounds.first[-1].constants
    state = small_rows(program, instance.mds, [cube(program, x) for x in state], constants)

    def body(elements: list[Value]) -> list[Value]:
        added: list[Constant | None] = [None] * instance.width
        added[index] = [step.constant for step in rounds.partial]
        powers = list(elements)
        powers[index] = cube(program, elements[index])
        return small_rows(program, instance.mds, powers, added)

    return program.loop(len(rounds.partial), state, body)


def permutation(instance: Instance) -> Program:
    """The program from canonical inputs to canonical outputs."""
    program = Program(instance.name, instance.modulus)
    rounds = absorb_constants(instance)
    to_montgomery = pow(2, MONTGOMERY_BITS, instance.modulus)
    from_montgomery = pow(2, -MONTGOMERY_BITS, instance.modulus)

    state = [program.linear([(1, program.product(x, to_montgomery))], c)
             for x, c in zip(program.inputs(instance.width), rounds.initial)]

    def full_round(constants: Sequence[int]) -> list[Value]:
        return small_rows(program, instance.mds, [cube(program, x) for x in state], constants)

    for affine in rounds.first[:-1]:
        state = full_round(affine.constants)
    if instance.width == 3:
        state = partial_phase_of_three(program, rounds, state)
    else:
        state = partial_phase(program, instance, rounds, state)
    for affine in rounds.last[:-1]:
        state = full_round(affine.constants)
    powers = [program.product(cube(program, x), from_montgomery) for x in state]
    small_rows(program, instance.mds, powers, [None] * instance.width, outputs=True)
    return program
