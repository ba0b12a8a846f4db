# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compares the golden model with the official vectors, and its rounds with hashlib's BLAKE2."""

import hashlib
import json
import random
from pathlib import Path

import pytest

from engines.blake3.model.compression import BLAKE2B, one_round
from engines.blake3.model.hashing import InputError, Mode, blake3, compute, derive_key, keyed_hash

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "blake3.json").read_text())
CASES = VECTORS["cases"]

# RFC 7693, section 2.7: rounds 10 and 11 repeat rounds 0 and 1.
SIGMA = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
    (14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3),
    (11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4),
    (7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8),
    (9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13),
    (2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9),
    (12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11),
    (13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10),
    (6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5),
    (10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0),
)
# The first 64 bits of the fractional parts of the square roots of the first eight primes.
BLAKE2B_INITIAL_VALUE = (
    0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
    0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
)


def cycle(length: int) -> bytes:
    """The official vectors' input: 0, 1, ..., 250, 0, ..."""
    return (bytes(range(251)) * (length // 251 + 1))[:length]


def blake2b_block(data: bytes) -> bytes:
    """BLAKE2b-512 for at most 128 bytes without a key: one compression of twelve rounds."""
    words = [int.from_bytes(data.ljust(128, b"\0")[i:i + 8], "little") for i in range(0, 128, 8)]
    value = [BLAKE2B_INITIAL_VALUE[0] ^ 0x0101_0040, *BLAKE2B_INITIAL_VALUE[1:]]
    state = [*value, *BLAKE2B_INITIAL_VALUE]
    state[12] ^= len(data)
    state[14] ^= (1 << 64) - 1
    for number in range(12):
        state = one_round(BLAKE2B, state, [words[place] for place in SIGMA[number % 10]])
    return b"".join((value[i] ^ state[i] ^ state[i + 8]).to_bytes(8, "little") for i in range(8))


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["input_len"]))
def test_official_vectors(case: dict[str, object]) -> None:
    data, key = cycle(int(str(case["input_len"]))), VECTORS["key"].encode()
    expected = bytes.fromhex(str(case["hash"]))
    assert blake3(data, len(expected)) == expected
    assert blake3(data, 70, 61) == expected[61:131]
    assert keyed_hash(key, data, 131).hex() == case["keyed_hash"]
    assert derive_key(VECTORS["context_string"], data, 131).hex() == case["derive_key"]


def test_rounds_of_blake2b() -> None:
    rng = random.Random("blake2b")
    for _ in range(20):
        data = rng.randbytes(rng.randint(0, 128))
        assert blake2b_block(data) == hashlib.blake2b(data).digest()


def test_wrong_keys() -> None:
    for mode, key in ((Mode.KEYED_HASH, bytes(31)), (Mode.HASH, bytes(32)),
                      (Mode.DERIVE_KEY_MATERIAL, b"")):
        with pytest.raises(InputError):
            compute(mode, b"", key)
