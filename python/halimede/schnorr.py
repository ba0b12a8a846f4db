# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Schnorr signatures over secp256k1 (BIP 340): verified one by one and in bulk.

A key is the 32 bytes of x, a signature the 64 of r and s, a message has any length. All are
anything with a buffer of contiguous bytes, and taken to be public: the time of a check depends on
them. Bytes that are not a key or not a signature get a verdict, and do no harm to the rest of a
batch.

Outcomes: "valid", "key", "signature" (of another length), "r-range", "s-range", "infinity",
"mismatch", and "odd-y" for a signature that leads to a point with an odd y.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from halimede import _native
from halimede._native import Device
from halimede._verdicts import OUTCOMES, Verdict, Verdicts

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["OUTCOMES", "Verdict", "Verdicts", "verify", "verify_many"]


def verify(
    key: Buffer, message: Buffer, signature: Buffer, *, device: Device | None = None
) -> Verdict:
    """Whether a signature is this key's on this message.

    device: where it runs; this processor by default. A card has no Schnorr signatures.

    >>> halimede.schnorr.verify(bytes(31), b"any length", bytes(64)).reason
    'a key has 32 bytes, got 31'
    """
    return verify_many([key], [message], [signature], device=device)[0]


def verify_many(
    keys: Iterable[Buffer] | NDArray[Any],
    messages: Iterable[Buffer] | NDArray[Any],
    signatures: Iterable[Buffer] | NDArray[Any],
    *,
    device: Device | None = None,
) -> Verdicts:
    """Verdicts on many signatures, in their order.

    keys, messages, signatures: as many of each; lists of buffers, or arrays of two axes, whose rows
        they are: uint8[n, 32] and uint8[n, 64] for keys and signatures.
    device: where it runs; this processor, on all cores, by default.

    Ctrl-C ends long work between pieces. Raises ValueError where these are not as many of each.

    >>> verdicts = halimede.schnorr.verify_many([bytes(32)] * 2, [b"", b"a"], [bytes(64), b""])
    >>> verdicts, [verdict.outcome for verdict in verdicts]
    (<2 verdicts, 2 not valid>, ['key', 'key'])
    """
    return Verdicts(*_native.schnorr_verify(keys, messages, signatures, device))
