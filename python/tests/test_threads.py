# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Other threads, Ctrl-C, forked children, and memory."""

import contextlib
import multiprocessing
import subprocess
import sys
from pathlib import Path
from typing import Any

import halimede
import numpy as np
import pytest
from curve_vectors import (
    generators, key_of, setup_text, sign, uncompressed_g1, uncompressed_g2,
)
from turns import LIMIT, growth, in_threads, interrupted_after, turns_during


def states(rows: int) -> Any:
    return np.random.default_rng(rows).integers(1 << 58, size=(rows, 3, 4), dtype=np.uint64)


@pytest.mark.parametrize("rows", [1000, 100_000])
def test_other_threads_run_meanwhile(rows: int) -> None:
    values = states(rows)

    def work() -> None:
        for _ in range(max(1, 100_000 // rows)):
            halimede.poseidon.permute(values)

    assert turns_during(work) > 1000


def test_other_threads_run_while_pairings_are_computed() -> None:
    keys = [key_of(secret, "min-pk") for secret in range(1, 9)]
    signatures = [sign(secret, b"message", "pop", "min-pk") for secret in range(1, 9)]

    def work() -> None:
        for _ in range(4):
            assert halimede.bls12_381.verify_signature(keys, [b"message"] * 8, signatures).all()
            assert halimede.bls12_381.pairing_product([[]], [[]])[0]

    assert turns_during(work) > 1000


def test_threads_share_a_device() -> None:
    values = states(3000)
    expected = halimede.poseidon.permute(values, "stark-3")
    with halimede.Device("cpu") as device:
        answers = in_threads(lambda _: halimede.poseidon.permute(values, "stark-3", device), range(8))
    assert len(answers) == 8 and all(np.array_equal(answer, expected) for answer in answers)


def test_threads_share_a_hasher() -> None:
    hasher = halimede.starknet.Hasher()
    ones = np.tile(np.array([1, 0, 0, 0], np.uint64), (6000, 1))

    def work(_: int) -> None:
        for _ in range(4):
            hasher.update(ones)
            hasher.copy().digest()

    in_threads(work, range(4))
    assert hasher.digest() == halimede.starknet.hash_many([1] * 6000 * 16)


def test_threads_share_a_blake3_hasher() -> None:
    hasher = halimede.blake3.Hasher()
    pieces = [bytes([1]) * 1000, bytes([1]) * 200_000, bytes([1]) * 2_000_000]

    def work(_: int) -> None:
        for piece in pieces:
            hasher.update(piece)
            hasher.copy().digest()

    in_threads(work, range(4))
    # All bytes are equal, so the order does not matter, but none may be lost.
    assert hasher.digest() == halimede.blake3.hash(b"".join(pieces) * 4)


def test_threads_hash_side_by_side() -> None:
    data = np.random.default_rng(3).integers(0, 256, 3_000_000, np.uint8)
    expected = halimede.blake3.hash(data)
    rows = halimede.blake3.hash_many(data.reshape(-1, 100))

    def work(_: int) -> None:
        for _ in range(5):
            assert (halimede.blake3.hash_many(data.reshape(-1, 100)) == rows).all()
            assert halimede.blake3.hash(data) == expected

    in_threads(work, range(8))


def key_of_generators(terms: int) -> str:
    """A Groth16 key with terms - 1 inputs; all points are the generators of their groups."""
    g1, g2 = (uncompressed(point) for point, uncompressed in zip(
        generators(), (uncompressed_g1, uncompressed_g2)))
    return (g1 + g1 + g2 + g2 + g1 + g2 + terms.to_bytes(4, "big") + g1 * terms).hex()


KEY_OF_MANY = key_of_generators(600)


INTERRUPTED = f"""
KEY = "{key_of_generators(1)}"
""" + """
import os, signal, sys, threading, time
import numpy as np
import halimede

# A shell's background jobs are started with the signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
values = np.arange(2**24, dtype=np.uint64).reshape(-1, 4)
# All of it is the same page until it is written.
nothing = np.zeros(4 << 30, np.uint8)
work = {
    "permute": lambda: halimede.poseidon.permute(values[: 12 * 2**18].reshape(-1, 12, 4),
    "filecoin-11"), "hash": lambda: halimede.poseidon.hash(values.reshape(-1, 8, 4)), "tree":
    lambda: halimede.poseidon.tree_root(values, 2), "file": lambda:
    halimede.poseidon.tree_root(sys.argv[2], 2), "stream": lambda: halimede.starknet.Hasher(values),
    "blake3": lambda: halimede.blake3.hash(nothing), "blake3-output": lambda:
    halimede.blake3.hash(b"", length=1 << 30), "blake3-many": lambda:
    halimede.blake3.hash_many(values.view(np.uint8).reshape(-1, 4)), "blake3-stream": lambda:
    halimede.blake3.Hasher(nothing), "equihash": lambda: halimede.equihash.verify(
    np.zeros((2**20, 9), np.uint8), np.zeros((2**20, 36), np.uint8), n=48, k=5, difficulty=False), "solve": lambda: halimede.equihash.solve(b"an input",
    200, 9), "ecdsa": lambda: halimede.ecdsa.verify_many(
        np.full((2**20, 33), 2, np.uint8), np.ones((2**20, 32), np.uint8),
        np.ones((2**20, 64), np.uint8), "compact"),
    "schnorr": lambda: halimede.secp256k1.verify_schnorr(
        np.full((2**20, 32), 1, np.uint8), values[: 2**20].view(np.uint8).reshape(2**20, 32),
        np.ones((2**20, 64), np.uint8)),
    "recover": lambda: halimede.secp256k1.recover(
        np.ones((2**20, 32), np.uint8), np.ones((2**20, 65), np.uint8)),
    "bls": lambda: halimede.bls12_381.verify_signature(
        [g1] * 2**16, values[: 2**16].view(np.uint8).reshape(2**16, 32), [g2] * 2**16),
    "aggregates": lambda: halimede.bls12_381.verify_aggregate(
        [[g1] * 8] * 2**15, values[: 2**15].view(np.uint8).reshape(2**15, 32), [g2] * 2**15),
    "groth16": lambda: halimede.groth16.verify(key, [g1 + g2 + g1] * 2**16, [b""] * 2**16),
    "openings": lambda: halimede.kzg.verify_proof(
        setup, [g1] * 2**15, [bytes(32)] * 2**15, [bytes(32)] * 2**15, [g1] * 2**15),
    "pairings": lambda: halimede.bls12_381.pairing_product([[g1] * 4] * 2**13, [[g2] * 4] * 2**13),
    "sums": lambda: halimede.bls12_381.sum_of_multiples(
        [[g2] * 32] * 2**12, values[: 2**17].view(np.uint8).reshape(2**12, 32, 32), group="g2"),
    "hashes": lambda: halimede.bls12_381.hash_to_curve(
        values[: 2**18].view(np.uint8).reshape(-1, 32), domain="tag", group="g2"),
    "precompiles": lambda: halimede.bls12_381.precompile([bytes(128)] * 2**17, name="map_fp2_to_g2"),
}[sys.argv[1]]
g1 = halimede.bls12_381.map_to_curve([bytes(48)])[0]
g2 = halimede.bls12_381.map_to_curve([bytes(96)], group="g2")[0]
key = halimede.Object("groth16-key", bytes.fromhex(KEY))
if sys.argv[1] == "openings":
    setup = halimede.Object("kzg-setup", sys.argv[3])
if sys.argv[1] == "file":
    values.tofile(sys.argv[2])
threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    work()
except KeyboardInterrupt:
    print(time.monotonic() - start)
"""


@pytest.mark.parametrize("what", [
    "permute", "hash", "tree", "file", "stream",
    "blake3", "blake3-output", "blake3-many", "blake3-stream", "equihash", "solve", "ecdsa",
    "schnorr", "recover", "bls", "aggregates", "groth16", "openings", "pairings", "sums", "hashes",
    "precompiles",
])
def test_ctrl_c_ends_long_work(what: str, tmp_path: Path) -> None:
    setup = tmp_path / "trusted_setup.txt"
    if what == "openings":
        setup.write_bytes(setup_text())
    assert interrupted_after(INTERRUPTED, what, str(tmp_path / "leaves"), str(setup)) < 15


def test_numpys_tables_are_loaded_before_the_first_call() -> None:
    """A Ctrl-C during their loading would panic in the middle of a call."""
    program = """
import numpy as np
import halimede

def interrupted(*_):
    raise KeyboardInterrupt

np.lib.NumpyVersion = interrupted
print(halimede.blake3.hash(np.zeros(3, np.uint8)).hex())
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=LIMIT
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == halimede.blake3.hash(bytes(3)).hex()


def long_blake3() -> list[Any]:
    """Digests of a batch and of long messages, which use all cores."""
    data = np.random.default_rng(1).integers(0, 256, 10**6, np.uint8)
    hasher = halimede.blake3.Hasher(data)
    digests = halimede.blake3.hash_many(data, range(0, 10**6 + 1, 100))
    return [halimede.blake3.hash(data), hasher.digest(), digests.tobytes()]


BLOCK_346 = (
    Path(__file__).resolve().parents[2] / "engines/zcash/vectors/zcash_block_346.hex"
).read_text()
VERIFIER = halimede.ecdsa.Verifier("compact")
SIGNED = [
    [key_of(3, "min-pk"), key_of(4, "min-pk")], [b"a", b"b"],
    [sign(3, b"a", "basic", "min-pk"), sign(4, b"c", "basic", "min-pk")],
]


def verdicts() -> list[Any]:
    """Verdicts on many solutions, signatures and headers, and on a block."""
    generator, block = np.random.default_rng(2), bytes.fromhex(BLOCK_346)
    bad = generator.integers(0, 256, (3000, 36), np.uint8)
    keys = np.full((3000, 33), 2, np.uint8)
    # Some of them are the x-coordinate of a point.
    keys[:, 1:] = generator.integers(0, 256, (3000, 32), np.uint8)
    signatures = generator.integers(0, 256, (3000, 64), np.uint8)
    found = VERIFIER.verify_many(keys, bad[:, :32].copy(), signatures)
    headers = halimede.zcash.verify_headers([block[:1487]] * 600)
    report = halimede.zcash.verify_block(BLOCK_346)
    more = [
        halimede.secp256k1.verify_schnorr(keys[:, 1:].copy(), bad, signatures).outcomes.tobytes(),
        halimede.secp256k1.recover(
            bad[:, :32].copy(), np.insert(signatures, 64, 1, 1)).array.tobytes(),
        halimede.bls12_381.verify_signature(
            SIGNED[0] * 40, SIGNED[1] * 40, SIGNED[2] * 40).outcomes.tobytes(),
        halimede.bls12_381.verify_possession(SIGNED[0], SIGNED[2]).outcomes.tobytes(),
        halimede.bls12_381.sum([SIGNED[2] * 100], group="g2")[0],
        halimede.bls12_381.sum_of_multiples([SIGNED[0] * 100], [range(200)])[0],
        halimede.bls12_381.pairing_product([SIGNED[0] * 20], [SIGNED[2] * 20])[0],
        halimede.bls12_381.verify_aggregate(
            [SIGNED[0] * 100], [b"a"], SIGNED[2][:1]).outcomes.tobytes(),
        halimede.bls12_381.verify_aggregate_of_messages(
            [SIGNED[0] * 100], [SIGNED[1] * 100], SIGNED[2][:1]).outcomes.tobytes(),
        halimede.Object("groth16-key", bytes.fromhex(KEY_OF_MANY)).numbers,
    ]
    return [
        *more, halimede.equihash.verify([block[:140]] * len(bad), bad, n=48, k=5).outcomes.tobytes(),
        found.outcomes.tobytes(), headers, report["verdict"], report["hash"],
    ]


def in_child(queue: Any, device: halimede.Device) -> None:
    """The work of a forked child: it hashes, and cannot use its parent's device."""
    digest = halimede.starknet.hash(1, 2)
    many = halimede.starknet.hash_single([5] * 20_000)[-1]
    try:
        halimede.starknet.hash(1, 2, device)
        refused = ""
    except halimede.DeviceError as error:
        refused = str(error)
    queue.put((digest, many, refused, long_blake3(), verdicts()))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_forked_children_hash() -> None:
    expected = (halimede.starknet.hash(1, 2), halimede.starknet.hash_single([5] * 20_000)[-1])
    found = verdicts()
    assert len(set(found[1])) > 1
    context: Any = multiprocessing.get_context("fork")
    with halimede.Device("cpu") as device:
        queue = context.Queue()
        child = context.Process(target=in_child, args=(queue, device))
        child.start()
        try:
            digest, many, refused, digests, found_there = queue.get(timeout=LIMIT)
            child.join(LIMIT)
        finally:
            child.kill()
        assert (digest, many) == expected and digests == long_blake3() and found_there == found
        assert "forked" in refused and child.exitcode == 0
        assert halimede.starknet.hash(1, 2, device) == expected[0]


def test_nothing_leaks_in_a_thousand_calls() -> None:
    values = states(64)
    data, hasher = values.tobytes(), halimede.starknet.Hasher()
    device, header = halimede.Device("cpu"), bytes.fromhex(BLOCK_346)[:1487]

    def calls() -> None:
        halimede.poseidon.permute(values, "stark-3", device)
        halimede.poseidon.permute(data, "stark-3")
        halimede.starknet.hash_single(values[:, 0].copy())
        halimede.starknet.hash_many(values.reshape(-1, 4), [0, 64, 192])
        hasher.copy().update(values[0])
        halimede.blake3.hash_many([data, values, bytearray(data)])
        halimede.blake3.hash_many(data, [0, 100, 6000], key=data[:32])
        halimede.blake3.Hasher(data, context="leaks").copy().digest(1000)
        halimede.equihash.verify([data[:140]] * 9, [data[:36]] * 9, n=48, k=5)
        halimede.equihash.Header(header)
        VERIFIER.verify_many([data[:33]] * 9, [data[:32]] * 9, [data[:64]] * 9)
        halimede.zcash.verify_block(BLOCK_346)
        halimede.secp256k1.verify_schnorr([data[:32]] * 9, [data[:32]] * 9, [data[:64]] * 9)
        halimede.secp256k1.recover([data[:32]] * 9, [data[:65]] * 9, answer="address")
        halimede.bls12_381.sum([[bytes(48)] * 3, []])
        halimede.bls12_381.sum_of_multiples([[]], [np.zeros((0, 32), np.uint8)])
        with contextlib.suppress(ValueError):
            halimede.bls12_381.sum_of_multiples([[data[:48]] * 2], [[1, -1]])
        with pytest.raises(ValueError):
            halimede.poseidon.permute(values, "stark-4")

    # A leak of one answer per call would be 2 to 6 MB.
    objects, peak = growth(calls, 1000)
    assert objects < 100_000 and peak < 2_000_000
