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
BRIDGE_ID = b"RING"
# Words of the control window, and the bytes that are read.
PRODUCED, TAKEN, REQUEST_BYTES, IDENTIFIER, CONSUMED, PUBLISHED, REPLY_BYTES = range(7)
CONTROL_BYTES = 32


@dataclass(frozen=True)
class Status:
    """The control window. Positions are bytes modulo 2^32."""

    produced: int
    taken: int
    consumed: int
    published: int
    request_bytes: int
    reply_bytes: int

    @property
    def ready(self) -> int:
        """The bytes of replies that can be read."""
        return (self.produced - self.consumed) % 2**32

    @property
    def first(self) -> int:
        """The place of the first of them in the ring."""
        return self.consumed % self.reply_bytes

    @property
    def room(self) -> int:
        """The bytes of requests that can be written."""
        return self.request_bytes - (self.published - self.taken) % 2**32


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
        answer = await self.master.read(CONTROL, CONTROL_BYTES)
        assert answer.resp == OKAY
        words = [bytes(answer.data[4 * word:4 * word + 4]) for word in range(8)]
        assert words[IDENTIFIER] == BRIDGE_ID and words[7] == bytes(4)
        produced, taken, request_bytes, _, consumed, published, reply_bytes, _ = (
            int.from_bytes(word, "little") for word in words)
        return Status(produced, taken, consumed, published, request_bytes, reply_bytes)

    async def set(self, word: int, position: int) -> int:
        """Writes a position; returns the response."""
        data = (position % 2**32).to_bytes(4, "little")
        return (await self.master.write(CONTROL + 4 * word, data)).resp

    async def store(self, position: int, data: bytes) -> None:
        """Writes requests to their places, in pieces and in any order, as a processor that combines
        stores, and some pieces twice."""
        ring = (await self.status()).request_bytes
        cuts = sorted({0, len(data), *(self.rng.randrange(len(data) + 1)
                                       for _ in range(self.rng.randrange(6)))})
        pieces = list(zip(cuts, cuts[1:]))
        pieces += self.rng.sample(pieces, self.rng.randrange(len(pieces) + 1))
        self.rng.shuffle(pieces)
        writes = []
        for start, end in pieces:
            # The ring repeats throughout the window.
            place = (position + start) % ring + ring * self.rng.randrange(
                (WINDOW - ring) // ring or 1)
            writes.append(self.master.init_write(REQUESTS + place, data[start:end]))
        for write in writes:
            await write.wait()
            assert write.data.resp == OKAY

    async def send(self, data: bytes) -> None:
        """Writes and publishes whole lines as soon as there is room."""
        position = (await self.status()).published
        while data:
            piece, data = data[:(room := (await self.status()).room)], data[room:]
            if piece:
                await self.store(position, piece)
                position += len(piece)
                assert await self.set(PUBLISHED, position) == OKAY

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
                assert await self.set(CONSUMED, status.produced) == OKAY
            clocks -= 100
            assert clocks > 0, f"{len(data)} of {count} bytes"
            await RisingEdge(self.dut.clk_i)
        return data
