# SPDX-License-Identifier: Apache-2.0 OR MIT
"""blake_round in both word widths: single rounds compared with the golden model, with all words of
the message and with those of a mask, pauses and resets, and a whole BLAKE2b compression, twelve
rounds through one pipeline, compared with hashlib."""

import hashlib
from collections import deque
from collections.abc import Sequence
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import Lint, random_source, run_bench, setting
from arith.simulation.streams import reset, start
from engines.blake3.model.compression import BLAKE2B, BLAKE3, Family, one_round

FAMILIES = {32: BLAKE3, 64: BLAKE2B}
SIGMA = (  # RFC 7693, section 2.7; one word number per digit
    "0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8",
    "905724afe1bc683d", "2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a",
    "6fe9b308c2d714a5", "a2847615fb9e3cd0",
)
INITIAL_VALUE = (
    0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
    0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
)


def packed(words: Sequence[int], bits: int) -> int:
    return sum(word << bits * i for i, word in enumerate(words))


def unpacked(value: int, bits: int) -> list[int]:
    return [value >> bits * i & (1 << bits) - 1 for i in range(16)]


ALL_USED = 0xFFFF


def without_unused(message: Sequence[int]) -> list[int]:
    """The message as the round uses it: words that it is built without are zero."""
    mask = int(setting("used"))
    return [word if mask >> i & 1 else 0 for i, word in enumerate(message)]


def family() -> Family:
    return FAMILIES[int(setting("bits"))]


async def _start(dut: Any) -> None:
    await start(dut, valid_i=0, state_i=0, message_i=0)


async def one(dut: Any, state: Sequence[int], message: Sequence[int]) -> list[int]:
    """One round alone in the pipeline. Its latency must be the number of stages."""
    bits, stages = family().word_bits, int(setting("stages"))
    dut.valid_i.value = 1
    dut.state_i.value, dut.message_i.value = packed(state, bits), packed(message, bits)
    await RisingEdge(dut.clk_i)
    dut.valid_i.value = 0
    for clock in range(1, stages + 1):
        await ReadOnly()
        assert int(dut.valid_o.value) == int(clock == stages)
        if clock == stages:
            result = unpacked(int(dut.state_o.value), bits)
            assert unpacked(int(dut.message_o.value), bits) == without_unused(message)
        await RisingEdge(dut.clk_i)
    return result


@cocotb.test()
@cocotb.parametrize(chance=[0.3, 1.0])
async def rounds_in_a_row(dut: Any, chance: float) -> None:
    """Random and extreme words, one round per clock or with pauses; each comes out, in order."""
    await _start(dut)
    rng, bits, stages = random_source(chance), family().word_bits, int(setting("stages"))
    ones = (1 << bits) - 1
    waiting: deque[tuple[int, list[int], list[int]]] = deque()
    for clock in range(300):
        valid = rng.random() < chance and clock < 300 - stages
        def words() -> list[int]:
            return [rng.choice((0, 1, ones, 1 << bits - 1)) if rng.random() < 0.2
                    else rng.getrandbits(bits) for _ in range(16)]
        state, message = words(), words()
        dut.valid_i.value = int(valid)
        dut.state_i.value, dut.message_i.value = packed(state, bits), packed(message, bits)
        if valid:
            taken = without_unused(message)
            waiting.append((clock + stages, one_round(family(), state, taken), taken))
        await ReadOnly()
        due = bool(waiting) and waiting[0][0] == clock
        assert int(dut.valid_o.value) == int(due)
        if due:
            _, expected, sent = waiting.popleft()
            assert unpacked(int(dut.state_o.value), bits) == expected
            assert unpacked(int(dut.message_o.value), bits) == sent
        await RisingEdge(dut.clk_i)
    assert not waiting


@cocotb.test()
async def a_reset_empties_it(dut: Any) -> None:
    await _start(dut)
    dut.valid_i.value = 1
    for _ in range(int(setting("stages"))):
        await RisingEdge(dut.clk_i)
    dut.valid_i.value = 0
    await reset(dut)
    for _ in range(2 * int(setting("stages"))):
        await ReadOnly()
        assert int(dut.valid_o.value) == 0
        await RisingEdge(dut.clk_i)


@cocotb.test()
async def blake2b_of_one_block(dut: Any) -> None:
    """BLAKE2b-512 of at most 128 bytes without a key: one compression of twelve rounds."""
    if family() is not BLAKE2B or int(setting("used")) != ALL_USED:
        return
    await _start(dut)
    rng = random_source("blake2b")
    for length in (0, 1, 127, 128, rng.randrange(128)):
        data = rng.randbytes(length)
        words = unpacked(int.from_bytes(data, "little"), 64)
        value = [INITIAL_VALUE[0] ^ 0x0101_0040, *INITIAL_VALUE[1:]]
        state = [*value, *INITIAL_VALUE]
        state[12] ^= length
        state[14] ^= (1 << 64) - 1
        for number in range(12):
            state = await one(dut, state, [words[int(c, 16)] for c in SIGMA[number % 10]])
        result = [value[i] ^ state[i] ^ state[i + 8] for i in range(8)]
        assert packed(result, 64).to_bytes(64, "little") == hashlib.blake2b(data).digest()


def parameters(bits: int, stages: int, used: int = ALL_USED) -> dict[str, object]:
    rotations = {f"Rotation{i}": bit for i, bit in enumerate(FAMILIES[bits].rotations)}
    return {"WordBits": bits, "Stages": stages, "Used": f"16'd{used}", **rotations}


# Two words as in Equihash's second block; no words; no words in one half of the round.
CASES = [(32, 8, ALL_USED), (32, 4, ALL_USED), (32, 1, ALL_USED), (64, 2, ALL_USED),
         (64, 8, ALL_USED), (64, 4, 0x0210), (32, 2, 0), (32, 8, 0xA500)]


@pytest.mark.parametrize("bits, stages, used", CASES)
def test_blake_round(bits: int, stages: int, used: int) -> None:
    run_bench(__file__, "blake_round", parameters(bits, stages, used),
              settings={"bits": bits, "stages": stages, "used": used})


LINTS = [Lint("blake_round", parameters(bits, stages, used))
         for bits in (32, 64) for stages in (1, 2, 4, 8) for used in (ALL_USED, 0x0210)]
