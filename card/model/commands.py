# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The requests that every bench needs, and what the replies say."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from arith.simulation.crc32c import crc32c
from card.model.frames import ELEMENT_BYTES, HEADER_BYTES, IGNORE_CODE, SPEC, Frame

CHECKSUM_BYTES = 8  # the checksum and four zero bytes
BLAKE3_FRAME_DATA_BYTES = SPEC.limit("blake3_frame_data_bytes")


def _request(name: str, payload: bytes = b"") -> Frame:
    return Frame(SPEC.command(name).code, payload)


def reply_code(name: str) -> int:
    """The command word of a command's reply."""
    return SPEC.command(name).reply_code


def reset_fpga(nonce: int | None = None) -> Frame:
    return _request("reset_fpga", b"" if nonce is None else struct.pack("<Q", nonce))


def reset_reply(nonce: int = 0) -> Frame:
    return Frame(reply_code("reset_fpga"), struct.pack("<Q", nonce))


def get_fpga_status() -> Frame:
    return _request("get_fpga_status")


def register_read(address: int) -> Frame:
    return _request("register_read", struct.pack("<II", address, 0))


def register_write(address: int, value: int) -> Frame:
    return _request("register_write", struct.pack("<II", address, value))


def ignore_reply(length: int, command: int) -> Frame:
    return Frame(IGNORE_CODE, struct.pack("<II", length, command))


def checksummed(command: int, payload: bytes) -> Frame:
    """A frame that ends in the checksum of all before it."""
    length = HEADER_BYTES + len(payload) + CHECKSUM_BYTES
    before = struct.pack("<II", length, command) + payload
    return Frame(command, payload + struct.pack("<II", crc32c(before), 0))


def checked(frame: Frame) -> bytes:
    """The payload before the checksum, which must fit."""
    payload = frame.payload[:-CHECKSUM_BYTES]
    assert frame == checksummed(frame.command, payload), "the checksum does not fit"
    return payload


def poseidon_hash(index: int, instance: int, outputs: int, elements: Sequence[int]) -> Frame:
    head = struct.pack("<QBB6x", index, instance, outputs)
    return checksummed(
        SPEC.command("poseidon_hash").code,
        head + b"".join(e.to_bytes(ELEMENT_BYTES, "little") for e in elements),
    )


def poseidon_reply(index: int, status: int, elements: Sequence[int] = ()) -> Frame:
    head = struct.pack("<QB7x", index, status)
    return checksummed(
        reply_code("poseidon_hash"),
        head + b"".join(e.to_bytes(ELEMENT_BYTES, "little") for e in elements),
    )


def blake3_hash(
    index: int, length: int, key_and_data: bytes, mode: int = 0, output_bytes: int = 32,
    first_output_block: int = 0,
) -> Frame:
    """The first frame of a message of `length` bytes."""
    head = struct.pack("<QQBxHI", index, length, mode, output_bytes, first_output_block)
    return checksummed(SPEC.command("blake3_hash").code, head + key_and_data)


def blake3_data(index: int, offset: int, data: bytes) -> Frame:
    """More of the message."""
    head = struct.pack("<QQ8x", index, offset)
    return checksummed(SPEC.command("blake3_data").code, head + data)


def blake3_message(
    index: int, message: bytes, key: bytes = b"", mode: int = 0, output_bytes: int = 32,
    first_output_block: int = 0, frame_bytes: int = BLAKE3_FRAME_DATA_BYTES,
) -> list[Frame]:
    """All frames of a message, `frame_bytes` (whole chunks) of it in each but the last."""
    parts = [message[at : at + frame_bytes] for at in range(0, len(message), frame_bytes)] or [b""]
    first = blake3_hash(
        index, len(message), key + parts[0], mode, output_bytes, first_output_block
    )
    return [first, *(blake3_data(index, (i + 1) * frame_bytes, part)
                     for i, part in enumerate(parts[1:]))]


def blake3_reply(index: int, status: int, output: bytes = b"") -> Frame:
    return checksummed(reply_code("blake3_hash"), struct.pack("<QB7x", index, status) + output)


def verify_equihash(index: int, header_and_solution: bytes) -> Frame:
    """A block header as it is hashed: with its solution, and the length before that."""
    code = SPEC.command("verify_equihash").code
    return Frame(code, struct.pack("<Q", index) + header_and_solution)


def equihash_reply(index: int, mask: int) -> Frame:
    return Frame(reply_code("verify_equihash"), struct.pack("<QB7x", index, mask))


def verify_equihash_checked(index: int, header_and_solution: bytes) -> Frame:
    """The same with a checksum."""
    code = SPEC.command("verify_equihash_checked").code
    return checksummed(code, struct.pack("<Q", index) + header_and_solution)


def equihash_checked_reply(index: int, mask: int, status: int = 0) -> Frame:
    """The mask is 0 unless the status is ok (0)."""
    code = reply_code("verify_equihash_checked")
    return checksummed(code, struct.pack("<QBB6x", index, mask if status == 0 else 0, status))


def verify_secp256k1_sig(index: int, numbers: bytes) -> Frame:
    """s, r, digest, x and y, 32 bytes each."""
    code = SPEC.command("verify_secp256k1_sig").code
    return Frame(code, struct.pack("<Q", index) + numbers)


def verify_secp256k1_sig_checked(index: int, numbers: bytes) -> Frame:
    """The same with a checksum."""
    code = SPEC.command("verify_secp256k1_sig_checked").code
    return checksummed(code, struct.pack("<Q", index) + numbers)


@dataclass(frozen=True)
class SignatureReply:
    """The reply to either form; `status` is None in the form without a status."""

    index: int
    mask: int
    status: int | None
    cycles: int

    @classmethod
    def of(cls, frame: Frame) -> SignatureReply:
        has_checksum = frame.command == reply_code("verify_secp256k1_sig_checked")
        assert has_checksum or frame.command == reply_code("verify_secp256k1_sig")
        payload = checked(frame) if has_checksum else frame.payload
        index, mask, status, cycles, zero = struct.unpack("<QBBHI", payload)
        assert zero == 0 and (has_checksum or status == 0)
        return cls(index, mask, status if has_checksum else None, cycles)


@dataclass(frozen=True)
class RegisterReply:
    address: int
    status: int
    value: int

    @classmethod
    def of(cls, frame: Frame) -> RegisterReply:
        address, status, value, zero = struct.unpack("<IIII", frame.payload)
        assert zero == 0
        return cls(address, status, value)


@dataclass(frozen=True)
class StatusReply:
    version: int
    build_id: int
    capabilities: int
    max_frame_bytes: int
    clocks: int
    multiplier_busy: int
    frames_ignored: int
    poseidon_instances: int
    poseidon_starved_fr: int
    poseidon_starved_felt: int
    replies_stalled: int
    blake3_blocks: int
    blake3_starved: int
    stream_bytes: int
    equihash_sets: int

    @classmethod
    def of(cls, frame: Frame) -> StatusReply:
        assert frame.command == reply_code("get_fpga_status")
        return cls(*struct.unpack("<IIIIQQIIQQQQQII", checked(frame)))


@dataclass(frozen=True)
class PoseidonReply:
    index: int
    status: int
    elements: tuple[int, ...]

    @classmethod
    def of(cls, frame: Frame) -> PoseidonReply:
        assert frame.command == reply_code("poseidon_hash")
        payload = checked(frame)
        index, status = struct.unpack_from("<QB7x", payload)
        body = payload[16:]
        assert len(body) % ELEMENT_BYTES == 0, f"{HEADER_BYTES + len(frame.payload)} bytes"
        elements = tuple(
            int.from_bytes(body[i : i + ELEMENT_BYTES], "little")
            for i in range(0, len(body), ELEMENT_BYTES)
        )
        return cls(index, status, elements)


@dataclass(frozen=True)
class Blake3Reply:
    index: int
    status: int
    output: bytes

    @classmethod
    def of(cls, frame: Frame) -> Blake3Reply:
        assert frame.command == reply_code("blake3_hash")
        payload = checked(frame)
        index, status, zeros = struct.unpack_from("<QB7s", payload)
        assert not any(zeros)
        return cls(index, status, payload[16:])
