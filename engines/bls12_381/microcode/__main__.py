# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Writes the tables of the README.

`python -m engines.bls12_381.microcode` writes; `--check` only says (exit code 1) what would change.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from arith.microcode.checker import check
from arith.microcode.generate import with_section, write_or_check
from engines.bls12_381.microcode.programs import (
    OPERATIONS, image_of, operation_program, pairing_image,
)
from engines.bls12_381.microcode.wider import slots_of_wider

README = Path(__file__).with_name("README.md")
ORIGIN = "python -m engines.bls12_381.microcode"
PUBLISHED_CLOCKS = {"miller": 38_844, "final": 87_800}
NAMES = {"miller": "Miller loop", "final": "final exponentiation"}


def report_text() -> str:
    """The operations, then the programs."""
    lines = ["| operation | turns | products | reductions | sums | wider: reductions | sums "
             "| turns, one add slot | two |", "|---" * 9 + "|"]
    for name in OPERATIONS:
        program = operation_program(name)
        used = check(image_of(program))[name]
        wider = slots_of_wider(program)
        lines.append(f"| {name} | {used.turns} | {used.products} | {used.reductions} "
                     f"| {used.sums} | {wider.reductions} | {wider.sums} | {wider.turns()} "
                     f"| {wider.turns(2)} |")
    image = pairing_image()
    lines += ["", "| program | turns | products | sums | turns with a product "
              "| published engine, clocks |", "|---" * 6 + "|"]
    turns = 0
    for name, used in check(image).items():
        turns += used.turns
        lines.append(f"| {NAMES[name]} | {used.turns:,} | {used.products:,} | {used.sums:,} "
                     f"| {used.utilisation:.1%} | {PUBLISHED_CLOCKS[name]:,} |")
    lines += [f"| pairing | {turns:,} |  |  |  | {sum(PUBLISHED_CLOCKS.values()):,} |", "",
              f"{len(image.words):,} instructions, {len(image.mul_constants)} and "
              f"{len(image.add_constants)} constants, 2 x {1 << image.register_bits} registers, "
              f"{image.frames} frames."]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog=ORIGIN, description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing, exit 1 if it would")
    check_only = parser.parse_args().check
    same = write_or_check(README, with_section(README, report_text()), check_only)
    return int(check_only and not same)


if __name__ == "__main__":
    sys.exit(main())
