# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What a field_core is built with: instruction words, constants and the entries of its programs.

A core reduces modulo its prime in one of two ways, W being its width. Montgomery's: a product is
a*b * 2^-W, and values are kept as value * 2^W. Folding, where 2^W is a short number modulo the
prime: a product is a*b, and values are kept as they are.
"""

from dataclasses import dataclass, field
from typing import Iterator

from arith.microcode import isa
from arith.microcode.isa import Instruction
from arith.microcode.paced import Orders
from arith.microcode.timing import Latencies, Pace
from arith.microcode.values import Subroutine

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
    quick_of: str = ""
    """The program in whose place this one runs, its turns at the image's pace."""
    goes_on: int | None = None
    """Where a job goes on whose first conditional halt does not take place."""

    @property
    def quick(self) -> bool:
        return bool(self.quick_of)


@dataclass(frozen=True)
class PlacedSubroutine:
    """A subroutine in an image: its first instruction, the operands {bank, index} of its arguments
    and results, and all that a call of it writes."""

    pc: int
    parameters: tuple[int, ...]
    results: tuple[int, ...]
    written: frozenset[int]


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
    frames: int = 0
    """Of a context: how many loops and calls may be open, beside an outermost loop; not 0: the core
    has the sequence slot."""
    width: int = MONTGOMERY_BITS
    """Bits of a register; with Montgomery's reduction a multiple of its digits, 64 bits."""
    pace: Pace | None = None
    """That of the quick programs, if there are any."""
    quick_entries: list[Entry] = field(default_factory=list)
    """What jobs of `entries` run in a context whose turns overlap."""
    paced: Latencies | None = None
    """The core has the pace slot, and latencies as large as these or smaller."""
    orders: Orders = field(default_factory=Orders)
    """How the sections of paced programs are ordered."""
    subroutines: dict[Subroutine, PlacedSubroutine] = field(default_factory=dict)
    """Those that programs have called, each once."""

    def quick_entry(self, entry: Entry) -> Entry | None:
        """The quick program in the place of this one."""
        return next((quick for quick in self.quick_entries if quick.quick_of == entry.name), None)

    def register_bits_of(self, entry: Entry) -> int:
        """Log2 of the registers of a bank that a job of this program has."""
        return self.pace.register_bits if entry.quick and self.pace else self.register_bits

    def register_value(self, value: int) -> int:
        """The register contents that stand for a field value."""
        if self.folds:
            return value % self.modulus
        return to_montgomery(value, self.modulus, self.width)

    def decoded(self) -> Iterator[Instruction]:
        """The instructions, with the fields of all slots, which are 0 where the core has none; an
        address is `imm` as a whole."""
        every = dict.fromkeys(isa.fields_of(True, True, True), 0)
        del every["upper"]
        for word in self.words:
            fields = isa.decode(word, self.lookups, self.sequence, self.paced is not None)
            fields["imm"] += fields.pop("upper", 0) << isa.FIELDS["imm"].width
            yield every | fields

    @property
    def sequence(self) -> bool:
        """The core has the sequence slot."""
        return self.frames > 0

    @property
    def word_bits(self) -> int:
        return isa.word_bits(self.lookups, self.sequence, self.paced is not None)

    def encode(self, instruction: Instruction) -> int:
        """The word of an instruction, with the slots that the core has."""
        low = isa.FIELDS["imm"].width
        if self.paced is not None and instruction.get("imm", 0) >> low:
            instruction = instruction | {"imm": instruction["imm"] & (1 << low) - 1,
                                         "upper": instruction["imm"] >> low}
        return isa.encode(instruction, self.lookups, self.sequence, self.paced is not None)

    @property
    def address_bits(self) -> int:
        """Of an instruction's address."""
        return isa.FIELDS["imm"].width + (isa.PACE_FIELDS["upper"].width if self.paced else 0)

    def entry(self, name: str) -> Entry:
        return next(entry for entry in (*self.entries, *self.quick_entries)
                    if entry.name == name)


@dataclass
class Counts:
    """What a job used: turns of its context, and in how many of them each slot worked."""

    turns: int = 0
    products: int = 0
    reductions: int = 0
    sums: int = 0
    clocks: int = 0
    """Of a quick or paced program: from the issue of its first turn to the last write."""

    @property
    def utilization(self) -> float:
        """The share of turns that carry a product."""
        return self.products / self.turns
