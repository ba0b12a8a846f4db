# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The program of a signature's check, and its image.

u1*G + u2*Q by windows of five bits, highest first: five doublings, then a digit's multiple of Q,
one of lambda Q, and one of G and lambda G together. If this ends with Z = 0, the job continues with
complete formulas (../rtl/README.md, "Where the formulas fail").
"""

from typing import Final

from arith.microcode.assemble import assemble
from arith.microcode.image import Image
from arith.microcode.program import Keep, Program, Value
from arith.microcode.timing import Latencies, Pace
from engines.secp256k1.microcode import complete, fixed_table, quick
from engines.secp256k1.microcode.formulas import Jacobian, add_affine, add_found, double, square
from engines.secp256k1.microcode.layout import (
    BASE_SCALARS, COMPLETE_B, HEIGHT, INPUTS, KEY_SCALARS, MATCH, R, R2, SCALE, SCALE_CUBED,
    SCALE_SQUARED, SPILL_R, SPILL_R2, U1, U2, X, Y, word,
)
from engines.secp256k1.microcode.scalars import keep_halves
from engines.secp256k1.microcode.table import check_curve, go_down, go_up
from engines.secp256k1.microcode.window import TOP, base_multiple, fetch, key_multiples
from engines.secp256k1.model.curve import B, P
from engines.secp256k1.model.split import WINDOW_BITS, WINDOWS

NAME, CURVE_NAME, QUICK_NAME = "secp256k1-verify", "secp256k1-curve", "secp256k1-quick"
REGISTER_BITS: Final = 3
BELOW_TOP: Final = TOP - 1
PACE: Final = Pace(2, Latencies(multiply=7, accumulate=1, reduce=4, sum=5), register_bits=5)
"""The core of a signature: 256 bits, one product per clock, tiles of 26x17 or smaller latencies."""


def add_window(program: Program, point: Jacobian, number: int) -> Jacobian:
    """Adds the points that a window selects: 34 products."""
    for found in key_multiples(number):
        point = add_found(program, point, found)
    return add_found(program, point, base_multiple(number), word(SCALE))


def by_windows(program: Program, one: Value) -> Jacobian:
    """u1*G + u2*Q with the fast formulas."""
    first, second = (fetch(program, found, one) for found in key_multiples(TOP))
    point = add_affine(program, first, second)
    point = add_found(program, point, base_multiple(TOP), word(SCALE))

    def body(values: list[Value]) -> list[Value]:
        current = Jacobian(*values)
        for _ in range(WINDOW_BITS):
            current = double(program, current)
        current = add_window(program, current, BELOW_TOP)
        return [current.x, current.y, current.z]

    return Jacobian(*program.loop(TOP, [point.x, point.y, point.z], body, digit_stride=-1))


def compare(program: Program, x: Value, z: Value, scaled: Value) -> None:
    """Outputs HEIGHT, which is z, and MATCH: x = r * scaled or x = r2 * scaled. 3 products."""
    program.linear([(1, z)], output=HEIGHT, keep=Keep(flag=True))
    difference = [program.linear([(1, program.product(scaled, word(place))), (-1, x)])
                  for place in (SPILL_R, SPILL_R2)]
    program.linear([(1, program.product(*difference))], output=MATCH)


def again_with_complete_formulas(program: Program) -> None:
    """Repeats the computation from the same table and digits, without exceptions."""
    one = program.linear([], 1)
    scale = program.product(one, word(SCALE))
    squared = square(program, scale)
    cubed = program.product(squared, scale)
    program.linear([(1, squared)], keep=Keep(table=SCALE_SQUARED))
    program.linear([(1, cubed)], keep=Keep(table=SCALE_CUBED))
    sixth = square(program, cubed)
    program.linear([(1, program.product(sixth, 3 * B))], keep=Keep(table=COMPLETE_B))
    three_b, to_curve = word(COMPLETE_B), (word(SCALE_SQUARED), word(SCALE_CUBED))
    start = [program.linear([]), program.linear([], 1), program.product(one, 0)]

    def body(values: list[Value]) -> list[Value]:
        current = Jacobian(*values)
        for _ in range(WINDOW_BITS):
            current = complete.double(program, current, three_b)
        unit = program.linear([], 1)
        for found in key_multiples(TOP):
            current = complete.add_affine(program, current, fetch(program, found, unit), three_b)
        base = fetch(program, base_multiple(TOP), unit)
        current = complete.add_scaled(program, current, base, to_curve, three_b)
        return [current.x, current.y, current.z]

    point = Jacobian(*program.loop(WINDOWS, start, body, digit_stride=-1))
    compare(program, point.x, point.z, program.product(point.z, word(SCALE_SQUARED)))


def prepare(program: Program) -> Value:
    """Prepares the table of Q and the scalars' halves; returns one of the last products."""
    words = program.inputs(INPUTS)
    for index, place in ((R, SPILL_R), (R2, SPILL_R2)):
        program.linear([(1, words[index])], keep=Keep(table=place))
    upper = go_up(program, words[X], words[Y])
    keep_halves(program, words[U2], KEY_SCALARS)
    keep_halves(program, words[U1], BASE_SCALARS)
    return go_down(program, upper)


def finish(program: Program, x: Value, z: Value) -> None:
    """Compares the result; the job ends here unless Z = 0."""
    scaled = program.product(z, word(SCALE))
    compare(program, x, z, square(program, scaled))
    program.halt_unless_zero()


def program_of_verify() -> Program:
    program = Program(NAME, P)
    near_end = prepare(program)
    point = by_windows(program, program.linear([], 1, after=near_end))
    finish(program, point.x, point.z)
    again_with_complete_formulas(program)
    return program


def program_of_quick() -> Program:
    """As `program_of_verify`, for a job that is alone; it continues with the complete formulas of
    that program."""
    program = Program(QUICK_NAME, P)
    prepare(program)
    point = quick.by_windows(program, program.linear([], 1))
    finish(program, point.x, point.z)
    return program


def program_of_curve() -> Program:
    """Checks only that x and y are a point, for a key whose signature is out of range."""
    program = Program(CURVE_NAME, P)
    x, y = program.inputs(2)
    check_curve(program, x, square(program, x), square(program, y))
    return program


def image_of_verify() -> Image:
    """Returns the contents of the engine's cores, with the check's program first."""
    image = Image(P, REGISTER_BITS, folds=True, lookups=True, fixed_table=fixed_table.words(),
                  pace=PACE)
    usual = assemble(program_of_verify(), image)
    assemble(program_of_curve(), image)
    assemble(program_of_quick(), image, quick_of=usual)
    return image
