# SPDX-License-Identifier: Apache-2.0 OR MIT
"""frame_decoder compared with the reference decoder of card/model, on good, bad and random
streams."""

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from arith.simulation.bench import Lint, in_sweep, random_source, run_bench
from arith.simulation.streams import StreamDriver, StreamMonitor, reset, start
from card.model.commands import reset_fpga
from card.model.frames import MAX_FRAME_BYTES, SPEC, Ignored, Taken, beats_of, decode
from card.rtl.tests.streams_of_frames import EDGE_LENGTHS, random_stream

STREAM_WIDTHS = (8, 32, 64)
PORTS = {c.name: c.value for c in SPEC.capabilities}
PORTS["control"] = max(PORTS.values()) + 1


class Bench:
    """The decoder between a driver and two monitors."""

    def __init__(self, dut, rng, engines, pause):
        self.dut, self.engines = dut, engines
        self.stream_bytes = len(dut.stream_data_i) // 8
        self.driver = StreamDriver(dut, "stream", rng, pause=pause)
        self.frames = StreamMonitor(dut, "frame", rng, pause=pause, extra=("frame_port_o",))
        self.ignored = StreamMonitor(dut, "ignored", rng, pause=pause)

    async def check(self, stream: bytes) -> int:
        """Sends a stream, compares with the reference decoder, and returns the number of events."""
        _, missing = decode(stream, self.engines, self.stream_bytes)
        stream += bytes(missing)  # completes an open frame, so that both end at a header
        events, missing = decode(stream, self.engines, self.stream_bytes)
        assert missing == 0
        beats = beats_of(stream, self.stream_bytes)
        self.driver.send(beats)
        await self.driver.drained(clocks=40 * len(beats) + 1000)
        await ClockCycles(self.dut.clk_i, 2)  # the driver's last beat has arrived
        while not int(self.dut.idle_o.value):
            await RisingEdge(self.dut.clk_i)
        await RisingEdge(self.dut.clk_i)
        taken = [e for e in events if isinstance(e, Taken)]
        assert [tuple(f) for f in self.frames.frames] == [e.beats for e in taken]
        assert len(self.frames.beats) == sum(len(e.beats) for e in taken)  # only complete frames
        marks = [(PORTS[e.engine],) for e in taken for _ in e.beats]
        assert self.frames.extras == marks
        assert [beat for beat, _ in self.ignored.beats] == [
            e.header for e in events if isinstance(e, Ignored)
        ]
        self.frames.clear()
        self.ignored.clear()
        return len(events)


async def bench(dut, name, engines, pause=0.3):
    rng = random_source(name)
    await start(dut, present_i=sum(1 << PORTS[e] for e in engines))
    return Bench(dut, rng, engines, pause), rng


@cocotb.test()
async def random_streams(dut):
    tested, rng = await bench(dut, "random", {"poseidon"})
    seen = 0
    for _ in range(40):
        seen += await tested.check(random_stream(rng, 12, tested.stream_bytes))
    assert seen > 200


@cocotb.test()
async def absent_engine(dut):
    tested, rng = await bench(dut, "absent", set())
    await tested.check(random_stream(rng, 60, tested.stream_bytes))


@cocotb.test()
async def every_edge_length(dut):
    """Each edge length, with accepted, open-ended and unknown commands: resynchronized each
    time."""
    tested, rng = await bench(dut, "edges", {"poseidon"}, pause=0.0)
    for length in EDGE_LENGTHS:
        for command in (0x0, 0x1, 0x110, 0x101, 0xDEAD_BEEF):
            header = (command << 32 | length).to_bytes(8, "little")
            await tested.check(header + rng.randbytes(tested.stream_bytes - 8))
            await tested.check(reset_fpga(length).encode(tested.stream_bytes))


@cocotb.test()
async def noise_then_zeros_then_reset(dut):
    """Resynchronization: after any input, a frame's worth of zeros and a reset is recognized."""
    tested, rng = await bench(dut, "noise", {"poseidon"}, pause=0.0)
    for _ in range(3):
        noise = random_stream(rng, 5, tested.stream_bytes)
        noise += (0x110 << 32 | MAX_FRAME_BYTES).to_bytes(tested.stream_bytes, "little")
        reset_frame = reset_fpga(7).encode(tested.stream_bytes)
        await tested.check(noise + bytes(MAX_FRAME_BYTES) + reset_frame)


@cocotb.test()
async def reset_inside_a_frame(dut):
    """After the hardware reset the next beat is a header, whenever the reset came."""
    tested, rng = await bench(dut, "reset", {"poseidon"})
    for length in (16, 120, 200, 4096):
        header = (0x110 << 32 | length).to_bytes(8, "little")
        half = header + rng.randbytes(length // 2)
        half = half[: len(half) // tested.stream_bytes * tested.stream_bytes]
        tested.driver.send(beats_of(half, tested.stream_bytes))
        await tested.driver.drained()
        tested.driver.clear()
        tested.frames.stop()
        tested.ignored.stop()
        await reset(dut)
        tested.frames.clear()
        tested.ignored.clear()
        await tested.check(reset_fpga(length).encode(tested.stream_bytes))


LINTS = [Lint("frame_decoder", {"StreamBytes": width}) for width in STREAM_WIDTHS]


@pytest.mark.parametrize("stream_bytes", [8, 64, *in_sweep([32])])
def test_frame_decoder(stream_bytes):
    run_bench(__file__, "frame_decoder", {"StreamBytes": stream_bytes})
