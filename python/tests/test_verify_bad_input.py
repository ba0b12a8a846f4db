# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Equihash, ECDSA, Schnorr and BLS12-381: bad input raises an error with the actual and the
expected input; a bad item of a batch gets a verdict."""

from typing import Any, Callable

import curves
import halimede
import numpy as np
import pytest

equihash: Any = halimede.equihash
ecdsa: Any = halimede.ecdsa
secp256k1: Any = halimede.secp256k1
bls: Any = halimede.bls12_381
one: Any = curves
INPUT = bytes(range(140))
SOLUTION = bytes(range(36))
TABLE = np.arange(36 * 4, dtype=np.uint8).reshape(4, 36)
KEY, DIGEST, COMPACT = b"\2" + bytes(range(32)), bytes(range(32)), bytes(range(64))


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: equihash.verify(["text"], [SOLUTION]), r"headers\[0\]: got str, wanted bytes"),
        (lambda: equihash.verify([INPUT], [None]), r"solutions\[0\]: got NoneType"),
        (lambda: equihash.verify([INPUT], [SOLUTION], 48, 5), "positional argument"),
        (lambda: equihash.verify([INPUT], [SOLUTION], n=None), "n: got NoneType"),
        (lambda: equihash.verify([INPUT], [SOLUTION], device="cpu"), "wanted a halimede.Device"),
        (lambda: equihash.verify([INPUT], SOLUTION), "solutions: got one buffer of 1"),
        (lambda: equihash.verify([INPUT], None), "solutions: got NoneType, wanted a"),
        (lambda: equihash.verify(None, [SOLUTION]), "headers: got NoneType, wanted a list"),
        (lambda: equihash.verify(TABLE[None], [SOLUTION]), "headers: .* 3 axes"),
        (lambda: equihash.verify([INPUT, 7], [SOLUTION] * 2), r"headers\[1\]: got int"),
        (lambda: equihash.verify([INPUT], np.array([[None]])), "array of objects"),
        (lambda: equihash.solve(7), "input: got int"),
        (lambda: equihash.solve(INPUT, memory_limit="1G"), "memory_limit: got '1G'"),
        (lambda: equihash.indices("text"), "solution: got str"),
        (lambda: equihash.minimal([1.5] * 32, 48, 5), r"indices: got float64\[32\]"),
        (lambda: equihash.minimal([[1]], 48, 5), r"indices: got int64\[1, 1\]"),
        (lambda: equihash.Header(None), "data: got NoneType"),
        (lambda: ecdsa.verify("key", DIGEST, COMPACT), r"keys\[0\]: got str, wanted bytes"),
        (lambda: ecdsa.verify(KEY, None, COMPACT), r"digests\[0\]: got NoneType"),
        (lambda: ecdsa.verify(KEY, DIGEST, 7), r"signatures\[0\]: got int"),
        (lambda: ecdsa.verify(KEY, DIGEST, COMPACT, 7), "str"),
        (lambda: ecdsa.verify(KEY, DIGEST, COMPACT, low_s="no"), "bool"),
        (lambda: ecdsa.verify(KEY, DIGEST, COMPACT, device=7), "wanted a halimede.Device"),
        (lambda: ecdsa.verify_many(KEY, [DIGEST], [COMPACT]), "keys: got one buffer of 1 axes"),
        (lambda: ecdsa.verify_many([KEY], DIGEST, [COMPACT]), "digests: got one buffer of 1 axes"),
        (lambda: ecdsa.verify_many([KEY], [DIGEST], 7), "signatures: got int, wanted a list"),
        (lambda: ecdsa.verify_many([KEY] * 2, [DIGEST, "d"], [COMPACT] * 2), r"ts\[1\]: got str"),
        (lambda: ecdsa.Verifier(cached_keys="1"), "cached_keys: got '1'"),
        (lambda: secp256k1.recover(["digest"], [COMPACT]), r"digests\[0\]: got str, wanted bytes"),
        (lambda: secp256k1.recover(DIGEST, [COMPACT]), "digests: got one buffer of 1 axes"),
        (lambda: one.verify_schnorr(DIGEST, "text", COMPACT), r"messages\[0\]: got str, wanted byt"),
        (lambda: secp256k1.verify_schnorr([DIGEST], [b""], None), "signatures: got NoneType"),
        (lambda: one.verify_schnorr(DIGEST, b"", COMPACT, device=7), "wanted a halimede.Device"),
        (lambda: one.verify(7, b"", COMPACT), r"keys\[0\]: got int, wanted bytes"),
        (lambda: one.verify(KEY, b"", COMPACT, device="cpu"), "wanted a halimede.Device"),
        (lambda: one.aggregate(KEY), r"points\[0\]: got one buffer of 1 axes"),
        (lambda: bls.sum(KEY), r"points\[0\]: got int, wanted a list of buffers"),
        (lambda: bls.sum(7), "points: wanted a list for each item"),
        (lambda: bls.sum([7]), r"points\[0\]: got int, wanted a list of buffers"),
        (lambda: bls.sum([[KEY], [b"", 7]]), r"points\[1\]\[1\]: got int, wanted bytes"),
        (lambda: one.aggregate_verify([], [], "text"), r"signatures\[0\]: got str, wanted bytes"),
        (lambda: bls.verify_aggregate_of_messages([[]], [b""], [b""]), r"messages\[0\]: got one buf"),
        (lambda: bls.verify_aggregate(7, [b""], [b""]), "keys: wanted a list for each item"),
        (lambda: bls.verify_aggregate([KEY], [b""], [b""]), r"keys\[0\]: got one buffer"),
        (lambda: bls.verify_possession([None], [b""]), r"keys\[0\]: got NoneType"),
        (lambda: one.pairing([7], [b""]), r"g1\[0\]\[0\]: got int"),
        (lambda: one.pairing_check([b"", b""], "g2"), r"g2\[0\]\[0\]: got str"),
        (lambda: bls.sum_of_multiples([[KEY]], 7), "factors: wanted a list for each item"),
        (lambda: one.sum_of_multiples([KEY], 7), r"factors\[0\]: wanted a list of integers, or"),
        (lambda: one.multiply(KEY, "2"), r"factors\[0\]\[0\]: got str"),
        (lambda: one.multiply(KEY, 2.0), r"factors\[0\]\[0\]: got float"),
        (lambda: one.multiply(KEY, None), r"factors\[0\]\[0\]: got NoneType"),
        (lambda: one.hash_to_curve("text", "tag"), r"messages\[0\]: got str, wanted bytes"),
        (lambda: one.hash_to_curve(b"", b"tag"), "domain: got bytes, wanted str"),
        (lambda: one.hash_to_curve(b"", None), "domain: got NoneType, wanted str"),
        (lambda: bls.hash_to_curve([b""]), "domain"),
        (lambda: one.map_to_curve(5), r"elements\[0\]: got int"),
        (lambda: one.precompile("g1add", "00"), r"inputs\[0\]: got str"),
    ],
)
def test_wrong_types(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: equihash.verify([INPUT], [SOLUTION], n=47), "n is 47; it must be a multiple of 8"),
        (lambda: equihash.verify([INPUT], [SOLUTION], n=48, k=10), "n must be a multiple of k"),
        (lambda: equihash.verify([INPUT], [SOLUTION], k=2), "`k`: 3 to 32 is expected"),
        (lambda: equihash.verify([INPUT], [SOLUTION], n=-48), "`n`: 8 to 512 is expected"),
        (lambda: equihash.verify([INPUT], [SOLUTION], n=1 << 64), "`n`: 8 to 512 is expected"),
        (lambda: equihash.verify([INPUT], [SOLUTION], n="x"), "`n`: 8 to 512 is expected"),
        (lambda: equihash.verify([INPUT], [SOLUTION], difficulty="no"), "`difficulty`: one of false"),
        (lambda: equihash.verify([INPUT], [memoryview(SOLUTION * 2)[::2]]), r"solutions\[0\]: "),
        (lambda: equihash.verify([INPUT], [SOLUTION] * 2), "got 1 headers and 2 solutions"),
        (lambda: equihash.verify([INPUT] * 4, TABLE[:, 1:]), "solutions: .* not contiguous"),
        (lambda: equihash.verify([INPUT] * 4, np.asfortranarray(TABLE)), "not contiguous"),
        (lambda: equihash.solve(INPUT, 48, 6), "n must be a multiple"),
        (lambda: equihash.solve(INPUT, memory_limit=-1), "memory_limit: got -1"),
        (lambda: equihash.solve(INPUT, 200, 9, memory_limit=10**6), "the limit is 1000000"),
        (lambda: equihash.indices(SOLUTION), "solution: expected 1344 bytes"),
        (lambda: equihash.minimal([1, 2], 48, 5), "indices: expected 32 indices"),
        (lambda: equihash.minimal([512] * 32, 48, 5), "indices: index 0 is 512"),
        (lambda: equihash.minimal([-1] * 32, 48, 5), "indices: got -1, wanted integers from 0"),
        (lambda: equihash.minimal([1 << 32] * 32, 48, 5), "indices: got 4294967296"),
        (lambda: equihash.Header(INPUT), "data: at byte 140: unexpected end"),
        (lambda: equihash.Header(INPUT, 200), "n, k: got one of them"),
        (lambda: ecdsa.verify(KEY, DIGEST, COMPACT, "DER"), "format: got \"DER\", wanted \"der\""),
        (lambda: ecdsa.verify(KEY, b"", COMPACT), r"ts\[0\]: got 0 bytes, wanted a digest of 32"),
        (lambda: ecdsa.verify(memoryview(KEY)[::2], DIGEST, COMPACT), "keys.* not contiguous"),
        (lambda: ecdsa.verify_many([KEY], [DIGEST] * 2, [COMPACT]),
         "got 1 keys, 2 digests and 1 signatures"),
        (lambda: ecdsa.verify_many([KEY] * 2, [DIGEST, b""], [COMPACT] * 2), r"ts\[1\]: got 0 bytes"),
        (lambda: ecdsa.verify_many(TABLE[:, :33], [DIGEST] * 4, [COMPACT] * 4), "keys: .* contig"),
        (lambda: one.recover(DIGEST, COMPACT, "yellow"), "`numbering`: one of plain, ethereum is exp"),
        (lambda: one.recover(DIGEST, COMPACT, low_s="no"), "`low-s`: one of false, true is expected"),
        (lambda: one.recover(DIGEST, COMPACT, low_s=1), "`low-s`: one of false, true is expected"),
        (lambda: secp256k1.recover([DIGEST], [COMPACT], answer="y"), "`answer`: one of key, address is"),
        (lambda: secp256k1.recover([DIGEST], []), "got 1 digests and 0 signatures, wanted"),
        (lambda: secp256k1.verify_schnorr([DIGEST], [], []), "got 1 keys, 0 messages and 0 signatur"),
        (lambda: secp256k1.verify_schnorr(TABLE[:, :32], [b""] * 4, [COMPACT] * 4), "keys: .* contig"),
        (lambda: one.verify(KEY, b"", COMPACT, "POP"), "`scheme`: one of basic, aug, pop is expected"),
        (lambda: one.verify(KEY, b"", COMPACT, group="pk"), "`group`: one of min-pk, min-sig is exp"),
        (lambda: bls.verify_signature([KEY], [b""] * 2, [KEY]), "got 1 keys, 2 messages and 1 sig"),
        (lambda: bls.verify_aggregate([[KEY]], [], []), "got 1 keys, 0 messages and 0 signatures"),
        (lambda: bls.verify_aggregate_of_messages([[KEY]], [[b""]], []), "got 1 keys and 0 signatures"),
        (lambda: bls.verify_possession([KEY], []), "got 1 keys and 0 proofs"),
        (lambda: one.pairing([KEY], [COMPACT]), "item 0: `pairs`: element 0: 48 to 96 bytes are expec"),
        (lambda: one.pairing_check([bytes(48)], [bytes(96)]), "element 0: .*the flags 0b000 are not"),
        (lambda: one.add([bytes(48)]), "item 0: element 0: the flags 0b000 are not those of"),
        (lambda: one.add([KEY]), "item 0: `points`: element 0: 48 to 192 bytes are expected, got 33"),
        (lambda: one.add([], "g3"), "`group`: one of g1, g2 is expected"),
        (lambda: one.hash_to_curve(b"", ""), "`domain`: the tag is empty"),
        (lambda: one.hash_to_curve(b"", "t" * 1025), "`domain`: .*1024"),
        (lambda: one.hash_to_curve(b"", "tag", encode="no"), "`encode`: one of false, true is expected"),
        (lambda: one.map_to_curve(bytes(47)), "item 0: .* the field of G1 has 48 bytes, not 47"),
        (lambda: one.map_to_curve(b"\xff" * 96, "g2"), "item 0: element 0 is not below the modulus"),
        (lambda: one.precompile(11, b""), "`name`: one of g1add, g1msm, g2add, g2msm, pairing_check"),
        (lambda: ecdsa.Verifier(cached_keys=-1), "cached_keys: got -1"),
        (lambda: ecdsa.Verifier(cached_keys=1 << 40), "cached_keys: got 1099511627776, at most"),
    ],
)
def test_wrong_values(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_a_device_that_was_closed() -> None:
    device = halimede.Device("cpu")
    calls: list[Callable[[], Any]] = [
        lambda: equihash.verify([INPUT], [SOLUTION], device=device),
        lambda: ecdsa.verify(KEY, DIGEST, COMPACT, "compact", device=device),
        lambda: halimede.zcash.verify_headers(b"", device=device),
        lambda: one.recover(DIGEST, COMPACT, device=device),
        lambda: one.verify_schnorr(DIGEST, b"", COMPACT, device=device),
        lambda: one.verify(KEY, b"", COMPACT, device=device),
        lambda: one.pairing([], [], device=device),
        lambda: one.add([], device=device),
        lambda: one.hash_to_curve(b"", "tag", device=device),
        lambda: one.map_to_curve(bytes(48), device=device),
        lambda: one.precompile("g1add", bytes(256), device=device),
        lambda: bls.verify_aggregate([], [], [], device=device),
        lambda: bls.verify_aggregate_of_messages([], [], [], device=device),
        lambda: bls.verify_possession([], [], device=device),
        lambda: bls.pairing_check([], [], device=device),
        lambda: bls.sum_of_multiples([], [], device=device),
    ]
    for call in calls:
        call()
    device.close()
    for call in calls:
        with pytest.raises(ValueError, match="device cpu has been closed"):
            call()
