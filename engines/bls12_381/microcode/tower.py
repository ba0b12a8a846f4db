# SPDX-License-Identifier: Apache-2.0 OR MIT
"""F_p², F_p⁶ and F_p¹² of BLS12-381 as products and sums of field_core.

An element of F_p⁶ = F_p²(v), v³ = ξ = 1 + i, is three elements of F_p²; an element of F_p¹² =
F_p⁶(w), w² = v, is its coefficients of 1, w, w², ... w⁵ (the model's order). Products in F_p² are
added before they are reduced: any number of them needs only three sums of products (Karatsuba).
"""

from dataclasses import dataclass
from typing import NamedTuple, Sequence

from arith.microcode.program import Program, Value


@dataclass(frozen=True)
class Fp2:
    """re + im i."""

    re: Value
    im: Value


@dataclass(frozen=True)
class Wide:
    """A sum of products in F_p² by Karatsuba: the sums of products of the real parts, of the
    imaginary parts, and of the sums of both parts. Its value is (real - imaginary) + (both - real -
    imaginary) i."""

    real: Value
    imaginary: Value
    both: Value


class Pair4(NamedTuple):
    """A square in F_p⁴: of a + b s, with the coefficients that its parts replace. A twisted square
    multiplies its odd part by ξ."""

    a: Fp2
    b: Fp2
    even_old: Fp2
    odd_old: Fp2
    twisted: bool


Fp6 = tuple[Fp2, Fp2, Fp2]
Fp12 = tuple[Fp2, Fp2, Fp2, Fp2, Fp2, Fp2]


def fp12(values: Sequence[Value]) -> Fp12:
    """Returns the element of twelve words, real parts first."""
    pairs = [Fp2(values[i], values[i + 1]) for i in range(0, 12, 2)]
    return pairs[0], pairs[1], pairs[2], pairs[3], pairs[4], pairs[5]


def words(element: Sequence[Fp2]) -> list[Value]:
    return [value for pair in element for value in (pair.re, pair.im)]


class Tower:
    """The operations within one section of a program, which share the sums re + im.

    `deep` uses the fewest products, with Karatsuba over F_p² as well. That takes more sums than
    products, so that a core with one sum per turn gains nothing."""

    def __init__(self, program: Program, deep: bool = False) -> None:
        self._program = program
        self.deep = deep
        self._totals: dict[Fp2, Value] = {}

    def combine(self, *terms: tuple[int, Fp2]) -> Fp2:
        """Returns a sum of up to three small multiples."""
        return Fp2(self._program.linear([(k, a.re) for k, a in terms]),
                   self._program.linear([(k, a.im) for k, a in terms]))

    def total(self, a: Fp2) -> Value:
        """re + im."""
        if a not in self._totals:
            self._totals[a] = self._program.linear([(1, a.re), (1, a.im)])
        return self._totals[a]

    def times_xi(self, a: Fp2, scale: int = 1) -> Fp2:
        """Returns (1 + i) * scale * a."""
        result = Fp2(self._program.linear([(scale, a.re), (-scale, a.im)]),
                     self.total(a) if scale == 1 else
                     self._program.linear([(scale, a.re), (scale, a.im)]))
        if 2 * abs(scale) <= 4:
            self._totals[result] = self._program.linear([(2 * scale, a.re)])
        return result

    def scale(self, a: Fp2, factor: Value) -> Fp2:
        """Returns the product with an element of F_p: 2 products."""
        return Fp2(self._program.product(a.re, factor), self._program.product(a.im, factor))

    def wide(self, *factors: tuple[Fp2, Fp2]) -> Wide:
        """Returns a sum of products: 3 products each, 3 reductions."""
        totals = [(self.total(a), self.total(b)) for a, b in factors]
        return Wide(self._program.products([(a.re, b.re) for a, b in factors]),
                    self._program.products([(a.im, b.im) for a, b in factors]),
                    self._program.products(totals))

    def settle(self, wide: Wide, scale: int = 1) -> Fp2:
        linear = self._program.linear
        return Fp2(linear([(scale, wide.real), (-scale, wide.imaginary)]),
                   linear([(scale, wide.both), (-scale, wide.real), (-scale, wide.imaginary)]))

    def product(self, *factors: tuple[Fp2, Fp2], scale: int = 1) -> Fp2:
        """Returns a small multiple of a sum of products."""
        return self.settle(self.wide(*factors), scale)

    def school(self, *factors: tuple[Fp2, Fp2]) -> Fp2:
        """As `product`, with 4 products each and 2 reductions; negates the imaginary parts of the
        first factors."""
        real, imaginary = [], []
        for a, b in factors:
            negative = self._program.linear([(-1, a.im)])
            real += [(a.re, b.re), (negative, b.im)]
            imaginary += [(a.re, b.im), (a.im, b.re)]
        return Fp2(self._program.products(real), self._program.products(imaginary))

    def square(self, a: Fp2, scale: int = 1) -> Fp2:
        """2 products; the scale is 1 or 2."""
        program = self._program
        difference = program.linear([(scale, a.re), (-scale, a.im)])
        real = program.product(self.total(a), difference)
        return Fp2(real, program.linear([(2 * scale, program.product(a.re, a.im))]))

    def product6(self, a: Fp6, b: Fp6) -> Fp6:
        """27 products, 9 reductions; deep: 18, 18."""
        if self.deep:
            return self._karatsuba6(a, b)
        xi_1, xi_2 = self.times_xi(b[1]), self.times_xi(b[2])
        return (self.product((a[0], b[0]), (a[1], xi_2), (a[2], xi_1)),
                self.product((a[0], b[1]), (a[1], b[0]), (a[2], xi_2)),
                self.product((a[0], b[2]), (a[1], b[1]), (a[2], b[0])))

    def _karatsuba6(self, a: Fp6, b: Fp6) -> Fp6:
        low, middle, high = (self.product((a[k], b[k])) for k in range(3))
        c_0 = self.add_xi(low, self._cross(a, b, 1, 2, middle, high))
        c_1 = self.add_xi(self._cross(a, b, 0, 1, low, middle), high)
        return c_0, c_1, self.combine((1, self._cross(a, b, 0, 2, low, high)), (1, middle))

    def _cross(self, a: Fp6, b: Fp6, i: int, j: int, first: Fp2, second: Fp2) -> Fp2:
        """a_i b_j + a_j b_i, from a_i b_i and a_j b_j."""
        both = self.product((self.combine((1, a[i]), (1, a[j])), self.combine((1, b[i]), (1, b[j]))))
        return self.combine((1, both), (-1, first), (-1, second))

    def add_xi(self, a: Fp2, b: Fp2, sign: int = 1) -> Fp2:
        """a + sign * (1 + i) b."""
        return Fp2(self._program.linear([(1, a.re), (sign, b.re), (-sign, b.im)]),
                   self._program.linear([(1, a.im), (sign, b.re), (sign, b.im)]))

    def product12(self, a: Fp12, b: Fp12) -> Fp12:
        """81 products, 27 reductions: Karatsuba over F_p⁶; deep: 54, 54."""
        a_low, a_high, b_low, b_high = even(a), odd(a), even(b), odd(b)
        low, high = self.product6(a_low, b_low), self.product6(a_high, b_high)
        both = self.product6(self._sum6(a_low, a_high), self._sum6(b_low, b_high))
        # v * high = (xi * high_2, high_0, high_1).
        c_0 = self.add_xi(low[0], high[2])
        c_1, c_3, c_5 = (self.combine((1, both[k]), (-1, low[k]), (-1, high[k]))
                         for k in range(3))
        return (c_0, c_1, self.combine((1, low[1]), (1, high[0])), c_3,
                self.combine((1, low[2]), (1, high[1])), c_5)

    def square12(self, a: Fp12) -> Fp12:
        """54 products, 18 reductions (deep: 36, 36): (a_0 + a_1 w)² = (a_0 + a_1)(a_0 + v a_1) - (1 + v) a_0 a_1
        + 2 a_0 a_1 w."""
        low, high = even(a), odd(a)
        mixed = self.product6(low, high)
        turned: Fp6 = (self.add_xi(low[0], high[2]), self.combine((1, low[1]), (1, high[0])),
                       self.combine((1, low[2]), (1, high[1])))
        both = self.product6(self._sum6(low, high), turned)
        c_0 = self.add_xi(self.combine((1, both[0]), (-1, mixed[0])), mixed[2], -1)
        c_2, c_4 = (self.combine((1, both[k]), (-1, mixed[k]), (-1, mixed[k - 1]))
                    for k in (1, 2))
        c_1, c_3, c_5 = (self.combine((2, mixed[k])) for k in range(3))
        return c_0, c_1, c_2, c_3, c_4, c_5

    def square_cyclotomic(self, a: Fp12) -> Fp12:
        """29 products (deep: 18), for an element of the cyclotomic subgroup: three squares in F_p⁴
        (Granger and Scott, Faster squaring in the cyclotomic subgroup of sixth degree extensions, 2010).

        With s = w³ and A, B, C in F_p⁴ = F_p²(s), the square of A + B w + C w² is
        (3 A² - 2 A') + (3 s C² + 2 B') w + (3 B² - 2 C') w², where ' changes the sign of s."""
        pairs = (Pair4(a[2], a[5], a[4], a[1], True), Pair4(a[0], a[3], a[0], a[3], False),
                 Pair4(a[1], a[4], a[2], a[5], False))
        (even_2, odd_2), (even_0, odd_0), (even_1, odd_1) = self.squares4(*pairs)
        return even_0, odd_2, even_1, odd_0, even_2, odd_1

    def squares4(self, *pairs: Pair4) -> list[tuple[Fp2, Fp2]]:
        """3 (a² + ξ b²) - 2 even_old, and 3 * 2 a b (times ξ if twisted) + 2 odd_old, for each pair.

        Two sums of products by different formulas, one with 9 products and 10 sums, and twisted with 11
        products and 8 sums: one needs b.re ± b.im, the other doubled factors."""
        if self.deep:
            return [self._karatsuba4(pair.a, pair.b, pair.even_old, pair.odd_old, pair.twisted)
                    for pair in pairs]
        # All factors, then all products, then all sums: no sum delays a factor.
        factors = [self._factors4(pair.a, pair.b, pair.twisted) for pair in pairs]
        products = [[self._program.products(sum_) for sum_ in sums] for sums in factors]
        return [self._settle4(sums, pair) for sums, pair in zip(products, pairs)]

    def _factors4(self, a: Fp2, b: Fp2, twisted: bool) -> list[list[tuple[Value, Value]]]:
        """The factors of the six sums of products.

        a² + ξ b² has the parts (a.re + a.im) (a.re - a.im) + d² - 2 b.im² and 2 a.re a.im + 2 b.re² - d²
        with d = b.re - b.im, which is the real part of ξ b."""
        linear = self._program.linear
        difference, a_im_2 = linear([(1, b.re), (-1, b.im)]), linear([(2, a.im)])
        if twisted:
            total, a_re_2 = self.total(b), linear([(2, a.re)])
            return [[(a.re, a.re), (b.re, difference)], [(a.im, a.im), (b.im, total)],
                    [(a.re, a_im_2), (b.re, total), (b.im, difference)],
                    [(a_re_2, difference)], [(a_im_2, total)],
                    [(a_re_2, total), (a_im_2, difference)]]
        b_re_2, b_im_2 = linear([(2, b.re)]), linear([(-2, b.im)])
        return [[(difference, difference)],
                [(self.total(a), linear([(1, a.re), (-1, a.im)])), (b.im, b_im_2)],
                [(a.re, a_im_2), (b.re, b_re_2)],
                [(a.re, b_re_2), (a.im, b_im_2)], [(a.im, b_re_2)], [(a.re, b_im_2)]]

    def _settle4(self, sums: Sequence[Value], pair: Pair4) -> tuple[Fp2, Fp2]:
        linear, even, odd_ = self._program.linear, pair.even_old, pair.odd_old
        first, second, third, fourth, fifth, sixth = sums
        if pair.twisted:
            return (Fp2(linear([(3, first), (-3, second), (-2, even.re)]),
                        linear([(3, third), (-2, even.im)])),
                    Fp2(linear([(3, fourth), (-3, fifth), (2, odd_.re)]),
                        linear([(3, sixth), (2, odd_.im)])))
        return (Fp2(linear([(3, first), (3, second), (-2, even.re)]),
                    linear([(3, third), (-3, first), (-2, even.im)])),
                Fp2(linear([(3, fourth), (2, odd_.re)]),
                    linear([(3, fifth), (-3, sixth), (2, odd_.im)])))

    def _karatsuba4(self, a: Fp2, b: Fp2, even_old: Fp2, odd_old: Fp2, twisted: bool
                    ) -> tuple[Fp2, Fp2]:
        """As `squares4`, with 2 a b = (a + b)² - a² - b²: 6 products."""
        a_square, b_square = self.square(a), self.square(b)
        square = self.add_xi(a_square, b_square)
        both = self.square(self.combine((1, a), (1, b)))
        mixed = self.combine((1, both), (-1, a_square), (-1, b_square))
        linear = self._program.linear
        if twisted:
            odd_new = Fp2(linear([(3, mixed.re), (-3, mixed.im), (2, odd_old.re)]),
                          linear([(3, mixed.re), (3, mixed.im), (2, odd_old.im)]))
        else:
            odd_new = self.combine((3, mixed), (2, odd_old))
        return self.combine((3, square), (-2, even_old)), odd_new

    def _sum6(self, a: Fp6, b: Fp6) -> Fp6:
        return (self.combine((1, a[0]), (1, b[0])), self.combine((1, a[1]), (1, b[1])),
                self.combine((1, a[2]), (1, b[2])))


def even(a: Fp12) -> Fp6:
    return a[0], a[2], a[4]


def odd(a: Fp12) -> Fp6:
    return a[1], a[3], a[5]
