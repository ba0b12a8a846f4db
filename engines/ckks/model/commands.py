# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The host's commands of the CKKS card, from engines/ckks/engine.toml: their frames, and the card's
replies to memory commands."""

import struct
import tomllib
from dataclasses import dataclass
from pathlib import Path

from arith.simulation.crc32c import crc32c

_MANIFEST = tomllib.loads((Path(__file__).resolve().parents[1] / "engine.toml").read_text("utf-8"))
_COMMANDS = {command["name"]: command for command in _MANIFEST["command"]}
_LIMITS = {name: limit["value"] for name, limit in _MANIFEST["limits"].items()}
STATUS = {value["name"]: value["value"] for value in _MANIFEST["status"][0]["values"]}
WRITE, READ, RUN = (_COMMANDS[f"ckks_{name}"] for name in ("memory_write", "memory_read", "run"))
MOST_BYTES, ALIGN, JOB_ALIGN = (_LIMITS[f"ckks_{name}_bytes"] for name in ("data", "align", "job"))


def _finished(code: int, payload: bytes) -> bytes:
    """Returns the frame of a payload, with its checksum."""
    frame = struct.pack("<II", 8 + len(payload) + 8, code) + payload
    return frame + struct.pack("<II", crc32c(frame), 0)


def write(index: int, address: int, data: bytes) -> bytes:
    return _finished(WRITE["code"], struct.pack("<QQ", index, address) + data)


def read(index: int, address: int, size: int) -> bytes:
    return _finished(READ["code"], struct.pack("<QQQ", index, address, size))


def run(index: int, job: int) -> bytes:
    return _finished(RUN["code"], struct.pack("<QQ", index, job))


@dataclass(frozen=True)
class RunReply:
    """The content of a reply to ckks_run."""

    index: int
    status: int
    fault: int
    number: int
    clocks: int


def is_run(frame: bytes) -> bool:
    return struct.unpack_from("<I", frame, 4)[0] == RUN["reply_code"]


def run_reply(frame: bytes) -> RunReply:
    """Parses a reply to ckks_run. Raises AssertionError for any other frame."""
    length, code, index, status, fault, zero, number, clocks, more = struct.unpack_from(
        "<IIQBBHIII", frame)
    assert (length, code, zero, more) == (len(frame), RUN["reply_code"], 0, 0)
    assert frame == _finished(code, frame[8:-8])
    return RunReply(index, status, fault, number, clocks)


def refused_run(frame: bytes, status: str) -> bytes:
    """Returns the reply to a rejected run."""
    return _finished(RUN["reply_code"], frame[8:16] + struct.pack("<QQ", STATUS[status], 0))


def _judged(frame: bytes, memory_bytes: int) -> str:
    """Returns the status of a frame whose command and minimum length are valid."""
    length, code, _, address = struct.unpack_from("<IIQQ", frame)
    is_write = code == WRITE["code"]
    size = length - 32 if is_write else JOB_ALIGN
    if is_write and (size % 8 or not 0 < size <= MOST_BYTES):
        return "wrong_length"
    if frame[-8:] != struct.pack("<II", crc32c(frame[:-8]), 0):
        return "corrupt"
    if code == READ["code"]:
        (size,) = struct.unpack_from("<Q", frame, 24)
        if not 0 < size <= MOST_BYTES:
            return "wrong_length"
    align = JOB_ALIGN if code == RUN["code"] else ALIGN
    if address % align or size % ALIGN:
        return "unaligned"
    return "ok" if address + size <= memory_bytes else "beyond"


def answer(frame: bytes, memory: bytearray, failing: frozenset[int] = frozenset()) -> bytes | None:
    """Executes a memory command. Returns the reply, or None for a run that is not rejected.

    `failing` are pages of 4 KiB for which the memory answers with an error.
    """
    _, code, _, address = struct.unpack_from("<IIQQ", frame)
    status, data = _judged(frame, len(memory)), b""
    if code == RUN["code"]:
        return None if status == "ok" else refused_run(frame, status)
    size = len(frame) - 32 if code == WRITE["code"] else struct.unpack_from("<Q", frame, 24)[0]
    if status == "ok":
        data = bytes(memory[address:address + size])
        if any(page in failing for page in range(address >> 12, (address + size + 4095) >> 12)):
            status = "memory_error"
    if code == WRITE["code"]:
        if status in ("ok", "memory_error"):
            for at in range(address, address + size, ALIGN):
                if at >> 12 not in failing:
                    memory[at:at + ALIGN] = frame[24 + at - address:][:ALIGN]
        data = b""
    reply = WRITE["reply_code"] if code == WRITE["code"] else READ["reply_code"]
    return _finished(reply, frame[8:16] + data + struct.pack("<Q", STATUS[status]))
