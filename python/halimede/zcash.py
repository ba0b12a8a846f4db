# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Zcash: verifies blocks and headers in the network's format.

Checked of a block are the header's version, target, hash and Equihash solution, the root of the
transactions, and of each transaction its version, parts, amounts, and the scripts and signatures of
its transparent inputs. Not checked are shielded proofs and signatures, the payments of the coinbase
transaction, and what only the chain tells: the verdict says so. engines/zcash/RULES.md lists every
rule of consensus.
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
Verdict = Literal["valid", "invalid", "incomplete"]
"""valid: each rule that the bytes and what is given can decide was checked and holds. invalid: a rule
does not hold. incomplete: nothing failed, and something was not checked."""


class Proof(TypedDict):
    """The verdict of a device on header and solution. The mask has a bit for each failed check: 1
    difficulty, 2 xor, 4 index-order, 8 collision, 16 duplicate."""

    mask: int
    first: str | None


class Check(TypedDict):
    """A check of header or tree; the detail says why it fails, or else what there is."""

    check: str
    verdict: Verdict
    detail: str


class Fault(TypedDict):
    """A rule that does not hold: its section in the protocol's specification, its place, and what is
    wrong."""

    section: str
    place: str
    reason: str


class Unchecked(TypedDict):
    """Things of one kind that were not checked: how many, the argument of `verify_block` that gives
    what is missing, where one does, and the same in words."""

    name: str
    count: int
    option: str | None
    needs: str


class Rule(TypedDict):
    """A rule that only the chain decides, and what of the chain does."""

    section: str
    rule: str
    needs: str


class Inputs(TypedDict):
    """How many transparent inputs have which verdict."""

    valid: int
    invalid: int
    incomplete: int


class Input(TypedDict):
    """A transparent input: its number, the kind of what it spends where that is known, a verdict,
    and the reason where it is not valid."""

    input: int
    kind: str | None
    verdict: Verdict
    reason: str | None


class Transaction(TypedDict):
    """A transaction: the byte of the block at which it begins, what is wrong with it as a whole,
    what of it was not checked, and its inputs."""

    txid: str
    begins_at: int
    coinbase: bool
    verdict: Verdict
    faults: list[str]
    unchecked: list[Unchecked]
    inputs: list[Input]


class BlockReport(TypedDict):
    """The verdicts on a block: what `halimede zcash verify-block --json` prints.

    `faults` has each rule that does not hold, `unchecked` what was not checked; a block of which
    something was not checked is never valid. `needs_chain_state` has rules that only the chain
    decides, which are outside of the verdict. `signature_operations` are those of known scripts, `signatures` is how many were asked about,
    `seconds` where the time went.
    """

    hash: str
    network: str
    height: int | None
    bytes: int
    verdict: Verdict
    faults: list[Fault]
    unchecked: list[Unchecked]
    needs_chain_state: list[Rule]
    proof_of_work: Proof
    checks: list[Check]
    inputs: Inputs
    transactions: list[Transaction]
    signature_operations: int
    signatures: int
    seconds: dict[str, float]


@dataclass(frozen=True)
class HeaderVerdict:
    """The verdict on a header; true where it is valid: where each rule that a header alone decides
    holds. Whether its target is due, its time, its commitments and what it follows, the chain tells.

    hash: the block's, as nodes print it.
    reasons: why it is not valid; none where it is.
    """

    hash: str
    reasons: tuple[str, ...]

    @property
    def verdict(self) -> Verdict:
        """"valid" or "invalid"."""
        return "invalid" if self.reasons else "valid"

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
    """The verdict on a block: "valid", "invalid" or "incomplete" in the report's `verdict`.

    block: raw, or in hexadecimal as `getblock HASH 0` of a node prints it.
    network: "main", "test" or "regtest".
    spent: outputs of earlier blocks that this one spends: mappings with "txid" (as nodes print it),
        "vout", "value" (zatoshi) and "script" (bytes, or in hexadecimal); or such JSON, one a line.
        An input whose output is not known is incomplete.
    height: where absent, what the first transaction claims is taken, and the verdict is incomplete.
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
    and the solution; not whether headers follow each other, nor what else only the chain tells.

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
