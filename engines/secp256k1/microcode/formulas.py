# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Points on y^2 = x^3 + b, for any b, as products and sums of field_core.

Jacobian coordinates represent (X/Z^2, Y/Z^3); the formulas are those of the Explicit-Formulas
Database, with squares as products. They do not handle exceptions: equal or opposite points, and
infinity, give Z = 0, and Z = 0 remains 0.
"""

from dataclasses import dataclass

from arith.microcode.program import Keep, Lookup, Program, Value


@dataclass(frozen=True)
class Jacobian:
    """The coordinates X, Y, Z."""

    x: Value
    y: Value
    z: Value


@dataclass(frozen=True)
class Plane:
    """X, Y of a point whose Z is shared with another point or kept elsewhere."""

    x: Value
    y: Value


@dataclass(frozen=True)
class Found:
    """An affine point in a table: one digit selects both coordinates, and its sign is applied to
    y."""

    x: Lookup
    y: Lookup


def square(program: Program, x: Value) -> Value:
    return program.product(x, x)


def double(program: Program, point: Jacobian) -> Jacobian:
    """2P (dbl-2009-l) in 7 products."""
    y_squared = square(program, point.y)
    slope = program.linear([(3, square(program, point.x))])
    shift = program.linear([(4, program.product(point.x, y_squared))])
    x = program.linear([(1, square(program, slope)), (-2, shift)])
    z = program.linear([(2, program.product(point.y, point.z))])
    y_fourth = square(program, y_squared)
    rest = program.linear([(1, shift), (-1, x)])
    y = program.linear([(1, program.product(slope, rest)), (-4, y_fourth), (-4, y_fourth)])
    return Jacobian(x, y, z)


def add_found(program: Program, point: Jacobian, found: Found, scale: Lookup | None = None
              ) -> Jacobian:
    """P + T for an affine T: 8M + 3S = 11 products.

    With `scale` C, T is a point of the curve to which P's curve is isomorphic by (C^2, C^3): 12
    products.
    """
    z = point.z if scale is None else program.product(point.z, scale)
    z_squared = square(program, z)
    u = program.product(z_squared, found.x)
    h = program.linear([(1, u), (-1, point.x)])
    s = program.product(program.product(z_squared, z), found.y)
    slope = program.signed(s, [(-1, point.y)])
    return _chord(program, point, h, slope, program.product(point.z, h))


def add_affine(program: Program, first: Plane, second: Plane) -> Jacobian:
    """P + T of two affine points in 6 products."""
    h = program.linear([(1, second.x), (-1, first.x)])
    slope = program.linear([(1, second.y), (-1, first.y)])
    return _chord(program, first, h, slope, h)


def _chord(program: Program, point: Jacobian | Plane, h: Value, slope: Value, z: Value) -> Jacobian:
    """The third point of the line through P and the point at distance h in x, in 6 products."""
    h_squared = square(program, h)
    v = program.product(point.x, h_squared)
    h_cubed = program.product(h, h_squared)
    x = program.linear([(1, square(program, slope)), (-1, h_cubed), (-2, v)])
    back = program.product(point.y, h_cubed)
    rest = program.linear([(1, v), (-1, x)])
    y = program.linear([(1, program.product(slope, rest)), (-1, back)])
    return Jacobian(x, y, z)


@dataclass(frozen=True)
class Pair:
    """Two points with the same Z, and x(kept) - x(other): the input of a co-Z addition."""

    kept: Plane
    other: Plane
    difference: Value


def add_same_height(program: Program, pair: Pair, place_x: int, place_y: int,
                    place_difference: int | None) -> Pair:
    """Turns P and T with the same Z (Meloni 2007) into P and P + T with another Z, in 6 products.

    The ratio of the new Z to the old one is the old difference. The sum's coordinates are kept in
    the table, and so is the new difference if a place is given for it.
    """
    kept, other = pair.kept, pair.other
    ratio_squared = square(program, pair.difference)
    kept_x = program.product(kept.x, ratio_squared)
    other_x = program.product(other.x, ratio_squared)
    slope = program.linear([(1, kept.y), (-1, other.y)])
    cubed = program.linear([(1, kept_x), (-1, other_x)])
    # x = slope^2 - kept_x - other_x; the next addition needs kept_x - x first.
    slope_squared = square(program, slope)
    difference = program.linear([(2, kept_x), (1, other_x), (-1, slope_squared)],
                                keep=Keep(table=place_difference))
    x = program.linear([(1, kept_x), (-1, difference)], keep=Keep(table=place_x))
    kept_y = program.product(kept.y, cubed)
    y = program.linear([(1, program.product(slope, difference)), (-1, kept_y)],
                       keep=Keep(table=place_y))
    return Pair(Plane(kept_x, kept_y), Plane(x, y), difference)
