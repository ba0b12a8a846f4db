# SPDX-License-Identifier: Apache-2.0 OR MIT
"""field_core with the programs of the tower and of the Miller loop's steps, against the simulator,
which the microcode's tests compare with the golden model."""

from __future__ import annotations

from typing import Any

import cocotb
import pytest

from arith.microcode.image import Image
from arith.microcode.simulator import Simulator
from arith.rtl.tests.field_core_image import FOLDER, write_top
from arith.rtl.tests.field_core_jobs import Bench, Job
from arith.simulation.bench import in_sweep, lint_bench, random_source, run_bench
from arith.simulation.streams import start
from engines.bls12_381.microcode.programs import OPERATIONS, image_of, operation_program
from engines.bls12_381.model.tower import P

CONTEXTS = 12
ROUNDS = 3  # of all operations


def image() -> Image:
    return image_of(*(operation_program(name) for name in OPERATIONS))


@cocotb.test()
async def results_are_right(dut: Any) -> None:
    rng = random_source("bls12_381 core")
    await start(dut, job_valid_i=0, result_ready_i=0, job_data_i=0, job_last_i=0,
                job_entry_i=0, job_tag_i=0)
    bench, programs = Bench(dut, rng, 0.1), image()
    simulator, jobs = Simulator(programs), []
    for number, entry in list(enumerate(programs.entries)) * ROUNDS:
        words = tuple(rng.randrange(P) for _ in range(entry.inputs))
        jobs.append(Job(number, words, tuple(simulator.run(entry, words)[0])))
    bench.send(jobs)
    await bench.finish()


@pytest.mark.parametrize("contexts", in_sweep([CONTEXTS]))
def test_bls12_381_core(contexts: int) -> None:
    run_bench(__file__, write_top(image(), "bls12_381_tower"), {"Contexts": contexts},
              folders=[FOLDER], optimise="-O0")


def test_lint() -> None:
    lint_bench(write_top(image(), "bls12_381_tower"), folders=[FOLDER])
