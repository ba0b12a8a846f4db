# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Elements of the cyclotomic subgroup that have no compressed form (Karabina, Squaring in cyclotomic
subgroups, 2013): their coefficient of w is 0. Tests of the coprocessor's other path need them.

For f = f_0 + t f_1 with t in F_p², the coefficient of w of f^((p⁶ - 1)(p² + 1)) is a polynomial in t of
degree 12, divided by an element of F_p². Its roots are found with gcds (Cantor and Zassenhaus, 1981)."""

import random

from engines.bls12_381.model.pairing import easy_part
from engines.bls12_381.model.tower import (
    P, Fp2, Fp12, add2, conjugate12, frobenius12, inverse2, mul2, mul12, power12, sub2,
)

Polynomial = list[Fp2]
"""Coefficients, the constant one first; the last one is not 0."""
DEGREE = 12
ORDER = P**4 - P**2 + 1
"""The order of the cyclotomic subgroup."""
ZERO, ONE = (0, 0), (1, 0)


def _trimmed(a: Polynomial) -> Polynomial:
    while a and a[-1] == ZERO:
        a.pop()
    return a


def _remainder(a: Polynomial, b: Polynomial) -> Polynomial:
    a, over = list(a), inverse2(b[-1])
    while len(a) >= len(b):
        factor = mul2(a[-1], over)
        for k, c in enumerate(b, len(a) - len(b)):
            a[k] = sub2(a[k], mul2(factor, c))
        _trimmed(a)
    return a


def _product(a: Polynomial, b: Polynomial, modulus: Polynomial) -> Polynomial:
    found = [ZERO] * (len(a) + len(b) - 1) if a and b else []
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            found[i + j] = add2(found[i + j], mul2(x, y))
    return _remainder(_trimmed(found), modulus)


def _power(a: Polynomial, exponent: int, modulus: Polynomial) -> Polynomial:
    found: Polynomial = [ONE]
    for bit in f"{exponent:b}":
        found = _product(found, found, modulus)
        if bit == "1":
            found = _product(found, a, modulus)
    return found


def _difference(a: Polynomial, b: Polynomial) -> Polynomial:
    size = max(len(a), len(b))
    pairs = zip([*a, *[ZERO] * (size - len(a))], [*b, *[ZERO] * (size - len(b))])
    return _trimmed([sub2(x, y) for x, y in pairs])


def _gcd(a: Polynomial, b: Polynomial) -> Polynomial:
    while b:
        a, b = b, _remainder(a, b)
    return a


def _root(polynomial: Polynomial, rng: random.Random) -> Fp2 | None:
    """A root in F_p², if there is one."""
    linear: Polynomial = [ZERO, ONE]
    found = _gcd(polynomial, _difference(_power(linear, P**2, polynomial), linear))
    while len(found) > 2:
        shift: Polynomial = [(rng.randrange(P), rng.randrange(P)), ONE]
        part = _gcd(found, _difference(_power(shift, (P**2 - 1) // 2, found), [ONE]))
        if 1 < len(part) < len(found):
            found = part
    return None if len(found) < 2 else mul2((-found[0][0] % P, -found[0][1] % P), inverse2(found[1]))


def _interpolated(values: Polynomial) -> Polynomial:
    """The polynomial with these values at 0, 1, 2, ..."""
    found: Polynomial = [ZERO] * len(values)
    for k, value in enumerate(values):
        basis, scale = [1], 1
        for j in range(len(values)):
            if j != k:
                basis = [(low - j * high) % P for low, high in zip([0, *basis], [*basis, 0])]
                scale = scale * (k - j) % P
        over = pow(scale, -1, P)
        found = [add2(c, mul2(value, (b * over % P, 0))) for c, b in zip(found, basis)]
    return _trimmed(found)


def unexpanded(rng: random.Random) -> Fp12:
    """A random element of the cyclotomic subgroup whose coefficient of w is 0."""
    while True:
        first, second = (tuple((rng.randrange(P), rng.randrange(P)) for _ in range(6))
                         for _ in range(2))

        def at(t: Fp2) -> Fp12:
            c_0, c_1, c_2, c_3, c_4, c_5 = (add2(a, mul2(t, b)) for a, b in zip(first, second))
            return c_0, c_1, c_2, c_3, c_4, c_5

        def numerator(t: int) -> Fp2:
            f = at((t, 0))
            square = mul12(conjugate12(f), conjugate12(f))
            norm = mul12(f, conjugate12(f))
            norm = mul12(norm, frobenius12(norm, 2))
            adjoint = mul12(frobenius12(norm, 2), frobenius12(norm, 4))
            return mul12(mul12(square, frobenius12(square, 2)), adjoint)[1]

        root = _root(_interpolated([numerator(t) for t in range(DEGREE + 1)]), rng)
        if root is not None:
            found = easy_part(at(root))
            assert found[1] == ZERO
            return found


def unexpanded_input(rng: random.Random, squares: int) -> Fp12:
    """An argument of the final exponentiation: its first part, squared `squares` times, is an element
    of `unexpanded`."""
    easy = (P**6 - 1) * (P**2 + 1)
    return power12(unexpanded(rng), pow(easy << squares, -1, ORDER))
