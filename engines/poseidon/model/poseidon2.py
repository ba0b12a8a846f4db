# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The golden model of Poseidon2 over BLS12-381 Fr: parameters and permutation.

Grassi, Khovratovich and Schofnegger, "Poseidon2: A Faster Version of the Poseidon Hash Function"
(eprint 2023/323), with the constants of the authors' script, as Horizen Labs publishes them.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Iterator

from engines.poseidon.model.parameters import FR, Matrix, grain_bits

FULL_ROUNDS = 8
PARTIAL_ROUNDS = {2: 56, 3: 56, 4: 56, 8: 57}
"""Width to partial rounds."""
REJECTED_DIAGONALS = {4: 0, 8: 8}
"""The diagonals that the script draws before it accepts one."""
M4: Matrix = ((5, 7, 1, 3), (4, 6, 1, 1), (1, 3, 5, 7), (1, 1, 4, 6))


@dataclass(frozen=True)
class Poseidon2:
    """An instance. The internal matrix is all ones plus the diagonal."""

    width: int
    first: tuple[tuple[int, ...], ...]
    """The constants of each full round before the partial rounds."""
    partial: tuple[int, ...]
    """The constant of element 0 in each partial round."""
    last: tuple[tuple[int, ...], ...]
    """The constants of each full round after the partial rounds."""
    diagonal: tuple[int, ...]

    @property
    def name(self) -> str:
        return f"poseidon2-{self.width}"


def draws(width: int, partial_rounds: int) -> Iterator[int]:
    """The LFSR's numbers of 255 bits. Unlike Poseidon's seed, Poseidon2's describes the S-box by
    0."""
    bits = grain_bits(FR.bit_length(), width, FULL_ROUNDS, partial_rounds, sbox=0)
    while True:
        value = 0
        for _ in range(FR.bit_length()):
            value = value << 1 | next(bits)
        yield value


@lru_cache(maxsize=None)
def poseidon2(width: int) -> Poseidon2:
    """Returns the instance of a width: 2, 3, 4 or 8."""
    partial_rounds = PARTIAL_ROUNDS[width]
    numbers = draws(width, partial_rounds)
    constants = (number for number in numbers if number < FR)

    def full_rounds() -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(next(constants) for _ in range(width)) for _ in range(FULL_ROUNDS // 2))

    first = full_rounds()
    partial = tuple(next(constants) for _ in range(partial_rounds))
    last = full_rounds()
    if width < 4:
        diagonal = tuple(2 if index == width - 1 else 1 for index in range(width))
    else:
        # The script reduces the numbers of diagonals instead of rejecting them.
        for _ in range(REJECTED_DIAGONALS[width] * width):
            next(numbers)
        diagonal = tuple((next(numbers) - 1) % FR for _ in range(width))
    return Poseidon2(width, first, partial, last, diagonal)


def external(state: list[int]) -> list[int]:
    """The external matrix: circ(2, 1), circ(2, 1, 1), M4, or circ(2·M4, M4)."""
    width = len(state)
    if width < 4:
        return [(sum(state) + element) % FR for element in state]
    blocks = [[sum(a * b for a, b in zip(row, state[start:start + 4])) for row in M4]
              for start in range(0, width, 4)]
    totals = [sum(column) if width > 4 else 0 for column in zip(*blocks)]
    return [(element + total) % FR for block in blocks for element, total in zip(block, totals)]


def permute(instance: Poseidon2, state: list[int]) -> list[int]:
    """The permutation as the paper prints it."""
    state = external(state)
    for constants in instance.first:
        state = external([pow(x + c, 5, FR) for x, c in zip(state, constants)])
    for constant in instance.partial:
        state = [pow(state[0] + constant, 5, FR), *state[1:]]
        total = sum(state)
        state = [(d * x + total) % FR for d, x in zip(instance.diagonal, state)]
    for constants in instance.last:
        state = external([pow(x + c, 5, FR) for x, c in zip(state, constants)])
    return state
