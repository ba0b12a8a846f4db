# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Poseidon2 and circom's Poseidon agree with the vectors of their origins; bad items are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import halimede
import pytest
from halimede import circom, poseidon2

VECTORS = Path(__file__).resolve().parents[2] / "engines" / "poseidon" / "vectors"
BN254 = 0x30644E72E131A029B85045B68181585D2833E84879B9709143E1F593F0000001


def vectors(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((VECTORS / name).read_text(encoding="utf-8"))
    return found


def numbers(texts: list[str]) -> list[int]:
    return [int(text, 16) for text in texts]


def joined(values: list[int]) -> bytes:
    return b"".join(value.to_bytes(32, "little") for value in values)


def test_circom_agrees_with_its_origins() -> None:
    found = vectors("circom.json")
    digests = circom.hash([numbers(vector["input"]) for vector in found])
    assert digests.verdicts.all()
    for vector, digest in zip(found, digests):
        assert digest == joined(numbers(vector["output"])), vector["instance"]


@pytest.mark.parametrize("kind", ["permute", "compress", "hash"])
def test_poseidon2_agrees_with_its_origins(kind: str) -> None:
    function = getattr(poseidon2, kind)
    chosen = [vector for vector in vectors("poseidon2.json") if vector["kind"] == kind]
    for instance in {vector["instance"] for vector in chosen}:
        group = [vector for vector in chosen if vector["instance"] == instance]
        values = function([numbers(vector["input"]) for vector in group], instance=instance)
        assert list(values) == [joined(numbers(vector["output"])) for vector in group], instance


def test_bad_items_do_not_affect_the_others() -> None:
    digests = circom.hash([[1], [BN254], [], [1] * 17, [1]])
    assert [bool(verdict) for verdict in digests.verdicts] == [True, False, False, False, True]
    assert digests[0] == digests[4]
    with pytest.raises(ValueError, match="item 1: element 0: .* is not below the BN254"):
        digests[1]
    states = poseidon2.permute([[1, 2], [1, 2, 3]], instance="vesta-3")
    assert states.verdicts[0].reason == "expected 3 elements, got 2"
    with pytest.raises(ValueError, match="instance"):
        poseidon2.hash([[1]], instance="bn254-3")  # type: ignore[arg-type]


def test_a_device_is_accepted() -> None:
    device = halimede.Device("cpu")
    assert circom.hash([[1, 2]], device=device)[0] == circom.hash([[1, 2]])[0]
