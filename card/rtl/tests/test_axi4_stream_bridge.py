# SPDX-License-Identifier: Apache-2.0 OR MIT
"""axi4_stream_bridge between an AXI4 master and two streams: random bursts, pieces in any order,
refused accesses, a card that does not read, resets during a burst."""

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, Combine, First, Timer, with_timeout
from cocotbext.axi import AxiBurstType, AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

from arith.simulation.bench import Lint, random_source, run_bench, setting
from card.rtl.tests.axi4_host import (
    CONSUMED, CONTROL, DECODE_ERROR, LINE, NOTHING, OKAY, PUBLISHED, REPLIES, REQUESTS, SLAVE_ERROR,
    Axi4Host,
)

CLOCK_PERIOD_NS = 2


class Bridge:
    """The bridge, its host, and the card's ends of the streams."""

    def __init__(self, dut, rng, pause: float) -> None:
        self.dut, self.rng, self.pause = dut, rng, pause
        self.card: cocotb.task.Task[bytes] | None = None  # reads requests
        self.depth = int(setting("beats")) * LINE
        cocotb.start_soon(Clock(dut.clk_i, CLOCK_PERIOD_NS, unit="ns").start())
        reset = {"reset": dut.rst_ni, "reset_active_level": False}
        self.requests = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.clk_i, **reset)
        self.replies = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.clk_i, **reset)
        for stream in (self.requests, self.replies):
            stream.log.setLevel("WARNING")
            stream.set_pause_generator(self.pauses())
        self.host = Axi4Host(dut, rng, self.pauses)

    def pauses(self):
        while True:
            yield self.rng.random() < self.pause

    async def reset(self) -> None:
        self.dut.rst_ni.value = 0
        await ClockCycles(self.dut.clk_i, 3)
        self.requests.clear()
        self.replies.clear()
        self.dut.rst_ni.value = 1
        await ClockCycles(self.dut.clk_i, 1)

    async def taken(self, count: int) -> bytes:
        """The first `count` bytes that the card accepts from the stream."""
        data = b""
        while len(data) < count:
            data += bytes((await with_timeout(self.requests.recv(), 200, "us")).tdata)
        return data

    async def write(self, address, data, **options):
        return (await self.host.master.write(address, data, **options)).resp

    async def read(self, address, length, **options):
        answer = await self.host.master.read(address, length, **options)
        return answer.resp, bytes(answer.data)


async def bridge_of(dut, name: str, pause: float | None = None) -> Bridge:
    rng = random_source(name)
    bridge = Bridge(dut, rng, float(setting("pause")) if pause is None else pause)
    await bridge.reset()
    return bridge


async def requests_go(bridge: Bridge, count: int) -> None:
    """Requests of random lengths, in pieces in any order, published in whole lines."""
    sent, bridge.card = b"", cocotb.start_soon(bridge.taken(count))
    while len(sent) < count:
        lines = bridge.rng.choice((1, 2, 3, bridge.rng.randrange(1, 80)))
        data = bridge.rng.randbytes(min(count - len(sent), lines * LINE))
        await bridge.host.send(data)
        sent += data
    assert await bridge.card == sent


async def replies_come(bridge: Bridge, count: int) -> None:
    """Replies are read in parts, some of them twice, and consumed in whole lines."""
    data = bridge.rng.randbytes(count)
    for start in range(0, count, 7 * LINE):
        bridge.replies.send_nowait(AxiStreamFrame(data[start:start + 7 * LINE]))
    taken, begin = 0, (await bridge.host.status()).consumed
    while taken < count:
        status = await bridge.host.status()
        assert status.consumed == begin + taken
        assert status.ready <= bridge.depth
        if not status.ready:
            continue
        # Any part of the ready bytes, across the ring's end or not.
        start = bridge.rng.randrange(status.ready)
        length = bridge.rng.randrange(1, status.ready - start + 1)
        response, part = await bridge.read(REPLIES + status.first + start, length)
        assert (response, part) == (OKAY, data[taken + start:taken + start + length])
        lines = bridge.rng.randrange(status.ready // LINE + 1)
        response, part = await bridge.read(REPLIES + status.first, lines * LINE or 1)
        assert part == data[taken:taken + (lines * LINE or 1)]
        taken += lines * LINE
        for _ in range(bridge.rng.randrange(1, 3)):
            assert await bridge.host.set(CONSUMED, begin + taken) == OKAY


@cocotb.test()
async def random_bursts_both_ways(dut):
    bridge = await bridge_of(dut, "bursts")
    await Combine(cocotb.start_soon(requests_go(bridge, 600 * LINE)),
                  cocotb.start_soon(replies_come(bridge, 600 * LINE)))
    assert (await bridge.host.status()).ready == 0


@cocotb.test()
async def room_and_readiness_are_told(dut):
    bridge = await bridge_of(dut, "room", 0.0)
    bridge.requests.set_pause_generator(None)
    bridge.requests.pause = True
    assert (await bridge.host.status()).room == bridge.depth
    # The output register holds one line.
    requests = bridge.rng.randbytes(bridge.depth + LINE)
    await bridge.host.send(requests[:-2 * LINE])
    assert (await bridge.host.status()).room == 2 * LINE
    await bridge.host.send(requests[-2 * LINE:])
    assert (await bridge.host.status()).room == 0
    # A write beyond the room is refused at once, and changes nothing.
    for start in range(0, bridge.depth, 3 * LINE):
        assert await bridge.write(REQUESTS + start, bytes(LINE)) == SLAVE_ERROR
    assert await bridge.host.set(PUBLISHED, len(requests) + LINE) == SLAVE_ERROR
    # Replies do not wait for the requests.
    bridge.replies.send_nowait(AxiStreamFrame(data := bridge.rng.randbytes(2 * bridge.depth)))
    await ClockCycles(dut.clk_i, 4 * bridge.depth // LINE)
    status = await bridge.host.status()
    assert (status.ready, status.room) == (bridge.depth, 0)
    assert await bridge.read(REPLIES, bridge.depth) == (OKAY, data[:bridge.depth])
    bridge.requests.pause = False
    assert await bridge.taken(len(requests)) == requests
    assert await bridge.host.set(CONSUMED, bridge.depth) == OKAY
    assert await bridge.host.receive(bridge.depth) == data[bridge.depth:]
    assert (await bridge.host.status()).room == bridge.depth


@cocotb.test()
async def accesses_that_are_refused(dut):
    bridge = await bridge_of(dut, "refused")
    line = bridge.rng.randbytes(LINE)
    fixed = {"burst": AxiBurstType.FIXED}
    wrap = {"burst": AxiBurstType.WRAP}
    for address, options, wanted in (
        (REQUESTS, fixed, SLAVE_ERROR), (REQUESTS, wrap, SLAVE_ERROR),
        (CONTROL, fixed, SLAVE_ERROR), (REPLIES, wrap, SLAVE_ERROR),
        (REQUESTS, {"size": 3}, SLAVE_ERROR), (CONTROL, {"size": 2}, SLAVE_ERROR),
        (REPLIES, {}, SLAVE_ERROR), (NOTHING, {}, DECODE_ERROR), (NOTHING, wrap, DECODE_ERROR),
        (1 << 18, {}, DECODE_ERROR), (1 << 63, {}, DECODE_ERROR),
    ):
        assert await bridge.write(address, line, **options) == wanted, (address, options)
    filler = bytes([0xFF]) * LINE
    bridge.replies.send_nowait(AxiStreamFrame(data := bridge.rng.randbytes(3 * LINE)))
    while (await bridge.host.status()).ready < 3 * LINE:
        pass
    for address, options, wanted in (
        (REPLIES, fixed, SLAVE_ERROR), (REPLIES, wrap, SLAVE_ERROR),
        (REPLIES, {"size": 4}, SLAVE_ERROR), (REQUESTS, {}, SLAVE_ERROR),
        (REPLIES + 3 * LINE, {}, SLAVE_ERROR), (NOTHING, {}, DECODE_ERROR),
        (1 << 18, {}, DECODE_ERROR), (1 << 40, {}, DECODE_ERROR),
    ):
        assert await bridge.read(address, LINE, **options) == (wanted, filler), (address, options)
    # A burst that continues beyond the ready bytes.
    assert await bridge.read(REPLIES, 5 * LINE) == (SLAVE_ERROR, data + 2 * filler)
    # Positions beyond the ready bytes, before them, within a line, and parts of words.
    for word, position in (
        (CONSUMED, 4 * LINE), (CONSUMED, (1 << 31) + LINE), (CONSUMED, -LINE), (CONSUMED, 1),
        (PUBLISHED, bridge.depth + LINE), (PUBLISHED, -LINE), (PUBLISHED, 63),
    ):
        assert await bridge.host.set(word, position) == SLAVE_ERROR, (word, position)
    for offset, length in ((0, 4), (16, 3), (17, 3), (21, 3), (18, 4), (24, 4)):
        assert await bridge.write(CONTROL + offset, bytes(length)) == SLAVE_ERROR, offset
    status = await bridge.host.status()
    assert (status.ready, status.consumed, status.published) == (3 * LINE, 0, 0)
    assert await bridge.host.set(CONSUMED, 2 * LINE) == OKAY
    assert await bridge.host.set(CONSUMED, LINE) == SLAVE_ERROR
    assert await bridge.read(REPLIES + 2 * LINE, LINE) == (OKAY, data[2 * LINE:])
    assert await bridge.read(REPLIES, LINE) == (SLAVE_ERROR, filler)
    # A refused word does not keep the other from its effect.
    both = (4 * LINE).to_bytes(4, "little") + LINE.to_bytes(4, "little")
    await bridge.host.store(0, line)
    assert await bridge.write(CONTROL + 16, both) == SLAVE_ERROR
    assert await bridge.taken(LINE) == line
    status = await bridge.host.status()
    assert (status.consumed, status.published, status.taken) == (2 * LINE, LINE, LINE)
    # The last store to a byte counts, until its line is published.
    await bridge.host.store(LINE, bytes(2 * LINE))
    await bridge.host.store(LINE, other := bridge.rng.randbytes(2 * LINE))
    for _ in range(2):
        assert await bridge.host.set(PUBLISHED, 3 * LINE) == OKAY
    assert await bridge.taken(2 * LINE) == other
    await ClockCycles(dut.clk_i, 20)
    assert bridge.requests.empty()


@cocotb.test()
async def positions_pass_their_end(dut):
    """Positions continue at 0 behind 2^32; the bench sets the registers instead of waiting."""
    bridge = await bridge_of(dut, "end")
    # Places of the rings follow positions, so the positions stay multiples of the rings' bytes.
    dut.consumed_q.value = dut.published_q.value = (2**32 - bridge.depth) // LINE
    await ClockCycles(dut.clk_i, 2)
    assert (await bridge.host.status()).consumed == 2**32 - bridge.depth
    await Combine(cocotb.start_soon(requests_go(bridge, 3 * bridge.depth)),
                  cocotb.start_soon(replies_come(bridge, bridge.depth)))
    status = await bridge.host.status()
    assert (status.consumed, status.published) == (0, 2 * bridge.depth)


@cocotb.test()
async def one_line_a_clock(dut):
    """Bursts of 4 KiB, several of them in flight, leave no gap in either direction."""
    bridge = await bridge_of(dut, "rate", 0.0)
    depth = bridge.depth // LINE
    if depth < 512:
        return
    first = cocotb.utils.get_sim_time("ns")
    data = bridge.rng.randbytes(bridge.depth)
    writes = [cocotb.start_soon(bridge.write(REQUESTS + start, data[start:start + 4096]))
              for start in range(0, bridge.depth, 4096)]
    await Combine(*writes)
    clocks = (cocotb.utils.get_sim_time("ns") - first) / CLOCK_PERIOD_NS
    assert clocks < depth + 40, clocks
    first = cocotb.utils.get_sim_time("ns")
    assert await bridge.host.set(PUBLISHED, bridge.depth) == OKAY
    assert await bridge.taken(bridge.depth) == data
    clocks = (cocotb.utils.get_sim_time("ns") - first) / CLOCK_PERIOD_NS
    assert clocks < depth + 40, clocks
    bridge.replies.send_nowait(AxiStreamFrame(bridge.rng.randbytes(bridge.depth)))
    await ClockCycles(dut.clk_i, depth + 10)
    first = cocotb.utils.get_sim_time("ns")
    assert (await bridge.read(REPLIES, bridge.depth))[0] == OKAY
    clocks = (cocotb.utils.get_sim_time("ns") - first) / CLOCK_PERIOD_NS
    assert clocks < depth + 40, clocks


@cocotb.test()
async def reset_in_the_middle_of_bursts(dut):
    bridge = await bridge_of(dut, "reset")
    for _ in range(12):
        work = [cocotb.start_soon(requests_go(bridge, 300 * LINE)),
                cocotb.start_soon(replies_come(bridge, 300 * LINE))]
        await First(*work, Timer(bridge.rng.randrange(50, 4000), "ns"))
        for task in (*work, bridge.card):
            task.cancel()
        await bridge.reset()
        status = await bridge.host.status()
        assert (status.ready, status.consumed, status.room) == (0, 0, bridge.depth)
        await requests_go(bridge, 10 * LINE)
        await replies_come(bridge, 10 * LINE)


@pytest.mark.parametrize("beats, pause", [(16, 0.3), (512, 0.0)])
def test_axi4_stream_bridge(beats: int, pause: float) -> None:
    run_bench(__file__, "axi4_stream_bridge", {"InputBeats": beats, "RingBeats": beats},
              settings={"beats": beats, "pause": pause},
              visible={"axi4_stream_bridge": "consumed_q published_q"})


LINTS = [Lint("axi4_stream_bridge", {"InputBeats": 16, "RingBeats": 64, "IdBits": 4})]
