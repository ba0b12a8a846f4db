# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The encoding round-trips and refuses invalid values, and its generated forms are current."""

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
        isa.register(isa.BANK_P, 1 << isa.LIMITS["register_index_bits"])


def test_register_operands() -> None:
    assert isa.register(isa.BANK_S, 3) == 0b1000011
    assert isa.bank_and_index(isa.register(isa.BANK_S, 63)) == (isa.BANK_S, 63)


def test_widths_follow_the_limits() -> None:
    """Each field is as wide as the limits allow: registers, addresses, words of tables."""
    fields, limits = isa.fields_of(True), isa.LIMITS
    for name in ("mul_a", "mul_b", "op0", "op1", "op2"):
        assert fields[name].width == 1 + limits["register_index_bits"]
    for name in ("mul_dst", "add_dst"):
        assert fields[name].width == limits["register_index_bits"]
    assert fields["imm"].width == limits["program_address_bits"]
    assert fields["out_index"].maximum + 1 >= limits["outputs"]
    for name in ("table_word", "table_dst"):
        assert fields[name].maximum + 1 >= isa.LOOKUP_LIMITS["table_words"]
    assert fields["digit"].maximum + 1 >= isa.LOOKUP_LIMITS["windows"]


def test_generated_files_are_current() -> None:
    assert generate.PACKAGE_FILE.read_text(encoding="utf-8") == generate.package_text()
    readme = generate.README_FILE
    current = generate.with_section(readme, generate.table_text())
    assert readme.read_text(encoding="utf-8") == current
