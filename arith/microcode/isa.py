# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The instruction set of field_core, read from `isa.toml`: fields, encode and decode.

An instruction is a mapping from field names to integers; a field that is not named is zero.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Mapping

ISA_FILE: Final = Path(__file__).with_name("isa.toml")

Instruction = dict[str, int]


@dataclass(frozen=True)
class Field:
    """A bit field of the instruction word; `low` is the position of its least significant bit."""

    name: str
    slot: str
    width: int
    low: int
    signed: bool
    meaning: str

    @property
    def minimum(self) -> int:
        return -(1 << (self.width - 1)) if self.signed else 0

    @property
    def maximum(self) -> int:
        return (1 << (self.width - 1 if self.signed else self.width)) - 1


@dataclass(frozen=True)
class Control:
    """What the sequencer does after a turn."""

    name: str
    code: int
    meaning: str


class EncodingError(ValueError):
    """A field name or value that the instruction word cannot hold."""


def _load() -> tuple[dict[str, Field], dict[str, Control], dict[str, int]]:
    raw = tomllib.loads(ISA_FILE.read_text(encoding="utf-8"))
    controls = {c["name"]: Control(c["name"], c["code"], c["meaning"]) for c in raw["control"]}
    low = sum(f["width"] for f in raw["field"])
    fields: dict[str, Field] = {}
    for entry in raw["field"]:
        low -= entry["width"]
        fields[entry["name"]] = Field(
            entry["name"], entry["slot"], entry["width"], low, entry.get("signed", False),
            entry["meaning"],
        )
    return fields, controls, raw["limits"]


FIELDS, CONTROLS, LIMITS = _load()
INSTRUCTION_BITS: Final = sum(f.width for f in FIELDS.values())

NEXT: Final = CONTROLS["next"].code
HALT: Final = CONTROLS["halt"].code
LOOP_BEGIN: Final = CONTROLS["loop_begin"].code
LOOP_END: Final = CONTROLS["loop_end"].code

BANK_P: Final = 0
BANK_S: Final = 1


def register(bank: int, index: int) -> int:
    """The operand encoding {bank, index} of a register."""
    bits = LIMITS["register_index_bits"]
    if not (0 <= bank <= 1 and 0 <= index < 1 << bits):
        raise EncodingError(f"no register {index} in bank {bank}")
    return bank << bits | index


def bank_and_index(operand: int) -> tuple[int, int]:
    """The inverse of `register`."""
    bits = LIMITS["register_index_bits"]
    return operand >> bits, operand & ((1 << bits) - 1)


def encode(instruction: Mapping[str, int]) -> int:
    """The instruction word; unnamed fields are zero."""
    word = 0
    for name, value in instruction.items():
        field = FIELDS.get(name)
        if field is None:
            raise EncodingError(f"no field {name!r}")
        if not field.minimum <= value <= field.maximum:
            raise EncodingError(f"{name} = {value} outside {field.minimum}..{field.maximum}")
        word |= (value & ((1 << field.width) - 1)) << field.low
    return word


def decode(word: int) -> Instruction:
    """All fields of an instruction word."""
    if not 0 <= word < 1 << INSTRUCTION_BITS:
        raise EncodingError(f"word of {word.bit_length()} bits, limit {INSTRUCTION_BITS}")
    instruction: Instruction = {}
    for field in FIELDS.values():
        value = (word >> field.low) & ((1 << field.width) - 1)
        if field.signed and value > field.maximum:
            value -= 1 << field.width
        instruction[field.name] = value
    return instruction
