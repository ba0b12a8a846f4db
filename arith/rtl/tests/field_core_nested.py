# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Random field_core programs with nested loops and calls, for cores with frames.

They obey the rules of field_core_random. A subroutine reads only the words of the job and the
registers that it has written itself, so it can be called from anywhere, also in loops with any
bases.
"""

import random

from arith.microcode import isa
from arith.microcode.image import Entry, Image
from arith.rtl.tests.field_core_random import CONSTANTS, REG_BITS, ProgramWriter, fill_constants

LOOPS, CALLS = 3, 3
"""The maximum nesting in one program."""
FRAMES = LOOPS + CALLS - 1


class NestedWriter(ProgramWriter):
    """Writes one program and its subroutines, each of which may call the earlier ones."""

    def __init__(self, rng: random.Random, base: int, inputs: int, outputs: int,
                 register_bits: int) -> None:
        super().__init__(rng, base, inputs, outputs, register_bits)
        self._subroutines: list[tuple[int, list[int]]] = []
        """For each subroutine, the first instruction and the registers that it writes."""

    def write(self) -> int:
        """Writes everything. Returns the first instruction of the program."""
        loaded = list(self.defined)
        for number in range(CALLS):
            first = self.base + len(self.code)
            self._block(loops=number % LOOPS, calls=number, steps=3)
            self.step(jump=isa.RETURN)
            self._subroutines.append((first, [r for r in self.defined if r not in loaded]))
            self.defined, self.products = list(loaded), 0
        first = self.base + len(self.code)
        for _ in range(self.rng.randint(1, 3)):
            self._block(LOOPS, CALLS, steps=4)
        self.finish()
        return first

    def _block(self, loops: int, calls: int, steps: int) -> None:
        """Some instructions with at most this nesting of loops and calls."""
        for _ in range(self.rng.randint(1, steps)):
            kind = self.rng.random()
            if kind < 0.3 and loops:
                self._loop(loops, calls, steps)
            elif kind < 0.6 and calls:
                self._call(loops, calls)
            else:
                self.step()

    def _call(self, loops: int, calls: int) -> None:
        # Subroutine k has a nesting of at most k loops and calls.
        chosen = self.rng.randrange(min(calls, loops + 1))
        first, written = self._subroutines[chosen]
        self.step(jump=isa.CALL, imm=first)
        self.defined += [register for register in written if register not in self.defined]
        self.products = 0

    def _loop(self, loops: int, calls: int, steps: int) -> None:
        rng, limit = self.rng, self.constant_limit
        turns = rng.randint(1, 3)
        most = (limit - 1) // max(1, turns - 1)
        mul_stride, add_stride = (rng.randint(0, min(5, most)) for _ in range(2))
        self.step(control=isa.LOOP_BEGIN, imm=turns)
        first = self.base + len(self.code)
        self.constant_limit -= (turns - 1) * max(mul_stride, add_stride)
        self.products = 0
        self._block(loops - 1, calls, steps - 1)
        self.step(control=isa.LOOP_END, imm=first, mul_stride=mul_stride, add_stride=add_stride)
        self.constant_limit, self.products = limit, 0


def nested_image(modulus: int, rng: random.Random, programs: int, width: int, register_bits: int
                 ) -> Image:
    """An image of random programs, all of which fit into FRAMES."""
    image = Image(modulus, register_bits, width=width, frames=FRAMES)
    for number in range(programs):
        inputs, outputs = rng.randint(1, 1 << REG_BITS), rng.randint(1, 5)
        writer = NestedWriter(rng, len(image.words), inputs, outputs, register_bits)
        first = writer.write()
        image.entries.append(Entry(f"nested-{number}", first, inputs, outputs))
        image.words.extend(image.encode(instruction) for instruction in writer.code)
    fill_constants(image, rng)
    assert len(image.mul_constants) == CONSTANTS
    return image
