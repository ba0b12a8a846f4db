# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compressed squares in the cyclotomic subgroup (Karabina, Squaring in cyclotomic subgroups, 2013), for the
power by the parameter.

With A, B, C in F_p⁴ = F_p²(s), s = w³, an element is A + B w + C w². The square's B and C depend only
on B and C, so a run of squares needs two squares in F_p⁴ instead of three. A follows from B and C
and one inversion in F_p². The parameter's absolute value is 2^16 + 2^48 + 105 * 2^57: these three
powers of two are expanded with a shared inversion.

A compressed element has its words in the order of slots: the coefficients of w², w⁴, w and w⁵. It
expands only if its coefficient of w is not 0; otherwise the norm of the denominators is 0.
"""

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from arith.microcode.program import Program, Value
from engines.bls12_381.microcode.pairing import conjugate
from engines.bls12_381.microcode.tower import Fp2, Fp12, Pair4, Tower, words
from engines.bls12_381.model.tower import X

COMPRESSED_RUNS = (16, 32, 9)
"""The numbers of compressed squares before each expanded power."""
LAST_SQUARES = (3, 4)
"""The third expanded power is raised to 2^3 - 1, and the result to 2^4 - 1."""
LAST_PRODUCTS = len(LAST_SQUARES) + 2
"""The products of uncompressed elements in a power."""
COMPRESSED_WORDS = 8
DENOMINATOR_WORDS = 5
"""The norm to F_p of the product of the three denominators; the product of the first two; that of
all."""
_EXPONENTS = [sum(COMPRESSED_RUNS[:k + 1]) for k in range(len(COMPRESSED_RUNS))]
_FACTOR = prod((1 << run) - 1 for run in LAST_SQUARES)
assert (1 << _EXPONENTS[0]) + (1 << _EXPONENTS[1]) + (_FACTOR << _EXPONENTS[2]) == -X


class Compressed(NamedTuple):
    """The coefficients of w², w⁴, w and w⁵."""

    c_2: Fp2
    c_4: Fp2
    c_1: Fp2
    c_5: Fp2


def compressed(values: Sequence[Value]) -> Compressed:
    """Returns the compressed element of eight words."""
    c_2, c_4, c_1, c_5 = (Fp2(values[k], values[k + 1]) for k in range(0, COMPRESSED_WORDS, 2))
    return Compressed(c_2, c_4, c_1, c_5)


def _above(tower: Tower, c_2: Fp2, c_5: Fp2, c_4: Fp2, c_1: Fp2) -> tuple[Fp2, Fp2]:
    """The square's coefficients of w⁴ and w: 11 products, 8 sums."""
    return tower.squares4(Pair4(c_2, c_5, c_4, c_1, True))[0]


def _below(tower: Tower, c_1: Fp2, c_4: Fp2, c_2: Fp2, c_5: Fp2) -> tuple[Fp2, Fp2]:
    """The square's coefficients of w² and w⁵: 9 products, 10 sums."""
    return tower.squares4(Pair4(c_1, c_4, c_2, c_5, False))[0]


def square(tower: Tower, a: Compressed) -> Compressed:
    """20 products, 18 sums; deep: 12 products."""
    c_4, c_1 = _above(tower, a.c_2, a.c_5, a.c_4, a.c_1)
    c_2, c_5 = _below(tower, a.c_1, a.c_4, a.c_2, a.c_5)
    return Compressed(c_2, c_4, c_1, c_5)


def squares(program: Program, values: list[Value], count: int) -> list[Value]:
    """Squares a compressed element `count` times.

    The two halves of a square depend on the opposite halves of the one before, except for a last
    sum. So there are two chains, of which one is half a square ahead: the sums of one accompany the
    products of the other."""
    tower, a = Tower(program), compressed(values)
    ahead = _below(tower, a.c_1, a.c_4, a.c_2, a.c_5)

    def two(state: Sequence[Value]) -> list[Value]:
        tower = Tower(program)
        c_2, c_5, c_4, c_1, next_2, next_5 = (
            Fp2(state[k], state[k + 1]) for k in range(0, len(state), 2))
        next_4, next_1 = _above(tower, c_2, c_5, c_4, c_1)
        last_4, last_1 = _above(tower, next_2, next_5, next_4, next_1)
        last_2, last_5 = _below(tower, next_1, next_4, next_2, next_5)
        ahead_2, ahead_5 = _below(tower, last_1, last_4, last_2, last_5)
        return words((last_2, last_5, last_4, last_1, ahead_2, ahead_5))

    state = program.loop((count - 1) // 2, words((a.c_2, a.c_5, a.c_4, a.c_1, *ahead)), two, early=True)
    c_2, c_5, c_4, c_1, next_2, next_5 = (
        Fp2(state[k], state[k + 1]) for k in range(0, len(state), 2))
    tower = Tower(program)
    next_4, next_1 = _above(tower, c_2, c_5, c_4, c_1)
    if count % 2:
        return words(Compressed(next_2, next_4, next_1, next_5))
    last_4, last_1 = _above(tower, next_2, next_5, next_4, next_1)
    last_2, last_5 = _below(tower, next_1, next_4, next_2, next_5)
    return words(Compressed(last_2, last_4, last_1, last_5))


def denominators(program: Program, values: Sequence[Value]) -> list[Value]:
    """From the three coefficients of w: `DENOMINATOR_WORDS`."""
    tower, (first, second, third) = Tower(program), (
        Fp2(values[k], values[k + 1]) for k in (0, 2, 4))
    both = tower.product((first, second))
    all_three = tower.product((both, third))
    return [program.products([(all_three.re, all_three.re), (all_three.im, all_three.im)]),
            *words([both, all_three])]


def expand(program: Program, values: Sequence[Value]) -> list[Value]:
    """From the result of `denominators` with its first word inverted, and the three compressed
    elements: their coefficients of 1 and w³.

    c_3 = (ξ c_5² + 3 c_2² - 2 c_4) / (4 c_1), and c_0 = 1 + ξ (2 c_3² + c_1 c_5 - 3 c_2 c_4). Products in
    F_p² have four products each: few sums, since they are what binds."""
    both, all_three = Fp2(values[1], values[2]), Fp2(values[3], values[4])
    elements = [compressed(values[DENOMINATOR_WORDS + COMPRESSED_WORDS * k:]) for k in range(3)]
    over = program.product(values[0], pow(4, -1, program.modulus))
    inverse_all = _Signed(program, program.product(all_three.re, over),
                          minus_im=program.product(all_three.im, over))
    both_over = inverse_all.times(elements[2].c_1)
    inverse_both = _Signed(program, both_over.re, both_over.im)
    inverses = (inverse_both.times(elements[1].c_1), inverse_both.times(elements[0].c_1),
                inverse_all.times(both))
    # A quarter of the inverse of all is a quarter in each inverse.
    return [word for a, inverse in zip(elements, inverses)
            for word in words(_expanded_parts(program, a, inverse))]


class _Signed:
    """A factor in F_p² with its negated imaginary part."""

    def __init__(self, program: Program, re: Value, im: Value | None = None,
                 minus_im: Value | None = None) -> None:
        self._program, self._re = program, re
        if im is None:
            assert minus_im is not None
            im = program.linear([(-1, minus_im)])
        self._im = im
        self._minus_im = program.linear([(-1, im)]) if minus_im is None else minus_im

    def times(self, b: Fp2) -> Fp2:
        products = self._program.products
        return Fp2(products([(self._re, b.re), (self._minus_im, b.im)]),
                   products([(self._re, b.im), (self._im, b.re)]))


def _expanded_parts(program: Program, a: Compressed, quarter: Fp2) -> tuple[Fp2, Fp2]:
    """The coefficients of 1 and w³, from a quarter of the inverse of that of w."""
    linear, products, tower = program.linear, program.products, Tower(program)
    xi_5 = tower.times_xi(a.c_5)
    above_re = linear([
        (1, products([(a.c_5.re, xi_5.re), (linear([(3, a.c_2.re), (3, a.c_2.im)]),
                                            linear([(1, a.c_2.re), (-1, a.c_2.im)]))])),
        (-1, program.product(a.c_5.im, xi_5.im)), (-2, a.c_4.re)])
    above_im = linear([
        (1, products([(a.c_5.re, xi_5.im), (a.c_5.im, xi_5.re),
                      (a.c_2.re, linear([(4, a.c_2.im), (2, a.c_2.im)]))])), (-2, a.c_4.im)])
    c_3 = _Signed(program, above_re, above_im).times(quarter)
    turned, doubled = tower.times_xi(a.c_4, -3), tower.times_xi(c_3, 2)
    factors = ((a.c_1, xi_5), (a.c_2, turned), (c_3, doubled))
    c_0 = Fp2(linear([(1, products([(left.re, right.re) for left, right in factors])),
                      (-1, products([(left.im, right.im) for left, right in factors]))], constant=1),
              products([pair for left, right in factors
                        for pair in ((left.re, right.im), (left.im, right.re))]))
    return c_0, c_3


def expanded(a: Compressed, c_0: Fp2, c_3: Fp2) -> Fp12:
    return c_0, a.c_1, a.c_2, c_3, a.c_4, a.c_5


def combine(program: Program, values: Sequence[Value]) -> Fp12:
    """From the result of `expand` and the three compressed elements: the power by |x|. With c the
    third one, the remaining factor is c^105, and 105 = (8 - 1) (16 - 1)."""
    found = [Fp2(values[k], values[k + 1]) for k in range(0, 12, 2)]
    first, second, last = (
        expanded(compressed(values[12 + COMPRESSED_WORDS * k:]), *found[2 * k:2 * k + 2])
        for k in range(3))
    result = Tower(program).product12(first, second)
    for run in LAST_SQUARES:
        power = last
        for _ in range(run):
            power = Tower(program).square_cyclotomic(power)
        last = Tower(program).product12(power, conjugate(program, last))
    return Tower(program).product12(result, last)
