# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Equihash against the golden model and the published vectors: singly, in batches, in both
forms."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engines.equihash.model.cases import block_346, mutant, random_header
from engines.equihash.model.puzzle import (
    DIFFICULTY, N96, REGTEST, ZCASH, Parameters, check, indices_of, meets_target, minimal_of,
    target_of, tree_failures,
)
from halimede import equihash
from halimede._verdicts import OUTCOMES, Verdict

# The bits of the model's masks in the order of precedence, with outcome and reason.
CHECKS = [
    (1, "difficulty", "the header's hash does not meet its target"),
    (16, "duplicate", "an index occurs twice"),
    (4, "index-order", "subtrees are in the wrong order"),
    (8, "collision", "hashes do not collide where subtrees meet"),
    (2, "xor", "the hashes do not XOR to zero"),
]
VECTORS = Path(__file__).resolve().parents[2] / "engines/equihash/vectors/equihash.json"
WHOLE_346 = b"\xfd\x40\x05".join(block_346())


def told(mask: int) -> Verdict:
    """Returns the verdict for a mask of the model."""
    failed = [check for check in CHECKS if mask & check[0]]
    return Verdict(failed[0][1], "; ".join(reason for *_, reason in failed)) if failed else Verdict("valid")


def spoilt(parameters: Parameters, count: int, seed: int) -> list[tuple[bytes, bytes]]:
    """A header that is valid by the model, and others, each with one difference."""
    generator = random.Random(seed)
    while True:
        header = random_header(generator)
        solutions = equihash.solve(header, parameters.n, parameters.k)
        valid = [one for one in solutions if check(parameters, header, one) == 0]
        if valid:
            break
    solution = valid[0]
    mutants = [mutant(generator, parameters, header, solution) for _ in range(count)]
    return [(header, solution), *mutants]


@pytest.mark.parametrize("parameters, count, seed", [(REGTEST, 400, 1), (N96, 40, 2)])
def test_verdicts_are_the_models(parameters: Parameters, count: int, seed: int) -> None:
    n, k, cases = parameters.n, parameters.k, spoilt(parameters, count, seed)
    inputs, solutions = [case[0] for case in cases], [case[1] for case in cases]
    masks = [check(parameters, *case) for case in cases]
    assert masks[0] == 0 and len({mask & ~DIFFICULTY for mask in masks}) > 4
    tables = [np.frombuffer(b"".join(rows), np.uint8).reshape(len(cases), -1)
              for rows in (inputs, solutions)]
    for difficulty in [True, False]:
        verdicts = equihash.verify(inputs, solutions, n=n, k=k, difficulty=difficulty)
        expected = [told(mask if difficulty else mask & ~DIFFICULTY) for mask in masks]
        assert verdicts.outcomes.dtype == np.uint8 and list(verdicts) == expected
        assert verdicts.valid.tolist() == [verdict.outcome == "valid" for verdict in expected]
        again = equihash.verify(*tables, n=n, k=k, difficulty=difficulty)
        assert list(again) == expected
        others = equihash.verify(
            tuple(inputs), map(bytearray, solutions), n=n, k=k, difficulty=difficulty)
        assert list(others) == expected


def test_many_solutions_of_one_input() -> None:
    header, solution = block_346()
    generator = random.Random(3)
    solutions = []
    for _ in range(40):
        changed = bytearray(solution)
        changed[generator.randrange(len(changed))] ^= 1 << generator.randrange(8)
        solutions.append(bytes(changed) if generator.random() < 0.5 else solution)
    expected = [tree_failures(ZCASH, header, indices_of(ZCASH, one)) for one in solutions]
    assert 0 in expected and any(expected)
    verdicts = equihash.verify([header] * 40, solutions, difficulty=False)
    assert list(verdicts) == [told(mask) for mask in expected]


def test_published_vectors() -> None:
    """The crate's vectors, whose inputs have other lengths than a header."""
    kinds = set()
    for case in json.loads(VECTORS.read_text())["cases"]:
        n, k, data = case["n"], case["k"], bytes.fromhex(case["input"])
        parameters = Parameters(n, k)
        numbers, limit = case["indices"], 1 << parameters.index_bits
        if len(numbers) != parameters.indices or max(numbers) >= limit:
            with pytest.raises(ValueError, match="indices: "):
                equihash.minimal(case["indices"], n, k)
            continue
        solution = equihash.minimal(case["indices"], n, k)
        assert solution == minimal_of(parameters, case["indices"])
        assert equihash.indices(solution, n, k).tolist() == case["indices"]
        verdict = equihash.verify([data], [solution], n=n, k=k, difficulty=False)[0]
        assert verdict == told(tree_failures(parameters, data, case["indices"]))
        kinds.add((n, k, bool(verdict)))
    assert len(kinds) > 5


@pytest.mark.parametrize("parameters, nonces", [(REGTEST, 30), (N96, 2)])
def test_what_is_solved_holds(parameters: Parameters, nonces: int) -> None:
    n, k, generator, found = parameters.n, parameters.k, random.Random(4), 0
    for _ in range(nonces):
        header = random_header(generator)
        solutions = equihash.solve(header, n, k)
        assert len(set(solutions)) == len(solutions)
        assert all(check(parameters, header, one) & ~DIFFICULTY == 0 for one in solutions)
        found += len(solutions)
    assert found > 0
    with pytest.raises(ValueError, match="bytes of memory; the limit is 1000"):
        equihash.solve(header, n, k, memory_limit=1000)


def test_headers() -> None:
    header = equihash.Header(WHOLE_346)
    assert header.hash == "000000eff179fb1e47b7aa8667ad4d8e1ef3dbb0d79144030482bf93b5e6339f"
    assert (header.n, header.k, header.version, header.bits) == (200, 9, 4, 0x1E03C3BF)
    assert header.target == target_of(header.bits) and header.meets_target and header.verify()
    assert header.input + b"\xfd\x40\x05" + header.solution == WHOLE_346
    assert header.input[108:] == header.nonce and len(header.nonce) == 32
    assert bytes.fromhex(header.previous)[::-1] == header.input[4:36]
    assert bytes.fromhex(header.merkle_root)[::-1] == header.input[36:68]
    assert bytes.fromhex(header.commitment)[::-1] == header.input[68:100]
    assert header.time == int.from_bytes(header.input[100:104], "little")
    assert equihash.Header(bytearray(WHOLE_346), 200, 9) == header
    generator, outcomes = random.Random(5), set()
    for data, solution in spoilt(REGTEST, 200, 6):
        whole = data + b"\x24" + solution
        header = equihash.Header(whole)
        assert header.meets_target == meets_target(whole)
        assert header.target == target_of(header.bits)
        assert header.verify() == told(check(REGTEST, data, solution))
        outcomes.add(header.verify().outcome)
        cut = whole[:generator.randrange(len(whole))]
        with pytest.raises(ValueError, match=f"data: at byte {len(cut)}: unexpected end"):
            equihash.Header(cut)
    assert {"valid", "difficulty"} < outcomes


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda whole: whole + b"\0", "at byte 1487: 1 bytes follow the header"),
        (lambda whole: whole[:140] + b"\xfe\x40\x05\0\0" + whole[143:], "at byte 140: .* in 5 "),
        (lambda whole: whole[:140] + b"\xfd\x41\x05" + whole[143:], "at byte 140: .* fits none"),
    ],
)
def test_what_is_no_header(change: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"data: {message}"):
        equihash.Header(change(WHOLE_346))
    with pytest.raises(ValueError, match=r"a solution of 1344 bytes, but \(48, 5\) needs 36"):
        equihash.Header(WHOLE_346, 48, 5)


def test_a_large_batch_is_answered_in_its_order() -> None:
    """A batch of several pieces."""
    cases = spoilt(REGTEST, 99, 7)
    expected = [check(REGTEST, *case) & ~DIFFICULTY for case in cases]
    order = random.Random(8).choices(range(len(cases)), k=70_000)
    inputs, solutions = zip(*(cases[place] for place in order))
    verdicts = equihash.verify(inputs, solutions, n=48, k=5, difficulty=False)
    numbers = [OUTCOMES.index(told(mask).outcome) for mask in expected]
    assert verdicts.outcomes.tolist() == [numbers[place] for place in order]
    assert len(equihash.verify([], [], n=48, k=5)) == 0


def test_items_of_another_length_are_malformed() -> None:
    header, solution = block_346()
    verdicts = equihash.verify([header, header[1:], header], [solution, solution, solution[1:]])
    assert [verdict.outcome for verdict in verdicts] == ["valid", "malformed", "malformed"]
    assert verdicts[1].reason == "`header`: expected 140 bytes, got 139"
    assert verdicts[2].reason == "`solution`: expected 1344 bytes with these parameters, got 1343"
