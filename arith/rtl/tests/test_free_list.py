# SPDX-License-Identifier: Apache-2.0 OR MIT
"""free_list and memory_delay: numbers with one user at a time, and data that returns in time."""

from collections import deque
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import Lint, random_source, run_bench, setting
from arith.simulation.streams import reset, start


@cocotb.test()
@cocotb.parametrize(take=[0.5, 1.0])
async def each_number_has_one_user(dut: Any, take: float) -> None:
    """All numbers, from empty to full and back; ascending after each reset."""
    depth, rng = int(setting("depth")), random_source(take)
    await start(dut, slot_ready_i=0, free_valid_i=0, free_data_i=0)
    for _ in range(3):
        with_users: list[int] = []
        handed_out: list[int] = []
        full = 0
        for clock in range(400):
            keep = 0.95 if clock // 100 % 2 else 0.1  # fills up, then empties
            gives_back = bool(with_users) and rng.random() < 1 - keep
            back = with_users.pop(rng.randrange(len(with_users))) if gives_back else 0
            dut.free_valid_i.value, dut.free_data_i.value = int(gives_back), back
            ready = rng.random() < take
            dut.slot_ready_i.value = int(ready)
            await ReadOnly()
            taken = len(with_users) + gives_back
            assert int(dut.taken_o.value) == taken
            assert int(dut.slot_valid_o.value) == int(taken < depth)
            full += taken == depth
            if ready and taken < depth:
                slot = int(dut.slot_data_o.value)
                assert slot < depth and slot not in with_users and not (gives_back and slot == back)
                with_users.append(slot)
                handed_out.append(slot)
            await RisingEdge(dut.clk_i)
        assert handed_out[:depth] == list(range(depth)) and full > 0
        dut.slot_ready_i.value = dut.free_valid_i.value = 0
        await reset(dut)


@cocotb.test()
@cocotb.parametrize(chance=[0.1, 1.0])
async def data_comes_back_in_time(dut: Any, chance: float) -> None:
    stages, rng = int(setting("depth")), random_source(chance)
    await start(dut, valid_i=0, data_i=0)
    expected: deque[tuple[int, int]] = deque()
    for clock in range(500):
        valid, data = int(rng.random() < chance), rng.getrandbits(32)
        dut.valid_i.value, dut.data_i.value = valid, data
        expected.append((valid, data))
        await ReadOnly()
        if clock >= stages:
            valid, data = expected.popleft()
            assert int(dut.valid_o.value) == valid
            assert not valid or int(dut.data_o.value) == data
        else:
            assert int(dut.valid_o.value) == 0
        await RisingEdge(dut.clk_i)


@pytest.mark.parametrize("depth", [2, 5, 16])
def test_free_list(depth: int) -> None:
    run_bench(__file__, "free_list", {"Depth": depth}, settings={"depth": depth}, tests="number")


@pytest.mark.parametrize("stages", [2, 3, 25])
def test_memory_delay(stages: int) -> None:
    run_bench(__file__, "memory_delay", {"Stages": stages}, settings={"depth": stages},
              tests="data")


LINTS = [Lint("free_list"), Lint("memory_delay")]
