# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Equihash's kernels against the golden model."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass

import numpy as np
import pytest

from engines.equihash.model import puzzle as model
from engines.equihash.model.cases import block_346, mutant, random_header, solutions
from engines.equihash.model.puzzle import N96, REGTEST, ZCASH, Parameters, compact_size, leaf
from places.cuda.tests.emulation import KERNELS, ROOT, Kernels, kernels, some

VECTORS = ROOT / "engines/equihash/vectors/equihash.json"


@dataclass(frozen=True)
class Request:
    """An input and a solution; a header's difficulty is checked too."""

    header: bytes
    solution: bytes
    is_header: bool = True

    def expected(self, parameters: Parameters) -> int:
        if self.is_header:
            return model.check(parameters, self.header, self.solution)
        indices = model.indices_of(parameters, self.solution)
        return model.tree_failures(parameters, self.header, indices)


def source() -> Kernels:
    return kernels(KERNELS / "equihash.cu")


def verify(parameters: Parameters, requests: list[Request]) -> list[int]:
    data, items = b"", []
    for request in requests:
        between = compact_size(len(request.solution)) if request.is_header else b""
        start = len(data)
        data += request.header + between + request.solution
        solution = start + len(request.header) + len(between)
        items.append([start, len(request.header), solution,
                      len(data) - start if request.is_header else 0])
    count = len(requests)
    memory = np.zeros(len(data) // 4 + 8, dtype=np.uint32)
    begin = -memory.ctypes.data % 16 // 4
    words = memory[begin:begin + -(-len(data) // 4)]
    words[:] = np.frombuffer(data.ljust(4 * len(words), b"\x77"), dtype="<u4")
    states, masks = np.zeros((count, 8), dtype=np.uint64), np.full(count, 255, dtype=np.uint32)
    numbers = np.array(items, dtype=np.uint64)
    source().run("equihash_begin", count, words, numbers, states, masks, count, parameters.n,
                 parameters.k)
    most, threads = (512, 128) if parameters.indices > 32 else (32, 32)
    source().run(f"equihash_verify_{most}", count * threads, words, numbers, states, masks, count,
                 parameters.n, parameters.k)
    return [int(mask) for mask in masks]


def check(parameters: Parameters, requests: list[Request]) -> set[int]:
    masks = verify(parameters, requests)
    assert masks == [request.expected(parameters) for request in requests]
    return set(masks)


def test_block_346_and_its_mutants() -> None:
    rng, (header, solution) = random.Random(346), block_346()
    requests = [Request(header, solution)]
    requests += [Request(*mutant(rng, ZCASH, header, solution))
                 for _ in range(some(16, 8))]
    masks = check(ZCASH, requests)
    assert 0 in masks and len(masks) > 3


@pytest.mark.parametrize("parameters", [REGTEST, N96], ids=str)
def test_solutions_of_small_sets(parameters: Parameters) -> None:
    rng, requests = random.Random(parameters.n), []
    while not requests:
        header = random_header(rng)
        for indices in list(solutions(parameters, header))[:2]:
            solution = model.minimal_of(parameters, indices)
            requests.append(Request(header, solution))
            requests += [Request(*mutant(rng, parameters, header, solution)) for _ in range(40)]
    masks = check(parameters, requests)
    for bit in range(5):
        assert any(mask >> bit & 1 for mask in masks), bit


def test_vectors() -> None:
    cases = json.loads(VECTORS.read_text(encoding="utf-8"))["cases"]
    cases = some(cases, cases[::2])
    for n, k in sorted({(case["n"], case["k"]) for case in cases}):
        parameters, requests, verdicts = Parameters(n, k), [], []
        for case in cases:
            indices = case["indices"]
            if (case["n"], case["k"]) != (n, k) or len(indices) != parameters.indices:
                continue
            if max(indices) >> parameters.index_bits:
                continue
            solution = model.minimal_of(parameters, indices)
            requests.append(Request(bytes.fromhex(case["input"]), solution, is_header=False))
            verdicts.append(case["verdict"] == "valid")
        assert requests
        check(parameters, requests)
        assert [mask == 0 for mask in verify(parameters, requests)] == verdicts


@pytest.mark.parametrize("parameters", [REGTEST, Parameters(248, 7)], ids=str)
def test_inputs_of_any_length(parameters: Parameters) -> None:
    """The number of a hash, of up to 31 bits, lies anywhere in a block, or in two."""
    rng = random.Random(2)
    lengths = [0, 1, 3, 4, 5, 6, 7, 100, 121, 123, 124, 125, 126, 127, 128, 129, 255, 256, 300]
    requests = [Request(rng.randbytes(length), rng.randbytes(parameters.solution_bytes), False)
                for length in lengths]
    check(parameters, requests)


def colliding(parameters: Parameters, header: bytes, first: int) -> tuple[int, int]:
    """Two indices from `first` on whose leaves begin with the same bits."""
    seen: dict[int, int] = {}
    shift = parameters.n - parameters.collision_bits
    for index in range(first, 1 << parameters.index_bits):
        other = seen.setdefault(leaf(parameters, header, index) >> shift, index)
        if other != index:
            return other, index
    raise AssertionError("no two leaves collide")


@pytest.mark.parametrize("length", [*range(8), 124, 125, 126, 127, 140])
def test_hashes_of_large_numbers(length: int) -> None:
    """Two leaves that collide, twice: the mask has no collision only if both hashes are right. All
    bytes of the number of the hash are used, at any place of a word."""
    parameters = Parameters(200, 7)
    header = random.Random(length).randbytes(length)
    first, second = colliding(parameters, header, 1 << parameters.index_bits - 1)
    assert first // parameters.leaves_per_hash >= 1 << 24
    rest = [first] * (parameters.indices - 4)
    request = Request(header, model.minimal_of(parameters, [first, second] * 2 + rest), False)
    masks = check(parameters, [request])
    assert masks == {model.ORDER | model.DUPLICATE}


def test_leaves_of_any_number() -> None:
    """All leaves per hash, by solutions of one repeated index: every pair XORs to zero."""
    rng = random.Random(4)
    for parameters in (REGTEST, N96, Parameters(144, 5), Parameters(128, 7), Parameters(80, 4)):
        header = rng.randbytes(140)
        requests = [Request(header, model.minimal_of(parameters, [index] * parameters.indices),
                            False) for index in range(12)]
        requests.append(Request(header, rng.randbytes(parameters.solution_bytes), False))
        check(parameters, requests)
