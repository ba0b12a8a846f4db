# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Blocks and headers: a real block in every form, corrupted blocks, spent outputs."""

import hashlib
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engines.equihash.model.cases import random_header
from engines.equihash.model.puzzle import REGTEST, check
from halimede import equihash, zcash
from test_equihash import told

VECTORS = Path(__file__).resolve().parents[2] / "engines/zcash/vectors"
HEX_346 = (VECTORS / "zcash_block_346.hex").read_text()
BLOCK_346 = bytes.fromhex(HEX_346)
HEADER_BYTES = 1487
TRANSACTIONS: list[dict[str, Any]] = json.loads(
    (VECTORS / "transactions_bitcoin.json").read_text()
)
HASH_346 = "000000eff179fb1e47b7aa8667ad4d8e1ef3dbb0d79144030482bf93b5e6339f"


def named(report: zcash.BlockReport, name: str) -> zcash.Check:
    return next(check for check in report["checks"] if check["check"] == name)


def double_sha256(data: bytes) -> bytes:
    return hashlib.sha256(hashlib.sha256(data).digest()).digest()


def block_of(transaction: bytes) -> bytes:
    """Block 346 with a second transaction; its root is right, its proof of work is invalid."""
    header, first = BLOCK_346[:HEADER_BYTES], BLOCK_346[HEADER_BYTES + 1:]
    root = double_sha256(double_sha256(first) + double_sha256(transaction))
    return header[:36] + root + header[68:] + b"\2" + first + transaction


@pytest.mark.parametrize("block", [
    HEX_346, HEX_346.upper(), HEX_346.encode(), BLOCK_346, bytearray(BLOCK_346),
    np.frombuffer(BLOCK_346, np.uint8),
])
def test_block_346_is_valid_in_every_form(block: Any) -> None:
    report = zcash.verify_block(block, height=346)
    assert report["verdict"] == "valid" and report["hash"] == HASH_346
    assert report["unchecked"] == report["faults"] == []
    claimed = zcash.verify_block(block)
    assert claimed["verdict"] == "incomplete"
    assert [(one["name"], one["count"], one["option"]) for one in claimed["unchecked"]] == [
        ("block height", 1, "height")]
    assert {"3.3", "7.6"} <= {rule["section"] for rule in report["needs_chain_state"]}
    assert (report["height"], report["bytes"], report["network"]) == (346, 1619, "main")
    assert report["proof_of_work"] == {"mask": 0, "first": None}
    assert [check["check"] for check in report["checks"]][:4] == [
        "header", "difficulty", "equihash", "merkle root"]
    assert all(check["verdict"] == "valid" for check in report["checks"])
    assert report["transactions"][0]["coinbase"]
    assert report["transactions"][0]["verdict"] == "valid"
    assert report["seconds"]["total"] > 0
    assert set(report) <= set(zcash.BlockReport.__annotations__)
    assert set(report["transactions"][0]) == set(zcash.Transaction.__annotations__)


def test_a_damaged_proof_is_named() -> None:
    """Mainnet block 1,687,106: byte 3,000 after its first transaction of version 5."""
    text = (VECTORS / "blocks/main_1687106.hex").read_text()
    whole = zcash.verify_block(text, height=1687106)
    assert whole["verdict"] == "incomplete" and whole["proofs"] == 11 and not whole["faults"]
    assert [one["option"] for one in whole["unchecked"]] == ["history-root"]
    damaged = bytearray.fromhex(text)
    version_5 = next(
        one["begins_at"] for one in whole["transactions"] if damaged[one["begins_at"]] == 5)
    damaged[version_5 + 3000] ^= 1
    found = zcash.verify_block(damaged, height=1687106)
    assert found["verdict"] == "invalid" and "Sapling" in found["faults"][0]["reason"]
    missing = zcash.verify_block(text)
    assert [one["option"] for one in missing["unchecked"]] == ["height", "history-root"]
    other = zcash.verify_block(text, height=1687106, history_root=HASH_346)
    assert other["verdict"] == "invalid" and other["faults"][0]["section"] == "7.6"
    with pytest.raises(ValueError, match="history_root: \"12\" is not a hash: expected 64"):
        zcash.verify_block(text, history_root="12")


def test_flipped_bits_have_their_reasons() -> None:
    generator = random.Random(346)
    for bit in generator.sample(range(8 * HEADER_BYTES), 60):
        changed = bytearray(BLOCK_346)
        changed[bit // 8] ^= 1 << bit % 8
        if 140 <= bit // 8 < 143:
            with pytest.raises(ValueError, match="not a block: at byte 140: "):
                zcash.verify_block(changed)
            continue
        report = zcash.verify_block(changed)
        assert report["verdict"] == "invalid" and report["hash"] != HASH_346, bit
        assert report["faults"][0]["place"] == "header"
        assert named(report, "equihash")["verdict"] == "invalid", bit
        assert (named(report, "merkle root")["verdict"] == "invalid") == (36 <= bit // 8 < 68)
        verdict = equihash.Header(changed[:HEADER_BYTES]).verify()
        assert verdict == told(report["proof_of_work"]["mask"])
        [found] = zcash.verify_headers(changed[:HEADER_BYTES])
        assert not found and found.hash == report["hash"]


@pytest.mark.parametrize("vector", TRANSACTIONS, ids=lambda vector: str(vector["name"])[:30])
def test_inputs_are_checked_against_what_they_spend(vector: dict[str, Any]) -> None:
    transaction = bytes.fromhex(vector["tx"])
    spent = [{"txid": txid, "vout": vout, "value": 99 * 10**12, "script": script}
             for txid, vout, script in vector["spent"]]
    block, inputs = block_of(transaction), len(spent)
    in_bytes = [{**output, "script": bytes.fromhex(output["script"])} for output in spent]
    lines = "".join(json.dumps(output) + "\n" for output in spent)
    for given in (spent, iter(in_bytes), lines, lines.encode()):
        report = zcash.verify_block(block, spent=given)
        assert report["inputs"] == {"valid": inputs, "invalid": 0, "incomplete": 0}
        assert report["transactions"][1]["verdict"] == "valid" and report["signatures"] == inputs
        assert report["verdict"] == "invalid"
        assert named(report, "merkle root")["verdict"] == "valid"
    report = zcash.verify_block(block)
    assert report["inputs"] == {"valid": 0, "invalid": 0, "incomplete": inputs}
    assert "unknown" in (report["transactions"][1]["inputs"][0]["reason"] or "")
    changed = bytearray(transaction)
    changed[-1] ^= 0x40  # the lock time
    report = zcash.verify_block(block_of(bytes(changed)), spent=spent)
    assert report["inputs"] == {"valid": 0, "invalid": inputs, "incomplete": 0}
    entry = report["transactions"][1]["inputs"][0]
    assert entry["verdict"] == "invalid" and "not this key's" in (entry["reason"] or "")


@pytest.mark.parametrize(
    "block, options, message",
    [
        (b"", {}, "not a block: it is empty"),
        (BLOCK_346[:139], {}, "not a block: at byte 139: unexpected end"),
        (BLOCK_346 + b"\0", {}, "at byte 1619: 1 bytes follow the last transaction"),
        ("040000004g", {}, "character 9 is 'g'"),
        (bytes(2_000_001), {}, "2000001 bytes, but a block has at most 2000000"),
        (BLOCK_346, {"network": "regtest"}, r"a solution of 1344 bytes, but \(48, 5\) needs 36"),
        (BLOCK_346, {"network": "mainnet"}, "network: unknown network \"mainnet\", expected main"),
        (BLOCK_346, {"branch": "12345678"}, "branch: unknown branch 12345678"),
        (BLOCK_346, {"branch": "NU5"}, "branch: \"NU5\" is not a hexadecimal number"),
        (BLOCK_346, {"spent": "{\"txid\": 1}"}, "spent: line 1: "),
        (BLOCK_346, {"spent": [{"txid": "00" * 32, "vout": 0, "value": 0}]}, "spent: line 1: mis"),
        (BLOCK_346, {"spent": [{"txid": "00" * 32, "vout": 0, "value": 1 << 60, "script": b""}]},
         "spent: line 1: the value exceeds the money supply"),
        (BLOCK_346, {"spent": memoryview(BLOCK_346)[::2]}, "spent: got a buffer that is not cont"),
    ],
)
def test_wrong_values(block: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        zcash.verify_block(block, **options)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: zcash.verify_block(None), "block: got NoneType, wanted bytes"),
        (lambda: zcash.verify_block(7), "block: got int"),
        (lambda: zcash.verify_block(BLOCK_346, network=None), "str"),
        (lambda: zcash.verify_block(BLOCK_346, height="346"), "height"),
        (lambda: zcash.verify_block(BLOCK_346, spent=7), "not iterable"),
        (lambda: zcash.verify_block(BLOCK_346, spent=[7]), r"spent\[0\]: got int, wanted"),
        (lambda: zcash.verify_block(BLOCK_346, spent=[{}, {"script": 7}]), "memoryview"),
        (lambda: zcash.verify_block(BLOCK_346, spent=[{"txid": b"0"}]), r"spent\[0\]: .*bytes"),
        (lambda: zcash.verify_block(BLOCK_346, device="cpu"), "wanted a halimede.Device"),
        (lambda: zcash.verify_headers(None), "headers: got NoneType, wanted one buffer, a list"),
        (lambda: zcash.verify_headers([BLOCK_346[:HEADER_BYTES], None]), r"headers\[1\]: got"),
        (lambda: zcash.verify_headers("text"), r"headers\[0\]: got str"),
    ],
)
def test_wrong_types(call: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()


def chain() -> list[bytes]:
    names = sorted((VECTORS / "blocks").glob("main_04192*.hex"))
    return [bytes.fromhex(name.read_text()) for name in names]


def test_blocks_have_the_verdicts_of_each_alone() -> None:
    names = sorted((VECTORS / "blocks").glob("main_*.hex"))
    blocks = [bytes.fromhex(name.read_text()) for name in names]
    heights = [int(name.stem.removeprefix("main_")) for name in names]
    damaged = bytearray(blocks[3])
    damaged[-9] ^= 1
    blocks[3] = bytes(damaged)
    alone = [zcash.verify_block(block, height=height) for block, height in zip(blocks, heights)]
    for batch in (1, 5, 64):
        stream = zcash.verify_blocks(blocks, heights=heights, batch=batch, recent_outputs=0)
        found = list(stream)
        assert [one["verdict"] for one in found] == [one["verdict"] for one in alone]
        for one, other in zip(found, alone):
            assert one == {name: other[name] for name in one}  # type: ignore[literal-required]
    assert {one["verdict"] for one in found} == {"valid", "invalid", "incomplete"}
    assert not {"seconds", "proofs", "signatures"} & set(found[0])
    # Some blocks follow each other, and the later ones spend outputs of the earlier ones.
    known = list(zcash.verify_blocks(blocks, heights=heights))
    open_inputs = [sum(one["inputs"]["incomplete"] for one in each) for each in (found, known)]
    assert open_inputs[0] > open_inputs[1]


def test_blocks_that_follow_each_other_have_heights() -> None:
    blocks = chain()
    found = list(zcash.verify_blocks(iter(blocks), first_height=419_200, batch=2))
    assert [one["height"] for one in found] == [419_200, 419_201, 419_202]
    assert [one["verdict"] for one in found] == ["valid", "incomplete", "incomplete"]
    claimed = list(zcash.verify_blocks([blocks[0].hex()]))
    assert [of["name"] for of in claimed[0]["unchecked"]] == ["block height"]
    stream = zcash.verify_blocks([blocks[0], blocks[2]], first_height=419_200)
    assert next(stream)["verdict"] == "valid"
    with pytest.raises(ValueError, match=r"^blocks\[1\]: the block names .* as its previous block"):
        next(stream)
    stream = zcash.verify_blocks([*blocks[:2], b"\4\0\0\0"], batch=1)
    assert [next(stream)["height"], next(stream)["height"]] == [419_200, 419_201]
    with pytest.raises(ValueError, match=r"^blocks\[2\]: not a block: "):
        next(stream)


def test_the_state_decides_rules() -> None:
    _, before, block = chain()
    # Until Heartwood, headers have the final Sapling treestate of their block.
    state = [{"height": 419_201, "finalsaplingroot": before[68:100][::-1].hex()}]
    rule = "a spend's anchor is the final Sapling treestate of an earlier block"

    def is_open(report: zcash.BlockVerdicts) -> bool:
        return rule in {one["rule"] for one in report["needs_chain_state"]}

    assert is_open(zcash.verify_block(block, height=419_202))
    for given in (state, json.dumps(state[0]), json.dumps(state[0]).encode()):
        assert not is_open(zcash.verify_block(block, height=419_202, state=given))
        (report,) = zcash.verify_blocks([block], heights=[419_202], state=given)
        assert not is_open(report)
    with pytest.raises(ValueError, match="^state: object 2: "):
        zcash.verify_block(block, state="{}{")
    with pytest.raises(TypeError, match=r"^state\[0\]: got int, wanted a mapping"):
        zcash.verify_block(block, state=[5])  # type: ignore[list-item]


@pytest.mark.parametrize(("options", "message"), [
    ({"batch": 0}, "batch: got 0, wanted at least 1"),
    ({"first_height": 1, "heights": [1]}, "give only one of them"),
    ({"heights": []}, "fewer heights than blocks"),
    ({"network": "moon"}, "network: "),
    ({"spent": "{"}, "spent: line 1"),
])
def test_wrong_options_of_streams(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        list(zcash.verify_blocks([BLOCK_346], **options))


def test_headers_in_every_form() -> None:
    """Regtest headers, solved and corrupted, against the golden model."""
    generator, headers, masks = random.Random(9), [], []
    while len(headers) < 700:
        fields = (4).to_bytes(4, "little") + random_header(generator)[4:]
        for solution in equihash.solve(fields, 48, 5):
            if generator.random() < 0.5:
                flipped = bytearray(solution)
                flipped[generator.randrange(36)] ^= 1 << generator.randrange(8)
                solution = bytes(flipped)
            headers.append(fields + b"\x24" + solution)
            masks.append(check(REGTEST, fields, solution))
    one = b"".join(headers)
    verdicts = zcash.verify_headers(one, network="regtest")
    assert [bool(verdict) for verdict in verdicts] == [mask == 0 for mask in masks]
    # One of sixteen hashes meets regtest's easiest target.
    assert 10 < masks.count(0) and 10 < masks.count(1) and len(set(masks)) > 4
    for verdict, header, mask in zip(verdicts, headers, masks):
        assert verdict.hash == double_sha256(header)[::-1].hex()
        assert "; ".join(verdict.reasons) == (told(mask).reason or "")
    table = np.frombuffer(one, np.uint8).reshape(len(headers), -1)
    for given in (headers, table, memoryview(one)):
        assert zcash.verify_headers(given, network="regtest") == verdicts
    bad = headers[:5] + [headers[5][:-1]] + headers[6:]
    with pytest.raises(ValueError, match=r"headers\[5\]: at byte 176: unexpected end"):
        zcash.verify_headers(bad, network="regtest")
    with pytest.raises(ValueError, match=r"headers\[3\]: at byte 10: unexpected end"):
        zcash.verify_headers(one[:3 * 177 + 10], network="regtest")
    old = (3).to_bytes(4, "little") + headers[0][4:]
    [verdict] = zcash.verify_headers(old, network="regtest")
    assert verdict.reasons[0] == "version 3: must be at least 4"
