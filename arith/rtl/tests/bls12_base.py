# SPDX-License-Identifier: Apache-2.0 OR MIT
"""bls12_base_reduce in plain integers, step by step, with its bounds: the golden model of the RTL,
and a check of the claims in its header."""

U = 0xD201 << 48 | 1 << 16  # the size of BLS12-381's parameter
BASE_P = (U**6 + 2 * U**5 - 2 * U**3 - U + 1) // 3
WIDTH = 384
DIGIT = 192
UNIT = 188  # the lowest summed bit
INVERSE = pow(3 * BASE_P, -1, 1 << DIGIT)


def base_scale(x: int) -> int:
    fifteen = 16 * x - x
    return (fifteen << 44) - (fifteen << 41) + (x << 32) + x


def rounded(term: int) -> int:
    """A term's bits from UNIT up; a subtrahend is inverted, without a correction."""
    return term >> UNIT if term >= 0 else ~(-term >> UNIT)


def base_round(value: int) -> int:
    """(value - s * 3p) / 2^DIGIT, which is not negative for a value of at least 2^DIGIT * 3p."""
    s = value * INVERSE % (1 << DIGIT)
    powers = [s]
    for _ in range(6):
        powers.append(base_scale(powers[-1]))
    terms = (value, -s, powers[1] << 16, powers[3] << 49, -powers[5] << 81, -powers[6] << 96)
    exact = sum(terms)
    assert exact == value - 3 * BASE_P * s and exact % (1 << DIGIT) == 0
    carries = 5
    total = sum(rounded(term) for term in terms) + carries
    assert total >> DIGIT - UNIT == exact >> DIGIT
    return total >> DIGIT - UNIT


def base_reduce(value: int) -> int:
    """Congruent to value * 2^-WIDTH modulo p, in (0, value / 2^WIDTH + 3p]."""
    start = value + (3 * BASE_P << WIDTH)
    result = base_round(base_round(start))
    assert 0 < result <= (value >> WIDTH) + 3 * BASE_P
    return result
