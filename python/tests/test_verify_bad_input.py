# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What Equihash, ECDSA, Schnorr and BLS12-381 do not take is refused with what was got and what was
wanted."""

from __future__ import annotations

from typing import Any, Callable

import halimede
import numpy as np
import pytest

equihash: Any = halimede.equihash
ecdsa: Any = halimede.ecdsa
schnorr: Any = halimede.schnorr
bls: Any = halimede.bls
INPUT = bytes(range(140))
SOLUTION = bytes(range(36))
TABLE = np.arange(36 * 4, dtype=np.uint8).reshape(4, 36)
KEY, DIGEST, COMPACT = b"\2" + bytes(range(32)), bytes(range(32)), bytes(range(64))


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: equihash.verify("text", SOLUTION, 48, 5), r"inputs\[0\]: got str, wanted bytes"),
        (lambda: equihash.verify(INPUT, None, 48, 5), r"solutions\[0\]: got NoneType"),
        (lambda: equihash.verify(INPUT, SOLUTION, "48", 5), "n: got '48', wanted an integer"),
        (lambda: equihash.verify(INPUT, SOLUTION, 48, 5.0), "k: got 5.0, wanted an integer"),
        (lambda: equihash.verify(INPUT, SOLUTION, 48, 5, "cpu"), "positional argument"),
        (lambda: equihash.verify(INPUT, SOLUTION, 48, 5, device="cpu"), "wanted a halimede.Device"),
        (lambda: equihash.verify_many(INPUT, SOLUTION, 48, 5), "solutions: got one buffer of 1"),
        (lambda: equihash.verify_many(INPUT, None, 48, 5), "solutions: got NoneType, wanted a"),
        (lambda: equihash.verify_many(None, [SOLUTION], 48, 5), "inputs: got NoneType, wanted one"),
        (lambda: equihash.verify_many(INPUT, TABLE[None], 48, 5), "got one buffer of 3 axes"),
        (lambda: equihash.verify_many(TABLE[None], [SOLUTION], 48, 5), "inputs: .* 3 axes"),
        (lambda: equihash.verify_many([INPUT, 7], [SOLUTION] * 2, 48, 5), r"inputs\[1\]: got int"),
        (lambda: equihash.verify_many(INPUT, np.array([[None]]), 48, 5), "array of objects"),
        (lambda: equihash.solve(7), "input: got int"),
        (lambda: equihash.solve(INPUT, memory_limit="1G"), "memory_limit: got '1G'"),
        (lambda: equihash.indices("text"), "solution: got str"),
        (lambda: equihash.minimal([1.5] * 32, 48, 5), r"indices: got float64\[32\]"),
        (lambda: equihash.minimal([[1]], 48, 5), r"indices: got int64\[1, 1\]"),
        (lambda: equihash.Header(None), "data: got NoneType"),
        (lambda: ecdsa.verify("key", DIGEST, COMPACT), "key: got str, wanted bytes"),
        (lambda: ecdsa.verify(KEY, None, COMPACT), "digest: got NoneType"),
        (lambda: ecdsa.verify(KEY, DIGEST, 7), "signature: got int"),
        (lambda: ecdsa.verify(KEY, DIGEST, COMPACT, 7), "str"),
        (lambda: ecdsa.verify(KEY, DIGEST, COMPACT, low_s="no"), "bool"),
        (lambda: ecdsa.verify(KEY, DIGEST, COMPACT, device=7), "wanted a halimede.Device"),
        (lambda: ecdsa.verify_many(KEY, [DIGEST], [COMPACT]), "keys: got one buffer of 1 axes"),
        (lambda: ecdsa.verify_many([KEY], DIGEST, [COMPACT]), "digests: got one buffer of 1 axes"),
        (lambda: ecdsa.verify_many([KEY], [DIGEST], 7), "signatures: got int, wanted a list"),
        (lambda: ecdsa.verify_many([KEY] * 2, [DIGEST, "d"], [COMPACT] * 2), r"ts\[1\]: got str"),
        (lambda: ecdsa.Verifier(cached_keys="1"), "cached_keys: got '1'"),
        (lambda: ecdsa.recover("digest", COMPACT), r"digests\[0\]: got str, wanted bytes"),
        (lambda: ecdsa.recover_many(DIGEST, [COMPACT]), "digests: got one buffer of 1 axes"),
        (lambda: ecdsa.recover(DIGEST, COMPACT, low_s="no"), "bool"),
        (lambda: schnorr.verify(DIGEST, "text", COMPACT), r"messages\[0\]: got str, wanted bytes"),
        (lambda: schnorr.verify_many([DIGEST], [b""], None), "signatures: got NoneType"),
        (lambda: schnorr.verify(DIGEST, b"", COMPACT, device=7), "wanted a halimede.Device"),
        (lambda: bls.verify(7, b"", COMPACT), r"keys\[0\]: got int, wanted bytes"),
        (lambda: bls.verify(KEY, b"", COMPACT, device="cpu"), "wanted a halimede.Device"),
        (lambda: bls.aggregate(KEY), "signatures: got one buffer of 1 axes"),
        (lambda: bls.aggregate_verify([], [], "text"), "signature: got str, wanted bytes"),
        (lambda: bls.verify_aggregates(7, [b""], [b""]), "keys: wanted the keys of each"),
        (lambda: bls.verify_aggregates([KEY], [b""], [b""]), r"keys\[0\]: got one buffer"),
        (lambda: bls.verify_possessions([None], [b""]), r"keys\[0\]: got NoneType"),
        (lambda: bls.pairing([7], [b""]), r"g1\[0\]: got int"),
        (lambda: bls.pairing_check([b""], "g2"), r"g2\[0\]: got str"),
        (lambda: bls.sum_of_multiples([KEY], 7), "scalars: got int, wanted a list of numbers"),
        (lambda: bls.multiply(KEY, "2"), r"scalars\[0\]: got str"),
        (lambda: bls.hash_to_curve("text", b"tag"), "message: got str, wanted bytes"),
        (lambda: bls.hash_to_curve(b"", "tag"), "domain: got str, wanted bytes"),
        (lambda: bls.map_to_curve(5), "element: got int"),
        (lambda: bls.eip2537("g1add", "00"), "input: got str"),
        (lambda: bls.eip2537(11, b""), "str"),
    ],
)
def test_wrong_types(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: equihash.verify(INPUT, SOLUTION), "solutions: row 0: a solution .* has 1344"),
        (lambda: equihash.verify(INPUT, b"", 48, 5), "row 0: a solution of 0 bytes"),
        (lambda: equihash.verify(INPUT, SOLUTION, 47, 5), "n is 47: must be a multiple of 8"),
        (lambda: equihash.verify(INPUT, SOLUTION, 48, 2), "k is 2 with n = 48"),
        (lambda: equihash.verify(INPUT, SOLUTION, 48, 6), "n must be a multiple of k"),
        (lambda: equihash.verify(INPUT, SOLUTION, -48, 5), "n: got -48"),
        (lambda: equihash.verify(INPUT, SOLUTION, 1 << 64, 5), "n: got 18446744073709551616"),
        (lambda: equihash.verify(INPUT, SOLUTION, 1 << 40, 5), "n is 4294967295"),
        (lambda: equihash.verify(INPUT, memoryview(SOLUTION * 2)[::2], 48, 5), r"solutions\[0\]: "),
        (lambda: equihash.verify_many(INPUT, [SOLUTION] * 9 + [INPUT], 48, 5), "row 9: .* 140"),
        (lambda: equihash.verify_many([INPUT], [SOLUTION] * 2, 48, 5), "got 1 inputs and 2 solu"),
        (lambda: equihash.verify_many(INPUT, TABLE[:, 1:], 48, 5), "solutions: .* not contiguous"),
        (lambda: equihash.verify_many(INPUT, np.asfortranarray(TABLE), 48, 5), "not contiguous"),
        (lambda: equihash.verify_many(INPUT, TABLE.astype("u2"), 48, 5), "row 0: a solution of 72"),
        (lambda: equihash.solve(INPUT, 48, 6), "n must be a multiple"),
        (lambda: equihash.solve(INPUT, memory_limit=-1), "memory_limit: got -1"),
        (lambda: equihash.solve(INPUT, 200, 9, memory_limit=10**6), "where 1000000 are allowed"),
        (lambda: equihash.indices(SOLUTION), "solution: a solution of 36 bytes"),
        (lambda: equihash.minimal([1, 2], 48, 5), "indices: 2 indices"),
        (lambda: equihash.minimal([512] * 32, 48, 5), "indices: index 0 is 512"),
        (lambda: equihash.minimal([-1] * 32, 48, 5), "indices: got -1, wanted integers from 0"),
        (lambda: equihash.minimal([1 << 32] * 32, 48, 5), "indices: got 4294967296"),
        (lambda: equihash.Header(INPUT), "data: at byte 140: ends there"),
        (lambda: equihash.Header(INPUT, 200), "n, k: got one of them"),
        (lambda: ecdsa.verify(KEY, DIGEST, COMPACT, "DER"), "format: got \"DER\", wanted \"der\""),
        (lambda: ecdsa.verify(KEY, b"", COMPACT), "digest: got 0 bytes, wanted a digest of 32"),
        (lambda: ecdsa.verify(memoryview(KEY)[::2], DIGEST, COMPACT), "key: .* not contiguous"),
        (lambda: ecdsa.verify_many([KEY], [DIGEST] * 2, [COMPACT]),
         "got 1 keys, 2 digests and 1 signatures"),
        (lambda: ecdsa.verify_many([KEY] * 2, [DIGEST, b""], [COMPACT] * 2), r"ts\[1\]: got 0 bytes"),
        (lambda: ecdsa.verify_many(TABLE[:, :33], [DIGEST] * 4, [COMPACT] * 4), "keys: .* contig"),
        (lambda: ecdsa.recover(DIGEST, COMPACT, "yellow"), 'numbering: got "yellow", wanted "pl'),
        (lambda: ecdsa.recover_many([DIGEST], []), "got 1 digests and 0 signatures, wanted"),
        (lambda: schnorr.verify_many([DIGEST], [], []), "got 1 keys, 0 messages and 0 signatures"),
        (lambda: schnorr.verify_many(TABLE[:, :32], [b""] * 4, [COMPACT] * 4), "keys: .* contig"),
        (lambda: bls.verify(KEY, b"", COMPACT, "POP"), 'scheme: got "POP", wanted "basic", "'),
        (lambda: bls.verify(KEY, b"", COMPACT, group="pk"), 'group: got "pk", wanted "min-pk" or'),
        (lambda: bls.verify_many([KEY], [b""] * 2, [KEY]), "got 1 keys, 2 messages and 1 sig"),
        (lambda: bls.aggregate([]), "signatures: got none"),
        (lambda: bls.verify_aggregates([[KEY]], [], []), "got 1 lists of keys and 0 messages"),
        (lambda: bls.verify_possessions([KEY], []), "got 1 keys and 0 proofs"),
        (lambda: bls.pairing([KEY], []), "got 1 g1 and 0 g2"),
        (lambda: bls.pairing([KEY], [COMPACT]), "g1: row 0: a point of G1 has 48 bytes, not 33"),
        (lambda: bls.add([bytes(48)]), "points: row 0: the flags 0b000 are not those of"),
        (lambda: bls.add([], "g3"), 'curve: got "g3", wanted "g1" or "g2"'),
        (lambda: bls.sum_of_multiples([KEY], []), "got 1 points and 0 scalars"),
        (lambda: bls.multiply(KEY, -1), r"scalars\[0\]: got -1, wanted an integer from 0 to 2"),
        (lambda: bls.multiply(KEY, 1 << 256), r"scalars\[0\]: got 1157"),
        (lambda: bls.multiply(KEY, bytes(31)), r"scalars\[0\]: got 31 bytes, wanted 32"),
        (lambda: bls.hash_to_curve(b"", b""), "the domain separation tag is empty"),
        (lambda: bls.map_to_curve(bytes(47)), "the field of G1 has 48 bytes, not 47"),
        (lambda: bls.map_to_curve(b"\xff" * 96, "g2"), "element 0 is not below the modulus"),
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
        lambda: equihash.verify(INPUT, SOLUTION, 48, 5, device=device),
        lambda: ecdsa.verify(KEY, DIGEST, COMPACT, "compact", device=device),
        lambda: halimede.zcash.verify_headers(b"", device=device),
        lambda: ecdsa.recover(DIGEST, COMPACT, device=device),
        lambda: schnorr.verify(DIGEST, b"", COMPACT, device=device),
        lambda: bls.verify(KEY, b"", COMPACT, device=device),
        lambda: bls.pairing([], [], device=device),
        lambda: bls.add([], device=device),
        lambda: bls.hash_to_curve(b"", b"tag", device=device),
        lambda: bls.map_to_curve(bytes(48), device=device),
        lambda: bls.eip2537("g1add", bytes(256), device=device),
    ]
    for call in calls:
        call()
    device.close()
    for call in calls:
        with pytest.raises(ValueError, match="device cpu has been closed"):
            call()
