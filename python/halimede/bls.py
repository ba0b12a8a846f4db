# SPDX-License-Identifier: Apache-2.0 OR MIT
"""BLS signatures over BLS12-381, its pairings and points, and EIP-2537's precompiles.

Signatures are those of draft-irtf-cfrg-bls-signature-05. `group` says where keys are: "min-pk"
has keys in G1 (48 bytes) and signatures in G2 (96), "min-sig" the other way round. `scheme` is
"pop" (proof of possession, Ethereum's), the default, "basic" or "aug" (message augmentation); a
signature is valid under its own scheme alone. Nothing here signs.

Points are in the encoding of Zcash and the IETF, compressed or uncompressed; results are
compressed. Keys, messages, signatures and points are anything with a buffer of contiguous bytes,
and taken to be public: the time of all this depends on them.

A signature that is not valid, or whose bytes are not one, gets a verdict: "key", "signature",
"mismatch", "keys" for an aggregate without keys, "equal-messages" for one that the basic scheme
forbids. Points that are not in their group are a ValueError of what computes with them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, Union

from numpy.typing import NDArray

from halimede import _native, _scalars
from halimede._native import Device
from halimede._verdicts import OUTCOMES, Verdict, Verdicts

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = [
    "OUTCOMES", "PRECOMPILES", "Verdict", "Verdicts", "add", "aggregate", "aggregate_verify",
    "eip2537", "fast_aggregate_verify", "hash_to_curve", "map_to_curve", "multiply", "pairing",
    "pairing_check", "sum_of_multiples", "verify", "verify_aggregates", "verify_many",
    "verify_possession", "verify_possessions",
]

Group = Literal["min-pk", "min-sig"]
Scheme = Literal["basic", "aug", "pop"]
Curve = Literal["g1", "g2"]
Precompile = Literal[
    "g1add", "g1msm", "g2add", "g2msm", "pairing_check", "map_fp_to_g1", "map_fp2_to_g2"
]

PRECOMPILES: tuple[str, ...] = tuple(_native.EIP2537_PRECOMPILES)
"""The names of EIP-2537's precompiles, by their addresses from 0x0b on."""


def verify(
    key: Buffer, message: Buffer, signature: Buffer, scheme: Scheme = "pop", *,
    group: Group = "min-pk", device: Device | None = None,
) -> Verdict:
    """Whether a signature is this key's on this message.

    device: where it runs; this processor by default. A card has no BLS12-381.

    >>> halimede.bls.verify(bytes(48), b"message", bytes(96)).reason
    'key: the flags 0b000 are not those of a compressed point'
    """
    return verify_many([key], [message], [signature], scheme, group=group, device=device)[0]


def verify_many(
    keys: Iterable[Buffer] | NDArray[Any],
    messages: Iterable[Buffer] | NDArray[Any],
    signatures: Iterable[Buffer] | NDArray[Any],
    scheme: Scheme = "pop",
    *,
    group: Group = "min-pk",
    device: Device | None = None,
) -> Verdicts:
    """Verdicts on many signatures, in their order.

    They are checked together with random multipliers, which the batch's author cannot foresee;
    where that fails the bad ones are found. Equal keys and equal messages cost less.

    keys, messages, signatures: as many of each; lists of buffers, or arrays of two axes, whose rows
        they are.

    Ctrl-C ends long work between pieces. Raises ValueError where these are not as many of each.

    >>> halimede.bls.verify_many([], [], [])
    <0 verdicts, 0 not valid>
    """
    return Verdicts(*_native.bls_verify(group, scheme, keys, messages, signatures, device))


def aggregate(signatures: Iterable[Buffer] | NDArray[Any], *, group: Group = "min-pk") -> bytes:
    """The sum of signatures, compressed. Raises ValueError where there are none, or where one is
    not a point of its group; it says which.

    >>> infinity = bytes([0xC0]) + bytes(95)
    >>> halimede.bls.aggregate([infinity, infinity]) == infinity
    True
    """
    return _native.bls_aggregate(group, signatures)


def aggregate_verify(
    keys: Iterable[Buffer] | NDArray[Any],
    messages: Iterable[Buffer] | NDArray[Any],
    signature: Buffer,
    scheme: Scheme = "pop",
    *,
    group: Group = "min-pk",
) -> Verdict:
    """Whether a sum of signatures is that of these keys on a message each. The basic scheme wants
    distinct messages. Raises ValueError where there are not as many keys as messages.

    >>> halimede.bls.aggregate_verify([], [], bytes(96))
    Verdict(outcome='keys', reason='there is no key')
    """
    return Verdicts(*_native.bls_aggregate_verify(group, scheme, keys, messages, signature))[0]


def fast_aggregate_verify(
    keys: Iterable[Buffer] | NDArray[Any], message: Buffer, signature: Buffer, *,
    group: Group = "min-pk",
) -> Verdict:
    """Whether a sum of signatures is that of these keys on one message, under proof of possession:
    each key's proof has been verified.

    >>> halimede.bls.fast_aggregate_verify([], b"message", bytes(96)).outcome
    'keys'
    """
    return verify_aggregates([keys], [message], [signature], group=group)[0]


def verify_aggregates(
    keys: Iterable[Iterable[Buffer] | NDArray[Any]],
    messages: Iterable[Buffer] | NDArray[Any],
    signatures: Iterable[Buffer] | NDArray[Any],
    *,
    group: Group = "min-pk",
) -> Verdicts:
    """`fast_aggregate_verify` of many together, a verdict for each.

    keys: a list of keys for each message.

    Ctrl-C ends long work between pieces. Raises ValueError where these are not as many of each.

    >>> halimede.bls.verify_aggregates([[], []], [b"a", b"b"], [bytes(96)] * 2)
    <2 verdicts, 2 not valid>
    """
    return Verdicts(*_native.bls_verify_aggregates(group, keys, messages, signatures))


def verify_possession(key: Buffer, proof: Buffer, *, group: Group = "min-pk") -> Verdict:
    """Whether a proof of possession is this key's.

    >>> halimede.bls.verify_possession(bytes(47), bytes(96)).reason
    'key: a point of G1 has 48 bytes, not 47'
    """
    return verify_possessions([key], [proof], group=group)[0]


def verify_possessions(
    keys: Iterable[Buffer] | NDArray[Any], proofs: Iterable[Buffer] | NDArray[Any], *,
    group: Group = "min-pk",
) -> Verdicts:
    """Verdicts on many proofs of possession, as many as keys.

    >>> halimede.bls.verify_possessions([], []).all()
    True
    """
    return Verdicts(*_native.bls_verify_possessions(group, keys, proofs))


def pairing(
    g1: Iterable[Buffer] | NDArray[Any], g2: Iterable[Buffer] | NDArray[Any], *,
    device: Device | None = None,
) -> bytes:
    """The product of the pairings of points of G1 with as many of G2: 576 bytes.

    These are twelve elements of 48 bytes, those of 1, v, v², w, vw, v²w, constant term first; the
    pairing is the optimal ate pairing to the power of three.

    >>> one = halimede.bls.pairing([], [])
    >>> len(one), one[47], sum(one)
    (576, 1, 1)
    """
    return _native.bls_pairing(g1, g2, device)


def pairing_check(
    g1: Iterable[Buffer] | NDArray[Any], g2: Iterable[Buffer] | NDArray[Any], *,
    device: Device | None = None,
) -> bool:
    """Whether the product of the pairings of points of G1 with as many of G2 is 1.

    >>> halimede.bls.pairing_check([], [])
    True
    """
    return _native.bls_pairing_check(g1, g2, device)


def add(
    points: Iterable[Buffer] | NDArray[Any], curve: Curve = "g1", *, device: Device | None = None
) -> bytes:
    """The sum of points of a group, compressed; infinity of none.

    >>> halimede.bls.add([]).hex()[:4]
    'c000'
    """
    return _native.bls_sum(curve, points, None, device)


def multiply(
    point: Buffer, scalar: Union[int, Buffer], curve: Curve = "g1", *,
    device: Device | None = None,
) -> bytes:
    """A multiple of a point, compressed; see `sum_of_multiples`.

    >>> generator = halimede.bls.map_to_curve((7).to_bytes(48, "big"))
    >>> halimede.bls.multiply(generator, 2) == halimede.bls.add([generator, generator])
    True
    """
    return sum_of_multiples([point], [scalar], curve, device=device)


def sum_of_multiples(
    points: Iterable[Buffer] | NDArray[Any],
    scalars: Iterable[Union[int, Buffer]] | NDArray[Any],
    curve: Curve = "g1",
    *,
    device: Device | None = None,
) -> bytes:
    """The sum of multiples of points of a group (multi-scalar multiplication), compressed.

    scalars: as many as points; integers from 0 to 2**256 - 1, or 32 bytes each, big-endian; an
        array uint8[n, 32] has them as rows. They count modulo the order of the group.

    Raises ValueError for a point that is not in its group; it says which.

    >>> p, q = (halimede.bls.map_to_curve(n.to_bytes(48, "big")) for n in (7, 8))
    >>> halimede.bls.sum_of_multiples([p, q], [2, 1]) == halimede.bls.add([p, q, p])
    True
    """
    return _native.bls_sum(curve, points, _scalars.scalars("scalars", scalars), device)


def hash_to_curve(
    message: Buffer, domain: Buffer, curve: Curve = "g1", *, encode: bool = False,
    device: Device | None = None,
) -> bytes:
    """A message hashed to a group (RFC 9380, with SHA-256 and SSWU), compressed.

    domain: the domain separation tag, a byte at least.
    encode: `encode_to_curve`, one map to half of the points, and not `hash_to_curve`.

    >>> halimede.bls.hash_to_curve(b"abc", b"EXAMPLE-V01", "g2")[:2].hex()
    '8a04'
    """
    return _native.bls_hash_to_curve(curve, message, domain, encode, device)


def map_to_curve(
    element: Buffer, curve: Curve = "g1", *, device: Device | None = None
) -> bytes:
    """An element of the coordinates' field mapped to the group (RFC 9380), compressed.

    element: 48 bytes, big-endian, or for G2 96, the constant term first.

    >>> halimede.bls.map_to_curve(bytes(48))[:2].hex()
    '91a9'
    """
    return _native.bls_map_to_curve(curve, element, device)


def eip2537(
    precompile: Precompile, input: Buffer = b"", *, device: Device | None = None
) -> bytes:
    """The output of one of Ethereum's precompiles, without its gas.

    precompile: one of `PRECOMPILES`.

    Raises ValueError with the reason where the precompile fails.

    >>> halimede.bls.eip2537("g1add", bytes(256)) == bytes(128)
    True
    """
    return _native.bls_eip2537(precompile, input, device)
