# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A host in front of an axi4_stream_bridge: the map of its windows, and their use."""

import random
from dataclasses import dataclass

from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiBus, AxiMaster

LINE = 64
WINDOW = 1 << 16
REQUESTS, REPLIES, CONTROL, NOTHING = (number * WINDOW for number in range(4))
OKAY, SLAVE_ERROR, DECODE_ERROR = 0, 2, 3
BRIDGE_ID = b"AXI4"


@dataclass(frozen=True)
class Status:
    """The status of a bridge, in bytes."""

    ready: int
    first: int
    room: int


class Axi4Host:
    """Reads and writes the windows of the bridge whose bus has the prefix s_axi."""

    def __init__(self, dut, rng: random.Random, pauses) -> None:
        self.dut, self.rng = dut, rng
        self.master = AxiMaster(
            AxiBus.from_prefix(dut, "s_axi"), dut.clk_i, dut.rst_ni, reset_active_level=False,
            max_burst_len=64,
        )
        for part in (self.master.write_if, self.master.read_if):
            part.log.setLevel("WARNING")
        for channel in (self.master.write_if.aw_channel, self.master.write_if.w_channel,
                        self.master.write_if.b_channel, self.master.read_if.ar_channel,
                        self.master.read_if.r_channel):
            channel.set_pause_generator(pauses())

    async def status(self) -> Status:
        answer = await self.master.read(CONTROL, 16)
        assert answer.resp == OKAY and answer.data[12:] == BRIDGE_ID
        ready, first, room = (
            int.from_bytes(answer.data[word:word + 4], "little") for word in (0, 4, 8))
        return Status(ready, first, room)

    async def take(self, count: int) -> int:
        """Consumes bytes of replies; returns the response."""
        return (await self.master.write(CONTROL, count.to_bytes(4, "little"))).resp

    async def write(self, data: bytes, offset: int = 0) -> None:
        answer = await self.master.write(REQUESTS + offset, data)
        assert answer.resp == OKAY

    async def send(self, data: bytes) -> None:
        """Writes whole lines as soon as there is room."""
        while data:
            room = (await self.status()).room
            piece, data = data[:room], data[room:]
            if piece:
                await self.write(piece)

    async def receive(self, count: int, clocks: int = 300_000) -> bytes:
        """Returns at least `count` bytes of replies, in whole lines, after at most `clocks`
        clocks."""
        data = b""
        while len(data) < count:
            status = await self.status()
            if status.ready:
                answer = await self.master.read(REPLIES + status.first, status.ready)
                assert answer.resp == OKAY
                data += answer.data
                assert await self.take(status.ready) == OKAY
            clocks -= 100
            assert clocks > 0, f"{len(data)} of {count} bytes"
            await RisingEdge(self.dut.clk_i)
        return data
