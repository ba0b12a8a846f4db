# SPDX-License-Identifier: Apache-2.0 OR MIT
"""CRC-32C (Castagnoli) byte by byte, as the reference for the RTL's checksums."""

POLYNOMIAL = 0x82F63B78  # 0x1EDC6F41, bits reflected
ALL_ONES = 0xFFFF_FFFF


def _after(byte: int) -> int:
    """The register after eight more bits, if it was this byte."""
    for _ in range(8):
        byte = byte >> 1 ^ (POLYNOMIAL if byte & 1 else 0)
    return byte


_AFTER = [_after(byte) for byte in range(256)]


def advance(state: int, data: bytes) -> int:
    """The register after `data`. It starts as ALL_ONES and is inverted at the end."""
    for byte in data:
        state = state >> 8 ^ _AFTER[(state ^ byte) & 0xFF]
    return state


def crc32c(data: bytes) -> int:
    """The checksum of `data`."""
    return advance(ALL_ONES, data) ^ ALL_ONES
