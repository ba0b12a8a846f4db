# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Operations over secp256k1 and BLS12-381 on a single item, for tests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Union

from halimede import Device, Object, bls12_381, groth16, kzg, secp256k1
from halimede._verdicts import Verdict
from numpy.typing import NDArray

if TYPE_CHECKING:
    from typing_extensions import Buffer

Column = Union["Iterable[Buffer]", NDArray[Any]]
Numbers = Union["Iterable[Union[int, Buffer]]", "Buffer", NDArray[Any]]
Curve = Literal["g1", "g2"]
Group = Literal["min-pk", "min-sig"]
Scheme = Literal["basic", "aug", "pop"]
Numbering = Literal["plain", "ethereum"]
Hash = Literal["none", "sha256", "sha512", "sha3-256", "keccak256"]
Precompile = Literal[
    "g1add", "g1msm", "g2add", "g2msm", "pairing_check", "map_fp_to_g1", "map_fp2_to_g2",
]

SIGNATURE_CURVE: dict[Group, Curve] = {"min-pk": "g2", "min-sig": "g1"}


def verify(
    key: Buffer, message: Buffer, signature: Buffer, scheme: Scheme = "pop", *,
    group: Group = "min-pk", device: Device | None = None,
) -> Verdict:
    """The verdict on a BLS signature."""
    return bls12_381.verify_signature(
        [key], [message], [signature], scheme=scheme, group=group, device=device)[0]


def aggregate(signatures: Column, *, group: Group = "min-pk") -> bytes:
    """The sum of BLS signatures."""
    return add(signatures, SIGNATURE_CURVE[group])


def aggregate_verify(
    keys: Column, messages: Column, signature: Buffer, scheme: Scheme = "pop", *,
    group: Group = "min-pk",
) -> Verdict:
    """The verdict on a sum of BLS signatures of different messages."""
    return bls12_381.verify_aggregate_of_messages(
        [keys], [messages], [signature], scheme=scheme, group=group)[0]


def fast_aggregate_verify(
    keys: Column, message: Buffer, signature: Buffer, *, group: Group = "min-pk"
) -> Verdict:
    """The verdict on a sum of BLS signatures of one message."""
    return bls12_381.verify_aggregate([keys], [message], [signature], group=group)[0]


def verify_possession(key: Buffer, proof: Buffer, *, group: Group = "min-pk") -> Verdict:
    """The verdict on a proof of possession."""
    return bls12_381.verify_possession([key], [proof], group=group)[0]


def pairing(g1: Column, g2: Column, *, device: Device | None = None) -> bytes:
    """The product of pairings."""
    return bls12_381.pairing_product([g1], [g2], device=device)[0]


def pairing_check(g1: Column, g2: Column, *, device: Device | None = None) -> bool:
    """Returns True if the product of pairings is 1; raises ValueError for a bad point."""
    verdict = bls12_381.pairing_check([g1], [g2], device=device)[0]
    if verdict.outcome not in ("valid", "mismatch"):
        raise ValueError(verdict.reason)
    return bool(verdict)


def add(points: Column, curve: Curve = "g1", *, device: Device | None = None) -> bytes:
    """The sum of points."""
    return bls12_381.sum([points], group=curve, device=device)[0]


def multiply(point: Buffer, number: Union[int, Buffer], curve: Curve = "g1") -> bytes:
    """A multiple of a point."""
    return sum_of_multiples([point], [number], curve)


def sum_of_multiples(points: Column, numbers: Numbers, curve: Curve = "g1") -> bytes:
    """The sum of multiples of points."""
    return bls12_381.sum_of_multiples([points], [numbers], group=curve)[0]


def hash_to_curve(
    message: Buffer, domain: str, curve: Curve = "g1", *, encode: bool = False,
    device: Device | None = None,
) -> bytes:
    """A message hashed to a group."""
    return bls12_381.hash_to_curve(
        [message], domain=domain, group=curve, encode=encode, device=device)[0]


def map_to_curve(
    element: Buffer, curve: Curve = "g1", *, device: Device | None = None
) -> bytes:
    """An element of the coordinates' field mapped to a group."""
    return bls12_381.map_to_curve([element], group=curve, device=device)[0]


def precompile(name: Precompile, input: Buffer, *, device: Device | None = None) -> bytes:
    """The output of a precompile of EIP-2537."""
    return bls12_381.precompile([input], name=name, device=device)[0]


def verify_schnorr(
    key: Buffer, message: Buffer, signature: Buffer, *, device: Device | None = None
) -> Verdict:
    """The verdict on a Schnorr signature."""
    return secp256k1.verify_schnorr([key], [message], [signature], device=device)[0]


@dataclass(frozen=True)
class Recovered:
    """The key and the address of an ECDSA signature, both None if it has none."""

    key: bytes | None
    address: bytes | None
    verdict: Verdict


def recover(
    digest: Buffer, signature: Buffer, numbering: Numbering = "plain", *, low_s: bool = False,
    hash: Hash = "none", device: Device | None = None,
) -> Recovered:
    """Recovers the key and the address of an ECDSA signature."""
    keys, addresses = (
        secp256k1.recover([digest], [signature], answer=answer, numbering=numbering, low_s=low_s,
                          hash=hash, device=device)
        for answer in ("key", "address"))
    assert keys.verdicts[0] == addresses.verdicts[0]
    if not keys.verdicts[0]:
        return Recovered(None, None, keys.verdicts[0])
    return Recovered(keys[0], addresses[0], keys.verdicts[0])


def verify_opening(
    setup: Object, commitment: Buffer, z: Buffer, y: Buffer, proof: Buffer
) -> Verdict:
    """The verdict on a KZG opening."""
    return kzg.verify_proof(setup, [commitment], [z], [y], [proof])[0]


def verify_blob(setup: Object, blob: Buffer, commitment: Buffer, proof: Buffer) -> Verdict:
    """The verdict on a blob's KZG proof."""
    return kzg.verify_blob(setup, [blob], [commitment], [proof])[0]


def verify_groth16(key: Object, proof: Buffer, inputs: Numbers) -> Verdict:
    """The verdict on a Groth16 proof."""
    return groth16.verify(key, [proof], [inputs])[0]
