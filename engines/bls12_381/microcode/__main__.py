# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Writes the tables of the README, the packages of the coprocessor's programs and steps, and their digests.

`python -m engines.bls12_381.microcode` writes them; `--check` only reports (exit code 1) whether
tables or digests would change; `--rtl` writes only the packages. With `--search N`, sections of
paced programs that `orders.json` lacks are ordered in N more ways, and the best order of each is
written to the file: some seconds per section of a hundred turns. `--turn-cost` is for programs of
which a full core runs many at once.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from arith.microcode import packages
from arith.microcode.checker import check
from arith.microcode.image import Image
from arith.microcode.paced import TURN_COST
from arith.microcode.program import Program
from arith.microcode.rom import package_text as rom_text
from engines.bls12_381.microcode.batch import batch_lines
from engines.bls12_381.microcode.compressed import COMPRESSED_RUNS, LAST_PRODUCTS, LAST_SQUARES
from engines.bls12_381.microcode.coprocessor import coprocessor_image
from engines.bls12_381.microcode.emit_control import package_text as control_text
from engines.bls12_381.microcode.pairing import LAST_RUN, RUNS
from engines.bls12_381.microcode.programs import (
    DEEP, OPERATIONS, image_of, known_orders, operation_program, pairing_image, write_orders,
)
from engines.bls12_381.microcode.wider import (
    Slots, least_turns, slots_of, slots_of_wider,
)

README = Path(__file__).with_name("README.md")
RTL = Path(__file__).resolve().parents[1] / "rtl"
ROM, CONTROL = "bls_coprocessor_programs_pkg", "bls_coprocessor_control_pkg"
ORIGIN = "python -m engines.bls12_381.microcode"
PUBLISHED_CLOCKS = {"miller_loop": 38_844, "final": 87_800}
DEGREES = ("1", "2", "6", "12")
"""The last parts of the names of the coprocessor's programs: degrees of fields over F_p."""
NAMES = {"miller_loop": "Miller loop", "final": "final exponentiation"}


SQUARES, PRODUCTS = sum(RUNS) + LAST_RUN, len(RUNS)
"""The numbers of doublings and additions of the Miller loop."""
PARTS = {
    "step of a doubling": ("doubling with line", "Fp12 square", "line product"),
    "step of an addition": ("addition with line", "line product"),
    "cyclotomic square": ("cyclotomic square",),
    "compressed square": ("compressed square",),
    "Fp12 product": ("Fp12 product",),
}


def outlook_lines() -> list[str]:
    """Lower bounds of the parts with the most turns, by the slots of a core."""
    def bounds(part: str) -> list[int]:
        def alternatives(slots: Callable[[Program], Slots]) -> list[list[Slots]]:
            return [[slots(operation_program(name, deep)) for deep in (False, True)[:1 + (
                name in DEEP)]] for name in PARTS[part]]
        return [least_turns(alternatives(slots_of)), *(
            least_turns(alternatives(slots_of_wider), add_slots) for add_slots in (1, 2))]

    of = {part: bounds(part) for part in PARTS}
    double, add, full, compressed, product = of.values()
    of["Miller loop"] = [SQUARES * a + PRODUCTS * b for a, b in zip(double, add)]
    of["five powers of the final exponentiation, without expansions"] = [
        5 * (sum(COMPRESSED_RUNS) * a + sum(LAST_SQUARES) * b + LAST_PRODUCTS * c)
        for a, b, c in zip(compressed, full, product)]
    return ["| at least | this core | wider, one add slot | wider, two |", "|---" * 4 + "|", *(
        f"| {part} | " + " | ".join(f"{turns:,}" for turns in row) + " |"
        for part, row in of.items())]


def report_text() -> str:
    """The operations, the bounds of wider cores, and the programs."""
    lines = ["| operation | turns | products | reductions | sums |", "|---" * 5 + "|"]
    for name in OPERATIONS:
        used = check(image_of(operation_program(name)))[name]
        lines.append(f"| {name} | {used.turns} | {used.products} | {used.reductions} | {used.sums} |")
    image = pairing_image()
    lines += ["", *outlook_lines()]
    lines += ["", "| program | turns | clocks alone | products | sums | turns with a product "
              "| published engine, clocks |", "|---" * 7 + "|"]
    turns = clocks = 0
    for name, used in check(image).items():
        turns, clocks = turns + used.turns, clocks + used.clocks
        lines.append(f"| {NAMES[name]} | {used.turns:,} | {used.clocks:,} | {used.products:,} "
                     f"| {used.sums:,} | {used.utilization:.1%} | {PUBLISHED_CLOCKS[name]:,} |")
    lines += [f"| pairing | {turns:,} | {clocks:,} |  |  |  | {sum(PUBLISHED_CLOCKS.values()):,} |", "",
              f"{len(image.words):,} instructions, {len(image.mul_constants)} and "
              f"{len(image.add_constants)} constants, 2 x {1 << image.register_bits} registers, "
              f"{image.frames} frames."]
    return "\n".join(lines)


def pieces_text(image: Image) -> str:
    """The programs that the coprocessor's instructions are composed of."""
    rows: dict[str, dict[str, str]] = {}
    for name, used in check(image).items():
        part, _, degree = name.rpartition("_")
        known = degree in DEGREES
        rows.setdefault(part if known else name, {})[degree if known else DEGREES[-1]] = (
            f"{used.turns:,}/{used.clocks:,}")
    lines = [f"| turns/clocks alone, by degree | {' | '.join(DEGREES)} |", "|---" * (1 + len(DEGREES)) + "|"]
    lines += [f"| `{name}` | {' | '.join(row.get(degree, '') for degree in DEGREES)} |"
              for name, row in rows.items()]
    return "\n".join([*lines, "", f"{len(image.words):,} instructions, {len(image.mul_constants)} "
                      f"and {len(image.add_constants)} constants."])


def main() -> int:
    parser = argparse.ArgumentParser(prog=ORIGIN, description=__doc__.splitlines()[0])
    packages.add_options(parser)
    parser.add_argument("--search", type=int, default=0, metavar="N",
                        help="order sections that orders.json lacks in N more ways")
    parser.add_argument("--turn-cost", type=int, default=TURN_COST, metavar="CLOCKS",
                        help="how many clocks of a single job one turn less is worth")
    options = parser.parse_args()
    orders = known_orders()
    if options.search:
        orders.tries, orders.turn_cost = options.search, options.turn_cost
        pairing_image(orders)
    image = coprocessor_image(orders)
    if options.search:
        write_orders(orders)
    texts = {ROM: rom_text(ROM, image, ORIGIN), CONTROL: control_text(CONTROL, image, ORIGIN)}
    return packages.write(options, RTL, texts, README,
                          lambda: "\n\n".join((report_text(), pieces_text(image),
                                               "\n".join(batch_lines(image)))))


if __name__ == "__main__":
    sys.exit(main())
