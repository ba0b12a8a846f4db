# SPDX-License-Identifier: Apache-2.0 OR MIT
"""BLAKE3 on halimede-card-sim: the published vectors, messages of many frames between other
commands, bad frames, resets. (Tests of the engine itself: engines/blake3/rtl/tests.)"""

import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from arith.simulation.toolchain import PROJECT_ROOT
from card.model import commands
from card.model.commands import StatusReply
from card.model.frames import SPEC, Frame
from card.sim.build import PARAMETERS, STREAM_BYTES
from card.sim.tests.simulator import Client, Simulator
from engines.blake3.model.frames import Blake3Reply, blake3_data, blake3_hash, blake3_message
from engines.blake3.model.hashing import KEYED, Mode, compute
from engines.poseidon.model.frames import PoseidonReply, poseidon_hash
from engines.poseidon.model.parameters import stark
from engines.poseidon.model.permutation import permute

VECTORS = json.loads((PROJECT_ROOT / "engines/blake3/vectors/blake3.json").read_text())
STATUS = {value.name: value.value for table in SPEC.statuses if table.name == "blake3"
          for value in table.values}
CHUNK = 1024


def encoded(frames: Sequence[Frame]) -> bytes:
    return b"".join(frame.encode(STREAM_BYTES) for frame in frames)


def answers(client: Client, frames: Sequence[Frame], count: int) -> list[Blake3Reply]:
    return [Blake3Reply.of(reply) for reply in client.exchange(encoded(frames), count)]


def cycle(length: int) -> bytes:
    """The input of the vectors: a cycle of 251 bytes."""
    return bytes(i % 251 for i in range(length))


def test_the_published_vectors(program: Path, tmp_path: Path) -> None:
    """Hash and keyed hash of every length, and derive_key in its two stages, with 131 bytes of
    output."""
    key, context = VECTORS["key"].encode(), VECTORS["context_string"].encode()
    with Simulator(program, tmp_path) as simulator:
        client = simulator.connect()
        (reply,) = answers(
            client, blake3_message(1, context, mode=Mode.DERIVE_KEY_CONTEXT), 1)
        frames, expected = [], {}
        for number, case in enumerate(VECTORS["cases"]):
            data = cycle(case["input_len"])
            for mode, name, under in ((Mode.HASH, "hash", b""),
                                      (Mode.KEYED_HASH, "keyed_hash", key),
                                      (Mode.DERIVE_KEY_MATERIAL, "derive_key", reply.output)):
                index = number << 8 | mode
                frames += blake3_message(index, data, under, mode, output_bytes=131)
                expected[index] = Blake3Reply(index, STATUS["ok"], bytes.fromhex(case[name]))
        replies = answers(client, frames, len(expected))
        assert len(expected) == 105 and len(replies) == len(expected)
        assert {reply.index: reply for reply in replies} == expected


def random_message(rng: random.Random, index: int, longest: int) -> tuple[list[Frame], Blake3Reply]:
    """A message in frames of random numbers of whole chunks, and its reply."""
    mode = rng.choice(list(Mode))
    key = rng.randbytes(32) if mode in KEYED else b""
    data = rng.randbytes(rng.choice((0, 1, 63, 64, 65, CHUNK, CHUNK + 1, rng.randrange(longest))))
    length, first = rng.choice(((32, 0), (32, 0), (1, 0), (rng.randrange(1, 300), rng.getrandbits(32))))
    frames = blake3_message(
        index, data, key, mode, length, first, CHUNK * rng.randrange(1, 9))
    return frames, Blake3Reply(index, STATUS["ok"], compute(mode, data, key, length, 64 * first))


def test_messages_beside_other_commands(program: Path, tmp_path: Path) -> None:
    """Frames of other engines may come between the frames of a message; each engine answers its
    own."""
    rng = random.Random(7)
    hashes: dict[int, Blake3Reply] = {}
    states: dict[int, PoseidonReply] = {}
    stream, control = b"", 0
    for index in range(150):
        frames, hashes[index] = random_message(rng, index, 6000)
        for frame in frames:
            stream += frame.encode(STREAM_BYTES)
            if rng.random() < 0.2:
                state = [rng.randrange(stark(3).modulus) for _ in range(3)]
                number = len(states)
                states[number] = PoseidonReply(number, 0, tuple(permute(stark(3), state)))
                stream += poseidon_hash(number, 0x23, 0, state).encode(STREAM_BYTES)
            elif rng.random() < 0.2:
                stream += commands.register_read(4 * control).encode(STREAM_BYTES)
                control += 1
            elif rng.random() < 0.2:
                # In an idle beat only the first eight bytes matter.
                stream += bytes(8) + rng.randbytes(STREAM_BYTES - 8)
    with Simulator(program, tmp_path) as simulator:
        client = simulator.connect()
        replies = client.exchange(stream, len(hashes) + len(states) + control)
        of_name = {name: [reply for reply in replies if reply.name == name]
                   for name in ("blake3_hash", "poseidon_hash", "register_read")}
        assert {r.index: r for r in map(Blake3Reply.of, of_name["blake3_hash"])} == hashes
        assert {r.index: r for r in map(PoseidonReply.of, of_name["poseidon_hash"])} == states
        assert len(of_name["register_read"]) == control
        assert len(replies) == len(hashes) + len(states) + control


def test_a_message_of_many_frames_keeps_the_pipeline_busy(program: Path, tmp_path: Path) -> None:
    data = random.Random(8).randbytes(300 * CHUNK + 5)
    with Simulator(program, tmp_path) as simulator:
        client = simulator.connect()
        (reply,) = answers(client, blake3_message(3, data), 1)
        assert reply == Blake3Reply(3, STATUS["ok"], compute(Mode.HASH, data))
        status = StatusReply.of(client.ask(commands.get_fpga_status()))
        # A block per 64 bytes, and a parent per chunk except one.
        assert status.blake3_blocks == -(-len(data) // 64) + 300
        assert 0 < status.blake3_starved < status.clocks


def test_what_is_wrong_is_answered(program: Path, tmp_path: Path) -> None:
    rng = random.Random(9)
    data = rng.randbytes(5 * CHUNK + 77)
    good = Blake3Reply(99, STATUS["ok"], compute(Mode.HASH, data))
    frames = blake3_message(1, data, frame_bytes=2 * CHUNK)

    def flipped(frame: Frame) -> Frame:
        changed = bytearray(frame.payload)
        changed[rng.randrange(8, len(changed))] ^= 1 << rng.randrange(8)
        return Frame(frame.command, bytes(changed))

    cases = [
        ("corrupt", [flipped(frames[0])]),
        ("corrupt", [frames[0], flipped(frames[1])]),
        ("unknown_mode", blake3_message(1, b"abc", mode=4)),
        ("wrong_output", blake3_message(1, b"abc", output_bytes=0)),
        ("wrong_output", blake3_message(1, b"abc", output_bytes=65473)),
        ("wrong_length", [blake3_hash(1, 3 * CHUNK, data[: CHUNK + 1])]),
        ("wrong_length", [blake3_hash(1, 10, data[:11])]),
        ("wrong_place", [frames[0], frames[2]]),
        ("abandoned", [frames[0], frames[1]]),
    ]
    with Simulator(program, tmp_path) as simulator:
        client = simulator.connect()
        for name, sent in cases:
            # The next message begins, whatever happened to the last.
            found = answers(client, [*sent, *blake3_message(99, data)], 2)
            expected = [Blake3Reply(1, STATUS[name], b""), good]
            assert sorted(found, key=lambda reply: reply.index) == expected, name
        reply = client.ask(blake3_data(5, 0, data[:CHUNK]))
        assert reply.command == commands.reply_code("blake3_data")
        assert commands.checked(reply)[:9] == (5).to_bytes(8, "little") + bytes((5,))
        assert STATUS["no_message"] == 5


def test_resets_abandon_messages(program: Path, tmp_path: Path) -> None:
    """Sends complete and partial messages. All answers before and after the reset are correct."""
    rng = random.Random(10)
    with Simulator(program, tmp_path) as simulator:
        client = simulator.connect()
        for nonce in range(1, 9):
            stream, expected = b"", {}
            for index in range(40):
                frames, expected[index] = random_message(rng, index, 6000)
                stream += encoded(frames)
            stream += encoded([blake3_hash(50, 9 * CHUNK, bytes(range(256)) * 8)])
            before = client.until(
                stream + commands.reset_fpga(nonce).encode(STREAM_BYTES),
                commands.reset_reply(nonce))
            assert all(expected[reply.index] == reply for reply in map(Blake3Reply.of, before))
            frames, reply = random_message(rng, 77, 3000)
            assert answers(client, frames, 1) == [reply]
            (late,) = client.exchange(
                encoded([blake3_data(50, 2 * CHUNK, rng.randbytes(CHUNK))]), 1)
            assert late.command == commands.reply_code("blake3_data")


def test_long_outputs_that_are_not_taken(program: Path, tmp_path: Path) -> None:
    """Replies of 65,472 bytes, the longest, back up to the engine. None is lost."""
    longest = SPEC.limit("blake3_max_output_bytes")
    frames, expected = [], {}
    for index in range(12):
        data = cycle(100 * index)
        frames += blake3_message(index, data, output_bytes=longest)
        output = compute(Mode.HASH, data, length=96) if index % 4 else compute(
            Mode.HASH, data, length=longest)
        expected[index] = output
    with Simulator(program, tmp_path) as simulator:
        client = simulator.connect()
        client.socket.send(encoded(frames))
        replies = [Blake3Reply.of(reply) for reply in client.exchange(b"", len(expected))]
        for reply in replies:
            assert (reply.status, len(reply.output)) == (STATUS["ok"], longest)
            assert reply.output.startswith(expected[reply.index])
        assert sorted(reply.index for reply in replies) == list(expected)


@pytest.mark.parametrize("engines", ["blake3", "poseidon"])
def test_engines_by_name(program: Path, tmp_path: Path, engines: str) -> None:
    bits = {capability.name: 1 << capability.value for capability in SPEC.capabilities}
    with Simulator(program, tmp_path, "--engines", engines) as simulator:
        client = simulator.connect()
        status = StatusReply.of(client.ask(commands.get_fpga_status()))
        assert status.capabilities == bits[engines] == PARAMETERS["Engines"] & bits[engines]
        request = blake3_hash(1, 3, b"abc")
        reply = client.ask(request)
        if engines == "blake3":
            assert Blake3Reply.of(reply) == Blake3Reply(
                1, STATUS["ok"], compute(Mode.HASH, b"abc"))
        else:
            assert reply == commands.ignore_reply(8 + len(request.payload), request.command)
