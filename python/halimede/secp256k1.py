# SPDX-License-Identifier: Apache-2.0 OR MIT
# Generated from the table of operations by `make generate`: do not edit.
"""Operations `secp256k1`, each of many items at once.

- `recover`: Public keys, or addresses of Ethereum, that ECDSA signatures were made with.
- `verify_schnorr`: Checks of Schnorr signatures (BIP 340).

A column has a row for each item: a list of buffers, or an array of two axes, whose rows they are.
All that is given is taken to be public: times depend on it. A bad item has a verdict with the
reason, and does the others no harm. Ctrl-C ends long work between pieces. A ValueError is raised
where columns are not as many of each, and where a setting is refused.
"""

from __future__ import annotations

from typing import Literal

from halimede._native import Device
from halimede._operations import Column, check, compute
from halimede._verdicts import Values, Verdicts

__all__ = [
    "recover", "verify_schnorr",
]


def recover(
    digests: Column,
    signatures: Column,
    *,
    answer: Literal["key", "address"] = "key",
    numbering: Literal["plain", "ethereum"] = "plain",
    low_s: bool = False,
    hash: Literal["none", "any-length", "sha256", "sha512", "sha3-256", "keccak256"] = "none",
    device: Device | None = None,
) -> Values:
    """Public keys, or addresses of Ethereum, that ECDSA signatures were made with, many at once.

    digests: The digest, in 32 bytes; the message where `hash` is set.
    signatures: 65 bytes each. r, s and the recovery id.
    answer: The key, x and y, or the address.
    numbering: Recovery ids: 0 to 3, or Ethereum's 27 and 28.
    low_s: Whether an s above n/2 is rejected.
    hash: The function that makes the digest of a message; none of a digest. A digest of
        `any-length` may have other than 32 bytes: the leftmost 32 count.
    device: the place of the work; this processor by default.

    An item without a value has a verdict with the reason.
    """
    return compute(
        "secp256k1.recover",
        [("answer", answer), ("numbering", numbering), ("low-s", low_s), ("hash", hash)],
        [],
        [digests, signatures],
        device,
    )


def verify_schnorr(
    keys: Column,
    messages: Column,
    signatures: Column,
    *,
    device: Device | None = None,
) -> Verdicts:
    """Checks of Schnorr signatures (BIP 340), many at once.

    keys: 32 bytes each. x of the public key.
    messages: The message.
    signatures: 64 bytes each. r and s.
    device: the place of the work; this processor by default.
    """
    return check(
        "secp256k1.verify_schnorr",
        [],
        [],
        [keys, messages, signatures],
        device,
    )
