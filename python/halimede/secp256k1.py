# SPDX-License-Identifier: Apache-2.0 OR MIT
# Generated from the table of operations by `make generate`: do not edit.
"""Operations `secp256k1`, each of many items at once.

- `recover`: Recovery of public keys or Ethereum addresses from ECDSA signatures.
- `verify_schnorr`: Verification of Schnorr signatures (BIP 340).
- `verify_half_aggregate`: Verification of half-aggregate Schnorr signatures (a BIP draft).
- `half_aggregate`: Half-aggregation of Schnorr signatures, which are not verified (a BIP draft).

A column has one row per item: a list of buffers, or the rows of an array of two axes. All inputs
are treated as public: running times depend on them. A bad item gets a verdict with the reason and
does not affect the other items. Ctrl-C ends long work between pieces. Raises ValueError if columns
differ in length or a setting is invalid.
"""

from __future__ import annotations

from typing import Literal

from halimede._native import Device
from halimede._operations import Column, Lists, check, compute
from halimede._verdicts import Values, Verdicts

__all__ = [
    "half_aggregate", "recover", "verify_half_aggregate", "verify_schnorr",
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
    """Recovery of public keys or Ethereum addresses from ECDSA signatures, many at once.

    digests: The digest, 32 bytes; or the message, if `hash` is set.
    signatures: 65 bytes each. r, s and the recovery id.
    answer: The answer: the public key (x and y), or the address.
    numbering: The recovery ids: 0 to 3, or Ethereum's 27 and 28.
    low_s: Reject an s above n/2.
    hash: The hash function of the message; `none` if a digest is given. A digest of `any-length`
        may have any number of bytes, of which the leftmost 32 count.
    device: where the work runs; this processor by default.

    An item without a value gets a verdict with the reason.
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
    """Verification of Schnorr signatures (BIP 340), many at once.

    keys: 32 bytes each. x of the public key.
    messages: The message.
    signatures: 64 bytes each. r and s.
    device: where the work runs; this processor by default.
    """
    return check(
        "secp256k1.verify_schnorr",
        [],
        [],
        [keys, messages, signatures],
        device,
    )


def verify_half_aggregate(
    keys: Lists,
    messages: Lists,
    aggregates: Column,
    *,
    device: Device | None = None,
) -> Verdicts:
    """Verification of half-aggregate Schnorr signatures (a BIP draft), many at once.

    keys: a column for each item. The signers, in the order of their signatures. x of the public
        key.
    messages: a column for each item. The signers, in the order of their signatures. The message.
    aggregates: The r of each signature, and s.
    device: where the work runs; this processor by default.
    """
    return check(
        "secp256k1.verify_half_aggregate",
        [],
        [],
        [keys, messages, aggregates],
        device,
    )


def half_aggregate(
    keys: Lists,
    messages: Lists,
    signatures: Lists,
    aggregates: Column,
    *,
    size: int,
    device: Device | None = None,
) -> Values:
    """Half-aggregation of Schnorr signatures, which are not verified (a BIP draft), many at once.

    keys: a column for each item. The signers: first those of `aggregate`. x of the public key.
    messages: a column for each item. The signers: first those of `aggregate`. The message.
    signatures: a column for each item. The signers: first those of `aggregate`. r and s; empty if
        it is aggregated already.
    aggregates: The aggregate to extend; empty for a new one.
    size: The number of signatures of each aggregate.
    device: where the work runs; this processor by default.

    An item without a value gets a verdict with the reason.
    """
    return compute(
        "secp256k1.half_aggregate",
        [("size", size)],
        [],
        [keys, messages, signatures, aggregates],
        device,
    )
