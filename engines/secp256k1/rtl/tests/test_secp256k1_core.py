# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs signatures on a field_core with lookups: compares every word with the simulator, and masks
with the model.

Writes build/reports/field_core_secp256k1.json: clocks and products between the end of the first
generation of contexts and the moment the last job went in, and the latency of one job.
"""

import json
import random
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from arith.microcode.simulator import Simulator
from arith.rtl.tests.field_core_image import FOLDER, write_top
from arith.rtl.tests.field_core_jobs import Bench, Job
from arith.simulation.bench import Lint, in_sweep, random_source, run_bench
from arith.simulation.streams import reset, start
from arith.simulation.toolchain import BUILD_ROOT
from engines.secp256k1.microcode.verdict import ranges_mask, result_mask
from engines.secp256k1.microcode.verify import image_of_verify
from engines.secp256k1.model import ecdsa
from engines.secp256k1.model.division import job_words
from engines.secp256k1.model.tests.edge_cases import Case, all_cases, random_case

CONTEXTS = 48
TURNS = 1958
GENERATIONS = 3
EDGES = 40
CLOCKS = 2_000_000
AROUND_A_JOB = 40
"""The clocks of a lone job for loading and sending."""
MOST_CLOCKS, MOST_CLOCKS_ALONE = 1960, 8_500


@lru_cache(maxsize=None)
def simulator() -> Simulator:
    return Simulator(image_of_verify())


def jobs_of(cases: Iterable[Case]) -> list[Job]:
    """Returns the jobs of signatures in range; the simulator's words lead to the golden model's
    masks."""
    jobs = []
    entry, quick = simulator().image.entries[0], simulator().image.quick_entries[0]
    for name, signature, key in cases:
        if ranges_mask(signature, key):
            continue
        words = job_words(signature.r, signature.s, signature.digest, *key)
        results = [simulator().run(program, words)[0] for program in (entry, quick)]
        for result in results:
            assert result_mask(result) == ecdsa.verify(signature, key), name
        jobs.append(Job(0, tuple(words), *map(tuple, results)))
    return jobs


def alone_clocks() -> int:
    """The clocks of a lone job according to the microcode's model."""
    (signature,) = jobs_of([random_case(random.Random(1))])
    return simulator().run(simulator().image.quick_entries[0], signature.words)[1].clocks


async def _start(dut: Any, name: str, pause: float) -> tuple[Bench, random.Random]:
    rng = random_source(name)
    await start(dut, job_valid_i=0, result_ready_i=0, job_data_i=0, job_last_i=0,
                job_entry_i=0, job_tag_i=0)
    return Bench(dut, rng, pause), rng


@cocotb.test()
async def edge_cases(dut: Any) -> None:
    """Some cases of every family, and checks of only the key; some jobs take more than twice as
    long."""
    bench, rng = await _start(dut, "edges", 0.2)
    cases = all_cases(rng.getrandbits(32))
    chosen = [case for case in cases if case[0].startswith(("infinity", "u1 = 1 u2", "x = n"))]
    bench.send(jobs_of(chosen + rng.sample(cases, EDGES)))
    entry = simulator().image.entries[1]
    for _, _, key in rng.sample(cases, 6):
        if all(0 <= word < simulator().image.modulus for word in key):
            bench.send([Job(1, key, tuple(simulator().run(entry, key)[0]))])
    await bench.finish(CLOCKS)


@cocotb.test()
async def alone(dut: Any) -> None:
    """Jobs sent sequentially to an idle core: each runs the quick program, in its clocks."""
    bench, rng = await _start(dut, "alone", 0.0)
    for job in jobs_of(random_case(rng) for _ in range(3)):
        begin = int(dut.clocks_o.value)
        bench.send([job])
        await bench.finish()
        latency = int(dut.clocks_o.value) - begin
        assert 0 < latency - alone_clocks() < AROUND_A_JOB
        assert latency <= MOST_CLOCKS_ALONE
    assert bench.quick == 3
    dut._log.info(f"alone: {latency} clocks")


@cocotb.test()
async def mixed_load(dut: Any) -> None:
    """A lone job takes exactly its clocks, though a burst fills the core after it. A reset during
    that leaves no trace."""
    bench, rng = await _start(dut, "mixed", 0.0)
    jobs = jobs_of(random_case(rng) for _ in range(CONTEXTS + 4))
    for clocks in (rng.randrange(4000), rng.randrange(4000, 8_000)):
        bench.send(jobs[:1])
        await ClockCycles(dut.clk_i, clocks)
        bench.send(jobs[1:])
        await ClockCycles(dut.clk_i, rng.randrange(2000))
        bench.forget()
        await reset(dut, clocks=rng.randrange(1, 4))
        bench.forget()
    begin = int(dut.clocks_o.value)
    bench.send(jobs[:1])
    await ClockCycles(dut.clk_i, 100)
    bench.send(jobs[1:])
    await bench.wait_until(lambda: bench.finished > 0, CLOCKS)
    latency = int(dut.clocks_o.value) - begin
    assert bench.quick == 1 and 0 < latency - alone_clocks() < AROUND_A_JOB
    await bench.finish(CLOCKS)
    # The quick context was free while the burst was inside, but the core was full.
    assert bench.finished == len(jobs) and bench.quick == 1


@cocotb.test()
async def full_batch(dut: Any) -> None:
    bench, rng = await _start(dut, "batch", 0.0)

    def counters() -> tuple[int, int]:
        return int(dut.clocks_o.value), int(dut.products_o.value)

    begin = counters()
    bench.send(jobs_of([random_case(rng)]))
    await bench.finish()
    latency = counters()[0] - begin[0]
    assert bench.quick == 1
    bench.send(jobs_of(random_case(rng) for _ in range(GENERATIONS * CONTEXTS)))
    await bench.wait_until(lambda: bench.finished > CONTEXTS, CLOCKS)
    first = counters()
    await bench.wait_until(lambda: not bench.unsent, CLOCKS)
    last = counters()
    await bench.finish(CLOCKS)
    clocks, products = last[0] - first[0], last[1] - first[1]
    report = {
        "contexts": CONTEXTS, "latency_clocks": latency, "products_per_signature": TURNS,
        "clocks": clocks, "products": products, "utilization": round(products / clocks, 4),
        "clocks_per_signature": round(clocks * TURNS / products, 1),
    }
    file = BUILD_ROOT / "reports/field_core_secp256k1.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(report, indent=2) + "\n")
    dut._log.info(json.dumps(report))
    assert 0 < latency - alone_clocks() < AROUND_A_JOB
    assert report["clocks_per_signature"] <= MOST_CLOCKS and latency <= MOST_CLOCKS_ALONE


def _top() -> str:
    return write_top(image_of_verify(), "secp256k1")


# test_secp256k1_lane, which runs every time, has this core with its edge cases, a lone signature
# and full batches.
@pytest.mark.parametrize("tests", in_sweep(["edge_cases", "alone", "mixed_load", "full_batch"]))
def test_secp256k1_core(tests: str) -> None:
    run_bench(__file__, _top(), {"Contexts": CONTEXTS}, folders=[FOLDER], tests=tests)


LINTS = [Lint(_top, folders=[FOLDER])]
