# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The golden model reproduces every vector of engines/poseidon/vectors/poseidon.json."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from engines.poseidon.model import hashes, parameters
from engines.poseidon.model.permutation import permute

VECTORS = json.loads(
    (Path(__file__).resolve().parents[2] / "vectors/poseidon.json").read_text(encoding="utf-8")
)
STARK = VECTORS["stark_poseidon_permutation"]
STARKNET = VECTORS["starknet_hash"]
FILECOIN = VECTORS["filecoin_poseidon"]


def integers(texts: list[str]) -> list[int]:
    return [int(text, 16) for text in texts]


def check_parameters(instance: parameters.Instance, stated: dict[str, Any]) -> None:
    constants = instance.round_constants
    joined = b"".join(constant.to_bytes(32, "big") for constant in constants)
    assert instance.alpha == stated["alpha"]
    assert instance.full_rounds == stated["full_rounds"]
    assert instance.partial_rounds == stated["partial_rounds"]
    assert instance.partial_sbox_index == stated["partial_sbox_index"]
    assert len(constants) == stated["n_round_constants"]
    assert constants[0] == int(stated["first_round_constant"], 16)
    assert constants[-1] == int(stated["last_round_constant"], 16)
    assert hashlib.sha256(joined).hexdigest() == stated["sha256_of_round_constants_be32_concat"]


def test_moduli() -> None:
    assert parameters.FELT == int(VECTORS["stark_field_p"], 16)
    assert parameters.FR == int(VECTORS["bls12_381_scalar_r"], 16)


@pytest.mark.parametrize("key", FILECOIN["params"])
def test_filecoin_parameters(key: str) -> None:
    stated = FILECOIN["params"][key]
    width = int(key[1:].split("_")[0])
    standard = parameters.FILECOIN_PARTIAL_ROUNDS[width][0]
    instance = parameters.filecoin(width, strengthened=stated["partial_rounds"] != standard)
    check_parameters(instance, stated)
    assert instance.mds[0][0] == int(stated["mds_00"], 16)


@pytest.mark.parametrize("key", STARK["params"])
def test_stark_parameters(key: str) -> None:
    instance = parameters.stark(int(key))
    check_parameters(instance, STARK["params"][key])
    assert [list(row) for row in instance.mds] == STARK["params"][key]["mds"]


@pytest.mark.parametrize("vector", STARK["vectors"])
def test_stark_permutation(vector: dict[str, Any]) -> None:
    state = integers(vector["input"])
    for _ in range(vector.get("iterations", 1)):
        state = permute(parameters.stark(vector["t"]), state)
    assert state == integers(vector["output"])


@pytest.mark.parametrize("vector", STARKNET["vectors"])
def test_starknet_hash(vector: dict[str, Any]) -> None:
    inputs = integers(vector["input"])
    functions = {
        "hades_permutation": lambda: permute(parameters.stark(3), inputs),
        "poseidon_hash": lambda: hashes.starknet_hash(*inputs),
        "poseidon_hash_single": lambda: hashes.starknet_hash_single(*inputs),
        "poseidon_hash_many": lambda: hashes.starknet_hash_many(inputs),
    }
    stated = vector["output"]
    expected = integers(stated) if isinstance(stated, list) else int(stated, 16)
    assert functions[vector["fn"]]() == expected


@pytest.mark.parametrize("vector", FILECOIN["vectors"])
def test_filecoin_hash(vector: dict[str, Any]) -> None:
    inputs = integers(vector["input"])
    arity, strengthened = vector["arity"], vector["strength"] != "Standard"
    hash_function = (hashes.merkle_hash if vector["hash_type"] == "MerkleTree"
                     else hashes.constant_length_hash)
    assert hash_function(arity, inputs, strengthened) == int(vector["digest"], 16)
    if "full_output_state" in vector:
        instance = parameters.filecoin(vector["width"], strengthened)
        state = permute(instance, [int(vector["initial_element0"], 16), *inputs])
        assert state == integers(vector["full_output_state"])
