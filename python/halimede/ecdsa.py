# SPDX-License-Identifier: Apache-2.0 OR MIT
"""ECDSA over secp256k1: signatures checked, one by one and in bulk. `halimede.secp256k1` recovers public keys.

Keys are bytes by SEC 1: compressed (33), uncompressed or hybrid (65). A digest has 32 bytes; any other
length is a ValueError. For a message say the hash that was signed: `hash="sha256"`, "sha512" (of which the
leftmost 32 bytes count), "sha3-256" or "keccak256"; with "any-length" it is a digest of any length, of which
as many count. A signature has one of three formats:

- "der": as consensus wants it since BIP 66, without the byte of the hash type;
- "der-lax": DER as blocks from before then may have it;
- "compact": r and s, 32 bytes each, big-endian.

Keys, digests and signatures are anything with a buffer of contiguous bytes. All of them are taken
to be public: the time of a check depends on them. Bytes that are no key or no signature make a
verdict, not an exception, so that they do no harm to the rest of a batch.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from numpy.typing import NDArray

from halimede import _native
from halimede._native import Device
from halimede._verdicts import OUTCOMES, Verdict, Verdicts

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["OUTCOMES", "Verdict", "Verdicts", "Verifier", "verify", "verify_many"]

Format = Literal["der", "der-lax", "compact"]

Hash = Literal["any-length", "sha256", "sha512", "sha3-256", "keccak256"]

DEFAULT_CACHED_KEYS = 1 << 16


class Verifier:
    """Rules for signatures, and the compressed keys that were parsed by it, so that a key which
    comes again costs less. Threads may share one; in a forked child it keeps no keys.

    format: "der", "der-lax" or "compact".
    low_s: refuse s above n/2 (BIP 146); otherwise s and n - s are as good as each other.
    cached_keys: most keys to keep, about 100 bytes each; 0 for none.

    >>> verifier = halimede.ecdsa.Verifier("compact")
    >>> verdict = verifier.verify(b"\\x02" * 33, bytes(range(32)), bytes(64))
    >>> bool(verdict), verdict.outcome, verdict.reason
    (False, 'r-range', 'r is not from 1 to n - 1')
    """

    __slots__ = ("_verifier",)

    def __init__(
        self, format: Format = "der", *, low_s: bool = False,
        cached_keys: int = DEFAULT_CACHED_KEYS,
    ) -> None:
        self._verifier = _native.EcdsaVerifier(format, low_s, cached_keys)

    @property
    def cache_counts(self) -> tuple[int, int]:
        """The hits and the misses of the cache of compressed keys."""
        return self._verifier.cache_counts

    def verify(
        self, key: Buffer, digest: Buffer, signature: Buffer, *, hash: Hash | None = None,
        device: Device | None = None,
    ) -> Verdict:
        """Whether a signature is this key's on this digest.

        digest: 32 bytes; with `hash`, the message.
        hash: what makes the digest of the message.
        device: where it runs; this processor by default.

        Raises ValueError for a digest of another length.
        """
        return self.verify_many([key], [digest], [signature], hash=hash, device=device)[0]

    def verify_many(
        self,
        keys: Iterable[Buffer] | NDArray[Any],
        digests: Iterable[Buffer] | NDArray[Any],
        signatures: Iterable[Buffer] | NDArray[Any],
        *,
        hash: Hash | None = None,
        device: Device | None = None,
    ) -> Verdicts:
        """Verdicts on many signatures, in their order.

        keys, digests, signatures: as many of each; lists of buffers, or arrays of two axes, whose
            rows they are: uint8[n, 33] or [n, 65], uint8[n, 32], and uint8[n, 64] for "compact".
            With `hash`, digests are messages.
        hash: what makes digests of messages.
        device: where it runs; this processor, on all cores, by default.

        Ctrl-C ends long work between pieces. Raises ValueError where these are not as many of each,
        and for a digest that has not 32 bytes.
        """
        answer = self._verifier.verify_many(keys, digests, signatures, hash, device)
        return Verdicts(*answer)


def verify(
    key: Buffer, digest: Buffer, signature: Buffer, format: Format = "der", *,
    low_s: bool = False, hash: Hash | None = None, device: Device | None = None,
) -> Verdict:
    """Whether a signature is this key's on this digest, or on this message with `hash`; see `Verifier`,
    which keeps keys.

    >>> key = bytes.fromhex("0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798")
    >>> halimede.ecdsa.verify(key, b"a message", b"not DER", hash="sha256").outcome
    'signature'
    """
    verifier = Verifier(format, low_s=low_s, cached_keys=0)
    return verifier.verify(key, digest, signature, hash=hash, device=device)


def verify_many(
    keys: Iterable[Buffer] | NDArray[Any],
    digests: Iterable[Buffer] | NDArray[Any],
    signatures: Iterable[Buffer] | NDArray[Any],
    format: Format = "der",
    *,
    low_s: bool = False,
    hash: Hash | None = None,
    device: Device | None = None,
) -> Verdicts:
    """Verdicts on many signatures, in their order; see `Verifier.verify_many`.

    >>> keys = [b"", b"\\2" * 33]
    >>> verdicts = halimede.ecdsa.verify_many(keys, [b"a", b"b"], [b"", b""], hash="sha256")
    >>> verdicts, [verdict.outcome for verdict in verdicts]
    (<2 verdicts, 2 not valid>, ['key', 'signature'])
    """
    verifier = Verifier(format, low_s=low_s)
    return verifier.verify_many(keys, digests, signatures, hash=hash, device=device)
