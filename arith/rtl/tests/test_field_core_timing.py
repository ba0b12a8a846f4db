# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The clocks in arith/microcode/timing.py are those of field_core.

The checker uses them to prove that programs have no hazards, so they must not drift from the RTL.
The stages that the module uses are read from it, and every access of random programs is watched,
clock by clock: reads and writes, relative to each turn's issue.
"""

import random
from collections import defaultdict
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from arith.microcode import isa
from arith.microcode.checker import violations
from arith.microcode.image import Image
from arith.microcode.simulator import path
from arith.microcode.timing import FIELD_CORE, Clock
from arith.rtl.tests.field_core_image import FOLDER, write_top
from arith.rtl.tests.field_core_jobs import Bench
from arith.rtl.tests.field_core_random import random_image
from arith.rtl.tests.test_field_core import MODULI, random_jobs
from arith.simulation.bench import in_sweep, random_source, run_bench, setting
from arith.simulation.ports import reader
from arith.simulation.streams import start

CONTEXTS = 2
JOBS = 12
PROGRAM_SEED = 2
SEGMENT_WRITE = 3
"""Clocks from a segment's read to its write."""


def image_of(field: str) -> Image:
    return random_image(MODULI[field], random.Random(f"timing/{PROGRAM_SEED}/{field}"), programs=6)


# The watched signals of the core and of its parts.
VISIBLE = {
    "field_core": "* -clk_i valid product_address_q product_write_q sum_address sum_write_q "
                  "load_address load_valid",
    "field_core_control": "-turn_context_o",
    "field_core_accumulator": "valid context_id",
    "field_core_output": "-write_valid_i -write_context_i advance sending_q context_q",
}


def clocks_of(core: Any) -> dict[str, int]:
    """The model's clocks with the latencies that the core was built with."""
    latencies = [int(core.MulLatency.value), int(core.AccumulatorLatency.value),
                 int(core.ReduceLatency.value), int(core.SumLatency.value)]
    return {name: clock.at(*latencies) for name, clock in vars(FIELD_CORE).items()
            if isinstance(clock, Clock)}


@cocotb.test()
async def stages_are_those_of_the_model(dut: Any) -> None:
    core = dut.u_core
    clocks = clocks_of(core)
    for name, stage in {
        "turn": core.TurnClocks, "product_ready": core.StageReduced, "sum_write": core.StageWrite,
    }.items():
        assert clocks[name] == int(stage.value), name
    assert clocks["accumulator_read"] == int(core.StageSumTurn.value)
    assert clocks["add_read"] == int(core.StageAddTurn.value)
    # The product replaces an operand where the operands leave the registers, two clocks after they
    # are addressed.
    assert clocks["chain_take"] == int(core.StageAddTurn.value) + 2


class Watch:
    """Records the clocks of the core's accesses, for each context."""

    def __init__(self, core: Any) -> None:
        self.core = core
        self.clock = 0
        self.events: dict[str, list[tuple[int, int]]] = defaultdict(list)
        """(clock, context) of each kind of access."""

    async def run(self) -> None:
        core, register_bits = self.core, int(self.core.RegBits.value)
        context_bits, stage_turn = int(core.ContextBits.value), int(core.StageTurn.value)
        accumulator = core.u_products.gen_propagated.u_accumulator
        output = core.u_output
        writes_sum, writes_product, loads, turns, accumulates = map(reader, (
            core.sum_write_q, core.product_write_q, core.load_valid, core.valid, accumulator.valid))
        product_address, sum_address, load_address = map(
            reader, (core.product_address_q, core.sum_address, core.load_address))
        turn_context, accumulator_context = map(
            reader, (core.u_control.turn_context_o, accumulator.context_id))
        out_valid, out_context, advances, sends, send_context = map(reader, (
            output.write_valid_i, output.write_context_i, output.advance, output.sending_q,
            output.context_q))
        edge = RisingEdge(core.clk_i)

        def note(kind: str, context: int, before: int = 0) -> None:
            self.events[kind].append((self.clock - before, context))

        while True:
            await ReadOnly()
            if writes_product():
                note("product_write", product_address() >> register_bits)
            if writes_sum():
                note("sum_write", sum_address() >> register_bits)
            elif loads():
                note("load_write", load_address() >> register_bits)
            if turns() & 1:
                note("issue", turn_context(), stage_turn)
            # The first segment's write; segment k is written k clocks later.
            if accumulates() >> SEGMENT_WRITE & 1:
                contexts = accumulator_context() >> SEGMENT_WRITE * context_bits
                note("accumulator_write", contexts & (1 << context_bits) - 1)
            if out_valid():
                note("out", out_context())
            if advances() and sends():
                note("send_read", send_context())
            await edge
            self.clock += 1

    def of(self, kind: str, context: int) -> list[int]:
        return [clock for clock, whose in self.events[kind] if whose == context]


@cocotb.test()
async def accesses_are_in_the_clocks_of_the_model(dut: Any) -> None:
    rng = random_source(setting("field"))
    await start(dut, job_valid_i=0, result_ready_i=0, job_data_i=0, job_last_i=0, job_entry_i=0,
                job_tag_i=0)
    image = image_of(setting("field"))
    bench, watch = Bench(dut, rng, 0.1), Watch(dut.u_core)
    cocotb.start_soon(watch.run())
    jobs = random_jobs(image, rng, JOBS)
    # Sequentially through the core, so that jobs and contexts are known.
    turns: list[isa.Instruction] = []
    halts: list[int] = []
    for job in jobs:
        bench.send([job])
        await bench.finish()
        turns += path(image, image.entries[job.entry])
        halts.append(len(turns) - 1)
    clocks = clocks_of(dut.u_core)
    issues = [clock for clock, _ in watch.events["issue"]]
    contexts = [context for _, context in watch.events["issue"]]
    assert len(issues) == len(turns)
    assert len(set(contexts)) == CONTEXTS
    for kind, field in (("product_write", "mul_write"), ("accumulator_write", "mul_en"),
                        ("sum_write", "add_write"), ("out", "out_en")):
        delay = clocks["sum_write" if kind == "out" else kind]
        expected = [(issue + delay, context)
                    for issue, context, fields in zip(issues, contexts, turns) if fields[field]]
        assert watch.events[kind] == expected, kind
    for number, (issue, context) in enumerate(zip(issues, contexts)):
        if number in halts:
            later_loads = [c for c in watch.of("load_write", context) if c > issue]
            assert all(c - issue >= clocks["first_load"] for c in later_loads)
            sends = [c for c in watch.of("send_read", context) if c > issue]
            assert sends[0] - issue >= clocks["send_read"]
        else:
            assert issues[number + 1] - issue == clocks["turn"]
    for first in [0, *(halt + 1 for halt in halts[:-1])]:
        loads = [c for c in watch.of("load_write", contexts[first]) if c <= issues[first]]
        assert loads[-1] - issues[first] <= clocks["load_write"]


@cocotb.test()
async def a_context_is_loaded_again_only_after_its_last_turn(dut: Any) -> None:
    """Jobs wait for a context, so each is loaded as early as possible."""
    rng = random_source(f"{setting('field')}/crowd")
    await start(dut, job_valid_i=0, result_ready_i=0, job_data_i=0, job_last_i=0, job_entry_i=0,
                job_tag_i=0)
    bench, watch = Bench(dut, rng, 0.0), Watch(dut.u_core)
    cocotb.start_soon(watch.run())
    bench.send(random_jobs(image_of(setting("field")), rng, 4 * JOBS))
    await bench.finish()
    first_load = clocks_of(dut.u_core)["first_load"]
    gaps = []
    for context in range(CONTEXTS):
        issues = watch.of("issue", context)
        for load in watch.of("load_write", context):
            before = [issue for issue in issues if issue <= load]
            gaps += [load - before[-1]] if before else []
    assert len(gaps) > 2 * JOBS
    assert min(gaps) >= first_load
    # The bound is tight: only the FIFO, the memory and the words lie in between.
    assert min(gaps) <= first_load + 16


# test_field_core_lookups has the stages at interval 2.
@pytest.mark.parametrize("interval", [1, *in_sweep([2])])
def test_field_core_timing(interval: int) -> None:
    """Over the smaller field: the clocks depend on it only through the three latencies."""
    field = "felt"
    image = image_of(field)
    # The random programs break stylistic rules, but not this one.
    assert not [violation for violation in violations(image) if violation.rule == "latency"]
    run_bench(
        __file__, write_top(image, f"timing_{field}"), {"Contexts": CONTEXTS, "Interval": interval},
        settings={"field": field, "interval": interval}, folders=[FOLDER], visible=VISIBLE,
        optimize="-O0",
    )
