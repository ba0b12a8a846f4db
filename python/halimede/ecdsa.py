# SPDX-License-Identifier: Apache-2.0 OR MIT
"""ECDSA over secp256k1: verifies single signatures and batches. `halimede.secp256k1` recovers
public keys.

Keys are SEC 1 encodings: compressed (33 bytes), uncompressed or hybrid (65 bytes). A digest has 32
bytes; any other length raises ValueError. To verify a message, name the hash function of the
signature: `hash="sha256"`, "sha512" (its leftmost 32 bytes), "sha3-256" or "keccak256". With
"any-length", pass a digest of any length; its leftmost 32 bytes are used. A signature has one of
three formats:

- "der": strict DER, as BIP 66 requires, without the byte of the hash type;
- "der-lax": DER as in blocks before BIP 66;
- "compact": r and s, 32 bytes each, big-endian.

Keys, digests and signatures can be any objects with a buffer of contiguous bytes. All of them are
treated as public: the time of a check depends on them. Bytes that are not a key or a signature get
a verdict, not an exception, and do not affect the rest of a batch.
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
    """A verifier with rules for signatures and a cache of parsed compressed keys, which makes
    repeated keys cheaper. Threads may share a verifier; in a forked child it caches no keys.

    format: "der", "der-lax" or "compact".
    low_s: reject s above n/2 (BIP 146); otherwise both s and n - s are valid.
    cached_keys: the largest number of cached keys, about 100 bytes each; 0 disables the cache.

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
        """The numbers of hits and misses of the cache of compressed keys."""
        return self._verifier.cache_counts

    def verify(
        self, key: Buffer, digest: Buffer, signature: Buffer, *, hash: Hash | None = None,
        device: Device | None = None,
    ) -> Verdict:
        """Verifies a signature of a digest.

        digest: 32 bytes; with `hash`, the message.
        hash: the function that makes the digest of the message.
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
        """Verifies many signatures. The verdicts are in the order of the signatures.

        keys, digests, signatures: n of each, as lists of buffers or as rows of arrays: uint8[n, 33]
            or [n, 65], uint8[n, 32], and uint8[n, 64] for "compact". With `hash`, digests are
            messages.
        hash: the function that makes the digest of each message.
        device: where it runs; all cores of this processor by default.

        Ctrl-C ends long work between pieces. Raises ValueError if the numbers of keys, digests and
        signatures differ, and for a digest that does not have 32 bytes.
        """
        answer = self._verifier.verify_many(keys, digests, signatures, hash, device)
        return Verdicts(*answer)


def verify(
    key: Buffer, digest: Buffer, signature: Buffer, format: Format = "der", *,
    low_s: bool = False, hash: Hash | None = None, device: Device | None = None,
) -> Verdict:
    """Verifies a signature of a digest, or with `hash` of a message; see `Verifier`, which caches
    keys.

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
    """Verifies many signatures; see `Verifier.verify_many`.

    >>> keys = [b"", b"\\2" * 33]
    >>> verdicts = halimede.ecdsa.verify_many(keys, [b"a", b"b"], [b"", b""], hash="sha256")
    >>> verdicts, [verdict.outcome for verdict in verdicts]
    (<2 verdicts, 2 not valid>, ['key', 'signature'])
    """
    verifier = Verifier(format, low_s=low_s)
    return verifier.verify_many(keys, digests, signatures, hash=hash, device=device)
