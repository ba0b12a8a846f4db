# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Rewrites a Poseidon instance so that a partial round is cheap.

After Grassi et al., "Poseidon", USENIX Security 2021, Appendix B, in this form. The state of the
partial rounds is split into the element x that goes through the S-box and the others u, and the
matrix accordingly, so that with y = x^alpha

    x' = m*y + w.u + c,        u' = v*y + H*u.

1. Constants (`absorb_constants`): u is replaced by u + offset, with the offsets chosen so that only
   x' has a constant left; the first offset is merged into the constants before the partial rounds,
   the last one into the constants of the next full round.
2. Basis (`sparse_basis`): u of round r is replaced by H^(R-r) * u, with R the number of partial
   rounds; then u' = v_r*y + u with a vector v_r for each round, and x' has w_r for each round. At
   the end the basis is the plain one again; at the start the change is merged into the matrix of
   the last full round.
"""

from dataclasses import dataclass, replace
from typing import TypeVar

from engines.poseidon.microcode.matrix import (
    Matrix, Vector, dot, identity, inverse, times, times_vector,
)
from engines.poseidon.model.parameters import Instance

Element = TypeVar("Element")
"""A number, or a value in a program."""


@dataclass(frozen=True)
class Affine:
    """matrix * state + constants, applied after an S-box layer."""

    matrix: Matrix
    constants: Vector


@dataclass(frozen=True)
class PartialRound:
    """x' = m*y + w.u + constant and u' = v*y + H*u (H of the `Schedule`)."""

    m: int
    w: Vector
    v: Vector
    constant: int


@dataclass(frozen=True)
class Schedule:
    """The permutation: add `initial`, then rounds of an S-box layer followed by an affine map.

    Element `partial_index` is the x of the partial rounds. The last affine map of `first` changes
    to the partial rounds' basis, and the partial rounds end with the inputs of the S-boxes of the
    first full round after them. """

    modulus: int
    alpha: int
    partial_index: int
    initial: Vector
    first: list[Affine]
    partial: list[PartialRound]
    transition: Matrix
    last: list[Affine]

    @property
    def width(self) -> int:
        return len(self.initial)

    def split(self, vector: list[Element]) -> tuple[Element, list[Element]]:
        """Splits a state into x and u."""
        index = self.partial_index
        return vector[index], vector[:index] + vector[index + 1:]

    def join(self, x: Element, u: list[Element]) -> list[Element]:
        """Joins x and u to a state."""
        return u[:self.partial_index] + [x] + u[self.partial_index:]


def absorb_constants(instance: Instance) -> Schedule:
    """Step 1: the instance with one constant per partial round, in the plain basis."""
    p, index, half = instance.modulus, instance.partial_sbox_index, instance.full_rounds // 2
    matrix = [[entry % p for entry in row] for row in instance.mds]
    constants = [list(instance.constants_of_round(r)) for r in range(instance.rounds)]
    first_partial, first_last = half, half + instance.partial_rounds
    kept = [i for i in range(instance.width) if i != index]
    transition = [[matrix[i][j] for j in kept] for i in kept]
    w, v, m = ([matrix[index][j] for j in kept], [matrix[i][index] for i in kept],
               matrix[index][index])
    back = inverse(transition, p)

    offset = [constants[first_last][i] for i in kept]
    partial: list[PartialRound] = []
    for number in reversed(range(first_partial, first_last)):
        added = [constants[number][i] for i in kept]
        offset = [(a + b) % p for a, b in zip(times_vector(back, offset, p), added)]
        carried = dot(w, [a - o for a, o in zip(added, offset)], p)
        constant = (constants[number + 1][index] + carried) % p
        partial.insert(0, PartialRound(m, w, v, constant))

    following = constants[1:] + [[0] * instance.width]
    entering = offset[:index] + [constants[first_partial][index]] + offset[index:]
    first = [Affine(matrix, following[r]) for r in range(half - 1)] + [Affine(matrix, entering)]
    last = [Affine(matrix, following[r]) for r in range(first_last, instance.rounds)]
    return Schedule(p, instance.alpha, index, constants[0], first, partial, transition, last)


def sparse_basis(plain: Schedule) -> Schedule:
    """Step 2: the same permutation with the identity instead of H."""
    p, h = plain.modulus, plain.transition
    back = inverse(h, p)
    basis, basis_inverse = identity(len(h)), identity(len(h))
    partial: list[PartialRound] = []
    for original in reversed(plain.partial):
        v = times_vector(basis, original.v, p)
        basis, basis_inverse = times(basis, h, p), times(back, basis_inverse, p)
        w = times([original.w], basis_inverse, p)[0]
        partial.insert(0, replace(original, w=w, v=v))

    entering = plain.first[-1]
    rows = list(entering.matrix)
    x_row = rows.pop(plain.partial_index)
    rows = times(basis, rows, p)
    rows.insert(plain.partial_index, x_row)
    x, u = plain.split(entering.constants)
    changed = Affine(rows, plain.join(x, times_vector(basis, u, p)))
    return replace(plain, first=[*plain.first[:-1], changed], partial=partial,
                   transition=identity(len(h)))


def evaluate(schedule: Schedule, state: Vector) -> Vector:
    """The permutation by the rewritten rounds; the tests compare it with the golden model."""
    p, alpha = schedule.modulus, schedule.alpha
    state = [(x + c) % p for x, c in zip(state, schedule.initial)]

    def full_round(affine: Affine) -> Vector:
        powers = [pow(x, alpha, p) for x in state]
        mixed = times_vector(affine.matrix, powers, p)
        return [(x + c) % p for x, c in zip(mixed, affine.constants)]

    for affine in schedule.first:
        state = full_round(affine)
    x, u = schedule.split(state)
    for step in schedule.partial:
        y = pow(x, alpha, p)
        x = (step.m * y + dot(step.w, u, p) + step.constant) % p
        u = [(a + b * y) % p for a, b in zip(times_vector(schedule.transition, u, p), step.v)]
    state = schedule.join(x, u)
    for affine in schedule.last:
        state = full_round(affine)
    return state
