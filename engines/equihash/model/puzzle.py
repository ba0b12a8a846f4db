# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Equihash with Zcash's personalization, plainly: parameters, leaves, and every check.

Sources: Biryukov, Khovratovich, "Equihash: asymmetric proof-of-work based on the generalized
birthday problem" (2016), section IV; Zcash protocol specification, sections 7.7.1 (Equihash), 7.6
(block header) and 7.7.4 (compact target).
"""

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass

HEADER_BYTES = 140
# The offset of the compact target in a header, after the version, three hashes of 32 bytes and the
# time.
BITS_OFFSET = 104

# Failed checks, by their bits in the card's mask.
DIFFICULTY, XOR, ORDER, COLLISION, DUPLICATE = (1 << bit for bit in range(5))


@dataclass(frozen=True)
class Parameters:
    """n and k: 2^k indices whose n-bit hashes XOR to zero."""

    n: int
    k: int

    @property
    def collision_bits(self) -> int:
        return self.n // (self.k + 1)

    @property
    def index_bits(self) -> int:
        return self.collision_bits + 1

    @property
    def indices(self) -> int:
        return 1 << self.k

    @property
    def solution_bytes(self) -> int:
        return self.indices * self.index_bits // 8

    @property
    def leaves_per_hash(self) -> int:
        return 512 // self.n

    @property
    def hash_bytes(self) -> int:
        return self.leaves_per_hash * self.n // 8


ZCASH, N144, N96, REGTEST = (Parameters(*p) for p in ((200, 9), (144, 5), (96, 5), (48, 5)))
# In the order of the card's mask of parameter sets.
SETS = (ZCASH, N144, N96, REGTEST)


def compact_size(value: int) -> bytes:
    """A length below 2^16 in Bitcoin's compactSize encoding."""
    return bytes([value]) if value < 253 else b"\xfd" + struct.pack("<H", value)


def minimal_of(parameters: Parameters, indices: Sequence[int]) -> bytes:
    """The minimal form: indices big-endian, concatenated without gaps."""
    value = 0
    for index in indices:
        value = value << parameters.index_bits | index
    return value.to_bytes(parameters.solution_bytes, "big")


def indices_of(parameters: Parameters, minimal: bytes) -> list[int]:
    """The indices of a minimal form."""
    bits, value = parameters.index_bits, int.from_bytes(minimal, "big")
    return [value >> bits * place & (1 << bits) - 1
            for place in reversed(range(parameters.indices))]


def leaf(parameters: Parameters, header: bytes, index: int) -> int:
    """The n-bit hash of an index, its first bit the most significant."""
    number, part = divmod(index, parameters.leaves_per_hash)
    person = b"ZcashPoW" + struct.pack("<II", parameters.n, parameters.k)
    hashed = hashlib.blake2b(header + struct.pack("<I", number),
                             digest_size=parameters.hash_bytes, person=person).digest()
    size = parameters.n // 8
    return int.from_bytes(hashed[part * size:(part + 1) * size], "big")


def target_of(bits: int) -> int | None:
    """Decodes a compact target; None if it is negative, zero, or does not fit 256 bits. The sign is
    bit 23, which is not part of the mantissa."""
    size, mantissa = bits >> 24, bits & 0x7F_FFFF
    if size <= 3:
        mantissa >>= 8 * (3 - size)
    if mantissa == 0 or bits >> 23 & 1:
        return None
    target = mantissa if size <= 3 else mantissa << 8 * (size - 3)
    return target if target < 1 << 256 else None


def meets_target(whole_header: bytes) -> bool:
    """Returns True if the double SHA-256 of header, length and solution is at most the target."""
    target = target_of(*struct.unpack_from("<I", whole_header, BITS_OFFSET))
    hashed = hashlib.sha256(hashlib.sha256(whole_header).digest()).digest()
    return target is not None and int.from_bytes(hashed, "little") <= target


def tree_failures(parameters: Parameters, header: bytes, indices: Sequence[int]) -> int:
    """The mask of XOR, ORDER, COLLISION and DUPLICATE; each is checked independently."""
    mask = DUPLICATE if len(set(indices)) < len(indices) else 0
    nodes = [(leaf(parameters, header, index), index) for index in indices]
    for level in range(1, parameters.k + 1):
        shift = parameters.n - level * parameters.collision_bits
        joined = []
        for (left, first), (right, second) in zip(nodes[::2], nodes[1::2]):
            together = left ^ right
            if together >> shift & (1 << parameters.collision_bits) - 1:
                mask |= COLLISION
            if first >= second:
                mask |= ORDER
            joined.append((together, first))
        nodes = joined
    return mask | (XOR if nodes[0][0] else 0)


def check(parameters: Parameters, header: bytes, solution: bytes) -> int:
    """The card's mask for a header and a solution in the minimal form: 0 if it is valid."""
    whole = header + compact_size(parameters.solution_bytes) + solution
    mask = 0 if meets_target(whole) else DIFFICULTY
    return mask | tree_failures(parameters, header, indices_of(parameters, solution))
