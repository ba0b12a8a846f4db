# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Equihash's request frames, as benches send them to a card, and the replies."""

import struct

from card.model.commands import checksummed, reply_code
from card.model.frames import SPEC, Frame


def verify_equihash(index: int, header_and_solution: bytes) -> Frame:
    """A block header in the format that is hashed: followed by the solution's length and the
    solution."""
    code = SPEC.command("verify_equihash").code
    return Frame(code, struct.pack("<Q", index) + header_and_solution)


def equihash_reply(index: int, mask: int) -> Frame:
    return Frame(reply_code("verify_equihash"), struct.pack("<QB7x", index, mask))


def verify_equihash_checked(index: int, header_and_solution: bytes) -> Frame:
    """The request with a checksum."""
    code = SPEC.command("verify_equihash_checked").code
    return checksummed(code, struct.pack("<Q", index) + header_and_solution)


def equihash_checked_reply(index: int, mask: int, status: int = 0) -> Frame:
    """The mask is 0 unless the status is ok (0)."""
    code = reply_code("verify_equihash_checked")
    return checksummed(code, struct.pack("<QBB6x", index, mask if status == 0 else 0, status))
