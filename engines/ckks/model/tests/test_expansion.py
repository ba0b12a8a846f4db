# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The model of expansions against published words and those of the processor's engine."""

from engines.ckks.model import expansion


def test_a_block_is_that_of_the_rfc() -> None:
    """RFC 8439, section 2.3.2. Its counter has 32 bits, its nonce 96: ours take the same words."""
    seed = bytes(range(32))
    words = expansion.block(seed, 0x4a00_0000, 0x0900_0000 << 32 | 1)
    assert words == [
        0xe4e7f110, 0x15593bd1, 0x1fdd0f50, 0xc47120a3, 0xc7f4d1c7, 0x0368c033, 0x9aaa2204,
        0x4e6cd4c3, 0x466482d2, 0x09aa9f07, 0x05d7c214, 0xa2028bd9, 0xd19c12b5, 0xb94e16de,
        0xe883d0cb, 0x4e3c50a2,
    ]


def test_residues_are_those_of_the_engine() -> None:
    """engines/ckks/src/sampling/uniform.rs has the same numbers."""
    seed = bytes(range(1, 33))
    found = expansion.uniform(seed, expansion.stream_of(3, 2), 537133057, 1 << 12)
    assert found[:3] + found[-1:] == [475003720, 536403978, 431828875, 4966357]
