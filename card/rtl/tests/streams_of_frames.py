# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Random request streams, good and bad, for the benches of the card."""

import random
import struct

from card.model import commands
from card.model.frames import HEADER_BYTES, MAX_FRAME_BYTES, SPEC, Frame
from engines.poseidon.model.frames import poseidon_hash

# Lengths at which a rule begins or ends.
EDGE_LENGTHS = (
    *range(10),
    15,
    16,
    17,
    23,
    24,
    25,
    *(63, 64, 65, 127, 128, 129),
    MAX_FRAME_BYTES - 1,
    MAX_FRAME_BYTES,
    MAX_FRAME_BYTES + 1,
    2**31,
    2**32 - 1,
)
_CODES = [c.code for c in SPEC.commands]


def random_request(rng: random.Random) -> Frame:
    """A valid frame of any command of the card."""
    kind = rng.randrange(6)
    if kind == 0:
        return commands.reset_fpga(rng.getrandbits(64) if rng.random() < 0.5 else None)
    if kind == 1:
        return commands.get_fpga_status()
    if kind == 2:
        return commands.register_read(rng.getrandbits(32))
    if kind == 3:
        return commands.register_write(rng.getrandbits(32), rng.getrandbits(32))
    elements = [rng.getrandbits(256) for _ in range(rng.randrange(13))]
    return poseidon_hash(
        rng.getrandbits(64), rng.getrandbits(8), rng.randrange(3), elements
    )


def mutated(frame: bytes, rng: random.Random, stream_bytes: int) -> bytes:
    """The frame with a bit flipped, a byte dropped or inserted, its length changed, or cut off."""
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
    return bytes(data) + bytes(-len(data) % stream_bytes)


def edge(rng: random.Random, stream_bytes: int) -> bytes:
    """A header with a length at an edge and a known or unknown command, followed by a few beats."""
    command = rng.choice([*_CODES, rng.getrandbits(32)])
    length = rng.choice(EDGE_LENGTHS[:22] if rng.random() < 0.9 else EDGE_LENGTHS)
    behind = rng.randbytes(stream_bytes * rng.randrange(1, 5) - HEADER_BYTES)
    return struct.pack("<II", length, command) + behind


def garbage(rng: random.Random, stream_bytes: int) -> bytes:
    return rng.randbytes(stream_bytes * rng.randrange(1, 6))


def random_stream(rng: random.Random, frames: int, stream_bytes: int) -> bytes:
    """A stream of this number of pieces in whole beats, half of them valid frames. The padding of
    frames is not always zero."""
    pieces = []
    for _ in range(frames):
        kind = rng.randrange(8)
        if kind < 6:
            frame = random_request(rng)
            length = HEADER_BYTES + len(frame.payload)
            data = frame.encode(stream_bytes)[:length] + rng.randbytes(-length % stream_bytes)
            pieces.append(data if kind < 4 else mutated(data, rng, stream_bytes))
        else:
            pieces.append((edge if kind == 6 else garbage)(rng, stream_bytes))
    return b"".join(pieces)
