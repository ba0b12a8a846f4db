# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The injected faults of halimede-card-sim: each does what it documents, at its rate,
reproducibly."""

import random
import signal

import pytest

from arith.simulation.bench import is_sweep
from card.model import commands
from card.model.frames import IGNORE_CODE, MAX_FRAME_BYTES, Frame, FrameError, split
from card.sim.build import STREAM_BYTES
from card.sim.tests.simulator import Simulator
from engines.poseidon.model.frames import PoseidonReply, poseidon_hash
from engines.poseidon.model.parameters import filecoin
from engines.poseidon.model.permutation import permute

COUNT = 200
REQUESTS = b"".join(commands.register_read(0x1000 + i).encode(STREAM_BYTES) for i in range(COUNT))


def whole(data: bytes) -> tuple[list[Frame], bytes]:
    """The received frames, and the rest."""
    return split(data, STREAM_BYTES)


def replies(program, tmp_path, *arguments) -> bytes:
    with Simulator(program, tmp_path, *arguments) as simulator:
        client = simulator.connect()
        client.socket.send(REQUESTS)
        return client.bytes_until_waiting(simulator)


@pytest.fixture(scope="module")
def good(program, tmp_path_factory) -> bytes:
    data = replies(program, tmp_path_factory.mktemp("good"))
    assert len(whole(data)[0]) == COUNT
    return data


def test_drop_loses_whole_frames(program, tmp_path, good):
    assert replies(program, tmp_path, "--fault", "drop:1") == b""
    frames, rest = whole(replies(program, tmp_path, "--fault", "drop:0.3"))
    assert not rest and COUNT * 0.5 < len(frames) < COUNT * 0.9
    complete = iter(whole(good)[0])
    assert all(frame in complete for frame in frames), "order"


def test_corrupt_flips_one_bit_of_a_frame(program, tmp_path, good):
    data = replies(program, tmp_path, "--fault", "corrupt:1")
    assert len(data) == len(good)
    size = len(good) // COUNT
    for start in range(0, len(good), size):
        ours, theirs = (int.from_bytes(d[start : start + size], "little") for d in (data, good))
        assert (ours ^ theirs).bit_count() == 1


def test_cut_loses_bytes(program, tmp_path, good):
    data = replies(program, tmp_path, "--fault", "cut:0.2")
    assert 0.5 * len(good) < len(data) < len(good)
    try:
        assert whole(data)[0] != whole(good)[0]
    except FrameError:
        pass


def test_delay_changes_the_order_only(program, tmp_path, good):
    frames, rest = whole(replies(program, tmp_path, "--fault", "delay:0.3"))
    assert not rest
    expected = whole(good)[0]
    assert frames != expected
    assert sorted(frames, key=lambda f: f.payload) == sorted(expected, key=lambda f: f.payload)


def test_duplicate_sends_a_frame_twice(program, tmp_path, good):
    expected = whole(good)[0]
    frames, rest = whole(replies(program, tmp_path, "--fault", "duplicate:1"))
    assert not rest and frames == [frame for frame in expected for _ in range(2)]
    frames, rest = whole(replies(program, tmp_path, "--fault", "duplicate:0.3"))
    assert not rest and COUNT * 1.1 < len(frames) < COUNT * 1.5
    once = [frame for i, frame in enumerate(frames) if i == 0 or frame != frames[i - 1]]
    assert once == expected


def test_request_drop_loses_whole_requests(program, tmp_path, good):
    assert replies(program, tmp_path, "--fault", "request-drop:1") == b""
    frames, rest = whole(replies(program, tmp_path, "--fault", "request-drop:0.3"))
    assert not rest and COUNT * 0.5 < len(frames) < COUNT * 0.9
    complete = iter(whole(good)[0])
    assert all(frame in complete for frame in frames), "order"


def test_request_corrupt_flips_one_bit_of_a_request(program, tmp_path):
    """Zeros after each request fill the bytes that a wrong length swallows."""
    requests = [commands.register_read(0x1000 + i) for i in range(COUNT)]
    with Simulator(program, tmp_path, "--fault", "request-corrupt:1") as simulator:
        client = simulator.connect()
        client.socket.setblocking(True)
        for request in requests:
            client.socket.sendall(request.encode(STREAM_BYTES) + bytes(MAX_FRAME_BYTES))
        client.socket.setblocking(False)
        frames, rest = whole(client.bytes_until_waiting(simulator))
    # (One of the 128 bits makes a beat idle, which gets no answer.)
    assert not rest and COUNT * 0.9 < len(frames) <= COUNT
    header = int.from_bytes(requests[0].encode()[:8], "little")
    ignored, other_addresses = 0, 0
    for frame in frames:
        if frame.command == IGNORE_CODE:
            ignored += 1
            assert (int.from_bytes(frame.payload, "little") ^ header).bit_count() == 1
        else:
            address = int.from_bytes(frame.payload[:4], "little")
            assert any((address ^ (0x1000 + i)).bit_count() <= 1 for i in range(COUNT))
            other_addresses += not 0x1000 <= address < 0x1000 + COUNT
    assert COUNT // 4 < ignored < COUNT * 3 // 4 and other_addresses > COUNT // 20


def test_request_cut_costs_the_card_its_step_until_a_reset(program, tmp_path):
    rng, instance, expected, data = random.Random(5), filecoin(9), {}, b""
    for index in range(40):
        state = [rng.randrange(instance.modulus) for _ in range(instance.width)]
        data += poseidon_hash(index, 0x09, 1, state).encode(STREAM_BYTES)
        expected[index] = permute(instance, state)[1]
    faults = ("--engines", "poseidon", "--fault", "request-cut:0.2")
    with Simulator(program, tmp_path, *faults) as simulator:
        client = simulator.connect()
        client.socket.setblocking(True)
        client.socket.sendall(data)
        for nonce in range(30):
            client.socket.sendall(bytes(65536) + commands.reset_fpga(nonce).encode(STREAM_BYTES))
            answer = client.bytes_until_waiting(simulator)
            if nonce == 0:
                frames, _ = whole(answer)
                hashes = [PoseidonReply.of(f) for f in frames if f.name == "poseidon_hash"]
                right = [r for r in hashes if r.status == 0]
                assert all(r.elements == (expected[r.index],) for r in right)
                assert len(right) < len(expected)
            if answer.endswith(commands.reset_reply(nonce).encode(STREAM_BYTES)):
                break
        else:
            raise AssertionError("no reset was answered")


def test_requests_pass_whole_where_no_fault_strikes(program, tmp_path, good):
    assert replies(program, tmp_path, "--fault", "request-drop:1e-12") == good


def test_stall_lasts_until_the_client_hangs_up(program, tmp_path):
    with Simulator(program, tmp_path, "--fault", "stall:0.05", "--seed", "3") as simulator:
        client = simulator.connect()
        client.socket.send(REQUESTS)
        first = whole(client.bytes_until_waiting(simulator))[0]
        assert len(first) < COUNT
        client.socket.send(REQUESTS)
        assert client.bytes_for(1.0) == b""
        assert simulator.cpu_s() < 2.0
        # The next client is served, unless its own first reply stalls.
        for _ in range(10):
            client.close()
            client = simulator.connect()
            client.socket.send(REQUESTS)
            if whole(client.bytes_until_waiting(simulator))[0]:
                return
        raise AssertionError("no answer after the client hung up")


def test_reset_pulses_and_the_card_goes_on(program, tmp_path, good):
    with Simulator(program, tmp_path, "--fault", "reset:0.02", "--seed", "4") as simulator:
        client = simulator.connect()
        client.socket.send(REQUESTS)
        data = client.bytes_for(1.5)
        assert data != good
        # The card may hold half a frame: a frame's worth of zeros ends it, but may be struck by a
        # reset.
        for nonce in range(20):
            client.socket.setblocking(True)
            client.socket.send(bytes(65536) + commands.reset_fpga(nonce).encode(STREAM_BYTES))
            client.socket.setblocking(False)
            answer = client.bytes_for(0.5)
            if answer.endswith(commands.reset_reply(nonce).encode(STREAM_BYTES)):
                break
        else:
            raise AssertionError("no reset was answered")


def test_kill_ends_the_process(program, tmp_path):
    with Simulator(program, tmp_path, "--fault", "kill:0.05") as simulator:
        client = simulator.connect()
        client.socket.send(REQUESTS)
        with pytest.raises(ConnectionError):
            client.bytes_for(10)
        assert simulator.end() == -signal.SIGKILL


def test_a_seed_repeats_a_run(program, tmp_path):
    faults = ("--fault", "corrupt:0.2", "--fault", "drop:0.2")
    first = replies(program, tmp_path, *faults, "--seed", "5")
    assert replies(program, tmp_path, *faults, "--seed", "5") == first
    assert replies(program, tmp_path, *faults, "--seed", "6") != first


def test_a_seed_repeats_the_faults_of_requests(program, tmp_path):
    faults = ("--fault", "request-corrupt:0.2", "--fault", "request-drop:0.2")
    first = replies(program, tmp_path, *faults, "--seed", "5")
    assert replies(program, tmp_path, *faults, "--seed", "5") == first
    assert replies(program, tmp_path, *faults, "--seed", "6") != first


@pytest.mark.skipif(not is_sweep(), reason="half a minute; device/tests/on_card does it in each run")
def test_flipped_bits_of_memories_never_give_wrong_answers(program, tmp_path):
    """A notice reports the failure of the engine, which works again after a reset."""
    rng, instance, notices, right = random.Random(6), filecoin(9), 0, 0
    states = [[rng.randrange(instance.modulus) for _ in range(instance.width)] for _ in range(40)]
    expected = [permute(instance, state)[1] for state in states]
    data = b"".join(poseidon_hash(index, 0x09, 1, state).encode(STREAM_BYTES)
                    for index, state in enumerate(states))
    faults = ("--engines", "poseidon", "--fault", "flip:1", "--seed", "8")
    with Simulator(program, tmp_path, *faults) as simulator:
        client = simulator.connect()
        client.socket.setblocking(True)
        for nonce in range(12):
            client.socket.sendall(data)
            frames, _ = whole(client.bytes_until_waiting(simulator))
            for frame in frames:
                if frame.command == commands.FAILED_CODE:
                    assert frame == commands.engine_failed(2, commands.MEMORY_ERROR)
                    notices += 1
                elif frame.name == "poseidon_hash":
                    reply = PoseidonReply.of(frame)
                    right += 1
                    assert reply.elements == (expected[reply.index],)
            client.socket.sendall(commands.reset_fpga(nonce).encode(STREAM_BYTES))
            client.bytes_until_waiting(simulator)
    assert notices >= 3 and right >= 40, (notices, right)
