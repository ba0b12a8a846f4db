# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Writes the ROM package of the engine's cores and the table in the README.

`python -m engines.secp256k1.microcode` writes; `--check` only says (exit code 1) what would change.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from arith.microcode.checker import CheckError, Checker
from arith.microcode.generate import with_section, write_or_check
from arith.microcode.image import Counts, Image
from arith.microcode.rom import package_text
from engines.secp256k1.microcode.verify import (
    CURVE_NAME, NAME, PACE, QUICK_NAME, image_of_verify,
)

PACKAGE = "secp256k1_rom_pkg"
GENERATED = Path(__file__).resolve().parents[1] / "rtl/generated"
README = Path(__file__).with_name("README.md")
ORIGIN = "python -m engines.secp256k1.microcode"


def counts_of(image: Image) -> dict[str, Counts]:
    """What the jobs use that the engine runs; raises CheckError where the image is not sound."""
    checker = Checker(image)
    usual = checker.run()
    if checker.found:
        raise CheckError(sorted(checker.found))
    return {"a signature": usual[NAME], "the same, with complete formulas": checker.longest[NAME],
            "the key alone": usual[CURVE_NAME], "a signature alone": usual[QUICK_NAME]}


def report_text(image: Image) -> str:
    """A table row for each kind of job, and what the core's memories hold."""
    lines = ["| job | turns | products | sums | turns with a product | clocks alone |",
             "|---" * 6 + "|"]
    for name, used in counts_of(image).items():
        lines.append(f"| {name} | {used.turns:,} | {used.products:,} | {used.sums:,} "
                     f"| {used.utilisation:.2%} | {f'{used.clocks:,}' if used.clocks else ''} |")
    lines += ["", f"{len(image.words)} instructions, {len(image.mul_constants)} and "
              f"{len(image.add_constants)} constants, {len(image.fixed_table):,} words of the "
              f"fixed table, 2 x {1 << image.register_bits} registers; "
              f"{1 << PACE.register_bits} a bank for the job alone."]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog=ORIGIN, description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing, exit 1 if it would")
    check = parser.parse_args().check
    image = image_of_verify()
    results = [
        write_or_check(README, with_section(README, report_text(image)), check),
        write_or_check(GENERATED / f"{PACKAGE}.sv", package_text(PACKAGE, image, ORIGIN), check),
    ]
    return int(check and not all(results))


if __name__ == "__main__":
    sys.exit(main())
