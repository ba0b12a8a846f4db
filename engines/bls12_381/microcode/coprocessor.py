# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The programs of the coprocessor's core, which its instructions are composed of.

A word of a slot is a number below p. Inside most programs numbers are in Montgomery form ("form"
below), number * 2^384. The product of a number and a form is a number, so that few words need a
conversion. Elements of F_p¹² have their words in the order of slots: the elements of F_p² of 1, v,
v², w, vw, v²w.

The names end in the degree of the field, or for points in that of their coordinates.
"""

from functools import partial
from typing import Any, Callable, Sequence

from arith.microcode.assemble import assemble
from arith.microcode.image import Image
from arith.microcode.paced import Orders
from arith.microcode.program import Program, Value
from engines.bls12_381.microcode import compressed
from engines.bls12_381.microcode.pairing import (
    CONJUGATE, conjugate, copies, frobenius, frobenius_square, miller_program, norm2, norm6, norm12, over2,
    over6, power_subroutine,
)
from engines.bls12_381.microcode.points import (
    WINDOW_BITS, in_group, multiples, scaled, unscaled, window,
)
from engines.bls12_381.microcode.programs import (
    FRAMES, LATENCIES, REGISTER_BITS, WIDTH, known_orders,
)
from engines.bls12_381.microcode.tower import Fp2, Fp6, Fp12, Tower, even, fp12, odd, words
from engines.bls12_381.model.tower import FROBENIUS, P

TO_FORM = (1 << WIDTH) % P
"""The factor that converts a number to its Montgomery form."""
FROM_FORM = pow(TO_FORM, -1, P)
"""The factor that converts a Montgomery form to its number."""
SLOT_ORDER = (0, 2, 4, 1, 3, 5)
"""The powers of w in the order of their coefficients in slots."""
DEGREES = (1, 2, 6, 12)
MULTIPLES = {1: 5, 2: 2}
"""The number of points that a job of `multiples` adds to a table, by the degree of their
coordinates."""
NORM_WORDS = 9
"""The number of words between the two halves of an inversion."""
POWERS = 7
"""The number of powers that a job of `powers` adds to a table."""

Body = Callable[[Program, list[Value]], Sequence[Value]]


def of_slots(values: Sequence[Value]) -> Fp12:
    """Returns the element of twelve words in the order of slots."""
    pairs = {power: Fp2(values[2 * k], values[2 * k + 1]) for k, power in enumerate(SLOT_ORDER)}
    return pairs[0], pairs[1], pairs[2], pairs[3], pairs[4], pairs[5]


def to_slots(element: Sequence[Fp2]) -> list[Value]:
    """The inverse of `of_slots`."""
    return words([element[power] for power in SLOT_ORDER])


def pairs_of(values: Sequence[Value]) -> list[Fp2]:
    return [Fp2(values[i], values[i + 1]) for i in range(0, len(values), 2)]


def fp6(values: Sequence[Value]) -> Fp6:
    first, second, third = pairs_of(values)
    return first, second, third


def forms(program: Program, values: Sequence[Value]) -> list[Value]:
    """Converts numbers to Montgomery form."""
    return [program.product(value, TO_FORM) for value in values]


def numbers(program: Program, values: Sequence[Value]) -> list[Value]:
    """Converts Montgomery forms to numbers."""
    return [program.product(value, FROM_FORM) for value in values]


# ---- Fields -------------------------------------------------------------------------------------
def _product(degree: int) -> Body:
    def body(program: Program, v: list[Value]) -> Sequence[Value]:
        tower, a, b = Tower(program), v[:degree], v[degree:]
        if degree == 1:
            return [program.product(a[0], b[0])]
        if degree == 2:
            return words([tower.product((pairs_of(a)[0], pairs_of(b)[0]))])
        if degree == 6:
            return words(tower.product6(fp6(a), fp6(b)))
        return to_slots(tower.product12(of_slots(a), of_slots(b)))
    return body


def _number_product(degree: int) -> Body:
    def body(program: Program, v: list[Value]) -> Sequence[Value]:
        return _product(degree)(program, [*forms(program, v[:degree]), *v[degree:]])
    return body


def _sum(degree: int, sign: int) -> Body:
    return lambda program, v: [program.linear([(1, a), (sign, b)])
                               for a, b in zip(v[:degree], v[degree:])]


def _negative(degree: int) -> Body:
    return lambda program, v: [program.linear([(-1, a)]) for a in v]


def _norm(degree: int) -> Body:
    """From a form: its norm to F_p, which the separate inverter inverts, and NORM_WORDS - 1 more
    words for `_over`: the norm to F_p², and the adjoint of the norm to F_p⁶."""
    def body(program: Program, v: list[Value]) -> Sequence[Value]:
        if degree == 2:
            rest = [program.linear([], constant=0) for _ in range(NORM_WORDS - 1)]
            return [norm2(program, pairs_of(v)[0]), *rest]
        adjoint, norm, last = norm6(
            program, fp6(v) if degree == 6 else norm12(program, of_slots(v)))
        return [last, *words([norm, *adjoint])]
    return body


def _over(degree: int) -> Body:
    """The inverse of a form, from the form and the result of `_norm` with its first word
    inverted."""
    def body(program: Program, v: list[Value]) -> Sequence[Value]:
        element, (over, *rest) = v[:degree], v[degree:]
        if degree == 2:
            return words([over2(program, pairs_of(element)[0], over)])
        over_6 = over6(program, fp6(rest[2:]), pairs_of(rest)[0], over)
        if degree == 6:
            return words(over_6)
        # 1 / (a + b w) = (a - b w) / (a² - v b²)
        tower, full = Tower(program), of_slots(element)
        c_0, c_2, c_4 = tower.product6(even(full), over_6)
        c_1, c_3, c_5 = tower.product6(odd(full), over_6)
        c_1, c_3, c_5 = (tower.combine((-1, c)) for c in (c_1, c_3, c_5))
        return to_slots((c_0, c_1, c_2, c_3, c_4, c_5))
    return body


def _powers(degree: int) -> Body:
    """From two forms a, b: the products a b, a² b, a³ b, and so on."""
    def body(program: Program, v: list[Value]) -> Sequence[Value]:
        base, last, found = v[:degree], v[degree:], list[Value]()
        for _ in range(POWERS):
            last = list(_product(degree)(program, [*last, *base]))
            found += last
        return found
    return body


def _power_window(degree: int) -> Body:
    """From two forms: the first one to the power of 2^WINDOW_BITS, times the second one."""
    def square(program: Program, v: list[Value]) -> list[Value]:
        tower = Tower(program)
        if degree == 2:
            return words([tower.square(pairs_of(v)[0])])
        if degree == 12:
            return to_slots(tower.square12(of_slots(v)))
        return list(_product(degree)(program, [*v, *v]))

    def body(program: Program, v: list[Value]) -> Sequence[Value]:
        power, other = v[:degree], v[degree:]
        if degree > 2:
            power = program.loop(WINDOW_BITS, copies(program, power), lambda a: square(program, a))
        else:
            for _ in range(WINDOW_BITS):
                power = square(program, power)
        return _product(degree)(program, [*power, *other])
    return body


def _frobenius(degree: int) -> Body:
    """a^p for numbers or forms."""
    def body(program: Program, v: list[Value]) -> Sequence[Value]:
        if degree == 2:
            return [program.linear([(1, v[0])]), program.linear([(-1, v[1])])]
        if degree == 12:
            return to_slots(frobenius(program, of_slots(v)))
        result: list[Value] = []
        for power, c in zip((0, 2, 4), pairs_of(v)):
            re, im = FROBENIUS[power]
            result += [program.products([(c.re, re), (c.im, im)]),
                       program.products([(c.re, im), (c.im, -re % P)])]
        return result
    return body


def _times_conjugate(program: Program, v: list[Value]) -> Sequence[Value]:
    """From two elements of the cyclotomic subgroup: the first one divided by the second one."""
    divisor = [value if k < 6 else program.linear([(-1, value)]) for k, value in enumerate(v[12:])]
    return _product(12)(program, [*v[:12], *divisor])


def _cube(program: Program, v: list[Value]) -> Sequence[Value]:
    """The cube of an element of the cyclotomic subgroup."""
    tower, element = Tower(program), of_slots(v)
    return to_slots(tower.product12(tower.square_cyclotomic(element), element))


# ---- Points -------------------------------------------------------------------------------------
Coordinate = Any
"""A value, or an `Fp2`."""


class Coordinates:
    """Arithmetic on coordinates of points, in F_p or F_p²."""

    def __init__(self, program: Program, degree: int) -> None:
        self.program, self.degree = program, degree
        self.tower = Tower(program)

    def read(self, values: Sequence[Value]) -> list[Coordinate]:
        return list(values) if self.degree == 1 else list(pairs_of(values))

    def write(self, values: Sequence[Coordinate]) -> list[Value]:
        return list(values) if self.degree == 1 else words(values)

    def product(self, *factors: tuple[Coordinate, Coordinate]) -> Coordinate:
        """Returns a sum of products."""
        if self.degree == 1:
            return self.program.products(list(factors))
        return self.tower.product(*factors)

    def sum(self, *terms: tuple[int, Coordinate]) -> Coordinate:
        return self.program.linear(list(terms)) if self.degree == 1 else self.tower.combine(*terms)

    def times(self, factor: int, a: Coordinate) -> Coordinate:
        """Returns the product with a small number."""
        if self.degree == 1:
            return self.program.product(a, factor % P)
        return Fp2(self.program.product(a.re, factor % P), self.program.product(a.im, factor % P))

    def times_b(self, factor: int, a: Coordinate) -> Coordinate:
        """Returns the product with a multiple of the curve's b, which is 4 or 4ξ."""
        if self.degree == 1:
            return self.times(4 * factor, a)
        k = 4 * factor % P
        return Fp2(self.program.products([(a.re, k), (a.im, -k % P)]),
                   self.program.products([(a.re, k), (a.im, k)]))


def _curve(degree: int) -> Body:
    """From the numbers X, Y, Z: Y² - X³ - b Z⁶, which is 0 for a point of the curve; and the forms
    of X, Y, Z."""
    def body(program: Program, v: list[Value]) -> Sequence[Value]:
        c = Coordinates(program, degree)
        kept = forms(program, v)
        x, y, z = c.read(kept)
        z_square, x_square = c.product((z, z)), c.product((x, x))
        z_cube = c.product((z_square, z))
        z_part = c.times_b(1, c.product((z_cube, z_cube)))
        left = c.sum((1, c.product((y, y))), (-1, c.product((x_square, x))), (-1, z_part))
        return [*c.write([left]), *kept]
    return body


def _add(degree: int) -> Body:
    """From the forms X, Y, Z of two points: the numbers X, Y, Z of the manual's sum, and H, R."""
    def body(program: Program, v: list[Value]) -> Sequence[Value]:
        c = Coordinates(program, degree)
        x_1, y_1, z_1, x_2, y_2, z_2 = c.read(v)
        square_1, square_2 = c.product((z_1, z_1)), c.product((z_2, z_2))
        cube_1, cube_2 = c.product((square_1, z_1)), c.product((square_2, z_2))
        u_1, u_2 = c.product((x_1, square_2)), c.product((x_2, square_1))
        s_1, s_2 = c.product((y_1, cube_2)), c.product((y_2, cube_1))
        h, r = c.sum((1, u_2), (-1, u_1)), c.sum((1, s_2), (-1, s_1))
        h_square = c.product((h, h))
        h_cube = c.product((h_square, h))
        both = c.product((h_square, c.sum((1, u_1), (1, u_2))))
        x_3 = c.sum((1, c.product((r, r))), (-1, both))
        rest = c.sum((1, c.product((h_square, u_1))), (-1, x_3))
        negative = c.sum((-1, h_cube))
        y_3 = c.product((r, rest), (negative, s_1))
        z_3 = c.product((c.product((h, z_1)), z_2))
        return [*numbers(program, c.write([x_3, y_3, z_3])), *c.write([h, r])]
    return body


def _double(degree: int) -> Body:
    """From the forms X, Y, Z: the numbers of the manual's double."""
    def body(program: Program, v: list[Value]) -> Sequence[Value]:
        c = Coordinates(program, degree)
        x, y, z = c.read(v)
        y_square = c.product((y, y))
        d = c.sum((4, c.product((x, y_square))))
        e = c.sum((3, c.product((x, x))))
        x_3 = c.sum((1, c.product((e, e))), (-2, d))
        y_part = c.sum((4, c.product((y_square, y_square))))
        y_3 = c.sum((1, c.product((e, c.sum((1, d), (-1, x_3))))), (-2, y_part))
        z_3 = c.sum((2, c.product((y, z))))
        return numbers(program, c.write([x_3, y_3, z_3]))
    return body


def _affine(degree: int) -> Body:
    """From the forms X, Y and 1 / Z: the numbers x, y."""
    def body(program: Program, v: list[Value]) -> Sequence[Value]:
        c = Coordinates(program, degree)
        x, y, over = c.read(v)
        square = c.product((over, over))
        return numbers(program, c.write(
            [c.product((x, square)), c.product((y, c.product((square, over))))]))
    return body


def _unscaled(degree: int) -> Body:
    return lambda program, v: unscaled(program, degree, v, FROM_FORM)


def _of_degree(body: Callable[[Program, int, list[Value]], Sequence[Value]], degree: int) -> Body:
    return lambda program, v: body(program, degree, v)


def _multiples(degree: int) -> Body:
    return lambda program, v: multiples(program, degree, v, MULTIPLES[degree])


# ---- The image ----------------------------------------------------------------------------------
def _program(name: str, inputs: int, body: Body) -> Program:
    program = Program(name, P)
    results = list(body(program, program.inputs(inputs)))
    for index, value in enumerate(results):
        program.put_out(value, index)
    return program


def _miller() -> Program:
    """From the numbers x, y, and x, y on the twist: the manual's value, as a form in the order of
    slots.

    The lines of `steps` are those of the manual except for their sign; squaring removes the signs
    of all lines except the last."""
    signs = [-sign for sign in CONJUGATE]
    return miller_program(TO_FORM, signs, SLOT_ORDER, "miller")


def _power() -> Program:
    """a^x of an element of the cyclotomic subgroup."""
    program = Program("power_x", P)
    power = power_subroutine(program)
    values = words(of_slots(program.inputs(12)))
    result = conjugate(program, fp12(program.call(power, values)))
    for index, value in enumerate(to_slots(result)):
        program.put_out(value, index)
    return program


def _squares(count: int, program: Program, v: list[Value]) -> Sequence[Value]:
    return compressed.squares(program, v, count)


def _combine(program: Program, v: list[Value]) -> Sequence[Value]:
    """From the result of `expand` and the three compressed elements: a^x."""
    return to_slots(conjugate(program, compressed.combine(program, v)))


def programs() -> list[Program]:
    """All programs, with those of one kind adjacent and ordered by degree."""
    found = []
    for degree in DEGREES:
        found.append(_program(f"sub_{degree}", 2 * degree, _sum(degree, -1)))
    for degree in DEGREES:
        found.append(_program(f"add_{degree}", 2 * degree, _sum(degree, 1)))
    for degree in DEGREES:
        found.append(_program(f"neg_{degree}", degree, _negative(degree)))
    for degree in DEGREES:
        found.append(_program(f"mul_{degree}", 2 * degree, _number_product(degree)))
    for degree in DEGREES:
        found.append(_program(f"product_{degree}", 2 * degree, _product(degree)))
    for degree in DEGREES:
        found.append(_program(f"form_{degree}", degree, forms))
    for degree in DEGREES:
        found.append(_program(f"number_{degree}", degree, numbers))
    for degree in DEGREES[1:]:
        found.append(_program(f"norm_{degree}", degree, _norm(degree)))
    for degree in DEGREES[1:]:
        found.append(_program(f"over_{degree}", degree + NORM_WORDS, _over(degree)))
    for degree in DEGREES[:2]:
        found.append(_program(f"powers_{degree}", 2 * degree, _powers(degree)))
    for degree in DEGREES:
        found.append(_program(f"power_window_{degree}", 2 * degree, _power_window(degree)))
    for degree in DEGREES[1:]:
        found.append(_program(f"frobenius_{degree}", degree, _frobenius(degree)))
    found.append(_program("frobenius_square_12", 12,
                          lambda p, v: to_slots(frobenius_square(p, of_slots(v)))))
    found += [_program("times_conjugate", 24, _times_conjugate), _program("cube", 12, _cube)]
    for name, inputs, body in (
            ("curve", 3, _curve), ("point_add", 6, _add), ("point_double", 3, _double),
            ("affine", 3, _affine), ("scaled", 3, partial(_of_degree, scaled)),
            ("unscaled", 3, _unscaled), ("multiples", 6, _multiples),
            ("window", 6, partial(_of_degree, window)),
            ("in_group", 3, partial(_of_degree, in_group))):
        for degree in (1, 2):
            found.append(_program(f"{name}_{degree}", inputs * degree, body(degree)))
    found += [_power(), _miller()]
    found += [_program(f"squares_{count}", compressed.COMPRESSED_WORDS, partial(_squares, count))
              for count in compressed.COMPRESSED_RUNS]
    found += [_program("denominators", 6, compressed.denominators),
              _program("expand", 29, compressed.expand), _program("combine", 36, _combine)]
    return found


def coprocessor_image(orders: Orders | None = None) -> Image:
    """Returns the image of the coprocessor's core."""
    image = Image(P, register_bits=REGISTER_BITS, frames=FRAMES, width=WIDTH, paced=LATENCIES,
                  orders=orders or known_orders())
    for program in programs():
        assemble(program, image)
    return image
