# SPDX-License-Identifier: Apache-2.0 OR MIT
"""BLAKE3 of one message, of many messages at once, and of streams.

Three modes: the plain hash; the keyed hash (`key`, 32 bytes), a message authentication code; and
    key
derivation (`context`), which derives a key from key material passed as the message. A context
string should be hardcoded, globally unique and application-specific.

Messages can be any objects with a buffer of contiguous bytes: bytes, bytearray, memoryview, mmap,
NumPy arrays (the bytes of their numbers). They are read in place, without a copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from halimede import _elements, _native
from halimede._native import Device

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["Hasher", "hash", "hash_many"]

DIGEST_BYTES = 32
BLOCK_BYTES = 64


def hash(
    data: Buffer, *, key: Buffer | None = None, context: str | None = None,
    length: int = DIGEST_BYTES, seek: int = 0, device: Device | None = None,
) -> bytes:
    """Returns the digest of a message, or any other part of its extended output.

    data: the message; a long message is hashed on all cores.
    key, context: the mode, see `halimede.blake3`; the plain hash without them.
    length, seek: the result is `length` bytes of the extended output, starting at byte `seek`.
    device: where it runs; this processor by default.

    Ctrl-C ends long work on this processor.

    >>> halimede.blake3.hash(b"abc").hex()
    '6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85'
    >>> halimede.blake3.hash(b"abc", length=8, seek=28).hex()[:8]
    'd5bd9d85'
    """
    return _native.blake3_hash(data, key, context, length, seek, device)


@overload
def hash_many(
    messages: Iterable[Buffer] | NDArray[Any], offsets: None = ..., *,
    key: Buffer | None = ..., context: str | None = ..., device: Device | None = ...,
) -> NDArray[np.uint8]: ...
@overload
def hash_many(
    messages: Buffer, offsets: Sequence[int] | NDArray[np.integer[Any]], *,
    key: Buffer | None = ..., context: str | None = ..., device: Device | None = ...,
) -> NDArray[np.uint8]: ...
def hash_many(
    messages: Any, offsets: Any = None, *, key: Buffer | None = None,
    context: str | None = None, device: Device | None = None,
) -> NDArray[np.uint8]:
    """Returns the digests of n messages of any lengths, uint8[n, 32], in the order of the messages.

    messages: a list of buffers; or an array of two axes, whose rows are messages; or, with
        `offsets`, one buffer with all messages, which is the fastest.
    offsets: n + 1 numbers, as in Arrow's binary arrays: message i is
        messages[offsets[i]:offsets[i + 1]].
    key, context: the mode of all messages, see `halimede.blake3`; the plain hash without them.
    device: where it runs; this processor by default.

    Ctrl-C ends long work between pieces.

    >>> digests = halimede.blake3.hash_many([b"", b"abc", bytearray(10**6)])
    >>> digests.shape, digests[1].tobytes() == halimede.blake3.hash(b"abc")
    ((3, 32), True)
    >>> bool((halimede.blake3.hash_many(b"..abcabc", [2, 5, 5, 8])[::2] == digests[1]).all())
    True
    """
    if offsets is not None:
        offsets = _elements.offsets(offsets)
    return _native.blake3_hash_many(messages, offsets, key, context, device)


class Hasher:
    """Incremental BLAKE3 on this processor, with the interface of hashlib's hashes.

    A hasher with a key or a context wipes its memory when it is deleted.

    >>> hasher = halimede.blake3.Hasher(b"a")
    >>> hasher.update(b"bc")
    >>> hasher.digest() == halimede.blake3.hash(b"abc")
    True
    """

    __slots__ = ("_hasher",)

    name = "blake3"
    digest_size = DIGEST_BYTES
    block_size = BLOCK_BYTES

    def __init__(
        self, data: Buffer = b"", *, key: Buffer | None = None, context: str | None = None
    ) -> None:
        """Creates a hasher that has absorbed `data`; `key` and `context` as for `hash`."""
        self._hasher = _native.Blake3Hasher(key, context)
        self._hasher.update(data)

    def update(self, data: Buffer) -> None:
        """Absorbs the next bytes; a large buffer is hashed on all cores.

        If it raises, also by Ctrl-C, it has absorbed nothing.
        """
        self._hasher.update(data)

    def digest(self, length: int = DIGEST_BYTES, *, seek: int = 0) -> bytes:
        """Returns `length` bytes of the hash of all absorbed bytes, starting at byte `seek`.

        More bytes may follow.
        """
        return self._hasher.digest(length, seek)

    def hexdigest(self, length: int = DIGEST_BYTES, *, seek: int = 0) -> str:
        """Returns `digest` in hexadecimal."""
        return self.digest(length, seek=seek).hex()

    def copy(self) -> Hasher:
        """Returns a hasher in the same state, so that a common prefix is absorbed only once."""
        copied = Hasher.__new__(Hasher)
        copied._hasher = self._hasher.copy()
        return copied

    __copy__ = copy

    def reset(self) -> None:
        """Forgets all absorbed bytes and keeps the mode."""
        self._hasher.reset()
