# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compares secp256k1_port with the golden model: edge cases and random signatures, with and without
a checksum, among harmed frames and frames of a wrong length, pauses on both sides, readers that
wait, resets, and two cores at once."""

import random
import struct
from typing import Any

import cocotb
import pytest

from arith.simulation.bench import Lint, in_sweep, run_bench, setting
from arith.simulation.engines import EngineBench
from arith.simulation.streams import wait_clocks
from card.model.frames import beats_of, flipped
from engines.secp256k1.model.curve import P
from engines.secp256k1.model.ecdsa import Signature
from engines.secp256k1.model.tests.edge_cases import Case, all_cases, random_case
from engines.secp256k1.rtl.tests.secp256k1_frames import (
    IGNORE, REPLY, REPLY_CHECKED, checksum, corrupt, mask_of, of_length, refusal, request,
    short_case,
)

MODULE = "secp256k1_port"
CORE_CLOCKS, DIVISION_CLOCKS = 8_341, 1_534
"""The clocks of a signature in an idle core, and the maximum of a division (rtl/README.md)."""
CLOCKS_ALONE = CORE_CLOCKS + DIVISION_CLOCKS
MOST_CYCLES_ALONE = 20_000


def wrong(case: Case) -> Case:
    """Returns a valid signature with another digest."""
    name, signature, key = case
    return f"{name}, wrong", Signature(signature.r, signature.s, signature.digest ^ 2), key


class Bench(EngineBench):
    """The engine; its replies come in any order, each with its index."""

    def __init__(self, dut: Any, rng: random.Random, pause_in: float, pause_out: float) -> None:
        super().__init__(dut, rng, pause_in, pause_out)
        self.masks: dict[int, tuple[str, int, bool]] = {}
        self.refusals: list[list[int]] = []
        self.corrupt: list[list[int]] = []

    def send(self, case: Case) -> int:
        index = self.rng.getrandbits(64)
        is_checked = self.rng.random() < 0.5
        self.masks[index] = case[0], mask_of(case), is_checked
        self.driver.send(beats_of(request(index, *case[1:], is_checked)))
        return index

    def send_flipped(self, frame: bytes, bit: int) -> None:
        """Sends a checked frame with a bit flipped after its first beat."""
        harmed = flipped(frame, bit)
        self.driver.send(beats_of(harmed))
        self.corrupt.append(corrupt(int.from_bytes(harmed[8:16], "little")))

    def send_harmed(self) -> None:
        frame = request(self.rng.getrandbits(64), *random_case(self.rng)[1:], is_checked=True)
        self.send_flipped(frame, self.rng.randrange(64, 8 * len(frame)))

    def send_wrong_length(self) -> None:
        _, signature, key = random_case(self.rng)
        is_checked = self.rng.random() < 0.5
        self.send_refused(
            of_length(self.rng, request(self.rng.getrandbits(64), signature, key, is_checked)))

    def send_refused(self, frame: bytes) -> None:
        self.driver.send(beats_of(frame))
        self.refusals.append(refusal(frame))

    def judge(self, frame: list[int]) -> int:
        """Checks a verdict, whose index must be awaited; returns its cycles."""
        head, index, verdict = frame[:3]
        name, mask, is_checked = self.masks.pop(index)
        if is_checked:
            assert head == REPLY_CHECKED << 32 | 32 and frame[3:] == [checksum(frame[:3])], name
        else:
            assert head == REPLY << 32 | 24 and len(frame) == 3, name
        assert verdict & 0xFFFF == mask and verdict >> 32 == 0, f"{name}: {verdict:#x}, not {mask}"
        return verdict >> 16

    async def finish(self, clocks: int = 900_000) -> list[int]:
        """Waits until all replies have come, the ignored frames in order, and the engine is idle.
        Returns their cycles."""
        count = len(self.masks) + len(self.refusals) + len(self.corrupt)
        frames = await self.monitor.wait_frames(count, clocks)
        assert [frame for frame in frames if frame[0] >> 32 == IGNORE] == self.refusals
        assert [frame for frame in frames if frame in self.corrupt] == self.corrupt
        cycles = [self.judge(frame) for frame in frames
                  if frame[0] >> 32 != IGNORE and frame not in self.corrupt]
        assert not self.masks
        self.monitor.clear()
        self.refusals.clear()
        self.corrupt.clear()
        await self.becomes_idle()
        return cycles


@cocotb.test()
async def edge_cases_among_wrong_lengths(dut: Any) -> None:
    """Requests of every kind, with pauses, in any order."""
    bench = await Bench.begin(dut, "edges", 0.2, 0.3)
    cases = all_cases(bench.rng.getrandbits(32))
    early = [case for case in cases if case[0].startswith(("r = 0x0", "s = 0x0", "bad key"))]
    late = [case for case in cases if case[0].startswith("infinity")][:1]
    chosen = early + late + bench.rng.sample(cases, 8) + [wrong(random_case(bench.rng))]
    bench.rng.shuffle(chosen)
    for case in chosen:
        if bench.rng.random() < 0.5:
            bench.send_wrong_length()
        if bench.rng.random() < 0.3:
            bench.send_harmed()
        bench.send(case)
    bench.send_wrong_length()
    assert len({mask for _, mask, _ in bench.masks.values()}) >= 5
    await bench.finish()


@cocotb.test()
async def every_bit_of_a_checked_request(dut: Any) -> None:
    """A bit flipped after the first beat is reported as corrupt. In the first beat, flips change
    the form, and the length to every value that the frame's source may cut it to."""
    bench = await Bench.begin(dut, "bits")
    frame = request(bench.rng.getrandbits(64), *random_case(bench.rng)[1:], is_checked=True)
    for bit in range(64, 8 * len(frame)):
        bench.send_flipped(frame, bit)
    for bit in (*range(12), 33):
        head = int.from_bytes(frame[:8], "little") ^ 1 << bit
        other = struct.pack("<Q", head) + frame[8:] + bench.rng.randbytes(4096)
        bench.send_refused(other[:head & 0xFFFF_FFFF])
    bench.send(short_case(bench.rng))
    await bench.finish()


@cocotb.test()
async def every_core_works(dut: Any) -> None:
    """One random signature per core: all take the time of one."""
    bench, cores = await Bench.begin(dut, "cores"), int(setting("cores"))
    for number in range(cores):
        case = random_case(bench.rng)
        bench.send(wrong(case) if number % 2 else case)
    cycles = await bench.finish(CLOCKS_ALONE + 50 * cores + 100)
    assert len(cycles) == cores and all(CORE_CLOCKS < c <= MOST_CYCLES_ALONE for c in cycles)


@cocotb.test()
async def cycles_of_short_checks(dut: Any) -> None:
    """Cycles are counted from the request's start, and a request alone in the engine does not
    wait."""
    bench = await Bench.begin(dut, "cycles")
    _, signature, (x, _) = random_case(bench.rng)
    for _ in range(4):
        bench.send(("y", signature, (x, bench.rng.randrange(P, 1 << 256))))
        cycles, = await bench.finish(60)
        assert 8 <= cycles <= 16


@cocotb.test()
async def a_reader_that_waits(dut: Any) -> None:
    """Nobody takes replies until the engine stops; then all come."""
    bench = await Bench.begin(dut, "waits", 0.0, 1.0)
    count = 30 * int(setting("cores"))
    for number in range(count):
        bench.send(short_case(bench.rng))
        if number % 5 == 0:
            bench.send_wrong_length()
        if number % 4 == 0:
            bench.send_harmed()
    await wait_clocks(dut.clk_i, 8_000)
    assert int(dut.req_ready_o.value) == 0, "the engine did not stop"
    await wait_clocks(dut.clk_i, 500)
    assert int(dut.req_ready_o.value) == 0 and not bench.monitor.frames
    bench.monitor.pause = 0.2
    await bench.finish()


@cocotb.test()
async def soft_resets(dut: Any) -> None:
    """A soft reset at any time: the frame being offered is completed, everything else is
    discarded."""
    bench = await Bench.begin(dut, "soft reset", 0.1, 0.5)
    forgotten = 0
    for _ in range(20):
        for _ in range(8):
            bench.send(bench.rng.choice((random_case, short_case, short_case))(bench.rng))
            if bench.rng.random() < 0.3:
                bench.send_harmed()
        await wait_clocks(dut.clk_i, bench.rng.choice((3, 30, 150, 700, 2_500, 6_000)))
        await bench.soft_reset()
        for frame in bench.monitor.frames:
            if frame not in bench.corrupt:
                bench.judge(frame)
        bench.monitor.clear()
        bench.corrupt.clear()
        forgotten += len(bench.masks)
        bench.masks.clear()
        bench.send(short_case(bench.rng))
        await bench.finish(5_000)
    assert forgotten > 20
    bench.send(random_case(bench.rng))
    await bench.finish(2 * CLOCKS_ALONE)


@cocotb.test()
async def hardware_resets(dut: Any) -> None:
    bench = await Bench.begin(dut, "hard reset")
    for _ in range(6):
        for _ in range(5):
            bench.send(bench.rng.choice((random_case, short_case))(bench.rng))
        await wait_clocks(dut.clk_i, bench.rng.choice((10, 100, 600, 1_800, 3_000)))
        await bench.hard_reset()
        bench.masks.clear()
        bench.send(short_case(bench.rng))
        await bench.finish(5_000)


LINTS = [Lint(MODULE, {"Cores": cores}) for cores in (1, 3)]


# The card with this engine has one core.
@pytest.mark.parametrize("cores, contexts", [(2, 2), *in_sweep([(1, 4)])])
def test_secp256k1_engine(cores: int, contexts: int) -> None:
    run_bench(__file__, MODULE, {"Cores": cores, "Contexts": contexts},
              settings={"cores": cores})
