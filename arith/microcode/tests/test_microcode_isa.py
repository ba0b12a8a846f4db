# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The encoding round-trips, refuses what it cannot hold, and its generated forms are current."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arith.microcode import generate, isa, listing

INSTRUCTIONS = st.fixed_dictionaries(
    {name: st.integers(f.minimum, f.maximum) for name, f in isa.FIELDS.items()}
)


@given(INSTRUCTIONS)
def test_encode_decode(fields: dict[str, int]) -> None:
    word = isa.encode(fields)
    assert 0 <= word < 1 << isa.INSTRUCTION_BITS
    assert isa.decode(word) == fields
    assert listing.line(fields)


@given(st.integers(0, 2**isa.INSTRUCTION_BITS - 1))
def test_decode_encode(word: int) -> None:
    assert isa.encode(isa.decode(word)) == word


def test_fields_fill_the_word_without_overlap() -> None:
    covered = [low for f in isa.FIELDS.values() for low in range(f.low, f.low + f.width)]
    assert sorted(covered) == list(range(isa.INSTRUCTION_BITS))


def test_bad_fields_are_refused() -> None:
    with pytest.raises(isa.EncodingError, match="no field 'mul'"):
        isa.encode({"mul": 1})
    with pytest.raises(isa.EncodingError, match="coef0 = 8"):
        isa.encode({"coef0": 8})
    with pytest.raises(isa.EncodingError, match="imm = -1"):
        isa.encode({"imm": -1})
    with pytest.raises(isa.EncodingError):
        isa.decode(1 << isa.INSTRUCTION_BITS)
    with pytest.raises(isa.EncodingError):
        isa.register(isa.BANK_P, 32)


def test_register_operands() -> None:
    assert isa.register(isa.BANK_S, 3) == 0b100011
    assert isa.bank_and_index(isa.register(isa.BANK_S, 31)) == (isa.BANK_S, 31)


def test_generated_files_are_current() -> None:
    assert generate.PACKAGE_FILE.read_text(encoding="utf-8") == generate.package_text()
    readme = generate.README_FILE
    current = generate.with_section(readme, generate.table_text())
    assert readme.read_text(encoding="utf-8") == current
