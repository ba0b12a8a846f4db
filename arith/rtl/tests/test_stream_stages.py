# SPDX-License-Identifier: Apache-2.0 OR MIT
"""stream_stages: order, full rate, latency, clear and reset during a stream, for several
lengths."""

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from arith.simulation.bench import Lint, random_source, run_bench, setting
from arith.rtl.tests.stream_cases import PAUSES, clear_or_reset
from arith.simulation.streams import StreamDriver, StreamMonitor, start


async def beats(dut, monitor: StreamMonitor, words: list[int], clocks: int) -> None:
    """Exactly these words come out, at most `clocks` clocks later."""
    for _ in range(clocks):
        if len(monitor.beats) >= len(words):
            break
        await RisingEdge(dut.clk_i)
    assert [word for word, _ in monitor.beats] == words


async def streams(dut, name: str, pause_in: float, pause_out: float):
    rng = random_source(f"{name} {setting('stages')}")
    await start(dut, clear_i=0)
    return (rng, StreamDriver(dut, "in", rng, pause_in), StreamMonitor(dut, "out", rng, pause_out))


@cocotb.test()
async def order_is_kept(dut):
    rng, driver, monitor = await streams(dut, "order", 0.0, 0.0)
    sent: list[int] = []
    for driver.pause, monitor.pause in [*PAUSES, (0.0, 0.9)]:
        words = [rng.getrandbits(64) for _ in range(300)]
        driver.send(words)
        sent += words
        await beats(dut, monitor, sent, 10_000)
    await ClockCycles(dut.clk_i, 2 * int(setting("stages")) + 4)
    assert int(dut.idle_o.value) == 1


@cocotb.test()
async def one_beat_a_clock(dut):
    rng, driver, monitor = await streams(dut, "rate", 0.0, 0.0)
    words = [rng.getrandbits(64) for _ in range(400)]
    driver.send(words)
    await beats(dut, monitor, words, len(words) + int(setting("stages")) + 4)


@cocotb.test()
async def clear_and_reset_empty_it(dut):
    rng, driver, monitor = await streams(dut, "clear", 0.2, 0.8)
    for by_reset in (False, True, False, True, False):
        driver.send([rng.getrandbits(64) for _ in range(60)])
        await ClockCycles(dut.clk_i, rng.randint(5, 60))
        await clear_or_reset(dut, driver, monitor, by_reset, 2 * int(setting("stages")) + 1)
        words = [rng.getrandbits(64) for _ in range(30)]
        driver.send(words)
        await beats(dut, monitor, words, 2000)


@pytest.mark.parametrize("stages", [1, 2, 5])
def test_stream_stages(stages: int) -> None:
    run_bench(__file__, "stream_stages", {"Stages": stages}, settings={"stages": stages})


LINTS = [Lint("stream_stages", {"DataWidth": 65, "Stages": stages}) for stages in (0, 3)]
