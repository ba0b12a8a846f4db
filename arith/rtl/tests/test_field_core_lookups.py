# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A field_core with lookups compared with the simulator: random programs, pauses, resets, clocks.

Each program stores scalars and a table, reads them by every kind of lookup, applies signs, computes
high halves, and ends early or late depending on its flag.
"""

import random
from functools import partial
from typing import Any

import cocotb
import pytest

from arith.microcode import isa
from arith.microcode.assemble import assemble
from arith.microcode.checker import check
from arith.microcode.image import Image
from arith.microcode.lookup import JOINT_ROWS, ROWS, SCALAR_BITS, WINDOWS
from arith.microcode.program import Keep, Lookup, Program, Value
from arith.microcode.simulator import Simulator
from arith.microcode.timing import FIELD_CORE_LOOKUPS, Clock
from arith.rtl.tests.field_core_image import FOLDER, write_top
from arith.rtl.tests.field_core_jobs import Bench, Job, reset_in_mid_job
from arith.simulation.bench import Lint, in_sweep, random_source, run_bench, setting
from arith.simulation.streams import start

MODULUS = 2**256 - 2**32 - 977
PROGRAM_SEED = 1
PROGRAMS = 4
INPUTS = 3


class Writer:
    """A random program whose lookups are all defined."""

    def __init__(self, rng: random.Random, name: str) -> None:
        self.rng, self.program = rng, Program(name, MODULUS)
        self.values = self.program.inputs(INPUTS)

    def value(self) -> Value:
        return self.rng.choice(self.values[-4:])

    def keep_all(self) -> None:
        """Scalars of any value, and a table of two rows."""
        rng, program = self.rng, self.program
        for scalar in range(4):
            program.linear([(rng.choice((1, -1, 3)), self.value())], rng.getrandbits(SCALAR_BITS),
                           keep=Keep(scalar=scalar))
        for index in range(2 * ROWS):
            row = program.linear([(1, self.value()), (rng.randint(-4, 4), self.value())],
                                 rng.randrange(MODULUS), keep=Keep(table=16 + index))
            if rng.random() < 0.3:
                self.values.append(row)

    def lookup(self) -> Lookup:
        rng, number = self.rng, self.rng.randrange(WINDOWS)
        return rng.choice([
            Lookup(isa.LOOKUP_WORD, 16 + rng.randrange(2 * ROWS)),
            Lookup(isa.LOOKUP_DIGIT, rng.choice((16, 32)), rng.randrange(2), number),
            Lookup(isa.LOOKUP_FIXED, rng.randrange(2), number=number),
        ])

    def step(self) -> None:
        rng, program = self.rng, self.program
        lookup = self.lookup()
        kind = rng.randrange(4)
        if kind == 0:
            found = program.high(self.value(), rng.getrandbits(255))
        elif kind == 1:
            found = program.products([(self.value(), lookup), (self.value(), self.value())])
        else:
            found = program.product(self.value(), lookup)
            if lookup.kind != isa.LOOKUP_WORD and kind == 2:
                found = program.signed(found, [(rng.choice((1, -2)), self.value())])
        keep = Keep(table=16 + rng.randrange(2 * ROWS)) if rng.random() < 0.3 else Keep()
        self.values.append(program.linear([(1, found), (rng.randint(-2, 2), self.value())],
                                          keep=keep))

    def loop(self) -> None:
        """A scalar's windows, in order or backwards."""
        program, backwards = self.program, self.rng.random() < 0.5
        one = program.linear([], 1)

        def body(values: list[Value]) -> list[Value]:
            word = Lookup(isa.LOOKUP_DIGIT, 32, 1, WINDOWS - 1 if backwards else 0)
            return [program.signed(program.product(one, word), [(2, values[0])])]

        start_value = program.linear([(1, self.value())])
        self.values = program.loop(WINDOWS, [start_value], body, -1 if backwards else 1)

    def finish(self) -> Program:
        program = self.program
        program.linear([(1, self.value())], output=0)
        flag = program.linear([(1, self.values[-1])], keep=Keep(flag=True))
        program.linear([(1, flag)], 1, output=1)
        program.halt_unless_zero()
        program.linear([(1, program.product(self.values[-1], Lookup(isa.LOOKUP_WORD, 20)))], 5,
                       output=1)
        return program


def image_of() -> Image:
    rng = random.Random(PROGRAM_SEED)
    image = Image(MODULUS, 5, folds=True, lookups=True,
                  fixed_table=[rng.randrange(MODULUS) for _ in range(2 * JOINT_ROWS)])
    for number in range(PROGRAMS):
        writer = Writer(rng, f"random-{number}")
        writer.keep_all()
        for _ in range(rng.randint(10, 40)):
            writer.step()
        if number % 2:
            writer.loop()
        assemble(writer.finish(), image)
    # A program whose flag is the first word of the job.
    program = Program("flag", MODULUS)
    first, *rest = program.inputs(INPUTS)
    program.linear([(1, first)], keep=Keep(flag=True))
    program.linear([(1, rest[0])], output=0)
    program.linear([(1, rest[1])], output=1)
    program.halt_unless_zero()
    program.linear([(1, program.product(rest[0], rest[1]))], output=1)
    assemble(program, image)
    check(image)
    return image


def random_jobs(image: Image, rng: random.Random, count: int) -> list[Job]:
    simulator, jobs = Simulator(image), []
    for _ in range(count):
        number, entry = rng.choice(list(enumerate(image.entries)))
        words = tuple(rng.choice((0, 1, MODULUS - 1)) if rng.random() < 0.3
                      else rng.randrange(MODULUS) for _ in range(entry.inputs))
        jobs.append(Job(number, words, tuple(simulator.run(entry, words)[0])))
    return jobs


async def _start(dut: Any, pause: float) -> tuple[Bench, Image, random.Random]:
    rng = random_source(f"{dut._name}/{pause}")
    await start(dut, job_valid_i=0, result_ready_i=0, job_data_i=0, job_last_i=0,
                job_entry_i=0, job_tag_i=0)
    return Bench(dut, rng, pause), image_of(), rng


@cocotb.test()
async def stages_are_those_of_the_model(dut: Any) -> None:
    core = dut.u_core
    latencies = [int(core.MulLatency.value), int(core.AccumulatorLatency.value),
                 int(core.ReduceLatency.value), int(core.SumLatency.value)]
    clocks = {name: clock.at(*latencies) for name, clock in vars(FIELD_CORE_LOOKUPS).items()
              if isinstance(clock, Clock)}
    assert clocks["turn"] == int(core.TurnClocks.value)
    assert clocks["scalar_read"] == int(core.StageTurn.value)
    assert clocks["multiply_read"] == int(core.StageRead.value)
    assert clocks["add_read"] == int(core.StageAddTurn.value)
    assert clocks["sum_write"] == int(core.StageWrite.value)


@cocotb.test()
@cocotb.parametrize(pause=[0.0, 0.5])
async def results_are_right(dut: Any, pause: float) -> None:
    bench, image, rng = await _start(dut, pause)
    bench.send(random_jobs(image, rng, int(setting("jobs"))))
    await bench.finish()


@cocotb.test()
async def resets(dut: Any) -> None:
    bench, image, rng = await _start(dut, 0.1)
    await reset_in_mid_job(bench, partial(random_jobs, image, rng))


def write_core() -> str:
    """Writes the core with its ROMs; returns its name."""
    return write_top(image_of(), "lookups")


@pytest.mark.parametrize("contexts, interval, jobs", [*in_sweep([(3, 2, 30)]), (64, 1, 150)])
def test_field_core_lookups(contexts: int, interval: int, jobs: int) -> None:
    run_bench(
        __file__, write_core(), {"Contexts": contexts, "Interval": interval},
        settings={"jobs": jobs}, folders=[FOLDER], visible={"field_core": "*"}, optimize="-O0",
    )


LINTS = [Lint(write_core, folders=[FOLDER]), Lint("field_core_lookup")]
