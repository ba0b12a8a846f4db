# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Half-aggregate signatures: the draft's vectors, BIP 340's signatures, and changed items."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from curve_vectors import bip340
from halimede import secp256k1

VECTORS = Path(__file__).resolve().parents[2] / "engines/secp256k1/vectors/half_aggregate.json"
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141


def vectors() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(VECTORS.read_text(encoding="utf-8"))["vectors"]
    return found


def columns(name: str) -> list[list[bytes]]:
    return [[bytes.fromhex(signer[name]) for signer in vector["signers"]] for vector in vectors()]


def signed() -> tuple[list[bytes], list[bytes], list[bytes]]:
    """BIP 340's valid signatures of 32-byte messages."""
    rows = [row for row in bip340() if row["verification result"] == "TRUE"]
    rows = [row for row in rows if len(row["message"]) == 64]
    names = ("public key", "message", "signature")
    keys, messages, signatures = [[bytes.fromhex(row[name]) for row in rows] for name in names]
    return keys, messages, signatures


def reference(keys: list[bytes], messages: list[bytes], signatures: list[bytes]) -> bytes:
    """Aggregate, as the draft writes it."""
    tag = hashlib.sha256(b"HalfAgg/randomizer").digest()
    prefix, nonces, s = b"", b"", 0
    for key, message, signature in zip(keys, messages, signatures):
        prefix += signature[:32] + key + message
        digest = hashlib.sha256(tag + tag + prefix).digest()
        factor = int.from_bytes(digest, "big") if nonces else 1
        s = (s + factor * int.from_bytes(signature[32:], "big")) % ORDER
        nonces += signature[:32]
    return nonces + s.to_bytes(32, "big")


def test_the_vectors_of_the_draft() -> None:
    aggregates = [bytes.fromhex(vector["aggregate"]) for vector in vectors()]
    verdicts = secp256k1.verify_half_aggregate(columns("key"), columns("message"), aggregates)
    assert verdicts.valid.tolist() == [True] * 3


def test_aggregates_of_parts_are_equal() -> None:
    keys, messages, signatures = signed()
    assert len(keys) == 5
    expected = reference(keys, messages, signatures)
    for first in range(6):
        before = reference(keys[:first], messages[:first], signatures[:first]) if first else b""
        rest = [b""] * first + signatures[first:]
        values = secp256k1.half_aggregate([keys], [messages], [rest], [before], size=5)
        assert values[0] == expected
    assert secp256k1.verify_half_aggregate([keys], [messages], [expected])[0].outcome == "valid"


@pytest.mark.parametrize("place", range(0, 192, 7))
def test_a_changed_byte_is_noticed(place: int) -> None:
    keys, messages, signatures = signed()
    aggregate = bytearray(reference(keys, messages, signatures))
    aggregate[place] ^= 1 + place
    assert not secp256k1.verify_half_aggregate([keys], [messages], [bytes(aggregate)]).valid[0]


def test_bad_items_are_named() -> None:
    keys, messages, signatures = signed()
    valid = reference(keys, messages, signatures)
    items = [
        (keys, messages, valid),
        (keys[::-1], messages, valid),
        (keys[:4], messages[:4], valid),
        ([keys[0][:31], *keys[1:]], messages, valid),
        (keys, messages, valid[:-32] + ORDER.to_bytes(32, "big")),
    ]
    verdicts = secp256k1.verify_half_aggregate(*[list(column) for column in zip(*items)])
    outcomes = [verdict.outcome for verdict in verdicts]
    assert outcomes == ["valid", "mismatch", "signature", "keys", "s-range"]
    values = secp256k1.half_aggregate([keys] * 2, [messages] * 2, [signatures] * 2,
                                      [b"", valid[:31]], size=5)
    assert values[0] == valid and values.verdicts[1].outcome == "signature"
    values = secp256k1.half_aggregate([keys], [messages], [signatures], [b""], size=4)
    assert values.verdicts[0].reason == "`signers`: expected 4, as `size` says, got 5"
