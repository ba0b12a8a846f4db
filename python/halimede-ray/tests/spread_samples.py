# SPDX-License-Identifier: Apache-2.0 OR MIT
"""For the tests of distributed work: files of leaves and of records, some of which are bad, and a
pool that works in a random order."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Any

from curve_vectors import ORDER, bip340, key_of, sign
from engines.secp256k1.model import ecdsa as model
from engines.secp256k1.model.curve import G, N, multiply
from halimede import equihash, secp256k1
from halimede_ray._tasks import LocalPool, Task
from pathlib import Path

BLOCK = Path(__file__).resolve().parents[3] / "engines/zcash/vectors/zcash_block_346.hex"


class Backwards(LocalPool):
    """Computes tasks in a random order, some of them twice, and yields results in order."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._random = random.Random(seed)
        self.computed = 0

    def map(self, tasks: Iterable[Task], count: int, *, progress: Any = False) -> Iterator[Any]:
        listed = list(tasks)
        assert len(listed) == count
        order = [*range(count), *self._random.choices(range(count), k=count // 2)]
        self._random.shuffle(order)
        results = {}
        for number in order:
            self.computed += 1
            results[number] = next(super().map([listed[number]], 1))
        return (results[number] for number in range(count))


def leaves(count: int, seed: int) -> bytes:
    """Leaves below 2**254."""
    generator = random.Random(seed)
    return b"".join(generator.getrandbits(254).to_bytes(32, "little") for _ in range(count))


def schnorr_records(count: int, seed: int) -> tuple[bytes, dict[int, str]]:
    """Records from rows of BIP 340's table, and the reasons of the bad ones."""
    rows = [
        [bytes.fromhex(row[name]) for name in ("public key", "message", "signature")]
        for row in bip340() if len(row["message"]) == 64
    ]
    chosen = random.Random(seed).choices(rows, k=count)
    verdicts = secp256k1.verify_schnorr(*zip(*chosen))
    return b"".join(map(b"".join, chosen)), {row: str(verdict.reason) for row, verdict in verdicts.invalid()}


def records_of(kind: str) -> tuple[bytes, set[int]]:
    """Records of a kind, and the numbers of the corrupted ones."""
    generator = random.Random(kind)
    records = [bytearray(_record(kind, generator)) for _ in range(7)]
    bad = {1, 4, 6}
    for number in bad:
        # A byte near the end, in the signature or the solution.
        records[number][-20] ^= 1 << generator.randrange(8)
    return b"".join(records), bad


def _record(kind: str, generator: random.Random) -> bytes:
    if kind == "equihash":
        header = equihash.Header(bytes.fromhex(BLOCK.read_text())[:1487])
        return header.input + header.solution
    message = generator.randbytes(32)
    if kind == "bls":
        secret = generator.randrange(1, ORDER)
        return key_of(secret, "min-pk") + message + sign(secret, message, "pop", "min-pk")
    secret = generator.randrange(1, N)
    key = multiply(secret, G)
    assert key is not None
    made = model.sign(secret, generator.randrange(1, N), int.from_bytes(message, "big"))
    signature = made.r.to_bytes(32, "big") + made.s.to_bytes(32, "big")
    return bytes([2 + key[1] % 2]) + key[0].to_bytes(32, "big") + message + signature
