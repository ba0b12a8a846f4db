# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The ROM package: the mask of banks that a program's operands read."""

import random

import pytest
from arith.microcode import isa
from arith.microcode.image import Entry, Image
from arith.microcode.rom import coefficients, package_text, read_mask

P, S = 3, 1 << isa.LIMITS["register_index_bits"] | 3  # register 3 of either bank
MODULUS = (1 << 255) - 19

CASES = [
    ({"mul_en": 1, "mul_a": P, "mul_b": S}, 0b00_00_00_10_01),
    ({"mul_en": 1, "mul_a": S, "mul_b": S, "mul_b_is_const": 1}, 0b00_00_00_00_10),
    ({"mul_a": S, "mul_b": P}, 0),
    ({"add_en": 1, "op0": S, "coef0": -4, "op1": P, "coef1": 1, "op2": S, "coef2": 3},
     0b10_01_10_00_00),
    ({"add_en": 1, "op0": S, "coef0": 1, "op0_is_product": 1, "op1": S, "op2": P}, 0),
    ({"op0": S, "coef0": 1, "op1": P, "coef1": 1}, 0),
]


@pytest.mark.parametrize("fields, mask", CASES)
def test_an_operand_counts_where_it_is_read(fields: dict[str, int], mask: int) -> None:
    assert read_mask(Image(MODULUS, words=[isa.encode(fields)])) == mask


def test_a_program_reads_what_its_instructions_read() -> None:
    rng = random.Random(7)
    for _ in range(20):
        chosen = [rng.choice(CASES) for _ in range(rng.randint(0, 4))]
        image = Image(MODULUS, words=[isa.encode(fields) for fields, _ in chosen])
        expected = 0
        for _, mask in chosen:
            expected |= mask
        assert read_mask(image) == expected


@pytest.mark.parametrize("outputs, largest", [([1], 2), ([3], 3), ([2, 12, 5], 12)])
def test_the_package_names_the_largest_result(outputs: list[int], largest: int) -> None:
    entries = [Entry(f"entry {i}", 0, 3, count) for i, count in enumerate(outputs)]
    image = Image(MODULUS, words=[isa.encode(CASES[0][0])], entries=entries)
    text = package_text("some_rom_pkg", image, "a test")
    assert f"int unsigned MaxOutputs = {largest};" in text
    assert "ReadMask = 10'b0000001001;" in text


def test_coefficients_are_those_of_the_programs_sums() -> None:
    def mask(*fields: dict[str, int], **more: int) -> int:
        return coefficients(Image(MODULUS, words=[isa.encode(f) for f in fields], **more))

    assert mask(CASES[-3][0]) == 1 << 4 - 4 | 1 << 9 + 4 + 1 | 1 << 18 + 4 + 3
    assert mask(CASES[-1][0]) == 0, "an instruction without a sum"
    assert mask({"add_en": 1}) == 0
    several = mask({"add_en": 1, "coef0": -1}, {"add_en": 1, "coef0": 2, "coef1": -1})
    assert several == 1 << 3 | 1 << 6 | 1 << 9 + 3
