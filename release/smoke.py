# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs every engine of an installed Python package on good and on bad inputs.

    python release/smoke.py             # with the Python of the environment that has the package
    python release/smoke.py --no-nn     # without the package onnx

Expected answers are the published ones in the engines' folders, or follow from them. Each engine
also gets an input that it must refuse. Prints one line with the time of each engine; exits with 1
if an answer is wrong.
"""

from __future__ import annotations

import argparse
import gzip
import json
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python/tests"))

import curve_vectors  # noqa: E402
import curves  # noqa: E402
import halimede  # noqa: E402
import numpy as np  # noqa: E402
from halimede import ckks  # noqa: E402

RANDOM = np.random.default_rng(7)


def flipped(data: bytes, bit: int) -> bytes:
    """The bytes with one bit changed."""
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def poseidon() -> None:
    """Starknet's published hash; Filecoin's hash singly and in lanes; a tree; an invalid
    element."""
    digest = 0x5D44A3DECB2B2E0CC71071F7B802F45DD792D064F0FC7316C46514F70F9891A
    assert halimede.starknet.hash(1, 2) == digest
    preimages = RANDOM.integers(1 << 62, size=(41, 8, 4), dtype=np.uint64)
    digests = halimede.poseidon.hash(preimages)
    alone = [halimede.poseidon.hash(row[np.newaxis])[0] for row in preimages]
    assert (digests == np.array(alone)).all() and len({row.tobytes() for row in digests}) == 41
    level = halimede.poseidon.hash(digests[:8][np.newaxis])
    root = halimede.poseidon.tree_root(preimages[:8].reshape(64, 4), arity=8)
    assert root == int.from_bytes(level[0].tobytes(), "little")
    refuses(lambda: halimede.poseidon.hash(b"\xff" * 64, arity=2))


def blake3() -> None:
    """The official vectors, one at a time and together."""
    cases = json.loads((ROOT / "engines/blake3/vectors/blake3.json").read_text())["cases"]
    messages = [bytes(index % 251 for index in range(case["input_len"])) for case in cases]
    expected = [case["hash"][:64] for case in cases]
    assert [halimede.blake3.hash(message).hex() for message in messages] == expected
    together = halimede.blake3.hash_many(messages)
    assert [bytes(row).hex() for row in together] == expected
    refuses(lambda: halimede.blake3.hash(b"", key=bytes(31)))


def equihash() -> None:
    """A puzzle's solution, and one with a bit changed."""
    number, found = 0, []
    while not found:
        header = number.to_bytes(140, "little")
        found, number = halimede.equihash.solve(header, 48, 5), number + 1
    solutions = [found[0], flipped(found[0], 77)]
    verdicts = halimede.equihash.verify([header] * 2, solutions, n=48, k=5, difficulty=False)
    assert verdicts.valid.tolist() == [True, False]


def secp256k1() -> None:
    """BIP 340's table, and recovered keys, with which the signatures are valid."""
    rows = [row for row in curve_vectors.bip340() if len(row["public key"]) == 64]
    columns = [[bytes.fromhex(row[name]) for row in rows]
               for name in ("public key", "message", "signature")]
    expected = [row["verification result"] == "TRUE" for row in rows]
    assert halimede.secp256k1.verify_schnorr(*columns).valid.tolist() == expected and True in expected
    digests = [RANDOM.bytes(32) for _ in range(20)]
    signatures = [bytes([1]) * 32 + RANDOM.bytes(30).rjust(32, b"\0") + b"\0" for _ in digests]
    recovered = halimede.secp256k1.recover(digests, signatures)
    signed = [signature[:64] for signature in signatures]
    keys = [b"\x04" + key for key in recovered]
    verifier = halimede.ecdsa.Verifier("compact")
    assert verifier.verify_many(keys, digests, signed).valid.all()
    assert not verifier.verify_many(keys, digests[1:] + digests[:1], signed).valid.any()


def bls12_381() -> None:
    """Signatures, one with another key; KZG of a blob; a Groth16 proof from known secrets."""
    messages = [RANDOM.bytes(40) for _ in range(9)]
    keys = [curve_vectors.key_of(secret, "min-pk") for secret in range(5, 14)]
    signatures = [curve_vectors.sign(secret, message, "pop", "min-pk")
                  for secret, message in zip(range(5, 14), messages)]
    signatures[3] = signatures[4]
    verdicts = halimede.bls12_381.verify_signature(keys, messages, signatures, scheme="pop")
    assert [verdict.outcome for verdict in verdicts] == ["valid"] * 3 + ["mismatch"] + ["valid"] * 5

    name = "verify_blob_kzg_proof/verify_blob_kzg_proof_case_correct_proof_1.yaml.gz"
    case = gzip.decompress((curve_vectors.BLS / "kzg" / name).read_bytes()).decode()
    words = [bytes.fromhex(word.strip("', ")[2:]) for word in case.split() if "0x" in word]
    blob, commitment, proof = words
    setup = halimede.Object("kzg-setup", curve_vectors.setup_text())
    verdicts = halimede.kzg.verify_blob(
        setup, [blob, flipped(blob, 8 * 1000)], [commitment] * 2, [proof] * 2)
    assert verdicts.valid.tolist() == [True, False]

    order, (g1, g2) = curve_vectors.ORDER, curve_vectors.generators()
    alpha, beta, gamma, delta, one, term = 3, 5, 7, 11, 13, 17
    first = [curve_vectors.uncompressed_g1(curves.multiply(g1, number))
             for number in (alpha, beta, delta, one, term)]
    second = [curve_vectors.uncompressed_g2(curves.multiply(g2, number, "g2"))
              for number in (beta, gamma, delta)]
    key = halimede.Object("groth16-key", b"".join([
        first[0], first[1], second[0], second[1], first[2], second[2], (2).to_bytes(4, "big"),
        *first[3:]]))
    a, b, value = 19, 23, 29
    c = (a * b - alpha * beta - (one + term * value) * gamma) * pow(delta, -1, order) % order
    made = curves.multiply(g1, a) + curves.multiply(g2, b, "g2") + curves.multiply(g1, c)
    verdicts = halimede.groth16.verify(key, [made] * 2, [[value], [value + 1]])
    assert verdicts.valid.tolist() == [True, False]


def zcash() -> None:
    """Block 346, whole and with a bit of a transaction changed."""
    block = bytes.fromhex((ROOT / "engines/zcash/vectors/zcash_block_346.hex").read_text())
    report = halimede.zcash.verify_block(block, height=346)
    assert report["verdict"] == "valid" and report["unchecked"] == []
    report = halimede.zcash.verify_block(flipped(block, 8 * len(block) - 40))
    assert report["verdict"] == "invalid"
    assert not halimede.zcash.verify_headers(flipped(block[:1487], 8 * 200))[0]


def computing_on_encrypted_vectors() -> None:
    """A polynomial of two vectors and a rotation, with small parameters and with secure ones."""
    for name in ("n13-insecure", "n14"):
        client = ckks.Client(name)
        server = client.server(multiply=True, rotations=[*ckks.sum_rotations(8)])
        v, w = RANDOM.uniform(-5, 5, size=(2, 8))
        x, y = (server.bind(client.encrypt(values, bound=5)) for values in (v, w))
        assert np.allclose(client.decrypt(3 * x * y - y), 3 * v * w - w, atol=1e-4)
        assert np.allclose(client.decrypt(x @ y), v @ w, atol=1e-4)
    sealed = client.encrypt(v, bound=5).to_bytes()
    refuses(lambda: server.load(sealed[:-1]))


def neural_networks() -> None:
    """A linear layer, an activation and another layer from an ONNX model, as in plaintext."""
    from halimede import nn
    from onnx import TensorProto, helper, numpy_helper

    a, b = RANDOM.uniform(-1, 1, (4, 3)), RANDOM.uniform(-1, 1, (3, 2))
    nodes = [helper.make_node("Gemm", ["x", "a"], ["hidden"]),
             helper.make_node("Relu", ["hidden"], ["positive"]),
             helper.make_node("Gemm", ["positive", "b"], ["y"])]
    ends = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, width])]
            for name, width in (("x", 4), ("y", 2))]
    tensors = [numpy_helper.from_array(tensor.astype(np.float32), name)
               for name, tensor in (("a", a), ("b", b))]
    graph = helper.make_graph(nodes, "network", *ends, tensors)
    samples = RANDOM.uniform(-1, 1, (50, 4))
    model = nn.compile(helper.make_model(graph).SerializeToString(), samples, "n13-insecure",
                       degree=7, guard=False)
    client = model.client()
    server = model.server(client.evaluation_keys())
    for sample in samples[:2]:
        values = client.decrypt(server.run(client.encrypt(sample))).values
        assert np.allclose(values, np.maximum(sample @ a, 0) @ b, atol=0.2), values
    refuses(lambda: nn.compile(b"no model", samples, "n13-insecure"))


def refuses(call: Callable[[], object]) -> None:
    """Checks that a bad input raises ValueError."""
    try:
        call()
    except ValueError:
        return
    raise AssertionError("a bad input was accepted")


ENGINES = (poseidon, blake3, equihash, secp256k1, bls12_381, zcash,
           computing_on_encrypted_vectors, neural_networks)


def main() -> int:
    """Runs all engines; returns 0 if all answers are right, or 1."""
    parser = argparse.ArgumentParser(description="Runs every engine of the installed package.")
    parser.add_argument("--no-nn", action="store_true", help="skip the engine that needs onnx")
    arguments = parser.parse_args()
    folder = Path(halimede.__file__).parent
    if folder.is_relative_to(ROOT / "python"):
        print("error: this is not an installed package", file=sys.stderr)
        return 1
    cpu = halimede.devices()[0]
    print(f"halimede {halimede.__version__}, Python {platform.python_version()} on "
          f"{platform.machine()}: {cpu['description']}")
    failed = 0
    for engine in ENGINES:
        if arguments.no_nn and engine is neural_networks:
            continue
        start = time.monotonic()
        try:
            engine()
            outcome = "right"
        except Exception as error:  # continues with the other engines
            outcome, failed = f"WRONG: {type(error).__name__}: {error}", failed + 1
        print(f"{engine.__name__:32}{time.monotonic() - start:6.2f} s  {outcome}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
