# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The steps of the coprocessor's sequencer for each instruction, in the language of
`control.py`."""

from engines.bls12_381.coprocessor.isa import load
from engines.bls12_381.microcode.compressed import (
    COMPRESSED_RUNS, COMPRESSED_WORDS, DENOMINATOR_WORDS,
)
from engines.bls12_381.microcode.control import (
    A, B, C, MINUS_ONE, ONE, P, Place, Q, S, Steps, ZERO, units, words,
)
from engines.bls12_381.microcode.coprocessor import DEGREES, MULTIPLES, NORM_WORDS, POWERS
from engines.bls12_381.microcode.points import WINDOW_BITS

TABLE_ROWS = 1 << WINDOW_BITS
"""The number of rows of the table of multiples or powers that a digit of the scalar selects
from."""


def _point(s: Steps, point: Place, affine: str, to: Place, infinite: str, off_curve: str) -> None:
    """Checks a point. Writes 0, X, Y, Z at `to`."""
    is_affine, checked = s.new("affine"), s.new("checked")
    s.branch(affine, is_affine)
    s.test(point.at(2), 1)
    s.branch("zero", infinite)
    s.job("curve", to, 4, units(point, 3))
    s.branch("always", checked)
    s.label(is_affine)
    s.test(point, 2)
    s.branch("zero", infinite)
    s.job("curve", to, 4, units(point, 2), units(ONE))
    s.label(checked)
    s.test(to, 1)
    s.branch("not_zero", off_curve)


def _pair(s: Steps, p: Place, q: Place, infinite: str) -> None:
    """Checks both points of a pair; afterwards the unit is that of Fp12."""
    p_infinite, q_checked, both = s.new("infinite"), s.new("q"), s.new("both")

    def check(point: Place, when_infinite: str) -> None:
        s.test(point, 2)
        s.branch("zero", when_infinite)
        s.job("curve", S(0), 4, units(point, 2), units(ONE))
        s.test(S(0), 1)
        s.branch("not_zero", "off_curve")

    s.unit(1, 0)
    s.set("i", Place("constant", 0))
    check(p, p_infinite)
    s.branch("always", q_checked)
    s.label(p_infinite)
    s.set("i", Place("constant", 1))
    s.label(q_checked)
    s.unit(2, 1)
    q_infinite = s.new("infinite")
    check(q, q_infinite)
    s.unit(12, 3)
    s.branch("i_is_0", both)
    s.label(q_infinite)
    s.unit(12, 3)
    s.branch("always", infinite)
    s.label(both)


def _miller(s: Steps, p: Place, q: Place, to: Place) -> None:
    s.job("miller", to, 1, words(p, 2), words(q, 4))


def _write_infinity(s: Steps, to: Place) -> None:
    s.move(ONE, to, 1)
    s.move(ONE, to.at(1), 1)
    s.move(ZERO, to.at(2), 1)
    s.step("end")


def _windows(s: Steps, scalar: Place, table: Place, row: int, program: str, value: Place) -> None:
    """Computes the multiple or power by a nonzero scalar whose highest bit is i, from the highest
    digit on, with one job per digit. The table's rows have `row` units."""
    again, done = s.new("again"), s.new("done")
    s.set("i_window")
    s.digit(scalar, table, row, next_one=False)
    s.move(Q, value, row)
    s.branch("i_is_0", done)
    s.label(again)
    s.digit(scalar, table, row)
    s.job(program, value, row, units(value, row), units(Q, row))
    s.branch("i_is_not_0", again)
    s.label(done)


def _control(s: Steps) -> None:
    s.label("COPY_REG")
    s.move(A, B, 1, "words", keep=True)
    s.step("end")
    s.label("COPY_ELEMENT")
    s.move(A, S(0), 1, "slots", keep=True)
    s.move(S(0), B, 1, "slots", keep=True)
    s.step("end")
    s.label("JUMP")
    s.step("jump")
    s.label("JUMP_IF_EQ")
    s.step("equal", B, C)
    s.branch("zero", "JUMP")
    s.step("end")
    s.label("JUMP_NONZERO_SUB")
    s.step("decrement", B)
    s.branch("not_zero", "JUMP")
    s.step("end")
    s.label("SEND_INTERRUPT")
    s.step("send", A, count=1, counts="slots")
    s.step("end")
    s.label("yes")
    s.move(ONE, C, 1, "words")
    s.step("end")
    s.label("no")
    s.move(ZERO, C, 1, "words")
    s.step("end")
    s.label("yes_b")
    s.move(ONE, B, 1, "words")
    s.step("end")
    s.label("no_b")
    s.move(ZERO, B, 1, "words")
    s.step("end")
    for name in ("curve", "inverse"):
        s.label({"curve": "off_curve", "inverse": "no_inverse"}[name])
        s.fault(name)


def _fields(s: Steps) -> None:
    for name, program in (("SUB", "sub"), ("ADD", "add"), ("MUL", "mul")):
        s.label(f"{name}_ELEMENT")
        s.job(program, C, 1, units(A), units(B))
        s.step("end")
    s.label("NEG_ELEMENT")
    s.job("neg", B, 1, units(A))
    s.step("end")
    s.label("SQR_ELEMENT")
    s.job("mul", B, 1, units(A), units(A))
    s.step("end")

    s.label("INV_ELEMENT")
    s.test(A, 1)
    s.branch("zero", "no_inverse")
    _inverse(s, A, B)
    s.step("end")

    _powers(s)
    s.label("exp_one")
    s.move(ONE, C, 1)
    s.step("end")

    s.label("FROBENIUS")
    s.move(A, S(0), 1)
    s.set("n_of_b")
    s.branch("n_is_0", "frobenius_done")
    s.label("frobenius_again")
    s.job("frobenius", S(0), 1, units(S(0)))
    s.set("n_less")
    s.branch("n_is_not_0", "frobenius_again")
    s.label("frobenius_done")
    s.move(S(0), C, 1)
    s.step("end")
    s.label("FROBENIUS.FE")
    s.move(A, C, 1)
    s.step("end")

    s.label("IS_EQUAL")
    s.step("equal", A, B, 1, "units")
    s.branch("zero", "yes")
    s.branch("always", "no")

    s.label("INV_BATCH")
    s.set("p", A)
    s.set("n_of_b")
    s.label("batch_test")
    s.test(P, 1)
    s.branch("zero", "no_inverse")
    s.set("p", P.at(1))
    s.set("n_less")
    s.branch("n_is_not_0", "batch_test")
    # A result may overlap an element that is still to be read, so the order of the results matters.
    s.set("n_of_b")
    s.branch("c_up_to_a", "batch_up")
    s.set("p", Place("a", 0, MINUS_ONE), ext=True)
    s.set("q", Place("c", 0, MINUS_ONE), ext=True)
    for direction, units_on in (("down", MINUS_ONE), ("up", 1)):
        if direction == "up":
            s.label("batch_up")
            s.set("p", A)
            s.set("q", C)
        s.label(f"batch_{direction}_again")
        _inverse(s, P, Q)
        s.set("p", Place("p", 0, units_on))
        s.set("q", Place("q", 0, units_on))
        s.set("n_less")
        s.branch("n_is_not_0", f"batch_{direction}_again")
        s.step("end")


def _powers(s: Steps) -> None:
    """Builds a table of the powers 0 to 15, then runs the windows."""
    power = S(12 * TABLE_ROWS)
    s.label("EXP_ELEMENT")
    for degree in DEGREES:
        s.label(f"EXP_ELEMENT.FE{degree if degree > 1 else ''}")
        if degree == 6:  # the same steps as those of FE12
            continue
        s.step("top", B)
        s.branch("zero", "exp_one")
        s.job("form", S(0), 1, units(ONE))
        s.job("form", S(0).at(1), 1, units(A))
        if degree == 12:
            s.set("p", S(0).at(1))
            s.set("n", Place("constant", TABLE_ROWS - 2))
            s.label("powers_again")
            s.job("product", P.at(1), 1, units(S(0).at(1)), units(P))
            s.set("p", P.at(1))
            s.set("n_less")
            s.branch("n_is_not_0", "powers_again")
            s.label("exp_windows")
        else:
            for last in range(1, TABLE_ROWS - 1, POWERS):
                s.job("powers", S((last + 1) * degree), POWERS, units(S(0).at(1)),
                      units(S(last * degree)))
            s.branch("always", "exp_windows")
    _windows(s, B, S(0), 1, "power_window", power)
    s.job("number", C, 1, units(power))
    s.step("end")


def _inverse(s: Steps, place: Place, to: Place) -> None:
    """Inverts a number."""
    direct, done = s.new("direct"), s.new("done")
    s.branch("degree_is_0", direct)
    s.job("form", S(0), 1, units(place))
    _inverse_of_form(s, S(0), S(0), S(12))
    s.job("number", to, 1, units(S(0)))
    s.branch("always", done)
    s.label(direct)
    s.invert(place, to, form=False)
    s.label(done)


def _inverse_of_form(s: Steps, place: Place, to: Place, norm: Place) -> None:
    """Inverts in F_p², F_p⁶ or F_p¹², with the norm, which has NORM_WORDS words."""
    s.job("norm", norm, NORM_WORDS, units(place), counts="words")
    s.invert(norm, norm, form=True)
    s.job("over", to, 1, units(place), words(norm, NORM_WORDS))


def _inverse_of_coordinate(s: Steps, place: Place, to: Place, norm: Place) -> None:
    """Inverts a form."""
    direct, done = s.new("direct"), s.new("done")
    s.branch("degree_is_0", direct)
    _inverse_of_form(s, place, to, norm)
    s.branch("always", done)
    s.label(direct)
    s.invert(place, to, form=True)
    s.label(done)


def _points(s: Steps) -> None:
    s.label("NEG_ELEMENT.point")
    _point(s, A, "a_affine", S(0), "neg_checked", "off_curve")
    s.label("neg_checked")
    s.job("neg", S(33), 1, units(A.at(1)))
    # Y is kept separately, as its destination may overlap words that are still to be read.
    s.move(A, S(35), 1, "slots")
    s.move(S(33), S(35).at(1), 1)
    s.move(S(35), B, 1, "slots")
    s.step("end")

    s.label("POINT_DOUBLE")
    _point(s, A, "a_affine", S(0), "infinity_b", "off_curve")
    s.job("point_double", B, 3, units(S(0).at(1), 3))
    s.step("end")
    s.label("infinity_b")
    _write_infinity(s, B)

    s.label("POINT_ADD")
    _point(s, A, "a_affine", S(0), "add_a_infinite", "off_curve")
    _point(s, B, "b_affine", S(16), "add_b_infinite", "off_curve")
    s.job("point_add", S(32), 5, units(S(0).at(1), 3), units(S(16).at(1), 3))
    s.test(S(32).at(3), 1)
    s.branch("zero", "add_same_x")
    s.move(S(32), C, 3)
    s.step("end")
    s.label("add_same_x")
    s.test(S(32).at(4), 1)
    s.branch("not_zero", "infinity_c")
    s.job("point_double", C, 3, units(S(0).at(1), 3))
    s.step("end")
    s.label("add_a_infinite")
    _point(s, B, "b_affine", S(16), "infinity_c", "off_curve")
    for point, affine in ((B, "b_affine"), (A, "a_affine")):
        if point == A:
            s.label("add_b_infinite")
        is_affine, read = s.new("affine"), s.new("read")
        s.branch(affine, is_affine)
        s.move(point, S(32), 3)
        s.branch("always", read)
        s.label(is_affine)
        s.move(point, S(32), 2)
        s.move(ONE, S(32).at(2), 1)
        s.label(read)
        s.move(S(32), C, 3)
        s.step("end")
    s.label("infinity_c")
    _write_infinity(s, C)

    s.label("POINT_AFFINE")
    _point(s, A, "a_affine", S(0), "affine_infinite", "off_curve")
    _inverse_of_coordinate(s, S(0).at(3), S(24), S(12))
    s.job("affine", B, 2, units(S(0).at(1), 2), units(S(24)))
    s.step("end")
    s.label("affine_infinite")
    s.move(ZERO, B, 2)
    s.step("end")

    s.label("IS_EQUAL.point")
    _point(s, A, "a_affine", S(0), "equal_a_infinite", "off_curve")
    _point(s, B, "b_affine", S(16), "no", "off_curve")
    s.job("point_add", S(32), 5, units(S(0).at(1), 3), units(S(16).at(1), 3))
    s.test(S(32).at(3), 2)
    s.branch("zero", "yes")
    s.branch("always", "no")
    s.label("equal_a_infinite")
    _point(s, B, "b_affine", S(16), "yes", "off_curve")
    s.branch("always", "no")

    s.label("CHECK_CURVE")
    _point(s, A, "a_affine", S(0), "yes_b", "no_b")
    s.branch("always", "yes_b")

    s.label("CHECK_SUBGROUP")
    _point(s, A, "a_affine", S(0), "yes_b", "no_b")
    s.job("scaled", S(16), 3, units(S(0).at(1), 3))
    s.job("in_group", S(32), 2, units(S(16), 3))
    s.test(S(32), 2)
    s.branch("zero", "yes_b")
    s.branch("always", "no_b")
    _point_mult(s)


def _point_mult(s: Steps) -> None:
    """Builds a table of the multiples by 0 to 15, then runs the windows."""
    multiple, table = S(16), S(32)
    s.label("POINT_MULT")
    for degree, kinds in ((1, POINTS[:2]), (2, POINTS[2:])):
        for kind in kinds:
            s.label(f"POINT_MULT.{kind}")
        _point(s, B, "b_affine", S(0), "infinity_c", "off_curve")
        s.step("top", A)
        s.branch("zero", "infinity_c")
        s.move(ZERO, table, 3)
        s.move(ONE, table.at(1), 1)
        s.job("scaled", table.at(3), 3, units(S(0).at(1), 3))
        row, count = 3 * degree, MULTIPLES[degree]
        for last in range(1, TABLE_ROWS - 1, count):
            s.job("multiples", table.at(offset=(last + 1) * row), count * row, units(table.at(3), 3),
                  units(table.at(offset=last * row), 3), counts="words")
        if degree == 1:
            s.branch("always", "mult_windows")
    s.label("mult_windows")
    _windows(s, A, table, 3, "window", multiple)
    s.test(multiple.at(2), 1)
    s.branch("zero", "infinity_c")
    _inverse_of_coordinate(s, multiple.at(2), S(24), table)
    s.job("unscaled", C, 2, units(multiple, 2), units(S(24)))
    s.move(ONE, C.at(2), 1)
    s.step("end")


def _pairings(s: Steps) -> None:
    s.label("MILLER_LOOP")
    _pair(s, A, B, "exp_one")
    _miller(s, A, B, S(12))
    s.job("number", C, 1, units(S(12)))
    s.step("end")

    s.label("MULTI_MILLER")
    s.set("p", A)
    s.set("n_of_b")
    s.unit(12, 3)
    s.job("form", S(24), 1, units(C))
    s.label("multi_again")
    _pair(s, P, P.at(offset=2), "multi_next")
    _miller(s, P, P.at(offset=2), S(12))
    s.job("product", S(24), 1, units(S(24)), units(S(12)))
    s.label("multi_next")
    s.set("p", P.at(offset=6))
    s.set("n_less")
    s.branch("n_is_not_0", "multi_again")
    s.job("number", C, 1, units(S(24)))
    s.step("end")

    s.label("ATE_PAIRING")
    s.set("q", C)
    _pair(s, A, B, "exp_one")
    _miller(s, A, B, S(12))
    s.test(S(12), 1)
    s.branch("zero", "no_inverse")
    s.branch("always", "final")
    s.label("FINAL_EXP")
    s.set("q", B)
    s.test(A, 1)
    s.branch("zero", "no_inverse")
    s.job("form", S(12), 1, units(A))
    s.label("final")
    _final(s)
    s.step("end")


def _power_x(s: Steps, a: Place, to: Place) -> None:
    """Raises to the power by the parameter, with compressed squares. An element that does not expand takes
    all squares uncompressed."""
    slow, done = s.new("slow"), s.new("done")
    runs = [S(72 + COMPRESSED_WORDS * k) for k in range(len(COMPRESSED_RUNS))]
    below = S(72 + COMPRESSED_WORDS * len(runs))
    found = below.at(offset=DENOMINATOR_WORDS)
    s.job(f"squares_{COMPRESSED_RUNS[0]}", runs[0], COMPRESSED_WORDS, words(a.at(offset=2), 6),
          words(a.at(offset=10), 2), counts="words")
    for count, place, to_place in zip(COMPRESSED_RUNS[1:], runs, runs[1:]):
        s.job(f"squares_{count}", to_place, COMPRESSED_WORDS, words(place, COMPRESSED_WORDS),
              counts="words")
    s.job("denominators", below, DENOMINATOR_WORDS,
          *(words(place.at(offset=4), 2) for place in runs), counts="words")
    s.test(below, 1, "words")
    s.branch("zero", slow)
    s.invert(below, below, form=True)
    s.job("expand", found, 12, words(below, DENOMINATOR_WORDS), words(runs[0], 24), counts="words")
    s.job("combine", to, 1, words(found, 12), words(runs[0], 24))
    s.branch("always", done)
    s.label(slow)
    s.job("power_x", to, 1, units(a))
    s.label(done)


def _final(s: Steps) -> None:
    """Like `pairing.final_program`: raises first to the power (p⁶ - 1)(p² + 1), then to (x - 1)² (x
    + p) (x² + p² - 1) + 3."""
    value, first, second, cube, rest = (S(12 * k) for k in range(1, 6))

    def one(name: str, a: Place, to: Place) -> None:
        s.job(name, to, 1, units(a))

    def product(a: Place, b: Place, to: Place, program: str = "product") -> None:
        s.job(program, to, 1, units(a), units(b))

    _inverse_of_form(s, value, first, rest)
    # The quotient of the conjugate and the value, of which the former is the second factor.
    product(first, value, value, "times_conjugate")
    one("frobenius_square_12", value, first)
    product(first, value, value)
    one("cube", value, cube)
    for _ in range(2):
        _power_x(s, value, first)
        product(first, value, value, "times_conjugate")
    _power_x(s, value, first)
    one("frobenius", value, second)
    product(first, second, value)
    one("frobenius_square_12", value, first)
    product(first, value, rest, "times_conjugate")
    product(rest, cube, rest)
    _power_x(s, value, first)
    _power_x(s, first, first)
    product(first, rest, first)
    s.job("number", Q, 1, units(first))


POINTS = ("FP_AF", "FP_JB", "FP2_AF", "FP2_JB")


def steps_of_instructions(entries: dict[str, int]) -> tuple[Steps, dict[tuple[int, int], int]]:
    """Returns all steps, and the first step of each instruction, by its code and the kind that
    selects the steps: that of operand b for POINT_MULT, and that of operand a for all others."""
    steps = Steps(entries)
    for part in (_control, _fields, _points, _pairings):
        part(steps)
    starts: dict[tuple[int, int], int] = {}
    isa = load()
    for instruction in isa.instructions.values():
        for kind in isa.kinds.values():
            for name in (f"{instruction.name}.{kind.name}",
                         f"{instruction.name}.point" if kind.name in POINTS else "",
                         instruction.name):
                if name in steps.labels:
                    starts[instruction.code, kind.code] = steps.labels[name]
                    break
    return steps, starts
