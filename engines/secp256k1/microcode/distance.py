# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Clocks of a lone signature, were its turns issued every so many clocks.

    python -m engines.secp256k1.microcode.distance

Prints the table of arith/microcode/README.md, "Several turns of one job in flight".
"""

from __future__ import annotations

from typing import Final

from arith.microcode.distance import Latencies, Path
from engines.secp256k1.microcode.verify import image_of_verify

CORE: Final = Latencies(multiply=13, accumulate=4, reduce=11, sum=8)
"""Of the core of a signature: 256 bits, a product a clock, folds (arith/rtl/arith_pkg.sv)."""
DISTANCES: Final = (1, 2, 4, 8, 12, 16, 24, 32)


def path() -> Path:
    """The turns of a valid signature."""
    image = image_of_verify()
    return Path(image, image.entries[0], CORE)


def main() -> None:
    turns = path()
    print(f"{len(turns.after)} turns; dataflow {turns.dataflow():,}\n")
    print("| distance | multiplier's share | scheduled | in order |\n|---|---|---|---|")
    for distance in (*DISTANCES, turns.turn_clocks):
        print(f"| {distance} | {len(turns.after) * distance:,} | {turns.scheduled(distance):,} "
              f"| {turns.in_order(distance):,} |")


if __name__ == "__main__":
    main()
