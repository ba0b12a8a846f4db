# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The fields of BLS12-381 in plain integers: F_p, F_p² = F_p(i), and F_p¹² = F_p²(w) with w⁶ = ξ = 1 + i.

An element of F_p¹² is the tuple of its six coefficients in w. In the usual tower the same element
is (c0, c2, c4) + (c1, c3, c5) w over F_p⁶ = F_p²(v), v = w².
"""

X = -0xD201000000010000
"""The parameter that defines the curve's numbers."""
R = X**4 - X**2 + 1
P = (X - 1) ** 2 * R // 3 + X

Fp2 = tuple[int, int]
Fp12 = tuple[Fp2, Fp2, Fp2, Fp2, Fp2, Fp2]

ZERO2: Fp2 = (0, 0)
ONE2: Fp2 = (1, 0)
XI: Fp2 = (1, 1)
ONE12: Fp12 = (ONE2, ZERO2, ZERO2, ZERO2, ZERO2, ZERO2)


def add2(a: Fp2, b: Fp2) -> Fp2:
    return (a[0] + b[0]) % P, (a[1] + b[1]) % P


def scale2(a: Fp2, k: int) -> Fp2:
    return a[0] * k % P, a[1] * k % P


def sub2(a: Fp2, b: Fp2) -> Fp2:
    return add2(a, scale2(b, -1))


def mul2(a: Fp2, b: Fp2) -> Fp2:
    return (a[0] * b[0] - a[1] * b[1]) % P, (a[0] * b[1] + a[1] * b[0]) % P


def conjugate2(a: Fp2) -> Fp2:
    return a[0], -a[1] % P


def inverse2(a: Fp2) -> Fp2:
    """The inverse; raises ValueError for 0."""
    return scale2(conjugate2(a), pow(a[0] ** 2 + a[1] ** 2, -1, P))


def power2(a: Fp2, exponent: int) -> Fp2:
    result = ONE2
    for bit in f"{exponent:b}":
        result = mul2(result, result)
        if bit == "1":
            result = mul2(result, a)
    return result


def _fp12(coefficients: list[Fp2]) -> Fp12:
    c0, c1, c2, c3, c4, c5 = coefficients
    return c0, c1, c2, c3, c4, c5


def mul12(a: Fp12, b: Fp12) -> Fp12:
    coefficients = [ZERO2] * 6
    for i in range(6):
        for j in range(6):
            term = mul2(a[i], b[j])
            if i + j >= 6:
                term = mul2(term, XI)
            coefficients[(i + j) % 6] = add2(coefficients[(i + j) % 6], term)
    return _fp12(coefficients)


def power12(a: Fp12, exponent: int) -> Fp12:
    """a^exponent, for an exponent that is not negative."""
    result = ONE12
    for bit in f"{exponent:b}":
        result = mul12(result, result)
        if bit == "1":
            result = mul12(result, a)
    return result


def conjugate12(a: Fp12) -> Fp12:
    """a^(p⁶): w becomes -w. The inverse of an element of the cyclotomic subgroup."""
    return _fp12([scale2(c, -1 if i % 2 else 1) for i, c in enumerate(a)])


FROBENIUS = tuple(power2(XI, i * (P - 1) // 6) for i in range(6))
"""w^(i p) = FROBENIUS[i] w^i."""


def frobenius12(a: Fp12, times: int = 1) -> Fp12:
    """a^(p^times)."""
    for _ in range(times):
        a = _fp12([mul2(conjugate2(c), f) for c, f in zip(a, FROBENIUS)])
    return a


def inverse12(a: Fp12) -> Fp12:
    """The inverse, as the product of the conjugates divided by the norm to F_p². Raises ValueError
    for 0."""
    others = ONE12
    for k in range(2, 12, 2):
        others = mul12(others, frobenius12(a, k))
    norm = mul12(a, others)
    assert norm[1:] == (ZERO2,) * 5
    inverse = inverse2(norm[0])
    return _fp12([mul2(c, inverse) for c in others])
