# SPDX-License-Identifier: Apache-2.0 OR MIT
"""card_top between an AXI4-Stream source and sink and an AXI4-Lite master."""

import random
from collections import deque
from collections.abc import Sequence
from typing import Any, Self

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, First, ReadOnly, RisingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster

from arith.simulation.bench import in_sweep, random_source
from arith.simulation.ports import reader
from arith.simulation.streams import CLOCK_PERIOD_NS, StreamDriver, StreamMonitor, wait_clocks
from card.model import commands
from card.model.frames import MAX_FRAME_BYTES, SPEC, Frame, flipped, split

ALL_ENGINES = 0xFFFF_FFFF
# Widths of the stream for cards with one engine. At 64 bytes, the host's tests run all engines in
# the simulated card; a sweep also runs these benches.
STREAM_BYTES = [8, *in_sweep([64])]


class Sink(StreamMonitor):
    """The card's replies as packets of bytes, without the bytes that `tkeep` excludes."""

    def __init__(self, dut: Any, name: str, rng: random.Random, pause: float) -> None:
        self.packets: deque[bytes] = deque()
        self._packet = bytearray()
        self._mask = reader(getattr(dut, f"{name}_tkeep"))
        self._size = len(getattr(dut, f"{name}_tkeep"))
        super().__init__(dut, name, rng, pause)

    def clear(self) -> None:
        self.packets.clear()
        self._packet.clear()
        super().clear()

    def _add(self, data: int, last: int) -> None:
        beat, mask = data.to_bytes(self._size, "little"), self._mask()
        self._packet += beat if mask == (1 << self._size) - 1 else bytes(
            byte for at, byte in enumerate(beat) if mask >> at & 1)
        if last:
            self.packets.append(bytes(self._packet))
            self._packet.clear()
            self._came.set()


class CardBench:
    """Sends request bytes and collects reply frames; tlast must mark each frame's end.

    `watches_idle`: idle_o covers everything between the streams. (Not behind a crossing.)
    """

    def __init__(
        self, dut, rng: random.Random, pause_in: float, pause_out: float, watches_idle: bool = True
    ) -> None:
        self.dut, self.rng = dut, rng
        self.stream_bytes = len(dut.s_axis_tdata) // 8
        cocotb.start_soon(Clock(dut.clk_i, CLOCK_PERIOD_NS, unit="ns").start())
        reset = {"reset": dut.rst_ni, "reset_active_level": False}
        self.source = StreamDriver(dut, "s_axis", rng, pause_in)
        self.sink = Sink(dut, "m_axis", rng, pause_out)
        self.registers = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk_i, **reset)
        for part in (self.registers.write_if, self.registers.read_if):
            part.log.setLevel("WARNING")
        if watches_idle:
            cocotb.start_soon(self._watch_idle())

    async def _watch_idle(self) -> None:
        """Once idle_o is high, no beat leaves before one arrives: a simulator sleeps then."""
        dut, edge = self.dut, RisingEdge(self.dut.clk_i)
        out_of_reset, comes, goes, is_idle = map(
            reader, (dut.rst_ni, dut.s_axis_tvalid, dut.m_axis_tvalid, dut.idle_o))
        becomes_idle = RisingEdge(dut.idle_o)
        something = (
            RisingEdge(dut.s_axis_tvalid), RisingEdge(dut.m_axis_tvalid), FallingEdge(dut.rst_ni))
        while True:
            await ReadOnly()
            if not is_idle():
                await becomes_idle
            elif not out_of_reset() or comes():
                await edge
            else:
                await edge
                await ReadOnly()
                if not goes() and not comes() and out_of_reset():
                    await First(*something)
                    await ReadOnly()
                assert not goes() or comes() or not out_of_reset(), "the card was idle"
                await edge

    def set_pauses(self, pause_in: float, pause_out: float) -> None:
        self.source.pause, self.sink.pause = pause_in, pause_out

    @classmethod
    async def begin(cls, dut: Any, name: str, pause: float = 0.1) -> Self:
        """A started card, with the same pauses on both sides."""
        card = cls(dut, random_source(name), pause, pause)
        await card.start()
        return card

    async def start(self, enable: int = ALL_ENGINES) -> None:
        self.dut.engine_enable_i.value = enable
        await self.hardware_reset()

    async def hardware_reset(self) -> None:
        self.dut.rst_ni.value = 0
        self.source.clear()
        for _ in range(3):
            await RisingEdge(self.dut.clk_i)
        self.sink.clear()
        self.dut.rst_ni.value = 1
        await RisingEdge(self.dut.clk_i)

    def waits(self, rounds: int, clocks: Sequence[int]) -> list[int]:
        """The clocks to wait in each round: each of `clocks` about equally often, in random
        order."""
        chosen = [clocks[number % len(clocks)] for number in range(rounds)]
        self.rng.shuffle(chosen)
        return chosen

    def header(self, length: int, command: int) -> bytes:
        """A frame's first words as a single beat."""
        return (command << 32 | length).to_bytes(self.stream_bytes, "little")

    def send(self, what: Frame | bytes) -> None:
        """Queues a frame, or bytes, split at random into stream packets of whole beats."""
        data = what.encode(self.stream_bytes) if isinstance(what, Frame) else what
        while data:
            packet = self.stream_bytes * self.rng.randrange(1, 40)
            self.source.send_bytes(data[:packet])
            data = data[packet:]

    def ignore_replies_held(self) -> int:
        """The number of ignore replies that a soft reset does not drop while none is accepted:
        those in the output's registers and in the slices before them, and the one that is offered
        to those. (Two beats of 8 bytes are one reply.)"""
        return 3 if self.stream_bytes == 8 else 6

    async def receive(self, count: int, clocks: int = 300_000) -> list[Frame]:
        """The next `count` reply frames, after at most `clocks` clocks."""
        packets = self.sink.packets
        await self.sink.until(lambda: len(packets) >= count, clocks)
        frames: list[Frame] = []
        for _ in range(count):
            packet = packets.popleft()
            whole, rest = split(packet, self.stream_bytes)
            assert len(whole) == 1 and not rest, f"tlast does not mark a frame's end: {packet!r}"
            frames += whole
        return frames

    async def ask(self, request: Frame, clocks: int = 300_000) -> Frame:
        self.send(request)
        return (await self.receive(1, clocks))[0]

    async def until(self, answer: Frame, clocks: int = 300_000) -> list[Frame]:
        """The reply frames before `answer`."""
        before: list[Frame] = []
        while True:
            frame = (await self.receive(1, clocks))[0]
            if frame == answer:
                return before
            before.append(frame)

    async def reset_by_register(self) -> list[Frame]:
        """Resets the card by its register, possibly within a frame. Returns the replies that are
        completed before it is synchronized again."""
        await self.registers.write_dword(SPEC.register("control").address, 1)
        nonce = self.rng.getrandbits(64)
        self.send(commands.reset_fpga(nonce))
        return await self.until(commands.reset_reply(nonce))

    async def stands_still(self, clocks: int, sent: int) -> None:
        """While no reply is accepted, the card stops accepting frames before it has all of them."""
        await wait_clocks(self.dut.clk_i, clocks)
        begun = await self.read("frames_in")
        await wait_clocks(self.dut.clk_i, 500)
        assert begun == await self.read("frames_in") < sent, "the stream did not stall"
        self.set_pauses(0.0, 0.3)

    async def send_flipped(self, whole: bytes, bit: int) -> list[Frame]:
        """The replies to a frame with a flipped bit. Its length may be flipped, too: the card then
        swallows zeros after the frame, and a reset resynchronizes it."""
        harmed = flipped(whole, bit)
        length = int.from_bytes(harmed[:4], "little")
        beats = harmed + bytes(-len(harmed) % self.stream_bytes)
        if length < len(whole):  # the rest of the frame is then read as headers
            beats += bytes(MAX_FRAME_BYTES)
        elif length <= MAX_FRAME_BYTES:
            beats = beats.ljust(length + -length % self.stream_bytes, b"\0")
        self.send(beats)
        # The engine has answered when it is idle; only then comes a reset.
        await wait_clocks(self.dut.clk_i, 60)
        while not int(self.dut.idle_o.value):
            await RisingEdge(self.dut.clk_i)
        self.send(commands.reset_fpga(bit))
        return await self.until(commands.reset_reply(bit))

    async def read(self, name: str) -> int:
        """Reads a register over AXI4-Lite."""
        return await self.registers.read_dword(SPEC.register(name).address)
