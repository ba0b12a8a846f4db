# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Points and the optimal ate pairing of BLS12-381 by definition: affine points, with one division
per step.

G1 lies on y² = x³ + 4 over F_p, G2 on the twist y² = x³ + 4ξ over F_p². A point (x, y) of the twist
represents (x / w², y / w³) on the first curve over F_p¹².
"""

from typing import Optional

from engines.bls12_381.model.tower import (
    ONE12, P, R, X, XI, Fp2, Fp12, ZERO2, add2, conjugate12, frobenius12, inverse12, inverse2, mul2,
    mul12, power12, scale2, sub2,
)

Point2 = Optional[tuple[Fp2, Fp2]]
"""A point of the twist; None is infinity. A point of G1 has imaginary parts of 0."""

G1 = (
    (int("17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac58"
         "6c55e83ff97a1aeffb3af00adb22c6bb", 16), 0),
    (int("08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3ed"
         "d03cc744a2888ae40caa232946c5e7e1", 16), 0),
)
G2 = (
    (int("024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d177"
         "0bac0326a805bbefd48056c8c121bdb8", 16),
     int("13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049"
         "334cf11213945d57e5ac7d055d042b7e", 16)),
    (int("0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c"
         "923ac9cc3baca289e193548608b82801", 16),
     int("0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab"
         "3f370d275cec1da1aaa9075ff05f79be", 16)),
)
B1: Fp2 = (4, 0)
B2: Fp2 = scale2(XI, 4)


def on_curve(point: Point2, b: Fp2) -> bool:
    if point is None:
        return True
    x, y = point
    return mul2(y, y) == add2(mul2(x, mul2(x, x)), b)


def slope(first: tuple[Fp2, Fp2], second: tuple[Fp2, Fp2]) -> Fp2:
    """The slope of the chord, or of the tangent at equal points; raises ValueError for a vertical
    line."""
    (x1, y1), (x2, y2) = first, second
    if first == second:
        return mul2(scale2(mul2(x1, x1), 3), inverse2(scale2(y1, 2)))
    return mul2(sub2(y2, y1), inverse2(sub2(x2, x1)))


def add_points(first: Point2, second: Point2) -> Point2:
    if first is None or second is None:
        return second if first is None else first
    (x1, y1), (x2, y2) = first, second
    if x1 == x2 and add2(y1, y2) == ZERO2:
        return None
    rise = slope(first, second)
    x3 = sub2(mul2(rise, rise), add2(x1, x2))
    return x3, sub2(mul2(rise, sub2(x1, x3)), y1)


def multiply(point: Point2, scalar: int) -> Point2:
    """Returns scalar * point, for a scalar that is not negative."""
    result: Point2 = None
    for bit in f"{scalar:b}":
        result = add_points(result, result)
        if bit == "1":
            result = add_points(result, point)
    return result


def line(t: tuple[Fp2, Fp2], q: tuple[Fp2, Fp2], p: tuple[Fp2, Fp2]) -> Fp12:
    """w³ times the line through the twist's t and q, at the point p of G1."""
    rise, (x, y) = slope(t, q), t
    return (sub2(mul2(rise, x), y), ZERO2, scale2(mul2(rise, p[0]), -1), p[1], ZERO2, ZERO2)


def miller_loop(p: tuple[Fp2, Fp2], q: tuple[Fp2, Fp2]) -> Fp12:
    """f_{x,Q}(P), up to factors that the final exponentiation removes."""
    value, t = ONE12, q
    for bit in f"{-X:b}"[1:]:
        value = mul12(mul12(value, value), line(t, t, p))
        t = _finite(add_points(t, t))
        if bit == "1":
            value = mul12(value, line(t, q, p))
            t = _finite(add_points(t, q))
    return conjugate12(value)


def _finite(point: Point2) -> tuple[Fp2, Fp2]:
    assert point is not None
    return point


def easy_part(value: Fp12) -> Fp12:
    """value^((p⁶ - 1)(p² + 1)): an element of the cyclotomic subgroup."""
    value = mul12(conjugate12(value), inverse12(value))
    return mul12(frobenius12(value, 2), value)


HARD_EXPONENT = 3 * (P**4 - P**2 + 1) // R
"""Three times the exponent of the definition, as in the libraries: it is shorter in X,
(X - 1)² (X + p) (X² + p² - 1) + 3."""


def final_exponentiation(value: Fp12) -> Fp12:
    return power12(easy_part(value), HARD_EXPONENT)


def pairing(p: tuple[Fp2, Fp2], q: tuple[Fp2, Fp2]) -> Fp12:
    """The cube of the usual definition of e(p, q), as in the libraries."""
    return final_exponentiation(miller_loop(p, q))
