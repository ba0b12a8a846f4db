# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A batch of requests for each engine with the expected replies, for benches that disturb the
engine. All have the forms with a checksum."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from card.model.frames import Frame
from engines.blake3.model.frames import blake3_message, blake3_reply
from engines.blake3.model.hashing import KEYED, Mode, compute
from engines.equihash.model.frames import equihash_checked_reply, verify_equihash_checked
from engines.equihash.rtl.tests.equihash_frames import Cases, message_of
from engines.loopback.model import echo
from engines.poseidon.model.frames import poseidon_hash, poseidon_reply
from engines.poseidon.model.parameters import stark
from engines.poseidon.model.permutation import permute
from engines.secp256k1.model.frames import verify_secp256k1_sig_checked
from engines.secp256k1.model.tests.edge_cases import random_case
from engines.secp256k1.rtl.tests.secp256k1_frames import mask_of, request, short_case

CORRUPT = 4
EQUIHASH_SETS = 0b1000  # (48, 5)


@dataclass
class Batch:
    """Frames to send, and the payloads of the replies without their checksums, by index."""

    frames: list[Frame]
    replies: dict[int, bytes]
    counts: int  # bytes of a payload that are compared: after them ECDSA reports its clocks


def harmed(frame: Frame) -> Frame:
    """The frame with a bit flipped after its index."""
    payload = bytearray(frame.payload)
    payload[-9] ^= 1
    return Frame(frame.command, bytes(payload))


def _batch(pairs: list[tuple[list[Frame], Frame]], counts: int = 1 << 16) -> Batch:
    frames = [frame for request, _ in pairs for frame in request]
    replies = {int.from_bytes(reply.payload[:8], "little"): reply.payload[:-8][:counts]
               for _, reply in pairs}
    return Batch(frames, replies, counts)


def loopback(rng: random.Random) -> Batch:
    pairs = []
    for index in range(30):
        frame = echo.request(index, rng.randbytes(8 * rng.randrange(60)))
        reply = echo.reply(frame)
        pairs.append(([Frame(echo.COMMAND, frame[8:])], Frame(echo.REPLY, reply[8:])))
    return _batch(pairs)


def poseidon(rng: random.Random) -> Batch:
    pairs = []
    for index in range(16):
        width = rng.choice((3, 9))  # only the wide instance sums products
        instance = stark(width)
        state = [rng.randrange(instance.modulus) for _ in range(width)]
        frame = poseidon_hash(index, 0x20 | width, 0, state)
        reply = permute(instance, state)
        if index % 4 == 0:
            pairs.append(([harmed(frame)], poseidon_reply(index, CORRUPT)))
        else:
            pairs.append(([frame], poseidon_reply(index, 0, reply)))
    return _batch(pairs)


def blake3(rng: random.Random) -> Batch:
    pairs = []
    for index in range(30):
        mode = rng.choice(list(Mode))
        key = rng.randbytes(32) if mode in KEYED else b""
        data = rng.randbytes(rng.choice((0, 64, 1025, rng.randrange(6_000), 5 * 1024)))
        length = rng.choice((32, rng.randrange(1, 300)))
        frames = blake3_message(index, data, key, mode, length, frame_bytes=1024)
        if index % 5 == 0:
            frames = [harmed(blake3_message(index, b"abc")[0])]
            pairs.append((frames, blake3_reply(index, CORRUPT)))
        else:
            pairs.append((frames, blake3_reply(index, 0, compute(mode, data, key, length))))
    return _batch(pairs)


def equihash(rng: random.Random) -> Batch:
    cases, pairs = Cases(rng, EQUIHASH_SETS), []
    for index in range(30):
        frame, reply = cases.next(index)
        pairs.append(([verify_equihash_checked(index, message_of(frame))],
                      equihash_checked_reply(index, reply[2] & 0xFF)))
    return _batch(pairs)


def secp256k1(rng: random.Random) -> Batch:
    pairs = []
    for index in range(8):
        case = random_case(rng) if index % 4 else short_case(rng)
        frame = verify_secp256k1_sig_checked(index, request(index, *case[1:])[16:])
        payload = index.to_bytes(8, "little") + bytes((mask_of(case), 0))
        pairs.append(([frame], Frame(0, payload + bytes(14))))
    return _batch(pairs, counts=10)


TRAFFIC: dict[str, Callable[[random.Random], Batch]] = {
    "loopback": loopback, "poseidon": poseidon, "blake3": blake3, "equihash": equihash,
    "secp256k1": secp256k1,
}
PARAMETERS: dict[str, dict[str, int]] = {
    "loopback": {},
    "poseidon": {"PoseidonCoresFr": 0, "PoseidonCoresFelt": 1, "PoseidonContexts": 4},
    "blake3": {"Blake3Chunks": 32, "Blake3Messages": 8},
    "equihash": {"EquihashSets": EQUIHASH_SETS, "EquihashShaLanes": 2, "EquihashStages": 2},
    "secp256k1": {"Secp256k1Contexts": 4},
}
