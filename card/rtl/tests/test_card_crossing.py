# SPDX-License-Identifier: Apache-2.0 OR MIT
"""card_crossing in front of card_top, with its buses on a clock of another ratio: frames,
registers, resets. The crossing pointers have late bits (LATE_BITS_MODEL of sync_bits)."""

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, Timer

from arith.simulation.bench import Lint, random_source, run_bench, setting
from card.model import commands
from card.model.commands import RegisterReply
from card.model.frames import SPEC, Frame
from card.rtl.tests.card_bench import CardBench

NUMBERS = [SPEC.register(name).address for name in ("capabilities", "frames_in", "control")]
ABSENT = 0x7FF0


async def crossed(dut, name, pause=0.2):
    """The card behind its crossing, at a random phase. The bus's clock is that of CardBench."""
    rng = random_source(name)
    await Timer(rng.randrange(1, 9000), "ps")
    cocotb.start_soon(Clock(dut.core_clk_i, int(setting("core_period_ps")), unit="ps").start())
    card = CardBench(dut, rng, pause, pause, watches_idle=False)
    await card.start()
    return card


def requests(rng, count):
    """Frames that the card answers in order: register reads and frames that it ignores."""
    sent, expected = [], []
    for number in range(count):
        if rng.random() < 0.5:
            address = rng.choice((*NUMBERS, ABSENT))
            sent.append(commands.register_read(address))
            expected.append(("register_read", address))
        else:
            frame = Frame(0xBAD00000 + number, rng.randbytes(rng.randrange(100)))
            sent.append(frame)
            expected.append(commands.ignore_reply(8 + len(frame.payload), frame.command))
    return sent, expected


def summary(frame):
    """A reply in the form that `requests` predicts."""
    if frame.name == "register_read":
        return frame.name, RegisterReply.of(frame).address
    return frame


async def exchange(card, count):
    """Sends frames and checks that each is answered once, those of a kind in order."""
    sent, expected = requests(card.rng, count)
    for frame in sent:
        card.send(frame)
    replies = [summary(frame) for frame in await card.receive(count)]
    for kind in (tuple, Frame):
        assert [r for r in replies if isinstance(r, kind)] == [
            e for e in expected if isinstance(e, kind)
        ]
    await ClockCycles(card.dut.clk_i, 100)
    assert not card.sink.packets


@cocotb.test()
async def frames_pass(dut):
    card = await crossed(dut, "frames")
    for pause_in, pause_out in ((0.0, 0.0), (0.6, 0.1), (0.1, 0.9)):
        card.set_pauses(pause_in, pause_out)
        await exchange(card, 80)


@cocotb.test()
async def registers_beside_frames(dut):
    """AXI4-Lite accesses, several at once, while frames pass; each gets its own answer."""
    card = await crossed(dut, "registers")
    frames = cocotb.start_soon(exchange(card, 120))
    build_id = SPEC.register("build_id").address
    capabilities = SPEC.register("capabilities").address
    for _ in range(25):
        reads = [
            cocotb.start_soon(card.registers.read(address, 4))
            for address in (build_id, ABSENT, capabilities)
        ]
        write = cocotb.start_soon(card.registers.write(ABSENT, card.rng.randbytes(4)))
        answers = [await read for read in reads]
        assert [answer.resp for answer in answers] == [0, 3, 0]  # OKAY, DECERR
        assert int.from_bytes(answers[0].data, "little") == int(setting("build_id"))
        assert (await write).resp == 3
        assert (await card.registers.write(build_id, bytes(4))).resp == 2  # SLVERR: read-only
    await frames
    assert await card.read("frames_in") == 120


@cocotb.test()
async def reset_in_the_middle(dut):
    """Whatever its state, the card starts again after rst_ni: counters at zero, no old output."""
    card = await crossed(dut, "reset")
    for _ in range(10):
        card.set_pauses(0.1, card.rng.choice((0.1, 0.8)))
        for frame in requests(card.rng, 60)[0]:
            card.send(frame)
        await Timer(card.rng.randrange(2000, 600_000), "ps")
        await card.hardware_reset()
        assert await card.read("frames_in") == 0
        await exchange(card, 10)
        assert await card.read("frames_in") == 10


@pytest.mark.parametrize(
    "core_period_ps, stream_bytes", [(2000, 8), (540, 64), (7400, 64), (2006, 64)]
)
def test_card_crossing(core_period_ps: int, stream_bytes: int) -> None:
    """The period of the bus is 2000 ps."""
    run_bench(
        __file__, "crossed_card",
        {"BuildId": 0xC0FFEE, "Engines": 0, "StreamBytes": stream_bytes},
        options=["+define+LATE_BITS_MODEL"],
        settings={"core_period_ps": core_period_ps, "build_id": 0xC0FFEE},
    )


LINTS = [Lint("card_crossing"), Lint("axi_lite_crossing", {"AddressBits": 12, "Depth": 8})]
