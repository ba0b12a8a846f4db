# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The control commands that every bench needs, and their replies. The requests of an engine are in
its model."""

from __future__ import annotations

import struct
from dataclasses import dataclass, make_dataclass
from typing import Any

from arith.simulation.crc32c import crc32c
from card.model.frames import HEADER_BYTES, IGNORE_CODE, SPEC, Frame

CHECKSUM_BYTES = 8  # the checksum and four zero bytes
FAILED_CODE = next(notice.code for notice in SPEC.notices if notice.name == "engine_failed_rpl")
MEMORY_ERROR, TIMED_OUT = 1, 2


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


def engine_failed(port: int, reason: int) -> Frame:
    return Frame(FAILED_CODE, struct.pack("<II", port, reason))


def checksummed(command: int, payload: bytes) -> Frame:
    """A frame that ends with the checksum of all bytes before it."""
    length = HEADER_BYTES + len(payload) + CHECKSUM_BYTES
    before = struct.pack("<II", length, command) + payload
    return Frame(command, payload + struct.pack("<II", crc32c(before), 0))


def checked(frame: Frame) -> bytes:
    """The payload before the checksum, which must match."""
    payload = frame.payload[:-CHECKSUM_BYTES]
    assert frame == checksummed(frame.command, payload), "the checksum does not match"
    return payload


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


def _parse_status(cls: type, frame: Frame) -> Any:
    assert frame.command == reply_code("get_fpga_status")
    return cls(*struct.unpack(_STATUS_FORMAT, checked(frame)))


_STATUS_FORMAT = "<" + "".join("Q" if f.size_bytes == 8 else "I" for f in SPEC.status_fields)
# The reply to get_fpga_status with one attribute per field: the shell's, and those of all engines.
StatusReply = make_dataclass(
    "StatusReply", [(field.name, int) for field in SPEC.status_fields], frozen=True,
    namespace={"of": classmethod(_parse_status)},
)
