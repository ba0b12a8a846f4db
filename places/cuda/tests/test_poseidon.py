# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Poseidon's kernels against the golden models and published vectors."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from engines.poseidon.model import hashes, parameters, poseidon2
from engines.poseidon.model.parameters import FELT, FR, Instance, grain_bits
from engines.poseidon.model.permutation import permute
from places.cuda.kernels.field.primes import PRIMES
from places.cuda.tests import poseidon_tables as tables
from places.cuda.tests.emulation import KERNELS, ROOT, Kernels, Words, from_words, kernels, to_words

RADIX = 2**256
BN254 = PRIMES["Bn254Scalar"][1]
CIRCOM_PARTIAL = (56, 57, 56, 60, 60, 63, 64, 63, 60, 66, 60, 65, 70, 60, 64, 68)
"""The partial rounds of circomlib's widths 2 to 17."""
KERNEL_WIDTHS = {"bls12_381": (3, 5, 9, 12, 24), "bn254": (3, 5, 9, 24)}
VECTORS = ROOT / "engines/poseidon/vectors"


def source() -> Kernels:
    return kernels(KERNELS / "poseidon.cu")


def montgomery(values: list[int], modulus: int) -> Words:
    return to_words([value * RADIX % modulus for value in values], 8)


def plain(words: Words, modulus: int) -> list[int]:
    unscale = pow(RADIX, -1, modulus)
    values = from_words(words)
    assert all(value < modulus for value in values)
    return [value * unscale % modulus for value in values]


def states(instance: Instance, count: int) -> list[list[int]]:
    """Edges, then random states."""
    rng, modulus, width = random.Random(instance.name), instance.modulus, instance.width
    edge = [[0] * width, [modulus - 1] * width, [1, *[0] * (width - 1)], [*range(width)]]
    return (edge + [[rng.randrange(modulus) for _ in range(width)] for _ in range(count)])[:count]


def circom(width: int) -> Instance:
    """circomlib's instance: the LFSR's constants, then its draws for a Cauchy matrix."""
    partial = CIRCOM_PARTIAL[width - 2]
    bits = grain_bits(254, width, 8, partial, sbox=0)

    def draw() -> int:
        return int("".join(str(next(bits)) for _ in range(254)), 2)

    constants: list[int] = []
    while len(constants) < (8 + partial) * width:
        if (value := draw()) < BN254:
            constants.append(value)
    drawn = [draw() % BN254 for _ in range(2 * width)]
    mds = tuple(tuple(pow(x + y, -1, BN254) for y in drawn[width:]) for x in drawn[:width])
    return Instance(f"circom-{width - 1}", BN254, width, 5, 8, partial, 0, tuple(constants), mds)


@lru_cache(maxsize=None)
def table(instance: Instance) -> Words:
    return montgomery(tables.quintic_table(instance), instance.modulus)


def run_quintic(instance: Instance, inputs: list[list[int]], first: int, outputs: int
                ) -> list[list[int]]:
    field = "bls12_381" if instance.modulus == FR else "bn254"
    most = min(width for width in KERNEL_WIDTHS[field] if width >= instance.width)
    memory = montgomery([value for state in inputs for value in state], instance.modulus)
    results = np.zeros((len(inputs) * outputs, 8), dtype=np.uint32)
    source().run(f"poseidon_{field}_{most}", len(inputs), memory, results, len(inputs),
                 instance.width, instance.full_rounds // 2, instance.partial_rounds,
                 table(instance), first, outputs)
    values = plain(results, instance.modulus)
    return [values[start:start + outputs] for start in range(0, len(values), outputs)]


def filecoin_instances() -> Iterator[Instance]:
    for width in parameters.FILECOIN_PARTIAL_ROUNDS:
        yield parameters.filecoin(width)
        yield parameters.filecoin(width, strengthened=True)


@pytest.mark.parametrize("instance", list(filecoin_instances()), ids=lambda instance: instance.name)
def test_filecoin(instance: Instance) -> None:
    inputs = states(instance, 6)
    expected = [permute(instance, state) for state in inputs]
    assert run_quintic(instance, inputs, 0, instance.width) == expected
    assert run_quintic(instance, inputs, 1, 1) == [[state[1]] for state in expected]


def test_filecoin_vectors() -> None:
    vectors = json.loads((VECTORS / "poseidon.json").read_text(encoding="utf-8"))
    seen = set()
    for vector in vectors["filecoin_poseidon"]["vectors"]:
        arity, strengthened = vector["arity"], vector["strength"] != "Standard"
        inputs = [int(text, 16) for text in vector["input"]]
        is_merkle = vector["hash_type"] == "MerkleTree"
        tag = (hashes.merkle_tree_tag(arity) if is_merkle
               else hashes.constant_length_tag(len(inputs)))
        instance = parameters.filecoin(arity + 1, strengthened)
        state = hashes.filecoin_state(instance, tag, inputs)
        assert run_quintic(instance, [state], 1, 1) == [[int(vector["digest"], 16)]]
        seen.add(instance.name)
    assert len(seen) == len(parameters.FILECOIN_PARTIAL_ROUNDS)


def circom_vectors(width: int) -> list[dict[str, Any]]:
    vectors = json.loads((VECTORS / "circom.json").read_text(encoding="utf-8"))
    return [vector for vector in vectors if vector["instance"] == f"circom-{width - 1}"]


@pytest.mark.parametrize("width", [2, 3, 4, 5, 7, 9, 13, 17])
def test_circom_vectors(width: int) -> None:
    vectors = circom_vectors(width)
    inputs = [[0, *(int(text, 16) for text in vector["input"])] for vector in vectors]
    expected = [[int(text, 16) for text in vector["output"]] for vector in vectors]
    assert run_quintic(circom(width), inputs, 0, 1) == expected


@pytest.mark.parametrize("width", parameters.STARK_PARTIAL_ROUNDS)
def test_stark(width: int) -> None:
    instance = parameters.stark(width)
    inputs = states(instance, 10)
    memory = montgomery([value for state in inputs for value in state], FELT)
    constants = montgomery(tables.stark_table(instance), FELT)
    source().run(f"poseidon_stark_{width}", len(inputs), memory, memory, len(inputs),
                 instance.partial_rounds, constants)
    expected = [value for state in inputs for value in permute(instance, state)]
    assert plain(memory, FELT) == expected


def test_starknet_hashes() -> None:
    rng = random.Random(3)
    x, y = rng.randrange(FELT), FELT - 1
    messages: list[tuple[list[int], int, int]] = [
        ([x, y], 2, hashes.starknet_hash(x, y)), ([y, 0], 1, hashes.starknet_hash_single(y))]
    for length in range(6):
        elements = [rng.randrange(FELT) for _ in range(length)]
        padded = [*elements, 1, *([0] * ((length + 1) % 2))]
        messages.append((padded, 0, hashes.starknet_hash_many(elements)))
    instance = parameters.stark(3)
    elements = montgomery([value for padded, _, _ in messages for value in padded], FELT)
    ends = np.cumsum([len(padded) for padded, _, _ in messages])
    offsets = np.concatenate(([0], ends)).astype(np.uint64)
    capacities = np.array([capacity for _, capacity, _ in messages], dtype=np.uint32)
    digests = np.zeros((len(messages), 8), dtype=np.uint32)
    source().run("poseidon_stark_hash", len(messages), elements, offsets, capacities, digests,
                 len(messages), instance.partial_rounds,
                 montgomery(tables.stark_table(instance), FELT))
    assert plain(digests, FELT) == [digest for _, _, digest in messages]


def poseidon2_table(modulus: int, bits: int, width: int, partial: int, rejected: int) -> list[int]:
    """The table of kernels/poseidon/poseidon2.cuh of the authors' script."""
    drawn = grain_bits(bits, width, poseidon2.FULL_ROUNDS, partial, sbox=0)

    def draw() -> int:
        return int("".join(str(next(drawn)) for _ in range(bits)), 2)

    constants: list[int] = []
    while len(constants) < poseidon2.FULL_ROUNDS * width + partial:
        if (value := draw()) < modulus:
            constants.append(value)
    for _ in range(rejected * width):
        draw()
    diagonal = ([1] * (width - 1) + [2] if width < 4
                else [(draw() - 1) % modulus for _ in range(width)])
    return constants + diagonal


POSEIDON2 = {
    "bls12-381-2": ("Bls12381Scalar", 56, 0), "bls12-381-3": ("Bls12381Scalar", 56, 0),
    "bls12-381-4": ("Bls12381Scalar", 56, 0), "bls12-381-8": ("Bls12381Scalar", 57, 8),
    "bn254-2": ("Bn254Scalar", 56, 0), "bn254-3": ("Bn254Scalar", 56, 0),
    "bn254-4": ("Bn254Scalar", 56, 4), "bn254-8": ("Bn254Scalar", 57, 30),
    "bn254-12": ("Bn254Scalar", 57, 6), "bn254-16": ("Bn254Scalar", 57, 6),
    "pallas-3": ("PallasBase", 56, 0), "pallas-4": ("PallasBase", 56, 0),
    "pallas-8": ("PallasBase", 57, 6), "vesta-3": ("VestaBase", 56, 0),
}
"""The field, the partial rounds and the rejected diagonals (engines/poseidon/src/poseidon2)."""


@pytest.mark.parametrize("name", POSEIDON2)
def test_poseidon2_vectors(name: str) -> None:
    field, partial, rejected = POSEIDON2[name]
    modulus, width = PRIMES[field][1], int(name.rsplit("-", 1)[1])
    vectors = json.loads((VECTORS / "poseidon2.json").read_text(encoding="utf-8"))
    chosen = [vector for vector in vectors
              if vector["instance"] == name and vector["kind"] == "permute"]
    assert len(chosen) >= 9
    inputs = [int(text, 16) for vector in chosen for text in vector["input"]]
    expected = [int(text, 16) for vector in chosen for text in vector["output"]]
    memory = montgomery(inputs, modulus)
    numbers = montgomery(
        poseidon2_table(modulus, modulus.bit_length(), width, partial, rejected), modulus)
    kernel = f"poseidon_second_{name.rsplit('-', 1)[0].replace('-', '_')}_{4 if width <= 4 else 16}"
    source().run(kernel, len(chosen), memory, memory, len(chosen), width, 4, partial, numbers)
    assert plain(memory, modulus) == expected


def test_noir_hashes() -> None:
    """Lists of all lengths of the vectors, in one launch."""
    field, partial, rejected = POSEIDON2["bn254-4"]
    modulus = PRIMES[field][1]
    vectors = json.loads((VECTORS / "poseidon2.json").read_text(encoding="utf-8"))
    chosen = [vector for vector in vectors
              if vector["instance"] == "bn254-4" and vector["kind"] == "hash"]
    lists = [[int(text, 16) for text in vector["input"]] for vector in chosen]
    assert len({len(elements) for elements in lists}) > 3
    ends = np.cumsum([len(elements) for elements in lists])
    offsets = np.concatenate(([0], ends)).astype(np.uint64)
    digests = np.zeros((len(lists), 8), dtype=np.uint32)
    numbers = montgomery(poseidon2_table(modulus, modulus.bit_length(), 4, partial, rejected),
                         modulus)
    source().run("poseidon_second_hash_bn254", len(lists),
                 montgomery([value for elements in lists for value in elements], modulus), offsets,
                 digests, len(lists), 4, 4, partial, numbers)
    assert plain(digests, modulus) == [int(vector["output"][0], 16) for vector in chosen]
