# SPDX-License-Identifier: Apache-2.0 OR MIT
"""sha256_block compared with hashlib: messages of every length around a block's borders, pauses,
resets, and the number of clocks per block."""

import hashlib
from typing import Any

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import random_source, run_bench
from arith.simulation.streams import reset, start

BLOCK_CLOCKS = 65


def padded_words(message: bytes) -> list[int]:
    """FIPS 180-4, section 5.1.1: a one, zeros, the length in bits."""
    zeros = -(len(message) + 9) % 64
    data = message + b"\x80" + bytes(zeros) + (8 * len(message)).to_bytes(8, "big")
    return [int.from_bytes(data[i:i + 4], "big") for i in range(0, len(data), 4)]


async def send(dut: Any, words: list[int], rng: Any, pause: float) -> None:
    """Sends a message's words, with the first one marked."""
    for place, word in enumerate(words):
        while rng.random() < pause:
            dut.in_valid_i.value = 0
            await RisingEdge(dut.clk_i)
        dut.in_valid_i.value = 1
        dut.in_data_i.value, dut.in_first_i.value = word, int(place == 0)
        while True:
            await ReadOnly()
            taken = int(dut.in_ready_o.value)
            await RisingEdge(dut.clk_i)
            if taken:
                break
    dut.in_valid_i.value = 0


async def digest(dut: Any) -> bytes:
    """Waits until the sum is available."""
    for _ in range(2 * BLOCK_CLOCKS):
        await ReadOnly()
        if int(dut.settled_o.value):
            break
        await RisingEdge(dut.clk_i)
    else:
        raise AssertionError("no digest")
    found = int(dut.digest_o.value).to_bytes(32, "big")
    await RisingEdge(dut.clk_i)
    return found


@cocotb.test()
@cocotb.parametrize(pause=[0.0, 0.4])
async def messages(dut: Any, pause: float) -> None:
    rng = random_source(pause)
    await start(dut, in_valid_i=0, in_data_i=0, in_first_i=0)
    for length in [0, 1, 3, 4, 55, 56, 63, 64, 65, 119, 120, 1487, *rng.sample(range(400), 12)]:
        message = rng.randbytes(length)
        await send(dut, padded_words(message), rng, pause)
        assert await digest(dut) == hashlib.sha256(message).digest(), length


@cocotb.test()
async def a_block_takes_65_clocks(dut: Any) -> None:
    """Without pauses, and the next message is not accepted before the last one's sum."""
    rng = random_source("clocks")
    await start(dut, in_valid_i=0, in_data_i=0, in_first_i=0)
    clocks = 0

    async def count() -> None:
        nonlocal clocks
        while True:
            await RisingEdge(dut.clk_i)
            clocks += 1

    cocotb.start_soon(count())
    message = rng.randbytes(1000)
    words = padded_words(message)
    begun = clocks
    await send(dut, words, rng, 0.0)
    assert await digest(dut) == hashlib.sha256(message).digest()
    assert clocks - begun == len(words) // 16 * BLOCK_CLOCKS + 3


@cocotb.test()
async def resets_in_the_middle(dut: Any) -> None:
    """Nothing of an aborted message is left."""
    rng = random_source("reset")
    await start(dut, in_valid_i=0, in_data_i=0, in_first_i=0)
    for _ in range(12):
        words = padded_words(rng.randbytes(rng.randrange(200)))
        task = cocotb.start_soon(send(dut, words, rng, 0.1))
        for _ in range(rng.randrange(1, 120)):
            await RisingEdge(dut.clk_i)
        task.cancel()
        dut.in_valid_i.value = 0
        await reset(dut)
        message = rng.randbytes(rng.randrange(100))
        await send(dut, padded_words(message), rng, 0.1)
        assert await digest(dut) == hashlib.sha256(message).digest()


def test_sha256_block() -> None:
    run_bench(__file__, "sha256_block")
