# SPDX-License-Identifier: Apache-2.0 OR MIT
"""CRC-32C (Castagnoli) bit by bit: what the RTL's checksums are compared with."""

from __future__ import annotations

POLYNOMIAL = 0x82F63B78  # 0x1EDC6F41, bits reflected
ALL_ONES = 0xFFFF_FFFF


def advance(state: int, data: bytes) -> int:
    """The register after `data`; it begins as ALL_ONES and is inverted at the end."""
    for byte in data:
        state ^= byte
        for _ in range(8):
            state = state >> 1 ^ (POLYNOMIAL if state & 1 else 0)
    return state


def crc32c(data: bytes) -> int:
    """The checksum of `data`."""
    return advance(ALL_ONES, data) ^ ALL_ONES
