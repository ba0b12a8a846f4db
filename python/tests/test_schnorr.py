# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Schnorr signatures against BIP 340's table, and keys recovered from signatures of the model."""

import random
from typing import Any

import curves
import numpy as np
import pytest
from curve_vectors import bip340
from engines.secp256k1.model import ecdsa as model
from engines.secp256k1.model.curve import G, N, multiply
from halimede import secp256k1
from halimede._verdicts import OUTCOMES

# The expected outcomes of invalid rows, from the engine's own test.
EXPECTED = {
    5: "key", 6: "odd-y", 7: "mismatch", 8: "mismatch", 9: "infinity", 10: "infinity",
    11: "mismatch", 12: "r-range", 13: "s-range", 14: "key",
}


def columns() -> tuple[list[bytes], list[bytes], list[bytes], list[str]]:
    rows = bip340()
    parts = [[bytes.fromhex(row[name]) for row in rows]
             for name in ("public key", "message", "signature")]
    outcomes = [EXPECTED.get(number, "valid") for number in range(len(rows))]
    assert [outcome == "valid" for outcome in outcomes] == [
        row["verification result"] == "TRUE" for row in rows]
    return parts[0], parts[1], parts[2], outcomes


def test_the_table_of_bip_340() -> None:
    keys, messages, signatures, outcomes = columns()
    verdicts = secp256k1.verify_schnorr(keys, messages, signatures)
    assert [verdict.outcome for verdict in verdicts] == outcomes and len(outcomes) == 19
    assert verdicts.valid.tolist() == [outcome == "valid" for outcome in outcomes]
    for row, outcome in enumerate(outcomes):
        verdict = curves.verify_schnorr(keys[row], messages[row], signatures[row])
        assert verdict == verdicts[row] and bool(verdict) == (outcome == "valid")
        assert (verdict.reason is None) == bool(verdict)
    assert verdicts[6].reason == "the signature leads to a point with an odd y"
    assert verdicts[14].reason == "the key's x is not below p"


def test_large_batches_keep_their_order() -> None:
    """Batches of several pieces, and in lanes on processors with lanes."""
    keys, messages, signatures, outcomes = columns()
    order = random.Random(1).choices(range(len(keys)), k=20_000)
    found = secp256k1.verify_schnorr(*([part[row] for row in order]
                                  for part in (keys, messages, signatures)))
    assert [OUTCOMES[number] for number in found.outcomes] == [
        outcomes[row] for row in order]


def test_a_changed_bit_is_noticed() -> None:
    parts = [part[1] for part in columns()[:3]]
    generator = random.Random(2)
    rows: list[list[bytes]] = [[], [], []]
    for _ in range(300):
        which = generator.randrange(3)
        for place, part in enumerate(parts):
            changed = bytearray(part)
            if place == which:
                changed[generator.randrange(len(part))] ^= 1 << generator.randrange(8)
            rows[place].append(bytes(changed))
    assert not secp256k1.verify_schnorr(*rows).valid.any()
    assert secp256k1.verify_schnorr(*([part] for part in parts)).all()


def test_other_lengths_and_kinds() -> None:
    keys, messages, signatures, _ = columns()
    key, message, signature = keys[1], messages[1], signatures[1]
    assert curves.verify_schnorr(key[1:], message, signature).reason == (
        "`key`: 32 bytes are expected, got 31")
    verdict = curves.verify_schnorr(key, message, signature + b"\0")
    assert (verdict.outcome, verdict.reason) == (
        "signature", "`signature`: 64 bytes are expected, got 65")
    empty = secp256k1.verify_schnorr([], [], [])
    assert len(empty) == 0 and empty.all()
    tables: list[Any] = [np.frombuffer(part * 3, np.uint8).reshape(3, -1)
                         for part in (key, message, signature)]
    assert secp256k1.verify_schnorr(*tables).all()
    others: list[Any] = [bytearray(key), memoryview(message), np.frombuffer(signature, np.uint8)]
    assert curves.verify_schnorr(*others)


def made(seed: int, count: int) -> list[tuple[bytes, bytes, bytes]]:
    """Digests, signatures with their recovery ids, and keys, of the golden model."""
    generator, rows = random.Random(seed), []
    for _ in range(count):
        secret, digest = generator.randrange(1, N), generator.randbytes(32)
        nonce = generator.randrange(1, N)
        signed = model.sign(secret, nonce, int.from_bytes(digest, "big"))
        point, key = multiply(nonce, G), multiply(secret, G)
        assert point is not None and key is not None and point[0] == signed.r
        numbers = b"".join(number.to_bytes(32, "big") for number in (signed.r, signed.s))
        both = b"".join(number.to_bytes(32, "big") for number in key)
        rows.append((digest, numbers + bytes([point[1] % 2]), both))
    return rows


def test_keys_are_recovered() -> None:
    rows = made(3, 40)
    digests, signatures, keys = map(list, zip(*rows))
    found = secp256k1.recover(digests, signatures)
    assert found.verdicts.all() and len(found) == 40
    assert list(found) == keys == [key.tobytes() for key in found.array]
    # The opposite point has another key; r + n is not below p for any of these.
    wrong = secp256k1.recover(digests, [row[:64] + bytes([row[64] ^ 1]) for row in signatures])
    assert wrong.verdicts.all() and not any(key == right for key, right in zip(wrong, keys))
    others = [row[:64] + bytes([row[64] | 2]) for row in signatures]
    ethereums = [row[:64] + bytes([row[64] + 27]) for row in signatures]
    for answer, length in (("key", 64), ("address", 20)):
        form: Any = answer
        above = secp256k1.recover(digests, others, answer=form)
        assert {verdict.outcome for verdict in above.verdicts} == {"x-range"}
        assert not above.array.any() and above.array.shape == (40, length)
        plain = secp256k1.recover(digests, signatures, answer=form)
        ethereum = secp256k1.recover(digests, ethereums, answer=form, numbering="ethereum")
        assert np.array_equal(ethereum.array, plain.array)
        assert ethereum.array.shape == (40, length) and ethereum.verdicts.all()
        # The numberings are independent.
        assert {verdict.outcome for verdict in secp256k1.recover(
            digests, ethereums, answer=form).verdicts} == {"recovery-id"}
        assert {verdict.outcome for verdict in secp256k1.recover(
            digests, signatures, answer=form, numbering="ethereum").verdicts} == {"recovery-id"}


def test_one_key_with_its_address() -> None:
    """The secret key 1, whose address is known."""
    digest = bytes(range(32))
    signed = model.sign(1, 7, int.from_bytes(digest, "big"))
    point = multiply(7, G)
    assert point is not None
    signature = signed.r.to_bytes(32, "big") + signed.s.to_bytes(32, "big")
    found = curves.recover(digest, signature + bytes([27 + point[1] % 2]), "ethereum")
    assert found.verdict and found.verdict.outcome == "valid"
    assert found.key == b"".join(number.to_bytes(32, "big") for number in G)
    assert found.address == bytes.fromhex("7e5f4552091a69125d5dfcb7b8c2659029395bdf")


@pytest.mark.parametrize(
    "change, outcome",
    [
        (lambda row: row[:64], "signature"),
        (lambda row: row + b"\0", "signature"),
        (lambda row: row[:64] + b"\4", "recovery-id"),
        (lambda row: bytes(32) + row[32:], "r-range"),
        (lambda row: N.to_bytes(32, "big") + row[32:], "r-range"),
        (lambda row: row[:32] + bytes(32) + row[64:], "s-range"),
        (lambda row: row[:32] + N.to_bytes(32, "big") + row[64:], "s-range"),
        # No point has the x-coordinate 5.
        (lambda row: (5).to_bytes(32, "big") + row[32:], "not-on-curve"),
    ],
)
def test_signatures_without_a_key(change: Any, outcome: str) -> None:
    [(digest, signature, key)] = made(4, 1)
    signatures = [signature, change(signature), signature]
    for answer in ("key", "address"):
        form: Any = answer
        found = secp256k1.recover([digest] * 3, signatures, answer=form)
        assert [verdict.outcome for verdict in found.verdicts] == ["valid", outcome, "valid"]
        reason = found.verdicts[1].reason
        assert reason and not found.array[1].any()
        with pytest.raises(ValueError) as refused:
            found[1]
        assert str(refused.value) == f"item 1: {reason}"
        assert found[2] == found[0] and (found[2] == key) == (answer == "key")


def test_high_s_and_infinity() -> None:
    [(digest, signature, key)] = made(5, 1)
    number = int.from_bytes(signature[32:64], "big")
    other = (N - number).to_bytes(32, "big")
    forms = {number: signature, N - number: signature[:32] + other + bytes([signature[64] ^ 1])}
    low, high = forms[min(forms)], forms[max(forms)]
    for low_s, form, outcome in [
        (False, low, "valid"), (False, high, "valid"), (True, low, "valid"), (True, high, "high-s"),
    ]:
        found = curves.recover(digest, form, low_s=low_s)
        assert found.verdict.outcome == outcome
        assert found.key == (key if outcome == "valid" else None)
    # With R = G and s·R = e·G: the key would be infinity.
    infinity = G[0].to_bytes(32, "big") + digest + bytes([G[1] % 2])
    assert curves.recover(digest, infinity).verdict.outcome == "infinity"
    short = curves.recover(b"", signature)
    assert short.key is None and short.verdict.outcome == "malformed"
    assert short.verdict.reason and "`digest`: got 0 bytes" in short.verdict.reason
