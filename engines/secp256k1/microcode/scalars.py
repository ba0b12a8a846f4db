# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Splits u1 and u2 into two odd halves each, kept as signs: 9 products per scalar (`model.split`).

The halves are shorter than P, so that residues modulo P hold them; only the rounding needs the high
half of a product as an integer.
"""

from arith.microcode.program import Keep, Program, Value
from engines.secp256k1.model.split import FACTOR_1, FACTOR_2, FIRST, HALF_BITS, SECOND


def keep_halves(program: Program, k: Value, scalars: tuple[int, int]) -> None:
    """Splits a scalar below N, a canonical residue, and keeps the signs of both halves."""
    parity = program.linear([(-2, program.high(k, 1 << 255)), (1, k)])
    coordinates = (program.high(k, FACTOR_1), program.high(k, FACTOR_2))
    for axis, scalar in enumerate(scalars):
        # -(2*h1 + 1 - parity) * first - (2*h2 + parity) * second, and k on the first axis.
        first, second = FIRST[axis], SECOND[axis]
        shortened = program.products([
            (coordinates[0], -2 * first), (coordinates[1], -2 * second),
            (parity, first - second),
        ])
        terms = [(1, shortened), (1, k)] if axis == 0 else [(1, shortened)]
        program.linear(terms, (1 << HALF_BITS) - 1 - first, keep=Keep(scalar=scalar))
