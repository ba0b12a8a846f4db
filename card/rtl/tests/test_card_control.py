# SPDX-License-Identifier: Apache-2.0 OR MIT
"""card_top without engines: control commands, registers on both paths, ignore replies, resets."""

import cocotb
import pytest
from cocotbext.axi import AxiResp

from arith.simulation.bench import Lint, in_sweep, random_source, run_bench
from arith.simulation.streams import wait_clocks
from card.model import commands
from card.model.commands import RegisterReply, StatusReply
from card.model.frames import MAX_FRAME_BYTES, SPEC, Frame, Ignored, decode
from card.rtl.tests.card_bench import CardBench
from card.rtl.tests.streams_of_frames import random_stream

BUILD_ID = 0x12345678
CONTROL = SPEC.register("control").address
KNOWN = {r.address: r for r in SPEC.registers}
BUILT = {"build_id": BUILD_ID, "capabilities": 0, "poseidon_instances": 0, "poseidon_cores": 0,
         "blake3_shape": 0, "equihash_shape": 0, "secp256k1_shape": 0}
OK, NO_SUCH_REGISTER, READ_ONLY = 0, 1, 2
STREAM_WIDTHS = (8, 16, 64)


def constant_value(register, stream_bytes):
    """A register's constant value, None for a counter."""
    if register.name == "stream_bytes":
        return stream_bytes
    if register.reset is None:
        return BUILT[register.name]
    constant = ("id", "version", "max_frame_bytes", "control", "interrupts")
    return register.reset if register.name in constant else None


async def bench(dut, name, pause=0.3):
    card = CardBench(dut, random_source(name), pause, pause)
    await card.start()
    return card, card.rng


def addresses(rng, count):
    """Known addresses, near misses, aliases above 16 bits, and windows that do not exist."""
    known = list(KNOWN)
    odd = [0x001, 0x002, 0x019, 0x01D, 0x048, 0x0FC, 0x118, 0x1000, 0x1FFC, 0x2F00, 0x4F10, 0xFFFC, 0x1_0000, 2**31]
    return [rng.choice(known if rng.random() < 0.7 else odd) for _ in range(count)]


@cocotb.test()
async def status(dut):
    card, _ = await bench(dut, "status")
    card.send(b"\xff" * card.stream_bytes * 3)  # three lengths that are too long
    await card.receive(3)
    first = StatusReply.of(await card.ask(commands.get_fpga_status()))
    second = StatusReply.of(await card.ask(commands.get_fpga_status()))
    assert first == StatusReply(
        version=SPEC.version,
        build_id=BUILD_ID,
        capabilities=0,
        max_frame_bytes=MAX_FRAME_BYTES,
        clocks=first.clocks,
        multiplier_busy=0,
        frames_ignored=3,
        poseidon_instances=0,
        poseidon_starved_fr=0,
        poseidon_starved_felt=0,
        replies_stalled=first.replies_stalled,
        blake3_blocks=0,
        blake3_starved=0,
        stream_bytes=card.stream_bytes,
        equihash_sets=0,
    )
    assert 0 < first.clocks < second.clocks
    assert first.replies_stalled <= second.replies_stalled
    assert await card.read("frames_in") == 5
    assert await card.read("frames_out") == 5
    assert await card.read("frames_ignored") == 3


@cocotb.test()
async def registers_through_the_stream(dut):
    card, rng = await bench(dut, "stream registers")
    asked = addresses(rng, 150)
    for address in asked:
        card.send(commands.register_read(address))
    for address, frame in zip(asked, await card.receive(len(asked))):
        assert frame.command == commands.reply_code("register_read")
        reply = RegisterReply.of(frame)
        if address not in KNOWN:
            assert reply == RegisterReply(address, NO_SUCH_REGISTER, 0)
        else:
            assert (reply.address, reply.status) == (address, OK)
            assert constant_value(KNOWN[address], card.stream_bytes) in (None, reply.value)
    for address in addresses(rng, 100):
        value = rng.getrandbits(32) & ~1  # bit 0 of control would reset
        frame = await card.ask(commands.register_write(address, value))
        assert frame.command == commands.reply_code("register_write")
        status = (
            NO_SUCH_REGISTER if address not in KNOWN else OK if address == CONTROL else READ_ONLY
        )
        assert RegisterReply.of(frame) == RegisterReply(address, status, value)


@cocotb.test()
async def registers_on_axi_lite(dut):
    """Reads and writes at the same time, concurrent with those of the stream."""
    card, rng = await bench(dut, "axi registers")

    async def reads():
        for address in addresses(rng, 150):
            address &= 0xFFFC
            answer = await card.registers.read(address, 4)
            if address in KNOWN:
                assert answer.resp == AxiResp.OKAY
                value = int.from_bytes(answer.data, "little")
                assert constant_value(KNOWN[address], card.stream_bytes) in (None, value), KNOWN[address].name
            else:
                assert answer.resp == AxiResp.DECERR

    async def writes():
        for address in addresses(rng, 150):
            address &= 0xFFFC
            answer = await card.registers.write(
                address, (rng.getrandbits(32) & ~1).to_bytes(4, "little")
            )
            assert answer.resp == (
                AxiResp.DECERR
                if address not in KNOWN
                else AxiResp.OKAY if address == CONTROL else AxiResp.SLVERR
            )

    tasks = [cocotb.start_soon(reads()), cocotb.start_soon(writes())]
    for _ in range(100):
        card.send(commands.register_read(SPEC.register("id").address))
    for frame in await card.receive(100):
        assert RegisterReply.of(frame).value == SPEC.register("id").reset
    for task in tasks:
        await task


@cocotb.test()
async def resets_answer_their_nonce(dut):
    card, rng = await bench(dut, "nonce")
    for _ in range(20):
        nonce = rng.getrandbits(64)
        assert await card.ask(commands.reset_fpga(nonce)) == commands.reset_reply(nonce)
        assert await card.ask(commands.reset_fpga()) == commands.reset_reply(0)
    answer = await card.ask(commands.register_write(CONTROL, 1))
    assert RegisterReply.of(answer) == RegisterReply(CONTROL, OK, 1)
    await card.registers.write_dword(CONTROL, 1)
    assert await card.ask(commands.reset_fpga(5)) == commands.reset_reply(5)


@cocotb.test()
async def random_streams_are_answered_in_step(dut):
    """Control replies are in order; ignore replies are in order, and those before a reset may be
    dropped."""
    card, rng = await bench(dut, "random", pause=0.2)
    for _ in range(25):
        stream = random_stream(rng, 20, card.stream_bytes)
        stream += bytes(decode(stream, set(), card.stream_bytes)[1])
        events, missing = decode(stream, set(), card.stream_bytes)
        assert missing == 0
        card.send(stream)
        nonce = rng.getrandbits(64)
        card.send(commands.reset_fpga(nonce))
        replies = await card.until(commands.reset_reply(nonce))
        ignored = [
            Frame(commands.ignore_reply(0, 0).command, e.header.to_bytes(8, "little"))
            for e in events
            if isinstance(e, Ignored)
        ]
        seen = iter(ignored)
        assert all(reply in seen for reply in replies if reply.name == "fpga_ignore_rpl"), "order"
        codes = {c.code: c.reply_code for c in SPEC.commands}
        control = [codes[e.beats[0] >> 32 & 0xFFFF_FFFF] for e in events if not isinstance(e, Ignored)]
        assert [r.command for r in replies if r.name != "fpga_ignore_rpl"] == control
    assert await card.ask(commands.reset_fpga(1)) == commands.reset_reply(1)  # and nothing behind


@cocotb.test()
async def replies_that_are_not_taken_lose_nothing(dut):
    card, _ = await bench(dut, "stall", pause=0.0)
    card.set_pauses(0.0, 1.0)
    for index in range(200):
        card.send(commands.register_read(index))
        card.send(card.header(1, index))  # length 1: ignored
    await wait_clocks(dut.clk_i, 3000)
    card.set_pauses(0.0, 0.1)
    replies = await card.receive(400)
    assert [RegisterReply.of(r).address for r in replies if len(r.payload) == 16] == list(
        range(200)
    )
    assert [r for r in replies if len(r.payload) == 8] == [
        commands.ignore_reply(1, index) for index in range(200)
    ]


@cocotb.test()
async def a_soft_reset_empties_the_queue_of_ignore_replies(dut):
    card, _ = await bench(dut, "flush", pause=0.0)
    card.set_pauses(0.0, 1.0)
    for index in range(10):
        card.send(card.header(1, index))
    await wait_clocks(dut.clk_i, 200)
    await card.registers.write_dword(CONTROL, 1)
    card.send(commands.reset_fpga(1))
    card.set_pauses(0.0, 0.0)
    before = await card.until(commands.reset_reply(1))
    held = card.ignore_replies_held()
    assert before == [commands.ignore_reply(1, index) for index in range(held)]


@cocotb.test()
async def bytes_that_are_not_kept_count_as_zero(dut):
    """A link may end a transfer within a beat: tkeep marks the end, and the next beat is a
    header."""
    card, rng = await bench(dut, "tkeep")
    for _ in range(20):
        nonce, kept = rng.getrandbits(64), rng.randrange(9)
        request = commands.reset_fpga(nonce).encode()
        card.source.send_bytes(request[: 8 + kept])
        if card.stream_bytes == 8 and kept == 0:
            card.send(bytes(8))  # its payload is a separate beat
        left = nonce & (1 << 8 * kept) - 1
        assert (await card.receive(1))[0] == commands.reset_reply(left)


@cocotb.test()
async def hardware_reset_anywhere(dut):
    card, rng = await bench(dut, "hardware reset")
    for _ in range(20):
        card.send(random_stream(rng, 10, card.stream_bytes))
        await wait_clocks(dut.clk_i, rng.randrange(1, 80))
        await card.hardware_reset()
        nonce = rng.getrandbits(64)
        assert await card.ask(commands.reset_fpga(nonce)) == commands.reset_reply(nonce)
        assert await card.read("frames_in") == 1


@cocotb.test()
async def back_in_step_after_half_a_frame(dut):
    """A host that died within a frame: its successor writes zeros, then a reset with a nonce."""
    card, rng = await bench(dut, "half", pause=0.0)
    for length in (24, 4096, MAX_FRAME_BYTES):
        card.send(card.header(length, 0x110) + rng.randbytes(8))
        card.send(bytes(MAX_FRAME_BYTES))
        card.send(commands.reset_fpga(length))
        await card.until(commands.reset_reply(length))


LINTS = [Lint("card_top", {"Engines": 0, "StreamBytes": width}) for width in STREAM_WIDTHS]


@pytest.mark.parametrize("stream_bytes", [8, 64, *in_sweep([16])])
def test_card_control(stream_bytes):
    run_bench(__file__, "card_top",
              {"Engines": 0, "BuildId": BUILD_ID, "StreamBytes": stream_bytes})
