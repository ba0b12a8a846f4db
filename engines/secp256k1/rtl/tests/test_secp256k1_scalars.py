# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests the units before and after a core: every edge case's job, refusal and mask; clocks; resets.

The core in between is replaced by the simulator's result for the job's words.
"""

import random
from functools import lru_cache
from typing import Any

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from arith.microcode.simulator import Simulator
from arith.simulation.bench import Lint, random_source, run_bench
from arith.simulation.streams import reset, start
from engines.secp256k1.microcode.verdict import ranges_mask
from engines.secp256k1.microcode.verify import image_of_verify
from engines.secp256k1.model import ecdsa
from engines.secp256k1.model.curve import N, P
from engines.secp256k1.model.division import job_words
from engines.secp256k1.model.tests.edge_cases import Case, all_cases, random_case

TOP = "scalars_top"
CASES = 60
MOST_CLOCKS = 1557
KEY_BAD = 1 << ecdsa.Check.ON_CURVE


@lru_cache(maxsize=None)
def simulator() -> Simulator:
    return Simulator(image_of_verify())


async def offer(dut: Any, case: Case, tag: int, rng: random.Random) -> None:
    _, signature, (x, y) = case
    dut.r_i.value, dut.s_i.value, dut.digest_i.value = signature.r, signature.s, signature.digest
    dut.x_i.value, dut.y_i.value, dut.tag_i.value = x, y, tag
    dut.in_valid_i.value = 1
    await ReadOnly()
    assert int(dut.in_ready_o.value) == 1
    await RisingEdge(dut.clk_i)
    for name in ("r_i", "s_i", "digest_i", "x_i", "y_i"):
        getattr(dut, name).value = rng.getrandbits(256)
    dut.tag_i.value, dut.in_valid_i.value = rng.getrandbits(64), 0


async def take_job(dut: Any, case: Case, tag: int, rng: random.Random) -> int | None:
    """Takes the output of a case and checks it; returns the job's entry, or None if the case is
    refused."""
    _, signature, key = case
    mask = ranges_mask(signature, key)
    words: list[int] = []
    clocks = waited = 0
    while True:
        ready = int(rng.random() < 0.7)
        dut.job_ready_i.value = dut.refused_ready_i.value = ready
        await ReadOnly()
        job, refused = int(dut.job_valid_o.value), int(dut.refused_valid_o.value)
        done = False
        if job:
            words += [int(dut.job_data_o.value)] * ready
            assert int(dut.job_tag_o.value) == (mask & 3) << 64 | tag
            assert int(dut.job_key_alone_o.value) == int(mask != 0)
            done = bool(ready and int(dut.job_last_o.value))
        if refused:
            assert int(dut.refused_mask_o.value) == mask and mask & KEY_BAD and not job
            assert int(dut.refused_tag_o.value) == tag
            done = bool(ready)
        waited += (job or refused) and not ready
        await RisingEdge(dut.clk_i)
        if done:
            break
        clocks += 1
        assert clocks - waited <= MOST_CLOCKS
    dut.job_ready_i.value = dut.refused_ready_i.value = 0
    if mask & KEY_BAD:
        assert not words
        return None
    if mask:
        assert words == list(key)
        return 1
    assert words == job_words(signature.r, signature.s, signature.digest, *key)
    return 0


async def judge(dut: Any, case: Case, entry: int, tag: int, rng: random.Random) -> None:
    """Supplies the result of the case's job and compares the mask."""
    _, signature, key = case
    words = list(key)
    if entry == 0:
        words = job_words(signature.r, signature.s, signature.digest, *key)
    result, _ = simulator().run(simulator().image.entries[entry], words)
    for index, word in enumerate(result):
        while rng.random() < 0.3:
            dut.result_valid_i.value = 0
            await RisingEdge(dut.clk_i)
        dut.result_valid_i.value, dut.result_data_i.value = 1, word
        dut.result_last_i.value = int(index == len(result) - 1)
        dut.result_tag_i.value = (ranges_mask(signature, key) & 3) << 64 | tag
        await ReadOnly()
        assert int(dut.result_ready_o.value) == 1 and int(dut.mask_valid_o.value) == 0
        await RisingEdge(dut.clk_i)
    dut.result_data_i.value = rng.getrandbits(256)
    await RisingEdge(dut.clk_i)
    for _ in range(1 + rng.randrange(3)):
        await ReadOnly()
        assert int(dut.mask_valid_o.value) == 1 and int(dut.result_ready_o.value) == 0
        assert int(dut.mask_o.value) == ecdsa.verify(signature, key), case[0]
        assert int(dut.mask_tag_o.value) == tag
        await RisingEdge(dut.clk_i)
    dut.mask_ready_i.value, dut.result_valid_i.value = 1, 0
    await RisingEdge(dut.clk_i)
    dut.mask_ready_i.value = 0


async def _start(dut: Any) -> random.Random:
    rng = random_source("scalars")
    idle = dict.fromkeys(("in_valid_i", "job_ready_i", "refused_ready_i", "result_valid_i",
                          "mask_ready_i", "result_last_i", "result_tag_i", "result_data_i"), 0)
    await start(dut, **idle)
    return rng


@cocotb.test()
async def cases_come_to_the_golden_masks(dut: Any) -> None:
    rng = await _start(dut)
    cases = all_cases(rng.getrandbits(32))
    always = [case for case in cases if case[0].startswith(
        ("r = ", "s = ", "key (", "bad", "nothing", "x = n", "infinity"))]
    for case in always + rng.sample(cases, CASES) + [random_case(rng)]:
        tag = rng.getrandbits(64)
        await offer(dut, case, tag, rng)
        entry = await take_job(dut, case, tag, rng)
        if entry is not None:
            await judge(dut, case, entry, tag, rng)


@cocotb.test()
async def a_reset_drops_what_is_inside(dut: Any) -> None:
    rng = await _start(dut)
    for _ in range(6):
        await offer(dut, random_case(rng), 1, rng)
        for _ in range(rng.choice((1, 5, 9, 40, 600))):
            await RisingEdge(dut.clk_i)
        await reset(dut, clocks=1)
        case = random_case(rng)
        await offer(dut, case, 2, rng)
        assert await take_job(dut, case, 2, rng) == 0


LINTS = [Lint(TOP)]


def test_secp256k1_scalars() -> None:
    assert P - N < 2**129  # r2 differs from r only for few r, as in `x = n`
    run_bench(__file__, TOP)
