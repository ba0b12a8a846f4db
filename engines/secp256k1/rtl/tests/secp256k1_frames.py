# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Frames of verify_secp256k1_sig and verify_secp256k1_sig_checked for the benches: requests, their
defects, and the expected replies."""

import random
import struct

from arith.simulation.crc32c import crc32c
from card.model.frames import bytes_of
from engines.secp256k1.model import ecdsa
from engines.secp256k1.model.curve import N, P, Affine
from engines.secp256k1.model.ecdsa import Signature
from engines.secp256k1.model.tests.edge_cases import Case, random_case

VERIFY, REPLY, IGNORE = 0x101, 0x8000_0101, 0x8000_0002
VERIFY_CHECKED, REPLY_CHECKED = 0x103, 0x8000_0103
CORRUPT = 4
CHECKSUM_BYTES = 8


def request(index: int, signature: Signature, key: Affine, is_checked: bool = False) -> bytes:
    """Returns a whole frame."""
    numbers = (signature.s, signature.r, signature.digest, *key)
    payload = struct.pack("<Q", index) + b"".join(n.to_bytes(32, "little") for n in numbers)
    if not is_checked:
        return struct.pack("<II", 8 + len(payload), VERIFY) + payload
    before = struct.pack("<II", 8 + len(payload) + CHECKSUM_BYTES, VERIFY_CHECKED) + payload
    return before + struct.pack("<II", crc32c(before), 0)


def corrupt(index: int) -> list[int]:
    """Returns the beats of the reply to a frame whose checksum does not match."""
    beats = [REPLY_CHECKED << 32 | 32, index, CORRUPT << 8]
    return [*beats, checksum(beats)]


def checksum(beats: list[int]) -> int:
    """Returns the CRC-32C of these beats."""
    return crc32c(bytes_of(beats))


def of_length(rng: random.Random, frame: bytes) -> bytes:
    """Returns the frame shortened or extended, with its new length in the header, which is a wrong
    one."""
    change = rng.choice((-8, -1, 1, 8, 64, rng.randrange(-160, -8), rng.randrange(9, 700)))
    frame = (frame + rng.randbytes(1000))[:len(frame) + change]
    return struct.pack("<I", len(frame)) + frame[4:]


def refusal(frame: bytes) -> list[int]:
    """Returns the beats of an ignore reply to a frame."""
    return [IGNORE << 32 | 16, int.from_bytes(frame[:8], "little")]


def short_case(rng: random.Random) -> Case:
    """Returns a check that ends early: an invalid coordinate, or r or s out of range."""
    name, signature, (x, y) = random_case(rng)
    large, r, s, digest = rng.randrange(P, 1 << 256), signature.r, signature.s, signature.digest
    bad = rng.choice((0, rng.randrange(N, 1 << 256)))
    match rng.randrange(4):
        case 0:
            return f"{name}, x not below p", signature, (large, y)
        case 1:
            return f"{name}, y not below p", signature, (x, large)
        case 2:
            return f"{name}, r out of range", Signature(bad, s, digest), (x, y)
        case _:
            return f"{name}, s out of range", Signature(r, bad, digest), (x, y ^ rng.randrange(2))


def mask_of(case: Case) -> int:
    _, signature, key = case
    return ecdsa.verify(signature, key)
