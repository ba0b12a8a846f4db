# SPDX-License-Identifier: Apache-2.0 OR MIT
"""ckks_automorphism against the definition of the permutation: all shapes of lanes and N, exponents
of rotations, of conjugation and any other, and a reset in mid-job."""

from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import Lint, in_sweep, random_source, run_bench, setting
from arith.simulation.streams import reset, start
from engines.ckks.model import transform
from engines.ckks.model.automorphism import permuted
from engines.ckks.model.layout import Layout
from engines.ckks.rtl.tests.ckks_rows import packed, unpacked

ADDRESS_BITS = 10
# LogLanes, MaxLogDegree, and the degrees that are tried.
SHAPES = [(2, 8, (3, 7, 8)), (4, 9, (5, 8, 9)), (5, 8, (6, 8))]
SWEPT = [(3, 10, (4, 10)), (6, 9, (7, 9)), (1, 6, (2, 6))]


def test_the_model_is_the_automorphism() -> None:
    """The values of a polynomial become those of the polynomial in X^g."""
    prime, log_degree = 12 * 1024 + 1, 4
    degree = 1 << log_degree
    rng = random_source()
    root = transform.root_of(prime, log_degree + 1)
    polynomial = [rng.randrange(prime) for _ in range(degree)]

    def values(coefficients: list[int]) -> list[int]:
        points = [pow(root, 2 * transform.reversed_bits(i, log_degree) + 1, prime)
                  for i in range(degree)]
        return [sum(c * pow(point, power, prime) for power, c in enumerate(coefficients)) % prime
                for point in points]

    for exponent in range(1, 2 * degree, 2):
        moved = [0] * degree
        for power, coefficient in enumerate(polynomial):
            place = power * exponent % (2 * degree)
            moved[place % degree] += coefficient if place < degree else -coefficient
        assert permuted(values(polynomial), exponent) == values(moved)


@cocotb.test()
async def limbs_are_right(dut: Any) -> None:
    log_lanes = int(setting("LOG_LANES"))
    rng = random_source(log_lanes)
    lanes = 1 << log_lanes
    await start(dut, log_degree_i=0, job_valid_i=0, job_exponent_i=1, job_source_i=0,
                job_result_i=0, job_tag_i=0, read_ready_i=0, read_word_i=0)
    rows = [[0] * (1 << ADDRESS_BITS) for _ in range(lanes)]
    coming = [0, 0]
    done: list[int] = []
    wait = 0.0
    stalls = 0

    async def step() -> None:
        nonlocal stalls
        dut.read_word_i.value = coming.pop(0)
        ready = rng.random() >= wait
        dut.read_ready_i.value = int(ready)
        await ReadOnly()
        read, write = int(dut.read_row_o.value), int(dut.write_row_o.value)
        is_read = int(dut.read_valid_o.value)
        stalls += is_read and not ready
        coming.append(packed([bank[read] for bank in rows]) if is_read and ready else 0)
        if int(dut.write_valid_o.value):
            for bank, word in zip(rows, unpacked(int(dut.write_word_o.value), lanes)):
                bank[write] = word
        if int(dut.done_valid_o.value):
            done.append(int(dut.done_tag_o.value))
        await RisingEdge(dut.clk_i)

    for degree in map(int, setting("DEGREES").split()):
        layout = Layout(degree, log_lanes)
        dut.log_degree_i.value = degree
        # The generator of rotations, its powers, conjugation, anything.
        fixed = [1, 3, 5, pow(5, 7, 2 << degree), (2 << degree) - 1]
        for job in range(12):
            exponent = fixed[job] if job < len(fixed) else rng.randrange(1, 2 << degree, 2)
            source, result = rng.sample(range(4), 2)
            wait, stalls = rng.choice((0.0, 0.3, 0.7)), 0
            values = [rng.getrandbits(30) for _ in range(1 << degree)]
            base = source * layout.rows
            for bank, column in enumerate(transform.store(layout, values)):
                rows[bank][base:base + layout.rows] = column
            dut.job_valid_i.value, dut.job_exponent_i.value = 1, exponent
            dut.job_source_i.value, dut.job_result_i.value = base, result * layout.rows
            dut.job_tag_i.value = job
            await step()
            dut.job_valid_i.value = 0
            if job == 6:
                for _ in range(rng.randrange(layout.rows + 8)):
                    await step()
                await reset(dut, clocks=1)
                done.clear()
                continue
            clocks = 1
            while not done:
                await step()
                clocks += 1
            assert done.pop() == job and clocks == layout.rows + 2 * log_lanes + 5 + stalls
            base = result * layout.rows
            banks = [bank[base:base + layout.rows] for bank in rows]
            assert transform.load(layout, banks) == permuted(values, exponent), (degree, exponent)


def _parameters(shape: tuple[int, int, tuple[int, ...]]) -> dict[str, int]:
    return {"LogLanes": shape[0], "MaxLogDegree": shape[1], "AddressBits": ADDRESS_BITS}


LINTS = [Lint("ckks_automorphism", _parameters(shape)) for shape in SHAPES]


@pytest.mark.parametrize("shape", [*SHAPES[::2], *in_sweep([SHAPES[1], *SWEPT])])
def test_ckks_automorphism(shape: tuple[int, int, tuple[int, ...]]) -> None:
    run_bench(__file__, "ckks_automorphism", _parameters(shape), settings={
        "LOG_LANES": shape[0], "DEGREES": " ".join(map(str, shape[2]))})
