# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Zcash: verifies blocks and headers in the network's format.

What is checked of a block: the header's version, target, hash and Equihash solution, the root of
the transactions, and of each transaction its version and the scripts and signatures of its
transparent inputs. What is not: shielded proofs and signatures, amounts, and what only the chain
tells.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union, cast

from numpy.typing import NDArray

from halimede import _native
from halimede._native import Device

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["BlockReport", "HeaderVerdict", "verify_block", "verify_headers"]

Network = Literal["main", "test", "regtest"]


class Proof(TypedDict):
    """The verdict of a device on header and solution; the mask is that of `halimede.equihash`."""

    mask: int
    first: str | None


class Check(TypedDict):
    """A check of header or tree; the detail says why it fails, or else what there is."""

    check: str
    valid: bool
    detail: str


class Inputs(TypedDict):
    """How many transparent inputs have which verdict."""

    valid: int
    invalid: int
    not_checked: int


class Input(TypedDict):
    """A transparent input: its number, the kind of what it spends where that is known, a verdict,
    "valid", "invalid" or "not checked", and the reason where it is not valid."""

    input: int
    kind: str | None
    verdict: str
    reason: str | None


class Transaction(TypedDict):
    """A transaction: the byte of the block at which it begins, what is wrong with it as a whole,
    and its inputs."""

    txid: str
    begins_at: int
    coinbase: bool
    valid: bool
    faults: list[str]
    inputs: list[Input]


class BlockReport(TypedDict):
    """The verdicts on a block: what `halimede zcash verify-block --json` prints.

    `valid` tells whether nothing is wrong; inputs that are not checked are not.
    `signature_operations` are those of known scripts, `signatures` is how many were asked about,
    `seconds` where the time went.
    """

    hash: str
    network: str
    height: int | None
    bytes: int
    valid: bool
    proof_of_work: Proof
    checks: list[Check]
    inputs: Inputs
    transactions: list[Transaction]
    signature_operations: int
    signatures: int
    seconds: dict[str, float]


@dataclass(frozen=True)
class HeaderVerdict:
    """The verdict on a header; true where it is valid.

    hash: the block's, as nodes print it.
    reasons: why it is not valid; none where it is.
    """

    hash: str
    reasons: tuple[str, ...]

    def __bool__(self) -> bool:
        return not self.reasons


def verify_block(
    block: Buffer | str,
    *,
    network: Network = "main",
    spent: str | Buffer | Iterable[Mapping[str, Any]] | None = None,
    height: int | None = None,
    branch: str | None = None,
    device: Device | None = None,
) -> BlockReport:
    """Whether a block's proof of work and its transparent signatures hold.

    block: raw, or in hexadecimal as `getblock HASH 0` of a node prints it.
    network: "main", "test" or "regtest".
    spent: outputs of earlier blocks that this one spends: mappings with "txid" (as nodes print it),
        "vout", "value" (zatoshi) and "script" (bytes, or in hexadecimal); or such JSON, one a line.
        An input whose output is not known is reported as not checked.
    height: where absent, what the first transaction claims.
    branch: the consensus branch in hexadecimal, e.g. "4dec4df0"; where absent, that of the height.
    device: where it runs; this processor, on all cores, by default.

    Raises ValueError for bytes that are no block; it says at which byte. An invalid block is no
    error.
    """
    if spent is None or isinstance(spent, str) or _has_bytes(spent):
        lines = cast("str | Buffer | None", spent)
    else:
        lines = _lines(cast("Iterable[Mapping[str, Any]]", spent))
    report: BlockReport = _native.zcash_verify_block(block, network, lines, height, branch, device)
    return report


def verify_headers(
    headers: Buffer | Iterable[Buffer] | NDArray[Any],
    *,
    network: Network = "main",
    device: Device | None = None,
) -> list[HeaderVerdict]:
    """The proof of work of many headers with their solutions: a verdict for each, in their order.

    Checked are the version, the target against the network's limit, the hash against the target,
    and the solution; not whether headers follow each other.

    headers: one buffer with one behind the other (1487 bytes each on the main network); or a list
        of buffers, or an array of two axes, whose rows they are.
    device: where it runs; this processor, on all cores, by default.

    Ctrl-C ends long work between pieces. Raises ValueError for bytes that are no header; it says
    which header, and at which byte.

    >>> halimede.zcash.verify_headers(b"")
    []
    """
    found = _native.zcash_verify_headers(headers, network, device)
    return [HeaderVerdict(hash, tuple(reasons)) for hash, reasons in found]


def _has_bytes(value: Any) -> bool:
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


def _lines(spent: Iterable[Mapping[str, Any]]) -> str:
    """Outputs as JSON, one a line."""
    lines = []
    for number, output in enumerate(spent):
        if not isinstance(output, Mapping):
            kind = type(output).__name__
            raise TypeError(f"spent[{number}]: got {kind}, wanted a mapping such as a dict")
        members = {**output}
        script: Union[str, Any] = members.get("script")
        if script is not None and not isinstance(script, str):
            members["script"] = bytes(memoryview(script)).hex()
        try:
            lines.append(json.dumps(members))
        except (TypeError, ValueError) as error:
            raise TypeError(f"spent[{number}]: {error}") from None
    return "\n".join(lines)
