# SPDX-License-Identifier: Apache-2.0 OR MIT
"""engine_window: counters, shape, interrupts and the watchdog of an engine compared with a model,
by two requesters at once."""

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import Lint, random_source, run_bench
from arith.simulation.streams import start
from card.model.frames import SPEC
from card.spec.emit_shell_tables import most_counters, most_shape_words
from card.spec.modules import MOST_COUNTER_BITS
from card.spec.specification import WINDOW_BYTES

OFFSETS = {r.name: r.offset for r in SPEC.window_registers}
COMMON = [r.name for r in SPEC.window_registers if r.counts]
BITS = {interrupt.name: interrupt.value for interrupt in SPEC.interrupts}
SHAPES, COUNTERS = most_shape_words(SPEC), most_counters(SPEC)
MODULES = {module.port: module for module in SPEC.modules}
CLOCKS = 6000


class Model:
    """The window's registers. `clock` processes the events of a clock and returns the value
    read."""

    def __init__(self, module):
        self.module = module
        self.counts = dict.fromkeys(COMMON, 0)
        self.own = [0] * len(module.counters)
        self.enable = self.pending = self.watchdog = self.waited = 0
        self.frozen = [0, 0]
        self.before = {}  # the events of the previous clock
        self.was_busy = False
        self.stalled = False

    def read(self, offset, source, shape):
        """The value at an offset; None if no register is there."""
        if offset == OFFSETS["engine"]:
            return len(self.own) << 16 | len(self.module.shape) << 8 | self.module.port
        if offset == OFFSETS["queue_bytes"]:
            return 4096
        for name, value in (("interrupt_enable", self.enable), ("watchdog", self.watchdog),
                            ("interrupt_pending", self.pending)):
            if offset == OFFSETS[name]:
                return value
        word = (offset - OFFSETS["shape"]) // 4
        if offset % 4 == 0 and 0 <= word < len(self.module.shape):
            return shape[word]
        pairs = {OFFSETS[name]: self.counts[name] for name in COMMON}
        pairs |= {OFFSETS["counters"] + 8 * i: count for i, count in enumerate(self.own)}
        if offset in pairs:
            self.frozen[source] = pairs[offset] >> 32
            return pairs[offset] & 0xFFFF_FFFF
        return self.frozen[source] if offset - 4 in pairs else None

    def clock(self, happens, access, shape):
        """(exists, refused, value) of the access that is read in this clock."""
        answer, write = (0, 0, 0), None
        if access is not None:
            source, writes, offset, value = access
            writable = offset in [OFFSETS[n] for n in ("interrupt_enable", "interrupt_pending",
                                                       "watchdog")]
            old = self.frozen[source]
            found = self.read(offset, source, shape)
            if writes:
                self.frozen[source] = old
                write = (offset, value) if writable else None
                answer = (int(found is not None), int(found is not None and not writable), 0)
            else:
                answer = (int(found is not None), 0, found or 0)
        self._step(happens, write)
        return answer

    def _step(self, happens, write):
        before, bit = self.before, lambda name, is_set: bool(is_set) << BITS[name]
        raised = (bit("error", before.get("errors")) | bit("ignored", before.get("ignored"))
                  | bit("idle", self.was_busy and not before.get("busy"))
                  | bit("stalled", self.stalled)
                  | bit("memory_error", before.get("memory_errors"))
                  | bit("timed_out", before.get("time_outs")))
        progress = before.get("progress", False)
        self.stalled = self.watchdog != 0 and self.waited == self.watchdog and not progress
        self.waited = 0 if progress else self.waited + 1
        clear = write[1] if write and write[0] == OFFSETS["interrupt_pending"] else 0
        self.pending = self.pending & ~clear | raised
        if write and write[0] == OFFSETS["interrupt_enable"]:
            self.enable = write[1] & (1 << len(BITS)) - 1
        if write and write[0] == OFFSETS["watchdog"]:
            self.watchdog = write[1]
        for name in COMMON:
            self.counts[name] += int(before.get(name, 0))
        self.own = [count + before.get("own", [0] * 9)[i] for i, count in enumerate(self.own)]
        self.was_busy = bool(before.get("busy"))
        self.before = happens


def packed(values, bits):
    return sum(value << bits * i for i, value in enumerate(values))


def events(rng, quiet):
    """The port activity of an engine in a clock. While it is `quiet` it is stuck with work in
    it."""
    chance = (lambda: False) if quiet else (lambda: rng.random() < 0.5)
    return {name: chance() for name in (
        "request_valid", "request_ready", "request_last", "reply_valid", "reply_ready",
        "reply_last", "idle", "error", "ignored", "memory_error", "timed_out")}


def meaning(now, own):
    """The events in the terms of the window's counters."""
    asked = now["request_valid"] and now["request_ready"]
    replied = now["reply_valid"] and now["reply_ready"]
    return {
        "busy": not now["idle"], "starved": now["request_ready"] and not now["request_valid"],
        "blocked": now["reply_valid"] and not now["reply_ready"], "errors": now["error"],
        "requests": asked and now["request_last"], "replies": replied and now["reply_last"],
        "ignored": now["ignored"], "own": own,
        "memory_errors": now["memory_error"], "time_outs": now["timed_out"],
        "progress": asked or replied or now["idle"] or now["ignored"],
    }


@cocotb.test()
async def random_accesses(dut):
    rng = random_source("window")
    module = MODULES[dut.Port.value.to_unsigned()]
    await start(dut, access_valid_i=0, enabled_i=1, report_i=0, access_i=0,
                request_valid_i=0, request_ready_i=0, request_last_i=0,
                reply_valid_i=0, reply_ready_i=0, reply_last_i=0, timed_out_i=0)
    model = Model(module)
    # High words that grow within the test.
    model.counts = {name: rng.getrandbits(31) << 32 | (1 << 32) - rng.randrange(1, 900)
                    for name in COMMON}
    model.own = [rng.getrandbits(31) << 32 | (1 << 32) - rng.randrange(1, 900) for _ in model.own]
    dut.count_q.value = packed([*model.counts.values(), *model.own], 64)
    held, expected, interrupt = None, (0, 0, 0), 0
    raised = set()
    places = [r.offset + 4 * i for r in SPEC.window_registers for i in range(r.words)]
    quiet = 0
    # The first clock after the reset counts the last clock of the reset, in which nothing happened
    # with work in the engine.
    model.before = meaning(dict.fromkeys(events(rng, True), False), [0] * COUNTERS)
    for clock in range(CLOCKS):
        quiet = rng.randrange(5, 60) if rng.random() < 0.02 else max(quiet - 1, 0)
        now = events(rng, quiet > 0)
        own = [rng.randrange(1 << c.bits) for c in module.counters]
        own += [0] * (COUNTERS - len(own))
        shape = [rng.getrandbits(32) for _ in range(SHAPES)]
        for name in ("request", "reply"):
            for part in ("valid", "ready", "last"):
                getattr(dut, f"{name}_{part}_i").value = int(now[f"{name}_{part}"])
        dut.timed_out_i.value = int(now["timed_out"])
        names = ("memory_error", "ignored", "error", "idle")
        pulses = packed([int(now[name]) for name in names], 1)
        dut.report_i.value = (
            (pulses << COUNTERS * MOST_COUNTER_BITS | packed(own, MOST_COUNTER_BITS))
            << 32 * SHAPES | packed(shape, 32))
        # Few watchdogs are long, and most writes go to writable registers.
        source, write = rng.randrange(2), rng.random() < 0.3
        offset = rng.choice([*places, 0x000, 0xF05, OFFSETS["interrupt_pending"],
                             OFFSETS["interrupt_enable"], OFFSETS["watchdog"]])
        value = rng.choice([0, 3, 10, 17, rng.getrandbits(32)])
        window = module.window if rng.random() < 0.9 else rng.randrange(1 << 20)
        address = window * WINDOW_BYTES | offset
        valid = rng.random() < 0.8
        dut.access_valid_i.value = int(valid)
        dut.access_i.value = source << 65 | write << 64 | address << 32 | value
        await ReadOnly()
        exists, refused, read = expected
        assert int(dut.access_o.value) == exists << 33 | refused << 32 | read, f"clock {clock}"
        assert int(dut.interrupt_o.value) == interrupt
        assert int(dut.counters_o.value) == packed(model.own, 64)
        interrupt = int(model.enable & model.pending != 0)
        raised |= {name for name, bit in BITS.items() if model.pending >> bit & 1}
        expected = model.clock(meaning(now, own), held, shape)
        held = (source, write, offset, value) if valid and window == module.window else None
        await RisingEdge(dut.clk_i)
    assert raised == set(BITS)


@cocotb.test()
async def an_engine_that_is_not_enabled_has_no_window(dut):
    module = MODULES[dut.Port.value.to_unsigned()]
    await start(dut, access_valid_i=1, enabled_i=0, report_i=0, request_valid_i=0,
                request_ready_i=0, request_last_i=0, reply_valid_i=0, reply_ready_i=0,
                reply_last_i=0, timed_out_i=0, access_i=0)
    for write in range(2):
        address = module.window * WINDOW_BYTES | OFFSETS["interrupt_enable"]
        dut.access_i.value = write << 64 | address << 32 | 15
        for _ in range(4):
            await RisingEdge(dut.clk_i)
        await ReadOnly()
        assert int(dut.access_o.value) == 0
        assert int(dut.interrupt_o.value) == 0
        await RisingEdge(dut.clk_i)


LINTS = [Lint("engine_window", {"Port": port}) for port in MODULES]


@pytest.mark.parametrize("port", MODULES)
def test_engine_window(port):
    run_bench(__file__, "engine_window", {"Port": port}, visible={"engine_window": "* count_q"},
              optimize="-O0")
