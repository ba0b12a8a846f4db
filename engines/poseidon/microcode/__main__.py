# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Writes the ROM packages of the Poseidon engine, or reports on its programs.

`python -m engines.poseidon.microcode` writes engines/poseidon/rtl/generated; `--check` only says
(exit code 1) what would change; `--report` prints turns, products and sizes of every width.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from arith.microcode.checker import check
from arith.microcode.generate import write_or_check
from arith.microcode.rom import package_text
from engines.poseidon.microcode.images import felt_image, fr_image, image_of
from engines.poseidon.model.parameters import all_instances

GENERATED = Path(__file__).resolve().parents[1] / "rtl/generated"
ORIGIN = "python -m engines.poseidon.microcode"
PACKAGES = {"poseidon_fr_rom_pkg": fr_image, "poseidon_felt_rom_pkg": felt_image}


def report() -> None:
    """A line for each instance: what a job takes of a context, and what its program takes of ROM."""
    print(f"{'instance':<26}{'turns':>6}{'products':>9}{'sums':>6}{'busy':>7}"
          f"{'words':>7}{'M':>6}{'A':>5}{'registers':>10}")
    for instance in all_instances():
        image = image_of([instance])
        used = check(image)[instance.name]
        print(f"{instance.name:<26}{used.turns:>6}{used.products:>9}{used.sums:>6}"
              f"{used.utilisation:>7.1%}{len(image.words):>7}{len(image.mul_constants):>6}"
              f"{len(image.add_constants):>5}{f'2 x {1 << image.register_bits}':>10}")


def main() -> int:
    parser = argparse.ArgumentParser(prog=ORIGIN, description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing, exit 1 if it would")
    parser.add_argument("--report", action="store_true", help="print figures of every program")
    arguments = parser.parse_args()
    if arguments.report:
        report()
        return 0
    results = []
    for name, make_image in PACKAGES.items():
        image = make_image()
        check(image)
        text = package_text(name, image, ORIGIN)
        results.append(write_or_check(GENERATED / f"{name}.sv", text, arguments.check))
    return int(arguments.check and not all(results))


if __name__ == "__main__":
    sys.exit(main())
