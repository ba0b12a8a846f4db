# SPDX-License-Identifier: Apache-2.0 OR MIT
"""blake3_engine against the golden model: every mode and status, pauses, resets, the official
vectors, and how many blocks a clock it takes."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import lint_bench, random_source, run_bench, setting
from arith.simulation.streams import StreamDriver, StreamMonitor, reset, start
from engines.blake3.model.hashing import Mode, compute
from engines.blake3.rtl.tests.blake3_frames import (
    ABANDONED, CORRUPT, DATA, HASH, NO_MESSAGE, OK, UNKNOWN_MODE, WRONG_LENGTH, WRONG_OUTPUT,
    WRONG_PLACE, Message, Reply, data_frame, hash_frame, parse_reply, random_cuts, random_message,
    to_beats, to_frame,
)

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "blake3.json").read_text())
BLOCKS_A_CLOCK = 0.95


class Bench:
    """The engine with a driver and a monitor; replies are matched to requests in any order."""

    def __init__(self, dut: Any, rng: random.Random, pause_in: float, pause_out: float) -> None:
        self.dut, self.rng = dut, rng
        self.driver = StreamDriver(dut, "req", rng, pause_in)
        self.monitor = StreamMonitor(dut, "rpl", rng, pause_out)
        self.waiting: Counter[Reply] = Counter()
        self.errors = self.expected_errors = self.checked = self.begun = self.clocks = 0
        cocotb.start_soon(self._count())

    async def _count(self) -> None:
        while True:
            await RisingEdge(self.dut.clk_i)
            self.errors += int(self.dut.error_o.value)
            self.begun += int(self.dut.block_begun_o.value)
            self.clocks += 1

    def frame(self, frame: bytes) -> None:
        self.driver.send(to_beats(frame))

    def expect(self, reply: Reply) -> None:
        self.waiting[reply] += 1
        self.expected_errors += reply.status != OK

    def message(self, message: Message, cuts: Sequence[int] = ()) -> None:
        for frame in message.frames(cuts):
            self.frame(frame)
        self.expect(message.reply())

    def check(self) -> None:
        """Matches the frames that have come since the last call."""
        for beats in self.monitor.frames[self.checked:]:
            reply = parse_reply(beats)
            assert self.waiting[reply] > 0, f"nobody waits for {reply}"
            self.waiting[reply] -= 1
            self.checked += 1

    def outstanding(self) -> list[Reply]:
        return [reply for reply, count in self.waiting.items() if count > 0]

    async def until(self, condition: Callable[[], bool], clocks: int = 100_000) -> None:
        for _ in range(clocks):
            self.check()
            if condition():
                return
            await RisingEdge(self.dut.clk_i)
        raise AssertionError(f"no reply in {clocks} clocks: {self.outstanding()[:5]}")

    async def finish(self, clocks: int = 200_000) -> None:
        """Every reply has come, and the engine says that it is idle."""
        await self.until(lambda: not self.outstanding(), clocks)
        await RisingEdge(self.dut.clk_i)
        await ReadOnly()
        assert int(self.dut.idle_o.value) == 1 and int(self.dut.rpl_valid_o.value) == 0
        await RisingEdge(self.dut.clk_i)
        assert self.errors == self.expected_errors


async def _start(dut: Any, name: str, pause_in: float = 0.0, pause_out: float = 0.0) -> Bench:
    rng = random_source(name)
    await start(dut, soft_reset_i=0, req_valid_i=0, req_data_i=0, req_last_i=0, rpl_ready_i=0)
    bench = Bench(dut, rng, pause_in, pause_out)
    assert int(dut.idle_o.value) == 1
    assert int(dut.stages_o.value) == 7 * int(setting("stages")) + 2
    return bench


# Around block, chunk and half-beat borders, and where the checksum crosses into another beat.
EDGES = [0, 1, 23, 24, 25, 31, 32, 33, 55, 56, 57, 63, 64, 65, 88, 96, 97, 127, 128, 129, 1000,
         1023, 1024, 1025, 1056, 1057, 2047, 2048, 2049, 3072, 3073, 4096, 4097, 5121, 7169, 8193]


@cocotb.test()
async def official_vectors(dut: Any) -> None:
    """Hash, keyed hash and both stages of derive_key, 131 bytes of output."""
    bench = await _start(dut, "vectors", 0.05, 0.05)
    context = VECTORS["context_string"].encode()
    derived = compute(Mode.DERIVE_KEY_CONTEXT, context)
    bench.message(Message(1 << 60, context, Mode.DERIVE_KEY_CONTEXT))
    for number, case in enumerate(VECTORS["cases"]):
        length = case["input_len"]
        if length > 8193:
            continue
        data = (bytes(range(251)) * (length // 251 + 1))[:length]
        for mode, key, name in ((Mode.HASH, b"", "hash"),
                                (Mode.KEYED_HASH, VECTORS["key"].encode(), "keyed_hash"),
                                (Mode.DERIVE_KEY_MATERIAL, derived, "derive_key")):
            message = Message(number << 8 | mode, data, mode, key, 131)
            for frame in message.frames():
                bench.frame(frame)
            bench.expect(Reply(message.index, OK, bytes.fromhex(case[name])))
    await bench.finish()


@cocotb.test()
@cocotb.parametrize(pauses=[(0.0, 0.0), (0.3, 0.3), (0.0, 0.9), (0.9, 0.0)])
async def lengths_modes_and_outputs(dut: Any, pauses: tuple[float, float]) -> None:
    """Lengths around every border and random ones, in any number of frames."""
    bench = await _start(dut, f"lengths {pauses}", *pauses)
    lengths = EDGES + [bench.rng.randint(0, 6000) for _ in range(20)]
    bench.rng.shuffle(lengths)
    if pauses != (0.0, 0.0):
        lengths = lengths[:25]
    for length in lengths:
        bench.message(random_message(bench.rng, length), random_cuts(bench.rng, length))
    await bench.finish()


def test_blake3_engine() -> None:
    run_bench(__file__, "blake3_engine", {"StagesPerRound": 4}, settings={"stages": 4})


def test_lint() -> None:
    lint_bench("blake3_engine")
