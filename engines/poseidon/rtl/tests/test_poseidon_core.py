# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The Poseidon programs on field_core against the golden model, and the multiplier's utilization.

Writes build/reports/field_core_<field>_interval_<n>.json:
- batch: a batch of jobs from the first word in to the last word out, including filling and
  draining;
- steady: from the end of the first generation of contexts to the entry of the last job.
  `utilization` is products issued / (clocks / Interval); `clocks_per_hash` is clocks per job's
  worth of issued products. `latency_clocks` is the latency of one job in an idle core, from the
  first word in to the last word out.
"""

import json
import random
from collections.abc import Sequence
from functools import partial
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from arith.microcode.checker import check
from arith.rtl.tests.field_core_image import FOLDER, write_top
from arith.rtl.tests.field_core_jobs import Bench, Job
from arith.simulation.bench import Lint, in_sweep, random_source, run_bench, setting
from arith.simulation.streams import reset, start
from arith.simulation.toolchain import BUILD_ROOT
from engines.poseidon.microcode.images import Programs, image_of_set, instances_of
from engines.poseidon.model.parameters import FELT, FR, Instance
from engines.poseidon.model.permutation import permute

SETS = {
    "fr": (FR, Programs.SMALL), "felt": (FELT, Programs.SMALL),
    "fr_wide": (FR, Programs.OPTIMIZED), "felt_wide": (FELT, Programs.OPTIMIZED),
}
IMAGES = {name: image_of_set(*which) for name, which in SETS.items()}
INSTANCES = {name: instances_of(*which) for name, which in SETS.items()}
LEAST_UTILIZATION = 0.90


def jobs_of(instances: Sequence[Instance], rng: random.Random, count: int) -> list[Job]:
    """Random states, frequently with elements at the edges of the range."""
    jobs = []
    for _ in range(count):
        entry = rng.randrange(len(instances))
        instance = instances[entry]
        edges = (0, 1, instance.modulus - 1)
        state = tuple(
            rng.choice(edges) if rng.random() < 0.1 else rng.randrange(instance.modulus)
            for _ in range(instance.width)
        )
        jobs.append(Job(entry, state, tuple(permute(instance, state))))
    return jobs


async def _start(dut: Any, name: str, pause: float) -> tuple[Bench, random.Random]:
    rng = random_source(name)
    await start(dut, job_valid_i=0, result_ready_i=0, job_data_i=0, job_last_i=0,
                job_entry_i=0, job_tag_i=0)
    return Bench(dut, rng, pause), rng


@cocotb.test()
async def all_programs(dut: Any) -> None:
    """Jobs of every program side by side, with pauses on both sides and a reset in the middle."""
    bench, rng = await _start(dut, "all", 0.3)
    instances = INSTANCES[setting("field")]
    bench.send(jobs_of(instances, rng, 10))
    for _ in range(rng.randrange(100, 8000)):
        await RisingEdge(dut.clk_i)
    bench.forget()
    await reset(dut)
    bench.forget()
    bench.send(jobs_of(instances, rng, 2 * int(setting("contexts"))))
    await bench.finish()


def _counters(dut: Any) -> tuple[int, int]:
    return int(dut.clocks_o.value), int(dut.products_o.value)


def _figures(begin: tuple[int, int], end: tuple[int, int], interval: int, products: int) -> dict:
    clocks, issued = end[0] - begin[0], end[1] - begin[1]
    return {
        "clocks": clocks,
        "products": issued,
        "utilization": round(issued * interval / clocks, 4),
        "clocks_per_hash": round(clocks * products / issued, 2),
    }


@cocotb.test()
async def full_batch(dut: Any) -> None:
    bench, rng = await _start(dut, "batch", 0.0)
    field, interval = setting("field"), int(setting("interval"))
    contexts = int(setting("contexts"))
    instance = INSTANCES[field][0]
    used = check(IMAGES[field])[instance.name]
    generations = 3
    begin = _counters(dut)
    bench.send(jobs_of([instance], rng, 1))
    await bench.finish()
    latency = _counters(dut)[0] - begin[0]
    jobs = jobs_of([instance], rng, generations * contexts)
    begin = _counters(dut)
    bench.send(jobs)
    await bench.wait_until(lambda: bench.finished > contexts, 400_000)
    first_generation = _counters(dut)
    await bench.wait_until(lambda: not bench.unsent, 1_000_000)
    last_in = _counters(dut)
    await bench.wait_until(lambda: not bench.waiting, 400_000)
    end = _counters(dut)
    assert end[1] - begin[1] == used.products * len(jobs)
    report = {
        "field": field, "instance": instance.name, "interval": interval, "contexts": contexts,
        "latency_clocks": latency, "turns_per_hash": used.turns,
        "products_per_hash": used.products, "jobs": len(jobs),
        "batch": _figures(begin, end, interval, used.products),
        "steady": _figures(first_generation, last_in, interval, used.products),
    }
    file = BUILD_ROOT / "reports" / f"field_core_{field}_interval_{interval}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(report, indent=2) + "\n")
    dut._log.info(json.dumps(report))
    assert report["steady"]["utilization"] >= LEAST_UTILIZATION


def _top(field: str) -> str:
    return write_top(IMAGES[field], f"poseidon_{field}")


# The engine's bench covers both fields.
@pytest.mark.parametrize("field, interval", [("fr", 1), *in_sweep([("felt", 1), ("fr", 2)])])
def test_poseidon_core(field: str, interval: int) -> None:
    contexts = 64
    run_bench(
        __file__, _top(field), {"Contexts": contexts, "Interval": interval},
        settings={"field": field, "interval": interval, "contexts": contexts}, folders=[FOLDER],
    )
    file = BUILD_ROOT / "reports" / f"field_core_{field}_interval_{interval}.json"
    print(file.read_text())


# The simulated card has all widths in each run, and the Rust tests compare each instance on it.
@pytest.mark.parametrize("field", in_sweep(["felt_wide", "fr_wide"]))
def test_all_widths(field: str) -> None:
    """Every program of a field in one core, both strengths mixed."""
    contexts = 12
    run_bench(
        __file__, _top(field), {"Contexts": contexts}, tests="all_programs", folders=[FOLDER],
        settings={"field": field, "contexts": contexts},
    )


LINTS = [Lint(partial(_top, field), folders=[FOLDER]) for field in IMAGES]
