# SPDX-License-Identifier: Apache-2.0 OR MIT
"""mod_mul: both fields, Interval 1, 2 and 4, at full rate, with random gaps, and with a reset while
products are in flight."""

import itertools

import cocotb
from arith.rtl.tests.fields import FELT, FR, edge_values, montgomery_product, residue
from arith.simulation.bench import Lint, random_source, run_bench
from arith.simulation.streams import reset, start
from cocotb.triggers import RisingEdge

# Core 2*k + f of mod_mul_top: field f, Interval 2^k.
CORES = [(modulus, interval) for interval in (1, 2, 4) for modulus in (FR, FELT)]


class Harness:
    """Feeds all cores and compares their results with plain integers, clock by clock."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.clock = 0
        self.next_free = [0] * len(CORES)
        self.expected = [[] for _ in CORES]
        self.latency = []
        self.checked = 0

    async def begin(self) -> None:
        await start(self.dut, valid_i=0, a_i=0, b_i=0, tag_i=0)
        latencies = int(self.dut.latency_o.value)
        self.latency = [latencies >> 8 * core & 0xFF for core in range(len(CORES))]

    async def step(self, rng, a: int, b: int, gap: float) -> None:
        """One clock: offers a, b to each core that is free and does not pause."""
        tag = rng.getrandbits(8)
        mask = 0
        for core, (modulus, interval) in enumerate(CORES):
            if self.clock < self.next_free[core] or a >= modulus or b >= modulus:
                continue
            if rng.random() < gap:
                continue
            mask |= 1 << core
            self.next_free[core] = self.clock + interval
            self.expected[core].append(
                (self.clock + self.latency[core], montgomery_product(a, b, modulus), tag)
            )
        self.dut.a_i.value, self.dut.b_i.value = a, b
        self.dut.tag_i.value, self.dut.valid_i.value = tag, mask
        await RisingEdge(self.dut.clk_i)
        self.check()
        self.clock += 1

    def check(self) -> None:
        valid = int(self.dut.valid_o.value)
        products, tags = int(self.dut.product_o.value), int(self.dut.tag_o.value)
        for core, queue in enumerate(self.expected):
            due = bool(queue) and queue[0][0] == self.clock
            assert bool(valid >> core & 1) == due, f"core {core}: valid at clock {self.clock}"
            if due:
                _, product, tag = queue.pop(0)
                assert products >> 256 * core & (1 << 256) - 1 == product, f"core {core}"
                assert tags >> 8 * core & 0xFF == tag, f"tag of core {core}"
                self.checked += 1

    async def drain(self, rng) -> None:
        for _ in range(max(self.latency) + 1):
            await self.step(rng, 0, 0, gap=1.0)
        assert not any(self.expected)


@cocotb.test()
async def edges_and_random(dut):
    rng = random_source("mod_mul")
    harness = Harness(dut)
    await harness.begin()
    dut._log.info("latencies %s", dict(zip(CORES, harness.latency, strict=True)))
    for modulus in (FR, FELT):
        pairs = list(itertools.product(edge_values(modulus), repeat=2))
        for a, b in rng.sample(pairs, 500):
            await harness.step(rng, a, b, gap=0.0)
        for count, gap in [(500, 0.0), (300, 0.5)]:
            for _ in range(count):
                a, b = residue(rng, modulus), residue(rng, modulus)
                await harness.step(rng, a, b, gap)
    await harness.drain(rng)
    assert harness.checked > 5000


@cocotb.test()
async def reset_drops_products_in_flight(dut):
    rng = random_source("mod_mul reset")
    harness = Harness(dut)
    await harness.begin()
    for _ in range(4):
        for _ in range(rng.randint(10, 90)):
            await harness.step(rng, residue(rng, FELT), residue(rng, FELT), gap=0.3)
        dut.valid_i.value = 0
        await reset(dut)
        harness.expected = [[] for _ in CORES]
        harness.next_free = [0] * len(CORES)
        for _ in range(60):
            await harness.step(rng, residue(rng, FELT), residue(rng, FELT), gap=0.3)
        await harness.drain(rng)


LINTS = [*(Lint("mod_mul", {"Modulus": modulus, "Interval": interval}) for modulus, interval in CORES),
         Lint("mod_mul", {"Modulus": FR, "TileA": 18, "TileB": 18})]  # of the ECP5


def test_mod_mul():
    run_bench(__file__, "mod_mul_top", optimize="-O0")
