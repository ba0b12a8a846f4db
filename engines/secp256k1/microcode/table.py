# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Computes Q, 3Q, ..., 31Q with one Z, without an inversion: the table that the digits of u2 select
from.

Upward, 2Q is added with co-Z additions: each sum has its own Z, which is the previous Z times a
ratio that is kept. Downward, the product f of the ratios scales (x, y) to (x*f^2, y*f^3), which has
the Z of 31Q. That Z is C; the points are affine on y^2 = x^3 + 7*C^6.
"""

from dataclasses import dataclass

from arith.microcode.program import Keep, Program, Value
from engines.secp256k1.microcode.formulas import Pair, Plane, add_same_height, square
from engines.secp256k1.microcode.layout import (
    DOUBLED_Y, MULTIPLES, RATIOS, RESIDUE, ROW_BETA_X, ROW_X, ROW_Y, SCALE, word,
)
from engines.secp256k1.model.curve import B, BETA


def _keep(program: Program, value: Value, place: int) -> Value:
    return program.linear([(1, value)], keep=Keep(table=place))


def check_curve(program: Program, x: Value, x_squared: Value, y_squared: Value) -> None:
    """Outputs RESIDUE, which is 0 for a point of the curve, in one product."""
    cubed = program.product(x, x_squared)
    program.linear([(1, y_squared), (-1, cubed)], -B, output=RESIDUE)


def double_and_check(program: Program, x: Value, y: Value) -> Pair:
    """Returns 2Q and Q with the same Z, 2y, in 7 products.

    Q and that Z are kept in the table; the output RESIDUE is 0 if Q is on the curve.
    """
    x_squared, y_squared = square(program, x), square(program, y)
    slope = program.linear([(3, x_squared)])
    shift = program.linear([(4, program.product(x, y_squared))], keep=Keep(table=ROW_X))
    difference = program.linear([(1, square(program, slope)), (-3, shift)],
                                keep=Keep(table=RATIOS + 1))
    doubled_x = program.linear([(1, difference), (1, shift)])
    y_fourth = square(program, y_squared)
    same_y = program.linear([(4, y_fourth), (4, y_fourth)], keep=Keep(table=ROW_Y))
    doubled_y = program.linear([(-1, program.product(slope, difference)), (-1, same_y)])
    check_curve(program, x, x_squared, y_squared)
    program.linear([(2, y)], keep=Keep(table=DOUBLED_Y))
    return Pair(Plane(doubled_x, doubled_y), Plane(shift, same_y), difference)


@dataclass(frozen=True)
class Upper:
    """The values that `go_up` leaves in registers: the last multiple's x and ratio."""

    last_x: Value
    last_ratio: Value


def go_up(program: Program, x: Value, y: Value) -> Upper:
    """Keeps every multiple with its own Z, and the ratio of each Z to the previous one."""
    pair = double_and_check(program, x, y)
    ratio = pair.difference
    for index in range(1, MULTIPLES):
        next_ratio = RATIOS + index + 1 if index + 2 < MULTIPLES else None
        ratio = pair.difference
        pair = add_same_height(program, pair, ROW_X + index, ROW_Y + index, next_ratio)
    return Upper(pair.other.x, ratio)


def go_down(program: Program, upper: Upper) -> Value:
    """Scales every multiple to the last one's Z and keeps that, and each x times BETA.

    Returns one of the last products, so that later operations can wait for it.
    """
    last, factor = MULTIPLES - 1, upper.last_ratio
    _keep(program, program.product(upper.last_x, BETA), ROW_BETA_X + last)
    for index in range(last - 1, -1, -1):
        factor_squared = square(program, factor)
        x = program.product(factor_squared, word(ROW_X + index))
        _keep(program, x, ROW_X + index)
        factor_cubed = program.product(factor_squared, factor)
        _keep(program, program.product(factor_cubed, word(ROW_Y + index)), ROW_Y + index)
        if index:
            factor = program.product(factor, word(RATIOS + index))
        _keep(program, program.product(x, BETA), ROW_BETA_X + index)
    _keep(program, program.product(factor, word(DOUBLED_Y)), SCALE)
    return factor
