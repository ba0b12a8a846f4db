# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The layout of a job: the words of its input, its result, its table and its scalars.

A job's words are u1, u2, r, r2, x, y (`model.division.job_words`). Its result is three words, of
which only zero or nonzero matters: RESIDUE is 0 for a key on the curve, HEIGHT is 0 for a result at
infinity, MATCH is 0 if the result's x is r modulo N.
"""

from typing import Final

from arith.microcode import isa
from arith.microcode.program import Lookup

U1, U2, R, R2, X, Y = range(6)
INPUTS: Final = 6
RESIDUE, HEIGHT, MATCH = range(3)
OUTPUTS: Final = 3

KEY_SCALARS: Final = (0, 1)
"""The halves of u2: digits of Q and of lambda Q."""
BASE_SCALARS: Final = (2, 3)
"""The halves of u1: joint digits of G and lambda G."""

MULTIPLES: Final = 16
"""Q, 3Q, 5Q, ..., 31Q."""
ROW_X, ROW_Y, ROW_BETA_X = 0, 16, 32
"""The first words of the multiples' coordinates x, y and beta * x."""
RATIOS: Final = ROW_BETA_X
"""While the table is computed: the ratio of each multiple's Z to that of the previous multiple."""
SCALE: Final = 48
"""C: the table's points are those of the curve scaled by (C^2, C^3)."""
SPILL_R, SPILL_R2, DOUBLED_Y = 49, 50, 51
SCALE_SQUARED, SCALE_CUBED, COMPLETE_B = 52, 53, 54
"""For the complete formulas: C^2, C^3 and 3 * 7 * C^6."""


def word(index: int) -> Lookup:
    """Returns a word of the context's table as a factor."""
    return Lookup(isa.LOOKUP_WORD, index)
