# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The programs by name: single operations of the tower and of the Miller loop, and whole pairings."""

from __future__ import annotations

from typing import Callable, Sequence

from arith.microcode.assemble import assemble
from arith.microcode.image import Image
from arith.microcode.program import Program, Value
from engines.bls12_381.microcode.pairing import final_program, miller_program, point_of
from engines.bls12_381.microcode.steps import Line, Point, add, double, times_line
from engines.bls12_381.microcode.tower import Fp2, Tower, fp12, words
from engines.bls12_381.model.tower import P

WIDTH = 384
REGISTER_BITS = 6
FRAMES = 2
"""Beside a loop: the call of the power, and the loop in it."""

Body = Callable[[Tower, list[Value]], list[Value]]


def _step(result: tuple[Point, Line]) -> list[Value]:
    point, line = result
    return words((point.x, point.y, point.z, line.l_0, line.l_2, line.l_3))


def _pair(values: Sequence[Value]) -> Fp2:
    re, im = values
    return Fp2(re, im)


OPERATIONS: dict[str, tuple[int, Body]] = {
    "Fp2 product": (4, lambda t, v: words([t.product((_pair(v[:2]), _pair(v[2:])))])),
    "Fp2 square": (2, lambda t, v: words([t.square(_pair(v))])),
    "Fp12 product": (24, lambda t, v: words(t.product12(fp12(v[:12]), fp12(v[12:])))),
    "Fp12 square": (12, lambda t, v: words(t.square12(fp12(v)))),
    "cyclotomic square": (12, lambda t, v: words(t.square_cyclotomic(fp12(v)))),
    "line product": (18, lambda t, v: words(times_line(
        t, fp12(v[:12]), Line(_pair(v[12:14]), _pair(v[14:16]), _pair(v[16:]))))),
    "doubling with line": (8, lambda t, v: _step(double(t, point_of(v[:6]), v[6], v[7]))),
    "addition with line": (12, lambda t, v: _step(add(
        t, point_of(v[:6]), _pair(v[8:10]), _pair(v[10:]), v[6], v[7]))),
}
"""Words of a job, and what it computes: of the elements in their order, of the steps' point, of x_p,
y_p and of the affine point."""


DEEP = ("Fp12 product", "Fp12 square", "cyclotomic square", "line product")
"""Of these there is another algorithm with the fewest products."""


def operation_program(name: str, deep: bool = False) -> Program:
    """One of the `OPERATIONS` by itself, without copies of its results."""
    inputs, body = OPERATIONS[name]
    program = Program(name, P)
    for index, value in enumerate(body(Tower(program, deep), program.inputs(inputs))):
        program.put_out(value, index)
    return program


def image_of(*programs: Program) -> Image:
    """A core's image of these programs."""
    image = Image(P, register_bits=REGISTER_BITS, frames=FRAMES, width=WIDTH)
    for program in programs:
        assemble(program, image)
    return image


def pairing_image() -> Image:
    """Of the Miller loop and of the final exponentiation."""
    return image_of(miller_program(), final_program())
