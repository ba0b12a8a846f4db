# SPDX-License-Identifier: Apache-2.0 OR MIT
"""BLS signatures of every suite, pairings, hashes and precompiles: published cases, identities."""

import itertools
import random
from typing import Any

import curves
import numpy as np
import pytest
from curve_vectors import (
    BLS, KEY_GROUP, ORDER, SIGNATURE_GROUP, generators, hash_cases, key_of, prove_possession, sign,
)
from halimede import bls12_381
from halimede._verdicts import OUTCOMES

G1, G2 = generators()
INFINITY = {"g1": b"\xc0" + bytes(47), "g2": b"\xc0" + bytes(95)}
SUITES: list[Any] = list(itertools.product(("min-pk", "min-sig"), ("basic", "aug", "pop")))

# Ethereum's consensus tests, bls/sign, of the message of 32 bytes 0x56.
PUBLISHED_KEY = bytes.fromhex(
    "a491d1b0ecd9bb917989f0e74f0dea0422eac4a873e5e264"
    "4f368dffb9a6e20fd6e10c1b77654d067c0618f6e5a7f79a")
PUBLISHED_SIGNATURE = bytes.fromhex(
    "882730e5d03f6b42c3abc26d3372625034e1d871b65a8a6b"
    "900a56dae22da98abbe1b68f85e49fe7652a55ec3d0591c2"
    "0767677e33e5cbb1207315c41a9ac03be39c2e7668edc043"
    "d6cb1d9fd93033caa8a1c5b0e84bedaeb6c64972503a43eb")


def test_a_published_signature() -> None:
    message = b"\x56" * 32
    assert curves.verify(PUBLISHED_KEY, message, PUBLISHED_SIGNATURE, "pop")
    other = curves.verify(PUBLISHED_KEY, b"\x57" * 32, PUBLISHED_SIGNATURE, "pop")
    assert (other.outcome, other.reason) == ("mismatch", "the signature does not match")
    assert curves.verify(PUBLISHED_KEY, message, PUBLISHED_SIGNATURE)
    basic = curves.verify(PUBLISHED_KEY, message, PUBLISHED_SIGNATURE, "basic")
    assert basic.outcome == "mismatch"


@pytest.mark.parametrize("group, scheme", SUITES)
def test_batches_name_their_bad_items(group: Any, scheme: Any) -> None:
    generator = random.Random(f"{group} {scheme}")
    secrets = [generator.randrange(1, ORDER) for _ in range(3)]
    rows = []
    for row in range(20):
        secret, message = secrets[row % 3], generator.randbytes(row % 5)
        rows.append([key_of(secret, group), message, sign(secret, message, scheme, group)])
    assert bls12_381.verify_signature(*zip(*rows), scheme=scheme, group=group).all()
    signature_bytes = len(rows[0][2])
    rows[3][1] += b"!"
    rows[7][2] = rows[8][2]
    rows[11][0] = rows[11][0][1:]
    rows[13][2] = bytes([rows[13][2][0] & 0x7F]) + rows[13][2][1:]
    rows[17][0] = INFINITY[KEY_GROUP[group]]
    rows[19][2] = INFINITY[SIGNATURE_GROUP[group]]
    verdicts = bls12_381.verify_signature(*zip(*rows), scheme=scheme, group=group)
    expected = {3: "mismatch", 7: "mismatch", 11: "key", 13: "signature", 17: "key", 19: "mismatch"}
    assert {row: verdict.outcome for row, verdict in verdicts.invalid()} == expected
    assert verdicts[17].reason == "key: the point is infinity"
    key_bytes = 144 - signature_bytes
    assert verdicts[11].reason == (
        f"key: a point of {KEY_GROUP[group].upper()} has {key_bytes} bytes, not {key_bytes - 1}")
    for row, (key, message, signature) in enumerate(rows):
        assert curves.verify(key, message, signature, scheme, group=group) == verdicts[row]


def test_a_suite_is_not_another() -> None:
    for (group, scheme), (_, other) in itertools.product(SUITES, SUITES[:3]):
        signature = sign(5, b"message", scheme, group)
        verdict = curves.verify(key_of(5, group), b"message", signature, other, group=group)
        assert bool(verdict) == (other == scheme)


def test_the_default_suite_is_ethereums() -> None:
    for group, scheme in SUITES:
        verdict = curves.verify(key_of(5, group), b"message", sign(5, b"message", scheme, group), group=group)
        assert bool(verdict) == (scheme == "pop")
    found = bls12_381.verify_signature([key_of(5, "min-pk")], [b"m"], [sign(5, b"m", "pop", "min-pk")])
    assert found.all() and found.outcomes.tolist() == [OUTCOMES.index("valid")] != [0]


def test_errors_that_cancel_are_named() -> None:
    """Two signatures whose errors cancel: as an aggregate they would be valid."""
    secrets, messages = range(11, 19), [bytes([number]) * 9 for number in range(8)]
    keys = [key_of(secret, "min-pk") for secret in secrets]
    signatures = [sign(*row, "pop", "min-pk") for row in zip(secrets, messages)]
    signatures[2] = curves.add([signatures[2], curves.multiply(G2, 12345, "g2")], "g2")
    signatures[5] = curves.add([signatures[5], curves.multiply(G2, ORDER - 12345, "g2")], "g2")
    assert curves.aggregate_verify(keys, messages, curves.aggregate(signatures))
    verdicts = bls12_381.verify_signature(keys, messages, signatures)
    assert [row for row, _ in verdicts.invalid()] == [2, 5]


@pytest.mark.parametrize("group, scheme", SUITES)
def test_aggregates(group: Any, scheme: Any) -> None:
    secrets = [3, 5, 2**200 + 1, ORDER - 2]
    keys = [key_of(secret, group) for secret in secrets]
    messages = [bytes([number, 7]) for number in range(4)]
    signatures = [sign(*row, scheme, group) for row in zip(secrets, messages)]
    total = curves.aggregate(signatures, group=group)
    assert curves.aggregate_verify(keys, messages, total, scheme, group=group)
    swapped = curves.aggregate_verify(keys, messages[::-1], total, scheme, group=group)
    assert swapped.outcome == "mismatch"
    none = curves.aggregate_verify([], [], total, scheme, group=group)
    assert (none.outcome, none.reason) == ("keys", "the aggregate is empty")
    bad = curves.aggregate_verify([keys[0], signatures[0]], messages[:2], total, scheme, group=group)
    assert bad.outcome == "key" and bad.reason and bad.reason.startswith("key 1: ")
    with pytest.raises(ValueError, match="item 0: wanted equal numbers of keys and messages"):
        curves.aggregate_verify(keys, messages[1:], total, scheme, group=group)
    with pytest.raises(ValueError, match="item 0: .*element 1: "):
        curves.aggregate([signatures[0], signatures[1][1:]], group=group)
    # Only the other schemes allow equal messages.
    same = [sign(secret, b"same", scheme, group) for secret in secrets]
    total = curves.aggregate(same, group=group)
    verdict = curves.aggregate_verify(keys, [b"same"] * 4, total, scheme, group=group)
    assert verdict.outcome == ("equal-messages" if scheme == "basic" else "valid")
    if scheme != "pop":
        return
    assert curves.fast_aggregate_verify(keys, b"same", total, group=group)
    opposite = key_of(ORDER - secrets[0], group)
    verdicts = bls12_381.verify_aggregate(
        [keys, keys[1:], [], keys, [keys[0], opposite], keys[:1]],
        [b"same", b"same", b"same", b"other", b"any", b"same"],
        [total, total, total, total, INFINITY[SIGNATURE_GROUP[group]], same[0]], group=group)
    assert [verdict.outcome for verdict in verdicts] == [
        "valid", "mismatch", "keys", "mismatch", "key", "valid"]
    assert verdicts[4].reason == "key: the point is infinity"
    proofs = [prove_possession(secret, group) for secret in secrets]
    assert bls12_381.verify_possession(keys, proofs, group=group).all()
    found = bls12_381.verify_possession(keys, [proofs[1], *proofs[1:]], group=group)
    assert found.valid.tolist() == [False, True, True, True]
    assert curves.verify_possession(keys[2], proofs[2], group=group)
    # A proof of possession is not a signature of the key.
    assert not curves.verify(keys[0], keys[0], proofs[0], "pop", group=group)


def test_empty_batches() -> None:
    for group, scheme in SUITES:
        assert len(bls12_381.verify_signature([], [], [], scheme=scheme, group=group)) == 0
    assert len(bls12_381.verify_aggregate([], [], [])) == len(bls12_381.verify_possession([], [])) == 0
    assert curves.pairing_check([], []) and curves.add([]) == INFINITY["g1"]
    assert curves.sum_of_multiples([], [], "g2") == INFINITY["g2"]
    for found in (
        bls12_381.sum([]), bls12_381.sum_of_multiples([], []), bls12_381.pairing_product([], []),
        bls12_381.hash_to_curve([], domain="tag"), bls12_381.map_to_curve([]),
        bls12_381.precompile([], name="g1add"),
    ):
        assert len(found) == 0 and list(found) == [] and found.verdicts.all()
    assert len(bls12_381.verify_aggregate_of_messages([], [], [])) == 0
    assert len(bls12_381.pairing_check([], [])) == 0


def test_many_sums_and_products_at_once() -> None:
    """Sums of different lengths, with a bad one between them."""
    points = [curves.multiply(G1, number) for number in range(1, 8)]
    others = [curves.multiply(G2, number, "g2") for number in range(1, 8)]
    lists = [points, points[:1], [], [points[0], points[1][1:]], points[2:5]]
    sums = bls12_381.sum(lists)
    for row in (0, 1, 2, 4):
        assert sums[row] == curves.add(lists[row])
    assert sums.verdicts.valid.tolist() == [True, True, True, False, True]
    numbers = [[number * 3 for number in range(len(part))] for part in lists]
    multiples = bls12_381.sum_of_multiples(lists, numbers)
    for row in (0, 1, 2, 4):
        assert multiples[row] == curves.sum_of_multiples(lists[row], numbers[row])
    assert not multiples.verdicts[3] and not multiples.array[3].any()
    products = bls12_381.pairing_product(lists, [others[:len(part)] for part in lists])
    for row in (0, 1, 2, 4):
        assert products[row] == curves.pairing(lists[row], others[:len(lists[row])])
    assert not products.verdicts[3]
    checks = bls12_381.pairing_check(
        [[points[0], curves.multiply(G1, ORDER - 2)], points[:2], [], [points[1][1:]]],
        [[others[1], others[0]], others[:2], [], others[:1]])
    assert [verdict.outcome for verdict in checks] == ["valid", "mismatch", "valid", "malformed"]


def test_multiples_are_the_published_ones() -> None:
    """zkcrypto's points: 0 to 999 times the generators."""
    for curve, generator in (("g1", G1), ("g2", G2)):
        name: Any = curve
        data = (BLS / f"zkcrypto/{curve}_compressed_valid_test_vectors.dat").read_bytes()
        size = len(generator)
        points = [data[size * number:][:size] for number in range(1000)]
        for number in (0, 1, 2, 63, 512, 999):
            assert curves.multiply(generator, number, name) == points[number]
            wrapped = (number + ORDER).to_bytes(32, "big")
            assert curves.multiply(generator, wrapped, name) == points[number]
        table = np.frombuffer(data, np.uint8).reshape(1000, size)[1:30]
        assert curves.add(table, name) == points[29 * 30 // 2]
        ones = np.zeros((29, 32), np.uint8)
        ones[:, 31] = np.arange(29, 0, -1)
        expected = sum(n * (30 - n) for n in range(1, 30))
        assert curves.sum_of_multiples(table, ones, name) == curves.multiply(generator, expected, name)
        numbers = [29 - row for row in range(29)]
        assert curves.sum_of_multiples(list(table), numbers, name) == (
            curves.multiply(generator, expected, name))
        assert curves.multiply(points[3], (1 << 256) - 1, name) == (
            curves.multiply(points[3], ((1 << 256) - 1) % ORDER, name))


def test_pairings_are_bilinear() -> None:
    e = curves.pairing([G1], [G2])
    assert len(e) == 576 and e != curves.pairing([], [])
    a, b = 0x1234567, 2**150 + 77
    left = curves.pairing([curves.multiply(G1, a)], [curves.multiply(G2, b, "g2")])
    assert left == curves.pairing([curves.multiply(G1, a * b)], [G2]) != e
    assert curves.pairing([G1, G1], [G2, G2]) == curves.pairing([curves.multiply(G1, 2)], [G2])
    points = [curves.multiply(G1, a), curves.multiply(G1, ORDER - a * b)]
    assert curves.pairing_check(points, [curves.multiply(G2, b, "g2"), G2])
    assert not curves.pairing_check(points, [G2, G2])


def test_hashes_are_those_of_rfc_9380() -> None:
    count = 0
    for curve, encode, suite in hash_cases():
        name: Any = curve
        for vector in suite["vectors"]:
            found = curves.hash_to_curve(
                vector["msg"].encode(), suite["dst"], name, encode=encode)
            # The coordinate with the multiple of u first.
            x = b"".join(bytes.fromhex(part[2:]) for part in vector["P"]["x"].split(",")[::-1])
            assert bytes([found[0] & 0x1F]) + found[1:] == x
            mapped = [
                curves.map_to_curve(b"".join(bytes.fromhex(p[2:]) for p in u.split(",")), name)
                for u in vector["u"]
            ]
            assert curves.add(mapped, name) == found
            count += 1
    assert count == 20


def fp(number: int) -> bytes:
    return number.to_bytes(64, "big")


def test_every_precompile() -> None:
    """Each precompile with the EIP's inputs, against the points of the other functions."""
    p, q = curves.map_to_curve((5).to_bytes(48, "big")), curves.multiply(G1, 9)
    # map_fp_to_g1 returns x and y; the functions above return the compressed point.
    mapped = curves.precompile("map_fp_to_g1", fp(5))
    assert len(mapped) == 128 and mapped[16:64][1:] == p[1:]
    double = curves.precompile("g1add", mapped + mapped)
    assert double[17:64] == curves.add([p, p])[1:]
    assert curves.precompile("g1msm", mapped + (2).to_bytes(32, "big")) == double
    opposite = curves.precompile("g1msm", mapped + (ORDER - 1).to_bytes(32, "big"))
    assert curves.precompile("g1add", mapped + opposite) == bytes(128)
    mapped2 = curves.precompile("map_fp2_to_g2", fp(5) + fp(6))
    element = (5).to_bytes(48, "big") + (6).to_bytes(48, "big")
    q2 = curves.map_to_curve(element, "g2")
    assert len(mapped2) == 256 and mapped2[80:128][1:] == q2[1:48]
    double2 = curves.precompile("g2add", mapped2 + mapped2)
    assert curves.precompile("g2msm", mapped2 + (2).to_bytes(32, "big")) == double2
    one, zero = (1).to_bytes(32, "big"), bytes(32)
    pairs = mapped + mapped2 + opposite + mapped2
    assert curves.precompile("pairing_check", pairs) == one
    assert curves.precompile("pairing_check", pairs[:384]) == zero
    assert q != p


@pytest.mark.parametrize(
    "name, data, message",
    [
        ("g1add", b"", "the input has 0 bytes, not 256"),
        ("g1add", bytes(255), "the input has 255 bytes, not 256"),
        ("g1msm", b"", "0 bytes, which is not a positive multiple of 160"),
        ("g2msm", bytes(287), "287 bytes, which is not a positive multiple of 288"),
        ("pairing_check", bytes(383), "not a positive multiple of 384"),
        ("map_fp_to_g1", b"\1" + bytes(63), "the 16 bytes from byte 0 on are not 0"),
        ("map_fp_to_g1", bytes(16) + b"\xff" * 48, "element from byte 0 on is not below"),
        ("g2add", bytes(255) + b"\1" + bytes(256), "the point of G2 from byte 0 on: .* not on the"),
        ("g1mul", b"", "`name`: one of g1add, g1msm, g2add, g2msm, pairing_check, map_fp_to_g1, "
                       "map_fp2_to_g2 is expected"),
    ],
)
def test_precompiles_that_fail(name: Any, data: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        curves.precompile(name, data)


@pytest.mark.parametrize("name, length", [
    ("g1add", 256), ("g1msm", 160), ("g2add", 512), ("g2msm", 288), ("pairing_check", 384),
    ("map_fp_to_g1", 64), ("map_fp2_to_g2", 128),
])
def test_a_bad_input_does_the_others_no_harm(name: Any, length: int) -> None:
    values = bls12_381.precompile([bytes(length), bytes(length - 1), bytes(length)], name=name)
    assert [verdict.outcome for verdict in values.verdicts] == ["valid", "malformed", "valid"]
    assert values[0] == values[2] == curves.precompile(name, bytes(length))
    assert not values.array[1].any()
