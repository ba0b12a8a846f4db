# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Uniform limbs of seeds, as engines/ckks/src/sampling/uniform.rs draws them: words of ChaCha20
(Bernstein, "ChaCha, a variant of Salsa20", 2008) with a counter and a stream of 64 bits each."""

from collections.abc import Iterator

_CONSTANTS = tuple(int.from_bytes(b"expand 32-byte k"[4 * i:4 * i + 4], "little") for i in range(4))
_WORD = (1 << 32) - 1


def _quarter(state: list[int], a: int, b: int, c: int, d: int) -> None:
    for to, by, into, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        state[to] = state[to] + state[by] & _WORD
        mixed = state[into] ^ state[to]
        state[into] = (mixed << bits | mixed >> 32 - bits) & _WORD


def block(seed: bytes, stream: int, counter: int) -> list[int]:
    """The 16 words of a block."""
    key = [int.from_bytes(seed[4 * i:4 * i + 4], "little") for i in range(8)]
    first = [*_CONSTANTS, *key, counter & _WORD, counter >> 32, stream & _WORD, stream >> 32]
    state = list(first)
    for _ in range(10):
        for column in range(4):
            _quarter(state, column, 4 + column, 8 + column, 12 + column)
        for column in range(4):
            _quarter(state, column, 4 + (column + 1) % 4, 8 + (column + 2) % 4,
                     12 + (column + 3) % 4)
    return [word + start & _WORD for word, start in zip(state, first)]


def words(seed: bytes, stream: int) -> Iterator[int]:
    counter = 0
    while True:
        yield from block(seed, stream, counter)
        counter += 1


def stream_of(index: int, place: int) -> int:
    """The stream of a polynomial's index in the key and of the prime's place in the ring's list."""
    return index << 16 | place


def uniform(seed: bytes, stream: int, prime: int, degree: int) -> list[int]:
    """The residues: words, cut to the prime's bits, that are below it."""
    mask = (1 << prime.bit_length()) - 1
    cut = (word & mask for word in words(seed, stream))
    good = (word for word in cut if word < prime)
    return [next(good) for _ in range(degree)]
