# SPDX-License-Identifier: Apache-2.0 OR MIT
"""poseidon_port against the golden model: every status, pauses, resets, and its full-batch rate.

Writes build/reports/poseidon_engine_<field>_cores_<n>.json (see `full_batch`).
"""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from cocotb.utils import get_sim_time

from arith.simulation.bench import Lint, in_sweep, is_sweep, run_bench, setting
from arith.simulation.engines import UnorderedBench
from arith.simulation.ports import reader
from arith.simulation.streams import CLOCK_PERIOD_NS, wait_clocks
from arith.simulation.toolchain import BUILD_ROOT
from engines.poseidon.rtl.tests.poseidon_frames import (
    ALL_CODES, INSTANCES, Reply, Request, Requests, parse_reply,
)

LANE_OF_FAMILY = {0: "fr", 1: "fr", 2: "felt"}
LEAST_UTILIZATION = 0.90
# The tests to run.
WIDTHS = "all_widths|says"
CORES = "every_request|starved|reset"  # tests that depend on the number of cores
OPTIMIZED, PLAIN, SMALL = range(3)  # sets of programs, poseidon_pkg::programs_e


def report_file(lane: str, cores: int) -> Path:
    return BUILD_ROOT / "reports" / f"poseidon_engine_{lane}_cores_{cores}.json"


class Bench(UnorderedBench[Reply]):
    """The engine, its requests and its errors."""

    def __init__(self, dut: Any, rng: random.Random, pause_in: float, pause_out: float) -> None:
        super().__init__(dut, rng, pause_in, pause_out)
        self.errors = self.products = 0
        self.requests = Requests(rng, codes_here())
        cocotb.start_soon(self._count_errors())

    async def _count_errors(self) -> None:
        edge, begins = RisingEdge(self.dut.clk_i), RisingEdge(self.dut.error_o)
        error = reader(self.dut.error_o)
        while True:
            await begins
            await edge
            while error():
                self.errors += 1
                await edge

    def count_products(self) -> None:
        """Counts issued products from now on."""
        cocotb.start_soon(self._count_products())

    async def _count_products(self) -> None:
        edge, products = RisingEdge(self.dut.clk_i), reader(self.dut.events_o)
        while True:
            await edge
            self.products += products() & 0xF

    def send(self, requests: Sequence[Request]) -> None:
        for request in requests:
            self.waiting[request.reply] += 1
            self.driver.send(request.beats)

    def parse(self, beats: list[int]) -> Reply:
        return parse_reply(beats)


def codes_here() -> list[int]:
    """The instances of the engine under test."""
    cores = {"fr": int(setting("cores_fr")), "felt": int(setting("cores_felt"))}
    widths = (3,) if int(setting("programs")) == SMALL else (3, 4, 5, 9, 12)
    return [code for code in INSTANCES if cores[LANE_OF_FAMILY[code >> 4]] and code & 15 in widths]


@cocotb.test()
@cocotb.parametrize(pauses=[(0.0, 0.0), (0.3, 0.3), (0.0, 0.9), (0.9, 0.0)])
async def every_request_gets_its_reply(dut: Any, pauses: tuple[float, float]) -> None:
    """Good and malformed requests of every kind, all instances mixed, digest and state."""
    bench = await Bench.begin(dut, f"mixed {pauses}", *pauses)
    requests = [bench.requests.any() for _ in range(80)]
    bench.send(requests)
    await bench.finish()
    assert bench.errors == sum(request.reply.status != 0 for request in requests)


@cocotb.test()
async def all_widths(dut: Any) -> None:
    """Every instance, state and digest, in one stream with refused requests."""
    bench = await Bench.begin(dut, "widths", 0.2, 0.2)
    # With plain rounds, the wide Filecoin instances take too long here.
    longest = 5 if int(setting("programs")) == PLAIN else 12
    codes = [code for code in codes_here() if code & 15 <= longest or code >> 4 == 2]
    requests = [bench.requests.good(code, digest) for code in codes for digest in (False, True)]
    requests += [bench.requests.any(codes) for _ in range(60)]
    bench.rng.shuffle(requests)
    bench.send(requests)
    await bench.finish(1_500_000)
    assert bench.errors == sum(request.reply.status != 0 for request in requests)


@cocotb.test()
async def says_what_it_can_do(dut: Any) -> None:
    await Bench.begin(dut, "mask")
    mask = sum(1 << bit for bit, code in enumerate(ALL_CODES) if code in codes_here())
    shape = (int(setting("contexts")) << 8 | int(setting("cores_felt"))) << 8 | int(setting("cores_fr"))
    assert int(dut.shape_o.value) == shape << 32 | mask
    assert int(dut.idle_o.value) == 1


@cocotb.test()
async def refusals_flow_while_replies_wait(dut: Any) -> None:
    """A reader that accepts nothing stalls the engine; once it resumes, nothing is lost."""
    bench = await Bench.begin(dut, "blocked")
    bench.monitor.pause = 1.0
    requests = [bench.requests.any() for _ in range(150)]
    bench.send(requests)
    await wait_clocks(dut.clk_i, 12_000)
    bench.check()
    assert bench.checked == 0 and int(dut.idle_o.value) == 0
    bench.monitor.pause = 0.0
    await bench.finish()


@cocotb.test()
async def malformed_requests_start_nothing(dut: Any) -> None:
    bench = await Bench.begin(dut, "malformed", 0.1, 0.1)
    bench.count_products()
    makers = (bench.requests.not_canonical, bench.requests.wrong_length,
              bench.requests.unknown_instance, bench.requests.corrupt)
    bench.send([maker() for maker in makers for _ in range(60)])
    await bench.finish()
    assert bench.products == 0


@cocotb.test()
async def every_flipped_bit_is_malformed(dut: Any) -> None:
    """Each bit of a request in turn, header and checksum included: refused, and no job starts."""
    bench = await Bench.begin(dut, "bits")
    bench.count_products()
    code = bench.requests.codes[0]
    bits = 64 * len(bench.requests.good(code).beats)
    bench.send([bench.requests.corrupt(code, bit) for bit in range(bits)])
    await bench.finish()
    assert bench.checked == bench.errors == bits
    assert bench.products == 0


@cocotb.test()
async def starved_when_no_request_waits_for_free_contexts_and_only_then(dut: Any) -> None:
    """An idle engine starves in every clock, a full one in none; each lane counts separately."""
    bench = await Bench.begin(dut, "starved")
    starved = [0, 0]
    lanes = [lane for lane in (0, 1) if int(setting(("cores_fr", "cores_felt")[lane]))]

    async def count() -> None:
        edge, read = RisingEdge(dut.clk_i), reader(dut.events_o)
        while True:
            await edge
            bits = read() >> 4
            starved[0] += bits & 1
            starved[1] += bits >> 1

    cocotb.start_soon(count())
    await wait_clocks(dut.clk_i, 100)
    assert [count >= 95 for count in starved] == [lane in lanes for lane in (0, 1)]
    lane = lanes[-1]
    code = next(c for c in codes_here() if LANE_OF_FAMILY[c >> 4] == ("fr", "felt")[lane])
    contexts = int(setting("contexts")) * int(setting(("cores_fr", "cores_felt")[lane]))
    bench.send([bench.requests.good(code) for _ in range(3 * contexts)])
    await bench.until(lambda: bench.checked >= contexts, 600_000)
    before = list(starved)
    await bench.until(lambda: bench.checked >= 2 * contexts, 600_000)
    assert starved[lane] == before[lane]
    if len(lanes) == 2:
        assert starved[1 - lane] > before[1 - lane] + 1000
    await bench.finish()
    assert starved[lane] > before[lane]


@cocotb.test()
async def hard_reset_in_mid_job(dut: Any) -> None:
    bench = await Bench.begin(dut, "hard reset", 0.1, 0.1)
    for _ in range(6):
        bench.send([bench.requests.any() for _ in range(20)])
        await wait_clocks(dut.clk_i, bench.rng.randrange(10, 3000))
        await bench.hard_reset()
    bench.send([bench.requests.any() for _ in range(20)])
    await bench.finish()


@cocotb.test()
async def soft_reset_in_mid_job(dut: Any) -> None:
    """The frame being offered is completed correctly; all others are dropped."""
    bench = await Bench.begin(dut, "soft reset", 0.1)
    for _ in range(20 if is_sweep() else 10):
        bench.monitor.pause = bench.rng.choice((0.0, 0.3, 0.95))
        bench.send([bench.requests.any() for _ in range(16)])
        longest = 25_000 if bench.rng.random() < 0.3 else 600
        await wait_clocks(dut.clk_i, bench.rng.randrange(10, longest))
        await bench.soft_reset()
    bench.send([bench.requests.any() for _ in range(20)])
    await bench.finish()


@cocotb.test()
@cocotb.parametrize(lane=["fr", "felt"])
async def full_batch(dut: Any, lane: str) -> None:
    """Three generations of contexts without a pause: the rate of the cores and of the frames.

    `batch` is from the first beat in to the last beat out; `steady` from the end of the first
    generation to the entry of the last request. `utilization` is products issued by a core /
    (clocks / Interval); `clocks_per_hash` counts all cores together. """
    cores, interval = int(setting(f"cores_{lane}")), int(setting("interval"))
    codes = [code for code in codes_here() if LANE_OF_FAMILY[code >> 4] == lane]
    if not codes:
        return
    bench = await Bench.begin(dut, f"batch {lane}")
    bench.count_products()
    contexts = cores * int(setting("contexts"))
    requests = [bench.requests.good(codes[0], digest=False) for _ in range(3 * contexts)]

    def snapshot() -> tuple[int, int]:
        return int(get_sim_time("ns")) // CLOCK_PERIOD_NS, bench.products

    begin = snapshot()
    bench.send(requests)
    await bench.until(lambda: bench.checked >= contexts, 600_000)
    first_generation = snapshot()
    await bench.driver.drained(clocks=1_000_000)
    last_in = snapshot()
    await bench.finish()
    end = snapshot()
    products = (end[1] - begin[1]) / len(requests)

    def figures(first: tuple[int, int], last: tuple[int, int]) -> dict[str, float]:
        clocks, issued = last[0] - first[0], last[1] - first[1]
        return {
            "clocks": clocks, "products": issued,
            "utilization": round(issued * interval / clocks / cores, 4),
            "clocks_per_hash": round(clocks * products / issued, 2),
        }

    report = {
        "instance": INSTANCES[codes[0]].name, "cores": cores, "interval": interval,
        "contexts": contexts // cores, "requests": len(requests), "products_per_hash": products,
        "batch": figures(begin, end), "steady": figures(first_generation, last_in),
    }
    file = report_file(lane, cores)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(report, indent=2) + "\n")
    assert report["steady"]["utilization"] >= LEAST_UTILIZATION


# Both fields with every reset and refusal, on the short programs of width 3. One field alone, in
# two cores on half-rate multipliers with so few contexts that all are always busy. Every width, in
# both sets, in sweeps: the simulated card has them all, and the Rust tests compare each instance on
# it. test_poseidon_rates.py measures the rates of more cores behind one stream.
CASES = [
    pytest.param(SMALL, 1, 1, 64, 1, None, id="small"),
    pytest.param(SMALL, 0, 2, 3, 2, CORES, id="two-cores"),
    *in_sweep([
        pytest.param(OPTIMIZED, 2, 1, 12, 1, WIDTHS, id="all-widths"),
        pytest.param(PLAIN, 1, 1, 12, 1, WIDTHS, id="plain"),
    ]),
]


@pytest.mark.parametrize("programs, cores_fr, cores_felt, contexts, interval, tests", CASES)
def test_poseidon_engine(
    programs: int, cores_fr: int, cores_felt: int, contexts: int, interval: int, tests: str | None
) -> None:
    settings = {"programs": programs, "cores_fr": cores_fr, "cores_felt": cores_felt,
                "contexts": contexts, "interval": interval}
    parameters = {"Programs": programs, "CoresFr": cores_fr, "CoresFelt": cores_felt,
                  "Contexts": contexts, "Interval": interval}
    run_bench(__file__, "poseidon_port", parameters, settings=settings, tests=tests)
    if tests is None:
        for lane, cores in (("fr", cores_fr), ("felt", cores_felt)):
            if cores:
                print(report_file(lane, cores).read_text())


LINTS = [
    *(Lint("poseidon_port", {"CoresFr": cores_fr, "CoresFelt": cores_felt})
      for cores_fr, cores_felt in ((2, 3), (0, 1), *in_sweep([(1, 1), (1, 0)]))),
    *(Lint(f"poseidon_{part}") for part in ("request", "dispatcher", "lane", "reply")),
    # The modules of the optimized set are part of the engines above.
    *in_sweep([Lint(module, {"Programs": f"2'd{programs}", **lane_parameters})
               for programs in (OPTIMIZED, PLAIN, SMALL) for lane in (0, 1)
               for module, lane_parameters in (
                   ("poseidon_rom", {"Lane": lane}), ("poseidon_lane", {"Lane": lane}),
                   ("poseidon_port", {"CoresFr": 1 - lane, "CoresFelt": lane}))]),
]
