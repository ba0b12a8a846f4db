# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The instruction set of field_core, read from `isa.toml`: fields, encode and decode.

An instruction is a mapping from field names to integers; a field that is not named is zero. A word
has the slots that its core is built with: the lookup slot is above the fields of all cores, the
sequence slot above both, and the pace slot above all.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Mapping, Sequence

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
    """An operation of the sequencer after a turn."""

    name: str
    code: int
    meaning: str


class EncodingError(ValueError):
    """A field name or value that the instruction word cannot hold."""


_RAW: Final = tomllib.loads(ISA_FILE.read_text(encoding="utf-8"))


LIMITS: Final[dict[str, int]] = _RAW["limits"]
LOOKUP_LIMITS: Final[dict[str, int]] = _RAW["lookup_limits"]
SEQUENCE_LIMITS: Final[dict[str, int]] = _RAW["sequence_limits"]
PACE_LIMITS: Final[dict[str, int]] = _RAW["pace_limits"]

_WIDTHS: Final = {
    "operand": 1 + LIMITS["register_index_bits"],
    "register_index": LIMITS["register_index_bits"],
    "program_address": LIMITS["program_address_bits"],
    "constant_address": LIMITS["constant_address_bits"],
    "stride": LIMITS["stride_bits"],
    "output": (LIMITS["outputs"] - 1).bit_length(),
    "table_word": (LOOKUP_LIMITS["table_words"] - 1).bit_length(),
    "scalar": (LOOKUP_LIMITS["scalars"] - 1).bit_length(),
    "digit": (LOOKUP_LIMITS["windows"] - 1).bit_length(),
}
"""The number of bits for each kind of field."""


def _fields(entries: Sequence[dict[str, Any]], low: int, slot: str) -> dict[str, Field]:
    """Fields by name, the last of them at bit `low`."""
    widths = [_WIDTHS.get(entry["width"], entry["width"]) for entry in entries]
    low += sum(widths)
    fields: dict[str, Field] = {}
    for entry, width in zip(entries, widths):
        low -= width
        fields[entry["name"]] = Field(
            entry["name"], entry.get("slot", slot), width, low,
            entry.get("signed", False), entry["meaning"],
        )
    return fields


FIELDS: Final = _fields(_RAW["field"], 0, "")
INSTRUCTION_BITS: Final = sum(f.width for f in FIELDS.values())
LOOKUP_FIELDS: Final = _fields(_RAW["lookup_field"], INSTRUCTION_BITS, "lookup")
"""The slot that only a core with lookups has."""
LOOKUP_INSTRUCTION_BITS: Final = INSTRUCTION_BITS + sum(f.width for f in LOOKUP_FIELDS.values())
_SEQUENCE_FIELDS: Final = {
    lookups: _fields(_RAW["sequence_field"], low, "sequence")
    for lookups, low in ((False, INSTRUCTION_BITS), (True, LOOKUP_INSTRUCTION_BITS))
}
SEQUENCE_FIELDS: Final = _SEQUENCE_FIELDS[False]
"""The slot that only a core with frames has; in a core with lookups it is above their slot."""
_PACE_FIELDS: Final = {
    (lookups, sequence): _fields(
        _RAW["pace_field"], (LOOKUP_INSTRUCTION_BITS if lookups else INSTRUCTION_BITS)
        + (sum(f.width for f in SEQUENCE_FIELDS.values()) if sequence else 0), "pace")
    for lookups in (False, True) for sequence in (False, True)
}
PACE_FIELDS: Final = _PACE_FIELDS[False, True]
"""The slot that only a paced core has; it is above the other slots of the core."""
CONTROLS: Final = {c["name"]: Control(c["name"], c["code"], c["meaning"]) for c in _RAW["control"]}

NEXT: Final = CONTROLS["next"].code
HALT: Final = CONTROLS["halt"].code
LOOP_BEGIN: Final = CONTROLS["loop_begin"].code
LOOP_END: Final = CONTROLS["loop_end"].code

JUMPS: Final = ("none", "call", "return")
JUMP_NONE, CALL, RETURN = range(len(JUMPS))

LOOKUP_KINDS: Final = ("none", "word", "digit", "fixed")
LOOKUP_NONE, LOOKUP_WORD, LOOKUP_DIGIT, LOOKUP_FIXED = range(len(LOOKUP_KINDS))

BANK_P: Final = 0
BANK_S: Final = 1


def register(bank: int, index: int) -> int:
    """The encoding {bank, index} of a register operand."""
    bits = LIMITS["register_index_bits"]
    if not (0 <= bank <= 1 and 0 <= index < 1 << bits):
        raise EncodingError(f"no register {index} in bank {bank}")
    return bank << bits | index


def bank_and_index(operand: int) -> tuple[int, int]:
    """The inverse of `register`."""
    bits = LIMITS["register_index_bits"]
    return operand >> bits, operand & ((1 << bits) - 1)


def fields_of(lookups: bool, sequence: bool = False, paced: bool = False) -> dict[str, Field]:
    """The fields that an instruction of a core with or without these slots has."""
    fields = FIELDS | LOOKUP_FIELDS if lookups else FIELDS
    if sequence:
        fields = fields | _SEQUENCE_FIELDS[lookups]
    return fields | _PACE_FIELDS[lookups, sequence] if paced else fields


def word_bits(lookups: bool, sequence: bool, paced: bool = False) -> int:
    """The length of an instruction word."""
    return sum(field.width for field in fields_of(lookups, sequence, paced).values())


def encode(instruction: Mapping[str, int], lookups: bool = False, sequence: bool = False,
           paced: bool = False) -> int:
    """The instruction word; unnamed fields are zero."""
    fields = fields_of(lookups, sequence, paced)
    word = 0
    for name, value in instruction.items():
        field = fields.get(name)
        if field is None:
            raise EncodingError(f"no field {name!r}")
        if not field.minimum <= value <= field.maximum:
            raise EncodingError(f"{name} = {value} outside {field.minimum}..{field.maximum}")
        word |= (value & ((1 << field.width) - 1)) << field.low
    return word


def decode(word: int, lookups: bool = False, sequence: bool = False, paced: bool = False
           ) -> Instruction:
    """All fields of an instruction word."""
    bits = word_bits(lookups, sequence, paced)
    if not 0 <= word < 1 << bits:
        raise EncodingError(f"word of {word.bit_length()} bits, limit {bits}")
    instruction: Instruction = {}
    for field in fields_of(lookups, sequence, paced).values():
        value = (word >> field.low) & ((1 << field.width) - 1)
        if field.signed and value > field.maximum:
            value -= 1 << field.width
        instruction[field.name] = value
    return instruction
