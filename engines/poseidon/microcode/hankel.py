# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Products with a Hankel matrix (entry i, j depends only on i + j) in fewer multiplications.

Cut into blocks, a Hankel matrix is a Hankel matrix of blocks, so pairs of blocks share a product,
as in Karatsuba's multiplication of polynomials:

    |A B|   |x|   |(A-B)x + B(x+y)|
    |B C| * |y| = |(C-B)y + B(x+y)|                   3 products of half the size in place of 4,

and 6 of a third in place of 9. Filecoin's matrices 1/(i + j + t) are Hankel matrices. The
differences of blocks are constants; the sums of elements and of products use free add slots.
"""

from itertools import combinations
from typing import Iterator, Sequence

from arith.microcode.program import Constant, Program, Value
from engines.poseidon.microcode.matrix import Vector

BLOCKS = {12: 2, 9: 3, 6: 2}
"""Size to the number of blocks per side; other sizes are not cut. More cuts need more registers."""

Row = tuple[Sequence[tuple[Value, Value | Constant]], Sequence[Value]]
"""A row of the result: products to be summed and reduced once, and values to be added."""


def generator_of(matrix: Sequence[Sequence[int]]) -> Vector:
    """Returns the 2n - 1 numbers of a Hankel matrix; raises ValueError if it is not one."""
    size = len(matrix)
    numbers = [*matrix[0], *(row[-1] for row in matrix[1:])]
    if any(matrix[i][j] != numbers[i + j] for i in range(size) for j in range(size)):
        raise ValueError("not a Hankel matrix")
    return numbers


def multiplications(size: int) -> int:
    """Number of products of elements by constants in a product with a matrix of this size."""
    blocks = BLOCKS.get(size)
    if blocks is None:
        return size * size
    return blocks * (blocks + 1) // 2 * multiplications(size // blocks)


def _value(program: Program, row: Row, in_s: bool) -> Value:
    factors, added = row
    product = program.products(factors)
    terms = [(1, product), *((1, value) for value in added)]
    return program.linear(terms) if in_s or added else product


def rows(program: Program, numbers: Vector, elements: Sequence[Value], after: Value | None = None
         ) -> Iterator[Row]:
    """The rows of the product; `numbers` are those of the matrix (`generator_of`).

    The order minimizes registers: the caller uses each row before it requests the next, nothing
    begins before `after` is available, and values shared by pairs of blocks wait in bank S, because
    the elements fill bank P. Where blocks are cut again, the few values that they share stay in P.
    """
    size = len(elements)
    blocks = BLOCKS.get(size)
    if blocks is None:
        yield from (([(x, numbers[i + j]) for j, x in enumerate(elements)], [])
                    for i in range(size))
        return
    part = size // blocks

    def block(index: int) -> Vector:
        return numbers[index * part:index * part + 2 * part - 1]

    def piece(index: int) -> Sequence[Value]:
        return elements[index * part:(index + 1) * part]

    shared: dict[tuple[int, int], list[Value]] = {}
    for a, b in combinations(range(blocks), 2):
        sums = [program.linear([(1, x), (1, y)], after=after)
                for x, y in zip(piece(a), piece(b))]
        shared[a, b] = [_value(program, row, in_s=size > 6)
                        for row in rows(program, block(a + b), sums)]
    last = shared[blocks - 2, blocks - 1][-1]
    for a in range(blocks):
        own = list(block(2 * a))
        for b in range(blocks):
            if b != a:
                own = [x - y for x, y in zip(own, block(a + b))]
        pairs = [values for pair, values in shared.items() if a in pair]
        for index, (factors, added) in enumerate(rows(program, own, piece(a), last)):
            yield factors, [*added, *(values[index] for values in pairs)]
