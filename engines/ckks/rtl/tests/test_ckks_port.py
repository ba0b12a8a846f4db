# SPDX-License-Identifier: Apache-2.0 OR MIT
"""ckks_port against its model and the instruction simulator: valid and damaged memory commands,
jobs that the host writes, runs and reads back, faults and errors of the memory, soft resets
anywhere."""

import random
from pathlib import Path
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from arith.simulation.bench import Lint, in_sweep, random_source, run_bench, setting
from arith.simulation.engines import REQUESTS, EngineBench
from arith.simulation.ports import reader
from arith.simulation.streams import start
from card.model.frames import beats_of, bytes_of, flipped
from engines.ckks.model import commands
from engines.ckks.model.commands import STATUS, RunReply
from engines.ckks.rtl.tests.card_memory import CardMemory, Timing
from engines.ckks.rtl.tests.test_ckks_core import CODES, SIZE, UNEVEN, Damaged, job, make_jobs
from engines.ckks.rtl.tests.test_ckks_core import LOG_DEGREE, parameters

STEADY = Timing(latency=20, jitter=10)
SLOW = Timing(latency=40, jitter=40, bandwidth=0.4, pause=0.3)
COUNTERS = {"jobs": (0, 1), "job_clocks": (1, 1), "limb_beats": (2, 3)}  # lowest bit, mask
JOBS = ("hadd", "rotation")
PAGE = 4096


class Host(EngineBench):
    """The engine's port with a memory that both of its masters see, and its event counters."""

    def __init__(self, dut: Any, name: str, timing: Timing, pause_in: float = 0.0,
                 pause_out: float = 0.0) -> None:
        super().__init__(dut, random_source(name), pause_in, pause_out)
        limb_bytes = 4 * min(1 << int(setting("LOG_LANES")), 16)
        self.memories = [CardMemory(dut, self.rng, size, SIZE, timing, prefix=f"m_axi_{prefix}")
                         for size, prefix in ((32, "control"), (limb_bytes, "limbs"))]
        self.control, self.limbs = self.memories
        self.limbs.bytes = self.control.bytes
        self.counted = dict.fromkeys(COUNTERS, 0)
        self.errors = 0
        self._tasks = [cocotb.start_soon(self._watch())]

    async def _watch(self) -> None:
        edge = RisingEdge(self.dut.clk_i)
        events, error, memory_error = map(
            reader, (self.dut.events_o, self.dut.error_o, self.dut.memory_error_o))
        while True:
            await edge
            if told := events():
                for name, (low, mask) in COUNTERS.items():
                    self.counted[name] += told >> low & mask
            self.errors += error()
            assert memory_error() == 0

    @property
    def bytes(self) -> bytearray:
        return self.control.bytes

    def fill(self, data: bytes) -> None:
        self.bytes[:] = data + bytes(SIZE - len(data))

    def set_timing(self, timing: Timing) -> None:
        for memory in self.memories:
            memory.timing = timing

    def send(self, frame: bytes) -> None:
        self.driver.send(beats_of(frame))

    async def ask(self, frames: list[bytes], clocks: int = 400_000) -> list[bytes]:
        """Returns the replies to some frames, in the order in which they come."""
        first = len(self.monitor.frames)
        for frame in frames:
            self.send(frame)
        replies = await self.monitor.wait_frames(first + len(frames), clocks)
        return [bytes_of(reply) for reply in replies[first:]]

    async def run(self, address: int = 0) -> RunReply:
        (reply,) = await self.ask([commands.run(7, address)])
        found = commands.run_reply(reply)
        assert found.index == 7
        return found

    async def check(self, name: str) -> None:
        """Checks that a job in the memory leaves the instruction simulator's bits."""
        self.fill(job(name, "before"))
        reply = await self.run()
        assert reply.status == STATUS["ok"], f"{name}: {reply}"
        self.compare(name)

    def compare(self, name: str) -> None:
        expected = job(name, "after")
        assert self.bytes == expected + bytes(SIZE - len(expected))

    async def stop(self) -> None:
        await ClockCycles(self.dut.clk_i, 4)
        assert int(self.dut.idle_o.value) == 1
        for task in self._tasks:
            task.cancel()
        for memory in self.memories:
            memory.stop()
        self.monitor.stop()


async def ready(dut: Any) -> None:
    await start(dut, **REQUESTS)
    assert int(dut.idle_o.value) == 1


def in_pieces(address: int, size: int, piece: int = commands.MOST_BYTES) -> list[tuple[int, int]]:
    return [(at, min(piece, address + size - at)) for at in range(address, address + size, piece)]


def random_place(rng: random.Random, size: int) -> int:
    """Returns an address of `size` bytes: mostly valid, at and across pages and at the memory's
    ends."""
    edge = rng.randrange(1, SIZE // PAGE) * PAGE
    places = [0, SIZE - size, edge, edge - size // 2, edge - 32, rng.randrange(SIZE - size)]
    return max(0, rng.choice(places)) & ~31


def random_frame(rng: random.Random) -> bytes:
    """Returns a memory command or a rejected run: most are valid, the others wrong in one way."""
    index, kind, wrong = rng.getrandbits(64), rng.random(), rng.random()
    size = rng.choice([32, 64, 32 * rng.randrange(1, 513), 32 * rng.randrange(1, 40), 16384])
    if wrong < 0.06:
        size = rng.choice([0, 8, 31, 33, 16392, 16416, 30_000, rng.randrange(1, 40_000)])
    address = random_place(rng, min(size, 16384))
    if 0.06 <= wrong < 0.15:
        address = rng.choice([address + rng.randrange(1, 32), SIZE, SIZE - size + 32, 1 << 63,
                              address + (1 << rng.randrange(23, 64)), (1 << 64) - 32])
    if kind < 0.1:
        job_address = rng.choice([address | 32, SIZE, SIZE - 32, 1 << 40, 8])
        frame = commands.run(index, job_address)
    elif kind < 0.5:
        frame = commands.read(index, address, size)
    else:
        frame = commands.write(index, address, rng.randbytes(size))
    if 0.15 <= wrong < 0.3:
        return flipped(frame, rng.randrange(64, 8 * len(frame)))
    return frame


async def memory_commands(dut: Any, name: str, timing: Timing, pauses: tuple[float, float],
                          count: int) -> None:
    await ready(dut)
    host = Host(dut, name, timing, *pauses)
    host.bytes[:] = host.rng.randbytes(SIZE)
    model = bytearray(host.bytes)
    sound = commands.write(0, 0, host.rng.randbytes(64))
    frames = [sound, flipped(sound, 8 * len(sound) - 1),
              *(random_frame(host.rng) for _ in range(count))]
    host.rng.shuffle(frames)
    expected = [commands.answer(frame, model) for frame in frames]
    # A run whose damaged frame is valid is left out.
    kept = [(frame, reply) for frame, reply in zip(frames, expected) if reply is not None]
    replies = await host.ask([frame for frame, _ in kept])
    for (frame, reply), found in zip(kept, replies):
        assert found == reply, f"{frame[:32].hex()}: {found[:40].hex()}, not {reply[:40].hex()}"
    assert host.bytes == model
    statuses = [reply[-16] for _, reply in kept if not commands.is_run(reply)]
    assert {STATUS[name] for name in ("ok", "corrupt")} <= set(statuses)
    runs = sum(commands.is_run(reply) for _, reply in kept)
    assert host.errors == sum(status != STATUS["ok"] for status in statuses) + runs
    assert host.counted["jobs"] == 0
    await host.stop()


@cocotb.test()
async def memory_commands_do_as_the_model(dut: Any) -> None:
    await memory_commands(dut, "plain", STEADY, (0.0, 0.0), 60)


@cocotb.test()
async def memory_commands_with_pauses(dut: Any) -> None:
    await memory_commands(dut, "pauses", UNEVEN, (0.3, 0.3), 40)


@cocotb.test()
async def memory_commands_for_a_slow_reader(dut: Any) -> None:
    await memory_commands(dut, "slow", SLOW, (0.0, 0.8), 12)


@cocotb.test()
async def a_job_is_written_run_and_read(dut: Any) -> None:
    """Works like a host: everything by commands."""
    await ready(dut)
    host = Host(dut, "job", UNEVEN, 0.05, 0.05)
    before, after = job("hadd", "before"), job("hadd", "after")
    host.bytes[:len(before)] = host.rng.randbytes(len(before))
    writes = [commands.write(at, at, before[at:at + size])
              for at, size in in_pieces(0, len(before))]
    # The run follows its writes at once.
    replies = await host.ask([*writes, commands.run(99, 0)])
    assert [reply[16] for reply in replies] == [STATUS["ok"]] * len(replies)
    ended = commands.run_reply(replies[-1])
    assert (ended.index, ended.fault) == (99, 0) and ended.clocks > 1000
    places = in_pieces(0, len(after))
    replies = await host.ask([commands.read(at, at, size) for at, size in places])
    assert b"".join(reply[16:-16] for reply in replies) == after
    host.compare("hadd")
    assert host.counted["jobs"] == 1 and host.errors == 0
    beats = sum(beats for _, beats in host.limbs.read_bursts + host.limbs.write_bursts)
    assert host.counted["limb_beats"] == beats
    assert abs(host.counted["job_clocks"] - ended.clocks) <= 2
    await host.stop()


@cocotb.test()
async def runs_wait_and_memory_commands_do_not(dut: Any) -> None:
    """Jobs in order, with memory commands in parallel; more jobs than the queue holds."""
    await ready(dut)
    host = Host(dut, "beside", STEADY, 0.0, 0.2)
    host.fill(job("rotation", "before"))
    bad = SIZE - 64  # a job of zeros: its program lies at 0 and is not valid
    model = bytearray(host.bytes)
    memory = []
    free = len(host.bytes) // 2
    for number in range(20):
        data = host.rng.randbytes(32 * host.rng.randrange(1, 65))
        memory.append(commands.write(1000 + number, free + 4096 * number, data))
        memory.append(commands.read(2000 + number, free + 4096 * number, len(data)))
    runs = [commands.run(number, bad if number else 0) for number in range(7)]
    expected = [commands.answer(frame, model) for frame in memory]
    replies = await host.ask([*runs[:3], *memory, *runs[3:]])
    assert [reply for reply in replies if not commands.is_run(reply)] == expected
    ended = [commands.run_reply(reply) for reply in replies if commands.is_run(reply)]
    assert [reply.index for reply in ended] == list(range(7))
    assert [reply.status for reply in ended] == [STATUS["ok"], *[STATUS["fault"]] * 6]
    assert {reply.fault for reply in ended[1:]} == {CODES["magic"]}
    # All memory commands were done while the first job ran.
    assert commands.is_run(replies[len(memory)]) and host.counted["jobs"] == 7
    after = job("rotation", "after")
    assert host.bytes[:len(after)] == after and host.bytes[free:] == model[free:]
    await host.stop()


@cocotb.test()
async def faults_and_errors_of_the_memory(dut: Any) -> None:
    """Each error is reported, and does not affect the next command and job."""
    await ready(dut)
    host = Host(dut, "faults", STEADY)
    wrong = Damaged("hadd")
    number = wrong.set(wrong.find("add"), "opcode", 63)
    wrong.seal()
    host.fill(bytes(wrong.bytes))
    reply = await host.run()
    assert (reply.status, reply.fault) == (STATUS["fault"], CODES["opcode"])
    assert reply.number == number
    await host.check("hadd")
    # A store's page answers with an error, over the port of limbs; then a page of the host's.
    image = Damaged("hadd")
    store = image.number(image.number(8, 8) + 8 * image.region_of(image.find("store")), 8)
    host.limbs.failing = {store // PAGE}
    host.fill(job("hadd", "before"))
    reply = await host.run()
    assert (reply.status, reply.fault) == (STATUS["fault"], CODES["memory"])
    host.limbs.failing = set()
    host.fill(host.rng.randbytes(SIZE))
    failing = frozenset({100, 103})
    host.control.failing = set(failing)
    model, frames = bytearray(host.bytes), []
    for page in range(97, 106):
        data = host.rng.randbytes(6144)
        frames += [commands.write(page, PAGE * page, data), commands.read(page, PAGE * page, 8192)]
    expected = [commands.answer(frame, model, failing) for frame in frames]
    assert await host.ask(frames) == expected
    assert host.bytes == model
    assert STATUS["memory_error"] in {reply[-16] for reply in expected if reply}
    host.control.failing = set()
    await host.check("hadd")
    await host.stop()


@cocotb.test()
async def soft_resets_anywhere(dut: Any) -> None:
    """Resets in commands and in jobs. The memory never sees an incomplete burst (it would fail),
    and nothing before the reset affects anything after it."""
    await ready(dut)
    host = Host(dut, "resets", SLOW, 0.1, 0.3)
    rng = host.rng
    for memory in host.memories:
        memory.empty_beats = 0
    for round_number in range(300):
        # By chance many resets may meet no burst that is half written.
        if round_number >= 24 and host.control.empty_beats:
            break
        in_job = round_number % 4 == 3
        host.set_timing(rng.choice([SLOW, STEADY, UNEVEN]))
        host.fill(job("hadd", "before"))
        if in_job:
            host.send(commands.run(1, 0))
        for _ in range(rng.randrange(3)):
            host.send(commands.write(3, SIZE // 2, rng.randbytes(4096)))
            host.send(commands.read(2, 0, 16384))
            host.send(commands.write(4, SIZE // 2, rng.randbytes(16384)))
        await ClockCycles(dut.clk_i, rng.randrange(1, 6000 if in_job else 1500))
        await host.soft_reset()
        host.monitor.clear()
        place = rng.randrange(SIZE // 64) * 32
        frames = [commands.write(5, place, rng.randbytes(32)), commands.read(6, place, 64)]
        # After the drained writes: the model begins when the first reply is available.
        (first,) = await host.ask(frames[:1])
        model = bytearray(host.bytes)
        assert first == commands.answer(frames[0], model)
        assert await host.ask(frames[1:]) == [commands.answer(frames[1], model)]
        if in_job:
            await host.check("hadd")
    assert host.control.empty_beats > 0, "no reset met a burst that was half written"
    await host.stop()


def _run(folder: Path, log_lanes: int) -> None:
    make_jobs(folder, log_lanes, LOG_DEGREE, JOBS)
    run_bench(__file__, "ckks_port", parameters(log_lanes),
              settings={"LOG_LANES": log_lanes, "FOLDER": str(folder).replace("/", "|")})


LINTS = [Lint("ckks_port", parameters(log_lanes)) for log_lanes in (3, *in_sweep([2, 5]))]


@pytest.mark.parametrize("log_lanes", [3, *in_sweep([4])])
def test_ckks_port(log_lanes: int, tmp_path: Path) -> None:
    _run(tmp_path, log_lanes)
