# SPDX-License-Identifier: Apache-2.0 OR MIT
"""blake3_port against the golden model: every mode and status, pauses, resets, the official
vectors, and the blocks per clock."""

import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from arith.simulation.bench import Lint, in_sweep, run_bench, setting
from arith.simulation.engines import UnorderedBench
from arith.simulation.ports import reader
from arith.simulation.toolchain import BUILD_ROOT
from card.model.frames import beats_of, flipped
from engines.blake3.model.hashing import Mode, compute
from engines.blake3.rtl.tests.blake3_frames import (
    BEAT_BYTES, CORRUPT, DATA, HASH, OK, Message, Reply, parse_reply, random_cuts, random_message,
)
from engines.blake3.rtl.tests.blake3_oracle import Oracle, bad_stream

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "blake3.json").read_text())


class Bench(UnorderedBench[Reply]):
    """The engine, its errors, and the blocks that it begins."""

    def __init__(self, dut: Any, rng: random.Random, pause_in: float, pause_out: float) -> None:
        super().__init__(dut, rng, pause_in, pause_out)
        self.errors = self.expected_errors = self.begun = self.clocks = 0
        assert int(dut.shape_o.value) & 0xFF == 7 * int(setting("stages")) + 2
        cocotb.start_soon(self._count())

    async def _count(self) -> None:
        edge = RisingEdge(self.dut.clk_i)
        errors, events = reader(self.dut.error_o), reader(self.dut.events_o)
        while True:
            await edge
            self.errors += errors()
            self.begun += events() & 1
            self.clocks += 1

    def frame(self, frame: bytes) -> None:
        self.driver.send(beats_of(frame, BEAT_BYTES))

    def expect(self, reply: Reply) -> None:
        self.waiting[reply] += 1
        self.expected_errors += reply.status != OK

    def message(self, message: Message, cuts: Sequence[int] = ()) -> None:
        for frame in message.frames(cuts):
            self.frame(frame)
        self.expect(message.reply())

    def parse(self, beats: list[int]) -> Reply:
        return parse_reply(beats)

    async def until(self, condition: Callable[[], bool], clocks: int = 100_000) -> None:
        """Waits for a condition, which may depend on the clocks."""
        edge = RisingEdge(self.dut.clk_i)
        for _ in range(clocks):
            self.check()
            if condition():
                return
            await edge
        raise AssertionError(f"no reply in {clocks} clocks: {+self.waiting}")

    async def finish(self, clocks: int = 200_000) -> None:
        await super().finish(clocks)
        assert self.errors == self.expected_errors


STATUSES = 8
# Around block, chunk and half-beat boundaries, and where the checksum crosses a beat boundary.
EDGES = [0, 1, 23, 24, 25, 31, 32, 33, 55, 56, 57, 63, 64, 65, 88, 96, 97, 127, 128, 129, 1000,
         1023, 1024, 1025, 1056, 1057, 2047, 2048, 2049, 3072, 3073, 4096, 4097, 5121, 7169, 8193]


@cocotb.test()
async def official_vectors(dut: Any) -> None:
    """Hash, keyed hash and both stages of derive_key, 131 bytes of output."""
    bench = await Bench.begin(dut, "vectors", 0.05, 0.05)
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
    """Lengths around every boundary and random ones, in any number of frames."""
    bench = await Bench.begin(dut, f"lengths {pauses}", *pauses)
    lengths = EDGES + [bench.rng.randint(0, 6000) for _ in range(20)]
    bench.rng.shuffle(lengths)
    if pauses != (0.0, 0.0):
        lengths = lengths[:25]
    for length in lengths:
        bench.message(random_message(bench.rng, length), random_cuts(bench.rng, length))
    await bench.finish()


@cocotb.test()
@cocotb.parametrize(pauses=[(0.0, 0.0), (0.2, 0.5)])
async def bad_streams(dut: Any, pauses: tuple[float, float]) -> None:
    """Every defect between good messages: each is reported, and nothing else is affected."""
    bench = await Bench.begin(dut, f"bad {pauses}", *pauses)
    oracle, seen = Oracle(), Counter[int]()
    for number in range(3000):
        # Some statuses may not occur by chance for a long time.
        if number >= 160 and len(seen) == STATUSES:
            break
        for frame in bad_stream(bench.rng, 5000 if number % 8 == 0 else 1500):
            for reply in oracle.replies(frame):
                bench.expect(reply)
                seen[reply.status] += 1
            bench.frame(frame)
    last = random_message(bench.rng, 3000)
    for reply in oracle.replies(last.frames()[0]):
        bench.expect(reply)
    bench.frame(last.frames()[0])
    await bench.finish()
    assert set(seen) == set(range(STATUSES)), f"not every status was seen: {seen}"


@cocotb.test()
async def every_sort_of_bit_flipped(dut: Any) -> None:
    """A frame with any bit flipped is corrupt; the next frame is good."""
    bench = await Bench.begin(dut, "bits")
    message = random_message(bench.rng, 45)
    frame = message.frames()[0]
    bits = [*range(32, 40), *bench.rng.sample(range(8 * len(frame)), 100)]
    for bit in bits:
        turned = flipped(frame, bit)
        index = int.from_bytes(turned[8:16], "little")
        bench.frame(turned)
        bench.expect(Reply(index, CORRUPT, command=DATA if bit == 32 else HASH))
        bench.message(message)
    await bench.finish()


@cocotb.test()
async def beats_lost_and_put_in(dut: Any) -> None:
    """A number of beats that contradicts the length: corrupt, and the engine stays in sync."""
    bench = await Bench.begin(dut, "beats", 0.1, 0.1)
    for _ in range(40):
        message = random_message(bench.rng, bench.rng.randint(200, 2500))
        beats = beats_of(message.frames()[0], BEAT_BYTES)
        at = bench.rng.randrange(1, len(beats))
        if bench.rng.random() < 0.5:
            del beats[at]
        else:
            beats.insert(at, bench.rng.getrandbits(512))
        bench.driver.send(beats)
        bench.expect(Reply(message.index, CORRUPT))
        bench.message(random_message(bench.rng, bench.rng.randint(0, 300)))
    await bench.finish()


@cocotb.test()
async def long_outputs_and_a_reader_that_waits(dut: Any) -> None:
    """No reply is taken until the engine stalls; then all come, including the longest output."""
    bench = await Bench.begin(dut, "outputs", 0.0, 1.0)
    longest = Message(7, bench.rng.randbytes(3000), Mode.HASH, b"", 65472, 0xFFFF_FFF0)
    bench.message(longest)
    for _ in range(220):
        first = bench.rng.getrandbits(32)
        bench.message(Message(first, bench.rng.randbytes(bench.rng.randint(0, 900)), Mode.HASH,
                              b"", bench.rng.randint(700, 900), first))
    await bench.until(lambda: bench.clocks > 25_000)
    assert bench.checked == 0 and int(dut.req_ready_o.value) == 0
    begun = bench.begun
    await bench.until(lambda: bench.clocks > 26_000)
    assert bench.begun == begun
    bench.monitor.pause = 0.0
    await bench.finish()


@cocotb.test()
async def hard_reset_in_mid_stream(dut: Any) -> None:
    bench = await Bench.begin(dut, "hard reset", 0.1, 0.1)
    for _ in range(6):
        for _ in range(10):
            bench.message(random_message(bench.rng, bench.rng.randint(0, 5000)))
        await ClockCycles(dut.clk_i, bench.rng.randrange(10, 700))
        await bench.hard_reset()
    bench.message(random_message(bench.rng, 3000))
    await bench.finish()


@cocotb.test()
async def soft_reset_in_mid_stream(dut: Any) -> None:
    """The frame being offered is completed correctly; all others are dropped."""
    bench = await Bench.begin(dut, "soft reset", 0.1)
    for _ in range(20):
        bench.monitor.pause = bench.rng.choice((0.0, 0.3, 0.95))
        for _ in range(8):
            message = random_message(bench.rng, bench.rng.choice((40, 700, 4000)))
            bench.message(message, random_cuts(bench.rng, len(message.data)))
        await ClockCycles(dut.clk_i, bench.rng.randrange(10, 600))
        await bench.soft_reset()
    for _ in range(10):
        bench.message(random_message(bench.rng, bench.rng.randint(0, 3000)))
    bench.errors = bench.expected_errors
    await bench.finish()


@cocotb.test()
@cocotb.parametrize(kind=["long", "mixed"])
async def blocks_a_clock(dut: Any, kind: str) -> None:
    """A long message, and random lengths of 1 to 4,096 bytes, without a pause: compressions per
    clock. `whole` is from the first beat in to the last beat out; `steady` excludes the filling of
    the pipeline and, after the last beat in, its draining."""
    bench = await Bench.begin(dut, f"rate {kind}")
    lengths = [int(setting("long_bytes"))]
    if kind == "mixed":
        lengths = [bench.rng.randint(1, 4096) for _ in range(int(setting("mixed")))]
    for length in lengths:
        message = Message(bench.rng.getrandbits(64), bench.rng.randbytes(length))
        bench.message(message, [63 * i for i in range(1, -(-length // 64_512))])
    compressions = sum(max(1, -(-n // 64)) + max(0, -(-n // 1024) - 1) for n in lengths)
    fill = bench.clocks + 20 * (int(dut.shape_o.value) & 0xFF)
    before = bench.clocks, bench.begun
    sent = cocotb.start_soon(bench.driver.drained(clocks=1_000_000))
    await bench.until(lambda: bench.clocks >= fill)
    full = bench.clocks, bench.begun
    await bench.until(sent.done)
    last_in = bench.clocks, bench.begun
    await bench.finish()
    assert bench.begun - before[1] == compressions
    steady = (last_in[1] - full[1]) / (last_in[0] - full[0])
    report = {"lengths": lengths if kind == "long" else f"{len(lengths)} of 1 to 4,096",
              "compressions": compressions, "clocks": bench.clocks - before[0],
              "whole": round(compressions / (bench.clocks - before[0]), 4),
              "steady": round(steady, 4)}
    file = BUILD_ROOT / "reports" / f"blake3_engine_{kind}_stages_{setting('stages')}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(report, indent=2) + "\n")
    assert steady >= (0.98 if kind == "long" else 0.9), report


# Every test at two additions per stage; the shortest pipeline, with so few slots that all are
# always taken; in sweeps the longest one, whose stages test_blake3_tree covers in each run.
CASES = [
    pytest.param(4, 128, 128, None, id="two-additions"),
    pytest.param(1, 4, 2, "lengths|bad|reader|soft", id="few-slots"),
    *in_sweep([pytest.param(8, 128, 128, "lengths|blocks", id="one-addition")]),
]


@pytest.mark.parametrize("stages, chunks, messages, tests", CASES)
def test_blake3_engine(stages: int, chunks: int, messages: int, tests: str | None) -> None:
    run_bench(
        __file__, "blake3_port",
        {"StagesPerRound": stages, "Chunks": chunks, "Messages": messages},
        settings={"stages": stages, "long_bytes": 100_000, "mixed": 60}, tests=tests,
    )


PARTS = ["request", "scheduler", "output", "reply", "compress"]
LINTS = [
    *(Lint("blake3_port", {"StagesPerRound": stages, "Chunks": slots, "Messages": slots})
      for stages, slots in ((1, 2), (2, 256), (4, 128), (8, 64))),
    *(Lint(f"blake3_{part}") for part in PARTS),
]
