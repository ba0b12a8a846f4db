# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Writes the ROM package of the engine's cores, its digest and the table in the README.

`python -m engines.secp256k1.microcode` writes them; `--check` only reports (exit code 1) whether
digest or table would change; `--rtl` writes only the package.
"""

import argparse
import sys
from pathlib import Path

from arith.microcode import packages
from arith.microcode.checker import CheckError, Checker
from arith.microcode.image import Counts, Image
from arith.microcode.rom import package_text
from engines.secp256k1.microcode.verify import (
    CURVE_NAME, NAME, PACE, QUICK_NAME, image_of_verify,
)

PACKAGE = "secp256k1_rom_pkg"
RTL = Path(__file__).resolve().parents[1] / "rtl"
README = Path(__file__).with_name("README.md")
ORIGIN = "python -m engines.secp256k1.microcode"


def counts_of(image: Image) -> dict[str, Counts]:
    """Returns the counts of the engine's jobs; raises CheckError if the image is not sound."""
    checker = Checker(image)
    usual = checker.run()
    if checker.found:
        raise CheckError(sorted(checker.found))
    return {"a signature": usual[NAME], "the same, with complete formulas": checker.longest[NAME],
            "the key alone": usual[CURVE_NAME], "a signature alone": usual[QUICK_NAME]}


def report_text(image: Image) -> str:
    """A table row for each kind of job, and the contents of the core's memories."""
    lines = ["| job | turns | products | sums | turns with a product | clocks alone |",
             "|---" * 6 + "|"]
    for name, used in counts_of(image).items():
        lines.append(f"| {name} | {used.turns:,} | {used.products:,} | {used.sums:,} "
                     f"| {used.utilization:.2%} | {f'{used.clocks:,}' if used.clocks else ''} |")
    lines += ["", f"{len(image.words)} instructions, {len(image.mul_constants)} and "
              f"{len(image.add_constants)} constants, {len(image.fixed_table):,} words of the "
              f"fixed table, 2 x {1 << image.register_bits} registers; "
              f"{1 << PACE.register_bits} a bank for the job alone."]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog=ORIGIN, description=__doc__.splitlines()[0])
    packages.add_options(parser)
    options = parser.parse_args()
    image = image_of_verify()
    texts = {PACKAGE: package_text(PACKAGE, image, ORIGIN)}
    return packages.write(options, RTL, texts, README, lambda: report_text(image))


if __name__ == "__main__":
    sys.exit(main())
