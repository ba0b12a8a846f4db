# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The kernels of secp256k1 against the golden model and published vectors."""

from __future__ import annotations

import csv
import hashlib
import json
import random
from functools import lru_cache

import numpy as np
import pytest

from engines.secp256k1.model import ecdsa
from engines.secp256k1.model.curve import B, G, N, P, Affine, add, lift, multiply, negate
from places.cuda.kernels.curve import secp256k1_constants
from places.cuda.tests.emulation import KERNELS, ROOT, Kernels, Words, kernels, some, to_words

VECTORS = ROOT / "engines/secp256k1/vectors"
GENERATOR_BITS = 4
TABLE_WORDS = 16 * 24
R_RANGE, S_RANGE, INFINITY, MISMATCH, ODD_Y, NOT_ON_CURVE, X_RANGE, HIGH_S = (
    1 << bit for bit in range(8))
ODD_R, ABOVE_ORDER, LOW_S = 1, 2, 4


def source() -> Kernels:
    return kernels(KERNELS / "secp256k1.cu")


@lru_cache(maxsize=None)
def generator_table() -> Words:
    """digit * 2^(4 * window) * G."""
    rows, base = [], G
    for _ in range(256 // GENERATOR_BITS):
        rows.append((0, 0))
        point = None
        for _ in range(1, 1 << GENERATOR_BITS):
            point = add(point, base)
            assert point is not None
            rows.append(point)
        base = add(point, base)
        assert base is not None
    return to_words([number for row in rows for number in row], 8)


def numbers(rows: list[tuple[int, ...]]) -> Words:
    """Requests: numbers of 32 bytes, big-endian."""
    data = b"".join(number.to_bytes(32, "big") for row in rows for number in row)
    return np.frombuffer(data, dtype="<u4").copy()


class Batch:
    """The memory of a batch. Few threads make each invert several numbers."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.threads = -(-count // 3)
        self.masks = np.full(count, 0xFFFF, dtype=np.uint32)
        self.terms = np.zeros(32 * count, dtype=np.uint32)
        self.sums = np.zeros(24 * count, dtype=np.uint32)
        self.divisors = np.zeros(8 * count, dtype=np.uint32)
        self.products = np.zeros(8 * count, dtype=np.uint32)

    def run(self, name: str, *arguments: Words) -> None:
        source().run(f"secp256k1_{name}", self.threads, *arguments, self.count, block=4)

    def sum(self) -> None:
        blocks = -(-self.threads // 4)
        tables = np.zeros(4 * blocks * TABLE_WORDS, dtype=np.uint32)
        self.run("multiples", self.terms, self.sums, tables)
        source().run("secp256k1_add_generator", self.count, self.terms, self.sums,
                     generator_table(), GENERATOR_BITS, self.count)


def verify(checks: list[tuple[int, int, int, int, int]]) -> list[int]:
    batch, requests = Batch(len(checks)), numbers(list(checks))
    batch.run("ecdsa_terms", requests, batch.masks, batch.terms, batch.divisors, batch.products)
    batch.sum()
    source().run("secp256k1_ecdsa_verdicts", batch.count, requests, batch.sums, batch.masks,
                 batch.count)
    return [int(mask) for mask in batch.masks]


def messages(data: list[bytes]) -> tuple[Words, np.ndarray]:
    joined = b"".join(data)
    memory = np.zeros(-(-len(joined) // 4) + 8, dtype=np.uint32)
    begin = -memory.ctypes.data % 16 // 4
    aligned = memory[begin:begin + -(-len(joined) // 4)]
    aligned[:] = np.frombuffer(joined.ljust(4 * len(aligned), b"\x55"), dtype="<u4")
    ends = np.cumsum([len(message) for message in data], dtype=np.uint64)
    return aligned, np.concatenate(([0], ends)).astype(np.uint64)


def verify_schnorr(signed: list[tuple[int, int, int, bytes]]) -> list[int]:
    """Verdicts of r, s, x and message."""
    batch, requests = Batch(len(signed)), numbers([row[:3] for row in signed])
    data, offsets = messages([row[3] for row in signed])
    source().run("secp256k1_schnorr_terms", batch.count, requests, data, offsets, batch.masks,
                 batch.terms, batch.count)
    batch.sum()
    batch.run("schnorr_verdicts", requests, batch.sums, batch.products, batch.masks)
    return [int(mask) for mask in batch.masks]


def recover(requests: list[tuple[int, int, int, int]]) -> list[int | Affine]:
    """Keys, or masks, of r, s, digest and flags."""
    batch = Batch(len(requests))
    flags = np.array([row[3] for row in requests], dtype=np.uint32)
    batch.run("recovery_terms", numbers([row[:3] for row in requests]), flags, batch.masks,
              batch.terms, batch.divisors, batch.products)
    batch.sum()
    keys = np.zeros((batch.count, 16), dtype=np.uint32)
    batch.run("recovered_keys", batch.sums, batch.products, batch.masks, keys)
    results: list[int | Affine] = []
    for mask, key in zip(batch.masks, keys):
        data = key.tobytes()
        assert not mask or not any(data)
        point = (int.from_bytes(data[:32], "big"), int.from_bytes(data[32:], "big"))
        results.append(int(mask) if mask else point)
    return results


def test_the_header_is_what_the_generator_writes() -> None:
    path = KERNELS / "curve/secp256k1_constants.cuh"
    assert path.read_text(encoding="utf-8") == secp256k1_constants.header()


def test_sha256_constants() -> None:
    text = (KERNELS / "hash/sha256.cuh").read_text(encoding="utf-8")
    for prime in secp256k1_constants.primes(64):
        assert f"0x{secp256k1_constants.cube_root_bits(prime):08x}" in text


def test_checks_of_the_vectors() -> None:
    vectors = json.loads((VECTORS / "checks.json").read_text(encoding="utf-8"))["checks"]
    vectors = some(vectors, vectors[::4])
    names = ("r", "s", "digest", "x", "y")
    checks = [tuple(int(vector[name], 16) for name in names) for vector in vectors]
    assert verify(checks) == [vector["mask"] for vector in vectors]
    assert {vector["mask"] for vector in vectors} >= {0, 3, 8, 32}


def random_checks(rng: random.Random, count: int) -> list[tuple[int, int, int, int, int]]:
    """Valid signatures, each followed by one with a changed number."""
    checks = []
    for _ in range(count):
        secret, nonce = rng.randrange(1, N), rng.randrange(1, N)
        signature = ecdsa.sign(secret, nonce, rng.getrandbits(256))
        key = multiply(secret, G)
        assert key is not None
        check = [signature.r, signature.s, signature.digest, *key]
        checks.append(tuple(check))
        check[rng.randrange(5)] ^= 1 << rng.randrange(256)
        checks.append(tuple(check))
    return checks


def edge_checks() -> list[tuple[int, int, int, int, int]]:
    """Sums at infinity, equal summands, keys that are small multiples of G, numbers at bounds."""
    checks = []
    for secret in (1, 2, N - 1, 3, secp256k1_lambda()):
        key = multiply(secret, G)
        assert key is not None
        for r in (1, 5, N - 1):
            for digest in (-r * secret % N, r * secret % N, 0, N, 2**256 - 1):
                checks.append((r, 7, digest, *key))
    x, y = G
    checks += [(0, 0, 1, x, y), (N, N, 1, x, y), (N - 1, N - 1, 1, x, y), (1, 1, 1, x + P % 2**256
               if x + P < 2**256 else x, P - y), (1, 1, 1, P, y), (1, 1, 1, x, P + 1),
               (2**256 - 1, 2**256 - 1, 0, 2**256 - 1, 2**256 - 1), (0, 1, 0, 0, 0)]
    return checks


def secp256k1_lambda() -> int:
    from engines.secp256k1.model.curve import LAMBDA
    return LAMBDA


def model_mask(check: tuple[int, int, int, int, int]) -> int:
    r, s, digest, x, y = check
    return ecdsa.verify(ecdsa.Signature(r, s, digest), (x, y))


def test_ecdsa() -> None:
    checks = edge_checks() + random_checks(random.Random(1), 12)
    masks = verify(checks)
    assert masks == [model_mask(check) for check in checks]
    assert {0, R_RANGE | S_RANGE, INFINITY, MISMATCH, NOT_ON_CURVE} <= set(masks)


def test_an_x_above_the_order() -> None:
    """r = x - n for an x of the sum from n on: r and the key are chosen, not signed."""
    x = next(x for x in range(N + 1, N + 100) if lift(x))
    point = lift(x)
    assert point is not None
    r, s, digest = x - N, 11, 12
    # The key is (s * R - e * G) / r.
    inverse = pow(r, -1, N)
    key = multiply(inverse, add(multiply(s, point), negate(multiply(digest, G))))
    assert key is not None
    check = (r, s, digest, *key)
    assert model_mask(check) == 0
    assert verify([check]) == [0]
    odd = point[1] & 1
    assert recover([(r, s, digest, ABOVE_ORDER | odd)]) == [key]


def test_schnorr_vectors() -> None:
    with (VECTORS / "bip340.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    signed, expected = [], []
    for row in rows:
        signature = bytes.fromhex(row["signature"])
        signed.append((int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"),
                       int(row["public key"], 16), bytes.fromhex(row["message"])))
        expected.append(row["verification result"] == "TRUE")
    masks = verify_schnorr(signed)
    assert [mask == 0 for mask in masks] == expected
    assert masks == [schnorr_mask(*row) for row in signed]


def schnorr_mask(r: int, s: int, x: int, message: bytes) -> int:
    """The verdict by definition (BIP 340, "Verification")."""
    key = lift(x) if x < P else None
    if x >= P:
        return X_RANGE
    if key is None:
        return NOT_ON_CURVE
    mask = (r >= P) * R_RANGE | (s >= N) * S_RANGE
    if mask:
        return mask
    tag = hashlib.sha256(b"BIP0340/challenge").digest()
    data = tag + tag + r.to_bytes(32, "big") + x.to_bytes(32, "big") + message
    e = int.from_bytes(hashlib.sha256(data).digest(), "big") % N
    point = add(multiply(s, G), negate(multiply(e, key)))
    if point is None:
        return INFINITY
    if point[0] != r:
        return MISMATCH
    return ODD_Y if point[1] & 1 else 0


def test_schnorr() -> None:
    """Messages of all lengths around blocks, and every verdict."""
    rng, signed = random.Random(7), []
    for length in (0, 1, 32, 54, 55, 56, 57, 63, 64, 65, 119, 120, 200):
        secret, nonce = rng.randrange(1, N), rng.randrange(1, N)
        key, point = multiply(secret, G), multiply(nonce, G)
        assert key is not None and point is not None
        secret = N - secret if key[1] & 1 else secret
        message = rng.randbytes(length)
        tag = hashlib.sha256(b"BIP0340/challenge").digest()
        head = tag + tag + point[0].to_bytes(32, "big") + key[0].to_bytes(32, "big")
        e = int.from_bytes(hashlib.sha256(head + message).digest(), "big") % N
        # With an odd y this has the verdict ODD_Y.
        signed.append((point[0], (nonce + e * secret) % N, key[0], message))
        if length == 0:
            # s = e * secret leads to infinity.
            signed.append((point[0], e * secret % N, key[0], message))
    r, s, x, message = signed[0]
    signed += [(r ^ 1, s, x, message), (r, s ^ 1, x, message), (P, N, x, message),
               (2**256 - 1, s, x, message), (r, s, P, message), (r, s, 2**256 - 1, message),
               (r, s, next(x for x in range(1, 99) if not lift(x)), message), (r, 0, x, message)]
    masks = verify_schnorr(signed)
    assert masks == [schnorr_mask(*row) for row in signed]
    assert {0, MISMATCH, ODD_Y, INFINITY, R_RANGE | S_RANGE, X_RANGE, NOT_ON_CURVE} <= set(masks)


def recovered(r: int, s: int, digest: int, flags: int) -> int | Affine:
    """The key by definition, or the failures."""
    mask = (not 0 < r < N) * R_RANGE | (not 0 < s < N) * S_RANGE
    if flags & LOW_S and s > N // 2:
        mask |= HIGH_S
    if mask:
        return mask
    x = r + N * bool(flags & ABOVE_ORDER)
    if x >= P:
        return X_RANGE
    point = lift(x)
    if point is None:
        return NOT_ON_CURVE
    if point[1] & 1 != flags & ODD_R:
        point = negate(point)
    inverse = pow(r, -1, N)
    key = add(multiply(s * inverse % N, point), multiply(-digest * inverse % N, G))
    return INFINITY if key is None else key


def test_recovery() -> None:
    rng, requests = random.Random(9), []
    for flags in range(8):
        for _ in range(3):
            signature = ecdsa.sign(rng.randrange(1, N), rng.randrange(1, N), rng.getrandbits(256))
            requests.append((signature.r, signature.s, signature.digest, flags))
    requests += [(0, 0, 1, 0), (N, 1, 1, 0), (1, N, 1, 1), (1, 1, 1, 0), (2, 1, 1, 1),
                 (3, N - 1, 1, LOW_S), (5, 1, 1, 0), (P - N, 1, 1, 2), (P - N - 1, 1, 1, 2)]
    # s * R = e * G leads to infinity: R = k * G and e = s * k.
    point = multiply(77, G)
    assert point is not None
    requests.append((point[0], 5, 5 * 77, point[1] & 1))
    answers = recover(requests)
    assert answers == [recovered(*request) for request in requests]
    masks = {answer for answer in answers if isinstance(answer, int)}
    assert {INFINITY, NOT_ON_CURVE, X_RANGE, R_RANGE | S_RANGE} <= masks
    assert any(mask & HIGH_S for mask in masks)


def test_constants_of_the_curve() -> None:
    assert B == 7 and (N - 1) // 2 == N // 2
