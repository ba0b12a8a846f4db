# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests the instruction set: instructions survive encoding and decoding, invalid files are
rejected, and the package passes the lint."""

import random

import pytest

from arith.simulation.bench import Lint
from engines.bls12_381.coprocessor.isa import ISA_FILE, IsaError, load, parse

ISA = load()


def test_instructions_come_back() -> None:
    numbers = random.Random(1)
    for name in ISA.instructions:
        operands = [numbers.randrange(1 << 16) for _ in range(3)]
        word = ISA.encode(name, *operands)
        assert ISA.decode(word) == (name, *operands)
        assert ISA.decode(word[:7] + b"\xff") == (name, *operands)


def test_the_published_sample_has_its_bytes() -> None:
    assert ISA.encode("MUL_ELEMENT", 1, 13, 1).hex() == "1201000d00010000"
    assert ISA.encode("SEND_INTERRUPT", 1, 456).hex() == "060100c801000000"


def test_operands_too_wide_and_unknown_codes_are_refused() -> None:
    with pytest.raises(IsaError, match="16 bits"):
        ISA.encode("JUMP", 1 << 16)
    with pytest.raises(IsaError, match="is not an instruction"):
        ISA.decode(b"\x03" + bytes(7))


@pytest.mark.parametrize("before, after, said", [
    ("code = 0x11", "code = 0x10", "codes of instructions"),
    ('name = "FE"\ncode = 1', 'name = "FE"\ncode = 2', "codes of kinds"),
    ('"FE FE FE"', '"FE FE -"', "result has the kind -"),
    ('"FE FE FE"', '"FE FE F3"', "kinds"),
    ('"FE - FE"', '"FE FE FE"', "power has the kind FE"),
    ('"FP_AF FP_JB -"', '"FP_JB FP_JB -"', "kinds that are read"),
    ('a = "pairs"', 'a = "pair"', "operands"),
    ('instruction = "NOOP_WAIT"', 'instruction = "NOOP_WAITS"', "unknown instruction"),
    ("offset = 0x10", "offset = 0x11", "register instruction_pointer"),
    ("offset = 13", "offset = 14", "error: offset 14"),
    ("width = 15", "width = 16", "present: bit 31"),
    ("instructions = 512", "instructions = 1024", "overlap"),
])
def test_a_wrong_file_is_refused(before: str, after: str, said: str) -> None:
    text = ISA_FILE.read_text(encoding="utf-8")
    assert before in text
    with pytest.raises(IsaError, match=said):
        parse(text.replace(before, after))


LINTS = [Lint("bls_coprocessor_isa_pkg")]
