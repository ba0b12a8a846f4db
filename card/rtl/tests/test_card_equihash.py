# SPDX-License-Identifier: Apache-2.0 OR MIT
"""card_top with one and two Equihash engines on a narrow stream, in a sweep also on a wide one:
solutions of both forms among other frames, damaged ones, frames that match no parameter set,
stalls, resets within frames, and the rate. (Every check: engines/equihash/rtl/tests.)"""

from collections import Counter
from typing import Any

import cocotb
import pytest

from arith.simulation.bench import Lint, in_sweep, run_bench, setting
from arith.simulation.streams import wait_clocks
from card.model import commands
from card.model.commands import StatusReply
from card.model.frames import HEADER_BYTES, Frame
from card.rtl.tests.card_bench import CLOCK_PERIOD_NS, STREAM_BYTES, CardBench
from card.sim.build import engine_mask
from engines.equihash.model.frames import (
    equihash_checked_reply, equihash_reply, verify_equihash, verify_equihash_checked,
)
from engines.equihash.model.puzzle import SETS as ALL_SETS
from engines.equihash.rtl.tests.equihash_frames import Cases, flipped, is_checked, message_of

EQUIHASH = engine_mask("equihash")
CORRUPT = 4
INDEX = 0x0123_4567_89AB_CDEF
# (200, 9) and (48, 5).
SETS = 0b1001
LANES, STAGES = 4, 2


async def bench(dut: Any, name: str, pause: float = 0.1) -> tuple[CardBench, Cases]:
    card = await CardBench.begin(dut, name, pause)
    return card, Cases(card.rng, SETS)


def case(cases: Cases, index: int) -> tuple[Frame, Frame]:
    """A request, and its expected reply."""
    frame, reply = cases.next(index)
    message, mask = message_of(frame), reply[2]
    if is_checked(frame):
        return (verify_equihash_checked(index, message),
                equihash_checked_reply(index, mask))
    return verify_equihash(index, message), equihash_reply(index, mask)


def index_of(reply: Frame) -> int:
    return int.from_bytes(reply.payload[:8], "little")


async def ask_for(card: CardBench, cases: Cases, index: int) -> None:
    """A solution must be answered, and nothing else may come."""
    frame, reply = case(cases, index)
    assert await card.ask(frame) == reply


@cocotb.test()
async def solutions_among_other_frames(dut: Any) -> None:
    card, cases = await bench(dut, "mixed")
    expected, ignored, reads, corrupt = [], [], 0, 0
    always = card.rng.randrange(40)  # a frame to be ignored follows this one
    for index in range(40):
        frame, reply = case(cases, index)
        card.send(frame)
        expected.append(reply)
        if card.rng.random() < 0.2:
            whole = cases.checked(index, card.rng.choice(cases.sets))[0]
            harmed = flipped(whole, card.rng.randrange(8 * len(whole) - 64, 8 * len(whole)))[0]
            card.send(Frame(int.from_bytes(harmed[4:8], "little"), harmed[8:]))
            expected.append(equihash_checked_reply(index, 0, CORRUPT))
            corrupt += 1
        if index != always and card.rng.random() < 0.3:
            card.send(commands.register_read(4 * reads))
            reads += 1
        elif index == always or card.rng.random() < 0.4:
            bad = cases.bad(index)[0]
            length, code = (int.from_bytes(bad[i:i + 4], "little") for i in (0, 4))
            card.send(Frame(code, bad[8:]))
            ignored.append(commands.ignore_reply(length, code))
    replies = await card.receive(len(expected) + len(ignored) + reads)
    assert [r for r in replies if r.name.startswith("verify_equihash")] == expected
    # (Replies to frames that the decoder ignores overtake those that wait for the engine.)
    assert sorted(r.payload for r in replies if r.name == "fpga_ignore_rpl") == sorted(
        r.payload for r in ignored)
    status = StatusReply.of(await card.ask(commands.get_fpga_status()))
    assert (status.capabilities, status.equihash_sets) == (EQUIHASH, SETS)
    assert status.frames_ignored == len(ignored) > 0
    shape = await card.read("equihash_shape")
    assert shape == 12 * STAGES << 16 | LANES << 8 | SETS
    assert await card.read("engine_errors") == corrupt and int(dut.idle_o.value) == 1


@cocotb.test()
async def a_flipped_bit_never_gives_a_wrong_verdict(dut: Any) -> None:
    """A flip anywhere in a checked request, including its header, which may desynchronize the
    stream: a verdict with the request's index is correct, and the card recovers by itself."""
    card, cases = await bench(dut, "flips", pause=0.0)
    parameters = ALL_SETS[-1]
    whole, reply = cases.checked(INDEX, parameters)
    right = equihash_checked_reply(INDEX, reply[2])
    bits = [*range(8 * HEADER_BYTES), *card.rng.sample(range(8 * HEADER_BYTES, 8 * len(whole)), 60)]
    seen: Counter[str] = Counter()
    for bit in bits:
        for frame in await card.send_flipped(whole, bit):
            seen[frame.name] += 1
            if frame.name.startswith("verify_equihash") and index_of(frame) == INDEX:
                assert frame == equihash_checked_reply(INDEX, 0, CORRUPT)
    assert seen["verify_equihash_checked"] > 40 and seen["fpga_ignore_rpl"] > 50
    card.send(Frame(int.from_bytes(whole[4:8], "little"), whole[8:]))
    assert await card.receive(1) == [right]


@cocotb.test()
async def a_host_that_does_not_read(dut: Any) -> None:
    card, cases = await bench(dut, "stall", pause=0.0)
    card.set_pauses(0.0, 1.0)
    pairs = [case(cases, index) for index in range(30 * int(setting("copies")))]
    for frame, _ in pairs:
        card.send(frame)
    await card.stands_still(12_000, len(pairs))
    assert await card.receive(len(pairs)) == [reply for _, reply in pairs]


@cocotb.test()
async def soft_reset_anywhere(dut: Any) -> None:
    """A reset by register, also within frames: no reply is torn or wrong, and the card works
    again."""
    card, cases = await bench(dut, "soft reset", pause=0.2)
    abandoned = 0
    for number, clocks in enumerate(card.waits(12, (1, 20, 300, 2500, 4000))):
        pairs = [case(cases, 1000 * number + index) for index in range(6)]
        for frame, _ in pairs:
            card.send(frame)
        await wait_clocks(dut.clk_i, clocks)
        before = await card.reset_by_register()
        assert all(reply in [right for _, right in pairs] for reply in before)
        abandoned += len(pairs) - len(before)
        await ask_for(card, cases, 1000 * number + 500)
    assert abandoned > 0


@cocotb.test()
async def hardware_reset_anywhere(dut: Any) -> None:
    card, cases = await bench(dut, "hardware reset", pause=0.1)
    for number in range(6):
        for index in range(5):
            card.send(case(cases, index)[0])
        await wait_clocks(dut.clk_i, card.rng.choice((1, 90, 500, 2500)))
        await card.hardware_reset()
        await ask_for(card, cases, number)


@cocotb.test()
async def copies_share_the_work(dut: Any) -> None:
    """A full card answers a solution of (200, 9) every 513 clocks per copy, in order."""
    card, cases = await bench(dut, "rate", pause=0.0)
    copies, count = int(setting("copies")), 60
    pairs = [cases.checked(index, ALL_SETS[0]) for index in range(count)]
    for frame, _ in pairs:
        card.send(Frame(int.from_bytes(frame[4:8], "little"), frame[8:]))
    first = await card.receive(2 * copies)
    began = cocotb.utils.get_sim_time("ns")
    rest = await card.receive(count - 2 * copies)
    clocks = (cocotb.utils.get_sim_time("ns") - began) / CLOCK_PERIOD_NS / (count - 2 * copies)
    assert [index_of(reply) for reply in first + rest] == list(range(count))
    assert [reply.payload[8] for reply in first + rest] == [reply[2] for _, reply in pairs]
    cocotb.log.info("%.1f clocks a solution with %d copies", clocks, copies)
    # (Less than 513: the first replies wait for the whole pipeline.)
    assert 480 / copies < clocks < 530 / copies


def parameters(stream_bytes: int, copies: int = 1, stages: int = 0) -> dict[str, int]:
    return {"Engines": EQUIHASH, "CrossingStages": stages, "StreamBytes": stream_bytes, "EquihashSets": SETS,
            "EquihashShaLanes": LANES, "EquihashStages": STAGES, "EquihashCopies": copies}


LINTS = [Lint("card_top", parameters(*shape))
         for shape in ((64, 2, 3), *in_sweep([(8, 1, 0), (64, 1, 1), (64, 3, 0)]))]


# Two engines, on another die than the shell. One engine on the narrow stream runs in
# test_memory_flips each time, and on its own in a sweep.
@pytest.mark.parametrize(
    "stream_bytes, copies, stages",
    [(64, 2, 3), *in_sweep([(width, 1, 0) for width in STREAM_BYTES])],
)
def test_card_equihash(stream_bytes: int, copies: int, stages: int) -> None:
    run_bench(__file__, "card_top", parameters(stream_bytes, copies, stages),
              settings={"copies": copies})
