# SPDX-License-Identifier: Apache-2.0 OR MIT
"""stream_arbiter: frames stay complete and in order per input, no input starves, reset within a
frame."""

import cocotb
from arith.rtl.tests.stream_cases import random_frames
from arith.simulation.bench import Lint, random_source, run_bench
from arith.simulation.streams import StreamDriver, StreamMonitor, reset, start
from cocotb.triggers import ClockCycles

INPUTS = 3


def mark(frames: list[list[int]], source: int) -> list[list[int]]:
    """Puts the input's number into the low bits of each word, to detect mixing."""
    return [[word & ~0xF | source for word in frame] for frame in frames]


def check_frames(received: list[list[int]], sent: list[list[list[int]]]) -> None:
    for source in range(INPUTS):
        mine = [frame for frame in received if frame[0] & 0xF == source]
        assert mine == sent[source], f"frames of input {source}"


@cocotb.test()
async def frames_stay_whole(dut):
    rng = random_source("arbiter")
    await start(dut, clear_i=0)
    drivers = [StreamDriver(dut, f"arb{i}", rng) for i in range(INPUTS)]
    monitor = StreamMonitor(dut, "arb", rng)
    sent: list[list[list[int]]] = [[] for _ in range(INPUTS)]
    for pauses in [(0.0, 0.0, 0.0), (0.8, 0.2, 0.5), (0.0, 0.9, 0.0)]:
        for source, pause in enumerate(pauses):
            drivers[source].pause = pause
            frames = mark(random_frames(rng, 40), source)
            sent[source] += frames
            for frame in frames:
                drivers[source].send(frame)
        received = await monitor.wait_frames(sum(map(len, sent)))
        check_frames(received, sent)


@cocotb.test()
async def turns_go_round(dut):
    """With all inputs always waiting, each gets every third frame."""
    rng = random_source("fairness")
    await start(dut, clear_i=0)
    drivers = [StreamDriver(dut, f"arb{i}", rng, pause=0.0) for i in range(INPUTS)]
    monitor = StreamMonitor(dut, "arb", rng, pause=0.4)
    for source, driver in enumerate(drivers):
        for frame in mark(random_frames(rng, 20), source):
            driver.send(frame)
    received = await monitor.wait_frames(20 * INPUTS)
    order = [frame[0] & 0xF for frame in received]
    assert all(len(set(order[i : i + INPUTS])) == INPUTS for i in range(0, 20 * INPUTS, INPUTS))


@cocotb.test()
async def reset_in_mid_frame(dut):
    rng = random_source("arbiter reset")
    await start(dut, clear_i=0)
    drivers = [StreamDriver(dut, f"arb{i}", rng) for i in range(INPUTS)]
    monitor = StreamMonitor(dut, "arb", rng)
    for _ in range(5):
        for source, driver in enumerate(drivers):
            driver.send(mark(random_frames(rng, 1, longest=30), source)[0])
        await ClockCycles(dut.clk_i, rng.randint(3, 30))
        for driver in drivers:
            driver.clear()
        await reset(dut)
        monitor.clear()
        sent = [mark(random_frames(rng, 4), source) for source in range(INPUTS)]
        for frames, driver in zip(sent, drivers, strict=True):
            for frame in frames:
                driver.send(frame)
        check_frames(await monitor.wait_frames(4 * INPUTS), sent)


LINTS = [Lint("stream_arbiter", {"Inputs": inputs}) for inputs in (1, 2, 3)]


def test_stream_arbiter():
    run_bench(__file__, "stream_top", {"Depth": 5})
