# SPDX-License-Identifier: Apache-2.0 OR MIT
"""stream_async_fifo: order, capacity, latency and rate at many clock ratios and phases, with bits
of the crossing pointers that randomly arrive late (LATE_BITS_MODEL of sync_bits)."""

import random
from typing import Any

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge, Timer

from arith.simulation.bench import Lint, in_sweep, random_source, run_bench, setting
from arith.simulation.mutate import Mutant
from arith.simulation.sources import sources_of
from arith.simulation.streams import StreamDriver, StreamMonitor
from arith.simulation.toolchain import BUILD_ROOT

WIDTH = 32
LATE_BITS = ["+define+LATE_BITS_MODEL"]

# Periods of the input's and the output's clock in picoseconds: equal, 1 to 3.7 either way, and
# nearly equal, so that the phase drifts through a whole period in some hundred clocks.
RATIOS = [(2000, 2000), (2000, 7400), (7400, 2000), (2000, 2006), (2006, 2000), (2000, 4000)]


async def start_clocks(dut: Any, rng: random.Random, periods: tuple[int, int]) -> None:
    """Starts both clocks, each at a random phase, and resets both sides."""
    dut.in_valid_i.value = dut.out_ready_i.value = 0
    dut.in_rst_ni.value = dut.out_rst_ni.value = 0
    for clock, period in zip((dut.in_clk_i, dut.out_clk_i), periods):
        await Timer(rng.randrange(1, 2 * max(periods)), "ps")
        cocotb.start_soon(Clock(clock, period, unit="ps").start())
    await release(dut, rng)


async def release(dut: Any, rng: random.Random) -> None:
    """Releases the two resets in a random order, each after an edge of its clock."""
    sides = [(dut.in_clk_i, dut.in_rst_ni), (dut.out_clk_i, dut.out_rst_ni)]
    rng.shuffle(sides)
    for clock, reset in sides:
        await ClockCycles(clock, rng.randint(2, 4))
        reset.value = 1


def ends(dut: Any, rng: random.Random) -> tuple[StreamDriver, StreamMonitor]:
    return (
        StreamDriver(dut, "in", rng, domain="in"),
        StreamMonitor(dut, "out", rng, domain="out"),
    )


async def arrive(dut: Any, monitor: StreamMonitor, words: list[int], clocks: int) -> None:
    """Waits for the number of beats in `words`, at most `clocks` clocks of the output, and
    compares."""
    for _ in range(clocks):
        if len(monitor.beats) >= len(words):
            break
        await RisingEdge(dut.out_clk_i)
    # Some more clocks, in which a beat that was never sent would come.
    await ClockCycles(dut.out_clk_i, 20)
    assert [data for data, _ in monitor.beats] == words


async def watch_fill(dut: Any, seen: set[str]) -> None:
    """Records whether the input was ever refused ("full")."""
    while True:
        await RisingEdge(dut.in_clk_i)
        await ReadOnly()
        if int(dut.in_valid_i.value) and not int(dut.in_ready_o.value):
            seen.add("full")


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS)
async def order_is_kept(dut: Any, ratio: tuple[int, int]) -> None:
    """Every beat once and in order, for each mix of pauses; full and empty are both reached."""
    rng = random_source(f"order {ratio}")
    await start_clocks(dut, rng, ratio)
    driver, monitor = ends(dut, rng)
    seen: set[str] = set()
    cocotb.start_soon(watch_fill(dut, seen))
    words: list[int] = []
    for pause_in, pause_out in [(0.0, 0.0), (0.8, 0.1), (0.1, 0.8), (0.5, 0.5), (0.0, 0.9)]:
        driver.pause, monitor.pause = pause_in, pause_out
        batch = [rng.getrandbits(WIDTH) for _ in range(400)]
        driver.send(batch)
        words += batch
        await arrive(dut, monitor, words, 20_000)
        assert int(dut.out_valid_o.value) == 0  # drained: empty is reached each time
    assert "full" in seen


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS)
async def reset_in_the_middle(dut: Any, ratio: tuple[int, int]) -> None:
    """A reset of both sides leaves no earlier beat and loses nothing afterwards."""
    rng = random_source(f"reset {ratio}")
    await start_clocks(dut, rng, ratio)
    driver, monitor = ends(dut, rng)
    for _ in range(12):
        driver.pause, monitor.pause = rng.choice((0.0, 0.4)), rng.choice((0.0, 0.4, 0.9))
        driver.send(rng.getrandbits(WIDTH) for _ in range(200))
        await Timer(rng.randrange(1000, 200_000), "ps")
        driver.clear()
        monitor.stop()
        dut.in_rst_ni.value = dut.out_rst_ni.value = 0
        await release(dut, rng)
        monitor.clear()
        words = [rng.getrandbits(WIDTH) for _ in range(60)]
        driver.send(words)
        await arrive(dut, monitor, words, 10_000)


@cocotb.test()
async def holds_depth_beats_and_one(dut: Any) -> None:
    rng, depth = random_source("capacity"), int(setting("depth"))
    await start_clocks(dut, rng, (2000, 3100))
    driver, monitor = ends(dut, rng)
    monitor.stop()
    dut.out_ready_i.value = 0
    driver.pause = 0.0
    words = [rng.getrandbits(WIDTH) for _ in range(depth + 4)]
    driver.send(words)
    await ClockCycles(dut.in_clk_i, 4 * depth + 40)
    assert len(driver._beats) == 3, "Depth beats and one in the output register"
    monitor.clear()
    await arrive(dut, monitor, words, 1000)


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS)
async def rate_of_the_slower_side(dut: Any, ratio: tuple[int, int]) -> None:
    """Without pauses a long run takes one clock of the slower side per beat (from Depth = 8 on)."""
    rng = random_source(f"rate {ratio}")
    await start_clocks(dut, rng, ratio)
    driver, monitor = ends(dut, rng)
    driver.pause = monitor.pause = 0.0
    words = [rng.getrandbits(WIDTH) for _ in range(500)]
    driver.send(words)
    slower = max(ratio)
    # A drifting phase costs the slower side nothing; the start costs the latency.
    limit = (len(words) + 16) * slower // ratio[1] + 16
    await arrive(dut, monitor, words, limit)


@cocotb.test()
@cocotb.parametrize(ratio=RATIOS)
async def latency(dut: Any, ratio: tuple[int, int]) -> None:
    """A beat is offered three to four clocks of the output after the edge at which it was
    accepted."""
    rng = random_source(f"latency {ratio}")
    await start_clocks(dut, rng, ratio)
    dut.out_ready_i.value = 1
    seen = set()
    for _ in range(60):
        await Timer(rng.randrange(1, 3 * max(ratio)), "ps")
        await RisingEdge(dut.in_clk_i)
        word = rng.getrandbits(WIDTH)
        dut.in_valid_i.value, dut.in_data_i.value = 1, word
        await RisingEdge(dut.in_clk_i)
        dut.in_valid_i.value = 0
        clocks = 0
        while True:
            await RisingEdge(dut.out_clk_i)
            await ReadOnly()
            clocks += 1
            if int(dut.out_valid_o.value):
                break
            assert clocks < 10
        assert int(dut.out_data_o.value) == word
        seen.add(clocks)
        await ClockCycles(dut.out_clk_i, 3)
    assert seen <= {3, 4}, seen


BINARY_POINTERS = Mutant(
    "stream_async_fifo", "pointers cross as plain numbers, several bits a step",
    (("return value ^ (value >> 1);", "return value;"),
     ("pointer_t'(3) << (IndexBits - 1)", "pointer_t'(1) << IndexBits")),
)
TORN_READY = Mutant(
    "stream_async_fifo", "one place more than there is",
    (("&& write_gray_q != (read_seen ^ FullPattern)",
      "&& gray(write_q - 1'b1) != (read_seen ^ FullPattern)"),),
)


@pytest.mark.parametrize("depth", [4, 8, *in_sweep([16])])
def test_late_bits(depth: int) -> None:
    run_bench(
        __file__, "stream_async_fifo", {"DataWidth": WIDTH, "Depth": depth},
        options=LATE_BITS, settings={"depth": depth},
        tests="order_is_kept|reset_in_the_middle|holds_depth_beats_and_one",
    )


@pytest.mark.parametrize("depth", [8, *in_sweep([4])])
def test_bits_on_time(depth: int) -> None:
    run_bench(
        __file__, "stream_async_fifo", {"DataWidth": WIDTH, "Depth": depth},
        settings={"depth": depth},
        tests=None if depth >= 8 else "order_is_kept|latency",
    )


@pytest.mark.parametrize("mutant", [BINARY_POINTERS, TORN_READY], ids=["binary", "overfull"])
def test_a_mutant_is_noticed(mutant: Mutant) -> None:
    files = mutant.sources(
        sources_of("stream_async_fifo"), BUILD_ROOT / "mutants" / mutant.what.replace(" ", "-")
    )
    with pytest.raises(AssertionError, match="failed: .*order_is_kept"):
        run_bench(
            __file__, "stream_async_fifo", {"DataWidth": WIDTH, "Depth": 8},
            sources=files, options=LATE_BITS, settings={"depth": 8}, tests="order_is_kept",
        )


def test_binary_pointers_pass_without_late_bits() -> None:
    """The Gray code is needed because of late bits: the benches above do test it."""
    files = BINARY_POINTERS.sources(
        sources_of("stream_async_fifo"), BUILD_ROOT / "mutants" / "binary-without-late-bits"
    )
    run_bench(
        __file__, "stream_async_fifo", {"DataWidth": WIDTH, "Depth": 8}, sources=files,
        settings={"depth": 8}, tests="order_is_kept",
    )


LINTS = [Lint("stream_async_fifo", {"Depth": depth, "DataWidth": 1}) for depth in (4, 64)]
