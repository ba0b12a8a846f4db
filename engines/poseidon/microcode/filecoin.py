# SPDX-License-Identifier: Apache-2.0 OR MIT
"""field_core programs for Filecoin's Poseidon (x^5 over Fr), any width.

Multiply slots for width t: a full round needs 3t for the S-boxes and h for the rows, a partial
round 3 + 2*(t-1). Where cutting the matrix does not pay (`hankel`), h = t*(t-1), because elements
are scaled so that the last term has the coefficient 1 and is added in the add slot, plus t in the
last round, because the scale of its rows is given: for t = 3, 4*15 + 55*7 + 3*15 + 18 = 508. Where
it pays, h = 54 for t = 9 and 81 for t = 12, but t*t in the round that changes the basis for the
partial rounds, and the last partial round needs one more. The first turn has no product (it adds
the first round constant).
"""

from typing import Callable, Iterator, Sequence

from arith.microcode.image import MONTGOMERY_BITS
from arith.microcode.program import Constant, Program, Value
from engines.poseidon.microcode import hankel
from engines.poseidon.microcode.hankel import Row
from engines.poseidon.microcode.optimize import Affine, PartialRound, absorb_constants, sparse_basis
from engines.poseidon.microcode.partial_loop import each
from engines.poseidon.microcode.rescale import rescale
from engines.poseidon.microcode.sbox import fifth_power
from engines.poseidon.model.parameters import Instance


def unit_rows(powers: list[Value], matrices: Sequence[Sequence[Sequence[int]]]
              ) -> Iterator[Row]:
    """Rows by inner products, for each of a loop's matrices; coefficients of 1 are not products."""
    for i in range(len(powers)):
        factors: list[tuple[Value, Value | Constant]] = []
        added: list[Value] = []
        for j, power in enumerate(powers):
            column = [matrix[i][j] for matrix in matrices]
            if all(entry == 1 for entry in column):
                added.append(power)
            else:
                factors.append((power, column[0] if len(column) == 1 else column))
        yield factors, added


def full_rounds(program: Program, state: list[Value], rounds: Sequence[Affine], cut: bool,
                outputs: bool = False) -> list[Value]:
    """S-boxes and rows, the matrices `cut` if they are Hankel; several rounds are a loop."""
    numbers = range(len(rounds))

    def body(elements: list[Value]) -> list[Value]:
        powers = [fifth_power(program, x) for x in elements]
        if cut:
            mixed = hankel.rows(program, hankel.generator_of(rounds[0].matrix), powers)
        else:
            mixed = unit_rows(powers, [affine.matrix for affine in rounds])
        result = []
        for row, (factors, added) in enumerate(mixed):
            terms = [(1, program.products(factors)), *((1, value) for value in added)]
            constant = each(numbers, lambda number: rounds[number].constants[row])
            result.append(program.linear(terms, None if outputs else constant,
                                         row if outputs else None))
        return result

    return body(state) if len(rounds) == 1 else program.loop(len(rounds), state, body)


def permutation(instance: Instance, most_unrolled: int = 1) -> Program:
    """Returns the program from canonical inputs to canonical outputs. An iteration of the loop has
    up to `most_unrolled` partial rounds."""
    program = Program(instance.name, instance.modulus)
    # A canonical word is the Montgomery form of x * 2^-256, which is the scale at both ends.
    scale = pow(2, -MONTGOMERY_BITS, instance.modulus)
    cut = instance.width in hankel.BLOCKS
    rounds = rescale(sparse_basis(absorb_constants(instance)), scale, scale,
                     unit_column=None if cut else instance.width - 1)
    others = range(instance.width - 1)

    def partial_round(state: list[Value], steps: Sequence[PartialRound]) -> list[Value]:
        def constant(pick: Callable[[PartialRound], int]) -> Constant:
            return each(range(len(steps)), lambda number: pick(steps[number]))

        x, u = rounds.split(state)
        y = fifth_power(program, x)
        factors: list[tuple[Value, Value | Constant]] = [
            (u[j], constant(lambda step: step.w[j])) for j in others]
        terms: list[tuple[int, Value]] = [(1, y)]
        if any(step.m != 1 for step in steps):
            factors.append((y, constant(lambda step: step.m)))
            terms = []
        terms.insert(0, (1, program.products(factors)))
        new_x = program.linear(terms, constant(lambda step: step.constant))
        new_u = [program.linear([(1, program.product(y, constant(lambda step: step.v[j]))),
                                 (1, u[j])]) for j in others]
        return rounds.join(new_x, new_u)

    state = program.inputs(instance.width)
    state = [program.linear([(1, x)], c) for x, c in zip(state, rounds.initial)]
    # The rounds around a loop stay outside it: their last turn is also the first of the next loop.
    state = full_rounds(program, state, rounds.first[:1], cut)
    state = full_rounds(program, state, rounds.first[1:-1], cut)
    state = full_rounds(program, state, rounds.first[-1:], cut=False)
    looped = rounds.partial[:-1] if cut else rounds.partial
    unrolled = max(count for count in range(1, most_unrolled + 1) if len(looped) % count == 0)

    def partial_rounds(values: list[Value]) -> list[Value]:
        for first in range(unrolled):
            values = partial_round(values, looped[first::unrolled])
        return values

    state = program.loop(len(looped) // unrolled, state, partial_rounds)
    if cut:
        state = partial_round(state, rounds.partial[-1:])
    state = full_rounds(program, state, rounds.last[:1], cut)
    state = full_rounds(program, state, rounds.last[1:-1], cut)
    full_rounds(program, state, rounds.last[-1:], cut, outputs=True)
    return program
