# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The card's table of engines/blake3/README.md: blocks per clock, from the simulated card.

    python -m engines.blake3.rtl.table            measure, and write the section of the README
                                               and build/reports/blake3_table.json
    python -m engines.blake3.rtl.table --json     print the report, leave the README alone
    python -m engines.blake3.rtl.table --from build/reports/blake3_table.json

A case is sent in one stream, with a status request before it; a second one is sent when the last
reply has arrived. Blocks and clocks are counted between the two: the whole path from a message's
first frame to its reply, including the links. The clock of the simulated card stops only when it is
idle, so the host must keep it busy, and the best of several runs counts. Fails (exit code 1) if a
case has fewer blocks per clock than required, or a digest is wrong. Exit code 4: a tool is missing.
"""

import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from arith.simulation.toolchain import PROJECT_ROOT
from card.model import commands
from card.model.commands import StatusReply
from card.model.frames import Frame
from card.sim.build import STREAM_BYTES
from card.sim.table import Table, TableFailed, best_of_runs, table_lines
from card.sim.tests.simulator import Client, Simulator
from engines.blake3.model.frames import Blake3Reply, blake3_message
from engines.blake3.model.hashing import Mode, compute

README = PROJECT_ROOT / "engines" / "blake3" / "README.md"
RUNS = 3
LIMIT_S = 1800.0
# The number of digests per case that the golden model computes too; it manages a few megabytes a
# minute.
CHECKED = 20
MIB = 1 << 20


@dataclass(frozen=True)
class Case:
    """Messages, given by their lengths in bytes, and the required blocks per clock."""

    title: str
    lengths: Sequence[int]
    least: float
    checked: int = CHECKED

    def __post_init__(self) -> None:
        assert self.checked <= len(self.lengths)


@dataclass(frozen=True)
class Figures:
    """The card's counters for a case."""

    messages: int
    bytes: int
    blocks: int
    clocks: int
    starved: int
    simulated_clocks_per_cpu_s: int

    @property
    def blocks_per_clock(self) -> float:
        return self.blocks / self.clocks


def cases() -> dict[str, Case]:
    rng = random.Random(4096)
    return {
        "1 MiB": Case("one message of 1 MiB", [MIB], 0.93, 0),
        "4 MiB": Case("one message of 4 MiB", [4 * MIB], 0.97, 0),
        "many": Case("10,000 messages of 1 to 4,096 bytes",
                     [rng.randrange(1, 4097) for _ in range(10_000)], 0.90),
    }


def blocks_of(length: int) -> int:
    """Compressions of a message: its blocks, and one parent for each chunk except one."""
    chunks = max(1, -(-length // 1024))
    return max(1, -(-length // 64)) + chunks - 1


def measure(simulator: Simulator, client: Client, case: Case, seed: int) -> Figures:
    """Sends the messages of a case and reads the counters before and after."""
    rng = random.Random(seed)
    messages = [rng.randbytes(length) for length in case.lengths]
    stream = b"".join(
        frame.encode(STREAM_BYTES)
        for index, message in enumerate(messages)
        for frame in blake3_message(index, message))
    before_cpu_s = simulator.cpu_s()
    ask = commands.get_fpga_status()
    frames = client.exchange(ask.encode(STREAM_BYTES) + stream, 1 + len(messages), LIMIT_S)
    after = client.status()
    cpu_s = simulator.cpu_s() - before_cpu_s
    (before,) = [StatusReply.of(f) for f in frames if f.name == "get_fpga_status"]
    check_digests(messages, [f for f in frames if f.name == "blake3_hash"], case.checked)
    clocks = after.clocks - before.clocks
    return Figures(
        len(messages), sum(case.lengths), after.blake3_blocks - before.blake3_blocks, clocks,
        after.blake3_starved - before.blake3_starved, round(clocks / max(cpu_s, 0.01)))


def check_digests(messages: Sequence[bytes], frames: Sequence[Frame], checked: int) -> None:
    """Checks that every message has one good reply; compares the first `checked` with the model."""
    replies = {reply.index: reply for reply in map(Blake3Reply.of, frames)}
    if len(frames) != len(messages) or replies.keys() != set(range(len(messages))):
        raise TableFailed(f"{len(frames)} replies to {len(messages)} messages")
    for index, reply in replies.items():
        if reply.status != 0 or len(reply.output) != 32:
            raise TableFailed(f"message {index} of {len(messages[index])} bytes: {reply}")
        if index < checked and reply.output != compute(Mode.HASH, messages[index]):
            raise TableFailed(f"message {index} of {len(messages[index])} bytes: wrong digest")


def shape(client: Client) -> dict[str, int]:
    """Stages, pipelines and chunks of the card's register `blake3_shape`."""
    value = client.read("blake3_shape")
    return {"stages": value & 0xFF, "pipelines": value >> 8 & 0xFF, "chunks": value >> 16}


def measure_all(runs: int = RUNS) -> dict[str, Any]:
    """Every case on the default card; the best of `runs` runs of each."""
    return best_of_runs(cases(), measure, lambda figures: figures.blocks_per_clock, shape, runs)


def check(report: dict[str, Any]) -> None:
    """Raises TableFailed if the report misses the required figures, or its blocks do not match the
    messages."""
    for name, case in cases().items():
        figures = Figures(**report["cases"][name])
        expected = sum(map(blocks_of, case.lengths))
        if figures.blocks != expected:
            raise TableFailed(f"{case.title}: {figures.blocks} blocks instead of {expected}")
        if figures.blocks_per_clock < case.least:
            raise TableFailed(f"{case.title}: {figures.blocks_per_clock:.3f} blocks per clock, "
                              f"less than {case.least}")


def section(report: dict[str, Any]) -> str:
    """The section of the README."""
    pipeline = report["shape"]
    lines = [
        f"The simulated card, {report['date']}: a stream of {STREAM_BYTES} bytes a clock, "
        f"{pipeline['pipelines']} pipeline of {pipeline['stages']} stages, "
        f"{pipeline['chunks']} chunks inside.", "",
        *table_lines(
            ("from the first frame to the last reply", "blocks", "clocks", "blocks a clock", "bytes a clock",
             "clocks without a block to begin"),
            [(case.title, f"{figures.blocks:,}", f"{figures.clocks:,}", f"{figures.blocks_per_clock:.3f}",
              f"{figures.bytes / figures.clocks:.1f}", f"{figures.starved:,}")
             for case, figures in ((case, Figures(**report["cases"][name])) for name, case in cases().items())]),
    ]
    return "\n".join(lines)


TABLE = Table("blake3_table", "engines.blake3.rtl.table", README, measure_all, check, section)


if __name__ == "__main__":
    sys.exit(TABLE.main(__doc__))
