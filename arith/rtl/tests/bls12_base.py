# SPDX-License-Identifier: Apache-2.0 OR MIT
"""bls12_base_reduce and montgomery_saved in plain integers, step by step, with their bounds: the
golden models of the RTL, and checks of the claims in its headers."""

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


# ---- montgomery_saved -----------------------------------------------------------------------------
TILE_A, TILE_B = 26, 17
MODULUS_ROWS = -(-BASE_P.bit_length() // TILE_B)
GUARD = (2 * MODULUS_ROWS + 4 - 1).bit_length()
COLUMN = WIDTH - GUARD
"""The lowest column that is summed."""
SAVED_SEGMENT = 132
MOST_PRODUCTS = 12
SAVED_MULTIPLES = 15


def upper_columns(factor: int) -> list[int]:
    """The vectors of const_columns for factor * p: each has the tiles of a row in every second
    column, without what is below COLUMN."""
    vectors = []
    for row in range(MODULUS_ROWS):
        digit = BASE_P >> TILE_B * row & (1 << TILE_B) - 1
        for parity in (0, 1):
            tiles = [(factor >> low & (1 << TILE_A) - 1) * digit << low + TILE_B * row
                     for low in range(parity * TILE_A, WIDTH, 2 * TILE_A)]
            assert sum(tile & 1 << bit != 0 for tile in tiles for bit in range(2 * WIDTH)) == (
                sum(tiles).bit_count()), "tiles of a vector overlap"
            vectors.append(sum(tiles) >> COLUMN)
    return vectors


def saved_reduce(parts: int, totals: list[int]) -> int:
    """The sum before quotient_finish, for a value with saved carries: congruent to the value *
    2^-WIDTH modulo p, in [0, value / 2^WIDTH + p)."""
    pending = [total << SAVED_SEGMENT * (k + 1) for k, total in enumerate(totals)]
    value = parts + sum(pending)
    factor = -value * pow(BASE_P, -1, 1 << WIDTH) % (1 << WIDTH)
    exact = value + factor * BASE_P
    assert exact % (1 << WIDTH) == 0
    kept = [parts >> COLUMN, *upper_columns(factor),
            *(one >> COLUMN for one in pending if one >> WIDTH)]
    lost = exact - (sum(kept) << COLUMN)
    assert 0 <= lost <= ((1 << GUARD) - 1) << COLUMN
    found = sum(kept) + (1 << GUARD) - 1 >> GUARD
    assert found == exact >> WIDTH
    return found
