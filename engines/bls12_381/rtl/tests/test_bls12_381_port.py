# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests bls12_381_port: several programs at a time as frames, against the simulator of the
instruction set; harmed frames, invalid frames, too many results, endless programs, resets."""

import json
import tempfile
from pathlib import Path
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from arith.simulation.bench import Lint, in_sweep, random_source, run_bench, setting
from arith.simulation.engines import EngineBench
from arith.simulation.sources import sources_of
from arith.simulation.toolchain import BUILD_ROOT
from card.model.frames import beats_of, bytes_of, flipped
from engines.bls12_381.model import frames
from engines.bls12_381.model.tower import P
from engines.bls12_381.rtl.tests.coprocessor_cases import CHEAP, ISA, random_case
from engines.bls12_381.rtl.tests.test_bls_coprocessor import expected_of, trace_program

TOP = "bls12_381_port"
CONTEXTS = 4
PLAIN = {name: CHEAP[name] for name in (
    "COPY_REG", "JUMP", "JUMP_IF_EQ", "JUMP_NONZERO_SUB", "SEND_INTERRUPT", "COPY_ELEMENT")}
"""Instructions that do not use the core."""
FAULTS = {error.name: error.code for error in ISA.errors}


def word(name: str, a: int = 0, b: int = 0, c: int = 0) -> bytes:
    return ISA.encode(name, a, b, c)


def frame_of(index: int, program: dict[str, Any]) -> bytes:
    """Returns the request of a program in the format of the simulator's example."""
    instructions = [bytes.fromhex(text) for text in program["instructions"]]
    slots = [(place, kind, int(number or "0", 16)) for place, kind, number in program["slots"]]
    return frames.request(index, instructions, slots, program["start"], program["limit"])


class Card(EngineBench):
    """The engine, its requests and replies."""

    is_idle_at_once = False  # it parks its contexts first

    def send(self, frame: bytes) -> None:
        self.driver.send(beats_of(frame))

    async def replies(self, count: int, clocks: int = 400_000) -> dict[int, frames.Reply]:
        """Returns the replies by index. Each comes once, and the engine is idle afterwards."""
        got = [frames.reply(bytes_of(beats)) for beats in await self.monitor.wait_frames(count, clocks)]
        self.monitor.clear()
        assert len({reply.index for reply in got}) == count
        await ClockCycles(self.dut.clk_i, 20)
        assert int(self.dut.idle_o.value) == 1
        return {reply.index: reply for reply in got}


def check(reply: frames.Reply, wanted: dict[str, Any], what: str) -> None:
    """Compares a reply with the simulator's result of the program."""
    error = wanted["error"]
    sent = [bytes.fromhex(text) for text in wanted["interrupts"]]
    assert reply.error == error, f"{what}: error {reply.error:#x}, {error:#x}"
    assert reply.instructions == wanted["count"], what
    assert error or reply.pointer == wanted["pointer"], what
    results = frames.results_of(sent[:-1] if error else sent)
    if len(results) > frames.RESULT_BYTES:
        assert (reply.status, reply.results) == (frames.RESULTS, b""), what
    else:
        assert reply.status == frames.OK, f"{what}: status {reply.status}"
        assert reply.results == results, what


@cocotb.test()
async def programs_do_what_the_simulator_does(dut: Any) -> None:
    """Harmed frames between the programs have no effect."""
    card = await Card.begin(dut, "programs", 0.2, 0.2)
    rng, expected, harmed = card.rng, {}, {}
    for case in json.loads(Path(setting("cases")).read_text()):
        programs = zip(case["case"]["contexts"], case["expected"]["contexts"])
        for program, wanted in programs:
            index = rng.getrandbits(64)
            frame = frame_of(index, program)
            if rng.random() < 0.2:
                bit = rng.randrange(8 * 16, 8 * len(frame))
                frame = harmed[index] = flipped(frame, bit)
            else:
                expected[index] = wanted
            card.send(frame)
    replies = await card.replies(len(expected) + len(harmed))
    for index, wanted in expected.items():
        check(replies[index], wanted, f"program {index:x}")
        assert replies[index].clocks >= 18 * wanted["count"]
    for index in harmed:
        assert (replies[index].status, replies[index].results) == (frames.CORRUPT, b"")
    dut._log.info("%d programs, %d harmed", len(expected), len(harmed))


@cocotb.test()
async def wrong_frames_are_refused(dut: Any) -> None:
    """Valid requests between the wrong frames are answered."""
    card = await Card.begin(dut, "wrong", 0.2, 0.2)
    slot, good = (0, 0, 7), frames.request(0, [word("SEND_INTERRUPT", 0, 5)], [(0, 0, 7)])
    program = [word("NOOP_WAIT")]

    def changed(frame: bytes, place: int, value: int) -> bytes:
        """Returns the frame with a word of 16 bits changed, and with a valid checksum."""
        payload = bytearray(frame[8:-8])
        payload[place:place + 2] = value.to_bytes(2, "little")
        return frames.finished(frames.COMMAND, bytes(payload))

    cases = [
        (frames.WRONG_LENGTH, changed(good, 12, 0)), (frames.WRONG_LENGTH, changed(good, 12, 2)),
        (frames.WRONG_LENGTH, changed(good, 14, 0)), (frames.WRONG_LENGTH, changed(good, 14, 0xFFFF)),
        (frames.CORRUPT, frames.finished(frames.COMMAND, good[8:-8] + b"\1")),
        (frames.WRONG_LENGTH, frames.finished(frames.COMMAND, good[8:32] + bytes(8 * 3000))),
        (frames.BAD_REQUEST, frames.request(0, [word("JUMP", 1)] * 513, [])),
        (frames.BAD_REQUEST, frames.request(0, [], [slot] * 257)),
        (frames.BAD_REQUEST, frames.request(0, program, [slot], start=512)),
        (frames.BAD_REQUEST, frames.request(0, program, [slot, (256, 0, 1), slot])),
        (frames.BAD_REQUEST, frames.request(0, program, [slot, (65535, 0, 1)])),
        (frames.BAD_REQUEST, frames.request(0, program, [(3, 9, 1), slot])),
        (frames.BAD_REQUEST, frames.request(0, program, [(3, 15, 1)])),
        (frames.OK, frames.request(0, [], [])),
        (frames.OK, frames.request(0, program * 512, [(255, 8, P)], start=511)),
    ]
    card.rng.shuffle(cases)
    wanted = {}
    for index, (status, frame) in enumerate(cases):
        payload = index.to_bytes(8, "little") + frame[16:-8]
        card.send(frames.finished(frames.COMMAND, payload))
        card.send(frames.request(1000 + index, [word("SEND_INTERRUPT", 0, index)], [slot]))
        wanted[index] = (status, b"")
        wanted[1000 + index] = (frames.OK, index.to_bytes(8, "little") + slot[2].to_bytes(48, "little"))
    replies = await card.replies(len(wanted))
    assert {index: (reply.status, reply.results) for index, reply in replies.items()} == wanted
    assert all(reply.error == 0 for reply in replies.values())


@cocotb.test()
async def programs_that_do_not_end_are_stopped(dut: Any) -> None:
    """Programs are stopped by the limit or after their time, even in the middle of their results;
    the others continue."""
    card = await Card.begin(dut, "endless")
    jump, send = word("JUMP", 0), word("SEND_INTERRUPT", 0, 9)
    card.send(frames.request(0, [jump], [], limit=50))
    card.send(frames.request(1, [jump], []))
    card.send(frames.request(2, [send, jump], [(0, 0, 5)]))
    for index in range(10, 18):
        card.send(frames.request(index, [send], [(0, 0, index)]))
    # The maximum number of results, and one more: 1016 beats hold 145 results of 7 beats, with 1
    # beat left.
    card.send(frames.request(3, [send] * 145, [(0, 0, 5)]))
    card.send(frames.request(4, [send] * 146, [(0, 0, 5)]))
    # It stops at its end, after the last place.
    card.send(frames.request(5, [word("NOOP_WAIT")] + [jump] * 510 + [send], [(0, 0, 6)], start=511))
    replies = await card.replies(14)
    limit = 1 << 31 | FAULTS["limit"]
    assert (replies[0].status, replies[0].error, replies[0].instructions) == (frames.OK, limit, 50)
    assert (replies[1].status, replies[1].error) == (frames.TIMED_OUT, 0)
    assert replies[1].clocks >= 1 << int(setting("log_clocks"))
    assert (replies[2].status, replies[2].results) == (frames.RESULTS, b"")
    for index in range(10, 18):
        assert replies[index].results[8:] == index.to_bytes(48, "little")
    assert (replies[3].status, len(replies[3].results)) == (frames.OK, 145 * 56)
    assert (replies[4].status, len(replies[4].results)) == (frames.RESULTS, 0)
    pointer = 1 << 31 | 512 << 16 | FAULTS["pointer"]
    assert (replies[5].status, replies[5].error, len(replies[5].results)) == (frames.OK, pointer, 56)


@cocotb.test()
async def a_window_is_driven_word_by_word(dut: Any) -> None:
    """Runs a program in the context that has a window, while other contexts run programs:
    registers, both memories, interrupts."""
    card = await Card.begin(dut, "window", 0.2, 0.2)
    rng, number = card.rng, card.rng.getrandbits(381)
    window, registers = ISA.window, {one.name: one.offset for one in ISA.registers}
    wanted = []

    def ask(address: int, value: int | None, answer: int = 0, status: int = frames.OK) -> None:
        index = rng.getrandbits(64)
        card.send(frames.access(index, address, value))
        wanted.append(frames.access_reply(index, address, answer, status))

    def write_all() -> None:
        ask(registers["instruction_pointer"], 511)
        for place, text in enumerate([word("SEND_INTERRUPT", 3, 77), word("JUMP", 600)]):
            ask(window["instructions"] + 8 * place, int.from_bytes(text[:4], "little"))
            ask(window["instructions"] + 8 * place + 4, int.from_bytes(text[4:], "little"))
        bits = number | ISA.kinds["FE"].code << 381
        for k in range(12):
            ask(window["data"] + 64 * 3 + 4 * k, bits >> 32 * k & 0xFFFFFFFF)

    ask(registers["capability"], None, 1 << 24 | CONTEXTS << 8 | 1)
    ask(window["bytes"], None, 0, frames.BAD_REQUEST)
    ask(window["bytes"] + registers["instruction_pointer"], 5, 0, frames.BAD_REQUEST)
    ask(1 << 31, None, 0, frames.BAD_REQUEST)
    programs = range(5)
    for index in programs:
        card.send(frames.request(index, [word("SEND_INTERRUPT", 0, index)], [(0, 0, index)]))
    write_all()
    ask(registers["instruction_pointer"], 0)
    harmed = bytearray(frames.access(7, registers["instruction_limit"], 3))
    harmed[20] ^= 4
    card.send(bytes(harmed))
    wanted.append(frames.access_reply(7, registers["instruction_limit"], 0, frames.CORRUPT))
    ask(registers["instruction_limit"], None, 0)
    ask(window["data"] + 64 * 3 + 4, None, number >> 32 & 0xFFFFFFFF)
    error = 1 << 31 | 1 << 16 | ISA.instructions["JUMP"].code << 8 | FAULTS["pointer"]
    got = [bytes_of(beats) for beats in await card.monitor.wait_frames(len(wanted) + len(programs) + 2)]
    by_code = {code: [frame for frame in got if int.from_bytes(frame[4:8], "little") == code]
               for code in (frames.INTERRUPT, frames.ACCESS_REPLY, frames.REPLY)}
    assert by_code[frames.ACCESS_REPLY] == wanted
    element = (64).to_bytes(4, "little") + bytes((0, 2, 0, 0x80, 77, 0, 0, 0, 1, 0, 0, 0)) + \
        number.to_bytes(48, "little")
    stop = (16).to_bytes(4, "little") + bytes((0, 2, 0, 0x80)) + error.to_bytes(4, "little") + \
        bytes((0, FAULTS["pointer"], 0, 0))
    assert by_code[frames.INTERRUPT] == [element, stop]
    replies = [frames.reply(frame) for frame in by_code[frames.REPLY]]
    assert {reply.index: reply.results[:1] for reply in replies} == {k: bytes((k,)) for k in programs}
    card.monitor.clear()
    await ClockCycles(dut.clk_i, 20)
    assert int(dut.idle_o.value) == 1
    ask(registers["error"], None, error)
    assert [bytes_of(beats) for beats in await card.monitor.wait_frames(1)] == wanted[-1:]


@cocotb.test()
async def resets_anywhere(dut: Any) -> None:
    """A soft reset discards all programs, and only the next program is answered."""
    card = await Card.begin(dut, "resets", 0.1, 0.1)
    rng, send = card.rng, word("SEND_INTERRUPT", 0, 3)
    for number in range(8):
        for index in range(rng.randrange(1, 6)):
            card.send(frames.request(index, [word("COPY_REG", 0, 1), send], [(0, 1, 2)]))
        await ClockCycles(dut.clk_i, rng.randrange(1, 6000))
        await card.soft_reset()
        await ClockCycles(dut.clk_i, 5)
        card.monitor.clear()
        card.send(frames.request(number, [send], [(0, 0, number + 7)]))
        (reply,) = (await card.replies(1)).values()
        assert reply.index == number and reply.results[8:] == (number + 7).to_bytes(48, "little")


def without_core() -> list[Path]:
    """Returns the engine's sources with a stub of the core, which takes most of the compile
    time."""
    core = Path(__file__).parent / "without_core" / "bls_coprocessor_core.sv"
    return [core if file.name == core.name else file for file in sources_of(TOP)]


def run_cases(cases: list[dict[str, Any]], log_program_clocks: int, **options: Any) -> None:
    expected = expected_of(trace_program(), cases)
    pairs = [{"case": case, "expected": wanted} for case, wanted in zip(cases, expected)]
    folder = BUILD_ROOT / "benches"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", suffix=".json", dir=folder) as file:
        file.write(json.dumps(pairs))
        file.flush()
        run_bench(__file__, TOP,
                  {"Contexts": CONTEXTS, "LogProgramClocks": log_program_clocks},
                  settings={"cases": file.name, "log_clocks": log_program_clocks}, **options)


LINTS = [Lint(TOP)]


def test_bls12_381_port() -> None:
    rng = random_source("programs")
    run_cases([random_case(rng, 3, PLAIN, 12) for _ in range(7)], 15, sources=without_core())


@pytest.mark.parametrize("count", in_sweep([60]))
def test_with_the_core(count: int) -> None:
    rng = random_source("core")
    run_cases([random_case(rng, 3, CHEAP, 20) for _ in range(count)], 22,
              tests="programs_do|resets", time_limit_s=3600)
