# SPDX-License-Identifier: Apache-2.0 OR MIT
"""X -> X^g of values in bit-reversed order."""

from collections.abc import Sequence

from engines.ckks.model.transform import reversed_bits


def permuted(values: Sequence[int], exponent: int) -> list[int]:
    """Place i of the result is the value at psi^(g * (2x + 1)), where x is i with its bits
    reversed."""
    degree = len(values)
    bits = degree.bit_length() - 1
    found = []
    for index in range(degree):
        power = exponent * (2 * reversed_bits(index, bits) + 1) % (2 * degree)
        found.append(values[reversed_bits(power >> 1, bits)])
    return found
