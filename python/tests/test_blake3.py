# SPDX-License-Identifier: Apache-2.0 OR MIT
"""BLAKE3: published vectors, and agreement of batches, streams and kinds of buffers."""

import array
import hashlib
import json
import mmap
import random
from pathlib import Path
from typing import Any

import halimede
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
VECTORS = json.loads((ROOT / "engines/blake3/vectors/blake3.json").read_text(encoding="utf-8"))
CYCLE = bytes(range(251)) * 500
MODES: dict[str, dict[str, Any]] = {
    "hash": {},
    "keyed_hash": {"key": VECTORS["key"].encode()},
    "derive_key": {"context": VECTORS["context_string"]},
}


def messages(count: int, longest: int, seed: int) -> list[bytes]:
    generator = random.Random(seed)
    return [generator.randbytes(generator.randint(0, longest)) for _ in range(count)]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: case["input_len"])
def test_published_vectors(case: dict[str, Any], mode: str) -> None:
    data, expected = CYCLE[:case["input_len"]], bytes.fromhex(case[mode])
    assert len(data) == case["input_len"] and len(expected) == 131
    assert halimede.blake3.hash(data, **MODES[mode]) == expected[:32]
    assert halimede.blake3.hash(data, **MODES[mode], length=131) == expected
    for seek in (0, 1, 32, 63, 64, 65, 130, 131):
        cut = halimede.blake3.hash(data, **MODES[mode], length=131 - seek, seek=seek)
        assert cut == expected[seek:]
    hasher = halimede.blake3.Hasher(data[:700], **MODES[mode])
    hasher.update(data[700:])
    assert hasher.digest() == expected[:32] and hasher.hexdigest(131) == case[mode]
    assert hasher.digest(60, seek=71) == expected[71:]


@pytest.mark.parametrize("mode", MODES)
def test_published_vectors_as_a_batch(mode: str) -> None:
    lengths = [case["input_len"] for case in VECTORS["cases"]]
    expected = b"".join(bytes.fromhex(case[mode])[:32] for case in VECTORS["cases"])
    batch = [CYCLE[:length] for length in lengths]
    digests = halimede.blake3.hash_many(batch, **MODES[mode])
    assert digests.shape == (len(lengths), 32) and digests.dtype == np.uint8
    assert digests.tobytes() == expected
    ends = np.cumsum([0, *lengths])
    for offsets in (ends, ends.tolist(), ends.astype(np.int32), ends.astype(np.uint64)):
        digests = halimede.blake3.hash_many(b"".join(batch), offsets, **MODES[mode])
        assert digests.tobytes() == expected


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("count, longest", [(0, 0), (1, 0), (17, 9000), (3000, 300), (40, 200_000)])
def test_batches_are_their_messages_one_by_one(count: int, longest: int, mode: str) -> None:
    batch = messages(count, longest, count)
    expected = b"".join(halimede.blake3.hash(message, **MODES[mode]) for message in batch)
    assert halimede.blake3.hash_many(batch, **MODES[mode]).tobytes() == expected
    assert halimede.blake3.hash_many(iter(batch), **MODES[mode]).tobytes() == expected
    kinds: list[Any] = [bytes, bytearray, memoryview, lambda data: np.frombuffer(data, np.uint8)]
    mixed = [kinds[number % 4](message) for number, message in enumerate(batch)]
    assert halimede.blake3.hash_many(tuple(mixed), **MODES[mode]).tobytes() == expected
    # A gap before the first message and one after the last.
    data = b"gap" + b"".join(batch) + b"gap"
    offsets = np.cumsum([3, *map(len, batch)])
    assert halimede.blake3.hash_many(data, offsets, **MODES[mode]).tobytes() == expected


def test_rows_of_arrays_are_messages() -> None:
    generator = np.random.default_rng(1)
    for shape, kind in (((9, 100), np.uint8), ((5, 7), np.float64), ((3, 0), np.uint8)):
        table = generator.integers(0, 256, shape).astype(kind)
        expected = halimede.blake3.hash_many([row.tobytes() for row in table])
        assert np.array_equal(halimede.blake3.hash_many(table), expected)
    assert halimede.blake3.hash_many(np.empty((0, 8), np.uint8)).shape == (0, 32)


def test_batches_of_several_pieces() -> None:
    # More messages and more bytes than one piece.
    data = np.random.default_rng(2).integers(0, 256, 300_000 * 9, np.uint8)
    digests = halimede.blake3.hash_many(data.reshape(300_000, 9))
    for row in (0, 1, 262_143, 262_144, 299_999):
        assert digests[row].tobytes() == halimede.blake3.hash(data[9 * row:9 * row + 9])
    long = np.tile(data, 26)
    offsets = [0, 20_000_000, 50_000_000, 50_000_001, 70_000_000]
    digests = halimede.blake3.hash_many(long, offsets)
    for number, (start, end) in enumerate(zip(offsets, offsets[1:])):
        assert digests[number].tobytes() == halimede.blake3.hash(long[start:end])


def test_streams_however_they_are_cut() -> None:
    generator = random.Random(3)
    for mode, how in MODES.items():
        data = generator.randbytes(3_000_000)
        hasher = halimede.blake3.Hasher(**how)
        done = 0
        while done < len(data):
            end = done + generator.choice([0, 1, 64, 1000, 1024, 70_000, 1_500_000])
            branch = hasher.copy()
            hasher.update(data[done:end])
            assert branch.digest() == halimede.blake3.hash(data[:done], **how), mode
            done = min(end, len(data))
        assert hasher.digest(100) == halimede.blake3.hash(data, **how, length=100)
        hasher.reset()
        assert hasher.digest() == halimede.blake3.hash(b"", **how)


def test_long_outputs_are_one_output() -> None:
    length = (1 << 25) + 1000
    output = halimede.blake3.hash(b"seed", length=length)
    assert len(output) == length
    assert output[-2000:] == halimede.blake3.hash(b"seed", length=2000, seek=length - 2000)
    assert halimede.blake3.Hasher(b"seed").digest(length) == output
    last = (1 << 64) - 1
    assert len(halimede.blake3.hash(b"seed", length=9, seek=last - 9)) == 9
    assert halimede.blake3.hash(b"seed", length=0, seek=last) == b""


def test_kinds_of_buffers(tmp_path: Path) -> None:
    data = random.Random(4).randbytes(8000)
    expected = halimede.blake3.hash(data)
    path = tmp_path / "data"
    path.write_bytes(data)
    read_only = np.frombuffer(data, np.uint64).reshape(10, 100)
    buffers: list[Any] = [
        bytearray(data), memoryview(b"x" + data + b"y")[1:-1], array.array("d", data), read_only,
        read_only.copy(), np.memmap(path, np.uint16, "r"), memoryview(data).cast("b", [80, 100]),
    ]
    for buffer in buffers:
        assert halimede.blake3.hash(buffer) == expected
        assert halimede.blake3.Hasher(buffer).digest() == expected
        assert halimede.blake3.hash_many([buffer])[0].tobytes() == expected
        assert halimede.blake3.hash_many(buffer, [0, 8000])[0].tobytes() == expected
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert halimede.blake3.hash(mapped) == expected
    keys: list[Any] = [bytearray(data[:32]), np.frombuffer(data[:32], np.uint32)]
    for key in keys:
        keyed = halimede.blake3.hash(data, key=key)
        assert keyed == halimede.blake3.Hasher(data, key=data[:32]).digest() != expected


def test_a_buffer_is_let_go() -> None:
    data = bytearray(random.Random(5).randbytes(100))
    halimede.blake3.hash(data)
    halimede.blake3.hash_many([data, data])
    halimede.blake3.Hasher(data).update(data)
    with pytest.raises(ValueError):
        halimede.blake3.hash(data, key=data)
    # A buffer that is still held cannot be resized.
    data.append(1)


def test_the_interface_of_hashlib(tmp_path: Path) -> None:
    hasher = halimede.blake3.Hasher()
    assert (hasher.name, hasher.digest_size, hasher.block_size) == ("blake3", 32, 64)
    path = tmp_path / "data"
    path.write_bytes(CYCLE)
    file_digest = getattr(hashlib, "file_digest", None)
    if file_digest is None:
        pytest.skip("this Python has no hashlib.file_digest")
    with path.open("rb") as file:
        assert file_digest(file, halimede.blake3.Hasher).digest() == halimede.blake3.hash(CYCLE)


def test_modes_differ() -> None:
    data, key = b"data", bytes(range(32))
    found = {
        halimede.blake3.hash(data), halimede.blake3.hash(data, key=key),
        halimede.blake3.hash(data, key=key[::-1]), halimede.blake3.hash(data, context=""),
        halimede.blake3.hash(data, context="another"), halimede.blake3.hash(data + b"\0"),
    }
    assert len(found) == 6
