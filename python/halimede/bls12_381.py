# SPDX-License-Identifier: Apache-2.0 OR MIT
# Generated from the table of operations by `make generate`: do not edit.
"""Operations `bls12_381`, each of many items at once.

- `verify_signature`: Verification of BLS signatures.
- `verify_aggregate`: Verification of aggregate BLS signatures of one message (FastAggregateVerify).
- `verify_aggregate_of_messages`: Verification of aggregate BLS signatures, one message per key
  (AggregateVerify).
- `verify_possession`: Verification of proofs of possession of BLS secret keys (PopVerify).
- `pairing_check`: Checks that products of pairings are 1.
- `pairing_product`: Products of pairings.
- `sum`: Sums of points of a group.
- `sum_of_multiples`: Multi-scalar multiplications in a group.
- `hash_to_curve`: Hashing of messages to a group (RFC 9380).
- `map_to_curve`: Mapping of elements of the coordinate field to a group (RFC 9380).
- `precompile`: Ethereum's precompiles (EIP-2537).

A column has one row per item: a list of buffers, or the rows of an array of two axes. All inputs
are treated as public: running times depend on them. A bad item gets a verdict with the reason and
does not affect the other items. Ctrl-C ends long work between pieces. Raises ValueError if columns
differ in length or a setting is invalid.
"""

from __future__ import annotations

from typing import Literal

from halimede._native import Device
from halimede._operations import Column, Lists, Numbers, check, compute
from halimede._verdicts import Values, Verdicts

__all__ = [
    "hash_to_curve", "map_to_curve", "pairing_check", "pairing_product", "precompile", "sum",
    "sum_of_multiples", "verify_aggregate", "verify_aggregate_of_messages", "verify_possession",
    "verify_signature",
]


def verify_signature(
    keys: Column,
    messages: Column,
    signatures: Column,
    *,
    group: Literal["min-pk", "min-sig"] = "min-pk",
    scheme: Literal["basic", "aug", "pop"] = "pop",
    device: Device | None = None,
) -> Verdicts:
    """Verification of BLS signatures, many at once.

    keys: The public key, compressed.
    messages: The message.
    signatures: The signature, compressed.
    group: The groups: keys in G1 and signatures in G2 (`min-pk`), or the reverse (`min-sig`).
    scheme: The scheme: basic, message augmentation, or proof of possession, as in Ethereum.
    device: where the work runs; this processor by default.
    """
    return check(
        "bls12_381.verify_signature",
        [("group", group), ("scheme", scheme)],
        [],
        [keys, messages, signatures],
        device,
    )


def verify_aggregate(
    keys: Lists,
    messages: Column,
    signatures: Column,
    *,
    group: Literal["min-pk", "min-sig"] = "min-pk",
    device: Device | None = None,
) -> Verdicts:
    """Verification of aggregate BLS signatures of one message (FastAggregateVerify), many at once.

    keys: a column for each item. The public keys, each with a proof of possession that was
        verified. The public key, compressed.
    messages: The message.
    signatures: The sum of the signatures, compressed.
    group: The groups: keys in G1 and signatures in G2 (`min-pk`), or the reverse (`min-sig`).
    device: where the work runs; this processor by default.
    """
    return check(
        "bls12_381.verify_aggregate",
        [("group", group)],
        [],
        [keys, messages, signatures],
        device,
    )


def verify_aggregate_of_messages(
    keys: Lists,
    messages: Lists,
    signatures: Column,
    *,
    group: Literal["min-pk", "min-sig"] = "min-pk",
    scheme: Literal["basic", "aug", "pop"] = "pop",
    device: Device | None = None,
) -> Verdicts:
    """Verification of aggregate BLS signatures, one message per key (AggregateVerify), many at
    once.

    keys: a column for each item. The signers. The public key, compressed.
    messages: a column for each item. The signers. The message.
    signatures: The sum of the signatures, compressed.
    group: The groups: keys in G1 and signatures in G2 (`min-pk`), or the reverse (`min-sig`).
    scheme: The scheme: basic, message augmentation, or proof of possession, as in Ethereum.
    device: where the work runs; this processor by default.
    """
    return check(
        "bls12_381.verify_aggregate_of_messages",
        [("group", group), ("scheme", scheme)],
        [],
        [keys, messages, signatures],
        device,
    )


def verify_possession(
    keys: Column,
    proofs: Column,
    *,
    group: Literal["min-pk", "min-sig"] = "min-pk",
    device: Device | None = None,
) -> Verdicts:
    """Verification of proofs of possession of BLS secret keys (PopVerify), many at once.

    keys: The public key, compressed.
    proofs: The proof, a signature of the key.
    group: The groups: keys in G1 and signatures in G2 (`min-pk`), or the reverse (`min-sig`).
    device: where the work runs; this processor by default.
    """
    return check(
        "bls12_381.verify_possession",
        [("group", group)],
        [],
        [keys, proofs],
        device,
    )


def pairing_check(
    g1: Lists,
    g2: Lists,
    *,
    device: Device | None = None,
) -> Verdicts:
    """Checks that products of pairings are 1, many at once.

    g1: a column for each item. The points to pair. A point of G1, in 48 or 96 bytes.
    g2: a column for each item. The points to pair. A point of G2, in 96 or 192 bytes.
    device: where the work runs; this processor by default.
    """
    return check(
        "bls12_381.pairing_check",
        [],
        [],
        [g1, g2],
        device,
    )


def pairing_product(
    g1: Lists,
    g2: Lists,
    *,
    device: Device | None = None,
) -> Values:
    """Products of pairings, many at once.

    g1: a column for each item. The points to pair. A point of G1, in 48 or 96 bytes.
    g2: a column for each item. The points to pair. A point of G2, in 96 or 192 bytes.
    device: where the work runs; this processor by default.

    An item without a value gets a verdict with the reason.
    """
    return compute(
        "bls12_381.pairing_product",
        [],
        [],
        [g1, g2],
        device,
    )


def sum(
    points: Lists,
    *,
    group: Literal["g1", "g2"] = "g1",
    device: Device | None = None,
) -> Values:
    """Sums of points of a group, many at once.

    points: a column for each item. The points. A point of the group, compressed or not.
    group: The group of the points.
    device: where the work runs; this processor by default.

    An item without a value gets a verdict with the reason.
    """
    return compute(
        "bls12_381.sum",
        [("group", group)],
        [],
        [points],
        device,
    )


def sum_of_multiples(
    points: Lists,
    factors: Numbers,
    *,
    group: Literal["g1", "g2"] = "g1",
    device: Device | None = None,
) -> Values:
    """Multi-scalar multiplications in a group, many at once.

    points: a column for each item. The points and their factors, modulo the order of the groups. A
        point of the group, compressed or not.
    factors: integers, or 32 bytes each, most significant byte first. The points and their factors,
        modulo the order of the groups. The factor.
    group: The group of the points.
    device: where the work runs; this processor by default.

    An item without a value gets a verdict with the reason.
    """
    return compute(
        "bls12_381.sum_of_multiples",
        [("group", group)],
        [],
        [points, factors],
        device,
    )


def hash_to_curve(
    messages: Column,
    *,
    group: Literal["g1", "g2"] = "g1",
    domain: str,
    encode: bool = False,
    device: Device | None = None,
) -> Values:
    """Hashing of messages to a group (RFC 9380), many at once.

    messages: The message.
    group: The group of the points.
    domain: The domain separation tag.
    encode: Use `encode_to_curve` instead of `hash_to_curve`.
    device: where the work runs; this processor by default.

    An item without a value gets a verdict with the reason.
    """
    return compute(
        "bls12_381.hash_to_curve",
        [("group", group), ("domain", domain), ("encode", encode)],
        [],
        [messages],
        device,
    )


def map_to_curve(
    elements: Column,
    *,
    group: Literal["g1", "g2"] = "g1",
    device: Device | None = None,
) -> Values:
    """Mapping of elements of the coordinate field to a group (RFC 9380), many at once.

    elements: The element, most significant byte first; for G2 two, constant term first.
    group: The group of the points.
    device: where the work runs; this processor by default.

    An item without a value gets a verdict with the reason.
    """
    return compute(
        "bls12_381.map_to_curve",
        [("group", group)],
        [],
        [elements],
        device,
    )


def precompile(
    inputs: Column,
    *,
    name: Literal[
        "g1add", "g1msm", "g2add", "g2msm", "pairing_check", "map_fp_to_g1", "map_fp2_to_g2",
    ],
    device: Device | None = None,
) -> Values:
    """Ethereum's precompiles (EIP-2537), many at once.

    inputs: The input.
    name: The precompile.
    device: where the work runs; this processor by default.

    An item without a value gets a verdict with the reason.
    """
    return compute(
        "bls12_381.precompile",
        [("name", name)],
        [],
        [inputs],
        device,
    )
