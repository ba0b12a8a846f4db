# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The tables of Poseidon's kernels, from an instance's round constants and matrix.

places/cuda/kernels/poseidon/*.cuh describe the layouts; engines/poseidon/src/optimized has the
derivation of the recurrence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul

from engines.poseidon.model.parameters import Instance, Matrix

Row = list[int]


@dataclass(frozen=True)
class Moved:
    """Round constants with one element per partial round."""

    first: list[Row]
    partial: Row
    last: list[Row]


def apply(matrix: Sequence[Sequence[int]], vector: Sequence[int], modulus: int) -> Row:
    return [sum(map(mul, row, vector)) % modulus for row in matrix]


def moved_constants(instance: Instance) -> Moved:
    """Adds the constants that do not pass through an S-box in the next round."""
    half, modulus, sbox = instance.full_rounds // 2, instance.modulus, instance.partial_sbox_index
    rounds = [list(instance.constants_of_round(number)) for number in range(instance.rounds)]
    rest, partial = [0] * instance.width, []
    for number in range(half, half + instance.partial_rounds):
        rest = [(a + b) % modulus for a, b in zip(rest, rounds[number])]
        partial.append(rest[sbox])
        rest[sbox] = 0
        rest = apply(instance.mds, rest, modulus)
    last = rounds[half + instance.partial_rounds:]
    last[0] = [(a + b) % modulus for a, b in zip(rest, last[0])]
    return Moved(rounds[:half], partial, last)


def inverse_matrix(matrix: Sequence[Sequence[int]], modulus: int) -> list[Row]:
    """Gauss and Jordan."""
    size = len(matrix)
    rows = [[*map(int, row), *(int(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    for column in range(size):
        pivot = next(i for i in range(column, size) if rows[i][column] % modulus)
        rows[column], rows[pivot] = rows[pivot], rows[column]
        scale = pow(rows[column][column], -1, modulus)
        rows[column] = [value * scale % modulus for value in rows[column]]
        for i in range(size):
            if i != column and rows[i][column]:
                factor = rows[i][column]
                rows[i] = [(a - factor * b) % modulus for a, b in zip(rows[i], rows[column])]
    return [row[size:] for row in rows]


def product(left: Sequence[Sequence[int]], right: Sequence[Sequence[int]], modulus: int
            ) -> list[Row]:
    columns = list(zip(*right))
    return [[sum(map(mul, row, column)) % modulus for column in columns] for row in left]


def characteristic(matrix: Sequence[Sequence[int]], modulus: int) -> Row:
    """a1 ... an of the monic characteristic polynomial (Faddeev, LeVerrier)."""
    size, coefficients = len(matrix), []
    current = [list(row) for row in matrix]
    for step in range(1, size + 1):
        value = -sum(current[i][i] for i in range(size)) * pow(step, -1, modulus) % modulus
        coefficients.append(value)
        for i in range(size):
            current[i][i] = (current[i][i] + value) % modulus
        current = product(matrix, current, modulus)
    return coefficients


@dataclass(frozen=True)
class Linear:
    """The blocks [[corner, v], [w, minor]] of the matrix, and values derived from them."""

    minor: list[Row]
    observations: list[Row]
    responses: list[Row]
    feedback: Row
    impulse: Row
    forward: Row


def linear(mds: Matrix, modulus: int) -> Linear:
    minor = [list(row[1:]) for row in mds[1:]]
    observations, responses = [list(mds[0][1:])], [[row[0] for row in mds[1:]]]
    while len(observations) < len(minor):
        observations.append(product([observations[-1]], minor, modulus)[0])
        responses.append(apply(minor, responses[-1], modulus))
    impulse = [mds[0][0], *(sum(map(mul, observations[0], w)) % modulus for w in responses)]
    feedback = characteristic(minor, modulus)
    forward = [(impulse[i] + sum(feedback[j - 1] * impulse[i - j] for j in range(1, i + 1)))
               % modulus for i in range(len(impulse))]
    return Linear(minor, observations, responses, feedback, impulse, forward)


def entry_rows(instance: Instance, parts: Linear) -> list[Row]:
    """Rows over the S-boxes' outputs before the partial rounds, oldest input first."""
    modulus = instance.modulus
    inverse = inverse_matrix(parts.minor, modulus)
    rows, row = [list(instance.mds[0])], parts.observations[0]
    for _ in range(1, len(parts.minor)):
        row = product([row], inverse, modulus)[0]
        rows.append([0, *row])
    return rows[::-1]


def round_rows(parts: Linear, added: Row, scales: Row, modulus: int) -> list[Row]:
    """The rows of inputs 1 to P; the last has the coefficient of the newest output too."""
    order, last, rows = len(parts.minor), len(added) - 1, []

    def scale(index: int) -> int:
        return scales[index] if index >= 0 else 1

    for following in range(1, last + 1):
        unscale = pow(scales[following], -1, modulus)
        inputs = [-parts.feedback[back - 1] * scale(following - back) * unscale % modulus
                  for back in range(order, 0, -1)]
        constant = added[following] + sum(parts.feedback[back - 1] * added[following - back]
                                          for back in range(1, min(order, following) + 1))
        outputs = [parts.forward[back] * pow(scale(following - back - 1), 5, modulus) * unscale
                   % modulus if back <= following else 0 for back in range(order, -1, -1)]
        if following < last:
            assert outputs.pop() == 1
        rows.append([*inputs, *outputs, constant * unscale % modulus])
    return rows


def exit_rows(parts: Linear, constants: Row, added: Row, scales: Row, modulus: int) -> list[Row]:
    """The rows of elements 1 to n after the partial rounds."""
    order, last = len(parts.minor), len(added) - 1
    power = parts.minor
    for _ in range(1, order):
        power = product(power, parts.minor, modulus)
    from_inputs = product(power, inverse_matrix(parts.observations, modulus), modulus)
    history = [[parts.impulse[j - i] if i <= j else 0 for i in range(order)] for j in range(order)]
    through = product(from_inputs, history, modulus)
    first, rows = last + 1 - order, []
    for index, coefficients in enumerate(from_inputs):
        known = sum(map(mul, coefficients, added[first:]))
        inputs = [q * s % modulus for q, s in zip(coefficients, scales[first:])]
        outputs = [(parts.responses[order - 1 - i][index] - through[index][i])
                   * pow(scales[first - 1 + i], 5, modulus) % modulus for i in range(order)]
        rows.append([*inputs, *outputs, (constants[index + 1] - known) % modulus])
    return rows


def quintic_table(instance: Instance) -> list[int]:
    """The table of kernels/poseidon/recurrence.cuh, not in Montgomery form."""
    modulus, moved = instance.modulus, moved_constants(instance)
    parts = linear(instance.mds, modulus)
    added = [*moved.partial, moved.last[0][0]]
    scales = [1]
    while len(scales) < instance.partial_rounds:
        scales.append(parts.impulse[0] * pow(scales[-1], 5, modulus) % modulus)
    scales.append(1)
    rows = [*moved.first, *instance.mds, *entry_rows(instance, parts), [added[0]],
            *round_rows(parts, added, scales, modulus),
            *exit_rows(parts, moved.last[0], added, scales, modulus), *moved.last[1:]]
    return [value % modulus for row in rows for value in row]


def stark_table(instance: Instance) -> list[int]:
    """The table of kernels/poseidon/stark.cuh, not in Montgomery form."""
    moved = moved_constants(instance)
    rows = [*moved.first, moved.partial, *moved.last]
    return [value for row in rows for value in row]
