# SPDX-License-Identifier: Apache-2.0 OR MIT
"""card_top with two secp256k1 engines, in a sweep also with one and on a wide stream: signatures
of both forms among other frames, damaged ones, frames of a wrong length, stalls, and resets within
frames. (Every check: engines/secp256k1/rtl/tests.)
"""

from collections import Counter
from typing import Any

import cocotb
import pytest

from arith.simulation.bench import Lint, in_sweep, run_bench, setting
from arith.simulation.streams import wait_clocks
from card.model import commands
from card.model.commands import StatusReply
from card.model.frames import Frame, flipped
from card.rtl.tests.card_bench import STREAM_BYTES, CardBench
from card.sim.build import engine_mask
from engines.secp256k1.model.frames import (
    SignatureReply, verify_secp256k1_sig, verify_secp256k1_sig_checked,
)
from engines.secp256k1.model.tests.edge_cases import Case, random_case
from engines.secp256k1.rtl.tests.secp256k1_frames import (
    mask_of, of_length, request, short_case,
)

SECP256K1 = engine_mask("secp256k1")
CONTEXTS = 4
# A check of the equation takes more clocks, even alone in the core. A check of ranges does not,
# unless it waits for such a check to leave its context.
EQUATION_CYCLES = 9_000
REPLY = "verify_secp256k1_sig"
CORRUPT = 4


class Signatures(CardBench):
    """A card, and for the signatures sent to it, by index, the mask and whether the check ends
    early."""

    def __init__(self, dut: Any, *others: Any) -> None:
        super().__init__(dut, *others)
        self.sent: dict[int, tuple[int, bool, int | None]] = {}
        self.soon = 0  # replies of checks that end early and did not have to wait

    def send_case(self, case: Case) -> None:
        index = self.rng.getrandbits(64)
        is_short = case[0].endswith(("not below p", "out of range"))
        numbers = request(index, *case[1:])[16:]
        if self.rng.random() < 0.5:
            self.sent[index] = (mask_of(case), is_short, 0)
            self.send(verify_secp256k1_sig_checked(index, numbers))
        else:
            self.sent[index] = (mask_of(case), is_short, None)
            self.send(verify_secp256k1_sig(index, numbers))

    def send_harmed(self) -> None:
        """A checked frame with a bit flipped after its index."""
        index = self.rng.getrandbits(64)
        frame = verify_secp256k1_sig_checked(
            index, request(index, *random_case(self.rng)[1:])[16:])
        bit = self.rng.randrange(64, 8 * len(frame.payload))
        self.sent[index] = (0, False, CORRUPT)
        self.send(Frame(frame.command, flipped(frame.payload, bit)))

    def judge(self, reply: Frame) -> None:
        """An expected reply, which must be correct."""
        found = SignatureReply.of(reply)
        mask, is_short, status = self.sent.pop(found.index)
        assert (found.mask, found.status) == (mask, status)
        if status == CORRUPT:
            assert found.cycles == 0
            return
        assert found.cycles >= 8 if is_short else found.cycles > EQUATION_CYCLES
        self.soon += found.cycles < EQUATION_CYCLES


@cocotb.test()
async def signatures_among_other_frames(dut: Any) -> None:
    card = await Signatures.begin(dut, "mixed")
    cases = [short_case(card.rng) for _ in range(30)] + [random_case(card.rng) for _ in range(3)]
    name, signature, key = random_case(card.rng)
    cases.append((f"{name}, another y", signature, (key[0], key[1] ^ 2)))
    card.rng.shuffle(cases)
    ignored, reads, corrupt = [], 0, 0
    always = card.rng.randrange(len(cases))  # a frame to be ignored follows this one
    for number, case in enumerate(cases):
        card.send_case(case)
        if card.rng.random() < 0.3:
            card.send_harmed()
            corrupt += 1
        if number != always and card.rng.random() < 0.3:
            card.send(commands.register_read(4 * reads))
            reads += 1
        elif number == always or card.rng.random() < 0.4:
            bad = of_length(card.rng, request(reads, *random_case(card.rng)[1:]))
            length, code = (int.from_bytes(bad[i:i + 4], "little") for i in (0, 4))
            card.send(Frame(code, bad[8:]))
            ignored.append(commands.ignore_reply(length, code))
    replies = await card.receive(len(cases) + corrupt + len(ignored) + reads)
    for reply in replies:
        if reply.name.startswith(REPLY):
            card.judge(reply)
    assert not card.sent and card.soon
    assert [r for r in replies if r.name == "fpga_ignore_rpl"] == ignored
    status = StatusReply.of(await card.ask(commands.get_fpga_status()))
    assert status.capabilities == SECP256K1
    assert status.frames_ignored == len(ignored) > 0 and status.multiplier_busy > 3 * 1958
    assert await card.read("secp256k1_shape") == CONTEXTS << 16 | 1
    assert await card.read("engine_errors") == corrupt and int(dut.idle_o.value) == 1


@cocotb.test()
async def a_flipped_bit_never_gives_a_wrong_verdict(dut: Any) -> None:
    """Any bit of a checked request, including its header: no verdict comes with the request's
    index, and the card recovers by itself."""
    card = await Signatures.begin(dut, "flips", 0.0)
    index = card.rng.getrandbits(64)
    frame = verify_secp256k1_sig_checked(
        index, request(index, *random_case(card.rng)[1:])[16:])
    whole = frame.encode()
    seen: Counter[str] = Counter()
    for bit in range(8 * len(whole)):
        for reply in await card.send_flipped(whole, bit):
            seen[reply.name] += 1
            if reply.name.startswith(REPLY):
                found = SignatureReply.of(reply)
                assert (found.status, found.mask, found.cycles) == (CORRUPT, 0, 0)
                assert (found.index ^ index).bit_count() == (bit // 64 == 1)
    assert seen["verify_secp256k1_sig_checked"] == 8 * len(whole) - 64
    assert seen["fpga_ignore_rpl"] > 50


@cocotb.test()
async def a_host_that_does_not_read(dut: Any) -> None:
    card = await Signatures.begin(dut, "stall", 0.0)
    card.set_pauses(0.0, 1.0)
    count = 60 * int(setting("copies"))
    for _ in range(count):
        card.send_case(short_case(card.rng))
    await card.stands_still(8_000, count)
    for reply in await card.receive(count):
        card.judge(reply)


@cocotb.test()
async def soft_reset_anywhere(dut: Any) -> None:
    """A reset by register, also within frames: no reply is torn or wrong, and the card works
    again."""
    card = await Signatures.begin(dut, "soft reset", 0.2)
    abandoned = 0
    for clocks in card.waits(12, (1, 20, 300, 2_500, 4_000)):
        for _ in range(6):
            card.send_case(card.rng.choice((random_case, short_case))(card.rng))
        await wait_clocks(dut.clk_i, clocks)
        for reply in await card.reset_by_register():
            card.judge(reply)
        abandoned += len(card.sent)
        card.sent.clear()
        card.send_case(short_case(card.rng))
        card.judge((await card.receive(1))[0])
    assert abandoned > 0


def parameters(stream_bytes: int, copies: int = 1, stages: int = 0) -> dict[str, int]:
    return {"Engines": SECP256K1, "StreamBytes": stream_bytes, "Secp256k1Contexts": CONTEXTS,
            "Secp256k1Copies": copies, "CrossingStages": stages}


# Two engines on other dies than the shell, each behind its own crossing; in sweeps one.
SHAPES = [(8, 2, 4), *in_sweep([(64, 3, 1), *((width, 1, 0) for width in STREAM_BYTES)])]
LINTS = [Lint("card_top", parameters(*shape)) for shape in SHAPES]


@pytest.mark.parametrize("stream_bytes, copies, stages", SHAPES)
def test_card_secp256k1(stream_bytes: int, copies: int, stages: int) -> None:
    run_bench(__file__, "card_top", parameters(stream_bytes, copies, stages),
              settings={"copies": copies})
