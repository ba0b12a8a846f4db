# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The check of a signature that is alone in its core. Several turns are in flight, so that the time
is that of the longest chain of dependences, not the number of products.

The windows and the table are those of `verify`. A doubling has a chain of two products, while the
others have four: with U = 3b*Z^6, which is maintained, and B = Y^2,

    X' = X(B - 3U),  Y' = B^2 + 6BU - 3U^2,  Z' = 2YZ,  U' = 64B^3*U.

The maintained values are V = 6U and W = -U/2, so that Y' is one sum of three products. The three
points of a window are added to each other while the point of the previous window is doubled, so
that only one addition remains in the chain; their sum is computed one window ahead.
../rtl/README.md says where the formulas fail.
"""

from dataclasses import dataclass
from typing import Final

from arith.microcode.program import Program, Value
from engines.secp256k1.microcode.formulas import Jacobian, add_affine, add_found, square
from engines.secp256k1.microcode.layout import SCALE, word
from engines.secp256k1.microcode.window import TOP, base_multiple, fetch, key_multiples
from engines.secp256k1.model.curve import B, P
from engines.secp256k1.model.split import WINDOW_BITS

SIX_U: Final = 18 * B
"""V of a point of the curve itself with Z = 1."""
RATIO: Final = -pow(12, -1, P) % P
"""W = RATIO * V."""


@dataclass(frozen=True)
class Running:
    """A Jacobian point with V = 6U and W = -U/2, U = 3b*Z^6; all words except Z are in bank P."""

    x: Value
    y: Value
    z: Value
    v: Value
    w: Value


@dataclass(frozen=True)
class Halfway:
    """The values of a doubling that do not depend on its X': B - 3U, and the result without X'."""

    slope: Value
    y: Value
    z: Value
    v: Value
    w: Value


def halfway(program: Program, point: Running) -> Halfway:
    """A doubling without X' = X * slope, in 10 products."""
    squared = square(program, point.y)
    four = program.linear([(4, squared)])
    slope = program.linear([(1, squared), (4, point.w), (2, point.w)])
    y = program.products([(point.v, point.w), (squared, squared), (squared, point.v)])
    z = program.linear([(2, program.product(point.y, point.z))])
    sixteenfold = square(program, four)
    v = program.product(sixteenfold, program.product(four, point.v))
    w = program.product(sixteenfold, program.product(four, point.w))
    return Halfway(slope, y, z, v, w)


def double(program: Program, point: Running) -> Running:
    """2P in 11 products."""
    half = halfway(program, point)
    x = program.product(point.x, half.slope)
    return Running(x, half.y, half.z, half.v, half.w)


def double_and_add(program: Program, point: Running, other: Jacobian) -> Running:
    """2P + T in 35 products.

    With U1 = X1*Z2^2, S1 = Y1*Z2^3 of 2P and U2, S2 of T, H = U2 - U1, R = S2 - S1:
    X = R^2 - H^2(U1 + U2), Y = R(H^2(2*U1 + U2) - R^2) - S1*H*H^2, Z = Z1*G, G = Z2*H, and
    U = U(2P)*G^6.
    """
    half = halfway(program, point)
    other_squared = square(program, other.z)
    other_cubed = program.product(other_squared, other.z)
    moved_x = program.product(point.x, other_squared)
    first_x = program.product(moved_x, half.slope)
    first_y = program.product(half.y, other_cubed)
    z_squared = square(program, half.z)
    second_x = program.product(other.x, z_squared)
    second_y = program.product(other.y, program.product(z_squared, half.z))
    h = program.linear([(1, second_x), (-1, first_x)])
    minus_h = program.linear([(1, first_x), (-1, second_x)])
    r = program.linear([(1, second_y), (-1, first_y)])
    minus_r = program.linear([(1, first_y), (-1, second_y)])
    h_squared = square(program, h)
    minus_sum = program.linear([(-1, first_x), (-1, second_x)])
    weighted = program.linear([(2, first_x), (1, second_x)])
    rest = program.products([(r, minus_r), (h_squared, weighted)])
    back = program.product(first_y, minus_h)
    y = program.products([(back, h_squared), (r, rest)])
    x = program.products([(r, r), (h_squared, minus_sum)])
    growth = program.product(other.z, h)
    z = program.product(half.z, growth)
    squared = square(program, growth)
    fourth = square(program, squared)
    v = program.product(fourth, program.product(squared, half.v))
    w = program.product(fourth, program.product(squared, half.w))
    return Running(x, y, z, v, w)


def window_sum(program: Program, number: int, one: Value) -> Jacobian:
    """The sum of the points that a window adds, in 22 products."""
    first, second = (fetch(program, found, one) for found in key_multiples(number))
    total = add_affine(program, first, second)
    return add_found(program, total, base_multiple(number), word(SCALE))


def begin(program: Program, point: Jacobian, one: Value) -> Running:
    """Starts with the highest window's sum, which is doubled next."""
    scaled = program.product(point.z, word(SCALE))
    cubed = program.product(square(program, scaled), scaled)
    v = program.product(square(program, cubed), SIX_U)
    x, y = program.product(one, point.x), program.product(one, point.y)
    return Running(x, y, point.z, v, program.product(v, RATIO))


def window(program: Program, point: Running, total: Jacobian) -> Running:
    """Five doublings and an addition."""
    for _ in range(WINDOW_BITS - 1):
        point = double(program, point)
    return double_and_add(program, point, total)


def by_windows(program: Program, one: Value) -> Running:
    """u1*G + u2*Q."""
    point = begin(program, window_sum(program, TOP, one), one)
    following = window_sum(program, TOP - 1, one)

    def body(values: list[Value]) -> list[Value]:
        current, total = Running(*values[:5]), Jacobian(*values[5:])
        current = window(program, current, total)
        total = window_sum(program, TOP - 2, one)
        return [current.x, current.y, current.z, current.v, current.w,
                total.x, total.y, total.z]

    start = [point.x, point.y, point.z, point.v, point.w, following.x, following.y, following.z]
    values = program.loop(TOP - 1, start, body, digit_stride=-1)
    return window(program, Running(*values[:5]), Jacobian(*values[5:]))
