# SPDX-License-Identifier: Apache-2.0 OR MIT
"""card_top with the secp256k1 engine at both widths of the stream: signatures among other frames,
frames of a wrong length, stalls, and resets in mid-frame. (Every check:
engines/secp256k1/rtl/tests.)
"""

from __future__ import annotations

import struct
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from arith.simulation.bench import lint_bench, random_source, run_bench
from card.model import commands
from card.model.commands import StatusReply
from card.model.frames import SPEC, Frame
from card.rtl.tests.card_bench import CardBench
from engines.secp256k1.model.tests.edge_cases import Case, random_case
from engines.secp256k1.rtl.tests.secp256k1_frames import mask_of, of_length, request, short_case

SECP256K1 = 1 << next(c.value for c in SPEC.capabilities if c.name == "secp256k1")
CONTROL = SPEC.register("control").address
CONTEXTS = 4
# Where a reply's 16 bits of clocks stay: a check of the equation takes more, one of ranges does not,
# unless it has to wait until such a check leaves its context.
MOST_CYCLES = 65535
REPLY = "verify_secp256k1_sig"


class Signatures(CardBench):
    """A card, and of the signatures that it has been sent, by index, the mask and whether the
    check ends early."""

    def __init__(self, dut: Any, name: str, pause: float = 0.1) -> None:
        super().__init__(dut, random_source(name), pause, pause)
        self.sent: dict[int, tuple[int, bool]] = {}
        self.soon = 0  # replies of checks that end early and did not have to wait

    def send_case(self, case: Case) -> None:
        index = self.rng.getrandbits(64)
        is_short = case[0].endswith(("not below p", "out of range"))
        self.sent[index] = (mask_of(case), is_short)
        self.send(commands.verify_secp256k1_sig(index, request(index, *case[1:])[16:]))

    def judge(self, reply: Frame) -> None:
        """A reply that is waited for, and right."""
        assert reply.name == REPLY
        index, mask, cycles, rest = struct.unpack("<QBxHI", reply.payload)
        expected, is_short = self.sent.pop(index)
        assert mask == expected and rest == 0 and reply.payload[9] == 0
        assert cycles >= 8 if is_short else cycles == MOST_CYCLES
        self.soon += cycles < MOST_CYCLES


@cocotb.test()
async def signatures_among_other_frames(dut: Any) -> None:
    card = Signatures(dut, "mixed")
    await card.start()
    cases = [short_case(card.rng) for _ in range(30)] + [random_case(card.rng) for _ in range(3)]
    name, signature, key = random_case(card.rng)
    cases.append((f"{name}, another y", signature, (key[0], key[1] ^ 2)))
    card.rng.shuffle(cases)
    ignored, reads = [], 0
    for case in cases:
        card.send_case(case)
        if card.rng.random() < 0.3:
            card.send(commands.register_read(4 * reads))
            reads += 1
        elif card.rng.random() < 0.4:
            bad = of_length(card.rng, request(reads, *random_case(card.rng)[1:]))
            length, code = (int.from_bytes(bad[i:i + 4], "little") for i in (0, 4))
            card.send(Frame(code, bad[8:]))
            ignored.append(commands.ignore_reply(length, code))
    replies = await card.receive(len(cases) + len(ignored) + reads)
    for reply in replies:
        if reply.name == REPLY:
            card.judge(reply)
    assert not card.sent and card.soon
    assert [r for r in replies if r.name == "fpga_ignore_rpl"] == ignored
    status = StatusReply.of(await card.ask(commands.get_fpga_status()))
    assert status.capabilities == SECP256K1
    assert status.frames_ignored == len(ignored) > 0 and status.multiplier_busy > 3 * 1958
    assert await card.read("secp256k1_shape") == CONTEXTS << 16 | 1
    assert await card.read("engine_errors") == 0 and int(dut.idle_o.value) == 1


@cocotb.test()
async def a_host_that_does_not_read(dut: Any) -> None:
    card = Signatures(dut, "stall", pause=0.0)
    await card.start()
    card.set_pauses(0.0, 1.0)
    count = 60
    for _ in range(count):
        card.send_case(short_case(card.rng))
    await ClockCycles(dut.clk_i, 8_000)
    begun = await card.read("frames_in")
    await ClockCycles(dut.clk_i, 500)
    assert begun == await card.read("frames_in") < count, "the stream did not stall"
    card.set_pauses(0.0, 0.3)
    for reply in await card.receive(count):
        card.judge(reply)


@cocotb.test()
async def soft_reset_anywhere(dut: Any) -> None:
    """By register, also in mid-frame: no reply is torn or wrong, and the card comes back."""
    card = Signatures(dut, "soft reset", pause=0.2)
    await card.start()
    abandoned = 0
    for _ in range(12):
        for _ in range(6):
            card.send_case(card.rng.choice((random_case, short_case))(card.rng))
        await ClockCycles(dut.clk_i, card.rng.choice((1, 20, 300, 2_500, 4_000)))
        await card.registers.write_dword(CONTROL, 1)
        nonce = card.rng.getrandbits(64)
        card.send(commands.reset_fpga(nonce))
        for reply in await card.until(commands.reset_reply(nonce)):
            card.judge(reply)
        abandoned += len(card.sent)
        card.sent.clear()
        card.send_case(short_case(card.rng))
        card.judge((await card.receive(1))[0])
    assert abandoned > 0


def parameters(stream_bytes: int) -> dict[str, int]:
    return {"Engines": SECP256K1, "StreamBytes": stream_bytes, "Secp256k1Contexts": CONTEXTS}


@pytest.mark.parametrize("stream_bytes", [8, 64])
def test_lint(stream_bytes: int) -> None:
    lint_bench("card_top", parameters(stream_bytes))


@pytest.mark.parametrize("stream_bytes", [8, 64])
def test_card_secp256k1(stream_bytes: int) -> None:
    run_bench(__file__, "card_top", parameters(stream_bytes))
