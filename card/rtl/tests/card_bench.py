# SPDX-License-Identifier: Apache-2.0 OR MIT
"""card_top between an AXI4-Stream source and sink and an AXI4-Lite master."""

from __future__ import annotations

import random
from collections.abc import Sequence

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from cocotbext.axi import (
    AxiLiteBus,
    AxiLiteMaster,
    AxiStreamBus,
    AxiStreamFrame,
    AxiStreamSink,
    AxiStreamSource,
)

from arith.simulation.bench import in_sweep
from arith.simulation.ports import reader
from card.model.frames import SPEC, Frame, split

CLOCK_PERIOD_NS = 2
ALL_ENGINES = 0xFFFF_FFFF
# Widths of the stream for the cards of one engine. At 64 bytes the host's tests run all engines, in
# the simulated card; a sweep runs these benches there as well.
STREAM_BYTES = [8, *in_sweep([64])]


def pauses(rng: random.Random, chance: float):
    """An endless generator of pauses for cocotbext-axi."""
    while True:
        yield rng.random() < chance


class CardBench:
    """Sends request bytes, gathers reply frames; tlast must mark each frame's end.

    `watches_idle`: idle_o tells of everything between the streams. (Not behind a crossing.)
    """

    def __init__(
        self, dut, rng: random.Random, pause_in: float, pause_out: float, watches_idle: bool = True
    ) -> None:
        self.dut, self.rng = dut, rng
        self.stream_bytes = len(dut.s_axis_tdata) // 8
        cocotb.start_soon(Clock(dut.clk_i, CLOCK_PERIOD_NS, unit="ns").start())
        reset = {"reset": dut.rst_ni, "reset_active_level": False}
        self.source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.clk_i, **reset)
        self.sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.clk_i, **reset)
        self.registers = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk_i, **reset)
        for stream in (self.source, self.sink):
            stream.log.setLevel("WARNING")
        for part in (self.registers.write_if, self.registers.read_if):
            part.log.setLevel("WARNING")
        self.set_pauses(pause_in, pause_out)
        if watches_idle:
            cocotb.start_soon(self._watch_idle())

    async def _watch_idle(self) -> None:
        """Once idle_o is high no beat goes out before one comes in: a simulator sleeps then."""
        dut, idle, edge = self.dut, False, RisingEdge(self.dut.clk_i)
        out_of_reset, comes, goes, is_idle = map(
            reader, (dut.rst_ni, dut.s_axis_tvalid, dut.m_axis_tvalid, dut.idle_o))
        while True:
            await edge
            await ReadOnly()
            if not out_of_reset() or comes():
                idle = False
                continue
            assert not (idle and goes()), "the card was idle"
            idle = idle or bool(is_idle())

    def set_pauses(self, pause_in: float, pause_out: float) -> None:
        self.source.set_pause_generator(pauses(self.rng, pause_in))
        self.sink.set_pause_generator(pauses(self.rng, pause_out))

    async def start(self, enable: int = ALL_ENGINES) -> None:
        self.dut.engine_enable_i.value = enable
        await self.hardware_reset()

    async def hardware_reset(self) -> None:
        self.dut.rst_ni.value = 0
        await ClockCycles(self.dut.clk_i, 3)
        self.source.clear()
        self.sink.clear()
        self.dut.rst_ni.value = 1
        await RisingEdge(self.dut.clk_i)

    def waits(self, rounds: int, clocks: Sequence[int]) -> list[int]:
        """Clocks to wait in each round: each of `clocks` about equally often, in random order."""
        chosen = [clocks[number % len(clocks)] for number in range(rounds)]
        self.rng.shuffle(chosen)
        return chosen

    def header(self, length: int, command: int) -> bytes:
        """A frame's first words, alone in a beat."""
        return (command << 32 | length).to_bytes(self.stream_bytes, "little")

    def send(self, what: Frame | bytes) -> None:
        """Queues a frame, or bytes, cut at random into stream packets of whole beats."""
        data = what.encode(self.stream_bytes) if isinstance(what, Frame) else what
        while data:
            packet = self.stream_bytes * self.rng.randrange(1, 40)
            self.source.send_nowait(AxiStreamFrame(data[:packet]))
            data = data[packet:]

    def ignore_replies_held(self) -> int:
        """Ignore replies that a soft reset does not drop while none is taken: those in the output's
        registers and in the slices before them, and the one that is being offered to those. (Two
        beats of 8 bytes are one.)"""
        return 3 if self.stream_bytes == 8 else 6

    async def receive(self, count: int, clocks: int = 300_000) -> list[Frame]:
        """The next `count` reply frames, at most `clocks` clocks later."""
        frames: list[Frame] = []
        edge = RisingEdge(self.dut.clk_i)
        while len(frames) < count:
            if self.sink.empty():
                assert clocks > 0, f"{len(frames)} of {count} frames: {frames[-3:]}"
                clocks -= 1
                await edge
                continue
            packet = bytes(self.sink.recv_nowait().tdata)
            whole, rest = split(packet, self.stream_bytes)
            assert len(whole) == 1 and not rest, f"tlast does not mark a frame's end: {packet!r}"
            frames += whole
        return frames

    async def ask(self, request: Frame, clocks: int = 300_000) -> Frame:
        self.send(request)
        return (await self.receive(1, clocks))[0]

    async def until(self, answer: Frame, clocks: int = 300_000) -> list[Frame]:
        """Reply frames up to `answer`, which is not among them."""
        before: list[Frame] = []
        while True:
            frame = (await self.receive(1, clocks))[0]
            if frame == answer:
                return before
            before.append(frame)

    async def read(self, name: str) -> int:
        """A register over AXI4-Lite."""
        return await self.registers.read_dword(SPEC.register(name).address)
