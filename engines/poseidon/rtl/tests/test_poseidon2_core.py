# SPDX-License-Identifier: Apache-2.0 OR MIT
"""field_core with the programs of Poseidon2, compared with the golden model: all widths at once,
pauses, a full core, and resets."""

import random
from functools import partial

import cocotb
import pytest

from arith.rtl.tests.field_core_image import FOLDER, write_top
from arith.rtl.tests.field_core_jobs import Bench, Job, reset_in_mid_job
from arith.simulation.bench import in_sweep, random_source, run_bench
from arith.simulation.streams import start
from engines.poseidon.microcode.poseidon2 import WIDTHS, image_of
from engines.poseidon.model.parameters import FR
from engines.poseidon.model.poseidon2 import permute, poseidon2

import pytest


def random_jobs(rng: random.Random, count: int) -> list[Job]:
    """Jobs of random widths; elements are often at the edges of the field."""
    jobs = []
    for _ in range(count):
        entry, width = rng.choice(list(enumerate(WIDTHS)))
        state = [rng.choice((0, 1, FR - 1)) if rng.random() < 0.2 else rng.randrange(FR)
                 for _ in range(width)]
        jobs.append(Job(entry, tuple(state), tuple(permute(poseidon2(width), state))))
    return jobs


async def _start(dut, pause: float) -> tuple[Bench, random.Random]:
    rng = random_source(f"{dut._name}/{pause}")
    await start(dut, job_valid_i=0, result_ready_i=0, job_data_i=0, job_last_i=0,
                job_entry_i=0, job_tag_i=0)
    return Bench(dut, rng, pause), rng


@cocotb.test()
@cocotb.parametrize(pause=[0.0, 0.5])
async def results_are_right(dut, pause: float) -> None:
    bench, rng = await _start(dut, pause)
    bench.send(random_jobs(rng, 60))
    await bench.finish()


@cocotb.test()
async def resets(dut) -> None:
    bench, rng = await _start(dut, 0.1)
    await reset_in_mid_job(bench, partial(random_jobs, rng), rounds=3, each=12, clocks=3000)


# Compiling the core takes a minute; test_poseidon_core has one in each run.
@pytest.mark.parametrize("contexts", in_sweep([pytest.param(16, id="16-contexts")]))
def test_poseidon2_core(contexts: int) -> None:
    run_bench(__file__, write_top(image_of(), "poseidon2"), {"Contexts": contexts},
              settings={"contexts": contexts}, folders=[FOLDER])
