# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Addition without exceptions on y^2 = x^3 + b (Renes, Costello, Batina 2016, for a = 0).

Homogeneous coordinates (X/Z, Y/Z), infinity (0, 1, 0). `three_b` is 3*b as a word of the table.
"""

from arith.microcode.program import Lookup, Program
from engines.secp256k1.microcode.formulas import Jacobian as Homogeneous
from engines.secp256k1.microcode.formulas import Plane, square


def double(program: Program, point: Homogeneous, three_b: Lookup) -> Homogeneous:
    """2P in 9 products (algorithm 9, with its sums of products combined).

    X3 = 2XY(Y^2 - 9bZ^2), Y3 = (Y^2 - 9bZ^2)(Y^2 + 3bZ^2) + 24bY^2Z^2, Z3 = 8Y^3Z.
    """
    y_squared = square(program, point.y)
    b_part = program.product(square(program, point.z), three_b)
    lower = program.linear([(1, y_squared), (-3, b_part)])
    upper = program.linear([(1, y_squared), (1, b_part)])
    eight_y = program.linear([(4, y_squared), (4, y_squared)])
    cross = program.linear([(2, program.product(point.x, point.y))])
    x = program.linear([(1, program.product(cross, lower))])
    y = program.linear([(1, program.products([(lower, upper), (eight_y, b_part)]))])
    z = program.product(program.product(point.y, point.z), eight_y)
    return Homogeneous(x, y, z)


def add_affine(program: Program, point: Homogeneous, other: Plane, three_b: Lookup
               ) -> Homogeneous:
    """P + T in 14 products, for any point P and an affine point T (algorithm 8).

    X3 = (X1y2 + x2Y1)(Y1y2 - 3bZ1) - 3b(Y1 + y2Z1)(X1 + x2Z1),
    Y3 = (Y1y2 - 3bZ1)(Y1y2 + 3bZ1) + 3X1x2 * 3b(X1 + x2Z1),
    Z3 = (Y1 + y2Z1)(Y1y2 + 3bZ1) + (X1y2 + x2Y1) * 3X1x2.
    """
    x_part = program.linear([(3, program.product(point.x, other.x))])
    y_part = program.product(point.y, other.y)
    b_part = program.product(point.z, three_b)
    lower = program.linear([(1, y_part), (-1, b_part)])
    upper = program.linear([(1, y_part), (1, b_part)])
    cross = program.products([(point.x, other.y), (point.y, other.x)])
    y_sum = program.linear([(1, program.product(other.y, point.z)), (1, point.y)])
    x_sum = program.linear([(1, program.product(other.x, point.z)), (1, point.x)])
    b_sum = program.product(x_sum, three_b)
    b_negative = program.linear([(-1, b_sum)])
    x = program.linear([(1, program.products([(cross, lower), (y_sum, b_negative)]))])
    y = program.linear([(1, program.products([(lower, upper), (x_part, b_sum)]))])
    z = program.products([(y_sum, upper), (cross, x_part)])
    return Homogeneous(x, y, z)


def add_scaled(program: Program, point: Homogeneous, other: Plane, scale: tuple[Lookup, Lookup],
               three_b: Lookup) -> Homogeneous:
    """As `add_affine`, for a T on the curve to which P's curve is isomorphic by (C^2, C^3)."""
    moved = Plane(program.product(other.x, scale[0]), program.product(other.y, scale[1]))
    return add_affine(program, point, moved, three_b)
