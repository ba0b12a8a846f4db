# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The reference decoder obeys the frame rules, on chosen and on random streams."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from card.model.commands import register_read, reset_fpga
from card.model.frames import (
    MAX_FRAME_BYTES,
    Frame,
    FrameError,
    Ignored,
    Taken,
    beats_of,
    decode,
    split,
)
from engines.poseidon.model.frames import poseidon_hash

ENGINES = {"poseidon"}


def header(length: int, command: int) -> bytes:
    return struct.pack("<II", length, command)


def test_frames_follow_each_other_at_multiples_of_eight():
    frames = [
        reset_fpga(),
        reset_fpga(0x0123456789ABCDEF),
        register_read(4),
        poseidon_hash(7, 0x03, 1, [1, 2, 3]),
    ]
    stream = b"".join(f.encode() for f in frames)
    events, missing = decode(stream, ENGINES)
    assert missing == 0
    assert events == [
        Taken("control" if i < 3 else "poseidon", tuple(beats_of(f.encode())))
        for i, f in enumerate(frames)
    ]


@pytest.mark.parametrize(
    "length, step",
    [
        (1, 8),
        (7, 8),
        (MAX_FRAME_BYTES + 1, 8),
        (2**32 - 1, 8),
        (8, 8),
        (9, 16),
        (16, 16),
        (17, 24),
        (MAX_FRAME_BYTES, MAX_FRAME_BYTES),
    ],
)
def test_an_ignored_frame_ends_where_its_length_says(length, step):
    stream = header(length, 0xDEAD) + bytes(step - 8) + reset_fpga().encode()
    events, missing = decode(stream, ENGINES)
    assert missing == 0 and events[0] == Ignored(0xDEAD << 32 | length)
    assert len(events) == 2 and isinstance(events[1], Taken)


def test_zero_length_is_an_idle_beat():
    assert decode(header(0, 5) * 3, ENGINES) == ([], 0)


@pytest.mark.parametrize("length", [9, 12, 15, 17, 24])
def test_a_fixed_size_command_must_fit(length):
    assert isinstance(decode(header(length, 0) + bytes(64), ENGINES)[0][0], Ignored)


def test_an_absent_engine_ignores():
    stream = poseidon_hash(7, 0x03, 1, [1, 2, 3]).encode()
    assert decode(stream, set()) == ([Ignored(beats_of(stream)[0])], 0)


@given(st.binary(max_size=400), st.integers(0, 7))
def test_garbage_never_swallows_more_than_a_frame(garbage, cut):
    """Resynchronization: after one frame's worth of zeros, every frame is recognized."""
    garbage = garbage[: len(garbage) // 8 * 8]
    events, missing = decode(garbage + bytes(MAX_FRAME_BYTES) + reset_fpga(99).encode(), ENGINES)
    assert missing == 0
    assert events[-1] == Taken("control", tuple(beats_of(reset_fpga(99).encode())))


@given(st.lists(st.tuples(st.integers(0, 2**32 - 1), st.binary(max_size=100))))
def test_split_undoes_encode(content):
    frames = [Frame(command, payload) for command, payload in content]
    stream = b"".join(f.encode() for f in frames)
    assert split(stream) == (frames, b"")
    if stream:
        whole, rest = split(stream[:-1])
        assert whole == frames[:-1] and rest


def test_split_names_the_byte():
    good = reset_fpga(1).encode()
    with pytest.raises(FrameError, match="length 7 at byte 16"):
        split(good + header(7, 0))
    with pytest.raises(FrameError, match="padding is not zero at byte 25"):
        split(good + header(9, 0) + b"\0\0" + b"\1" + bytes(5))
