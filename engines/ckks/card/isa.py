# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The instruction set of the CKKS card, read from `isa.toml` and checked; encode and decode.

An instruction is a mapping from field names to integers; a field that is not named is zero.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arith.microcode.generate import frozen

ISA_FILE = Path(__file__).with_name("isa.toml")
UNITS = ("control", "memory", "expand", "transform", "product", "sum")
"""The units, in the order of their codes."""
OPERANDS = {"a", "b", "x0", "x*"}


@dataclass(frozen=True)
class Field:
    name: str
    low: int
    width: int
    meaning: str

    @property
    def mask(self) -> int:
        return (1 << self.width) - 1 << self.low


@dataclass(frozen=True)
class Instruction:
    name: str
    code: int
    unit: str
    fields: tuple[str, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    meaning: str


@dataclass(frozen=True)
class Part:
    """A field of the header or of the job: bytes."""

    name: str
    offset: int
    bytes: int
    meaning: str


@dataclass(frozen=True)
class Error:
    name: str
    code: int
    meaning: str


class IsaError(ValueError):
    """An error in isa.toml."""


@dataclass(frozen=True)
class Isa:
    limits: Mapping[str, int]
    fields: Mapping[str, Field]
    instructions: Mapping[str, Instruction]
    header: tuple[Part, ...]
    job: tuple[Part, ...]
    prime: tuple[Field, ...]
    errors: tuple[Error, ...]

    def used_mask(self, instruction: Instruction) -> int:
        """The bits that an instruction uses."""
        names = ("opcode", *instruction.fields)
        return sum(self.fields[name].mask for name in names)

    def encode(self, name: str, values: Mapping[str, int]) -> int:
        instruction = self.instructions[name]
        word = instruction.code
        for key, value in values.items():
            if key not in instruction.fields:
                raise IsaError(f"{name} has no field {key}")
            field = self.fields[key]
            if not 0 <= value < 1 << field.width:
                raise IsaError(f"{name}: {key} = {value} has more than {field.width} bits")
            word |= value << field.low
        return word

    def decode(self, word: int) -> tuple[str, dict[str, int]]:
        code = word & self.fields["opcode"].mask
        found = [one for one in self.instructions.values() if one.code == code]
        if not found or word & ~self.used_mask(found[0]):
            raise IsaError(f"{word:064x} is not an instruction")
        fields = (self.fields[name] for name in found[0].fields)
        return found[0].name, {one.name: (word & one.mask) >> one.low for one in fields}


def check(isa: Isa) -> None:
    """Checks that fields do not cross a word of 64 bits or overlap, and that codes are unique."""
    for field in isa.fields.values():
        if field.low // 64 != (field.low + field.width - 1) // 64 or field.low >= 256:
            raise IsaError(f"field {field.name} crosses a word of 64 bits")
    codes = [one.code for one in isa.instructions.values()]
    if len(set(codes)) != len(codes) or max(codes) >= 1 << isa.fields["opcode"].width:
        raise IsaError("codes of instructions are not unique")
    for one in isa.instructions.values():
        if one.unit not in UNITS:
            raise IsaError(f"{one.name}: unit {one.unit}")
        taken = 0
        for name in ("opcode", *one.fields):
            if taken & isa.fields[name].mask:
                raise IsaError(f"{one.name}: {name} overlaps another field")
            taken |= isa.fields[name].mask
        if not set(one.reads + one.writes) <= OPERANDS:
            raise IsaError(f"{one.name}: operands {one.reads} {one.writes}")
    for parts in (isa.header, isa.job):
        ends = 0
        for part in parts:
            if part.offset < ends or part.offset % part.bytes or part.offset + part.bytes > 64:
                raise IsaError(f"{part.name}: offset {part.offset}")
            ends = part.offset + part.bytes
    if len({error.code for error in isa.errors}) != len(isa.errors):
        raise IsaError("codes of errors are not unique")


def parse(text: str) -> Isa:
    data = tomllib.loads(text)
    instructions = [Instruction(**one) for one in frozen(data["instruction"])]
    isa = Isa(
        data["limits"],
        {one["name"]: Field(**one) for one in data["field"]},
        {one.name: one for one in instructions},
        tuple(Part(**one) for one in data["header"]),
        tuple(Part(**one) for one in data["job"]),
        tuple(Field(**one) for one in data["prime"]),
        tuple(Error(**one) for one in data["error"]),
    )
    check(isa)
    return isa


def load() -> Isa:
    return parse(ISA_FILE.read_text(encoding="utf-8"))
