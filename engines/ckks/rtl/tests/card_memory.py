# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A simulated card memory behind AXI4: latency, limited bandwidth, refreshes, random back-pressure.
It answers bursts in order, and fails if a master breaks a rule of the bus."""

import random
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import cocotb
from cocotb.triggers import Event, ReadOnly, RisingEdge
from cocotb.utils import get_sim_time

from arith.simulation.ports import reader, writer
from arith.simulation.streams import CLOCK_PERIOD_NS

PAGE_BYTES = 4096
MOST_BEATS = 256
IDLE_CLOCKS = 4
"""The number of idle clocks after which the memory sleeps."""
OKAY, SLAVE_ERROR = 0, 2
# The fields of a burst, on either channel of addresses.
ADDRESS = {channel: tuple(f"{channel}{part}" for part in ("addr", "len", "size", "burst"))
           for channel in ("ar", "aw")}
# The signals of a master on each of its channels, and its inputs.
SAID = {
    "ar": ("arvalid", *ADDRESS["ar"], "rready"),
    "aw": ("awvalid", *ADDRESS["aw"], "wvalid", "wdata", "wstrb", "wlast", "bready"),
}
HEARD = {
    "ar": ("arready", "rvalid", "rdata", "rresp", "rlast"),
    "aw": ("awready", "wready", "bvalid", "bresp"),
}


@dataclass
class Timing:
    """In clocks; a bandwidth of 1 is a beat a clock."""

    latency: int = 30
    jitter: int = 10
    bandwidth: float = 1.0
    refresh_interval: int = 400
    refresh_clocks: int = 30
    pause: float = 0.0
    """The probability of a clock in which a channel takes or gives nothing."""


@dataclass
class Burst:
    address: int
    beats: int
    due: int
    data: list[int | None] = field(default_factory=list)
    """None is a beat in which no byte is written."""


class CardMemory:
    """`size` bytes behind the master ports `<prefix>_*` of the module under test."""

    def __init__(self, dut: Any, rng: random.Random, beat_bytes: int, size: int,
                 timing: Timing, prefix: str = "m_axi") -> None:
        self.channels = [name for name in SAID if hasattr(dut, f"{prefix}_{name}valid")]
        self._said = {name: reader(getattr(dut, f"{prefix}_{name}"))
                      for channel in self.channels for name in SAID[channel]}
        self._set = {name: writer(getattr(dut, f"{prefix}_{name}"))
                     for channel in self.channels for name in HEARD[channel]}
        self.dut, self.rng, self.timing = dut, rng, timing
        self.beat_bytes, self.bytes = beat_bytes, bytearray(size)
        self.failing: set[int] = set()
        """Pages for which accesses are answered with an error."""
        self.cuts_bursts = False
        """True if the last beat of each read burst lacks its mark."""
        self.clock, self.tokens = 0, 0.0
        self.empty_beats: int | None = None
        """The number of beats in which no byte was written; None: such beats are forbidden."""
        self.reads: deque[Burst] = deque()
        self.writes: deque[Burst] = deque()
        self.answers: deque[Burst] = deque()
        self.read_bursts: list[tuple[int, int]] = []
        self.write_bursts: list[tuple[int, int]] = []
        self._offered: dict[str, tuple[int, ...]] = {}
        # Beats may come before their address.
        self._early: deque[tuple[int, int, int]] = deque()
        valids = [f"{name}valid" for name in ("ar", "aw", "w") if f"{name}valid" in self._said]
        self._valid = [self._said[name] for name in valids]
        self._something = Event()
        self._tasks = [cocotb.start_soon(self._run()), *(
            cocotb.start_soon(self._wake(RisingEdge(getattr(dut, f"{prefix}_{name}"))))
            for name in valids)]

    def read(self, address: int, size: int) -> bytes:
        return bytes(self.bytes[address:address + size])

    def write(self, address: int, data: bytes) -> None:
        self.bytes[address:address + len(data)] = data

    def stop(self) -> None:
        for task in self._tasks:
            task.cancel()

    def forget(self) -> None:
        """Forgets all open transactions, after a reset."""
        for queue in (self.reads, self.writes, self.answers, self._early):
            queue.clear()
        self._offered.clear()

    def _pauses(self) -> bool:
        return self.rng.random() < self.timing.pause

    def _is_refreshing(self) -> bool:
        return self.clock % self.timing.refresh_interval < self.timing.refresh_clocks

    def _spends(self) -> bool:
        """Returns whether the memory moves a beat in this clock; reads and writes share it."""
        if self.tokens < 1 or self._is_refreshing() or self._pauses():
            return False
        self.tokens -= 1
        return True

    def _stable(self, channel: str, fields: tuple[str, ...], taken: bool) -> tuple[int, ...] | None:
        """Returns the offer of a channel; a beat that was offered before must stay the same."""
        offered = None
        if self._said[f"{channel}valid"]():
            offered = tuple([self._said[name]() for name in fields])
        before = self._offered.pop(channel, None)
        assert before is None or offered == before, f"{channel}: {before}, then {offered}"
        if offered is not None and not taken:
            self._offered[channel] = offered
        return offered if taken else None

    def _burst(self, address: int, length: int, size: int, kind: int) -> Burst:
        beats = length + 1
        assert 1 << size == self.beat_bytes and kind == 1, "not INCR, or not of full width"
        assert address % self.beat_bytes == 0 and beats <= MOST_BEATS
        last = address + beats * self.beat_bytes - 1
        assert address // PAGE_BYTES == last // PAGE_BYTES, f"{address:#x} + {beats} crosses 4 KiB"
        assert last < len(self.bytes), f"{address:#x} is beyond the memory"
        due = self.clock + self.timing.latency + self.rng.randint(0, self.timing.jitter)
        return Burst(address, beats, due)

    def _response(self, burst: Burst) -> int:
        return SLAVE_ERROR if burst.address // PAGE_BYTES in self.failing else OKAY

    async def _run(self) -> None:
        put = self._set
        for write in put.values():
            write(0)
        reads, writes = "ar" in self.channels, "aw" in self.channels
        reading = writing = False
        edge, out_of_reset = RisingEdge(self.dut.clk_i), reader(self.dut.rst_ni)
        idle = 0
        while True:
            self.tokens = min(self.tokens + self.timing.bandwidth, 4.0)
            address_ready = not self._pauses() and len(self.reads) < 8
            write_ready = not self._pauses() and len(self.writes) < 8
            if reads:
                put["arready"](int(address_ready))
                reading = self._offer_read(reading)
            if writes:
                put["awready"](int(write_ready))
                put["wready"](int(takes := len(self._early) < 16 and self._spends()))
                writing = self._offer_answer(writing)
            await ReadOnly()
            idle = idle + 1 if self._is_idle() else 0
            if idle > IDLE_CLOCKS:
                await self._sleep()
                idle = 0
            if not out_of_reset():
                self.forget()
                reading = writing = False
            else:
                if reads:
                    self._take_read_address(address_ready)
                    if reading and self._said["rready"]():
                        reading = False
                        self._read_beat_is_taken()
                if writes:
                    self._take_write(write_ready, takes)
                    if writing and self._said["bready"]():
                        writing = False
                        self.answers.popleft()
            await edge
            self.clock += 1

    def _is_idle(self) -> bool:
        """Returns whether no transaction is open and none is offered."""
        return not (self.reads or self.writes or self.answers or self._early
                    or any(valid() for valid in self._valid))

    async def _wake(self, begins: RisingEdge) -> None:
        while True:
            await begins
            self._something.set()

    async def _sleep(self) -> None:
        """Waits for the next offer, with the ready signals unchanged."""
        before = get_sim_time("ps")
        self._something.clear()
        await self._something.wait()
        await ReadOnly()
        clocks = int(get_sim_time("ps") - before) // (1000 * CLOCK_PERIOD_NS)
        self.clock += clocks
        self.tokens = min(self.tokens + self.timing.bandwidth * clocks, 4.0)

    def _offer_read(self, offered: bool) -> bool:
        """Offers the next beat, or continues to offer it."""
        if not offered and self.reads and self.clock >= self.reads[0].due and self._spends():
            offered = True
        self._set["rvalid"](int(offered))
        if offered:
            burst = self.reads[0]
            data = self.read(burst.address, self.beat_bytes)
            self._set["rdata"](int.from_bytes(data, "little"))
            self._set["rresp"](self._response(burst))
            self._set["rlast"](int(burst.beats == 1 and not self.cuts_bursts))
        return offered

    def _take_read_address(self, ready: bool) -> None:
        taken = self._stable("ar", ADDRESS["ar"], ready)
        if taken is not None:
            burst = self._burst(*taken)
            self.reads.append(burst)
            self.read_bursts.append((burst.address, burst.beats))

    def _read_beat_is_taken(self) -> None:
        burst = self.reads[0]
        burst.address, burst.beats = burst.address + self.beat_bytes, burst.beats - 1
        if burst.beats == 0:
            self.reads.popleft()

    def _take_write(self, address_ready: bool, ready: bool) -> None:
        taken = self._stable("aw", ADDRESS["aw"], address_ready)
        if taken is not None:
            burst = self._burst(*taken)
            self.writes.append(burst)
            self.write_bursts.append((burst.address, burst.beats))
        beat = self._stable("w", ("wdata", "wstrb", "wlast"), ready)
        if beat is not None:
            self._early.append(beat)
        while self._early and self.writes:
            data, strobes, last = self._early.popleft()
            burst = self.writes[0]
            if strobes == 0:
                assert self.empty_beats is not None, "a beat without bytes"
                self.empty_beats += 1
            else:
                assert strobes == (1 << self.beat_bytes) - 1
            burst.data.append(data if strobes else None)
            assert last == int(len(burst.data) == burst.beats), "WLAST is not with the last beat"
            if last:
                self.writes.popleft()
                self._store(burst)
                burst.due = self.clock + self.timing.latency // 2
                self.answers.append(burst)

    def _store(self, burst: Burst) -> None:
        if self._response(burst) == OKAY:
            for number, data in enumerate(burst.data):
                if data is None:
                    continue
                self.write(burst.address + number * self.beat_bytes,
                           data.to_bytes(self.beat_bytes, "little"))

    def _offer_answer(self, offered: bool) -> bool:
        if not offered and self.answers and self.clock >= self.answers[0].due:
            offered = not self._pauses()
        self._set["bvalid"](int(offered))
        if offered:
            self._set["bresp"](self._response(self.answers[0]))
        return offered


def runs_of(rng: random.Random, beat_bytes: int, size: int, count: int) -> list[tuple[int, int]]:
    """Returns addresses and beats of runs: short, long, up to a page's end and across it."""
    page, last = PAGE_BYTES // beat_bytes, size // beat_bytes
    runs = []
    for _ in range(count):
        beats = rng.choice((1, 2, page, page + 1, rng.randint(1, 3 * page)))
        edge = rng.randrange(4, last // page - 3) * page
        first = rng.choice((0, last - beats, edge, edge - beats, edge - 1,
                            rng.randrange(last - beats)))
        runs.append((first * beat_bytes, beats))
    return runs
