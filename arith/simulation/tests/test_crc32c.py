# SPDX-License-Identifier: Apache-2.0 OR MIT
"""CRC-32C against the values of RFC 3720, section B.4."""

import pytest

from arith.simulation.crc32c import ALL_ONES, advance, crc32c

# A read command of iSCSI, as the RFC prints it.
READ_COMMAND = bytes.fromhex(
    "01c00000" "00000000" "00000000" "00000000" "14000000" "00000400"
    "00000014" "00000018" "28000000" "00000000" "02000000" "00000000"
)
KNOWN = [
    (b"", 0),
    (b"123456789", 0xE3069283),
    (bytes(32), 0x8A9136AA),
    (b"\xff" * 32, 0x62A8AB43),
    (bytes(range(32)), 0x46DD794E),
    (bytes(reversed(range(32))), 0x113FDB5C),
    (READ_COMMAND, 0xD9963A56),
]


@pytest.mark.parametrize("data, checksum", KNOWN)
def test_known_values(data: bytes, checksum: int) -> None:
    assert crc32c(data) == checksum


def test_pieces_give_the_whole() -> None:
    data = bytes(range(100))
    for cut in range(len(data) + 1):
        state = advance(advance(ALL_ONES, data[:cut]), data[cut:])
        assert state ^ ALL_ONES == crc32c(data)
