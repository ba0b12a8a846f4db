# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Zcash: verifies blocks and headers in the network's format.

Checks of a block: the header's version, target, hash and Equihash solution, the Merkle root of the
transactions, the payments of the coinbase transaction, and for each transaction its version, parts,
amounts, the scripts and signatures of its transparent inputs, and the proofs and signatures of its
shielded parts. Not checked: JoinSplit proofs from before Sapling, and rules that depend on the
chain; the report lists them. engines/zcash/RULES.md lists every consensus rule.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union, cast

from numpy.typing import NDArray

from halimede import _native
from halimede._native import Device

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = [
    "BlockReport",
    "BlockVerdicts",
    "HeaderVerdict",
    "verify_block",
    "verify_blocks",
    "verify_headers",
]

Network = Literal["main", "test", "regtest"]
Verdict = Literal["valid", "invalid", "incomplete"]
"""valid: all rules that the block and the arguments can decide were checked and hold. invalid: a
rule does not hold. incomplete: nothing failed, but something was not checked."""


class Proof(TypedDict):
    """The verdict of a device on a header and its solution. The mask has one bit for each failed
    check: 1 difficulty, 2 xor, 4 index-order, 8 collision, 16 duplicate."""

    mask: int
    first: str | None


class Check(TypedDict):
    """A check of the header or the Merkle tree. The detail is the reason of a failure, or else the
    value that was found."""

    check: str
    verdict: Verdict
    detail: str


class Fault(TypedDict):
    """A rule that does not hold: its section in the protocol specification, the place in the block,
    and the reason."""

    section: str
    place: str
    reason: str


class Unchecked(TypedDict):
    """Checks of one kind that were not made: their number, the argument of `verify_block` that
    would allow them, if there is one, and a description of the missing data."""

    name: str
    count: int
    option: str | None
    needs: str


class Rule(TypedDict):
    """A rule that depends on the chain, and the data of the chain that it needs."""

    section: str
    rule: str
    needs: str


class Inputs(TypedDict):
    """The number of transparent inputs with each verdict."""

    valid: int
    invalid: int
    incomplete: int


class Input(TypedDict):
    """A transparent input: its number, the kind of the output that it spends, if known, a verdict,
    and the reason if it is not valid."""

    input: int
    kind: str | None
    verdict: Verdict
    reason: str | None


class Transaction(TypedDict):
    """A transaction: its offset in the block in bytes, the faults of the transaction as a whole,
    its unchecked parts, and its inputs."""

    txid: str
    begins_at: int
    coinbase: bool
    verdict: Verdict
    faults: list[str]
    unchecked: list[Unchecked]
    inputs: list[Input]


class BlockVerdicts(TypedDict):
    """The verdicts on a block of a stream.

    `faults` lists each rule that does not hold, `unchecked` the checks that were not made; a block
    with an unchecked part is never valid. `needs_chain_state` lists the rules that depend on the
    chain, which do not affect the verdict. `signature_operations` counts those of known scripts.
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


class BlockReport(BlockVerdicts):
    """The verdicts on a block, as `halimede zcash verify-block --json` prints them. `signatures` and
    `proofs` count the transparent signatures and the Groth16 proofs that were verified; `seconds`
    is the time of each phase."""

    signatures: int
    proofs: int
    seconds: dict[str, float]


@dataclass(frozen=True)
class HeaderVerdict:
    """The verdict on a header; true if it is valid, i.e. if all rules hold that the header itself
    decides. The expected target, the time, the commitments and the previous block depend on the
    chain.

    hash: the block's hash, as nodes print it.
    reasons: why it is not valid; empty if it is valid.
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
    history_root: str | None = None,
    state: str | Buffer | Iterable[Mapping[str, Any]] | None = None,
    device: Device | None = None,
) -> BlockReport:
    """Verifies a block. The report's `verdict` is "valid", "invalid" or "incomplete".

    block: raw, or in hexadecimal as `getblock HASH 0` of a node prints it.
    network: "main", "test" or "regtest".
    spent: outputs of earlier blocks that this block spends: mappings with "txid" (as nodes print
        it), "vout", "value" (zatoshi) and "script" (bytes, or in hexadecimal); or the same as JSON,
        one object per line. An input whose output is not known is incomplete.
    height: the block's height. By default, the height that the first transaction claims, and the
        verdict is incomplete.
    branch: the consensus branch in hexadecimal, e.g. "4dec4df0"; by default, the one of the height.
    history_root: the root of the chain's history before the block (ZIP 221), in hexadecimal as
        nodes print it. From NU5 on the header commits to it, and without it the verdict is
        incomplete.
    state: what a node knows about the chain: the objects that `getblock HASH 1` of zcashd prints for
        this block, the previous one and those whose treestates the block refers to; or the same as
        JSON. {"nullifiers": {"sapling": ["…"]}} lists nullifiers that earlier blocks revealed.
        Rules that the state decides are checked, and not in `needs_chain_state`.
    device: where it runs; all cores of this processor by default.

    Raises ValueError with the byte's offset if the bytes are not a block. An invalid block does not
    raise.
    """
    given, texts = (_text("spent", spent), _text("state", state)), (branch, history_root)
    report: BlockReport = _native.zcash_verify_block(block, network, given, height, texts, device)
    return report


def verify_blocks(
    blocks: Iterable[Buffer | str],
    *,
    network: Network = "main",
    spent: str | Buffer | Iterable[Mapping[str, Any]] | None = None,
    first_height: int | None = None,
    heights: Iterable[int | None] | None = None,
    state: str | Buffer | Iterable[Mapping[str, Any]] | None = None,
    batch: int = 64,
    recent_outputs: int = 1 << 18,
    device: Device | None = None,
) -> Iterator[BlockVerdicts]:
    """Verifies many blocks. Signatures and proofs of `batch` blocks are verified together; the
    verdicts do not depend on that. Yields the verdicts in the order of the blocks.

    blocks: each raw or in hexadecimal. They are taken when their batch begins.
    network, spent, state, device: as for `verify_block`.
    first_height: the height of the first block. The blocks must follow each other then.
    heights: the height of each block, or None, for blocks that need not follow each other.
    batch: the number of blocks of a batch.
    recent_outputs: the number of outputs that are kept of those that the blocks created, about 40 MB
        by default. Later blocks can spend them, once each, without `spent`.

    Without heights, each block claims its height, and its verdict is incomplete. Raises ValueError
    with the number of the block if the bytes are not a block, or if it does not follow the one
    before; the verdicts before that are yielded.

    >>> list(halimede.zcash.verify_blocks([]))
    []
    """
    if batch < 1:
        raise ValueError(f"batch: got {batch}, wanted at least 1")
    if first_height is not None and heights is not None:
        raise ValueError("first_height and heights: give only one of them")
    if recent_outputs < 0:
        raise ValueError(f"recent_outputs: got {recent_outputs}, wanted at least 0")
    given = (_text("spent", spent), _text("state", state))
    chain = _native.ZcashChain(network, given, first_height, recent_outputs)
    return _verdicts(chain, iter(blocks), None if heights is None else iter(heights), batch, device)


def _verdicts(
    chain: _native.ZcashChain,
    blocks: Iterator[Buffer | str],
    heights: Iterator[int | None] | None,
    batch: int,
    device: Device | None,
) -> Iterator[BlockVerdicts]:
    while taken := list(islice(blocks, batch)):
        known: list[int | None] = [None] * len(taken)
        if heights is not None:
            known = list(islice(heights, len(taken)))
        if len(known) < len(taken):
            raise ValueError("heights: there are fewer heights than blocks")
        found, error = chain.verify(taken, known, device)
        yield from found
        if error is not None:
            raise ValueError(error)


def verify_headers(
    headers: Buffer | Iterable[Buffer] | NDArray[Any],
    *,
    network: Network = "main",
    device: Device | None = None,
) -> list[HeaderVerdict]:
    """Verifies the proof of work of many headers. The verdicts are in the order of the headers.

    Checks the version, the target against the network's limit, the hash against the target, and the
    solution. Does not check the order of the headers or other rules that depend on the chain.

    headers: one buffer with consecutive headers (1487 bytes each on the main network); or a list of
        buffers, or the rows of an array of two axes.
    device: where it runs; all cores of this processor by default.

    Ctrl-C ends long work between pieces. Raises ValueError with the number of the header and the
    byte's offset if the bytes are not a header.

    >>> halimede.zcash.verify_headers(b"")
    []
    """
    found = _native.zcash_verify_headers(headers, network, device)
    return [HeaderVerdict(hash, tuple(reasons)) for hash, reasons in found]


def _text(
    name: str, objects: str | Buffer | Iterable[Mapping[str, Any]] | None
) -> str | Buffer | None:
    """Formats objects as JSON, unless they are."""
    if objects is None or isinstance(objects, str) or _has_bytes(objects):
        return cast("str | Buffer | None", objects)
    return _lines(name, cast("Iterable[Mapping[str, Any]]", objects))


def _has_bytes(value: Any) -> bool:
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


def _lines(name: str, objects: Iterable[Mapping[str, Any]]) -> str:
    """Formats objects as JSON, one per line."""
    lines = []
    for number, output in enumerate(objects):
        if not isinstance(output, Mapping):
            kind = type(output).__name__
            raise TypeError(f"{name}[{number}]: got {kind}, wanted a mapping such as a dict")
        members = {**output}
        script: Union[str, Any] = members.get("script")
        if script is not None and not isinstance(script, str):
            members["script"] = bytes(memoryview(script)).hex()
        try:
            lines.append(json.dumps(members))
        except (TypeError, ValueError) as error:
            raise TypeError(f"{name}[{number}]: {error}") from None
    return "\n".join(lines)
