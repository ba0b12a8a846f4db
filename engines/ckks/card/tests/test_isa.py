# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The instruction set: every instruction is decoded from its word, and an invalid file is
rejected."""

import random

import pytest

from engines.ckks.card.isa import ISA_FILE, IsaError, load, parse

ISA = load()


@pytest.mark.parametrize("name", ISA.instructions)
def test_instructions_come_back(name: str) -> None:
    numbers = random.Random(name)
    fields = ISA.instructions[name].fields
    for _ in range(20):
        values = {one: numbers.randrange(1 << ISA.fields[one].width) for one in fields}
        assert ISA.decode(ISA.encode(name, values)) == (name, values)


@pytest.mark.parametrize("name", ISA.instructions)
def test_bits_of_no_field_are_refused(name: str) -> None:
    word = ISA.encode(name, {})
    free = [bit for bit in range(256) if not ISA.used_mask(ISA.instructions[name]) >> bit & 1]
    assert free
    for bit in free:
        with pytest.raises(IsaError):
            ISA.decode(word | 1 << bit)


def test_values_too_wide_and_unknown_fields_are_refused() -> None:
    with pytest.raises(IsaError, match="12 bits"):
        ISA.encode("add", {"a": 4096})
    with pytest.raises(IsaError, match="no field"):
        ISA.encode("add", {"exponent": 5})
    with pytest.raises(IsaError):
        ISA.decode(0)


@pytest.mark.parametrize("before, after, said", [
    ('name = "b"\nlow = 36', 'name = "b"\nlow = 30', "overlaps another"),
    ('name = "n0"\nlow = 128', 'name = "n0"\nlow = 170', "crosses"),
    ('name = "sub"\ncode = 41', 'name = "sub"\ncode = 40', "not unique"),
    ('unit = "sum"', 'unit = "adder"', "unit adder"),
    ('name = "slots"\noffset = 8', 'name = "slots"\noffset = 7', "offset 7"),
    ('name = "opcode"\ncode = 3', 'name = "opcode"\ncode = 2', "errors"),
    ('reads = ["a"]', 'reads = ["c"]', "operands"),
])
def test_a_wrong_file_is_refused(before: str, after: str, said: str) -> None:
    text = ISA_FILE.read_text(encoding="utf-8")
    assert before in text
    with pytest.raises(IsaError, match=said):
        parse(text.replace(before, after))
