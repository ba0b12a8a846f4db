# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The BLAKE3 table: its checks, and that the README's table matches these cases."""

import copy
import random
from pathlib import Path
from typing import Any

import pytest

from card.sim.tests.simulator import Simulator
from card.sim.tests.table_rows import rows, rows_of
from engines.blake3.rtl import table
from engines.blake3.rtl.table import Case, TableFailed, blocks_of, cases, measure
from engines.blake3.model.frames import blake3_reply
from engines.blake3.model.hashing import Mode, compute


def made_up_report() -> dict[str, Any]:
    found = {}
    for name, case in cases().items():
        blocks = sum(map(blocks_of, case.lengths))
        found[name] = {
            "messages": len(case.lengths), "bytes": sum(case.lengths), "blocks": blocks,
            "clocks": round(blocks / 0.98), "starved": blocks // 50,
            "simulated_clocks_per_cpu_s": 100_000,
        }
    return {"shape": {"stages": 30, "pipelines": 1, "chunks": 128}, "cases": found,
            "date": "2026-01-01"}


@pytest.mark.parametrize("length, blocks", [
    (0, 1), (1, 1), (64, 1), (65, 2), (1024, 16), (1025, 18), (2048, 33), (4096, 67),
    (1 << 20, 16384 + 1023),
])
def test_blocks_of_a_message(length: int, blocks: int) -> None:
    assert blocks_of(length) == blocks


def test_a_report_becomes_a_section() -> None:
    report = made_up_report()
    table.check(report)
    found = rows(table.section(report))
    assert found.keys() == {case.title for case in cases().values()}
    blocks, clocks, rate, data, starved = found["one message of 1 MiB"]
    assert (blocks, clocks, rate, starved) == (17407, round(17407 / 0.98), 0.98, 348)
    assert data == pytest.approx((1 << 20) / clocks, abs=0.05)


@pytest.mark.parametrize("name", list(cases()))
def test_what_is_slow_or_wrong_is_refused(name: str) -> None:
    slow, wrong = made_up_report(), copy.deepcopy(made_up_report())
    slow["cases"][name]["clocks"] *= 2
    with pytest.raises(TableFailed, match="blocks per clock"):
        table.check(slow)
    wrong["cases"][name]["blocks"] += 1
    with pytest.raises(TableFailed, match="instead of"):
        table.check(wrong)


def test_wrong_digests_are_refused() -> None:
    rng = random.Random(3)
    messages = [rng.randbytes(length) for length in (0, 70, 1100)]
    good = [blake3_reply(i, 0, compute(Mode.HASH, m)) for i, m in enumerate(messages)]
    table.check_digests(messages, good, 3)
    other = blake3_reply(1, 0, compute(Mode.HASH, messages[1] + b"\0"))
    for frames in ([good[0], other, good[2]], good[:2], [*good[:2], blake3_reply(2, 3)],
                   [*good[:2], good[1]]):
        with pytest.raises(TableFailed):
            table.check_digests(messages, frames, 3)


def test_the_counters_of_a_small_case(program: Path, tmp_path: Path) -> None:
    """Every block is counted once; a single long message keeps the pipeline busy."""
    with Simulator(program, tmp_path) as simulator:
        client = simulator.connect()
        lengths = [0, 1, 64, 65, 1023, 1024, 1025, 5000]
        figures = measure(simulator, client, Case("small", lengths, 0.0, len(lengths)), 1)
        assert figures.blocks == sum(map(blocks_of, lengths)) < figures.clocks
        long = max((measure(simulator, client, Case("long", [400_000], 0.0, 0), seed)
                    for seed in range(3)), key=lambda found: found.blocks_per_clock)
        assert long.blocks == blocks_of(400_000)
        assert long.blocks_per_clock > 0.85


def test_the_readme_holds_the_table_of_these_cases() -> None:
    found = rows_of(table.README)
    for case in cases().values():
        blocks, clocks, rate, data, _ = found[case.title]
        assert blocks == sum(map(blocks_of, case.lengths)), "measure again"
        assert rate == pytest.approx(blocks / clocks, abs=0.001) and rate >= case.least
        assert data == pytest.approx(sum(case.lengths) / clocks, abs=0.06)
