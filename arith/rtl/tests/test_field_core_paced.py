# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A paced field_core compared with the simulator: several turns of each job are in flight.

The programs are random, with nested loops and calls. A job alone has its turns in exactly the
clocks of the model; with other jobs in parallel they come later, and results are the same.
"""

import random
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from arith.microcode.assemble import assemble
from arith.microcode.checker import check
from arith.microcode.image import Image
from arith.microcode.pace import Issue
from arith.microcode.simulator import path
from arith.microcode.tests.nested_programs import FRAMES, MODULUS, build
from arith.microcode.timing import Latencies
from arith.rtl.tests.field_core_image import FOLDER, write_top
from arith.rtl.tests.field_core_jobs import Bench, Job, reset_in_mid_job
from arith.rtl.tests.test_field_core import random_jobs
from arith.simulation.bench import Lint, in_sweep, random_source, run_bench, setting
from arith.simulation.mutate import Mutant
from arith.simulation.sources import sources_of
from arith.simulation.streams import start
from arith.simulation.toolchain import BUILD_ROOT

LATENCIES = Latencies(multiply=13, accumulate=4, reduce=16, sum=8)
"""The latencies of a core of 256 bits with this modulus."""
SEEDS = (3, 4, 5, 7)
INPUTS = 3


@lru_cache
def paced_image() -> Image:
    image = Image(MODULUS, 6, frames=FRAMES, paced=LATENCIES)
    for seed in SEEDS:
        assemble(build(seed, INPUTS), image)
    check(image)
    return image


def write_core() -> str:
    """Writes the core with its ROMs; returns its name."""
    return write_top(paced_image(), "paced")


async def _start(dut: Any, pause: float) -> tuple[Bench, random.Random]:
    rng = random_source(f"{dut._name}/{pause}")
    await start(dut, job_valid_i=0, result_ready_i=0, job_data_i=0, job_last_i=0,
                job_entry_i=0, job_tag_i=0)
    return Bench(dut, rng, pause), rng


@cocotb.test()
@cocotb.parametrize(pause=[0.0, 0.5])
async def results_are_right(dut: Any, pause: float) -> None:
    bench, rng = await _start(dut, pause)
    bench.send(random_jobs(paced_image(), rng, int(setting("jobs"))))
    await bench.finish()


def _jobs_of(image: Image, rng: random.Random, number: int) -> list[Job]:
    """A job of the entry with this number."""
    alone = replace(image, entries=[image.entries[number]])
    return [replace(job, entry=number) for job in random_jobs(alone, rng, 1)]


@cocotb.test()
async def a_job_alone_has_its_turns_in_the_clocks_of_the_model(dut: Any) -> None:
    bench, rng = await _start(dut, 0.0)
    core, image = dut.u_core, paced_image()
    assert LATENCIES.clocks() == tuple(int(latency.value) for latency in (
        core.MulLatency, core.AccumulatorLatency, core.ReduceLatency, core.SumLatency))
    clocks: list[int] = []

    async def watch() -> None:
        clock = 0
        while True:
            await ReadOnly()
            if int(core.valid.value) & 1:
                clocks.append(clock)
            await RisingEdge(dut.clk_i)
            clock += 1

    cocotb.start_soon(watch())
    for number, entry in enumerate(image.entries):
        clocks.clear()
        bench.send(_jobs_of(image, rng, number))
        await bench.finish()
        issue, expected = Issue(), []
        for fields in path(image, entry):
            issue.take(fields)
            expected.append(issue.clock)
            issue.next_turn()
        found = [clock - clocks[0] for clock in clocks]
        assert len(found) == len(expected), entry.name
        for number, (clock, right) in enumerate(zip(found, expected)):
            assert clock == right, f"{entry.name}, turn {number}"


@cocotb.test()
async def resets(dut: Any) -> None:
    bench, rng = await _start(dut, 0.1)
    await reset_in_mid_job(bench, partial(random_jobs, paced_image(), rng), rounds=2, each=5,
                           clocks=1500)


@cocotb.test()
async def a_few_jobs(dut: Any) -> None:
    """With a limit of clocks: a mutant may never end."""
    bench, rng = await _start(dut, 0.0)
    bench.send(random_jobs(paced_image(), rng, 12))
    await bench.finish(clocks=60_000)


# test_bls_coprocessor has a paced core in every run.
@pytest.mark.parametrize("contexts", in_sweep([2, 5, 64]))
def test_field_core_paced(contexts: int) -> None:
    run_bench(__file__, write_core(), {"Contexts": contexts},
              settings={"jobs": 2 * contexts + 2}, folders=[FOLDER], optimize="-O0",
              visible={"field_core": "* valid"},
              tests="results_are_right|resets|a_job_alone_has_its_turns_in_the_clocks_of_the_model")


CONTROL, QUEUE = "field_core_control", "field_core_paced_queue"
MUTANTS = [
    Mutant(QUEUE, "a context goes on a clock too early", (
        ("waiting_q[k] && left_q[k] == 1", "waiting_q[k] && left_q[k] <= 2"),
        ("waiting_q[k] && left_q[k] != 1", "waiting_q[k] && left_q[k] > 2"),
    )),
    Mutant("field_core_accumulator", "the last turn's sum is read before it is written", (
        ("follows[k+2] ? sum_q : held", "held"),
    )),
    Mutant(QUEUE, "a context that is given out may go on", (
        ("(ready_q[k] && !picked[k])", "ready_q[k]"),
    )),
    Mutant(QUEUE, "a nominated context is replaced before it leaves", (
        ("(!nominated_q[b] || leaves[b])", "1'b1"),
    )),
    Mutant(CONTROL, "the next issue begins behind the first turn", (
        ("state.pc + PcBits'(state.following) + 1'b1", "state.pc + 1'b1"),
    )),
    Mutant("field_core", "no turn follows the one before it", (
        (".data_i(first_follows)", ".data_i(1'b0)"),
    )),
]


@pytest.mark.parametrize("mutant", in_sweep([*MUTANTS]), ids=lambda mutant: mutant.what.replace(" ", "-"))
def test_a_faulty_core_is_noticed(mutant: Mutant) -> None:
    top = write_core()
    files = mutant.sources(sources_of(top, folders=[FOLDER]),
                           BUILD_ROOT / "mutants" / mutant.what.replace(" ", "-"))
    with pytest.raises(AssertionError):
        run_bench(__file__, top, {"Contexts": 12}, sources=files, optimize="-O0", tests="a_few_jobs")


@pytest.mark.parametrize("contexts", in_sweep([12]))
def test_the_same_jobs_pass_without_a_fault(contexts: int) -> None:
    run_bench(__file__, write_core(), {"Contexts": contexts}, folders=[FOLDER],
              optimize="-O0", tests="a_few_jobs")


LINTS = [Lint(write_core, folders=[FOLDER]),
         *(Lint(CONTROL, {"Contexts": contexts, "Paced": 1, "Frames": 2}) for contexts in (2, 5, 16))]
