# SPDX-License-Identifier: Apache-2.0 OR MIT
"""stream_narrow and stream_widen: wide beats to narrow ones and back: order, zeros, full rate,
random back-pressure, clear and reset within a frame."""

import random
from typing import Any

import cocotb
import pytest
from arith.rtl.tests.stream_cases import PAUSES, clear_or_reset
from arith.simulation.bench import Lint, in_sweep, random_source, run_bench, setting
from arith.simulation.streams import StreamDriver, StreamMonitor, start
from card.model.frames import beats_of
from cocotb.triggers import ClockCycles

NARROW_BYTES = 8
Beats = list[int]


def frames(rng: random.Random, count: int) -> list[tuple[Beats, Beats, int]]:
    """Input frames, expected output frames, and their narrow beats. Among 150 frames is every
    length up to two wide beats and a byte, and longer ones."""
    wide_bytes = int(setting("wide_bytes"))
    lengths = [*range(4, 2 * wide_bytes + 2)] if count >= 150 else []
    lengths += [rng.randrange(4, 12 * wide_bytes) for _ in range(count - len(lengths))]
    rng.shuffle(lengths)
    return [_frame(rng, wide_bytes, length) for length in lengths]


def _frame(rng: random.Random, wide_bytes: int, length: int) -> tuple[Beats, Beats, int]:
    # After the end, the last narrow beat keeps its incoming bytes; after that beat, the bytes are
    # arbitrary (in) or zeros (out).
    filled = length.to_bytes(4, "little") + rng.randbytes(length - 4 + -length % NARROW_BYTES)
    narrow = beats_of(filled, NARROW_BYTES)
    if setting("module") == "stream_widen":
        return narrow, beats_of(filled, wide_bytes), len(narrow)
    rest = rng.randbytes(-len(filled) % wide_bytes)
    return beats_of(filled + rest, wide_bytes), narrow, len(narrow)


async def begin(
    dut: Any, name: str, pause_in: float = 0.0, pause_out: float = 0.0
) -> tuple[random.Random, StreamDriver, StreamMonitor]:
    rng = random_source(name)
    await start(dut, clear_i=0, in_valid_i=0, out_ready_i=0)
    return rng, StreamDriver(dut, "in", rng, pause_in), StreamMonitor(dut, "out", rng, pause_out)


@cocotb.test()
async def order_is_kept(dut):
    """Every frame comes out complete, in order, in beats of the other width, for each mix of
    pauses."""
    rng, driver, monitor = await begin(dut, "order")
    expected: list[Beats] = []
    for driver.pause, monitor.pause in PAUSES:
        for given, frame, _ in frames(rng, 150):
            driver.send(given)
            expected.append(frame)
        assert await monitor.wait_frames(len(expected)) == expected


@cocotb.test()
async def one_narrow_beat_a_clock(dut):
    """Without pauses one narrow beat passes per clock, also from frame to frame."""
    rng, driver, monitor = await begin(dut, "rate")
    sent = frames(rng, 160)
    for given, _, _ in sent:
        driver.send(given)
    clocks = sum(count for _, _, count in sent) + 6
    assert await monitor.wait_frames(len(sent), clocks) == [frame for _, frame, _ in sent]


@cocotb.test()
async def clear_and_reset_begin_anew(dut):
    """After clear_i, and after a reset, the next beat begins a frame, wherever the last one was."""
    rng, driver, monitor = await begin(dut, "restart", 0.2, 0.5)
    for by_reset in (False, True) * 12:
        for given, _, _ in frames(rng, 20):
            driver.send(given)
        await ClockCycles(dut.clk_i, rng.randint(3, 80))
        await clear_or_reset(dut, driver, monitor, by_reset)
        sent = frames(rng, 5)
        for given, _, _ in sent:
            driver.send(given)
        assert await monitor.wait_frames(len(sent)) == [frame for _, frame, _ in sent]


MODULES = ("stream_narrow", "stream_widen")
LINTS = [Lint(module, {"WideBytes": width, "NarrowBytes": NARROW_BYTES})
         for module in MODULES for width in (8, 16, 64)]


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("wide_bytes", [8, 64, *in_sweep([16])])
def test_stream_widths(module: str, wide_bytes: int):
    run_bench(__file__, module, {"WideBytes": wide_bytes, "NarrowBytes": NARROW_BYTES},
              settings={"wide_bytes": wide_bytes, "module": module})
