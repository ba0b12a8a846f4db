# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compares the model's numbers, fields, points and pairing with each other and with known
values."""

import random

from engines.bls12_381.model.pairing import (
    B1, B2, G1, G2, HARD_EXPONENT, add_points, final_exponentiation, line, miller_loop, multiply,
    on_curve, pairing,
)
from engines.bls12_381.model.tower import (
    ONE12, P, R, X, Fp12, frobenius12, inverse12, mul12, power12,
)


def element(rng: random.Random) -> Fp12:
    a, b, c, d, e, f = ((rng.randrange(P), rng.randrange(P)) for _ in range(6))
    return a, b, c, d, e, f


def test_numbers() -> None:
    assert P.bit_length() == 381 and R.bit_length() == 255
    assert P % 4 == 3 and (P - 1) % 6 == 0
    assert HARD_EXPONENT == (X - 1) ** 2 * (X + P) * (X**2 + P**2 - 1) + 3


def test_fields() -> None:
    rng = random.Random(1)
    a, b = element(rng), element(rng)
    assert mul12(a, inverse12(a)) == ONE12
    assert frobenius12(a) == power12(a, P)
    assert frobenius12(a, 12) == a
    assert frobenius12(mul12(a, b)) == mul12(frobenius12(a), frobenius12(b))


def test_points() -> None:
    assert on_curve(G1, B1) and on_curve(G2, B2)
    assert multiply(G1, R) is None and multiply(G2, R) is None
    assert add_points(multiply(G2, 5), multiply(G2, 7)) == multiply(G2, 12)


def test_known_value() -> None:
    """The first word of e(G1, G2) is that of the libraries."""
    first = int("1250ebd871fc0a92a7b2d83168d0d727272d441befa15c503dd8e90ce98db3e7"
                "b6d194f60839c508a84305aaca1789b6", 16)
    assert pairing(G1, G2)[0][0] == first


def test_pairing_is_bilinear() -> None:
    p, q = multiply(G1, 5), multiply(G2, 7)
    assert p is not None and q is not None
    value = pairing(G1, G2)
    assert value != ONE12 and power12(value, R) == ONE12
    assert pairing(p, q) == power12(value, 35)


def test_factors_of_subfields_do_not_count() -> None:
    scaled = mul12(miller_loop(G1, G2), ((3, 5),) + ((0, 0),) * 5)
    assert final_exponentiation(scaled) == pairing(G1, G2)
    assert line(G2, G2, G1)[1] == (0, 0)
