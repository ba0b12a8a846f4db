# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The rounds of the BLAKE family and BLAKE3's compression function, without optimizations.

Sources: "BLAKE3: one function, fast everywhere" (O'Connor, Aumasson, Neves, Wilcox-O'Hearn, 2020),
section 2.2; RFC 7693 (BLAKE2), sections 2.7, 3.1 and 3.2.
"""

from collections.abc import Sequence
from dataclasses import dataclass

BLOCK_BYTES = 64

# The first 32 bits of the fractional parts of the square roots of the first eight primes.
INITIAL_VALUE = (
    0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19,
)
MESSAGE_PERMUTATION = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
ROUNDS = 7


@dataclass(frozen=True)
class Family:
    """The parameters that distinguish BLAKE2b's round from that of BLAKE2s and BLAKE3."""

    word_bits: int
    rotations: tuple[int, int, int, int]


BLAKE3 = Family(32, (16, 12, 8, 7))
BLAKE2B = Family(64, (32, 24, 16, 63))


def _mix(
    family: Family, state: list[int], places: tuple[int, int, int, int], x: int, y: int
) -> None:
    """G: mixes two message words into the four state words at `places`."""
    mask = (1 << family.word_bits) - 1

    def rotated(word: int, bits: int) -> int:
        return word >> bits | word << family.word_bits - bits & mask

    a, b, c, d = places
    for word, first, second in ((x, *family.rotations[:2]), (y, *family.rotations[2:])):
        state[a] = state[a] + state[b] + word & mask
        state[d] = rotated(state[d] ^ state[a], first)
        state[c] = state[c] + state[d] & mask
        state[b] = rotated(state[b] ^ state[c], second)


def one_round(family: Family, state: Sequence[int], words: Sequence[int]) -> list[int]:
    """A round: the columns, then the diagonals; `words` are the message's in the round's order."""
    mixed = list(state)
    for k in range(4):
        _mix(family, mixed, (k, 4 + k, 8 + k, 12 + k), words[2 * k], words[2 * k + 1])
    for k in range(4):
        places = (k, 4 + (k + 1) % 4, 8 + (k + 2) % 4, 12 + (k + 3) % 4)
        _mix(family, mixed, places, words[8 + 2 * k], words[9 + 2 * k])
    return mixed


def compress(
    value: Sequence[int], block: bytes, counter: int, block_bytes: int, flags: int
) -> list[int]:
    """BLAKE3's compression function: 16 words, of which the first eight are the chaining value.

    `block` holds 64 bytes, with zeros after the first `block_bytes`.
    """
    assert len(block) == BLOCK_BYTES
    words = [int.from_bytes(block[i:i + 4], "little") for i in range(0, BLOCK_BYTES, 4)]
    state = [*value, *INITIAL_VALUE[:4], counter & 0xFFFF_FFFF, counter >> 32, block_bytes, flags]
    for _ in range(ROUNDS):
        state = one_round(BLAKE3, state, words)
        words = [words[place] for place in MESSAGE_PERMUTATION]
    low, high = state[:8], state[8:]
    return [a ^ b for a, b in zip(low, high)] + [a ^ b for a, b in zip(high, value)]
