# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Random request streams, good and bad, for the benches of the card."""

from __future__ import annotations

import random
import struct

from card.model import commands
from card.model.frames import ALIGNMENT_BYTES, MAX_FRAME_BYTES, SPEC

# Lengths at which a rule begins or ends.
EDGE_LENGTHS = (
    *range(10),
    15,
    16,
    17,
    23,
    24,
    25,
    MAX_FRAME_BYTES - 1,
    MAX_FRAME_BYTES,
    MAX_FRAME_BYTES + 1,
    2**31,
    2**32 - 1,
)
_CODES = [c.code for c in SPEC.commands]


def random_request(rng: random.Random) -> bytes:
    """A valid frame of any command that a card may take."""
    kind = rng.randrange(6)
    if kind == 0:
        return commands.reset_fpga(rng.getrandbits(64) if rng.random() < 0.5 else None).encode()
    if kind == 1:
        return commands.get_fpga_status().encode()
    if kind == 2:
        return commands.register_read(rng.getrandbits(32)).encode()
    if kind == 3:
        return commands.register_write(rng.getrandbits(32), rng.getrandbits(32)).encode()
    elements = [rng.getrandbits(256) for _ in range(rng.randrange(13))]
    return commands.poseidon_hash(
        rng.getrandbits(64), rng.getrandbits(8), rng.randrange(3), elements
    ).encode()


def mutated(frame: bytes, rng: random.Random) -> bytes:
    """The frame with a bit flipped, a byte dropped or put in, its length changed, or cut short."""
    data = bytearray(frame)
    kind = rng.randrange(5)
    if kind == 0:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif kind == 1:
        del data[rng.randrange(len(data))]
    elif kind == 2:
        data.insert(rng.randrange(len(data)), rng.getrandbits(8))
    elif kind == 3:
        length = struct.unpack_from("<I", data)[0]
        near = max(0, length + rng.choice((-9, -8, -1, 1, 8, 9)))
        struct.pack_into("<I", data, 0, near)
    else:
        del data[rng.randrange(len(data)) :]
    return bytes(data) + bytes(-len(data) % ALIGNMENT_BYTES)


def edge(rng: random.Random) -> bytes:
    """A header with a length at an edge, a known or unknown command, and a few beats behind it."""
    command = rng.choice([*_CODES, rng.getrandbits(32)])
    length = rng.choice(EDGE_LENGTHS[:16] if rng.random() < 0.9 else EDGE_LENGTHS)
    return struct.pack("<II", length, command) + rng.randbytes(8 * rng.randrange(4))


def garbage(rng: random.Random) -> bytes:
    return rng.randbytes(8 * rng.randrange(1, 6))


def random_stream(rng: random.Random, frames: int) -> bytes:
    """A stream of that many pieces, half of them valid frames."""
    pieces = []
    for _ in range(frames):
        kind = rng.randrange(8)
        if kind < 4:
            pieces.append(random_request(rng))
        elif kind < 6:
            pieces.append(mutated(random_request(rng), rng))
        else:
            pieces.append((edge if kind == 6 else garbage)(rng))
    return b"".join(pieces)
