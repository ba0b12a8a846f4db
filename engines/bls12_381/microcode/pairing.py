# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The Miller loop and the final exponentiation of BLS12-381 as programs of field_core.

The parameter x is negative; loops are over the bits of |x|, six of which are 1: each long run of
zeros is a loop of doublings or squarings. An iteration of the Miller loop begins in the middle of a
doubling: the product with the last tangent, and the square and the tangent of the next doubling,
are independent.
"""

from typing import Sequence

from arith.microcode.program import Program, Subroutine, Value
from engines.bls12_381.microcode.steps import Line, Point, add, double, times_line
from engines.bls12_381.microcode.tower import Fp2, Fp6, Fp12, Tower, even, fp12, odd, words
from engines.bls12_381.model.tower import FROBENIUS, P, X, mul2

RUNS = tuple(len(zeros) + 1 for zeros in f"{-X:b}"[1:].split("1")[:-1])
"""The numbers of doublings before each addition."""
LAST_RUN = len(f"{-X:b}".rsplit("1", 1)[1])
"""The number of doublings after the last addition."""
PAIRED = 3
"""The number of pairs of squarings from which a loop pays off."""
CONJUGATE = [1, 1, -1, -1] * 3
"""The signs of the words of an element's conjugate."""
WINDOW = 4
"""The maximum number of bits of the exponent of an inversion that one product covers."""


def copies(program: Program, values: Sequence[Value]) -> list[Value]:
    return [program.linear([(1, value)]) for value in values]


def point_of(values: Sequence[Value]) -> Point:
    x, y, z = (Fp2(values[i], values[i + 1]) for i in (0, 2, 4))
    return Point(x, y, z)


def miller_program(factor: int = 1, signs: Sequence[int] = CONJUGATE,
                   order: Sequence[int] = range(6), name: str = "miller_loop") -> Program:
    """Takes six words: x and y of a point of G1, then of a point of the twist, each multiplied by a
    factor. Returns twelve words: the model's miller_loop times an element of F_p², with the powers
    of w in `order`, each with its sign."""
    program = Program(name, P)
    x_p, y_p, *q = [value if factor == 1 else program.product(value, factor)
                    for value in program.inputs(6)]
    q_x, q_y = Fp2(q[0], q[1]), Fp2(q[2], q[3])
    one, zero = (lambda: program.linear([], constant=1)), (lambda: program.linear([], constant=0))
    f, t = fp12([one(), *(zero() for _ in range(11))]), point_of([*copies(program, q), one(), zero()])

    def begin(f: Fp12, t: Point) -> list[Value]:
        """The first part of a doubling: f², the doubled point, and the tangent."""
        tower = Tower(program)
        doubled, tangent = double(tower, t, x_p, y_p)
        return [*words(tower.square12(f)), *words((doubled.x, doubled.y, doubled.z)),
                *words((tangent.l_0, tangent.l_2, tangent.l_3))]

    def end(state: Sequence[Value]) -> tuple[Fp12, Point]:
        tangent = Line(*(Fp2(state[i], state[i + 1]) for i in (18, 20, 22)))
        return times_line(Tower(program), fp12(state), tangent), point_of(state[12:])

    for run, adds in (*((run, True) for run in RUNS), (LAST_RUN, False)):
        state = begin(f, t)
        if run - 1 >= 2:
            state = program.loop(run - 1, state, lambda values: begin(*end(values)))
        elif run == 2:
            state = begin(*end(state))
        f, t = end(state)
        if adds:
            tower = Tower(program)
            t, chord = add(tower, t, q_x, q_y, x_p, y_p)
            f = times_line(tower, f, chord)
    state = words(f)
    for index, power in enumerate(order):
        for part in (0, 1):
            place = 2 * power + part
            value = state[place] if signs[place] == 1 else program.linear([(-1, state[place])])
            program.put_out(value, 2 * index + part)
    return program


def power_subroutine(program: Program) -> Subroutine:
    """a^|x| for an element of the cyclotomic subgroup."""
    def body(base: list[Value]) -> list[Value]:
        def square(values: list[Value]) -> list[Value]:
            return words(Tower(program).square_cyclotomic(fp12(values)))

        def squares(values: list[Value], count: int) -> list[Value]:
            """Squares `count` times, in a loop over pairs, which gives each square its own
            registers."""
            if count >= 2 * PAIRED:
                values = program.loop(count // 2, values, lambda v: square(square(v)), early=True)
                count %= 2
            for _ in range(count):
                values = square(values)
            return values

        power = copies(program, base)
        for run in RUNS:
            power = words(Tower(program).product12(fp12(squares(power, run)), fp12(base)))
        return squares(power, LAST_RUN)

    return program.subroutine("power", 12, body)


def parked(program: Program, a: Fp12) -> Fp12:
    """A copy in bank P, which has room while subroutines fill bank S."""
    return fp12([program.product(value, 1) for value in words(a)])


def conjugate(program: Program, a: Fp12) -> Fp12:
    """Replaces w by -w: the inverse in the cyclotomic subgroup."""
    return fp12([value if sign == 1 else program.linear([(-1, value)])
                 for value, sign in zip(words(a), CONJUGATE)])


def frobenius(program: Program, a: Fp12) -> Fp12:
    """a^p."""
    result = []
    for c, (re, im) in zip(a, FROBENIUS):
        # (c.re - c.im i)(re + im i)
        if im == 0:
            result.append(Fp2(program.product(c.re, re), program.product(c.im, -re % P)))
        else:
            result.append(Fp2(program.products([(c.re, re), (c.im, im)]),
                              program.products([(c.re, im), (c.im, -re % P)])))
    return fp12(words(result))


def frobenius_square(program: Program, a: Fp12) -> Fp12:
    """a^(p²), whose factors lie in F_p."""
    result = []
    for c, factor in zip(a, FROBENIUS):
        norm = mul2(factor, (factor[0], -factor[1] % P))
        assert norm[1] == 0
        result.append(Fp2(program.product(c.re, norm[0]), program.product(c.im, norm[0])))
    return fp12(words(result))


def inverse(program: Program, a: Value) -> Value:
    """a^(p - 2); 0 for 0.

    Works from the lowest bit up, so that no product except the squares waits for another (Yao, On
    the evaluation of powers, 1976): the squares at windows of the exponent are accumulated by the
    windows' digits, which are odd, and the product accumulated for digit d is raised to the power
    d. The highest bits are digits of 1, of which the last one waits for the last square."""
    rest, power = P - 2, a
    high = rest.bit_length() - 2 * WINDOW
    gathered: dict[int, Value] = {}

    def times(value: Value | None, other: Value) -> Value:
        return other if value is None else program.product(value, other)

    for position in range(rest.bit_length()):
        if rest >> position & 1:
            digit = rest >> position & (1 << WINDOW) - 1 if position < high else 1
            rest -= digit << position
            gathered[digit] = times(gathered.get(digit), power)
        if rest:
            power = program.product(power, power)
    # With s(d) the product of all values accumulated for digits d and above: s(1) (s(3) s(5) ...)².
    running: Value | None = None
    others: Value | None = None
    for digit in range((1 << WINDOW) - 1, 1, -2):
        if digit in gathered:
            running = times(running, gathered[digit])
        if running is not None:
            others = times(others, running)
    assert running is not None and others is not None
    return program.product(program.product(others, others), program.product(running, gathered[1]))


def norm6(program: Program, a: Fp6) -> tuple[Fp6, Fp2, Value]:
    """For an element of F_p⁶, returns its adjoint, which is its inverse times its norm to F_p²;
    that norm; and the norm of that norm to F_p."""
    tower, (a_0, a_1, a_2) = Tower(program), a
    negative_1, negative_0 = tower.combine((-1, a_1)), tower.combine((-1, a_0))
    xi_2 = tower.times_xi(a_2)
    adjoint = (tower.product((a_0, a_0), (negative_1, xi_2)),
               tower.product((a_2, xi_2), (negative_0, a_1)),
               tower.product((a_1, a_1), (negative_0, a_2)))
    norm = tower.product((a_0, adjoint[0]), (xi_2, adjoint[1]), (tower.times_xi(a_1), adjoint[2]))
    return adjoint, norm, norm2(program, norm)


def norm2(program: Program, a: Fp2) -> Value:
    """The norm to F_p."""
    return program.products([(a.re, a.re), (a.im, a.im)])


def over2(program: Program, a: Fp2, over: Value) -> Fp2:
    """The inverse, from that of the norm."""
    return Fp2(program.product(a.re, over), program.linear([(-1, program.product(a.im, over))]))


def over6(program: Program, adjoint: Fp6, norm: Fp2, over: Value) -> Fp6:
    """The inverse, from the result of `norm6` and the inverse of its last part."""
    tower, norm_inverse = Tower(program), over2(program, norm, over)
    first, second, third = (tower.product((part, norm_inverse)) for part in adjoint)
    return first, second, third


def norm12(program: Program, f: Fp12) -> Fp6:
    """The norm to F_p⁶: f_0² - v f_1²."""
    tower, low, high = Tower(program), even(f), odd(f)
    low_square, high_square = tower.product6(low, low), tower.product6(high, high)
    turned = tower.times_xi(high_square[2], -1)
    return (tower.combine((1, low_square[0]), (1, turned)),
            tower.combine((1, low_square[1]), (-1, high_square[0])),
            tower.combine((1, low_square[2]), (-1, high_square[1])))


def inverse6(program: Program, a: Fp6) -> Fp6:
    """The inverse in F_p⁶: the adjoint divided by the norm, with the norm to F_p inverted."""
    adjoint, norm, last = norm6(program, a)
    return over6(program, adjoint, norm, inverse(program, last))


def easy_part(program: Program, f: Fp12) -> Fp12:
    """f^((p⁶ - 1)(p² + 1)). With f' the conjugate, f^(p⁶ - 1) = f'² / (f f'), and
    f f' = f_0² - v f_1² lies in F_p⁶."""
    tower, norm = Tower(program), norm12(program, f)
    square = conjugate(program, tower.square12(f))
    over = inverse6(program, norm)
    c_0, c_2, c_4 = tower.product6(even(square), over)
    c_1, c_3, c_5 = tower.product6(odd(square), over)
    unitary = (c_0, c_1, c_2, c_3, c_4, c_5)
    return tower.product12(frobenius_square(program, unitary), unitary)


def final_program() -> Program:
    """Takes the twelve words of f. Returns the twelve words of the model's final_exponentiation.
    The hard part is (x - 1)² (x + p) (x² + p² - 1) + 3."""
    program = Program("final", P)
    power = power_subroutine(program)

    def to_x(a: Fp12) -> Fp12:
        return conjugate(program, fp12(program.call(power, words(a))))

    def product(a: Fp12, b: Fp12) -> Fp12:
        program.cut()
        return Tower(program).product12(a, b)

    value = easy_part(program, fp12(program.inputs(12)))
    program.cut()
    cube = parked(program, product(Tower(program).square_cyclotomic(value), value))
    for _ in range(2):
        kept = parked(program, value)
        value = product(to_x(value), conjugate(program, kept))
    kept = parked(program, value)
    value = product(to_x(value), frobenius(program, kept))
    rest = product(frobenius_square(program, value), conjugate(program, value))
    rest = parked(program, product(rest, cube))
    for index, word in enumerate(words(product(to_x(to_x(value)), rest))):
        program.put_out(word, index)
    return program
