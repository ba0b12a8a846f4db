# SPDX-License-Identifier: Apache-2.0 OR MIT
"""equihash_port against the golden model: a real block with flipped bits, every check alone and in
combination, frames with and without a checksum, damaged ones and ones that fit no set, pauses,
resets, and the clocks per solution."""

import random
import struct
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from arith.simulation.bench import Lint, in_sweep, run_bench, setting
from arith.simulation.engines import EngineBench
from arith.simulation.mutate import Mutant
from arith.simulation.sources import sources_of
from arith.simulation.streams import wait_clocks
from arith.simulation.toolchain import BUILD_ROOT
from card.model.frames import beats_of
from card.model.frames import flipped as flip
from engines.equihash.model.cases import block_346
from engines.equihash.model.puzzle import SETS, ZCASH, check
from engines.equihash.rtl.tests.equihash_frames import (
    IGNORE, Cases, every_check_seen, flipped, refusal, request, verdict,
)


# Before this byte, which precedes the solution's length, a flipped bit is reported as corrupt.
FIRST_TAIL_BYTE = 140


def built() -> int:
    return int(setting("built"))


def is_refusal(reply: list[int]) -> bool:
    return reply[0] >> 32 == IGNORE


class Bench(EngineBench):
    """The engine; its replies come in order."""

    def __init__(self, dut: Any, rng: random.Random, pause_in: float, pause_out: float) -> None:
        super().__init__(dut, rng, pause_in, pause_out)
        self.replies: list[list[int]] = []

    def send(self, frame: bytes, reply: list[int]) -> None:
        self.driver.send(beats_of(frame))
        self.replies.append(reply)

    async def finish(self, clocks: int = 100_000) -> None:
        """Checks that all replies came in order, including refusals, and that the engine is
        idle."""
        await self.monitor.wait_frames(len(self.replies), clocks)
        assert self.monitor.frames == self.replies
        await self.becomes_idle()


@cocotb.test()
async def a_real_block(dut: Any) -> None:
    """Block 346 is valid; with any bit flipped it is not, and the reasons are the model's."""
    if not built() & 1:
        return
    bench = await Bench.begin(dut, "block")
    header, solution = block_346()
    for is_checked in (False, True):
        bench.send(request(1 << 63, ZCASH, header, solution, is_checked),
                   verdict(1 << 63, 0, is_checked))
    whole = header + solution
    for index in range(20):
        bit = bench.rng.randrange(8 * len(whole))
        harmed = flip(whole, bit)
        parts = harmed[:140], harmed[140:]
        mask = check(ZCASH, *parts)
        assert mask != 0
        is_checked = index % 2 == 1
        bench.send(request(index, ZCASH, *parts, is_checked), verdict(index, mask, is_checked))
    await bench.finish()


@cocotb.test()
async def every_bit_of_a_checked_request(dut: Any) -> None:
    """A bit flipped after the first beat is reported as corrupt or ignored, whatever the length. In
    the first beat: the form, and each length to which the frame's source may cut the frame."""
    bench = await Bench.begin(dut, "bits")
    cases = Cases(bench.rng, built())
    smallest = min(cases.sets, key=lambda parameters: parameters.n)
    frame, reply = cases.checked(bench.rng.getrandbits(64), smallest)
    bits = range(64, 8 * len(frame))
    if built() == 1:  # (200, 9), whose frames take 513 clocks
        last = 8 * len(frame) - 8 * 10
        bits = sorted({*bench.rng.sample(bits, 60), *range(last, 8 * len(frame), 3)})
    for bit in bits:
        bench.send(*flipped(frame, bit))
    bench.send(frame, reply)
    for bit in (*range(12), 33):
        head = int.from_bytes(frame[:8], "little") ^ 1 << bit
        length = head & 0xFFFF_FFFF
        if length > 8:
            other = (struct.pack("<Q", head) + frame[8:] + bench.rng.randbytes(2100))[:length]
            bench.send(other, refusal(other))
    bench.send(frame, reply)
    await bench.finish(300_000)


@cocotb.test()
async def a_checksum_that_comes_late(dut: Any) -> None:
    """All other results of a solution are known long before its last beat: the verdict waits."""
    bench = await Bench.begin(dut, "late", 0.0, 0.0)
    cases = Cases(bench.rng, built())
    for index in range(6):
        frame, reply = cases.checked(index, bench.rng.choice(cases.sets))
        if index % 2:
            frame, reply = flipped(frame, bench.rng.randrange(64, 8 * FIRST_TAIL_BYTE))
        beats = beats_of(frame)
        bench.driver.send(beats[:-1], is_whole=False)
        seen = len(bench.monitor.frames)
        await wait_clocks(dut.clk_i, 4_000)
        assert len(bench.monitor.frames) == seen
        bench.driver.send(beats[-1:])
        await bench.monitor.wait_frames(seen + 1)
        assert bench.monitor.frames[-1] == reply


@cocotb.test()
async def words_that_come_late(dut: Any) -> None:
    """The header's hash begins before the solution is complete, and waits for each of its words."""
    bench = await Bench.begin(dut, "late words", 0.0, 0.0)
    cases = Cases(bench.rng, built())
    for index in range(30):
        frame, reply = cases.next(index)
        beats, begin, sent = beats_of(frame), 0, 0
        while begin < len(beats):
            # The header, then beats about as fast as they are hashed, then the rest.
            count = 20 if not sent else 1 if sent < 12 else len(beats)
            bench.driver.send(beats[begin:begin + count], is_whole=begin + count >= len(beats))
            begin, sent = begin + count, sent + 1
            await wait_clocks(dut.clk_i, bench.rng.choice((1, 2, bench.rng.randrange(1, 200))))
        bench.replies.append(reply)
    await bench.finish()


@cocotb.test()
@cocotb.parametrize(pauses=[(0.0, 0.0), (0.3, 0.3), (0.9, 0.0)])
async def solutions_of_every_sort(dut: Any, pauses: tuple[float, float]) -> None:
    """Valid, mutated and random solutions of all built sets, among frames that fit no set."""
    bench = await Bench.begin(dut, f"sorts {pauses}", *pauses)
    cases = Cases(bench.rng, built())
    is_full = pauses == (0.0, 0.0)
    count = (60 if is_full else 20) * (1 if built() == 1 else 3)
    for index in range(20 * count):
        # Some checks may not fail by chance for a long time.
        if index >= count and not (is_full and not every_check_seen(cases.seen)):
            break
        bench.send(*cases.next(index + (index << 40)))
        if bench.rng.random() < 0.15:
            bench.send(*cases.harmed(index + (index << 50)))
        while bench.rng.random() < 0.2:
            bench.send(*cases.bad(index))
    await bench.finish(300_000)
    assert not is_full or every_check_seen(cases.seen)


@cocotb.test()
async def a_reader_that_waits(dut: Any) -> None:
    """No reply is taken until the engine stalls; then all replies come."""
    bench = await Bench.begin(dut, "waits", 0.0, 1.0)
    cases = Cases(bench.rng, built())
    for index in range(24):
        bench.send(*cases.next(index))
    await wait_clocks(dut.clk_i, 14_000)
    assert int(dut.req_ready_o.value) == 0, "the engine did not stall"
    bench.monitor.pause = 0.2
    await bench.finish()


@cocotb.test()
async def soft_resets(dut: Any) -> None:
    """At any time: the offered frame is completed, everything else is dropped."""
    bench = await Bench.begin(dut, "soft reset", 0.1, 0.5)
    cases = Cases(bench.rng, built())
    for number in range(12):
        seen = len(bench.monitor.frames)
        expected = []
        for index in range(8):
            sort = bench.rng.choice((cases.next, cases.next, cases.next, cases.harmed))
            frame, reply = sort(1000 * number + index)
            if is_refusal(reply):
                continue
            bench.driver.send(beats_of(frame))
            expected.append(reply)
        await wait_clocks(dut.clk_i, bench.rng.choice((3, 30, 150, 700, 2500, 4000)))
        await bench.soft_reset()
        frames = bench.monitor.frames[seen:]
        assert frames == expected[:len(frames)]
        frame, reply = cases.next(number)
        bench.driver.send(beats_of(frame))
        await bench.monitor.wait_frames(seen + len(frames) + 1)
        assert bench.monitor.frames[-1] == reply


@cocotb.test()
async def hardware_resets(dut: Any) -> None:
    bench = await Bench.begin(dut, "hard reset")
    cases = Cases(bench.rng, built())
    for number in range(6):
        for index in range(5):
            bench.driver.send(beats_of(cases.next(index)[0]))
        await wait_clocks(dut.clk_i, bench.rng.choice((10, 100, 600, 1800, 3000)))
        await bench.hard_reset()
        frame, reply = cases.next(number)
        bench.driver.send(beats_of(frame))
        assert await bench.monitor.wait_frames(1) == [reply]


@cocotb.test()
async def clocks_a_solution(dut: Any) -> None:
    """In steady state, without pauses: each set in turn."""
    bench = await Bench.begin(dut, "clocks")
    # The small sets are limited by their hashes in four lanes, never by the midstate.
    limits = {200: 520, 144: 93, 96: 92, 48: 75}
    for parameters in (p for bit, p in enumerate(SETS) if built() >> bit & 1):
        cases = Cases(bench.rng, 1 << SETS.index(parameters))
        warm, count = 8, 12 if parameters.n == 200 else 40
        seen = len(bench.monitor.frames)
        for index in range(warm + count + 1):
            bench.send(*cases.next(index))
        await bench.monitor.wait_frames(seen + warm)
        clocks = 0
        while len(bench.monitor.frames) < seen + warm + count:
            await RisingEdge(dut.clk_i)
            clocks += 1
        print(f"({parameters.n}, {parameters.k}): {clocks / count:.1f} clocks per solution")
        assert clocks <= limits[parameters.n] * count
        await bench.finish()


# The signals of equihash_port that end the parts of a solution alone, and the most clocks from the
# frame's first beat to the last pulse of each.
PARTS = {
    "accept": 23, "end_valid": 193, "value_valid": 133, "index_valid": 650, "leaf_valid": 755,
    "xor_valid": 795, "duplicates_valid": 1240, "target_valid": 1665,
}


@cocotb.test()
async def the_parts_of_a_solution_alone(dut: Any) -> None:
    """Where the clocks of a solution in an idle engine go: the table of the README."""
    if not built() & 1:
        return
    bench = await Bench.begin(dut, "alone", 0.0, 0.0)
    header, solution = block_346()
    bench.send(request(7, ZCASH, header, solution, True), verdict(7, 0, True))
    clock, begin = 0, None
    last: dict[str, int] = {}
    while not bench.monitor.frames:
        await RisingEdge(dut.clk_i)
        clock += 1
        if begin is None and int(dut.req_valid_i.value):
            begin = clock
        if begin is not None:
            last |= {name: clock - begin for name in PARTS if int(getattr(dut, name).value)}
    print({**last, "reply": clock - (begin or 0)})
    assert all(last[name] <= most for name, most in PARTS.items())
    await bench.finish()


LANE = "equihash_sha_lane"
MUTANTS = [
    Mutant(LANE, "a word is read before it is written", (
        ("complete_q || written_q >", "1'b1 || written_q >"),
    )),
    Mutant(LANE, "a word is read as it is written", (
        ("written_q > read_place_q + 8'd1", "written_q >= read_place_q"),
    )),
    Mutant(LANE, "the words of the message before are taken", (
        ("complete_q <= write_last_i", "complete_q <= complete_q || write_last_i"),
    )),
]


@pytest.mark.parametrize("mutant", in_sweep([*MUTANTS]),
                         ids=lambda mutant: mutant.what.replace(" ", "-"))
def test_a_faulty_engine_is_noticed(mutant: Mutant) -> None:
    files = mutant.sources(sources_of("equihash_port"),
                           BUILD_ROOT / "mutants" / mutant.what.replace(" ", "-"))
    with pytest.raises(AssertionError):
        run_bench(__file__, "equihash_port", {"Sets": 15, "Stages": 2}, sources=files,
                  settings={"built": 15}, optimize="-O0", tests="words_that_come_late")


LINTS = [Lint("equihash_port", {"Sets": sets}) for sets in (1, 15, 8)]


# "All sets" includes Zcash's.
@pytest.mark.parametrize("sets", [15, *in_sweep([1])])
def test_equihash_engine(sets: int) -> None:
    stages = 2 if sets == 1 else 8
    run_bench(__file__, "equihash_port", {"Sets": sets, "Stages": stages},
              settings={"built": sets}, visible={"equihash_port": " ".join(PARTS)})
