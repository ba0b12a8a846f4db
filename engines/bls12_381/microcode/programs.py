# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The programs by name: single operations of the tower and of the Miller loop, and whole
pairings."""

import json
from pathlib import Path
from typing import Callable, Sequence

from arith.microcode.assemble import assemble
from arith.microcode.image import Image
from arith.microcode.paced import Order, Orders
from arith.microcode.program import Program, Value
from arith.microcode.timing import Latencies
from engines.bls12_381.microcode.compressed import COMPRESSED_WORDS, compressed, square
from engines.bls12_381.microcode.pairing import final_program, miller_program, point_of
from engines.bls12_381.microcode.steps import Line, Point, add, double, times_line
from engines.bls12_381.microcode.tower import Fp2, Tower, fp12, words
from engines.bls12_381.model.tower import P

WIDTH = 384
LATENCIES = Latencies(multiply=8, accumulate=1, reduce=11, sum=4)
"""The latencies of a core of 384 bits with tiles of 26×17; programs are correct for smaller
latencies too."""
ORDERS_FILE = Path(__file__).with_name("orders.json")
"""The orders of the sections of paced programs: `python -m engines.bls12_381.microcode
--search`."""
REGISTER_BITS = 6
FRAMES = 2
"""In addition to a loop: the call of the power, and the loop in it."""

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
    "compressed square": (COMPRESSED_WORDS, lambda t, v: words(square(t, compressed(v)))),
    "line product": (18, lambda t, v: words(times_line(
        t, fp12(v[:12]), Line(_pair(v[12:14]), _pair(v[14:16]), _pair(v[16:]))))),
    "doubling with line": (8, lambda t, v: _step(double(t, point_of(v[:6]), v[6], v[7]))),
    "addition with line": (12, lambda t, v: _step(add(
        t, point_of(v[:6]), _pair(v[8:10]), _pair(v[10:]), v[6], v[7]))),
}
"""The number of words of a job, and the function that it computes: of the elements in order, of the
steps' point, of x_p and y_p, and of the affine point."""


DEEP = ("Fp12 product", "Fp12 square", "cyclotomic square", "compressed square", "line product")
"""The operations with another algorithm, which has the fewest products."""


def operation_program(name: str, deep: bool = False) -> Program:
    """One of the `OPERATIONS` as a program, without copies of its results."""
    inputs, body = OPERATIONS[name]
    program = Program(name, P)
    for index, value in enumerate(body(Tower(program, deep), program.inputs(inputs))):
        program.put_out(value, index)
    return program


def known_orders() -> Orders:
    """Reads the orders of the file; sections that it lacks are ordered in a simple way."""
    found = json.loads(ORDERS_FILE.read_text(encoding="utf-8")) if ORDERS_FILE.exists() else {}
    return Orders({name: Order(*order) for name, order in found.items()})


def write_orders(orders: Orders) -> None:
    """Writes the orders found, for `known_orders`."""
    lines = [f"{json.dumps(name)}: {json.dumps(list(order))}"
             for name, order in sorted(orders.known.items())]
    ORDERS_FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def image_of(*programs: Program, orders: Orders | None = None) -> Image:
    """Returns a core's image of these programs; a paced one if orders are given."""
    image = Image(P, register_bits=REGISTER_BITS, frames=FRAMES, width=WIDTH,
                  paced=LATENCIES if orders else None, orders=orders or Orders())
    for program in programs:
        assemble(program, image)
    return image


def pairing_image(orders: Orders | None = None) -> Image:
    """Returns the paced image of the Miller loop and the final exponentiation."""
    return image_of(miller_program(), final_program(), orders=orders or known_orders())
