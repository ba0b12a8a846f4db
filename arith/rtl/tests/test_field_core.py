# SPDX-License-Identifier: Apache-2.0 OR MIT
"""field_core compared with the instruction-set simulator: random programs, pauses and resets.

The full-batch figures of real programs are in test_field_core_utilization.
"""

import random
from functools import partial

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from arith.microcode.image import Image
from arith.microcode.simulator import Simulator
from arith.rtl.tests.field_core_image import FOLDER, write_top
from arith.rtl.tests.field_core_jobs import Bench, Job, reset_in_mid_job
from arith.rtl.tests.field_core_random import random_image
from arith.simulation.bench import Lint, in_sweep, random_source, run_bench, setting
from arith.simulation.streams import start

MODULI = {
    "fr": 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001,
    "felt": 0x0800000000000011000000000000000000000000000000000000000000000001,
    # The base field of BLS12-381: 381 bits, in words of six digits.
    "bls12_381": int("1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f624"
                     "1eabfffeb153ffffb9feffffffffaaab", 16),
}
WIDTHS = {"bls12_381": 384}
REGISTER_BITS = {"bls12_381": 6}  # 64 registers a bank
PROGRAM_SEED = 1  # seed of the compiled-in programs; the jobs' values change in every run


def image_of(field: str) -> Image:
    rng = random.Random(f"{PROGRAM_SEED}/{field}")
    return random_image(MODULI[field], rng, width=WIDTHS.get(field, 256),
                        register_bits=REGISTER_BITS.get(field, 3))


def random_jobs(image: Image, rng: random.Random, count: int) -> list[Job]:
    """Jobs of random entries; words are often at the edges of the range."""
    edges = (0, 1, image.modulus - 1)
    simulator = Simulator(image)
    jobs = []
    for _ in range(count):
        number, entry = rng.choice(list(enumerate(image.entries)))
        words = tuple(
            rng.choice(edges) if rng.random() < 0.2 else rng.randrange(image.modulus)
            for _ in range(entry.inputs)
        )
        result, _ = simulator.run(entry, words)
        jobs.append(Job(number, words, tuple(result)))
    return jobs


async def _start(dut, pause: float) -> tuple[Bench, Image, random.Random]:
    rng = random_source(f"{dut._name}/{pause}")
    await start(dut, job_valid_i=0, result_ready_i=0, job_data_i=0, job_last_i=0,
                job_entry_i=0, job_tag_i=0)
    return Bench(dut, rng, pause), image_of(setting("field")), rng


@cocotb.test()
@cocotb.parametrize(pause=[0.0, 0.3, 0.9])
async def results_are_right(dut, pause: float) -> None:
    bench, image, rng = await _start(dut, pause)
    bench.send(random_jobs(image, rng, int(setting("jobs"))))
    await bench.finish()


@cocotb.test()
async def gaps_between_jobs(dut) -> None:
    """Single jobs and small bursts, with the core idle in between."""
    bench, image, rng = await _start(dut, 0.1)
    for burst in (1, 1, 2, 1, 3):
        bench.send(random_jobs(image, rng, burst))
        await bench.finish()


@cocotb.test()
async def results_that_nobody_takes_stop_nothing_else(dut) -> None:
    """With a blocked output the core fills up and waits; then every result comes."""
    bench, image, rng = await _start(dut, 0.0)
    bench.monitor.pause = 1.0
    bench.send(random_jobs(image, rng, int(setting("jobs"))))
    for _ in range(6000):
        await RisingEdge(dut.clk_i)
    assert bench.finished == 0 and int(dut.idle_o.value) == 0
    bench.monitor.pause = 0.0
    await bench.finish()


@cocotb.test()
async def resets(dut) -> None:
    bench, image, rng = await _start(dut, 0.1)
    await reset_in_mid_job(bench, partial(random_jobs, image, rng), rounds=8, each=12, clocks=1500)


# The configuration of the ULX3S.
SMALL_BOARD = ("-DHALIMEDE_DELAYS_IN_MEMORY", "-DHALIMEDE_LONG_CARRIES")

# Contexts: fewer than the pipeline's length, not a power of two, and enough to fill it. In every
# run test_crossed_card has a core whose products come every fourth clock, and
# test_field_core_frames one of 384 bits.
CASES = [
    pytest.param("felt", 1, 2, 40, (), id="felt-2-contexts"),
    pytest.param("fr", 2, 5, 40, (), id="fr-interval-2"),
    pytest.param("felt", 4, 16, 40, SMALL_BOARD, id="felt-interval-4-small-board"),
    # test_poseidon_core fills 64 contexts in each run.
    *in_sweep([
        pytest.param("fr", 1, 64, 200, (), id="fr-64-contexts"),
        pytest.param("felt", 4, 7, 40, (), id="felt-interval-4"),
        pytest.param("bls12_381", 1, 6, 60, (), id="bls12-381-384-bits-64-registers"),
    ]),
]


def write_core(field: str) -> str:
    """Writes the core with its ROMs; returns its name."""
    return write_top(image_of(field), f"random_{field}")


@pytest.mark.parametrize("field, interval, contexts, jobs, options", CASES)
def test_field_core(
    field: str, interval: int, contexts: int, jobs: int, options: tuple[str, ...]
) -> None:
    run_bench(
        __file__, write_core(field), {"Contexts": contexts, "Interval": interval},
        settings={"field": field, "jobs": jobs, "contexts": contexts}, folders=[FOLDER],
        options=options,
    )


# In each run the lint of bls12_381_port has a core of 384 bits.
LINTED = [*(field for field in MODULI if field != "bls12_381"), *in_sweep(["bls12_381"])]
PARTS = ["", "_accumulator", "_control", "_loader", "_memory", "_output", "_registers", "_rom"]
LINTS = [*(Lint(partial(write_core, field), folders=[FOLDER]) for field in LINTED),
         *(Lint(f"field_core{part}") for part in PARTS)]
