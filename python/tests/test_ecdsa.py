# SPDX-License-Identifier: Apache-2.0 OR MIT
"""ECDSA against the golden model and the edge cases: formats, rules, kinds of input, the cache."""

import hashlib
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import curves
import numpy as np
import pytest
from engines.secp256k1.model import ecdsa as model
from engines.secp256k1.model.curve import G, N, P, Affine, multiply
from halimede import ecdsa

CHECKS = Path(__file__).resolve().parents[2] / "engines/secp256k1/vectors/checks.json"


def compressed(key: Affine) -> bytes:
    return bytes([2 + key[1] % 2]) + key[0].to_bytes(32, "big")


def uncompressed(key: Affine, prefix: int = 4) -> bytes:
    return bytes([prefix]) + b"".join(number.to_bytes(32, "big") for number in key)


def compact(r: int, s: int) -> bytes:
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def der(r: int, s: int) -> bytes:
    """Encodes a signature by BIP 66."""
    parts = [number.to_bytes(number.bit_length() // 8 + 1, "big") for number in (r, s)]
    body = b"".join(b"\x02" + bytes([len(part)]) + part for part in parts)
    return b"\x30" + bytes([len(body)]) + body


def signed(seed: int, count: int) -> list[tuple[Affine, bytes, int, int]]:
    """Random keys, a few of them repeated, with digests and signatures."""
    generator = random.Random(seed)
    secrets = [generator.randrange(1, N) for _ in range(1 + count // 3)]
    rows = []
    for _ in range(count):
        secret, digest = generator.choice(secrets), generator.randbytes(32)
        made = model.sign(secret, generator.randrange(1, N), int.from_bytes(digest, "big"))
        key = multiply(secret, G)
        assert key is not None
        # Both s and n - s are valid.
        rows.append((key, digest, made.r, generator.choice((made.s, N - made.s))))
    return rows


def spoil(
    generator: random.Random, key: Affine, digest: bytes, r: int, s: int
) -> tuple[Affine, bytes, int, int]:
    """The same with one thing changed."""
    bit = 1 << generator.randrange(256)
    match generator.randrange(6):
        case 0:
            return key, (int.from_bytes(digest, "big") ^ bit).to_bytes(32, "big"), r, s
        case 1:
            return key, digest, r ^ bit, s
        case 2:
            return key, digest, r, s ^ bit
        case 3:
            return (key[0] ^ bit, key[1]), digest, r, s
        case 4:
            return key, digest, generator.choice((0, N, N + 1, (1 << 256) - 1)), s
        case _:
            return key, digest, r, generator.choice((0, N, N + 1, (1 << 256) - 1))


def outcome(key: Affine, digest: bytes, r: int, s: int) -> str:
    """Returns the model's outcome."""
    return name_of(model.verify(model.Signature(r, s, int.from_bytes(digest, "big")), key))


def name_of(mask: int) -> str:
    """Returns the outcome of a card's mask; a bad key has precedence."""
    order = {
        model.Check.ON_CURVE: "key", model.Check.R_RANGE: "r-range", model.Check.S_RANGE: "s-range",
        model.Check.INFINITY: "infinity", model.Check.MATCH: "mismatch",
    }
    return next((name for bit, name in order.items() if mask >> bit & 1), "valid")


def cases(seed: int, count: int) -> list[tuple[Affine, bytes, int, int]]:
    generator = random.Random(seed)
    rows = signed(seed, count)
    return [spoil(generator, *row) if generator.random() < 0.6 else row for row in rows]


def test_verdicts_are_the_models() -> None:
    rows = cases(1, 50)
    expected = [outcome(*row) for row in rows]
    assert {"valid", "key", "r-range", "s-range", "mismatch"} <= set(expected)
    keys, digests = [uncompressed(row[0]) for row in rows], [row[1] for row in rows]
    compacts = [compact(*row[2:]) for row in rows]
    verdicts = ecdsa.verify_many(keys, digests, compacts, "compact")
    assert [verdict.outcome for verdict in verdicts] == expected
    assert verdicts.outcomes.tolist() == [ecdsa.OUTCOMES.index(name) for name in expected]
    assert verdicts.valid.tolist() == [name == "valid" for name in expected]
    assert not verdicts.all() and len(verdicts) == len(rows)
    assert [row for row, _ in verdicts.invalid()] == np.flatnonzero(~verdicts.valid).tolist()
    ders = [der(*row[2:]) for row in rows]
    found = ecdsa.verify_many(keys, digests, ders, low_s=False)
    assert np.array_equal(found.outcomes, verdicts.outcomes)
    for key, digest, signature, name in list(zip(keys, digests, ders, expected))[:30]:
        verdict = ecdsa.verify(key, digest, signature)
        assert verdict.outcome == name and bool(verdict) == (name == "valid")
        assert (verdict.reason is None) == bool(verdict)


def test_arrays_lists_and_other_buffers_are_the_same() -> None:
    rows = [row for row in cases(2, 24) if row[0][0] < P]
    keys = [compressed(row[0]) for row in rows]
    lists: list[list[bytes]] = [keys, [row[1] for row in rows], [compact(*row[2:]) for row in rows]]
    expected = ecdsa.verify_many(*lists, "compact").outcomes
    assert ecdsa.OUTCOMES.index("valid") in expected and len(set(expected.tolist())) > 3
    arrays: list[Any] = [
        np.frombuffer(b"".join(part), np.uint8).reshape(len(rows), -1) for part in lists
    ]
    assert [array.shape[1] for array in arrays] == [33, 32, 64]
    assert np.array_equal(ecdsa.verify_many(*arrays, "compact").outcomes, expected)
    others: list[Any] = [
        [memoryview(part) for part in lists[0]], (bytearray(part) for part in lists[1]),
        tuple(arrays[2])]
    assert np.array_equal(ecdsa.verify_many(*others, "compact").outcomes, expected)


def test_edge_cases() -> None:
    """The engine's edge cases: 0, 1, n - 1, n, n + 1, infinity, keys off the curve."""
    names = set()
    for case in json.loads(CHECKS.read_text())["checks"]:
        r, s, digest, x, y = (bytes.fromhex(case[part]) for part in ("r", "s", "digest", "x", "y"))
        verdict = ecdsa.verify(b"\4" + x + y, digest, r + s, "compact")
        name = name_of(case["mask"])
        assert verdict.outcome == name, case["name"]
        assert bool(verdict) == (case["mask"] == 0), case["name"]
        names.add(name)
    assert names == set(ecdsa.OUTCOMES[:9]) - {"not-checked", "signature", "high-s"}


def test_rules() -> None:
    [(key, digest, r, s)] = signed(3, 1)
    low, high = min(s, N - s), max(s, N - s)
    bytes_ = compressed(key)
    for rules, number, name in [
        (False, low, "valid"), (False, high, "valid"), (True, low, "valid"), (True, high, "high-s"),
    ]:
        assert ecdsa.verify(bytes_, digest, der(r, number), low_s=rules).outcome == name
        verdict = ecdsa.verify(bytes_, digest, compact(r, number), "compact", low_s=rules)
        assert verdict.outcome == name
    # An outer length that is ignored, as OpenSSL did; BIP 66 refuses it.
    lax = bytearray(der(r, low))
    lax[1] += 1
    assert ecdsa.verify(bytes_, digest, lax, "der-lax")
    strict = ecdsa.verify(bytes_, digest, lax)
    assert strict.outcome == "signature" and strict.reason
    hybrid = uncompressed(key, 6 + key[1] % 2)
    assert ecdsa.verify(hybrid, digest, der(r, low))
    wrong = ecdsa.verify(uncompressed(key, 7 - key[1] % 2), digest, der(r, low))
    assert wrong.outcome == "key" and wrong.reason and "its prefix says" in wrong.reason


HASHES: dict[str, Callable[[bytes], bytes]] = {
    "sha256": lambda message: hashlib.sha256(message).digest(),
    "sha512": lambda message: hashlib.sha512(message).digest(),
    "sha3-256": lambda message: hashlib.sha3_256(message).digest(),
}


def test_messages_are_hashed_and_never_taken_for_digests() -> None:
    """A thousand valid signatures of messages, which would be invalid if the message were the
    digest."""
    generator = random.Random(10)
    secret = generator.randrange(1, N)
    point = multiply(secret, G)
    assert point is not None
    key = compressed(point)
    for name, hashed in HASHES.items():
        message = generator.randbytes(generator.choice((0, 1, 31, 32, 33, 200)))
        digest = hashed(message)[:32]
        made = model.sign(secret, generator.randrange(1, N), int.from_bytes(digest, "big"))
        signature = der(made.r, min(made.s, N - made.s))
        assert ecdsa.verify(key, message, signature, hash=name) and ecdsa.verify(key, digest, signature)
        assert ecdsa.verify_many([key], [message], [signature], hash=name).all()
        assert ecdsa.verify(key, message + b".", signature, hash=name).outcome == "mismatch"
        assert ecdsa.verify(key, digest + b"more", signature, hash="any-length")
    for length in (0, 1, 20, 31, 33, 64, 1000):
        with pytest.raises(ValueError, match=rf"digests\[0\]: got {length} bytes, wanted a digest of 32; for a"):
            ecdsa.verify(key, bytes(length), signature)
        with pytest.raises(ValueError, match=rf"digests\[1\]: got {length} bytes, wanted a digest of 32"):
            ecdsa.verify_many([key] * 2, [digest, bytes(length)], [signature] * 2)
        found = curves.recover(bytes(length), bytes([1]) * 65)
        assert found.verdict.outcome == "malformed" and found.key is None
        assert found.verdict.reason and f"got {length} bytes, wanted a digest of 32" in found.verdict.reason
    # Checks Keccak by the digest of the empty message.
    empty = bytes.fromhex("c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470")
    recovered = curves.recover(b"", bytes([1]) * 65, hash="keccak256")
    assert recovered.key == curves.recover(empty, bytes([1]) * 65).key is not None
    function: curves.Hash
    for function in ("none", "sha256", "sha512", "sha3-256", "keccak256"):
        found = curves.recover(empty, bytes([1]) * 65, hash=function)
        assert found.verdict and (found.key == recovered.key) == (function == "none")
    for wrong in ("md5", "", "SHA256"):
        unknown: Any = wrong
        with pytest.raises(ValueError, match="`hash`: one of none, any-length, sha256, sha512, sha3-256, keccak256 is"):
            curves.recover(b"", bytes([1]) * 65, hash=unknown)
    with pytest.raises((TypeError, ValueError), match="hash"):
        curves.recover(b"", bytes([1]) * 65, hash=None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match='hash: got "md5", wanted one of .*sha256'):
        ecdsa.verify(key, b"", signature, hash="md5")  # type: ignore[arg-type]


def test_bytes_that_are_none_are_verdicts() -> None:
    [(key, digest, r, s)] = signed(4, 1)
    generator = random.Random(4)
    keys = [compressed(key)] * 4 + [b"", b"\0", b"\5" * 33, generator.randbytes(64)]
    signatures = [der(r, s), b"", der(r, s)[:-1], compact(r, s)] + [der(r, s)] * 4
    verdicts = ecdsa.verify_many(keys, [digest] * 8, signatures)
    assert [verdict.outcome for verdict in verdicts] == (
        ["valid"] + ["signature"] * 3 + ["key"] * 4)
    assert all(verdict.reason for verdict in verdicts[1:])
    assert verdicts[-1].reason == "a key has 33 bytes (compressed) or 65, got 64"
    short = ecdsa.verify(keys[0], digest, compact(r, s)[1:], "compact")
    assert short.reason == "a compact signature has 64 bytes, got 63"


def test_any_bytes_have_a_verdict() -> None:
    generator = random.Random(5)
    [(key, digest, r, s)] = signed(5, 1)
    parts: list[list[bytes]] = [[], [], []]
    for _ in range(3000):
        for part, value in zip(parts, (compressed(key), digest, der(r, s))):
            changed = bytearray(value)
            for _ in range(generator.randrange(3)):
                changed[generator.randrange(len(changed))] = generator.randrange(256)
            length = 32 if value is digest else generator.choice((len(changed), 1, 30))
            part.append(bytes(changed[:length]))
    for format in ("der", "der-lax", "compact"):
        verdicts = ecdsa.verify_many(*parts, format)
        assert len(verdicts) == 3000 and len(list(verdicts.invalid())) > 1000
    intact = [parts[0][row] == compressed(key) and parts[1][row] == digest
              and parts[2][row] == der(r, s) for row in range(3000)]
    assert ecdsa.verify_many(*parts).valid.tolist() == intact and any(intact)


def test_a_verifier_keeps_compressed_keys() -> None:
    rows = signed(6, 20)
    keys = [compressed(row[0]) for row in rows]
    digests, signatures = [row[1] for row in rows], [der(*row[2:]) for row in rows]
    verifier = ecdsa.Verifier(cached_keys=1000)
    assert verifier.cache_counts == (0, 0)
    for _ in range(3):
        assert verifier.verify_many(keys, digests, signatures).all()
    hits, misses = verifier.cache_counts
    assert hits + misses == 60 and hits >= 60 - 2 * len(set(keys))
    assert ecdsa.Verifier(cached_keys=0).cache_counts == (0, 0)
    single = verifier.verify(keys[0], digests[0], signatures[0])
    assert single and verifier.cache_counts == (hits + 1, misses)
    # The cache returns the right key.
    other = next(place for place, key in enumerate(keys) if key != keys[0])
    assert verifier.verify(keys[0], digests[other], signatures[other]).outcome == "mismatch"


def test_verdicts_are_a_sequence() -> None:
    rows = signed(7, 5)
    keys, digests = [compressed(row[0]) for row in rows], [row[1] for row in rows]
    signatures = [der(*row[2:]) for row in rows]
    verdicts = ecdsa.verify_many(keys, digests, [*signatures[:3], b"", signatures[4]])
    assert verdicts[-2].outcome == "signature" and verdicts[4] and not verdicts[3]
    assert [bool(verdict) for verdict in verdicts[1:4]] == [True, True, False]
    assert repr(verdicts) == "<5 verdicts, 1 not valid>"
    for wrong in (5, -6):
        with pytest.raises(IndexError):
            verdicts[wrong]
    with pytest.raises(ValueError, match="ambiguous; use .all"):
        bool(verdicts)
    empty = ecdsa.verify_many([], [], [])
    assert len(empty) == 0 and empty.all() and empty[:] == []


def test_a_large_batch_is_answered_in_its_order() -> None:
    """A batch of several pieces."""
    rows = cases(8, 15)
    expected = [ecdsa.OUTCOMES.index(outcome(*row)) for row in rows]
    order = random.Random(9).choices(range(len(rows)), k=20_000)
    parts = [(uncompressed(row[0]), row[1], compact(*row[2:])) for row in rows]
    keys, digests, signatures = zip(*(parts[place] for place in order))
    found = ecdsa.verify_many(keys, digests, signatures, "compact").outcomes
    assert found.tolist() == [expected[place] for place in order]
