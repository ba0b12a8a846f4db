# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A field_core with frames compared with the simulator: nested loops, subroutines, resets.

Mutants of the RTL show that these programs use the values that the frames save.
"""

import random
from functools import partial
from pathlib import Path
from typing import Any

import cocotb
import pytest

from arith.microcode import isa
from arith.microcode.checker import violations
from arith.microcode.image import Image
from arith.microcode.simulator import path
from arith.rtl.tests.field_core_image import FOLDER, write_top
from arith.rtl.tests.field_core_jobs import Bench, reset_in_mid_job
from arith.rtl.tests.field_core_nested import CALLS, FRAMES, LOOPS, nested_image
from arith.rtl.tests.test_field_core import LINTED, MODULI, REGISTER_BITS, WIDTHS, random_jobs
from arith.simulation.bench import (
    Lint, in_sweep, is_sweep, random_source, run_bench, setting,
)
from arith.simulation.mutate import Mutant
from arith.simulation.sources import sources_of
from arith.simulation.streams import start
from arith.simulation.toolchain import BUILD_ROOT

PROGRAMS = 6
PROGRAM_SEED = 8


def image_of(field: str) -> Image:
    rng = random.Random(f"frames/{PROGRAM_SEED}/{field}")
    return nested_image(MODULI[field], rng, PROGRAMS, WIDTHS.get(field, 256),
                        REGISTER_BITS.get(field, 3))


def write_core(field: str) -> str:
    """Writes the core with its ROMs; returns its name."""
    return write_top(image_of(field), f"frames_{field}")


async def _start(dut: Any, pause: float) -> tuple[Bench, Image, random.Random]:
    rng = random_source(f"{dut._name}/{pause}")
    await start(dut, job_valid_i=0, result_ready_i=0, job_data_i=0, job_last_i=0,
                job_entry_i=0, job_tag_i=0)
    return Bench(dut, rng, pause), image_of(setting("field")), rng


@cocotb.test()
@cocotb.parametrize(pause=[0.0, 0.5])
async def results_are_right(dut: Any, pause: float) -> None:
    bench, image, rng = await _start(dut, pause)
    bench.send(random_jobs(image, rng, int(setting("jobs"))))
    await bench.finish()


@cocotb.test()
async def a_few_jobs(dut: Any) -> None:
    """With a limit of clocks: a mutant may never end."""
    bench, image, rng = await _start(dut, 0.0)
    bench.send(random_jobs(image, rng, int(setting("jobs"))))
    await bench.finish(clocks=60_000)


@cocotb.test()
async def resets(dut: Any) -> None:
    bench, image, rng = await _start(dut, 0.1)
    await reset_in_mid_job(bench, partial(random_jobs, image, rng))


def depths(image: Image) -> tuple[int, int, int]:
    """The maximum nesting of loops, of calls, and of both."""
    most = [0, 0, 0]
    for entry in image.entries:
        loops = calls = 0
        counts: list[int] = []
        for fields in path(image, entry):
            if fields["control"] == isa.LOOP_BEGIN:
                counts.append(fields["imm"])
                loops += 1
            elif fields["control"] == isa.LOOP_END:
                counts[-1] -= 1
                if not counts[-1]:
                    counts.pop()
                    loops -= 1
            calls += (fields["jump"] == isa.CALL) - (fields["jump"] == isa.RETURN)
            most = [max(most[0], loops), max(most[1], calls), max(most[2], loops + calls)]
    return most[0], most[1], most[2]


@pytest.mark.parametrize("field", MODULI)
def test_programs_are_as_deep_as_the_frames_allow(field: str) -> None:
    image = image_of(field)
    loops, calls, both = depths(image)
    assert loops == LOOPS and calls >= CALLS - 1 and both >= FRAMES - 1
    # The random programs break stylistic rules, but none of these.
    assert not {violation.rule for violation in violations(image)} & {
        "control", "frames", "latency", "uninitialized", "constant"}


# Few contexts and all of them, words of 255 and of 381 bits.
CASES = [
    pytest.param("felt", 1, 64, 130, id="felt-64-contexts"),
    # The benches of BLS12-381's core have 384 bits, with frames, in each run.
    *in_sweep([
        pytest.param("bls12_381", 1, 6, 20, id="bls12-381-384-bits-64-registers"),
        pytest.param("fr", 2, 3, 20, id="fr-3-contexts-interval-2"),
    ]),
]


@pytest.mark.parametrize("field, interval, contexts, jobs", CASES)
def test_field_core_frames(field: str, interval: int, contexts: int, jobs: int) -> None:
    run_bench(
        __file__, write_core(field), {"Contexts": contexts, "Interval": interval},
        settings={"field": field, "jobs": jobs}, folders=[FOLDER], tests="results_are_right|resets",
    )


CONTROL = "field_core_control"
MUTANTS = [
    Mutant(CONTROL, "a call returns to itself", (
        ("sequencing.jump == JumpCall ? state.pc + 1'b1", "sequencing.jump == JumpCall ? state.pc"),
    )),
    Mutant(CONTROL, "a frame keeps no base of products' constants", (
        ("kept.mul_base   = state.mul_base;", "kept.mul_base   = '0;"),
    )),
    Mutant(CONTROL, "the last frame falls out", (
        ("'({state.frames, FrameBits'(kept)})", "'({state.frames[0], FrameBits'(kept)})"),
    )),
]


def test_each_mutant_is_a_change_of_the_source(tmp_path: Path) -> None:
    files = sources_of(write_core("felt"), folders=[FOLDER])
    assert all(mutant.sources(files, tmp_path) != files for mutant in MUTANTS)


@pytest.mark.parametrize("mutant", in_sweep(MUTANTS), ids=lambda mutant: mutant.what.replace(" ", "-"))
def test_a_faulty_control_is_noticed(mutant: Mutant) -> None:
    top = write_core("felt")
    files = mutant.sources(sources_of(top, folders=[FOLDER]),
                           BUILD_ROOT / "mutants" / mutant.what.replace(" ", "-"))
    with pytest.raises(AssertionError):
        run_bench(__file__, top, {"Contexts": 3}, sources=files, optimize="-O0",
                  settings={"field": "felt", "jobs": 12}, tests="a_few_jobs")


@pytest.mark.skipif(not is_sweep(), reason="in sweeps (HALIMEDE_SWEEP=1), with the mutants")
def test_the_same_jobs_pass_without_a_fault() -> None:
    run_bench(__file__, write_core("felt"), {"Contexts": 3}, folders=[FOLDER], optimize="-O0",
              settings={"field": "felt", "jobs": 12}, tests="a_few_jobs")


LINTS = [*(Lint(partial(write_core, field), folders=[FOLDER]) for field in LINTED),
         *(Lint("field_core_control", {"Lookups": lookups, "Frames": frames})
           for lookups in (0, 1) for frames in (1, isa.SEQUENCE_LIMITS["frames"]))]
