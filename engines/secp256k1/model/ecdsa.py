# SPDX-License-Identifier: Apache-2.0 OR MIT
"""ECDSA over secp256k1 (SEC 1, sections 4.1.3 and 4.1.4), with the card's verdict."""

from dataclasses import dataclass
from enum import IntEnum

from engines.secp256k1.model.curve import Affine, G, N, Point, add, multiply, on_curve


class Check(IntEnum):
    """A check; the value is its bit in the mask of failures (engines/secp256k1/src)."""

    R_RANGE = 0
    S_RANGE = 1
    INFINITY = 2
    MATCH = 3
    ON_CURVE = 5


@dataclass(frozen=True)
class Signature:
    """r, s and the digest's leftmost 256 bits, which may be any numbers of 256 bits."""

    r: int
    s: int
    digest: int


def scalars(signature: Signature) -> tuple[int, int]:
    """Returns u1 and u2, for an s that has an inverse."""
    inverse = pow(signature.s, -1, N)
    return signature.digest * inverse % N, signature.r * inverse % N


def inputs_mask(signature: Signature, key: Affine) -> int:
    """Returns all failures of r, s and the key."""
    mask = 0
    for check, holds in ((Check.R_RANGE, 0 < signature.r < N),
                         (Check.S_RANGE, 0 < signature.s < N),
                         (Check.ON_CURVE, on_curve(key))):
        mask |= (not holds) << check
    return mask


def result_mask(point: Point, r: int) -> int:
    """Returns the failures of the result u1*G + u2*Q; infinity has no x to compare."""
    if point is None:
        return 1 << Check.INFINITY
    return int(point[0] % N != r) << Check.MATCH


def verify(signature: Signature, key: Affine) -> int:
    """Returns the mask of failed checks, 0 for a valid signature.

    If an input is invalid, nothing further is computed, and the bits of the result are 0.
    """
    mask = inputs_mask(signature, key)
    if mask:
        return mask
    u1, u2 = scalars(signature)
    return result_mask(add(multiply(u1, G), multiply(u2, key)), signature.r)


def sign(secret: int, nonce: int, digest: int) -> Signature:
    """Returns a signature with a given nonce, for tests only."""
    point = multiply(nonce, G)
    if point is None:
        raise ValueError("the nonce is a multiple of n")
    r = point[0] % N
    s = pow(nonce, -1, N) * (digest + r * secret) % N
    if not r or not s:
        raise ValueError("this nonce gives r or s = 0")
    return Signature(r, s, digest)
