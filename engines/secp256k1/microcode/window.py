# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The points that the windows of the scalars select: multiples of Q and of lambda Q, and of G and
lambda G."""

from typing import Final

from arith.microcode import isa
from arith.microcode.program import Lookup, Program, Value
from engines.secp256k1.microcode.formulas import Found, Plane
from engines.secp256k1.microcode.layout import KEY_SCALARS, ROW_BETA_X, ROW_X, ROW_Y
from engines.secp256k1.model.split import WINDOWS

TOP: Final = WINDOWS - 1


def key_multiple(row_x: int, scalar: int, number: int) -> Found:
    """A multiple of Q, or of lambda Q, selected by a window of a half of u2."""
    return Found(Lookup(isa.LOOKUP_DIGIT, row_x, scalar, number),
                 Lookup(isa.LOOKUP_DIGIT, ROW_Y, scalar, number))


def key_multiples(number: int) -> tuple[Found, Found]:
    return (key_multiple(ROW_X, KEY_SCALARS[0], number),
            key_multiple(ROW_BETA_X, KEY_SCALARS[1], number))


def base_multiple(number: int) -> Found:
    """A multiple of G plus one of lambda G, selected by the windows of both halves of u1."""
    return Found(Lookup(isa.LOOKUP_FIXED, 0, number=number),
                 Lookup(isa.LOOKUP_FIXED, 1, number=number))


def fetch(program: Program, found: Found, one: Value) -> Plane:
    """Copies a point from its table to registers: 2 products."""
    return Plane(program.product(one, found.x), program.signed(program.product(one, found.y)))
