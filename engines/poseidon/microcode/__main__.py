# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Writes the ROM packages of the Poseidon engine and the modules that select among them, or reports
on its programs.

`python -m engines.poseidon.microcode` writes engines/poseidon/rtl/generated, its digests and the
table in the README; `--check` only reports (exit code 1) whether the digests or the table would
change; `--rtl` writes only the packages; `--report` prints the table: turns, products and sizes for
every width. With `--search N`, sections of paced programs that `orders.json` lacks are ordered in N
more ways, and the best order of each is written to the file: seconds per section. """

import argparse
import sys
from pathlib import Path

from arith.microcode import packages
from arith.microcode.checker import check
from arith.microcode.rom import package_text
from engines.poseidon.microcode.emit import programs_package, rom_module
from engines.poseidon.microcode.images import (
    PACKAGES, Programs, image_of, image_of_set, instances_of, is_paced, known_orders, write_orders,
)
from engines.poseidon.model.parameters import all_instances

RTL = Path(__file__).resolve().parents[1] / "rtl"
README = Path(__file__).with_name("README.md")
ORIGIN = "python -m engines.poseidon.microcode"


def report_text() -> str:
    """A table row for each program: the resources of a job in a context, and its share of the
    ROMs."""
    titles = ("program", "turns", "products", "sums", "words", "constants", "clocks alone")
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for plain_rounds in (False, True):
        for instance in all_instances():
            paced = not plain_rounds and is_paced(instance.modulus, Programs.OPTIMIZED)
            image = image_of([instance], plain_rounds, known_orders() if paced else None)
            (name, used), = check(image).items()
            cells = (name, used.turns, used.products, used.sums, len(image.words),
                     len(image.mul_constants) + len(image.add_constants),
                     f"{used.clocks:,}" if paced else "")
            lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join([*lines, "", *sizes_lines()])


def sizes_lines() -> list[str]:
    """A table row for each package: the sizes of its tables."""
    lines = ["| package | programs | words | multiply constants | add constants | registers |",
             "|---|---|---|---|---|---|"]
    for name, (modulus, programs) in PACKAGES.items():
        image = image_of_set(modulus, programs)
        lines.append(f"| `{name}` | {len(image.entries)} | {len(image.words)} "
                     f"| {len(image.mul_constants)} | {len(image.add_constants)} "
                     f"| 2 x {1 << image.register_bits} |")
    return lines


def search(tries: int) -> None:
    """Writes the best orders of the sections that the file lacks."""
    orders = known_orders(tries)
    for modulus, programs in PACKAGES.values():
        if is_paced(modulus, programs):
            for instance in instances_of(modulus, programs):
                image_of([instance], orders=orders)
    write_orders(orders)


def main() -> int:
    parser = argparse.ArgumentParser(prog=ORIGIN, description=__doc__.splitlines()[0])
    packages.add_options(parser)
    parser.add_argument("--report", action="store_true", help="print figures of every program")
    parser.add_argument("--search", type=int, metavar="N",
                        help="order unknown sections in N more ways, and store the best orders")
    arguments = parser.parse_args()
    if arguments.search:
        search(arguments.search)
    if arguments.report:
        print(report_text())
        return 0
    texts = {"poseidon_programs_pkg": programs_package(ORIGIN), "poseidon_rom": rom_module(ORIGIN)}
    for name, (modulus, programs) in PACKAGES.items():
        image = image_of_set(modulus, programs)
        if not arguments.rtl:  # git has the digests of checked packages
            check(image)
        texts[name] = package_text(name, image, ORIGIN)
    return packages.write(arguments, RTL, texts, README, report_text)


if __name__ == "__main__":
    sys.exit(main())
