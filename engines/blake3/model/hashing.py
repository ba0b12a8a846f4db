# SPDX-License-Identifier: Apache-2.0 OR MIT
"""BLAKE3 in all modes, with extended output, written from the paper (sections 2.3 to 2.6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from engines.blake3.model.compression import BLOCK_BYTES, INITIAL_VALUE, compress

CHUNK_BYTES = 1024
KEY_BYTES = 32
CHUNK_START, CHUNK_END, PARENT, ROOT = 1, 2, 4, 8


class Mode(IntEnum):
    """The mode; the numbers are those of the card's `blake3_hash` command."""

    HASH = 0
    KEYED_HASH = 1
    DERIVE_KEY_CONTEXT = 2
    DERIVE_KEY_MATERIAL = 3


MODE_FLAGS = {
    Mode.HASH: 0, Mode.KEYED_HASH: 16, Mode.DERIVE_KEY_CONTEXT: 32, Mode.DERIVE_KEY_MATERIAL: 64,
}
KEYED = (Mode.KEYED_HASH, Mode.DERIVE_KEY_MATERIAL)


class InputError(ValueError):
    """An input that is not a valid argument of the called function."""


def to_words(data: bytes) -> list[int]:
    return [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)]


def to_bytes(words: Sequence[int]) -> bytes:
    return b"".join(word.to_bytes(4, "little") for word in words)


@dataclass(frozen=True)
class Node:
    """The last compression of a chunk or a parent: all inputs, so that a root can be repeated."""

    value: tuple[int, ...]
    block: bytes
    block_bytes: int
    counter: int
    flags: int

    def chaining_value(self) -> list[int]:
        return compress(self.value, self.block, self.counter, self.block_bytes, self.flags)[:8]

    def output(self, offset: int, length: int) -> bytes:
        """`length` bytes of the root's extended output from byte `offset` on."""
        first = offset // BLOCK_BYTES
        last = -(-(offset + length) // BLOCK_BYTES)
        blocks = b"".join(
            to_bytes(compress(self.value, self.block, number, self.block_bytes, self.flags | ROOT))
            for number in range(first, last)
        )
        return blocks[offset - first * BLOCK_BYTES:][:length]


def chunk_node(key: Sequence[int], data: bytes, number: int, flags: int) -> Node:
    """The chunk `number` of a message: at most 1,024 bytes, in consecutive blocks."""
    assert len(data) <= CHUNK_BYTES
    blocks = [data[i:i + BLOCK_BYTES] for i in range(0, len(data), BLOCK_BYTES)] or [b""]
    value, flags_here = list(key), flags | CHUNK_START
    for block in blocks[:-1]:
        value = compress(value, block, number, BLOCK_BYTES, flags_here)[:8]
        flags_here = flags
    last = blocks[-1]
    padded = last + bytes(BLOCK_BYTES - len(last))
    return Node(tuple(value), padded, len(last), number, flags_here | CHUNK_END)


def parent_node(key: Sequence[int], left: Node, right: Node, flags: int) -> Node:
    children = to_bytes(left.chaining_value() + right.chaining_value())
    return Node(tuple(key), children, BLOCK_BYTES, 0, flags | PARENT)


def _tree(key: Sequence[int], data: bytes, first_chunk: int, flags: int) -> Node:
    """The left subtree has the largest power of two of chunks that leaves one for the right one."""
    chunks = max(1, -(-len(data) // CHUNK_BYTES))
    if chunks == 1:
        return chunk_node(key, data, first_chunk, flags)
    left = 1 << (chunks - 1).bit_length() - 1
    return parent_node(
        key,
        _tree(key, data[:left * CHUNK_BYTES], first_chunk, flags),
        _tree(key, data[left * CHUNK_BYTES:], first_chunk + left, flags),
        flags,
    )


def root(mode: Mode, data: bytes, key: bytes = b"") -> Node:
    """The root of a message's tree; `key` has 32 bytes in the modes of KEYED, else it is empty."""
    if len(key) != (KEY_BYTES if mode in KEYED else 0):
        raise InputError(f"a key of {len(key)} bytes is not valid in mode {mode.name}")
    words = to_words(key) if mode in KEYED else INITIAL_VALUE
    return _tree(words, data, 0, MODE_FLAGS[mode])


def compute(
    mode: Mode, data: bytes, key: bytes = b"", length: int = 32, offset: int = 0
) -> bytes:
    """One of the card's modes: `length` bytes of output from byte `offset` on."""
    return root(mode, data, key).output(offset, length)


def blake3(data: bytes, length: int = 32, offset: int = 0) -> bytes:
    return compute(Mode.HASH, data, length=length, offset=offset)


def keyed_hash(key: bytes, data: bytes, length: int = 32, offset: int = 0) -> bytes:
    return compute(Mode.KEYED_HASH, data, key, length, offset)


def derive_key(context: str, material: bytes, length: int = 32, offset: int = 0) -> bytes:
    """Hashes two messages: the hash of the context is the key for hashing the material."""
    key = compute(Mode.DERIVE_KEY_CONTEXT, context.encode())
    return compute(Mode.DERIVE_KEY_MATERIAL, material, key, length, offset)
