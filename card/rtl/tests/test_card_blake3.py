# SPDX-License-Identifier: Apache-2.0 OR MIT
"""card_top with the BLAKE3 engine on a narrow stream, in a sweep also on a wide one: messages among
other frames, stalls, and resets within frames. (The engine's reaction to bad frames:
engines/blake3/rtl/tests.)"""

import cocotb
import pytest

from arith.simulation.bench import Lint, run_bench
from arith.simulation.streams import wait_clocks
from card.model import commands
from card.model.commands import StatusReply
from card.model.frames import Frame
from card.rtl.tests.card_bench import STREAM_BYTES, CardBench
from card.sim.build import engine_mask
from engines.blake3.model.frames import Blake3Reply, blake3_message
from engines.blake3.model.hashing import KEYED, Mode, compute

BLAKE3 = engine_mask("blake3")
CHUNK = 1024
CHUNKS, MESSAGES = 32, 8
OK = 0


def message(rng, index, longest=3000, longest_output=200):
    """(frames, reply): a message in frames of one to three chunks."""
    mode = rng.choice(list(Mode))
    key = rng.randbytes(32) if mode in KEYED else b""
    data = rng.randbytes(rng.choice((0, 1, 64, 65, CHUNK, CHUNK + 1, rng.randrange(longest))))
    length = rng.choice((32, 32, rng.randrange(1, longest_output)))
    frames = blake3_message(
        index, data, key, mode, length, frame_bytes=CHUNK * rng.randrange(1, 4))
    return frames, Blake3Reply(index, OK, compute(mode, data, key, length))


async def ask_for(card, index):
    """A message must be answered, and nothing else may come."""
    frames, reply = message(card.rng, index)
    for frame in frames:
        card.send(frame)
    assert Blake3Reply.of((await card.receive(1))[0]) == reply


@cocotb.test()
async def messages_among_other_frames(dut):
    card = await CardBench.begin(dut, "mixed")
    rng = card.rng
    expected, ignored, reads = {}, [], 0
    for index in range(40):
        frames, expected[index] = message(rng, index)
        for frame in frames:
            card.send(frame)
            if rng.random() < 0.3:
                card.send(commands.register_read(4 * reads))
                reads += 1
            elif rng.random() < 0.3:
                other = Frame(0xBAD00000 + len(ignored), rng.randbytes(rng.randrange(200)))
                card.send(other)
                ignored.append(commands.ignore_reply(8 + len(other.payload), other.command))
    replies = await card.receive(len(expected) + len(ignored) + reads)
    hashes = [Blake3Reply.of(r) for r in replies if r.name == "blake3_hash"]
    assert {h.index: h for h in hashes} == expected and len(hashes) == len(expected)
    assert [r for r in replies if r.name == "fpga_ignore_rpl"] == ignored
    status = StatusReply.of(await card.ask(commands.get_fpga_status()))
    assert (status.capabilities, status.stream_bytes) == (BLAKE3, card.stream_bytes)
    assert status.blake3_blocks == await card.read("blake3_blocks_lo") > 40
    assert status.blake3_starved <= await card.read("blake3_starved_lo")
    # (The counters are read while the reply is sent, a few clocks apart: the words of a status are
    # read over some 40 clocks.)
    assert status.blake3_blocks + status.blake3_starved <= status.clocks + 50
    shape = await card.read("blake3_shape")
    assert shape >> 8 == CHUNKS << 8 | 1 and shape & 0xFF > 7
    assert await card.read("engine_errors") == 0 and int(dut.idle_o.value) == 1


@cocotb.test()
async def a_host_that_does_not_read(dut):
    card = await CardBench.begin(dut, "stall", 0.0)
    rng = card.rng
    card.set_pauses(0.0, 1.0)
    expected, sent, output = {}, 0, 0
    # Three times the 65,536 reply bytes that the engine can hold, and more messages than it begins.
    while len(expected) < 60 or output < 3 * 65_536:
        index = len(expected)
        frames, expected[index] = message(rng, index, 400, 15_000)
        output += len(expected[index].output)
        sent += len(frames)
        for frame in frames:
            card.send(frame)
    await card.stands_still(12_000, sent)
    replies = [Blake3Reply.of(r) for r in await card.receive(len(expected))]
    assert {r.index: r for r in replies} == expected and len(replies) == len(expected)


@cocotb.test()
async def soft_reset_anywhere(dut):
    """A reset by register, also within frames: no reply is torn or wrong, and the card works
    again."""
    card = await CardBench.begin(dut, "soft reset", 0.2)
    rng = card.rng
    abandoned = 0
    for round_number, clocks in enumerate(card.waits(16, (1, 5, 30, 100, 400))):
        base, expected = 1000 * round_number, {}
        for index in range(base, base + 6):
            frames, expected[index] = message(rng, index)
            for frame in frames:
                card.send(frame)
        await wait_clocks(dut.clk_i, clocks)
        before = await card.reset_by_register()
        replies = [Blake3Reply.of(r) for r in before if r.name == "blake3_hash"]
        assert all(expected[r.index] == r for r in replies)
        # The rest of a message whose beginning was reset is data without a message.
        rest = [r for r in before if r.name != "blake3_hash"]
        assert all(r.command == commands.reply_code("blake3_data") for r in rest)
        abandoned += len(expected) - len(replies)
        await ask_for(card, base + 500)
    assert abandoned > 0


@cocotb.test()
async def hardware_reset_anywhere(dut):
    card = await CardBench.begin(dut, "hardware reset")
    rng = card.rng
    for index in range(8):
        for _ in range(5):
            for frame in message(rng, index)[0]:
                card.send(frame)
        await wait_clocks(dut.clk_i, rng.choice((1, 17, 90, 500)))
        await card.hardware_reset()
        await ask_for(card, index)


def parameters(stream_bytes):
    return {"Engines": BLAKE3, "StreamBytes": stream_bytes, "Blake3Chunks": CHUNKS,
            "Blake3Messages": MESSAGES}


LINTS = [Lint("card_top", parameters(stream_bytes)) for stream_bytes in STREAM_BYTES]


@pytest.mark.parametrize("stream_bytes", STREAM_BYTES)
def test_card_blake3(stream_bytes):
    run_bench(__file__, "card_top", parameters(stream_bytes))
