# SPDX-License-Identifier: Apache-2.0 OR MIT
"""halimede-card-sim with an engine that has a memory: CKKS jobs that are written, run and read
back, a memory that is too small, resets during a job. (Tests of the engine itself:
engines/ckks/rtl/tests/test_ckks_port.py.)"""

import random
import time
from pathlib import Path

import pytest

from arith.simulation.bench import Lint, skip_or_raise
from arith.simulation.toolchain import ToolMissing
from card.model.commands import StatusReply, get_fpga_status, reset_fpga
from card.model.frames import SPEC, Frame
from card.sim.build import MEMORY_PARAMETERS, STREAM_BYTES, build
from card.sim.tests.simulator import Client, Simulator
from engines.ckks.model import commands
from engines.ckks.model.commands import MOST_BYTES, STATUS
from engines.ckks.rtl.tests.test_ckks_core import make_jobs

JOBS = ("hadd", "rotation")
WINDOW = 16  # commands in flight at a time


@pytest.fixture(scope="module")
def memory_program() -> Path:
    try:
        return build(memory=True)
    except ToolMissing as missing:
        skip_or_raise(missing)


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("jobs")
    lanes, degree = (MEMORY_PARAMETERS[f"Ckks{name}"] for name in ("LogLanes", "MaxLogDegree"))
    make_jobs(folder, lanes, degree, JOBS)
    return folder


# With the engines that have a memory, and with only their ports.
LINTS = [Lint("memory_card_top", {**MEMORY_PARAMETERS, "Engines": engines})
         for engines in (MEMORY_PARAMETERS["Engines"], 0)]


def ask(client: Client, frames: list[bytes]) -> list[bytes]:
    """The replies, complete frames without padding, in the order of arrival."""
    replies: list[bytes] = []
    for first in range(0, len(frames), WINDOW):
        some = frames[first:first + WINDOW]
        sent = b"".join(frame + bytes(-len(frame) % STREAM_BYTES) for frame in some)
        replies += [reply.encode(8) for reply in client.exchange(sent, len(some))]
    return replies


def write(client: Client, address: int, data: bytes) -> None:
    frames = [commands.write(at, address + at, data[at:at + MOST_BYTES])
              for at in range(0, len(data), MOST_BYTES)]
    replies = ask(client, frames)
    assert replies == [commands.answer(frame, bytearray(1 << 23)) for frame in frames]


def read(client: Client, address: int, size: int) -> bytes:
    frames = [commands.read(at, address + at, min(MOST_BYTES, size - at))
              for at in range(0, size, MOST_BYTES)]
    replies = ask(client, frames)
    assert all(reply[-16] == STATUS["ok"] for reply in replies)
    return b"".join(reply[16:-16] for reply in replies)


def run(client: Client, address: int = 0) -> commands.RunReply:
    (reply,) = ask(client, [commands.run(5, address)])
    return commands.run_reply(reply)


def check(client: Client, jobs: Path, name: str) -> None:
    """A job leaves the memory as the instruction simulator does."""
    before, after = ((jobs / f"{name}.{ending}").read_bytes() for ending in ("before", "after"))
    write(client, 0, before)
    reply = run(client)
    assert (reply.status, reply.fault) == (STATUS["ok"], 0)
    assert read(client, 0, len(after)) == after


def test_jobs_leave_the_simulators_bits(memory_program: Path, jobs: Path, tmp_path: Path) -> None:
    with Simulator(memory_program, tmp_path) as simulator:
        client = simulator.connect()
        status = StatusReply.of(client.ask(get_fpga_status()))
        assert status.capabilities == MEMORY_PARAMETERS["Engines"]
        for name in JOBS:
            begun = time.monotonic()
            clocks = StatusReply.of(client.ask(get_fpga_status())).clocks
            check(client, jobs, name)
            clocks = StatusReply.of(client.ask(get_fpga_status())).clocks - clocks
            print(f"{name}: {clocks} clocks, {clocks / (time.monotonic() - begun):.0f} a second")


def test_a_memory_has_an_end(memory_program: Path, tmp_path: Path) -> None:
    """Beyond the address bits the card refuses; below, the memory answers with an error."""
    with Simulator(memory_program, tmp_path, "--memory-mib", "1", "--memory-latency", "200") as one:
        client = one.connect()
        data = random.Random(1).randbytes(4096)
        end, bits = 1 << 20, MEMORY_PARAMETERS["CkksMemoryBits"]
        write(client, end - 4096, data)
        assert read(client, end - 4096, 4096) == data
        assert not any(read(client, 0, 4096))
        for address, status in ((end, "memory_error"), (1 << bits, "beyond")):
            written, back = ask(client, [commands.write(1, address, data),
                                         commands.read(2, address, 4096)])
            assert written[16] == back[-16] == STATUS[status]
        assert read(client, end - 4096, 4096) == data


def test_resets_in_a_job(memory_program: Path, jobs: Path, tmp_path: Path) -> None:
    """A reset by command at any point of a job; the next job is correct."""
    rng = random.Random(2)
    image = (jobs / "hadd.before").read_bytes()
    with Simulator(memory_program, tmp_path, "--memory-latency", "100") as simulator:
        client = simulator.connect()
        for nonce in range(1, 9):
            write(client, 0, image[:MOST_BYTES])
            # Each status request takes some clocks, in which the job continues.
            waits = [get_fpga_status()] * rng.randrange(1, 200)
            frames = [Frame(commands.RUN["code"], commands.run(1, 0)[8:]), *waits,
                      reset_fpga(nonce)]
            sent = b"".join(frame.encode(STREAM_BYTES) for frame in frames)
            answer = Frame(next(c.reply_code for c in SPEC.commands if c.name == "reset_fpga"),
                           nonce.to_bytes(8, "little"))
            client.until(sent, answer)
        check(client, jobs, "hadd")
