# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The steps of the Miller loop: a point of the twist in homogeneous coordinates (X/Z, Y/Z), and the
line through it, evaluated at a point of G1, up to a factor in F_p² that the final exponentiation
removes.

A line is l_0 + l_2 w² + l_3 w³ (the model's `line`). The formulas are those of tangent and chord
without denominators.
"""

from dataclasses import dataclass

from arith.microcode.program import Value
from engines.bls12_381.microcode.tower import Fp2, Fp6, Fp12, Tower, even, odd


@dataclass(frozen=True)
class Point:
    """A point of the twist."""

    x: Fp2
    y: Fp2
    z: Fp2


@dataclass(frozen=True)
class Line:
    """The coefficients of 1, w² and w³."""

    l_0: Fp2
    l_2: Fp2
    l_3: Fp2


def double(tower: Tower, t: Point, x_p: Value, y_p: Value) -> tuple[Point, Line]:
    """2t and the tangent at t.

    With B = Y², E = 3 * 4ξ Z² and the curve's Y² Z = X³ + 4ξ Z³: the tangent is
    (B - E) - 3 X² x_p w² + 2 Y Z y_p w³, and 2t = (2XY (B - 3E), (B + 3E)² - 12 E², 8 B Y Z)."""
    b = tower.square(t.y)
    z_square = tower.square(t.z)
    e = tower.times_xi(tower.combine((4, z_square)), 3)
    yz = tower.product((t.y, t.z), scale=2)
    xy = tower.product((t.x, t.y), scale=2)
    x_square = tower.square(t.x)
    minus, plus = tower.combine((1, b), (-3, e)), tower.combine((1, b), (3, e))
    e_square, plus_square = tower.square(e), tower.square(plus)
    e_part = tower.combine((4, e_square))
    doubled = Point(tower.product((xy, minus)), tower.combine((1, plus_square), (-3, e_part)),
                    tower.product((b, yz), scale=4))
    line = Line(tower.combine((1, b), (-1, e)),
                tower.combine((-3, tower.scale(x_square, x_p))), tower.scale(yz, y_p))
    return doubled, line


def add(tower: Tower, t: Point, q_x: Fp2, q_y: Fp2, x_p: Value, y_p: Value) -> tuple[Point, Line]:
    """t + q for another affine point q, and the chord.

    With D = Y - q_y Z and L = X - q_x Z: the chord is (D q_x - L q_y) - D x_p w² + L y_p w³; with
    H = L³ + Z D² - 2 X L² the sum is (L H, D (X L² - H) - L³ Y, Z L³)."""
    d = tower.combine((1, t.y), (-1, tower.product((q_y, t.z))))
    l = tower.combine((1, t.x), (-1, tower.product((q_x, t.z))))
    l_square = tower.square(l)
    l_cube = tower.product((l, l_square))
    x_part = tower.product((t.x, l_square))
    z_part = tower.product((t.z, tower.square(d)))
    h = tower.combine((1, l_cube), (1, z_part), (-2, x_part))
    rest = tower.combine((1, x_part), (-1, h))
    negative_l, negative_cube = tower.combine((-1, l)), tower.combine((-1, l_cube))
    total = Point(tower.product((l, h)), tower.product((d, rest), (negative_cube, t.y)),
                  tower.product((t.z, l_cube)))
    line = Line(tower.product((d, q_x), (negative_l, q_y)),
                tower.combine((-1, tower.scale(d, x_p))), tower.scale(l, y_p))
    return total, line


def times_line(tower: Tower, f: Fp12, line: Line) -> Fp12:
    """54 products, 18 reductions; deep: 39, 39."""
    if tower.deep:
        return _times_line_deep(tower, f, line)
    xi_2, xi_3 = tower.times_xi(line.l_2), tower.times_xi(line.l_3)
    coefficients = [
        tower.product((f[k], line.l_0), (f[(k - 2) % 6], line.l_2 if k >= 2 else xi_2),
                      (f[(k - 3) % 6], line.l_3 if k >= 3 else xi_3))
        for k in range(6)
    ]
    c_0, c_1, c_2, c_3, c_4, c_5 = coefficients
    return c_0, c_1, c_2, c_3, c_4, c_5


def _times_line_deep(tower: Tower, f: Fp12, line: Line) -> Fp12:
    """Karatsuba over F_p⁶, where the line is (l_0, l_2, 0) + (0, l_3, 0) w."""
    low, high = even(f), odd(f)
    both = (tower.combine((1, low[0]), (1, high[0])), tower.combine((1, low[1]), (1, high[1])),
            tower.combine((1, low[2]), (1, high[2])))
    first = _times_two(tower, low, line.l_0, line.l_2)
    third = _times_two(tower, both, line.l_0, tower.combine((1, line.l_2), (1, line.l_3)))
    # (0, l_3, 0) * high = (xi l_3 high_2, l_3 high_0, l_3 high_1)
    by_0, by_1, by_2 = (tower.product((part, line.l_3)) for part in high)
    c_1 = tower.add_xi(tower.combine((1, third[0]), (-1, first[0])), by_2, -1)
    c_3, c_5 = (tower.combine((1, third[k]), (-1, first[k]), (-1, part))
                for k, part in ((1, by_0), (2, by_1)))
    # v times it: (xi l_3 high_1, xi l_3 high_2, l_3 high_0)
    return (tower.add_xi(first[0], by_1), c_1, tower.add_xi(first[1], by_2), c_3,
            tower.combine((1, first[2]), (1, by_0)), c_5)


def _times_two(tower: Tower, a: Fp6, b_0: Fp2, b_1: Fp2) -> Fp6:
    """a * (b_0, b_1, 0): 5 products of F_p²."""
    low, middle = tower.product((a[0], b_0)), tower.product((a[1], b_1))
    both = tower.product((tower.combine((1, a[0]), (1, a[1])), tower.combine((1, b_0), (1, b_1))))
    return (tower.add_xi(low, tower.product((a[2], b_1))),
            tower.combine((1, both), (-1, low), (-1, middle)),
            tower.combine((1, tower.product((a[2], b_0))), (1, middle)))
