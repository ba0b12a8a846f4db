# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Multiples of points of both curves, and the tests for the groups of order r.

Sums and doubles use the formulas of Renes, Costello and Batina ("Complete addition formulas for
prime order elliptic curves", 2016, algorithms 7 and 9), in x = X/Z, y = Y/Z. Neither curve has a
point of order 2, so that the formulas hold for all points; infinity is (0 : Y : 0).

The formulas multiply by 3b. To make that cheap, points are mapped to isomorphic curves: 1/6 is a
square and a cube in F_p, and with X_SCALE³ = Y_SCALE² = 1/6 the point (X_SCALE x, Y_SCALE y) lies
on a curve with 3b = 2, or 2ξ for the twist. That saves a sum, and its time, in each formula.
"Scaled" points below are points of these curves.

A turn has a product and a sum: the formulas are chosen to have about equal numbers of both.
"""

from typing import Any, Sequence

from arith.microcode.program import Program, Value
from engines.bls12_381.microcode.pairing import LAST_RUN, RUNS
from engines.bls12_381.microcode.tower import Fp2, Tower, words
from engines.bls12_381.model.tower import FROBENIUS, P, conjugate2, inverse2

Coordinate = Any
"""A value, or an `Fp2`."""
Point = tuple[Coordinate, Coordinate, Coordinate]

WINDOW_BITS = 4
"""The number of bits of a scalar that one step of a multiple or of a power covers."""


def _cube_root(a: int) -> int:
    """Returns the cube root of a cube whose order is not a multiple of 3."""
    odd = P - 1
    while odd % 3 == 0:
        odd //= 3
    root = pow(a, pow(3, -1, odd), P)
    assert pow(root, 3, P) == a
    return root


X_SCALE = _cube_root(pow(6, -1, P))
Y_SCALE = pow(pow(6, -1, P), (P + 1) // 4, P)
BETA = pow(2, (P - 1) // 3, P)
"""(x, y) -> (BETA x, y) is multiplication by -X² in G1."""
PSI_X, PSI_Y = inverse2(FROBENIUS[2]), inverse2(FROBENIUS[3])
"""(x, y) -> (PSI_X conj(x), PSI_Y conj(y)), the Frobenius map on the twist, is multiplication by X
in G2."""


def read(values: Sequence[Value], degree: int) -> list[Coordinate]:
    """Converts words to coordinates."""
    if degree == 1:
        return list(values)
    return [Fp2(values[i], values[i + 1]) for i in range(0, len(values), 2)]


def write(coordinates: Sequence[Coordinate]) -> list[Value]:
    """Converts coordinates to words."""
    return [word for c in coordinates for word in (words([c]) if isinstance(c, Fp2) else [c])]


# ---- Over F_p -------------------------------------------------------------------------------------
def _double_1(program: Program, point: Point) -> Point:
    """8 products, 6 sums. With F = 3b Z²: (2XY (Y² - 3F), (Y² - 3F)(Y² + F) + 8 Y² F, 8 Y³ Z)."""
    x, y, z = point
    linear, product = program.linear, program.product
    yy, zz = product(y, y), product(z, z)
    less, more = linear([(1, yy), (-4, zz), (-2, zz)]), linear([(1, yy), (2, zz)])
    yy_4, zz_4 = linear([(4, yy)]), linear([(4, zz)])
    xy_2, yz_2 = linear([(2, product(x, y))]), linear([(2, product(y, z))])
    return (product(xy_2, less), program.products([(less, more), (yy_4, zz_4)]),
            product(yy_4, yz_2))


def _add_1(program: Program, p: Point, q: Point) -> Point:
    """15 products, 5 sums. With xx = X₁X₂ and so on, xy = X₁Y₂ + X₂Y₁ and so on:
    (xy (yy - 3b zz) - 3b yz xz, (yy + 3b zz)(yy - 3b zz) + 9b xx xz, yz (yy + 3b zz) + 3 xx xy)."""
    (x_1, y_1, z_1), (x_2, y_2, z_2) = p, q
    linear, product, products = program.linear, program.product, program.products
    yy, zz = product(y_1, y_2), product(z_1, z_2)
    less, more = linear([(1, yy), (-2, zz)]), linear([(1, yy), (2, zz)])
    xz = linear([(-2, products([(x_1, z_2), (x_2, z_1)]))])
    xx = product(x_1, x_2)
    xx_3, negative_xx_3 = linear([(3, xx)]), linear([(-3, xx)])
    yz, xy = products([(y_1, z_2), (y_2, z_1)]), products([(x_1, y_2), (x_2, y_1)])
    return (products([(xy, less), (xz, yz)]), products([(more, less), (negative_xx_3, xz)]),
            products([(yz, more), (xx_3, xy)]))


# ---- Over F_p² ------------------------------------------------------------------------------------
class _School:
    """Sums of products in F_p² with 4 products each and two reductions."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._negatives: dict[Value, Value] = {}

    def negative(self, a: Value) -> Value:
        if a not in self._negatives:
            self._negatives[a] = self._program.linear([(-1, a)])
        return self._negatives[a]

    def product(self, *factors: tuple[Fp2, Fp2]) -> Fp2:
        """Returns the sum; the imaginary parts of the first factors are negated."""
        real, imaginary = [], []
        for a, b in factors:
            real += [(a.re, b.re), (self.negative(a.im), b.im)]
            imaginary += [(a.re, b.im), (a.im, b.re)]
        return Fp2(self._program.products(real), self._program.products(imaginary))


def _double_2(program: Program, point: Point) -> Point:
    """27 products, 19 sums: squares and the product of X and Y by Karatsuba, the other products
    without."""
    x, y, z = point
    linear, tower, school = program.linear, Tower(program), _School(program)
    yy = tower.square(y)
    real = program.product(tower.total(z), linear([(1, z.re), (-1, z.im)]))
    half = program.product(z.re, z.im)
    f = Fp2(linear([(2, real), (-4, half)]), linear([(2, real), (4, half)]))
    less, more = tower.combine((1, yy), (-3, f)), tower.combine((1, yy), (1, f))
    yy_8 = tower.combine((4, yy), (4, yy))
    xy_2, yz = tower.product((x, y), scale=2), school.product((y, z))
    return (school.product((less, xy_2)), school.product((less, more), (yy_8, f)),
            school.product((yy_8, yz)))


def _add_2(program: Program, p: Point, q: Point) -> Point:
    """45 products, 37 sums, by Karatsuba."""
    (x_1, y_1, z_1), (x_2, y_2, z_2) = p, q
    linear, tower = program.linear, Tower(program)

    def times_2_xi(*factors: tuple[Fp2, Fp2], sign: int = 1) -> Fp2:
        wide = tower.wide(*factors)
        return Fp2(linear([(4 * sign, wide.real), (-2 * sign, wide.both)]),
                   linear([(2 * sign, wide.both), (-4 * sign, wide.imaginary)]))

    yy, f = tower.product((y_1, y_2)), times_2_xi((z_1, z_2))
    less, more = tower.combine((1, yy), (-1, f)), tower.combine((1, yy), (1, f))
    negative_xz = times_2_xi((x_1, z_2), (x_2, z_1), sign=-1)
    wide_xx = tower.wide((x_1, x_2))
    xx_3, negative_xx_3 = tower.settle(wide_xx, 3), tower.settle(wide_xx, -3)
    yz, xy = tower.product((y_1, z_2), (y_2, z_1)), tower.product((x_1, y_2), (x_2, y_1))
    return (tower.product((xy, less), (negative_xz, yz)),
            tower.product((more, less), (negative_xx_3, negative_xz)),
            tower.product((yz, more), (xx_3, xy)))


def double(program: Program, degree: int, point: Point) -> Point:
    """Doubles any scaled point."""
    return (_double_1 if degree == 1 else _double_2)(program, point)


def add(program: Program, degree: int, p: Point, q: Point) -> Point:
    """Adds any two scaled points, which may be equal or infinite."""
    return (_add_1 if degree == 1 else _add_2)(program, p, q)


# ---- Programs -------------------------------------------------------------------------------------
def scaled(program: Program, degree: int, values: Sequence[Value]) -> list[Value]:
    """From the forms X, Y, Z with x = X/Z², y = Y/Z³: the scaled point."""
    x, y, z = read(values, degree)

    def by(factor: int, a: Coordinate) -> Coordinate:
        if degree == 1:
            return program.product(a, factor)
        return Fp2(program.product(a.re, factor), program.product(a.im, factor))

    def product(a: Coordinate, b: Coordinate) -> Coordinate:
        return program.product(a, b) if degree == 1 else _School(program).product((a, b))

    return write([product(by(X_SCALE, x), z), by(Y_SCALE, y), product(product(z, z), z)])


def unscaled(program: Program, degree: int, values: Sequence[Value], factor: int) -> list[Value]:
    """From the forms X, Y and 1/Z of a scaled point: x, y times a factor."""
    x, y, over = read(values, degree)
    by_x, by_y = (factor * pow(scale, -1, P) % P for scale in (X_SCALE, Y_SCALE))
    if degree == 1:
        return [program.product(program.product(a, over), by) for a, by in ((x, by_x), (y, by_y))]
    school = _School(program)
    return [program.product(word, by) for a, by in ((x, by_x), (y, by_y))
            for word in words([school.product((over, a))])]


def window(program: Program, degree: int, values: Sequence[Value]) -> list[Value]:
    """From two scaled points: 2^WINDOW_BITS times the first one, plus the second one."""
    x, y, z, *other = read(values, degree)
    point: Point = x, y, z
    for _ in range(WINDOW_BITS):
        point = double(program, degree, point)
    return write(add(program, degree, point, (other[0], other[1], other[2])))


def multiples(program: Program, degree: int, values: Sequence[Value], count: int) -> list[Value]:
    """From two scaled points P, Q: the sums Q + P, Q + 2P, Q + 3P, and so on."""
    x, y, z, *other = read(values, degree)
    last: Point = other[0], other[1], other[2]
    found: list[Value] = []
    for _ in range(count):
        last = add(program, degree, last, (x, y, z))
        found += write(last)
    return found


def _times_parameter(program: Program, degree: int, point: Point) -> Point:
    """The multiple of a point by |X|."""
    def doubles(values: list[Value]) -> list[Value]:
        x, y, z = read(values, degree)
        return write(double(program, degree, (x, y, z)))

    sum_of = write(point)
    for run in (*RUNS, LAST_RUN):
        if run > 1:  # the words of a double are products, as the initial words of the loop must be
            sum_of = program.loop(run, [program.product(word, 1) for word in sum_of], doubles)
        else:
            sum_of = doubles(sum_of)
        if run is not LAST_RUN:
            x, y, z = read(sum_of, degree)
            sum_of = write(add(program, degree, (x, y, z), point))
    x, y, z = read(sum_of, degree)
    return x, y, z


def in_group(program: Program, degree: int, values: Sequence[Value]) -> list[Value]:
    """From a scaled point of the curve except infinity: 0, 0 if it is in the group of order r (M.
    Scott, "A note on group membership tests for G1, G2 and GT on BLS pairing-friendly curves",
    2021).

    On E1, checks X² P = -phi(P): then r P = (X⁴ - X² + 1) P = (phi² + phi + 1) P, which is infinity
    for every point. On the twist, checks psi(P) = X P: then 0 = (psi² - (X + 1) psi + p) P = (p -
    X) P, and p - X is r times a number without a common factor with the order of the twist divided
    by r."""
    x, y, z = read(values, degree)
    if degree == 1:
        point = _times_parameter(program, 1, (x, y, z))
        x_2, y_2, z_2 = _times_parameter(program, 1, point)
        negative_z = program.linear([(-1, z_2)])
        return [program.products([(x_2, z), (program.product(x, BETA), negative_z)]),
                program.products([(y_2, z), (y, z_2)])]
    x_2, y_2, z_2 = _times_parameter(program, 2, (x, y, z))
    school = _School(program)

    def mapped(a: Fp2, by: tuple[int, int]) -> Fp2:
        re, im = by
        return Fp2(program.products([(a.re, re), (a.im, im)]),
                   program.products([(a.re, im), (a.im, -re % P)]))

    conjugate_z = Fp2(z.re, school.negative(z.im))
    minus_x = mapped(x, (-PSI_X[0] % P, -PSI_X[1] % P))
    return words([school.product((x_2, conjugate_z), (minus_x, z_2)),
                  school.product((y_2, conjugate_z), (mapped(y, PSI_Y), z_2))])
