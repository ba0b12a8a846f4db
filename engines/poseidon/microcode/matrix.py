# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Vectors and square matrices over a prime field, for the derivation of the programs."""

from operator import mul
from typing import Sequence

Vector = list[int]
Matrix = list[list[int]]


def dot(a: Sequence[int], b: Sequence[int], modulus: int) -> int:
    return int(sum(map(mul, a, b))) % modulus


def times_vector(matrix: Sequence[Sequence[int]], vector: Sequence[int], modulus: int) -> Vector:
    return [dot(row, vector, modulus) for row in matrix]


def times(a: Sequence[Sequence[int]], b: Sequence[Sequence[int]], modulus: int) -> Matrix:
    columns = list(zip(*b))
    return [[dot(row, column, modulus) for column in columns] for row in a]


def identity(size: int) -> Matrix:
    return [[int(i == j) for j in range(size)] for i in range(size)]


def inverse(matrix: Sequence[Sequence[int]], modulus: int) -> Matrix:
    """Inverts by Gauss-Jordan elimination; raises ValueError if the matrix is singular."""
    size = len(matrix)
    rows = [[*row, *unit] for row, unit in zip(matrix, identity(size))]
    for column in range(size):
        pivot = next((r for r in range(column, size) if rows[r][column] % modulus), None)
        if pivot is None:
            raise ValueError("singular matrix")
        rows[column], rows[pivot] = rows[pivot], rows[column]
        scale = pow(rows[column][column], -1, modulus)
        rows[column] = [x * scale % modulus for x in rows[column]]
        for r in range(size):
            if r != column and rows[r][column]:
                factor = rows[r][column]
                rows[r] = [(x - factor * y) % modulus for x, y in zip(rows[r], rows[column])]
    return [row[size:] for row in rows]
