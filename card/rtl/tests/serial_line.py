# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The other end of a serial line in a bench. It sends bytes at its own rate and with faults, and
reads a transmitter by the timing of the standard alone (8 data bits, one stop bit)."""

import random
from collections.abc import Iterable
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, Timer

from arith.simulation.streams import CLOCK_PERIOD_NS


def bit_ps(sixteenths: int, error: float = 0.0) -> float:
    """The length of a bit. An `error` of 0.02 means that the sender is 2 % too slow."""
    return sixteenths / 16 * CLOCK_PERIOD_NS * 1000 * (1 + error)


class SerialSender:
    """Drives the line `signal`; edges come at any time between clock edges."""

    def __init__(self, signal: Any, bit: float) -> None:
        self._signal, self.bit = signal, bit
        self._debt = 0.0
        signal.value = 1

    async def hold(self, level: int, bits: float) -> None:
        """Holds a level for this number of bits. Roundings to whole picoseconds do not
        accumulate."""
        self._signal.value = level
        self._debt += bits * self.bit
        whole = int(self._debt)
        self._debt -= whole
        if whole:
            await Timer(whole, unit="ps")

    async def send(self, data: Iterable[int], rng: random.Random | None = None,
                   most_gap_bits: float = 0.0) -> None:
        """Sends bytes, with random gaps of up to `most_gap_bits` after each."""
        for byte in data:
            await self.hold(0, 1)
            for bit in range(8):
                await self.hold(byte >> bit & 1, 1)
            await self.hold(1, 1 + (rng.random() * most_gap_bits if rng else 0))

    async def send_mangled(self, byte: int) -> None:
        """Sends a byte with a low stop bit."""
        await self.hold(0, 1)
        for bit in range(8):
            await self.hold(byte >> bit & 1, 1)
        await self.hold(0, 1)
        await self.hold(1, 2)


class SerialReceiver:
    """Reads the line `signal` in the middle of its bits; `received` holds the bytes."""

    def __init__(self, signal: Any, bit: float) -> None:
        self._signal, self._bit = signal, bit
        self.received = bytearray()
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        while True:
            await FallingEdge(self._signal)
            await Timer(int(self._bit / 2), unit="ps")
            assert int(self._signal.value) == 0, "a start bit shorter than half a bit"
            byte = 0
            for bit in range(8):
                await Timer(int(self._bit), unit="ps")
                byte |= int(self._signal.value) << bit
            await Timer(int(self._bit), unit="ps")
            assert int(self._signal.value) == 1, "the stop bit is low"
            self.received.append(byte)

    async def wait(self, count: int, most_bits: int) -> bytes:
        """Waits for `count` bytes, at most this number of bits; returns all bytes."""
        for _ in range(most_bits):
            if len(self.received) >= count:
                break
            await Timer(int(self._bit), unit="ps")
        assert len(self.received) >= count, f"{len(self.received)} of {count} bytes"
        return bytes(self.received)
