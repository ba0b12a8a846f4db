# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Sums of listed points and products of listed pairings against the golden model."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import reduce

import numpy as np

from engines.bls12_381.model import pairing, tower
from engines.bls12_381.model.pairing import G1, G2, Point2
from engines.bls12_381.model.tower import R
from places.cuda.tests.emulation import Words, to_words
from places.cuda.tests.test_bls12_381 import (
    fp12s,
    negated,
    points1,
    points2,
    read1,
    read2,
    run12,
    source,
)


def listed(lists: Sequence[Sequence[int]]) -> tuple[Words, Words]:
    """The numbers of all lists, and where each list begins and ends."""
    numbers = [number for one in lists for number in one]
    starts = np.cumsum([0, *(len(one) for one in lists)])
    return np.array(numbers or [0], dtype=np.uint32), starts.astype(np.uint32)


def in_columns(words: Words, count: int) -> Words:
    """Word w of element i at w * count + i."""
    return np.ascontiguousarray(words.reshape(count, -1).T)


def affine(name: str, sums: Words, count: int) -> tuple[list[Point2], list[int]]:
    is_first = name == "g1"
    points = np.zeros((24 if is_first else 48, count), dtype=np.uint32)
    infinities = np.full(count, 9, dtype=np.uint32)
    source().run(f"bls12_381_affine_sums_{name}", count, sums, points, infinities, count)
    rows = np.ascontiguousarray(points.T)
    return (read1 if is_first else read2)(rows), [int(flag) for flag in infinities]


def test_sums_of_lists() -> None:
    rng = random.Random(21)
    for name, generator, write in (("g1", G1, points1), ("g2", G2, points2)):
        p, q = (pairing.multiply(generator, rng.randrange(1, R)) for _ in range(2))
        points = [p, q, negated(p), None, pairing.add_points(p, q)]
        # Equal and opposite points, at the beginning and after others, with and without infinity.
        lists = [[], [3], [0], [0, 0], [0, 2], [3, 0, 3], [1, 0, 4], [0, 1, 2, 3, 4, 1],
                 [0, 2, 1], [2, 0, 0, 0], [4, 2, 1, 1]]
        expected = [reduce(pairing.add_points, (points[number] for number in one), None)
                    for one in lists]
        words = 36 if name == "g1" else 72
        sums = np.zeros((words, len(lists)), dtype=np.uint32)
        source().run(f"bls12_381_sum_points_{name}", len(lists),
                     in_columns(write(points), len(points)), len(points), *listed(lists), sums,
                     len(lists))
        found, infinities = affine(name, sums, len(lists))
        assert found == expected
        assert infinities == [int(point is None) for point in expected]
        # Sums with any Z: equal, opposite, infinite.
        again = [[], [0], [3, 2], [2, 2], [8, 9, 10], [2, 9], [6, 6, 1], [3, 3]]
        expected = [reduce(pairing.add_points, (found[number] for number in one), None)
                    for one in again]
        results = np.zeros((words, len(again)), dtype=np.uint32)
        source().run(f"bls12_381_sum_sums_{name}", len(again), sums, len(lists), *listed(again),
                     results, len(again))
        assert affine(name, results, len(again))[0] == expected


def test_products_of_lists() -> None:
    rng = random.Random(22)
    a, b = rng.randrange(2, R), rng.randrange(2, R)
    scalars_p, scalars_q = [1, a, R - 1, 0, R - a], [1, b, 0, R - b]
    ps = [pairing.multiply(G1, scalar) for scalar in scalars_p]
    qs = [pairing.multiply(G2, scalar) for scalar in scalars_q]
    lists = [[(0, 0)], [(1, 1), (4, 1)], [(1, 1), (1, 3)], [], [(3, 1), (0, 2)],
             [(0, 0), (1, 0), (2, 0), (4, 0)], [(2, 0)], [(1, 1), (0, 0)], [(1, 3), (2, 0)]]
    numbers, starts = listed([[part for pair in one for part in pair] for one in lists])
    # The values of other products are in the same memory.
    stride = len(lists) + 2
    values = np.full((144, stride), 0x55, dtype=np.uint32)
    source().run("bls12_381_miller_products", len(lists), in_columns(points1(ps), len(ps)), len(ps),
                 in_columns(points2(qs), len(qs)), len(qs), numbers, starts // 2, values, stride,
                 len(lists))
    assert (values[:, len(lists):] == 0x55).all()
    products = [[number] for number in range(len(lists))]
    products += [[], [0, 6], [7, 8], [0, 7], [1, 2, 3, 4, 5], [0, 1, 6, 2]]
    results = np.zeros((144, len(products)), dtype=np.uint32)
    source().run("bls12_381_multiply_values", len(products), values, stride, *listed(products),
                 results, len(products))
    verdicts = np.full(len(products), 9, dtype=np.uint32)
    source().run("bls12_381_check_values", len(products), results, verdicts, len(products))
    exponents = [sum(scalars_p[p] * scalars_q[q] for p, q in one) % R for one in lists]
    expected = [int(sum(exponents[number] for number in one) % R == 0) for one in products]
    assert verdicts.tolist() == expected
    assert set(expected) == {0, 1}


def test_a_value_of_a_list() -> None:
    rng = random.Random(23)
    p, q = pairing.multiply(G1, rng.randrange(R)), pairing.multiply(G2, rng.randrange(R))
    assert p is not None and q is not None and G2 is not None
    values = np.zeros((144, 1), dtype=np.uint32)
    pairs = np.array([0, 0, 0, 1], dtype=np.uint32)
    source().run("bls12_381_miller_products", 1, points1([p]), 1, in_columns(points2([q, G2]), 2),
                 2, pairs, np.array([0, 2], dtype=np.uint32), values, 1, 1)
    product = tower.mul12(pairing.miller_loop(p, q), pairing.miller_loop(p, G2))
    expected = pairing.final_exponentiation(product)
    # The loops of the model and of the kernels differ by factors that the exponentiation removes.
    assert run12(6, fp12s(values), fp12s(values)) == [expected]


def test_the_valid_rows_of_a_combination() -> None:
    keys = np.array([0, 1, 2, 3, 4, 0], dtype=np.uint32)
    numbers = np.array([0, 1, 2, 3, 4, 5, 0, 0, 5, 5], dtype=np.uint32)
    signatures = np.array([0, 0, 0, 0, 0, 1, 2, 3, 4, 0], dtype=np.uint32)
    valid = np.full(len(numbers), 9, dtype=np.uint32)
    source().run("bls12_381_find_valid", len(numbers), keys, numbers, signatures, valid,
                 len(numbers))
    # An infinite signature is valid, an infinite key is not.
    assert valid.tolist() == [1, 0, 0, 0, 0, 1, 0, 0, 0, 1]


def test_multiples_of_rows() -> None:
    rng = random.Random(24)
    for name, generator, write, read in (("g1", G1, points1, read1), ("g2", G2, points2, read2)):
        words, sum_words = (24, 36) if name == "g1" else (48, 72)
        points = [pairing.multiply(generator, rng.randrange(1, R)) for _ in range(3)] + [None]
        numbers = np.array([2, 0, 3, 1, 0], dtype=np.uint32)
        valid = np.array([1, 0, 1, 1, 1], dtype=np.uint32)
        selected = np.full((words, 5), 9, dtype=np.uint32)
        source().run(f"bls12_381_select_points_{name}", 5, in_columns(write(points), 4), 4, numbers,
                     valid, selected, 5)
        rows = [points[2], None, None, points[1], points[0]]
        assert read(np.ascontiguousarray(selected.T)) == rows
        multipliers = [2**128 - 1, 7, 1, 2**127, rng.getrandbits(128)]
        chosen = np.array([4, 3, 0, 1], dtype=np.uint32)
        sums = np.zeros((sum_words, 4), dtype=np.uint32)
        source().run(f"bls12_381_multiply_points_{name}", 4, selected, 5, chosen,
                     to_words(multipliers, 4).reshape(-1), sums, 4)
        expected = [pairing.multiply(rows[row], multipliers[row]) for row in chosen]
        assert affine(name, sums, 4)[0] == expected
        # Bits: sums of points, of which many are equal or infinity.
        lists = [[rng.randrange(4) for _ in range(rng.randrange(3))] for _ in range(2 * 128)]
        lists[127], lists[128], lists[255] = [0, 1], [], []
        bits = np.zeros((sum_words, len(lists)), dtype=np.uint32)
        source().run(f"bls12_381_sum_points_{name}", len(lists), in_columns(write(points), 4), 4,
                     *listed(lists), bits, len(lists))
        joined = np.zeros((sum_words, 2), dtype=np.uint32)
        source().run(f"bls12_381_join_bits_{name}", 2, bits, joined, 2)
        expected = []
        for part in (lists[:128], lists[128:]):
            scalars = [sum(one.count(point) << bit for bit, one in enumerate(part))
                       for point in range(3)]
            terms = [pairing.multiply(points[point], scalar % R)
                     for point, scalar in enumerate(scalars)]
            expected.append(reduce(pairing.add_points, terms, None))
        assert affine(name, joined, 2)[0] == expected


def test_rows_of_products_that_are_not_one() -> None:
    rng = random.Random(25)
    secrets = [rng.randrange(1, R) for _ in range(2)]
    hashes = [pairing.multiply(G2, rng.randrange(1, R)) for _ in range(2)]
    keys = [pairing.multiply(G1, secret) for secret in secrets]
    pairs = [(0, 0), (1, 0), (0, 1), (1, 1), (1, 0)]
    signatures = [pairing.multiply(hashes[hash_], secrets[key]) for key, hash_ in pairs]
    signatures[3] = signatures[2]
    products, verdicts = np.array([1, 0, 0], dtype=np.uint32), np.full(5, 9, dtype=np.uint32)
    numbers = np.array(pairs, dtype=np.uint32).reshape(-1)
    source().run("bls12_381_check_rows", 5, products, 2, in_columns(points1(keys), 2), 2,
                 in_columns(points2(hashes), 2), 2, numbers, points1([negated(G1)]),
                 in_columns(points2(signatures), 5), 1, verdicts, 5)
    assert verdicts.tolist() == [1, 1, 1, 0, 1]
    # The first product is believed: its rows are not checked.
    products[:] = (0, 1, 0)
    source().run("bls12_381_check_rows", 5, products, 2, in_columns(points1(keys), 2), 2,
                 in_columns(points2(hashes), 2), 2, numbers, points1([negated(G1)]),
                 in_columns(points2(signatures), 5), 1, verdicts, 5)
    assert verdicts.tolist() == [1, 1, 1, 1, 1]
    # Keys in G2: pairs (hash, key), and (signature, -g).
    hash1 = [pairing.multiply(G1, rng.randrange(1, R))]
    keys2 = [pairing.multiply(G2, secret) for secret in secrets]
    signatures = [pairing.multiply(hash1[0], secret) for secret in (*secrets, secrets[0])]
    verdicts, products = np.full(3, 9, dtype=np.uint32), np.zeros(1, dtype=np.uint32)
    source().run("bls12_381_check_rows", 3, products, 1024, points1(hash1), 1,
                 in_columns(points2(keys2), 2), 2, np.array([0, 0, 0, 1, 0, 1], dtype=np.uint32),
                 in_columns(points1(signatures), 3), points2([negated(G2)]), 0, verdicts, 3)
    assert verdicts.tolist() == [1, 1, 0]


def test_points_of_openings() -> None:
    rng = random.Random(26)
    p, q = (pairing.multiply(G1, rng.randrange(1, R)) for _ in range(2))
    # Equal and opposite points, infinities, and scalars at bounds.
    rows = [(p, q, rng.randrange(R), rng.randrange(R)), (p, G1, 5, R - 4), (G1, G1, 2, R - 1),
            (None, None, 0, 0), (None, p, 0, 1), (p, None, R - 1, 7), (p, p, 0, 1), (G1, q, 3, 0),
            (negated(p), p, 0, 1), (p, q, R, 1), (p, q, 1, R), (p, q, 2**256 - 1, 0)]
    count = len(rows)
    scalars = to_words([scalar for _, _, y, z in rows for scalar in (y, z)], 8).reshape(-1)
    lefts, statuses = np.zeros((24, count), dtype=np.uint32), np.full(count, 9, dtype=np.uint32)
    source().run("bls12_381_open", count, in_columns(points1([row[0] for row in rows]), count),
                 in_columns(points1([row[1] for row in rows]), count), scalars, lefts, statuses,
                 count)
    terms = [(pairing.multiply(G1, y), pairing.multiply(proof, z), negated(commitment))
             for commitment, proof, y, z in rows]
    assert statuses.tolist() == [0] * 9 + [1] * 3
    valid = read1(np.ascontiguousarray(lefts.T))[:9]
    assert valid == [reduce(pairing.add_points, term) for term in terms[:9]]
