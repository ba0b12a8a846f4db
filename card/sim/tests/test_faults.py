# SPDX-License-Identifier: Apache-2.0 OR MIT
"""halimede-card-sim's injected faults: each does what it says, at its rate, repeatably."""

from __future__ import annotations

import signal

import pytest

from card.model import commands
from card.model.frames import Frame, FrameError, split
from card.sim.build import STREAM_BYTES
from card.sim.tests.simulator import Simulator

COUNT = 200
REQUESTS = b"".join(commands.register_read(0x1000 + i).encode(STREAM_BYTES) for i in range(COUNT))


def whole(data: bytes) -> tuple[list[Frame], bytes]:
    """The frames of what came, and the rest."""
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


def test_stall_lasts_until_the_client_hangs_up(program, tmp_path):
    with Simulator(program, tmp_path, "--fault", "stall:0.05", "--seed", "3") as simulator:
        client = simulator.connect()
        client.socket.send(REQUESTS)
        first = whole(client.bytes_until_waiting(simulator))[0]
        assert len(first) < COUNT
        client.socket.send(REQUESTS)
        assert client.bytes_for(1.0) == b""
        assert simulator.cpu_s() < 2.0
        client.close()
        client = simulator.connect()
        client.socket.send(REQUESTS)
        assert client.bytes_until_waiting(simulator) != b""


def test_reset_pulses_and_the_card_goes_on(program, tmp_path, good):
    with Simulator(program, tmp_path, "--fault", "reset:0.02", "--seed", "4") as simulator:
        client = simulator.connect()
        client.socket.send(REQUESTS)
        data = client.bytes_for(1.5)
        assert data != good
        # Half a frame may be inside: a frame's worth of zeros ends it, and may be reset itself.
        for nonce in range(20):
            client.socket.setblocking(True)
            client.socket.send(bytes(65536) + commands.reset_fpga(nonce).encode(STREAM_BYTES))
            client.socket.setblocking(False)
            answer = client.bytes_for(0.5)
            if answer.endswith(commands.reset_reply(nonce).encode(STREAM_BYTES)):
                break
        else:
            raise AssertionError("no reset is answered")


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
