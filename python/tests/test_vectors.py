# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The package reproduces every published vector."""

import hashlib
import json
from pathlib import Path
from typing import Any

import halimede
import pytest

ROOT = Path(__file__).resolve().parents[2]
VECTORS = json.loads((ROOT / "engines/poseidon/vectors/poseidon.json").read_text(encoding="utf-8"))
STARK = VECTORS["stark_poseidon_permutation"]
STARKNET = VECTORS["starknet_hash"]
FILECOIN = VECTORS["filecoin_poseidon"]
HASH_TYPES = {"MerkleTree": "merkle-tree", "ConstantLength": "constant-length"}


def integers(texts: list[str]) -> list[int]:
    return [int(text, 16) for text in texts]


@pytest.mark.parametrize("vector", STARK["vectors"])
def test_stark_permutation(vector: dict[str, Any]) -> None:
    state = integers(vector["input"])
    for _ in range(vector.get("iterations", 1)):
        state = halimede.poseidon.permute(state, f"stark-{vector['t']}")
    assert state == integers(vector["output"])


@pytest.mark.parametrize("vector", STARKNET["vectors"])
def test_starknet_hash(vector: dict[str, Any]) -> None:
    inputs = integers(vector["input"])
    functions = {
        "hades_permutation": lambda: halimede.poseidon.permute(inputs, "stark-3"),
        "poseidon_hash": lambda: halimede.starknet.hash(*inputs),
        "poseidon_hash_single": lambda: halimede.starknet.hash_single(*inputs),
        "poseidon_hash_many": lambda: halimede.starknet.hash_many(inputs),
    }
    stated = vector["output"]
    expected = integers(stated) if isinstance(stated, list) else int(stated, 16)
    assert functions[vector["fn"]]() == expected


@pytest.mark.parametrize("vector", FILECOIN["vectors"])
def test_filecoin_hash(vector: dict[str, Any]) -> None:
    inputs = integers(vector["input"])
    strength = vector["strength"].lower()
    hashed = halimede.poseidon.hash(
        inputs, vector["arity"], strength, HASH_TYPES[vector["hash_type"].split("(")[0]]
    )
    assert hashed == int(vector["digest"], 16)
    if "full_output_state" in vector:
        suffix = "" if strength == "standard" else "-strengthened"
        state = [int(vector["initial_element0"], 16), *inputs]
        instance = f"filecoin-{vector['arity']}{suffix}"
        assert halimede.poseidon.permute(state, instance) == integers(vector["full_output_state"])


@pytest.mark.parametrize("key", STARK["params"])
def test_stark_parameters(key: str) -> None:
    stated, numbers = STARK["params"][key], halimede.poseidon.parameters(f"stark-{key}")
    modulus = int(VECTORS["stark_field_p"], 16)
    assert numbers["modulus"] == modulus
    assert numbers["mds"] == [[entry % modulus for entry in row] for row in stated["mds"]]
    check_parameters(numbers, stated)


@pytest.mark.parametrize("key", FILECOIN["params"])
def test_filecoin_parameters(key: str) -> None:
    stated = FILECOIN["params"][key]
    width = int(key[1:].split("_")[0])
    standard = halimede.poseidon.parameters(f"filecoin-{width - 1}")
    strengthened = halimede.poseidon.parameters(f"filecoin-{width - 1}-strengthened")
    is_standard = stated["partial_rounds"] == standard["partial_rounds"]
    numbers = standard if is_standard else strengthened
    assert numbers["modulus"] == int(VECTORS["bls12_381_scalar_r"], 16)
    assert numbers["mds"][0][0] == int(stated["mds_00"], 16)
    check_parameters(numbers, stated)


def check_parameters(numbers: halimede.poseidon.Parameters, stated: dict[str, Any]) -> None:
    constants = numbers["round_constants"]
    assert numbers["alpha"] == stated["alpha"]
    assert numbers["full_rounds"] == stated["full_rounds"]
    assert numbers["partial_rounds"] == stated["partial_rounds"]
    assert numbers["partial_sbox_index"] == stated["partial_sbox_index"]
    assert len(constants) == stated["n_round_constants"]
    assert constants[0] == int(stated["first_round_constant"], 16)
    joined = b"".join(constant.to_bytes(32, "big") for constant in constants)
    assert hashlib.sha256(joined).hexdigest() == stated["sha256_of_round_constants_be32_concat"]
