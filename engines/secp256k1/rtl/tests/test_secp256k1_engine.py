# SPDX-License-Identifier: Apache-2.0 OR MIT
"""secp256k1_engine against the golden model: edge cases and random signatures among frames of a
wrong length, pauses on both sides, readers that wait, resets, and two cores at once."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from arith.simulation.bench import lint_bench, random_source, run_bench, setting
from arith.simulation.streams import StreamDriver, StreamMonitor, reset, start
from engines.secp256k1.model.curve import P
from engines.secp256k1.model.ecdsa import Signature
from engines.secp256k1.model.tests.edge_cases import Case, all_cases, random_case
from engines.secp256k1.rtl.tests.secp256k1_frames import (
    REPLY, mask_of, of_length, refusal, request, short_case, to_beats,
)

MODULE = "secp256k1_engine"
CLOCKS_ALONE = 80_294 + 1_045
"""Of a signature in the scalar unit and an idle core (rtl/README.md)."""
MOST_CYCLES = 65_535


def wrong(case: Case) -> Case:
    """A valid signature with another digest."""
    name, signature, key = case
    return f"{name}, wrong", Signature(signature.r, signature.s, signature.digest ^ 2), key


class Bench:
    """The engine between a driver and a monitor; replies come in any order, each with its index."""

    def __init__(self, dut: Any, rng: random.Random, pause_in: float, pause_out: float) -> None:
        self.dut, self.rng = dut, rng
        self.driver = StreamDriver(dut, "req", rng, pause_in)
        self.monitor = StreamMonitor(dut, "rpl", rng, pause_out)
        self.masks: dict[int, tuple[str, int]] = {}
        self.refusals: list[list[int]] = []

    def send(self, case: Case) -> int:
        index = self.rng.getrandbits(64)
        self.masks[index] = case[0], mask_of(case)
        self.driver.send(to_beats(request(index, *case[1:])))
        return index

    def send_wrong_length(self) -> None:
        _, signature, key = random_case(self.rng)
        frame = of_length(self.rng, request(self.rng.getrandbits(64), signature, key))
        self.driver.send(to_beats(frame))
        self.refusals.append(refusal(frame))

    def judge(self, frame: list[int]) -> int:
        """A verdict's index, which must be one that is waited for; returns its cycles."""
        head, index, verdict = frame
        name, mask = self.masks.pop(index)
        assert head == REPLY << 32 | 24, name
        assert verdict & 0xFFFF == mask and verdict >> 32 == 0, f"{name}: {verdict:#x}, not {mask}"
        return verdict >> 16

    async def finish(self, clocks: int = 900_000) -> list[int]:
        """All replies have come, the ignored frames in order; the engine is idle. Their cycles."""
        frames = await self.monitor.wait_frames(len(self.masks) + len(self.refusals), clocks)
        cycles = [self.judge(frame) for frame in frames if len(frame) == 3]
        assert [frame for frame in frames if len(frame) == 2] == self.refusals
        assert not self.masks
        self.monitor.clear()
        self.refusals.clear()
        await RisingEdge(self.dut.clk_i)
        await ReadOnly()
        assert int(self.dut.idle_o.value) == 1 and int(self.dut.rpl_valid_o.value) == 0
        await RisingEdge(self.dut.clk_i)
        return cycles


async def _start(dut: Any, name: str, pause_in: float = 0.0, pause_out: float = 0.0) -> Bench:
    await start(dut, soft_reset_i=0, req_valid_i=0, req_data_i=0, req_last_i=0, rpl_ready_i=0)
    assert int(dut.idle_o.value) == 1
    return Bench(dut, random_source(name), pause_in, pause_out)


@cocotb.test()
async def edge_cases_among_wrong_lengths(dut: Any) -> None:
    """Of every sort, with pauses, in any order."""
    bench = await _start(dut, "edges", 0.2, 0.3)
    cases = all_cases(bench.rng.getrandbits(32))
    early = [case for case in cases if case[0].startswith(("r = 0x0", "s = 0x0", "bad key"))]
    late = [case for case in cases if case[0].startswith("infinity")][:1]
    chosen = early + late + bench.rng.sample(cases, 8) + [wrong(random_case(bench.rng))]
    bench.rng.shuffle(chosen)
    for case in chosen:
        if bench.rng.random() < 0.5:
            bench.send_wrong_length()
        bench.send(case)
    bench.send_wrong_length()
    assert len({mask for _, mask in bench.masks.values()}) >= 5
    await bench.finish()


@cocotb.test()
async def every_core_works(dut: Any) -> None:
    """As many random signatures as there are cores pass in the time of one."""
    bench, cores = await _start(dut, "cores"), int(setting("cores"))
    for number in range(cores):
        case = random_case(bench.rng)
        bench.send(wrong(case) if number % 2 else case)
    cycles = await bench.finish(CLOCKS_ALONE + 50 * cores + 1_100)
    assert cycles == cores * [MOST_CYCLES]


@cocotb.test()
async def cycles_of_short_checks(dut: Any) -> None:
    """They are counted from the request's start, and those alone in the engine do not wait."""
    bench = await _start(dut, "cycles")
    _, signature, (x, _) = random_case(bench.rng)
    for _ in range(4):
        bench.send(("y", signature, (x, bench.rng.randrange(P, 1 << 256))))
        cycles, = await bench.finish(60)
        assert 8 <= cycles <= 16


@cocotb.test()
async def a_reader_that_waits(dut: Any) -> None:
    """Nobody takes replies until the engine stands still; then all come."""
    bench = await _start(dut, "waits", 0.0, 1.0)
    count = 30 * int(setting("cores"))
    for number in range(count):
        bench.send(short_case(bench.rng))
        if number % 5 == 0:
            bench.send_wrong_length()
    await ClockCycles(dut.clk_i, 8_000)
    assert int(dut.req_ready_o.value) == 0, "it did not stand still"
    await ClockCycles(dut.clk_i, 500)
    assert int(dut.req_ready_o.value) == 0 and not bench.monitor.frames
    bench.monitor.pause = 0.2
    await bench.finish()


@cocotb.test()
async def soft_resets(dut: Any) -> None:
    """At any time: the frame that is offered is finished whole, all else forgotten."""
    bench = await _start(dut, "soft reset", 0.1, 0.5)
    forgotten = 0
    for _ in range(20):
        for _ in range(8):
            bench.send(bench.rng.choice((random_case, short_case, short_case))(bench.rng))
        await ClockCycles(dut.clk_i, bench.rng.choice((3, 30, 150, 700, 2_500, 6_000)))
        # The source begins anew with the reset, as the card's router does.
        bench.driver.clear()
        dut.soft_reset_i.value = 1
        await ClockCycles(dut.clk_i, bench.rng.randint(1, 5))
        dut.soft_reset_i.value = 0
        await ClockCycles(dut.clk_i, 60)
        assert int(dut.idle_o.value) == 1
        for frame in bench.monitor.frames:
            bench.judge(frame)
        bench.monitor.clear()
        forgotten += len(bench.masks)
        bench.masks.clear()
        bench.send(short_case(bench.rng))
        await bench.finish(5_000)
    assert forgotten > 20
    bench.send(random_case(bench.rng))
    await bench.finish(2 * CLOCKS_ALONE)


@cocotb.test()
async def hardware_resets(dut: Any) -> None:
    bench = await _start(dut, "hard reset")
    for _ in range(6):
        for _ in range(5):
            bench.send(bench.rng.choice((random_case, short_case))(bench.rng))
        await ClockCycles(dut.clk_i, bench.rng.choice((10, 100, 600, 1_800, 3_000)))
        bench.driver.clear()
        bench.monitor.stop()
        await reset(dut)
        bench.monitor.clear()
        bench.masks.clear()
        bench.send(short_case(bench.rng))
        await bench.finish(5_000)


@pytest.mark.parametrize("cores", [1, 3])
def test_lint(cores: int) -> None:
    lint_bench(MODULE, {"Cores": cores})


@pytest.mark.parametrize("cores, contexts", [(1, 4), (2, 2)])
def test_secp256k1_engine(cores: int, contexts: int) -> None:
    run_bench(__file__, MODULE, {"Cores": cores, "Contexts": contexts},
              settings={"cores": cores})
