# SPDX-License-Identifier: Apache-2.0 OR MIT
"""packet_coalescer: the beats in order, packets that are full or end with a pause; and
interrupt_request behind it: one request for each packet or for several."""

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from arith.simulation.bench import Lint, in_sweep, random_source, run_bench, setting
from arith.simulation.streams import StreamDriver, StreamMonitor, reset, start


class Bench:
    def __init__(self, dut, name, pause_in, pause_out):
        self.dut, self.rng = dut, random_source(name)
        self.beats, self.idle = int(setting("beats")), int(setting("idle"))
        self.driver = StreamDriver(dut, "in", self.rng, pause_in)
        self.monitor = StreamMonitor(dut, "out", self.rng, pause_out)
        self.sent = []

    def send(self, count):
        words = [self.rng.getrandbits(32) for _ in range(count)]
        self.sent += words
        self.driver.send(words)

    async def check(self, clocks=100_000):
        """All beats have come, in order, in packets of the right sizes."""
        for _ in range(clocks):
            if len(self.monitor.beats) == len(self.sent) and self.monitor.beats[-1:][0][1]:
                break
            await RisingEdge(self.dut.clk_i)
        assert [word for word, _ in self.monitor.beats] == self.sent
        assert sum(map(len, self.monitor.frames)) == len(self.sent), "the last packet has no end"
        assert all(len(packet) <= self.beats for packet in self.monitor.frames)


@cocotb.test()
async def beats_without_pauses_fill_packets(dut):
    await start(dut)
    bench = Bench(dut, "full", 0.0, 0.0)
    # A multiple of the packet's length ends without a further pause.
    for count in (1, bench.beats, 2 * bench.beats, 3 * bench.beats + 1):
        before = len(bench.monitor.frames)
        bench.send(count)
        await bench.check()
        sizes = [len(packet) for packet in bench.monitor.frames[before:]]
        full, rest = divmod(count, bench.beats)
        assert sizes == [bench.beats] * full + [rest] * bool(rest)


@cocotb.test()
async def a_pause_ends_a_packet(dut):
    await start(dut)
    bench = Bench(dut, "pauses", 0.0, 0.0)
    for _ in range(200):
        bench.send(bench.rng.randrange(1, 2 * bench.beats + 2))
        await bench.driver.drained()
        await ClockCycles(dut.clk_i, bench.rng.randrange(1, 2 * bench.idle + 8))
    await bench.check()
    # An accepted beat leaves within the pause and three registers.
    bench.send(1)
    await bench.driver.drained()
    await ClockCycles(dut.clk_i, bench.idle + 3)
    await ReadOnly()
    assert len(bench.monitor.beats) == len(bench.sent)


@cocotb.test()
async def back_pressure_and_random_pauses(dut):
    await start(dut)
    bench = Bench(dut, "random", 0.0, 0.0)
    for bench.driver.pause in (0.0, 0.3, 0.8):
        for bench.monitor.pause in (0.0, 0.3, 0.9):
            bench.send(500)
            await bench.check()


@cocotb.test()
async def resets_in_the_middle_of_packets(dut):
    await start(dut)
    bench = Bench(dut, "reset", 0.2, 0.2)
    for _ in range(40):
        bench.send(bench.rng.randrange(1, 40))
        await ClockCycles(dut.clk_i, bench.rng.randrange(1, 60))
        bench.driver.clear()
        bench.monitor.clear()
        await reset(dut)
        bench.sent = []
        bench.send(bench.beats + 1)
        await bench.check()
        bench.monitor.clear()
        bench.sent = []


@cocotb.test()
async def packets_raise_interrupts(dut):
    await start(dut, acknowledge_i=0)
    bench = Bench(dut, "interrupts", 0.0, 1.0)
    hold = int(setting("hold"))
    for delay in (0, 1, 7):
        # Nothing is read: the packet's begin alone raises the request.
        bench.send(1)
        await RisingEdge(dut.request_o)
        await ClockCycles(dut.clk_i, 40 + delay)
        await ReadOnly()
        assert int(dut.request_o.value), "a request stays until it is acknowledged"
        await RisingEdge(dut.clk_i)
        dut.acknowledge_i.value = 1
        await RisingEdge(dut.clk_i)
        dut.acknowledge_i.value = 0
        held = 0
        while True:
            await ReadOnly()
            if not int(dut.request_o.value):
                break
            held += 1
            await RisingEdge(dut.clk_i)
        assert hold <= held <= hold + 3
        await RisingEdge(dut.clk_i)
        bench.monitor.pause = 0.0
        await bench.check()
        await ClockCycles(dut.clk_i, 20)
        await ReadOnly()
        assert not int(dut.request_o.value), "one packet, one request"
        await RisingEdge(dut.clk_i)
        bench.monitor.pause = 1.0


LINTS = [Lint("packet_coalescer"), Lint("idle_beat"), Lint("interrupt_request"), Lint("packet_coalescer_top")]


@pytest.mark.parametrize("beats, idle", [(5, 9), *in_sweep([(64, 256), (2, 1), (1, 3)])])
def test_packet_coalescer(beats, idle):
    run_bench(__file__, "packet_coalescer_top",
              {"DataWidth": 32, "PacketBeats": beats, "IdleClocks": idle, "HoldClocks": 12},
              settings={"beats": beats, "idle": idle, "hold": 12})
