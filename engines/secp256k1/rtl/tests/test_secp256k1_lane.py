# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests secp256k1_lane from request to mask: compares every edge case with the golden model, and
measures its rate.

Writes build/reports/secp256k1_lane.json.
"""

import json
import random
from collections.abc import Sequence
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from arith.simulation.bench import Lint, random_source, run_bench
from arith.simulation.ports import reader, writer
from arith.simulation.streams import reset, start
from arith.simulation.toolchain import BUILD_ROOT
from engines.secp256k1.model import ecdsa
from engines.secp256k1.model.tests.edge_cases import Case, all_cases, random_case

MODULE = "secp256k1_lane"
CONTEXTS = 48
BATCH = 3 * CONTEXTS
TURNS = 1958
LIMIT = 1_500_000
DIVISION_CLOCKS = 1534
"""The maximum of a division; the number depends on the operands."""
MOST_CLOCKS, MOST_CLOCKS_ALONE = 1960, 10_000


class Lane:
    """Offers cases with random tags; each mask must be that of its tag's case."""

    def __init__(self, dut: Any, rng: random.Random) -> None:
        self.dut, self.rng = dut, rng
        self.waiting: dict[int, Case] = {}
        self.clock = self.busy = 0
        self.masks: list[tuple[int, int]] = []
        """The clock of each mask, and the number of clocks before it in which a product was
        issued."""
        self.cycles: list[int] = []
        """The clocks of each signature according to the lane."""

    async def run(self, cases: Sequence[Case], pause: float = 0.0, stop_after: int | None = None
                  ) -> None:
        """Runs until all masks have come, or only for some clocks."""
        dut, rng, todo = self.dut, self.rng, list(cases)
        offered: int | None = None
        end = self.clock + (stop_after or LIMIT)
        edge, set_ready = RisingEdge(dut.clk_i), writer(dut.mask_ready_i)
        is_ready, is_busy, has_mask = map(
            reader, (dut.in_ready_o, dut.mul_busy_o, dut.mask_valid_o))
        while (todo or self.waiting) and self.clock < end:
            if offered is None and todo and rng.random() >= pause:
                offered = self._offer(todo[0])
            takes = rng.random() >= pause
            set_ready(int(takes))
            await edge  # the values are those before the edge
            taken = offered is not None and is_ready()
            self.busy += is_busy()
            if takes and has_mask():
                self._judge()
            self.clock += 1
            if taken and offered is not None:
                self.waiting[offered] = todo.pop(0)
                offered, dut.in_valid_i.value = None, 0
        dut.in_valid_i.value = 0
        assert stop_after or not self.waiting, f"{len(self.waiting)} without a mask"

    def _offer(self, case: Case) -> int:
        _, signature, (x, y) = case
        dut, tag = self.dut, self.rng.getrandbits(64)
        dut.r_i.value, dut.s_i.value, dut.digest_i.value = signature.r, signature.s, signature.digest
        dut.x_i.value, dut.y_i.value, dut.tag_i.value, dut.in_valid_i.value = x, y, tag, 1
        return tag

    def _judge(self) -> None:
        tag = int(self.dut.mask_tag_o.value)
        name, signature, key = self.waiting.pop(tag)
        assert int(self.dut.mask_o.value) == ecdsa.verify(signature, key), name
        self.cycles.append(int(self.dut.cycles_o.value))
        assert self.cycles[-1] > 8
        self.masks.append((self.clock, self.busy))


async def _start(dut: Any, name: str) -> Lane:
    rng = random_source(name)
    await start(dut, in_valid_i=0, mask_ready_i=0)
    return Lane(dut, rng)


@cocotb.test()
async def edge_cases(dut: Any) -> None:
    """A sample of every family in one batch, with pauses, after a reset in mid-batch."""
    lane = await _start(dut, "edges")
    cases = all_cases(lane.rng.getrandbits(32))
    chosen = [case for case in cases if case[0].startswith(
        ("infinity", "x = n", "r = 0x0", "s = 0x0", "r + n", "bad key", "u1 = 1 u2", "key ("))]
    chosen += lane.rng.sample(cases, 40)
    lane.rng.shuffle(chosen)
    await lane.run(chosen[:8], stop_after=lane.rng.randrange(2000, 12_000))
    lane.waiting.clear()
    await reset(dut, clocks=2)
    await lane.run(chosen, pause=0.2)


@cocotb.test()
async def alone_and_before_a_burst(dut: Any) -> None:
    """A lone signature takes the same number of clocks, whether a burst follows it or not."""
    lane = await _start(dut, "burst")
    await lane.run([random_case(lane.rng)])
    await lane.run([random_case(lane.rng)], stop_after=lane.rng.randrange(2000, 9000))
    await lane.run([random_case(lane.rng) for _ in range(12)])
    alone, first, *burst = lane.cycles
    assert len(burst) == 12 and abs(first - alone) < DIVISION_CLOCKS
    assert max(alone, first) <= MOST_CLOCKS_ALONE < max(burst)
    dut._log.info(f"alone: {alone} clocks")


@cocotb.test()
async def full_batch(dut: Any) -> None:
    """Between the ends of the first and the last but one generation, measured by the products
    issued. The first signature was alone."""
    lane = await _start(dut, "batch")
    await lane.run([random_case(lane.rng) for _ in range(BATCH)])
    (first, busy_first), (last, busy_last) = lane.masks[CONTEXTS], lane.masks[-CONTEXTS - 1]
    share = (busy_last - busy_first) / (last - first)
    clocks = TURNS / share
    file = BUILD_ROOT / "reports/secp256k1_lane.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    report = {"contexts": CONTEXTS, "batch": BATCH, "utilization": round(share, 4),
              "clocks_per_signature": round(clocks, 1), "clocks_alone": lane.cycles[0]}
    file.write_text(json.dumps(report, indent=2) + "\n")
    dut._log.info(json.dumps(report))
    assert clocks <= MOST_CLOCKS and lane.cycles[0] <= MOST_CLOCKS_ALONE


LINTS = [Lint(MODULE)]


def test_secp256k1_lane() -> None:
    run_bench(__file__, MODULE, {"Contexts": CONTEXTS})
