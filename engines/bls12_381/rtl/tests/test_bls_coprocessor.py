# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs the coprocessor in lock-step with the simulator of its instruction set: random valid and
invalid programs, several at a time, through the window. Compares every retired instruction, every
slot at the end, every byte of every interrupt, pointers, error words and counts."""

import json
import os
import random
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge, with_timeout

from arith.simulation.bench import (
    Lint, in_sweep, random_source, run_bench, setting,
)
from arith.simulation.ports import reader, writer
from arith.simulation.streams import CLOCK_PERIOD_NS, reset, start
from arith.simulation.toolchain import PROJECT_ROOT
from engines.bls12_381.rtl.tests.coprocessor_cases import (
    CHEAP, EVERY, ISA, MIDDLE, random_accesses, random_case,
)
from engines.bls12_381.rtl.tests.coprocessor_multiples import DIGITS, SCALARS, inverses_case, multiples_case
from engines.bls12_381.microcode.compressed import COMPRESSED_RUNS
from engines.bls12_381.model import pairing as model
from engines.bls12_381.model.tower import ONE12, P
from engines.bls12_381.model.unexpanded import unexpanded_input

FOLDER = "engines/bls12_381/rtl/tests"
TOP = "coprocessor_top"
CONTEXTS = 4
WINDOW, INSTRUCTIONS, DATA = (ISA.window[name] for name in ("bytes", "instructions", "data"))
REGISTERS = {register.name: register.offset for register in ISA.registers}
EXAMPLE = "coprocessor_trace"
LIMIT_CLOCKS = 60_000_000


# ---- The oracle -----------------------------------------------------------------------------------
def trace_program() -> Path:
    """Returns the simulator's example; builds it if HALIMEDE_COPROCESSOR_TRACE is not set."""
    named = os.environ.get("HALIMEDE_COPROCESSOR_TRACE")
    if named:
        return Path(named)
    # Uses the features of the whole workspace, so that the build is shared with that of the Rust
    # tests. If that build is running, this one waits for it.
    build = ["cargo", "build", "--quiet", "--locked", "--workspace", "--example", EXAMPLE]
    subprocess.run(build, cwd=PROJECT_ROOT, check=True, timeout=3600,
                   env=os.environ | {"CARGO_INCREMENTAL": "0"})
    target = PROJECT_ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
    return target / "debug" / "examples" / EXAMPLE


def expected_of(program: Path, cases: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the simulator's results for these cases."""
    lines = "".join(json.dumps(case) + "\n" for case in cases)
    with tempfile.NamedTemporaryFile("r") as output:
        done = subprocess.run([program, output.name], input=lines, capture_output=True, text=True,
                              check=False)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in output]


# ---- The host -------------------------------------------------------------------------------------
class Host:
    """The bus, the interrupts and the retired instructions of the coprocessor."""

    def __init__(self, dut: Any, rng: random.Random, pause: float = 0.2) -> None:
        self.dut, self.rng, self.pause = dut, rng, pause
        self.frames: list[bytes] = []
        self.retired: list[tuple[int, int, int, str]] = []
        self._edge, self._peeked = RisingEdge(dut.clk_i), reader(dut.peek_o)
        self._peek_at = writer(dut.peek_place_i)
        self._is_ready, self._answer = reader(dut.bus_ready_o), reader(dut.bus_response_value_o)
        self._set = [writer(port) for port in (
            dut.bus_valid_i, dut.bus_write_i, dut.bus_address_i, dut.bus_value_i)]
        self.taker = cocotb.start_soon(self._take())
        cocotb.start_soon(self._watch())

    def take(self) -> None:
        """Resumes taking interrupts, after `taker` was cancelled."""
        self.taker = cocotb.start_soon(self._take())

    def forget(self) -> None:
        """Discards everything received before a reset."""
        self.taker.cancel()
        self.dut.rpl_ready_i.value = 0
        self.frames.clear()
        self.retired.clear()
        self.take()

    async def _take(self) -> None:
        """Takes beats with pauses, sometimes long ones between frames."""
        dut, rng, frame = self.dut, self.rng, b""
        while True:
            await ReadOnly()
            if not int(dut.rpl_valid_o.value):
                await RisingEdge(dut.rpl_valid_o)
            await RisingEdge(dut.clk_i)
            for _ in range(rng.choice((0, 0, 300, 2000)) if not frame and self.pause else 0):
                await RisingEdge(dut.clk_i)
            while rng.random() < self.pause:
                await RisingEdge(dut.clk_i)
            dut.rpl_ready_i.value = 1
            await ReadOnly()
            beat, last = int(dut.rpl_data_o.value), int(dut.rpl_last_o.value)
            assert int(dut.rpl_valid_o.value), "an offered beat was withdrawn"
            await RisingEdge(dut.clk_i)
            dut.rpl_ready_i.value = 0
            frame += beat.to_bytes(8, "little")
            if last:
                self.frames.append(frame)
                frame = b""

    async def _watch(self) -> None:
        while True:
            await RisingEdge(self.dut.retired_valid_o)
            await ReadOnly()
            value = int(self.dut.retired_o.value)
            word = (value & (1 << 56) - 1).to_bytes(7, "little") + b"\0"
            self.retired.append((value >> 88 & 15, value >> 72 & 0xFFFF, value >> 56 & 0xFFFF,
                                 word.hex()))

    async def _request(self, write: int, address: int, value: int) -> int:
        dut = self.dut
        for put, what in zip(self._set, (1, write, address, value)):
            put(what)
        await ReadOnly()
        while not self._is_ready():
            await RisingEdge(dut.bus_ready_o)
            await ReadOnly()
        await self._edge
        self._set[0](0)
        await RisingEdge(dut.bus_response_valid_o)
        await ReadOnly()
        answer = self._answer()
        await self._edge
        return answer

    async def write(self, address: int, value: int) -> None:
        await self._request(1, address, value)

    async def read(self, address: int) -> int:
        return await self._request(0, address, 0)

    async def register(self, context: int, name: str) -> int:
        return await self.read(context * WINDOW + REGISTERS[name])

    async def write_slot(self, context: int, place: int, kind: int, number: int) -> None:
        base = context * WINDOW + DATA + 64 * place
        if kind >> 3:
            await self.write(base + 48, 1)
        bits = number | (kind & 7) << 381
        for k in range(12):
            await self.write(base + 4 * k, bits >> 32 * k & 0xFFFFFFFF)

    async def write_instruction(self, context: int, place: int, word: str) -> None:
        base, number = context * WINDOW + INSTRUCTIONS + 8 * place, int.from_bytes(
            bytes.fromhex(word), "little")
        await self.write(base, number & 0xFFFFFFFF)
        await self.write(base + 4, number >> 32)

    async def peek(self, context: int, place: int) -> tuple[int, int]:
        """Reads a slot directly, bypassing the window."""
        self._peek_at(context << 9 | place)
        await self._edge
        bits = self._peeked()
        return bits >> 381, bits & (1 << 381) - 1

    async def load(self, context: int, program: dict[str, Any], clear: bool) -> None:
        if clear:
            await self.write(context * WINDOW + REGISTERS["instruction_offset"], 3)
        # The context waits at a place that is not written, so that it does not start early.
        await self.start(context, 0 if program["start"] else ISA.limits["instructions"] - 1)
        for place, kind, number in program["slots"]:
            await self.write_slot(context, place, kind, int(number or "0", 16))
        for place, word in enumerate(program["instructions"]):
            if word != "00" * 8:
                await self.write_instruction(context, place, word)
        await self.write(context * WINDOW + REGISTERS["instruction_limit"], program["limit"])

    async def start(self, context: int, place: int) -> None:
        await self.write(context * WINDOW + REGISTERS["instruction_pointer"], place)

    async def rest(self) -> None:
        """Waits until no context is active and all interrupts have been taken."""
        dut = self.dut
        for _ in range(3):
            await ReadOnly()
            if not int(dut.idle_o.value):
                await with_timeout(RisingEdge(dut.idle_o), LIMIT_CLOCKS * CLOCK_PERIOD_NS, "ns")
            for _ in range(4):
                await RisingEdge(dut.clk_i)
        await ReadOnly()
        while int(dut.rpl_valid_o.value):
            await RisingEdge(dut.clk_i)
            await ReadOnly()
        await RisingEdge(dut.clk_i)
        assert int(dut.failed_o.value) == 0, "a memory reports a flipped bit"


async def begin(dut: Any, rng: random.Random, pause: float = 0.2) -> Host:
    await start(dut, bus_valid_i=0, bus_write_i=0, bus_address_i=0, bus_value_i=0, rpl_ready_i=0,
                peek_place_i=0)
    return Host(dut, rng, pause)


async def compare(host: Host, expected: dict[str, Any], what: str) -> None:
    """Compares the whole state after a case."""
    for context, wanted in enumerate(expected["contexts"]):
        name = f"{what}, context {context}"
        retired = [[pointer, following, word] for number, pointer, following, word in host.retired
                   if number == context]
        for k, (got, want) in enumerate(zip(retired, wanted["retired"])):
            assert got == want, f"{name}, instruction {k}: {retired[:k + 2]}"
        assert len(retired) == len(wanted["retired"]), \
            f"{name}: {len(retired)} of {len(wanted['retired'])} instructions"
        frames = [frame.hex() for frame in host.frames if frame[14] == context]
        assert frames == wanted["interrupts"], name
        for register, value in (("instruction_pointer", wanted["pointer"]),
                                ("error", wanted["error"]), ("retired", wanted["count"])):
            got_value = await host.register(context, register)
            assert got_value == value, f"{name}: {register} {got_value:#x}, {value:#x}"
        slots = {place: (kind, int(number or "0", 16)) for place, kind, number in wanted["slots"]}
        for place in range(ISA.limits["slots"]):
            got_slot = await host.peek(context, place)
            assert got_slot == slots.get(place, (0, 0)), f"{name}: slot {place}"
    host.retired.clear()
    host.frames.clear()


@cocotb.test()
async def programs_do_what_the_simulator_does(dut: Any) -> None:
    cases = json.loads(file_of(setting("cases")).read_text())
    rng = random_source("host")
    host = await begin(dut, rng)
    done = 0
    for number, case in enumerate(cases):
        case, expected = case["case"], case["expected"]
        contexts = list(enumerate(case["contexts"]))
        for context, program in contexts:
            await host.load(context, program, clear=number != 0)
        for context, program in rng.sample(contexts, len(contexts)):
            await host.start(context, program["start"])
        await host.rest()
        done += len(host.retired)
        await compare(host, expected, f"case {number}")
    clocks, products = int(dut.clocks_o.value), int(dut.products_o.value)
    dut._log.info("%d instructions, %d clocks, %d products", done, clocks, products)


@cocotb.test()
async def the_window_is_the_simulators(dut: Any) -> None:
    for number, one in enumerate(json.loads(file_of(setting("cases")).read_text())):
        case, expected = one["case"], one["expected"]
        if number == 0:
            host = await begin(dut, random_source("window"), pause=0.05)
        else:
            await reset(dut)
            host.frames.clear()
        values = iter(expected["values"])
        for k, access in enumerate(case["bus"]):
            if len(access) == 2:
                await host.write(*access)
                await host.rest()
            else:
                got, want = await host.read(*access), next(values)
                assert got == want, f"case {number}, access {k}, {access[0]:#x}: {got:#x}, {want:#x}"
        for context, wanted in enumerate(expected["interrupts"]):
            frames = [frame.hex() for frame in host.frames if frame[14] == context]
            assert frames == wanted, f"case {number}, context {context}"
        dut._log.info("%d accesses, %d interrupts", len(case["bus"]), len(host.frames))


def words_of(*instructions: tuple[Any, ...]) -> list[str]:
    return [ISA.encode(*instruction).hex() for instruction in instructions]


async def load_words(host: Host, context: int, *instructions: tuple[Any, ...]) -> None:
    """Writes instructions while the context waits at another place."""
    await host.start(context, 511)
    for place, word in enumerate(words_of(*instructions)):
        await host.write_instruction(context, place, word)


@cocotb.test()
async def a_full_output_holds_its_own_context_alone(dut: Any) -> None:
    rng = random_source("full")
    host = await begin(dut, rng, pause=0)
    host.taker.cancel()
    fe, fe12 = ISA.kinds["FE"].code, ISA.kinds["FE12"].code
    numbers = [rng.randrange(P) for _ in range(12)]
    for place, number in enumerate(numbers):
        await host.write_slot(0, place, fe12, number)
    await host.write_slot(1, 0, 0, 100)
    await host.write_slot(1, 1, fe, numbers[0])
    sends = [("SEND_INTERRUPT", 0, index) for index in range(20)]
    await load_words(host, 0, *sends, ("JUMP", 512))
    await load_words(host, 1, ("ADD_ELEMENT", 1, 1, 1), ("JUMP_NONZERO_SUB", 0, 0))
    await host.start(0, 0)
    for _ in range(3000):
        await RisingEdge(dut.clk_i)
    blocked = len(host.retired)
    assert 0 < blocked < 20
    await host.start(1, 0)
    for _ in range(40_000):
        await RisingEdge(dut.clk_i)
    assert len(host.retired) == blocked + 2 * 101, "the other context did not continue"
    assert (await host.peek(1, 1))[1] == numbers[0] * pow(2, 101, P) % P
    host.take()
    await host.rest()
    for index, frame in enumerate(host.frames[:20]):
        assert frame == (592).to_bytes(4, "little") + bytes((0, 2, 0, 0x80, index, 0, 0, 0, fe12, 0, 0, 0)) + \
            b"".join(number.to_bytes(48, "little") for number in numbers)
    # The jump stopped the context: the error's frame comes last.
    assert len(host.frames) == 21 and host.frames[20][13] == 2
    assert await host.register(0, "error") == 1 << 31 | 20 << 16 | 2 << 8 | 2


@cocotb.test()
async def a_start_waits_for_the_end_of_an_instruction(dut: Any) -> None:
    rng = random_source("restart")
    host = await begin(dut, rng)
    fe2 = ISA.kinds["FE2"].code
    for place in range(2):
        await host.write_slot(0, place, fe2, place + 5)
    await load_words(host, 0, ("MUL_ELEMENT", 0, 0, 2), ("MUL_ELEMENT", 0, 0, 4), ("NOOP_WAIT",),
                     ("COPY_REG", 0, 9))
    for clocks in (1, 10, 40, 60, 150, 300, 700):
        host.retired.clear()
        await host.start(0, 0)
        for _ in range(clocks):
            await RisingEdge(dut.clk_i)
        await host.start(0, 3)
        assert await host.register(0, "error") == 0
        await host.rest()
        done = [pointer for _, pointer, _, _ in host.retired]
        assert done[-1] == 3 and done[:-1] == list(range(len(done) - 1)), done
        assert await host.register(0, "retired") == 1
        assert await host.register(0, "instruction_pointer") == 4
    assert await host.peek(0, 2) == (fe2, (25 - 36) % P)
    assert await host.register(0, "last_clocks") in range(20, 100)


@cocotb.test()
async def a_reset_ends_all(dut: Any) -> None:
    """Resets at any time discard all state, and the next programs run correctly."""
    cases = json.loads(file_of(setting("cases")).read_text())
    rng = random_source("reset")
    host = await begin(dut, rng)
    for one in cases:
        contexts = list(enumerate(one["case"]["contexts"]))
        for context, program in contexts:
            await host.load(context, program, clear=False)
        for context, program in contexts:
            await host.start(context, program["start"])
        for _ in range(rng.randrange(3000)):
            await RisingEdge(dut.clk_i)
        host.taker.cancel()
        await reset(dut, clocks=rng.choice((1, 2)))
        host.forget()
        for context in range(len(contexts)):
            assert await host.register(context, "instruction_limit") == 0
        for context, program in contexts:
            await host.load(context, program, clear=False)
        for context, program in contexts:
            await host.start(context, program["start"])
        await host.rest()
        await compare(host, one["expected"], "after a reset")


# ---- The pytest side ------------------------------------------------------------------------------
def file_of(number: str) -> Path:
    """The file of the cases and their expected results."""
    return PROJECT_ROOT / f"build/benches/coprocessor-{number}.json"


def run_cases(name: str, cases: Sequence[dict[str, Any]], contexts: int = CONTEXTS,
              time_limit_s: float = 900, test: str = "programs_do_what_the_simulator_does",
              extension: bool = True) -> None:
    expected = expected_of(trace_program(), cases)
    number = f"{name}-{os.getpid()}"
    file = file_of(number)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps([{"case": case, "expected": one}
                                for case, one in zip(cases, expected)]))
    try:
        run_bench(__file__, TOP, {"Contexts": contexts, **({} if extension else {"Extension": 0})},
                  folders=[FOLDER], tests=test, settings={"cases": number},
                  time_limit_s=time_limit_s)
    finally:
        file.unlink()


# The lint of bls12_381_port, which runs every time, includes the coprocessor.
LINTS = in_sweep([Lint("bls_coprocessor", {"Contexts": contexts}) for contexts in (CONTEXTS, 1, 16)])


def test_programs() -> None:
    rng = random_source("programs")
    run_cases("programs", [random_case(rng, CONTEXTS, CHEAP, 30) for _ in range(2)])


def test_multiples() -> None:
    """Every digit, and an edge case of the scalars that differs each time."""
    rng = random_source("multiples")
    scalars = [DIGITS, 0, rng.choice(SCALARS), rng.getrandbits(rng.randrange(1, 32))]
    run_cases("multiples", [multiples_case(rng, CONTEXTS, scalars, 4),
                            inverses_case(rng, CONTEXTS, 1)])


def test_resets() -> None:
    rng = random_source("resets")
    run_cases("resets", [random_case(rng, CONTEXTS, CHEAP, 8)], test="a_reset_ends_all")


def window_cases(rng: random.Random, count: int, accesses: int, contexts: int = CONTEXTS,
                 extension: bool = True) -> list[dict[str, Any]]:
    return [{"extension": extension, "count": contexts,
             "bus": random_accesses(rng, contexts, accesses)} for _ in range(count)]


def test_window() -> None:
    run_cases("window", window_cases(random_source("window"), 2, 300),
              test="the_window_is_the_simulators")


def test_contexts() -> None:
    run_bench(__file__, TOP, {"Contexts": CONTEXTS}, folders=[FOLDER], tests="a_full|a_start")


# ---- Long forms -----------------------------------------------------------------------------------
SWEEP_CONTEXTS = 16
SWEEP_INSTRUCTIONS = 100_000


@pytest.mark.parametrize("weights", in_sweep(["cheap", "middle", "every"]))
def test_many_programs(weights: str) -> None:
    """100,000 instructions in total, most of them cheap."""
    rng = random_source(weights)
    table, length, share = {"cheap": (CHEAP, 60, 0.96), "middle": (MIDDLE, 40, 0.037),
                            "every": (EVERY, 10, 0.003)}[weights]
    program, cases, done = trace_program(), [], 0
    while done < share * SWEEP_INSTRUCTIONS:
        cases.append(random_case(rng, SWEEP_CONTEXTS, table, length))
        (expected,) = expected_of(program, cases[-1:])
        done += sum(len(context["retired"]) for context in expected["contexts"])
    print(f"{weights}: {done} instructions")
    run_cases(weights, cases, SWEEP_CONTEXTS, time_limit_s=4 * 3600)


@pytest.mark.parametrize("count", in_sweep([4]))
def test_all_multiples(count: int) -> None:
    """All edge cases of the scalars, and others."""
    rng = random_source("all multiples")
    cases = [multiples_case(rng, SWEEP_CONTEXTS, [*SCALARS, *(rng.getrandbits(381) for _ in range(8))], 8)
             for _ in range(count)]
    cases += [inverses_case(rng, SWEEP_CONTEXTS, 2) for _ in range(count)]
    run_cases("multiples", cases, SWEEP_CONTEXTS, time_limit_s=4 * 3600)


@pytest.mark.parametrize("contexts", in_sweep([1, SWEEP_CONTEXTS]))
def test_long_window(contexts: int) -> None:
    run_cases("window", window_cases(random_source("window"), 10, 2000, contexts), contexts,
              time_limit_s=3600, test="the_window_is_the_simulators")


@pytest.mark.parametrize("count", in_sweep([2]))
def test_published(count: int) -> None:
    """One context without the extension: its instructions are unknown, and its registers read as
    0."""
    rng = random_source("published")
    cases = [random_case(rng, 1, CHEAP, 30) | {"extension": False} for _ in range(30 * count)]
    for case in cases:
        for context in case["contexts"]:
            context["slots"] = [slot for slot in context["slots"] if slot[1] < 8]
    run_cases("published", cases, 1, extension=False)
    run_cases("window", window_cases(rng, count, 1000, 1, extension=False), 1, extension=False,
              test="the_window_is_the_simulators")


@cocotb.test()
async def a_pairing(dut: Any) -> None:
    """Compares the bytes of e(P, Q) in an interrupt with the golden model."""
    p, q = model.multiply(model.G1, 12345), model.multiply(model.G2, 67891)
    assert p is not None and q is not None
    host = await begin(dut, random_source("pairing"))
    for place, number in enumerate((p[0][0], p[1][0])):
        await host.write_slot(0, place, ISA.kinds["FP_AF"].code, number)
    for place, number in enumerate((*q[0], *q[1])):
        await host.write_slot(0, 2 + place, ISA.kinds["FP2_AF"].code, number)
    await load_words(host, 0, ("ATE_PAIRING", 0, 2, 6), ("SEND_INTERRUPT", 6, 7))
    began, started = int(dut.clocks_o.value), time.monotonic()
    await host.start(0, 0)
    await host.rest()
    clocks, seconds = int(dut.clocks_o.value) - began, time.monotonic() - started
    dut._log.info("a pairing: %d clocks, %.0f s", clocks, seconds)
    value = model.pairing(p, q)
    numbers = [part for power in (0, 2, 4, 1, 3, 5) for part in value[power]]
    (frame,) = host.frames
    assert frame[16:] == b"".join(number.to_bytes(48, "little") for number in numbers)


@pytest.mark.parametrize("contexts", in_sweep([CONTEXTS]))
def test_pairing(contexts: int) -> None:
    run_bench(__file__, TOP, {"Contexts": contexts}, folders=[FOLDER], tests="a_pairing",
              time_limit_s=3600)


@cocotb.test()
async def elements_that_do_not_expand(dut: Any) -> None:
    """Final exponentiations whose first power has a compressed square without its expansion: the
    first, second or third one; and the one of 1."""
    rng = random_source("unexpanded")
    host = await begin(dut, rng)
    values = [ONE12, *(unexpanded_input(rng, sum(COMPRESSED_RUNS[:k + 1])) for k in range(3))]
    order, fe12 = (0, 2, 4, 1, 3, 5), ISA.kinds["FE12"].code
    for context, value in enumerate(values):
        for place, number in enumerate(part for power in order for part in value[power]):
            await host.write_slot(context, place, fe12, number)
        await load_words(host, context, ("FINAL_EXP", 0, 12))
    for context in range(len(values)):
        await host.start(context, 0)
    await host.rest()
    for context, value in enumerate(values):
        expected = model.final_exponentiation(value)
        numbers = [part for power in order for part in expected[power]]
        found = [await host.peek(context, 12 + place) for place in range(12)]
        assert found == [(fe12, number) for number in numbers], context


@pytest.mark.parametrize("contexts", in_sweep([CONTEXTS]))
def test_unexpanded(contexts: int) -> None:
    run_bench(__file__, TOP, {"Contexts": contexts}, folders=[FOLDER],
              tests="elements_that_do_not_expand", time_limit_s=3600)
