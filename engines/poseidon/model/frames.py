# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Poseidon's request frames, as benches send them to a card, and the replies."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from card.model.commands import checked, checksummed, reply_code
from card.model.frames import ELEMENT_BYTES, HEADER_BYTES, SPEC, Frame


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
