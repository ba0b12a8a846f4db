# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What a field_core is built with: instruction words, constants and the entries of its programs.

A core reduces modulo its prime in one of two ways, W being its width. Montgomery's: a product is
a*b * 2^-W, and values are kept as value * 2^W. Folding, where 2^W is a short number modulo the
prime: a product is a*b, and values are kept as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterator

from arith.microcode import isa
from arith.microcode.isa import Instruction

MONTGOMERY_BITS = 256
"""The width of a core that is told none: residues are kept as value * 2^256 mod Modulus."""


def to_montgomery(value: int, modulus: int, width: int = MONTGOMERY_BITS) -> int:
    """The register contents that stand for a field value, where reduction is Montgomery's."""
    return (value << width) % modulus


@dataclass(frozen=True)
class Entry:
    """A program of an image: where it starts, how many words a job has and its result has."""

    name: str
    pc: int
    inputs: int
    outputs: int
    instance: int = 0
    """The code by which requests on the wire name this program."""


@dataclass
class Image:
    """The ROMs of one field_core; constants are in Montgomery form."""

    modulus: int
    register_bits: int = 3
    words: list[int] = field(default_factory=list)
    mul_constants: list[int] = field(default_factory=list)
    add_constants: list[int] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    sum_reads: set[tuple[int, int]] = field(default_factory=set)
    """(operand of the add slot, bank) wherever a sum reads: each pair costs a copy of the bank."""
    folds: bool = False
    """Values are kept as they are, without Montgomery's factor."""
    lookups: bool = False
    """The core has the lookup slot."""
    fixed_table: list[int] = field(default_factory=list)
    """Two words for each row of the joint digits."""
    width: int = MONTGOMERY_BITS
    """Bits of a register; with Montgomery's reduction a multiple of its digits, 64 bits."""

    def register_value(self, value: int) -> int:
        """The register contents that stand for a field value."""
        if self.folds:
            return value % self.modulus
        return to_montgomery(value, self.modulus, self.width)

    def decoded(self) -> Iterator[Instruction]:
        """The instructions, with the fields of the lookup slot, which are 0 without a lookup."""
        absent = {} if self.lookups else dict.fromkeys(isa.LOOKUP_FIELDS, 0)
        return (isa.decode(word, self.lookups) | absent for word in self.words)

    def entry(self, name: str) -> Entry:
        return next(entry for entry in self.entries if entry.name == name)


@dataclass
class Counts:
    """What a job used: turns of its context, and in how many of them each slot worked."""

    turns: int = 0
    products: int = 0
    reductions: int = 0
    sums: int = 0

    @property
    def utilisation(self) -> float:
        """The share of turns that carry a product."""
        return self.products / self.turns
