# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Signatures and keys at the edges of ECDSA over secp256k1, each with a name."""

import random
from typing import Iterator

from engines.secp256k1.model.curve import (
    BETA, G, LAMBDA, N, P, Affine, add, lift, multiply, negate,
)
from engines.secp256k1.model.ecdsa import Signature, sign

Case = tuple[str, Signature, Affine]


def finite(point: Affine | None) -> Affine:
    assert point is not None
    return point


def random_case(generator: random.Random) -> Case:
    """A valid signature of a random key."""
    secret, nonce = generator.randrange(1, N), generator.randrange(1, N)
    signature = sign(secret, nonce, generator.randrange(2**256))
    return "random", signature, finite(multiply(secret, G))


def of_scalars(u1: int, u2: int, key: Affine) -> Signature:
    """A signature that leads to these scalars; it is valid unless the result is infinity."""
    point = add(multiply(u1, G), multiply(u2, key))
    r = point[0] % N if point else random.Random(u1).randrange(1, N)
    s = r * pow(u2, -1, N) % N
    return Signature(r, s, u1 * s % N)


def ranges(generator: random.Random) -> Iterator[Case]:
    """r and s at and beyond the ends of their range, in an otherwise valid signature."""
    _, good, key = random_case(generator)
    for value in (0, 1, 2, N - 1, N, N + 1, P - 1, P, 2**256 - 1):
        yield f"r = {value:#x}", Signature(value, good.s, good.digest), key
        yield f"s = {value:#x}", Signature(good.r, value, good.digest), key
    yield "s negated", Signature(good.r, N - good.s, good.digest), key
    yield "nothing in range", Signature(0, 0, good.digest), key


def wraps(generator: random.Random) -> Iterator[Case]:
    """Results whose x is at least N, so that r is small; and r for which r + N is not below P."""
    found = 0
    x = N
    while found < 3:
        x += 1
        point = lift(x)
        if point is None:
            continue
        found += 1
        yield f"x = n + {x - N}", *_leading_to(point, generator)
        _, signature, key = random_case(generator)
        yield f"r = {x - N}, wrong key", Signature(x - N, signature.s, signature.digest), key
    for r in (P - N - 1, P - N, P - N + 1, P - N + 2**64, (P - N) * 3 // 2):
        _, signature, key = random_case(generator)
        yield f"r = p - n + {r - (P - N)}", Signature(r, signature.s, signature.digest), key
    # The r for which a sum truncated to 256 bits matches: x = r + n - 2^256.
    x = next(x for x in range(5, 1000) if lift(x))
    signature, key = _leading_to(finite(lift(x)), generator)
    yield "x itself", signature, key
    wrong_r = x + 2**256 - N
    wrapped = Signature(wrong_r, wrong_r * pow(signature.r, -1, N) * signature.s % N, 0)
    digest = signature.digest * pow(signature.s, -1, N) * wrapped.s % N
    yield "r + n - 2^256 = x", Signature(wrapped.r, wrapped.s, digest), key


def _leading_to(point: Affine, generator: random.Random) -> tuple[Signature, Affine]:
    """A valid signature whose result is this point, and its key."""
    r, s, digest = point[0] % N, generator.randrange(1, N), generator.randrange(N)
    inverse = pow(s, -1, N)
    rest = add(point, negate(multiply(digest * inverse, G)))
    return Signature(r, s, digest), finite(multiply(pow(r * inverse, -1, N), rest))


def infinities(generator: random.Random) -> Iterator[Case]:
    """u1*G + u2*Q is the point at infinity: digest = -r * secret."""
    for secret in (1, N - 1, 2, LAMBDA, generator.randrange(N), generator.randrange(N)):
        r, s = generator.randrange(1, N), generator.randrange(1, N)
        key = finite(multiply(secret, G))
        yield f"infinity, key {secret:#x} G", Signature(r, s, -r * secret % N), key


def zero_scalars(generator: random.Random) -> Iterator[Case]:
    """u1 = 0, from the digests 0 and n; digests above n."""
    for digest in (0, N, N + 1, 2**256 - 1, P):
        secret, nonce = generator.randrange(1, N), generator.randrange(1, N)
        yield f"digest {digest:#x}", sign(secret, nonce, digest), finite(multiply(secret, G))
    secret = generator.randrange(1, N)
    yield "u1 = 0, u2 = 1", of_scalars(0, 1, key := finite(multiply(secret, G))), key
    yield "u1 = 0, u2 = n - 1", of_scalars(0, N - 1, key), key


def related_keys(generator: random.Random) -> Iterator[Case]:
    """Keys that are small multiples of G or of lambda G, so that windows of both coincide."""
    for name, secret in (("G", 1), ("-G", -1), ("lambda G", LAMBDA), ("-lambda G", -LAMBDA),
                         ("2 G", 2), ("G / 2", pow(2, -1, N)),
                         ("3 G", 3),
                         ("G / 31", pow(31, -1, N)), ("lambda^2 G", LAMBDA**2),
                         ("2^125 G", 2**125)):
        key = finite(multiply(secret % N, G))
        signature = sign(secret % N, generator.randrange(1, N), generator.randrange(2**256))
        yield f"random, key {name}", signature, key
        for u1, u2 in ((1, 1), (2, 3), (N - 1, 1), (5, N - 5), (LAMBDA, 1), (1, LAMBDA)):
            yield f"u1 = {u1:#x}, u2 = {u2:#x}, key {name}", of_scalars(u1, u2, key), key
        same = generator.randrange(1, N)
        for sign_of in (1, -1):
            u1 = sign_of * same % N
            yield f"u1 = {sign_of} u2, key {name}", of_scalars(u1, same, key), key


def sizes(generator: random.Random) -> Iterator[Case]:
    """Scalars of every size, including those near powers of two and near n / 2."""
    _, _, key = random_case(generator)
    for size in (1, 2, 5, 64, 127, 128, 129, 130, 200, 255):
        for u1 in (1 << size, (1 << size) - 1, N - (1 << size)):
            yield f"u1 = {u1:#x}", of_scalars(u1 % N, generator.getrandbits(size) | 1, key), key
    for u2 in (N // 2, N // 2 + 1):
        yield f"u2 = {u2:#x}", of_scalars(N // 2, u2, key), key


def bad_keys(generator: random.Random) -> Iterator[Case]:
    """Keys off the curve or out of range, in an otherwise valid signature."""
    _, signature, (x, y) = random_case(generator)
    bit = 1 << generator.randrange(255)
    small = next(point for point in map(lift, range(1, 99)) if point)
    for key in ((x ^ bit, y), (x, y ^ bit), (y, x), (x, 0), (0, y), (0, 0), (x * BETA % P, y + 1),
                (small[0] + P, small[1]), (P, y), (x, P), (2**256 - 1, 2**256 - 1)):
        yield f"key ({key[0]:#x}, {key[1]:#x})", signature, key
    yield "bad key, bad r", Signature(0, signature.s, signature.digest), (x, y ^ bit)


def flips(generator: random.Random) -> Iterator[Case]:
    """Signatures with one wrong bit in r, s or the digest, or with another key."""
    for _ in range(4):
        _, good, key = random_case(generator)
        bit = 1 << generator.randrange(256)
        yield "r flipped", Signature(good.r ^ bit, good.s, good.digest), key
        yield "s flipped", Signature(good.r, good.s ^ bit, good.digest), key
        yield "digest flipped", Signature(good.r, good.s, good.digest ^ bit), key
        yield "another's key", good, random_case(generator)[2]
        yield "key negated", good, finite(negate(key))


def all_cases(seed: int) -> list[Case]:
    """Every edge case, with random numbers around it."""
    generator = random.Random(seed)
    families = (ranges, wraps, infinities, zero_scalars, related_keys, sizes, bad_keys, flips)
    return [case for family in families for case in family(generator)]
