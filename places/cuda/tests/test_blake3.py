# SPDX-License-Identifier: Apache-2.0 OR MIT
"""BLAKE3's kernels against the golden model and the official vectors."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from engines.blake3.model import hashing
from engines.blake3.model.compression import INITIAL_VALUE, MESSAGE_PERMUTATION
from engines.blake3.model.hashing import CHUNK_BYTES, MODE_FLAGS, Mode
from places.cuda.tests.emulation import KERNELS, ROOT, Kernels, Uint64, Words, kernels

VECTORS = json.loads((ROOT / "engines/blake3/vectors/blake3.json").read_text(encoding="utf-8"))
ROOT_WORDS = 26
BLOCK_BYTES = 64


@dataclass(frozen=True)
class Request:
    """A message in a mode, and the wanted part of its output."""

    message: bytes
    mode: Mode = Mode.HASH
    key: bytes = b""
    offset: int = 0
    length: int = 32

    def expected(self) -> bytes:
        return hashing.compute(self.mode, self.message, self.key, self.length, self.offset)


def source() -> Kernels:
    return kernels(KERNELS / "blake3.cu")


def starts(counts: Sequence[int]) -> NDArray[np.uint64]:
    return np.concatenate(([0], np.cumsum(counts, dtype=np.uint64))).astype(np.uint64)


def joined(requests: Sequence[Request]) -> tuple[Words, NDArray[np.uint64]]:
    """The messages as whole words in memory that is aligned to 16 bytes, and their offsets."""
    data = b"".join(request.message for request in requests)
    count = -(-len(data) // 4)
    memory = np.zeros(count + 4, dtype=np.uint32)
    begin = -memory.ctypes.data % 16 // 4
    aligned = memory[begin:begin + count]
    aligned[:] = np.frombuffer(data.ljust(4 * count, b"\xee"), dtype="<u4")
    return aligned, starts([len(request.message) for request in requests])


def modes_of(requests: Sequence[Request]) -> tuple[Words, Words]:
    """The table of modes, and the number of each request's mode."""
    modes = list(dict.fromkeys((request.mode, request.key) for request in requests))
    rows = []
    for mode, key in modes:
        words = hashing.to_words(key) if key else list(INITIAL_VALUE)
        rows.append([*words, MODE_FLAGS[mode]])
    numbers = [modes.index((request.mode, request.key)) for request in requests]
    return np.array(rows, dtype=np.uint32), np.array(numbers, dtype=np.uint32)


def digests(requests: Sequence[Request]) -> list[bytes]:
    data, offsets = joined(requests)
    keys, modes = modes_of(requests)
    results = np.zeros((len(requests), 8), dtype=np.uint32)
    source().run("blake3_digests", len(requests), data, offsets, keys, modes, results,
                 len(requests))
    return [row.tobytes() for row in results]


def outputs(requests: Sequence[Request]) -> list[bytes]:
    """The outputs by trees of chunks."""
    count = len(requests)
    data, offsets = joined(requests)
    keys, modes = modes_of(requests)
    roots = np.zeros((count, ROOT_WORDS), dtype=np.uint32)
    nodes = [max(1, -(-len(request.message) // CHUNK_BYTES)) for request in requests]
    values = np.zeros((sum(nodes), 8), dtype=np.uint32)
    source().run("blake3_chunks", sum(nodes), data, offsets, starts(nodes), keys, modes, values,
                 roots, count, Uint64(sum(nodes)))
    while max(nodes) > 1:
        above = [-(-number // 2) for number in nodes]
        parents = np.zeros((sum(above), 8), dtype=np.uint32)
        source().run("blake3_parents", sum(above), values, starts(nodes), starts(above), keys,
                     modes, parents, roots, count, Uint64(sum(above)))
        nodes, values = above, parents
    firsts = [request.offset // BLOCK_BYTES for request in requests]
    blocks = [-(-(request.offset + request.length) // BLOCK_BYTES) - first
              for request, first in zip(requests, firsts)]
    results = np.zeros((sum(blocks), 16), dtype=np.uint32)
    source().run("blake3_outputs", sum(blocks), roots, starts(blocks),
                 np.array(firsts, dtype=np.uint64), results, count, Uint64(sum(blocks)))
    data_of = results.tobytes()
    begins = [int(start) * BLOCK_BYTES + request.offset % BLOCK_BYTES
              for request, start in zip(requests, starts(blocks))]
    return [data_of[begin:begin + request.length] for request, begin in zip(requests, begins)]


def test_the_schedule_is_the_permutation_repeated() -> None:
    text = (KERNELS / "hash/blake3.cuh").read_text(encoding="utf-8")
    order = list(range(16))
    for _ in range(7):
        assert "{" + ", ".join(map(str, order)) + "}" in text
        order = [order[place] for place in MESSAGE_PERMUTATION]


def test_official_vectors() -> None:
    key, context = VECTORS["key"].encode(), VECTORS["context_string"].encode()
    derived = hashing.compute(Mode.DERIVE_KEY_CONTEXT, context)
    requests, expected = [], []
    for case in VECTORS["cases"]:
        message = bytes(place % 251 for place in range(case["input_len"]))
        for mode, of_mode, name in ((Mode.HASH, b"", "hash"), (Mode.KEYED_HASH, key, "keyed_hash"),
                                    (Mode.DERIVE_KEY_MATERIAL, derived, "derive_key")):
            output = bytes.fromhex(case[name])
            requests.append(Request(message, mode, of_mode, 0, len(output)))
            expected.append(output)
    assert len(requests) == 105
    assert outputs(requests) == expected
    short = [number for number, request in enumerate(requests)
             if len(request.message) <= CHUNK_BYTES]
    assert digests([requests[number] for number in short]) == [
        expected[number][:32] for number in short]


@pytest.mark.parametrize("seed", range(2))
def test_messages_at_any_byte(seed: int) -> None:
    """All lengths around blocks and chunks, at all alignments."""
    rng = random.Random(seed)
    lengths = [0, 1, 2, 3, 4, 5, 63, 64, 65, 127, 128, 129, 1022, 1023, 1024]
    lengths += [rng.randrange(200) for _ in range(40)]
    rng.shuffle(lengths)
    keys = [rng.randbytes(32), rng.randbytes(32)]
    requests = []
    for length in lengths:
        key = rng.choice([b"", *keys])
        requests.append(Request(rng.randbytes(length), Mode.KEYED_HASH if key else Mode.HASH, key))
    expected = [request.expected() for request in requests]
    assert digests(requests) == expected
    assert outputs(requests) == expected


def test_outputs_at_any_offset() -> None:
    rng = random.Random(5)
    requests = []
    for length in (0, 100, 1025, 2048, 2049, 3072, 5000):
        for offset in (0, 1, 63, 64, 2**38 - 32, 2**38, 2**40 + 7):
            requests.append(Request(rng.randbytes(length), Mode.HASH, b"", offset,
                                    rng.randrange(1, 200)))
    assert outputs(requests) == [request.expected() for request in requests]
