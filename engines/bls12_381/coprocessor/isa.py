# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Reads and checks the instruction set of the BLS12-381 coprocessor, `isa.toml`, and encodes and
decodes instructions."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from arith.microcode.generate import frozen

ISA_FILE = Path(__file__).with_name("isa.toml")
SOURCES = ("slot", "element", "counter", "product", "list", "pairs")
"""Operands that are read: their kinds must suit the instruction."""
TARGETS = ("to_slot", "result", "counter", "product", "results")
"""Operands that are written."""
NUMBERS = ("target", "index", "count", "power")
OPERANDS = ("none", *dict.fromkeys((*SOURCES, *TARGETS, *NUMBERS)))
"""The roles of operands, in the order of their codes."""
ANY = "any"


class IsaError(ValueError):
    """An error in isa.toml, or in an instruction."""


@dataclass(frozen=True)
class Kind:
    name: str
    code: int
    slots: int
    meaning: str
    extension: bool = False


@dataclass(frozen=True)
class Instruction:
    name: str
    code: int
    kinds: tuple[str, ...]
    meaning: str
    a: str = "none"
    b: str = "none"
    c: str = "none"
    extension: bool = False
    clocks: Mapping[str, int] = field(default_factory=dict)

    @property
    def operands(self) -> tuple[str, str, str]:
        return self.a, self.b, self.c

    @property
    def rows(self) -> list[list[str]]:
        """The kinds of a, b and c; `-` for an operand that is not a slot."""
        return [row.split() for row in self.kinds]

    @property
    def takes_any(self) -> bool:
        return any(ANY in row for row in self.rows)


@dataclass(frozen=True)
class Alias:
    name: str
    instruction: str
    text_code: int | None = None


@dataclass(frozen=True)
class Register:
    name: str
    offset: int
    access: str
    meaning: str
    extension: bool = False


@dataclass(frozen=True)
class Part:
    """A part of a reply, in bytes."""

    name: str
    offset: int
    bytes: int
    meaning: str


@dataclass(frozen=True)
class Bits:
    """A part of the error word, in bits."""

    name: str
    low: int
    width: int
    meaning: str


@dataclass(frozen=True)
class Error:
    name: str
    code: int
    meaning: str


@dataclass(frozen=True)
class Isa:
    limits: Mapping[str, int]
    kinds: Mapping[str, Kind]
    instructions: Mapping[str, Instruction]
    aliases: tuple[Alias, ...]
    registers: tuple[Register, ...]
    window: Mapping[str, int]
    reply: tuple[Part, ...]
    error_word: tuple[Bits, ...]
    errors: tuple[Error, ...]

    def encode(self, name: str, a: int = 0, b: int = 0, c: int = 0) -> bytes:
        """Returns the eight bytes of an instruction."""
        if not all(0 <= operand < 1 << 16 for operand in (a, b, c)):
            raise IsaError(f"{name}: an operand has 16 bits")
        code = self.instructions[name].code
        return (code | a << 8 | b << 24 | c << 40).to_bytes(8, "little")

    def decode(self, word: bytes) -> tuple[str, int, int, int]:
        """Returns the name and the operands; the eighth byte has no meaning."""
        number = int.from_bytes(word, "little")
        found = [one.name for one in self.instructions.values() if one.code == number & 0xFF]
        if len(word) != 8 or not found:
            raise IsaError(f"{word.hex()} is not an instruction")
        a, b, c = (number >> low & 0xFFFF for low in (8, 24, 40))
        return found[0], a, b, c


def _unique(name: str, values: list[object]) -> None:
    if len(set(values)) != len(values):
        raise IsaError(f"{name} are not unique")


def check(isa: Isa) -> None:
    """Checks that codes and names are unique, rows fit their operands, and parts do not overlap."""
    _unique("codes of kinds", [one.code for one in isa.kinds.values()])
    _unique("codes of instructions", [one.code for one in isa.instructions.values()])
    _unique("codes of errors", [one.code for one in isa.errors])
    _unique("names", [*isa.instructions, *(one.name for one in isa.aliases)])
    for one in isa.instructions.values():
        if not 0 <= one.code <= 0xFF or not set(one.operands) <= set(OPERANDS):
            raise IsaError(f"{one.name}: code {one.code}, operands {one.operands}")
        for row in one.rows:
            if len(row) != 3 or not set(row) <= {"-", ANY, *isa.kinds}:
                raise IsaError(f"{one.name}: kinds {row}")
            for operand, kind in zip(one.operands, row):
                if (operand in ("none", *NUMBERS)) != (kind == "-"):
                    raise IsaError(f"{one.name}: {operand} has the kind {kind}")
        sources = [tuple(kind for operand, kind in zip(one.operands, row) if operand in SOURCES)
                   for row in one.rows]
        _unique(f"{one.name}: kinds that are read", list(sources))
        if not set(one.clocks) <= set(isa.kinds):
            raise IsaError(f"{one.name}: clocks of {list(one.clocks)}")
    for alias in isa.aliases:
        if alias.instruction not in isa.instructions:
            raise IsaError(f"{alias.name}: unknown instruction {alias.instruction}")
    ends = 0
    for register in isa.registers:
        if register.offset < ends or register.offset % 4 or register.access not in ("r", "rw"):
            raise IsaError(f"register {register.name}")
        ends = register.offset + 4
    ends = 8
    for part in isa.reply:
        if part.offset != ends:
            raise IsaError(f"{part.name}: offset {part.offset}")
        ends += part.bytes
    ends = 0
    for bits in isa.error_word:
        if bits.low != ends:
            raise IsaError(f"{bits.name}: bit {bits.low}")
        ends += bits.width
    if ends != 32:
        raise IsaError(f"the error word has {ends} bits")
    limits, window = isa.limits, isa.window
    instructions_end = window["instructions"] + limits["instructions"] * limits["instruction_bytes"]
    data_end = window["data"] + limits["slots"] * limits["slot_bytes"]
    if instructions_end > window["data"] or data_end > window["bytes"]:
        raise IsaError("the memories overlap in the window")


def parse(text: str) -> Isa:
    data = tomllib.loads(text)
    instructions = [Instruction(**one) for one in frozen(data["instruction"])]
    isa = Isa(
        data["limits"],
        {one["name"]: Kind(**one) for one in data["kind"]},
        {one.name: one for one in instructions},
        tuple(Alias(**one) for one in data["alias"]),
        tuple(Register(**one) for one in data["register"]),
        data["window"],
        tuple(Part(**one) for one in data["reply"]),
        tuple(Bits(**one) for one in data["error_word"]),
        tuple(Error(**one) for one in data["error"]),
    )
    check(isa)
    return isa


def load() -> Isa:
    return parse(ISA_FILE.read_text(encoding="utf-8"))
