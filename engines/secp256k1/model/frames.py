# SPDX-License-Identifier: Apache-2.0 OR MIT
"""ECDSA's requests to a card, as benches send them, and the replies."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from card.model.commands import checked, checksummed, reply_code
from card.model.frames import SPEC, Frame


def verify_secp256k1_sig(index: int, numbers: bytes) -> Frame:
    """Returns a request with s, r, digest, x and y, 32 bytes each."""
    code = SPEC.command("verify_secp256k1_sig").code
    return Frame(code, struct.pack("<Q", index) + numbers)


def verify_secp256k1_sig_checked(index: int, numbers: bytes) -> Frame:
    """Returns the same request with a checksum."""
    code = SPEC.command("verify_secp256k1_sig_checked").code
    return checksummed(code, struct.pack("<Q", index) + numbers)


@dataclass(frozen=True)
class SignatureReply:
    """A reply to either form; `status` is `None` for the form without a status."""

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
