# SPDX-License-Identifier: Apache-2.0 OR MIT
"""ckks_scoreboard against the rule: random programs over few resources, units of any speed, queues
that fill up, in-place instructions, and a new program behind each."""

import random
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from arith.simulation.bench import Lint, random_source, run_bench
from arith.simulation.streams import reset, start
from engines.ckks.rtl.tests.ckks_rows import offer

UNITS, RESOURCES, DEPTH, PAYLOAD_BITS = 3, 6, 4, 16


@dataclass
class Instruction:
    number: int
    unit: int
    reads: list[int]
    writes: list[int]
    waits: set[int] = field(default_factory=set)
    """Numbers of the instructions that it waits for, besides those before it in its queue."""


def program_of(rng: random.Random, count: int) -> list[Instruction]:
    found: list[Instruction] = []
    for number in range(count):
        reads = [rng.randrange(RESOURCES) for _ in range(rng.randint(0, 3))]
        writes = [rng.randrange(RESOURCES) for _ in range(rng.choice((0, 1, 1, 1, 2)))]
        if not reads and not writes:
            writes = [rng.randrange(RESOURCES)]
        if reads and writes and rng.random() < 0.3:
            writes[0] = reads[0]
        new = Instruction(number, rng.randrange(UNITS), reads, writes)
        touched = {*reads, *writes}
        new.waits = {old.number for old in found
                     if touched & {*old.writes} or {*writes} & {*old.reads}}
        found.append(new)
    return found


class Units:
    """Takes instructions that begin, and completes them some clocks later, in the order of each
    queue."""

    def __init__(self, dut: Any, rng: random.Random, program: list[Instruction]) -> None:
        self.dut, self.rng, self.program = dut, rng, program
        self.inside: list[deque[tuple[int, int]]] = [deque() for _ in range(UNITS)]
        self.begun: dict[int, int] = {}
        self.done: set[int] = set()
        self.clock = 0
        self.slowness = [rng.choice((1, 5, 40)) for _ in range(UNITS)]

    async def run(self) -> None:
        while True:
            await self.step()

    async def step(self) -> None:
        dut, rng = self.dut, self.rng
        ready = sum((rng.random() < 0.7) << unit for unit in range(UNITS))
        ends = [bool(queue) and queue[0][1] <= self.clock for queue in self.inside]
        dut.begin_ready_i.value = ready
        dut.done_i.value = sum(end << unit for unit, end in enumerate(ends))
        await ReadOnly()
        valid, payload = int(dut.begin_valid_o.value), int(dut.begin_payload_o.value)
        for unit in range(UNITS):
            if valid >> unit & 1:
                self.check(unit, payload >> PAYLOAD_BITS * unit & (1 << PAYLOAD_BITS) - 1)
                if ready >> unit & 1:
                    number = payload >> PAYLOAD_BITS * unit & (1 << PAYLOAD_BITS) - 1
                    self.begun[number] = unit
                    slowest = self.slowness[unit]
                    due = self.clock + rng.randint(slowest // 2 + 1, slowest)
                    self.inside[unit].append((number, due))
        await RisingEdge(dut.clk_i)
        for queue, end in zip(self.inside, ends):
            if end:
                self.done.add(queue.popleft()[0])
        self.clock += 1

    def check(self, unit: int, number: int) -> None:
        instruction = self.program[number]
        assert instruction.unit == unit
        earlier = [other.number for other in self.program[:number] if other.unit == unit]
        assert all(other in self.begun for other in earlier), f"{number} overtakes"
        missing = instruction.waits - self.done
        assert not missing, f"{instruction} begins before {missing}"


async def send(dut: Any, instruction: Instruction, is_written_first: bool) -> None:
    operands = [(resource, 1) for resource in instruction.writes]
    reads = [(resource, 0) for resource in instruction.reads]
    operands = operands + reads if is_written_first else reads + operands
    for place, (resource, write) in enumerate(operands):
        await offer(dut, "operand", unit=instruction.unit, resource=resource, write=write,
                    last=int(place == len(operands) - 1), payload=instruction.number)


async def begin(dut: Any) -> None:
    await start(dut, clear_i=0, operand_valid_i=0, operand_unit_i=0, operand_resource_i=0,
                operand_write_i=0, operand_last_i=0, operand_payload_i=0, begin_ready_i=0,
                done_i=0)


@cocotb.test()
async def nothing_begins_too_early(dut: Any) -> None:
    rng = random_source("programs")
    await begin(dut)
    for turn in range(12):
        program = program_of(rng, 150)
        units = Units(dut, rng, program)
        running = cocotb.start_soon(units.run())
        is_written_first = turn % 3 != 0
        broken_off = turn == 5
        for instruction in program[:60 if broken_off else None]:
            await send(dut, instruction, is_written_first)
        if broken_off:
            running.cancel()
            dut.begin_ready_i.value = dut.done_i.value = 0
            await reset(dut, clocks=1)
            continue
        for _ in range(20_000):
            if len(units.done) == len(program):
                break
            await RisingEdge(dut.clk_i)
        assert len(units.done) == len(program), f"{len(units.done)} of {len(program)} done"
        await RisingEdge(dut.clk_i)
        running.cancel()
        assert int(dut.idle_o.value)
        dut.done_i.value = 0
        dut.clear_i.value = 1
        await RisingEdge(dut.clk_i)
        dut.clear_i.value = 0


@cocotb.test()
async def independent_instructions_do_not_wait(dut: Any) -> None:
    """Two units run while the third is stuck with an instruction that does not concern them."""
    rng = random_source("stuck")
    await begin(dut)
    program = [Instruction(0, 0, [], [0]), Instruction(1, 1, [1], [2]), Instruction(2, 2, [1], [3]),
               Instruction(3, 1, [3], [2]), Instruction(4, 2, [], [1]), Instruction(5, 1, [0], [])]
    units = Units(dut, rng, program)
    units.slowness = [10_000, 1, 1]
    running = cocotb.start_soon(units.run())
    for instruction in program:
        await send(dut, instruction, True)
    for _ in range(100):
        await RisingEdge(dut.clk_i)
    assert units.done >= {1, 2, 3, 4} and 5 not in units.begun
    running.cancel()


PARAMETERS = {"Units": UNITS, "Resources": RESOURCES, "NumberBits": 10, "QueueDepth": DEPTH,
              "PayloadBits": PAYLOAD_BITS}


LINTS = [Lint("ckks_scoreboard", parameters) for parameters in (PARAMETERS, {})]


def test_ckks_scoreboard() -> None:
    run_bench(__file__, "ckks_scoreboard", PARAMETERS, optimize="-O0")
