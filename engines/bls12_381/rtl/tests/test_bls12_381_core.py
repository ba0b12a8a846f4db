# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests field_core with the programs of the tower and of the Miller loop's steps against the
simulator, which the microcode's tests compare with the golden model; and with the programs of whole
pairings."""

from typing import Any

import cocotb
import pytest

from cocotb.triggers import FallingEdge, RisingEdge

from arith.microcode.image import Image, to_montgomery
from arith.microcode.simulator import Simulator
from arith.rtl.tests.field_core_image import FOLDER, write_top
from arith.rtl.tests.field_core_jobs import Bench, Job
from arith.simulation.bench import Lint, in_sweep, random_source, run_bench
from arith.simulation.streams import start
from engines.bls12_381.microcode.programs import (
    OPERATIONS, WIDTH, image_of, known_orders, operation_program, pairing_image,
)
from engines.bls12_381.model import pairing as model
from engines.bls12_381.model.tower import P

CONTEXTS = 12
ROUNDS = 3  # of all operations


def image() -> Image:
    return image_of(*(operation_program(name) for name in OPERATIONS), orders=known_orders())


async def _start(dut: Any) -> None:
    await start(dut, job_valid_i=0, result_ready_i=0, job_data_i=0, job_last_i=0,
                job_entry_i=0, job_tag_i=0)


@cocotb.test()
async def results_are_right(dut: Any) -> None:
    rng = random_source("bls12_381 core")
    await _start(dut)
    bench, programs = Bench(dut, rng, 0.1), image()
    simulator, jobs = Simulator(programs), []
    for number, entry in list(enumerate(programs.entries)) * ROUNDS:
        words = tuple(rng.randrange(P) for _ in range(entry.inputs))
        jobs.append(Job(number, words, tuple(simulator.run(entry, words)[0])))
    bench.send(jobs)
    await bench.finish()


@cocotb.test()
async def a_job_alone_takes_the_clocks_of_the_model(dut: Any) -> None:
    """Compares the clocks, except those for loading and sending, which are the same for all
    programs."""
    rng = random_source("bls12_381 core alone")
    await _start(dut)
    programs, more = image(), set[int]()
    for number, entry in enumerate(programs.entries):
        words = [rng.randrange(P) for _ in range(entry.inputs)]
        expected, used = Simulator(programs).run(entry, words)
        began = int(dut.clocks_o.value)
        assert await _run(dut, number, words) == expected
        more.add(int(dut.clocks_o.value) - began - used.clocks - entry.inputs - entry.outputs)
    assert len(more) == 1, more


async def _run(dut: Any, entry: int, words: list[int]) -> list[int]:
    """Runs one job in an idle core: nothing is checked until its result comes."""
    dut.result_ready_i.value = 1
    for index, word in enumerate(words):
        dut.job_valid_i.value, dut.job_data_i.value = 1, word
        dut.job_last_i.value, dut.job_entry_i.value = int(index == len(words) - 1), entry
        await FallingEdge(dut.clk_i)
        while not int(dut.job_ready_o.value):
            await FallingEdge(dut.clk_i)
        await RisingEdge(dut.clk_i)
    dut.job_valid_i.value = 0
    await RisingEdge(dut.result_valid_o)
    result, last = [], False
    while not last:
        await FallingEdge(dut.clk_i)
        if int(dut.result_valid_o.value):
            result.append(int(dut.result_data_o.value))
            last = bool(int(dut.result_last_o.value))
    await RisingEdge(dut.clk_i)
    return result


@cocotb.test()
async def pairing(dut: Any) -> None:
    """Compares e(p, q) with the golden model, and logs the clocks of a single job."""
    p, q = model.multiply(model.G1, 12345), model.multiply(model.G2, 67891)
    assert p is not None and q is not None
    await _start(dut)
    words = [to_montgomery(word, P, WIDTH) for word in (p[0][0], p[1][0], *q[0], *q[1])]
    value = await _run(dut, 0, words)
    dut._log.info("Miller loop: %d clocks", int(dut.clocks_o.value))
    result = await _run(dut, 1, value)
    dut._log.info("pairing: %d clocks", int(dut.clocks_o.value))
    expected = [part for pair in model.pairing(p, q) for part in pair]
    assert result == [to_montgomery(word, P, WIDTH) for word in expected]


@pytest.mark.parametrize("contexts", in_sweep([CONTEXTS]))
def test_bls12_381_core(contexts: int) -> None:
    run_bench(__file__, write_top(image(), "bls12_381_tower", saved=True), {"Contexts": contexts},
              folders=[FOLDER], optimize="-O0",
              tests="results_are_right|a_job_alone_takes_the_clocks_of_the_model")


@pytest.mark.parametrize("contexts", in_sweep([2]))
def test_pairing(contexts: int) -> None:
    run_bench(__file__, write_top(pairing_image(), "bls12_381_pairing", saved=True), {"Contexts": contexts},
              folders=[FOLDER], tests="pairing")


# The lint of bls12_381_port, which runs every time, includes such a core.
LINTS = in_sweep([Lint(lambda: write_top(image(), "bls12_381_tower", saved=True), folders=[FOLDER])])
