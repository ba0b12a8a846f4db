# SPDX-License-Identifier: Apache-2.0 OR MIT
"""reply_path: complete frames, each source's in order; a flush drops only ignore replies."""

import cocotb
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from arith.simulation.bench import Lint, random_source, run_bench
from arith.simulation.streams import StreamDriver, StreamMonitor, start
from card.model.frames import IGNORE_CODE, Frame, beats_of

ENGINES = 3
SOURCES = (*(f"engine{i}" for i in range(ENGINES)), "control")
IGNORE_HEADER = beats_of(Frame(IGNORE_CODE, bytes(8)).encode())[0]


def frame(source, number, length):
    """The beats of an engine or the control engine: source, frame, beat."""
    return [source + 1 << 48 | number << 8 | place for place in range(length)]


def source_of(beats):
    return "ignored" if beats[0] == IGNORE_HEADER else SOURCES[(beats[0] >> 48) - 1]


def by_source(frames):
    sorted_frames = {name: [] for name in (*SOURCES, "ignored")}
    for beats in frames:
        sorted_frames[source_of(beats)].append(beats)
    return sorted_frames


class Bench:
    def __init__(self, dut, rng, pause_in, pause_out):
        self.rng = rng
        self.drivers = {
            name: StreamDriver(dut, name, rng, pause_in) for name in (*SOURCES, "ignored")
        }
        self.monitor = StreamMonitor(dut, "out", rng, pause_out)
        self.sent = {name: [] for name in self.drivers}
        self.number = 0

    def send_random(self, count):
        for _ in range(count):
            self.number += 1
            name = self.rng.choice(list(self.drivers))
            if name == "ignored":
                self.drivers[name].send([self.number])
                self.sent[name].append([IGNORE_HEADER, self.number])
            else:
                beats = frame(SOURCES.index(name), self.number, self.rng.randrange(1, 9))
                self.drivers[name].send(beats)
                self.sent[name].append(beats)


@cocotb.test()
async def nothing_is_lost(dut):
    await start(dut, flush_i=0)
    bench = Bench(dut, random_source("order"), 0.0, 0.0)
    total = 0
    for pause_in, bench.monitor.pause in ((0.0, 0.0), (0.0, 0.7), (0.7, 0.0), (0.4, 0.4)):
        for driver in bench.drivers.values():
            driver.pause = pause_in
        bench.send_random(300)
        total += 300
        assert by_source(await bench.monitor.wait_frames(total)) == bench.sent
        await RisingEdge(dut.clk_i)
        assert int(dut.drained_o.value) == 1


@cocotb.test()
async def everything_waits_while_replies_are_not_taken(dut):
    await start(dut, flush_i=0)
    bench = Bench(dut, random_source("stall"), 0.0, 1.0)
    bench.send_random(200)
    await ClockCycles(dut.clk_i, 1000)
    assert bench.monitor.frames == []
    bench.monitor.pause = 0.0
    assert by_source(await bench.monitor.wait_frames(200)) == bench.sent


@cocotb.test()
async def flush_drops_ignore_replies_whole(dut):
    """Engines and the control engine drop their own frames, so all of these arrive."""
    await start(dut, flush_i=0)
    rng = random_source("flush")
    bench = Bench(dut, rng, 0.2, 0.5)
    for _ in range(60):
        bench.send_random(20)
        await ClockCycles(dut.clk_i, rng.randrange(1, 60))
        # The decoder is not reset: a header that is offered stays offered.
        dut.flush_i.value = 1
        await ClockCycles(dut.clk_i, rng.randrange(1, 17))
        dut.flush_i.value = 0
    for driver in bench.drivers.values():
        await driver.drained()
    for _ in range(10_000):
        await RisingEdge(dut.clk_i)
        await ReadOnly()
        if int(dut.drained_o.value) and not int(dut.out_valid_o.value):
            break
        await RisingEdge(dut.clk_i)
    seen = by_source(bench.monitor.frames)
    assert len(bench.monitor.beats) == sum(map(len, bench.monitor.frames))
    for name in SOURCES:
        assert seen[name] == bench.sent[name]
    numbers = [number for _, number in seen["ignored"]]
    sent = [number for _, number in bench.sent["ignored"]]
    assert numbers == [n for n in sent if n in set(numbers)], "order"
    assert 0 < len(numbers) < len(sent)


LINTS = [Lint("reply_path_top")]


def test_reply_path():
    run_bench(__file__, "reply_path_top")
