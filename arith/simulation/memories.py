# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Flips stored bits of a verilated design, in the memories that `memories.vlt` makes public."""

import random
import re
from pathlib import Path
from typing import Any

from cocotb.handle import Immediate

MEMORIES = Path(__file__).with_name("memories.vlt")
"""An option of Verilator: the list of the memories."""
_NAMES = set(re.findall(r'-var "(\w+)"', MEMORIES.read_text()))


def memories_of(design: Any, path: str = "") -> dict[str, Any]:
    """The memories by their paths."""
    found: dict[str, Any] = {}
    for child in design:
        name = child._name
        below = f"{path}.{name}" if path else name
        if name in _NAMES and type(child).__name__ == "ArrayObject":
            found[below] = child
        elif type(child).__name__ in ("HierarchyObject", "HierarchyArrayObject"):
            found |= memories_of(child, below)
    return found


class Flipper:
    """Flips one bit of each word of a memory that has not been flipped since it was written, so
    that no word has two flipped bits. Call it between two edges of the clock."""

    def __init__(self, memory: Any, rng: random.Random) -> None:
        self.words = [memory[i] for i in memory.range]
        self.rng = rng
        self.flipped: list[int | None] = [None] * len(self.words)

    @property
    def period(self) -> int:
        """Clocks between two calls that keep a simulation reasonably fast."""
        return max(1, len(self.words) // 16)

    def flip(self) -> None:
        for place, word in enumerate(self.words):
            value = int(word.value)
            if value != self.flipped[place]:
                value ^= 1 << self.rng.randrange(len(word))
                word.set(Immediate(value))
                self.flipped[place] = value
