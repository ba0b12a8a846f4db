# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The kernels of Groth16 proofs: keys and proofs that are made from known scalars."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from engines.bls12_381.model import pairing, tower
from engines.bls12_381.model.pairing import G1, G2, Point2
from engines.bls12_381.model.tower import R
from places.cuda.tests.emulation import KERNELS, Kernels, Words, kernels, to_words
from places.cuda.tests.test_bls12_381 import encoded, fp12s, negated, points1, points2, read1

FINITE, INFINITY, BAD_ENCODING, NOT_ON_CURVE, WRONG_SUBGROUP = range(5)
LINE_WORDS, MULTIPLES = 68 * 72, 64 * 15


def source() -> Kernels:
    return kernels(KERNELS / "bls12_381_proofs.cu")


def run(name: str, threads: int, *arguments: np.ndarray | int) -> None:
    source().run(f"bls12_381_proofs_{name}", threads, *arguments, threads)


def zeros(count: int) -> Words:
    return np.zeros(max(1, count), dtype=np.uint32)


@dataclass
class Key:
    """The discrete logarithms of a key."""

    alpha: int
    beta: int
    gamma: int
    delta: int
    terms: list[int]

    def prove(self, inputs: list[int], rng: random.Random) -> bytes:
        """A proof for any inputs, which the logarithms allow."""
        a, b = (rng.randrange(1, R) for _ in range(2))
        x = self.terms[0] + sum(t * i for t, i in zip(self.terms[1:], inputs, strict=True))
        c = (a * b - self.alpha * self.beta - x * self.gamma) * pow(self.delta, -1, R) % R
        return (encoded(pairing.multiply(G1, a), True, True)
                + encoded(pairing.multiply(G2, b), False, True)
                + encoded(pairing.multiply(G1, c), True, True))


def random_key(rng: random.Random, inputs: int) -> Key:
    numbers = [rng.randrange(1, R) for _ in range(5 + inputs)]
    return Key(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4:])


@dataclass
class Prepared:
    """The parts of products that keys have in common."""

    lines: Words
    values: Words
    tables: Words
    first_terms: list[int]


def prepared(keys: list[Key]) -> Prepared:
    twists = points2([pairing.multiply(G2, number) for key in keys
                      for number in (key.gamma, key.delta)])
    lines, values = zeros(LINE_WORDS * 2 * len(keys)), zeros(144 * len(keys))
    run("prepare_lines", 2 * len(keys), twists, lines)
    pairs = np.concatenate([words for key in keys for words in (
        points1([negated(pairing.multiply(G1, key.alpha))]),
        points2([pairing.multiply(G2, key.beta)]))])
    run("prepare_pairs", len(keys), pairs, values)
    numbers = [number for key in keys for number in key.terms]
    tables = zeros(24 * MULTIPLES * len(numbers))
    run("prepare_multiples", 64 * len(numbers),
        points1([pairing.multiply(G1, number) for number in numbers]), tables)
    firsts = np.concatenate(([0], np.cumsum([len(key.terms) for key in keys])))
    return Prepared(lines, values, tables, [int(first) for first in firsts])


Case = tuple[int, list[int], bytes]


def verify(keys: list[Key], cases: list[Case]) -> tuple[list[list[int]], list[Point2], list[int]]:
    """The statuses of A, B and C, the points -X, and the verdicts."""
    made, count = prepared(keys), len(cases)
    proofs = np.frombuffer(b"".join(proof for _, _, proof in cases), dtype="<u4").copy()
    first, first_statuses = zeros(48 * count), zeros(2 * count)
    second, second_statuses = zeros(48 * count), zeros(count)
    run("read_g1", 2 * count, proofs, first, first_statuses)
    run("read_g2", count, proofs, second, second_statuses)
    rows: list[int] = []
    inputs: list[int] = []
    for key, numbers, _ in cases:
        rows += [key, made.first_terms[key], len(inputs), len(numbers)]
        inputs += numbers
    row_words, sums, verdicts = np.array(rows, dtype=np.uint32), zeros(24 * count), zeros(count)
    run("sum_inputs", count, made.tables, row_words, to_words(inputs or [0], 8), sums)
    run("check", count, first, second, sums, row_words, made.lines, made.values, verdicts)
    statuses = [[int(first_statuses[2 * i]), int(second_statuses[i]),
                 int(first_statuses[2 * i + 1])] for i in range(count)]
    return statuses, read1(sums), [int(verdict) for verdict in verdicts]


def test_proofs() -> None:
    rng = random.Random(1)
    keys = [random_key(rng, inputs) for inputs in (0, 3)]
    # The sum of the terms is infinity for the first inputs.
    k = keys[1].terms
    zero = -(k[0] + k[1] + k[2]) * pow(k[3], -1, R) % R
    lists = [(0, []), (1, [1, 1, zero]), (1, [0, R - 1, rng.randrange(R)]), (1, [0, 0, 0])]
    cases: list[Case] = [(key, inputs, keys[key].prove(inputs, rng)) for key, inputs in lists]
    good = len(cases)
    _, inputs, proof = cases[2]
    other = keys[1].prove(inputs, rng)
    infinity = encoded(None, True, True)
    cases += [
        (1, [*inputs[:2], (inputs[2] + 1) % R], proof),
        (1, inputs, proof[:48] + other[48:144] + proof[144:]),
        (1, inputs, proof[:144] + other[144:]),
        (1, inputs, infinity + proof[48:]),
        (1, inputs, proof[:48] + encoded(None, False, True) + proof[144:]),
        (1, inputs, proof[:144] + bytes(48)),
    ]
    statuses, sums, verdicts = verify(keys, cases)
    assert statuses[:good + 3] == [[FINITE] * 3] * (good + 3)
    assert statuses[good + 3:] == [[INFINITY, FINITE, FINITE], [FINITE, INFINITY, FINITE],
                                   [FINITE, FINITE, BAD_ENCODING]]
    for (key, inputs, _), got in zip(cases, sums, strict=True):
        terms = keys[key].terms
        total = terms[0] + sum(t * i for t, i in zip(terms[1:], inputs, strict=True))
        assert got == negated(pairing.multiply(G1, total % R))
    assert sums[1] is None
    assert verdicts == [1] * good + [0] * 6


def test_prepared_parts() -> None:
    """The tables of multiples, and the Miller loops of pairs after the final exponentiation."""
    rng = random.Random(2)
    key = random_key(rng, 0)
    made = prepared([key])
    multiples = read1(made.tables)
    for window in (0, 1, 63):
        for digit in (1, 2, 8, 15):
            number = digit * 16**window * key.terms[0] % R
            assert multiples[15 * window + digit - 1] == pairing.multiply(G1, number)
    value = pairing.final_exponentiation(fp12s(reordered(made.values))[0])
    power = -key.alpha * key.beta % R
    assert value == tower.power12(pairing.pairing(G1, G2), power)


def reordered(words: Words) -> Words:
    """An element in memory as coefficients of w^0 to w^5."""
    parts = words.reshape(2, 3, 24)
    return np.ascontiguousarray(parts.transpose(1, 0, 2)).reshape(-1)
