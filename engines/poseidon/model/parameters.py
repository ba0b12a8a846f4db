# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Poseidon's parameters, generated according to the specifications: round numbers, constants, MDS.

Filecoin: "The Poseidon hash function" (spec.filecoin.io, Algorithms > Crypto > Poseidon), round
constants from the Grain LFSR of Grassi et al., "Poseidon", USENIX Security 2021, Appendix F.
StarkWare: github.com/starkware-industries/poseidon (round keys by SHA-256 of a label, small MDS).
"""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Iterator

FR = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
"""The BLS12-381 scalar field's modulus r (255 bits)."""
FELT = 2**251 + 17 * 2**192 + 1
"""The Stark field's modulus p (252 bits)."""

FULL_ROUNDS = 8
FILECOIN_PARTIAL_ROUNDS = {3: (55, 69), 5: (56, 70), 9: (57, 72), 12: (57, 72)}
"""Width to partial rounds: (standard, strengthened = 25 % more, rounded up)."""
STARK_PARTIAL_ROUNDS = {3: 83, 4: 84, 5: 84, 9: 84}
STARK_MDS_DIAGONAL = {
    3: (2, -2, -3),
    4: (1, 0, -1, -2),
    5: (2, 1, 0, -2, -3),
    9: (4, 3, 2, 1, 0, -1, -2, -4, -5),
}
"""StarkWare's small MDS matrices are the all-ones matrix plus this diagonal."""

Matrix = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Instance:
    """One Poseidon permutation.

    `round_constants` has `width` elements for each round, in order. Entries of `mds` are residues
    or small signed numbers; row i gives output element i. In a partial round only the element
    `partial_sbox_index` goes through x^alpha.
    """

    name: str
    modulus: int
    width: int
    alpha: int
    full_rounds: int
    partial_rounds: int
    partial_sbox_index: int
    round_constants: tuple[int, ...]
    mds: Matrix

    @property
    def rounds(self) -> int:
        return self.full_rounds + self.partial_rounds

    def constants_of_round(self, number: int) -> tuple[int, ...]:
        return self.round_constants[number * self.width:(number + 1) * self.width]

    def is_full(self, number: int) -> bool:
        """Returns True if round `number` applies the S-box to the whole state."""
        half = self.full_rounds // 2
        return number < half or number >= half + self.partial_rounds


def grain_bits(field_bits: int, width: int, full_rounds: int, partial_rounds: int, sbox: int = 1
               ) -> Iterator[int]:
    """The self-shrinking 80-bit Grain LFSR seeded with a description of the instance. The number of
    the S-box is 1 in Filecoin's instances."""
    prime_field = 1
    seed = [(prime_field, 2), (sbox, 4), (field_bits, 12), (width, 12), (full_rounds, 10),
            (partial_rounds, 10), (2**30 - 1, 30)]
    state = [int(bit) for value, length in seed for bit in f"{value:0{length}b}"]

    def clock() -> int:
        bit = state[62] ^ state[51] ^ state[38] ^ state[23] ^ state[13] ^ state[0]
        state.append(bit)
        del state[0]
        return bit

    for _ in range(160):
        clock()
    while True:
        keep, bit = clock(), clock()
        if keep:
            yield bit


def grain_constants(modulus: int, width: int, full_rounds: int, partial_rounds: int
                    ) -> tuple[int, ...]:
    """Round constants: big-endian draws of the field's bit length, those >= modulus rejected."""
    field_bits = modulus.bit_length()
    bits = grain_bits(field_bits, width, full_rounds, partial_rounds)
    constants: list[int] = []
    while len(constants) < width * (full_rounds + partial_rounds):
        value = 0
        for _ in range(field_bits):
            value = value << 1 | next(bits)
        if value < modulus:
            constants.append(value)
    return tuple(constants)


def cauchy_mds(modulus: int, width: int) -> Matrix:
    """1 / (x_i + y_j) with x_i = i and y_j = width + j."""
    return tuple(
        tuple(pow(i + j + width, -1, modulus) for j in range(width)) for i in range(width)
    )


def labeled_constants(modulus: int, count: int) -> tuple[int, ...]:
    """StarkWare's round keys: SHA-256("Hades" followed by the decimal index), reduced."""
    digests = (hashlib.sha256(f"Hades{index}".encode()).digest() for index in range(count))
    return tuple(int.from_bytes(digest, "big") % modulus for digest in digests)


@lru_cache(maxsize=None)
def filecoin(width: int, strengthened: bool = False) -> Instance:
    """Filecoin's instance of `width` = arity + 1 elements over Fr."""
    partial_rounds = FILECOIN_PARTIAL_ROUNDS[width][strengthened]
    return Instance(
        name=f"filecoin-{width - 1}" + ("-strengthened" if strengthened else ""),
        modulus=FR, width=width, alpha=5, full_rounds=FULL_ROUNDS, partial_rounds=partial_rounds,
        partial_sbox_index=0,
        round_constants=grain_constants(FR, width, FULL_ROUNDS, partial_rounds),
        mds=cauchy_mds(FR, width),
    )


@lru_cache(maxsize=None)
def stark(width: int) -> Instance:
    """StarkWare's instance of `width` elements over Felt."""
    partial_rounds = STARK_PARTIAL_ROUNDS[width]
    diagonal = STARK_MDS_DIAGONAL[width]
    return Instance(
        name=f"stark-{width}",
        modulus=FELT, width=width, alpha=3, full_rounds=FULL_ROUNDS, partial_rounds=partial_rounds,
        partial_sbox_index=width - 1,
        round_constants=labeled_constants(FELT, width * (FULL_ROUNDS + partial_rounds)),
        mds=tuple(
            tuple(1 + (diagonal[i] if i == j else 0) for j in range(width)) for i in range(width)
        ),
    )


def all_instances() -> list[Instance]:
    """Every instance, in the order of the card's instance mask."""
    return [
        *(filecoin(width) for width in FILECOIN_PARTIAL_ROUNDS),
        *(filecoin(width, strengthened=True) for width in FILECOIN_PARTIAL_ROUNDS),
        *(stark(width) for width in STARK_PARTIAL_ROUNDS),
    ]
