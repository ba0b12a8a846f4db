# SPDX-License-Identifier: Apache-2.0 OR MIT
"""halimede-card-sim as a process: serving, ending, invalid arguments, misbehaving clients."""

import random
import signal
import socket
import subprocess
import time

import pytest

from card.model import commands
from card.model.commands import RegisterReply, StatusReply
from card.model.frames import MAX_FRAME_BYTES, SPEC
from card.sim.build import PARAMETERS, STREAM_BYTES, build
from card.sim.tests.simulator import LIMIT_S, Simulator
from engines.poseidon.model.frames import PoseidonReply, poseidon_hash
from engines.poseidon.model.parameters import filecoin, stark
from engines.poseidon.model.permutation import permute


INSTANCES = {0x03: filecoin(3), 0x13: filecoin(3, strengthened=True), 0x23: stark(3)}


def run(program, *arguments):
    """Runs the program, which is expected to end by itself."""
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=LIMIT_S)


def test_serves_the_control_commands(program, tmp_path):
    with Simulator(program, tmp_path) as simulator:
        client = simulator.connect()
        status = StatusReply.of(client.ask(commands.get_fpga_status()))
        assert (status.version, status.max_frame_bytes) == (SPEC.version, MAX_FRAME_BYTES)
        assert status.stream_bytes == STREAM_BYTES
        assert status.capabilities == PARAMETERS["Engines"] and status.build_id != 0
        assert client.ask(commands.reset_fpga(7)) == commands.reset_reply(7)
        client.socket.send((0xBAD << 32 | 5).to_bytes(STREAM_BYTES, "little"))
        assert client.exchange(b"", 1) == [commands.ignore_reply(5, 0xBAD)]


def test_bytes_one_by_one(program, tmp_path):
    with Simulator(program, tmp_path) as simulator:
        client = simulator.connect()
        for byte in commands.reset_fpga(0x0123456789ABCDEF).encode(STREAM_BYTES):
            client.socket.send(bytes([byte]))
        assert client.exchange(b"", 1) == [commands.reset_reply(0x0123456789ABCDEF)]


def test_a_client_that_does_not_read_loses_nothing(program, tmp_path):
    """All requests are written before any reply is read: the card stalls, and then continues."""
    count = 10_000  # more than the 5,700 that the card accepts
    requests = b"".join(commands.register_read(4 * i).encode(STREAM_BYTES) for i in range(count))
    with Simulator(program, tmp_path) as simulator:
        client = simulator.connect()
        sent = 0
        deadline = time.monotonic() + LIMIT_S
        stuck_since = time.monotonic()
        while sent < len(requests) and time.monotonic() - stuck_since < 1.0:
            try:
                sent += client.socket.send(requests[sent : sent + 65536])
                stuck_since = time.monotonic()
            except BlockingIOError:
                assert time.monotonic() < deadline
                time.sleep(0.01)
        assert sent < len(requests), "the stream did not stall"
        replies = client.exchange(requests[sent:], count)
        assert [RegisterReply.of(r).address for r in replies] == [4 * i for i in range(count)]


def test_replies_reach_a_client_that_closed_its_sending_side(program, tmp_path):
    with Simulator(program, tmp_path, "--once") as simulator:
        client = simulator.connect()
        client.socket.send(b"".join(commands.register_read(i).encode(STREAM_BYTES) for i in range(100)))
        client.socket.shutdown(socket.SHUT_WR)
        assert len(client.exchange(b"", 100)) == 100
        assert simulator.end() == 0


def test_idle_costs_nothing(program, tmp_path):
    with Simulator(program, tmp_path) as simulator:
        client = simulator.connect()
        client.ask(commands.reset_fpga(1))
        before = simulator.cpu_s()
        time.sleep(1.0)
        assert simulator.cpu_s() - before < 0.1


def test_state_outlives_a_client(program, tmp_path):
    """Each status counts the frames of those before; its own is counted with its reply."""
    with Simulator(program, tmp_path) as simulator:
        for index in range(3):
            client = simulator.connect()
            address = SPEC.register("frames_in").address
            assert RegisterReply.of(client.ask(commands.register_read(address))).value == index
            client.close()


def test_back_in_step_behind_a_client_that_died_in_a_frame(program, tmp_path):
    rng = random.Random(1)
    with Simulator(program, tmp_path) as simulator:
        for _ in range(5):
            client = simulator.connect()
            header = (0x110 << 32 | rng.randrange(24, MAX_FRAME_BYTES)).to_bytes(8, "little")
            client.socket.send(header + rng.randbytes(rng.randrange(200)))
            client.close()
            client = simulator.connect()
            nonce = rng.getrandbits(64)
            client.until(
                bytes(MAX_FRAME_BYTES) + commands.reset_fpga(nonce).encode(STREAM_BYTES),
                commands.reset_reply(nonce),
            )
            client.close()


def test_engines_can_be_left_out(program, tmp_path):
    with Simulator(program, tmp_path, "--engines", "none") as simulator:
        client = simulator.connect()
        status = StatusReply.of(client.ask(commands.get_fpga_status()))
        assert (status.capabilities, status.poseidon_instances) == (0, 0)
        request = poseidon_hash(1, 0x03, 1, [1, 2, 3])
        length = 8 + len(request.payload)
        assert client.ask(request) == commands.ignore_reply(length, request.command)


@pytest.mark.parametrize("with_signal", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("busy", [False, True])
def test_signals_end_it_cleanly(program, tmp_path, with_signal, busy):
    with Simulator(program, tmp_path) as simulator:
        if busy:
            client = simulator.connect()
            client.exchange(commands.register_read(0).encode(STREAM_BYTES) * 100, 1)
        assert simulator.end(with_signal) == 0
        assert not simulator.path.exists() and simulator.stderr == ""


def test_once_ends_with_the_client(program, tmp_path):
    with Simulator(program, tmp_path, "--once") as simulator:
        client = simulator.connect()
        client.ask(commands.reset_fpga())
        client.close()
        assert simulator.end() == 0


def test_serves_standard_input_and_ends_with_its_client(program):
    with Simulator(program, None) as simulator:
        client = simulator.connect()
        for nonce in (1, 1 << 63, 0x0123456789ABCDEF):
            assert client.ask(commands.reset_fpga(nonce)) == commands.reset_reply(nonce)
        client.socket.send(commands.reset_fpga(9).encode(STREAM_BYTES)[:10])
        client.close()
        assert simulator.end() == 0 and simulator.stderr == ""


def test_standard_input_that_is_half_closed_gets_its_replies(program):
    count = 100
    with Simulator(program, None) as simulator:
        client = simulator.connect()
        client.socket.send(
            b"".join(commands.register_read(4 * i).encode(STREAM_BYTES) for i in range(count)))
        client.socket.shutdown(socket.SHUT_WR)
        replies = client.exchange(b"", count)
        assert [RegisterReply.of(r).address for r in replies] == [4 * i for i in range(count)]
        assert simulator.end() == 0


def test_a_client_that_dies_ends_a_busy_simulator_on_standard_input(program):
    data, _ = hash_requests(random.Random(4), range(500))
    with Simulator(program, None) as simulator:
        client = simulator.connect()
        client.exchange(data[: 8 * 1000], 1)
        client.close()
        assert simulator.end() == 0


def test_standard_input_must_be_a_connected_stream(program, tmp_path):
    datagrams = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with socket.socket(socket.AF_UNIX) as unconnected, open(tmp_path / "file", "wb+") as file:
        for stdin in (subprocess.DEVNULL, file, unconnected, datagrams[0]):
            done = subprocess.run([program, "--stdio"], stdin=stdin, capture_output=True,
                                  text=True, timeout=LIMIT_S)
            assert done.returncode == 1 and "not a connected Unix stream socket" in done.stderr
    for end in datagrams:
        end.close()


def test_a_killed_simulator_leaves_a_socket_that_the_next_replaces(program, tmp_path):
    with Simulator(program, tmp_path) as simulator:
        client = simulator.connect()
        assert simulator.end(signal.SIGKILL) == -signal.SIGKILL
        with pytest.raises((ConnectionError, TimeoutError)):
            client.ask(commands.reset_fpga(), limit_s=5)
        assert simulator.path.exists()
    with Simulator(program, tmp_path) as simulator:
        assert simulator.connect().ask(commands.reset_fpga(2)) == commands.reset_reply(2)


def test_the_clock_limit(program, tmp_path):
    with Simulator(program, tmp_path, "--max-clocks", "500") as simulator:
        client = simulator.connect()
        client.socket.send(commands.register_read(0).encode(STREAM_BYTES) * 1000)
        assert simulator.end() == 3
        assert "--max-clocks" in simulator.stderr


def test_a_path_that_is_taken(program, tmp_path):
    with Simulator(program, tmp_path) as simulator:
        second = run(program, "--socket", simulator.path)
        assert second.returncode == 1 and "another process listens" in second.stderr
        assert simulator.path.exists()
    file = tmp_path / "file"
    file.write_text("precious")
    refused = run(program, "--socket", file)
    assert refused.returncode == 1 and "is not a socket" in refused.stderr
    assert file.read_text() == "precious"
    nowhere = run(program, "--socket", tmp_path / "no" / "folder")
    assert nowhere.returncode == 1 and "No such file" in nowhere.stderr


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        ([], "--socket PATH or --stdio is missing"),
        (["--stdio", "--socket", "x"], "--socket and --stdio exclude each other"),
        (["--socket"], "--socket needs a value"),
        (["--socket", "x" * 200], "the path has 200 bytes"),
        (["--sokcet", "x"], "no option `--sokcet`"),
        (["--socket", "x", "--engines", "posiedon"], "no engine `posiedon`"),
        (["--socket", "x", "--engines", "poseidon,"], "no engine ``"),
        (["--socket", "x", "--fault", "explode:1"], "no fault `explode`"),
        (["--socket", "x", "--fault", "request-kill:1"], "no fault `request-kill`"),
        (["--socket", "x", "--fault", "request-drop:-1"], "`-1` is not a probability"),
        (["--socket", "x", "--fault", "drop"], "`` is not a probability"),
        (["--socket", "x", "--fault", "drop:1.5"], "`1.5` is not a probability"),
        (["--socket", "x", "--fault", "drop:nan"], "is not a probability"),
        (["--socket", "x", "--seed", "-1"], "`-1` is not a number"),
        (["--socket", "x", "--max-clocks", "10k"], "`10k` is not a number"),
    ],
)
def test_wrong_arguments_are_named(program, arguments, complaint):
    done = run(program, *arguments)
    assert done.returncode == 2 and complaint in done.stderr and done.stdout == ""


def test_a_trace_needs_the_other_build(program, tmp_path):
    done = run(program, "--socket", tmp_path / "s", "--trace", tmp_path / "t.fst")
    assert done.returncode == 1 and "card.sim.build --trace" in done.stderr


def test_a_trace_is_written(program, tmp_path):
    """On a card without engines, which builds fast."""
    tracing = build(trace=True, name="card-without-engines", Engines=0)
    trace = tmp_path / "waves"
    with Simulator(tracing, tmp_path, "--trace", str(trace)) as simulator:
        assert simulator.connect().ask(commands.reset_fpga(5)) == commands.reset_reply(5)
        assert simulator.end(signal.SIGTERM) == 0
    assert trace.stat().st_size > 1000
    nowhere = run(tracing, "--socket", tmp_path / "s", "--trace", tmp_path / "no" / "waves")
    assert nowhere.returncode == 1 and "cannot write" in nowhere.stderr


def test_help(program):
    done = run(program, "--help")
    assert done.returncode == 0 and "--fault KIND:P" in done.stdout


# ---- with the Poseidon engine ----


def hash_requests(rng, indices):
    """(request bytes, index -> reply) for random states of every instance on the card."""
    data, expected = b"", {}
    for index in indices:
        code = rng.choice(list(INSTANCES))
        instance = INSTANCES[code]
        state = [rng.randrange(instance.modulus) for _ in range(instance.width)]
        data += poseidon_hash(index, code, 0, state).encode(STREAM_BYTES)
        expected[index] = PoseidonReply(index, 0, tuple(permute(instance, state)))
    return data, expected


def test_hashes_are_right(program, tmp_path):
    data, expected = hash_requests(random.Random(1), range(300))
    with Simulator(program, tmp_path) as simulator:
        client = simulator.connect()
        replies = [PoseidonReply.of(f) for f in client.exchange(data, len(expected))]
        assert {r.index: r for r in replies} == expected and len(replies) == len(expected)
        status = StatusReply.of(client.ask(commands.get_fpga_status()))
        assert status.multiplier_busy > 200 * len(expected)


def test_a_reset_abandons_a_batch(program, tmp_path):
    rng = random.Random(2)
    with Simulator(program, tmp_path) as simulator:
        client = simulator.connect()
        for nonce in range(1, 6):
            data, expected = hash_requests(rng, range(200))
            before = client.until(
                data + commands.reset_fpga(nonce).encode(STREAM_BYTES), commands.reset_reply(nonce)
            )
            assert all(expected[r.index] == r for r in map(PoseidonReply.of, before))
            assert len(before) < len(expected)
        data, expected = hash_requests(rng, range(3))
        replies = [PoseidonReply.of(f) for f in client.exchange(data, 3)]
        assert {r.index: r for r in replies} == expected


def test_killed_in_mid_batch(program, tmp_path):
    data, expected = hash_requests(random.Random(3), range(2000))
    with Simulator(program, tmp_path) as simulator:
        client = simulator.connect()
        some = client.exchange(data[: 8 * 1000], 1)
        assert all(expected[r.index] == r for r in map(PoseidonReply.of, some))
        simulator.end(signal.SIGKILL)
        with pytest.raises(ConnectionError):
            client.exchange(data[8 * 1000 :], len(expected), limit_s=10)
