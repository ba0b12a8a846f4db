# SPDX-License-Identifier: Apache-2.0 OR MIT
"""ECDSA over secp256k1: signatures checked one by one and in bulk.

Keys are bytes by SEC 1: compressed (33), uncompressed or hybrid (65). Digests are bytes of any
length: of more than 32 the leftmost 32 count. A signature has one of three formats:

- "der": as consensus wants it since BIP 66, without the byte of the hash type;
- "der-lax": DER as blocks from before then may have it;
- "compact": r and s, 32 bytes each, big-endian.

Keys, digests and signatures are anything with a buffer of contiguous bytes. All of them are taken
to be public: the time of a check depends on them. Bytes that are no key or no signature make a
verdict, not an exception, so that they do no harm to the rest of a batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Union, overload

import numpy as np
from numpy.typing import NDArray

from halimede import _native
from halimede._native import Device

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["OUTCOMES", "Verdict", "Verdicts", "Verifier", "verify", "verify_many"]

OUTCOMES: tuple[str, ...] = tuple(_native.ECDSA_OUTCOMES)
"""The names of outcomes by their numbers: "valid", "key", "signature", "high-s", "r-range",
"s-range", "infinity", "mismatch"."""

Format = Literal["der", "der-lax", "compact"]

DEFAULT_CACHED_KEYS = 1 << 16


@dataclass(frozen=True)
class Verdict:
    """The verdict on a signature; true where it is valid.

    outcome: one of `OUTCOMES`.
    reason: why it is not valid, in words; None where it is.
    """

    outcome: str
    reason: str | None = None

    def __bool__(self) -> bool:
        return self.outcome == OUTCOMES[0]


_VALID = Verdict(OUTCOMES[0])


class Verdicts(Sequence[Verdict]):
    """The verdicts on many signatures, a sequence.

    outcomes: uint8[n], by number as `OUTCOMES` has them; 0 is valid.
    """

    __slots__ = ("_reasons", "outcomes")

    outcomes: NDArray[np.uint8]

    def __init__(self, outcomes: NDArray[np.uint8], reasons: dict[int, str]) -> None:
        self.outcomes = outcomes
        self._reasons = reasons

    @property
    def valid(self) -> NDArray[np.bool_]:
        """Whether each signature is valid, bool[n]."""
        valid: NDArray[np.bool_] = self.outcomes == 0
        return valid

    def all(self) -> bool:
        """Whether all of them are valid."""
        return not self._reasons

    def invalid(self) -> Iterator[tuple[int, Verdict]]:
        """The numbers of those that are not valid, and their verdicts."""
        return ((row, self[row]) for row in self._reasons)

    def __len__(self) -> int:
        return len(self.outcomes)

    def __bool__(self) -> bool:
        raise ValueError("the truth of many verdicts is ambiguous; use .all() or .valid")

    @overload
    def __getitem__(self, row: int) -> Verdict: ...
    @overload
    def __getitem__(self, row: slice) -> list[Verdict]: ...
    def __getitem__(self, row: Union[int, slice]) -> Verdict | list[Verdict]:
        places = range(len(self.outcomes))[row]
        if isinstance(places, range):
            return [self[place] for place in places]
        reason = self._reasons.get(places)
        return Verdict(OUTCOMES[self.outcomes[places]], reason) if reason else _VALID

    def __repr__(self) -> str:
        return f"<{len(self)} verdicts, {len(self._reasons)} not valid>"


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
        self, key: Buffer, digest: Buffer, signature: Buffer, *, device: Device | None = None
    ) -> Verdict:
        """Whether a signature is this key's on this digest.

        device: where it runs; this processor by default.
        """
        outcome, reason = self._verifier.verify(key, digest, signature, device)
        return Verdict(OUTCOMES[outcome], reason) if reason else _VALID

    def verify_many(
        self,
        keys: Iterable[Buffer] | NDArray[Any],
        digests: Iterable[Buffer] | NDArray[Any],
        signatures: Iterable[Buffer] | NDArray[Any],
        *,
        device: Device | None = None,
    ) -> Verdicts:
        """Verdicts on many signatures, in their order.

        keys, digests, signatures: as many of each; lists of buffers, or arrays of two axes, whose
            rows they are: uint8[n, 33] or [n, 65], uint8[n, 32], and uint8[n, 64] for "compact".
        device: where it runs; this processor, on all cores, by default.

        Ctrl-C ends long work between pieces. Raises ValueError where these are not as many of each.
        """
        answer = self._verifier.verify_many(keys, digests, signatures, device)
        return Verdicts(*answer)


def verify(
    key: Buffer, digest: Buffer, signature: Buffer, format: Format = "der", *,
    low_s: bool = False, device: Device | None = None,
) -> Verdict:
    """Whether a signature is this key's on this digest; see `Verifier`, which keeps keys.

    >>> key = bytes.fromhex("0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798")
    >>> halimede.ecdsa.verify(key, b"digest", b"not DER").outcome
    'signature'
    """
    verifier = Verifier(format, low_s=low_s, cached_keys=0)
    return verifier.verify(key, digest, signature, device=device)


def verify_many(
    keys: Iterable[Buffer] | NDArray[Any],
    digests: Iterable[Buffer] | NDArray[Any],
    signatures: Iterable[Buffer] | NDArray[Any],
    format: Format = "der",
    *,
    low_s: bool = False,
    device: Device | None = None,
) -> Verdicts:
    """Verdicts on many signatures, in their order; see `Verifier.verify_many`.

    >>> verdicts = halimede.ecdsa.verify_many([b"", b"\\2" * 33], [b"a", b"b"], [b"", b""])
    >>> verdicts, [verdict.outcome for verdict in verdicts]
    (<2 verdicts, 2 not valid>, ['key', 'signature'])
    """
    verifier = Verifier(format, low_s=low_s)
    return verifier.verify_many(keys, digests, signatures, device=device)
