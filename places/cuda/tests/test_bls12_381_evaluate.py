# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The kernels of sums, maps, hashes and products of pairings against the golden model."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

from engines.bls12_381.model import pairing, tower
from engines.bls12_381.model.pairing import G1, G2, Point2
from engines.bls12_381.model.tower import P, R, Fp12
from places.cuda.tests.emulation import KERNELS, Kernels, Words, kernels, to_words
from places.cuda.tests.test_bls12_381 import (
    VECTORS, encoded, integers, negated, points1, points2,
)

Sum = list[tuple[Point2, int]]
ENCODE = 1 << 31
SHARED_PAIRS = 2


def source() -> Kernels:
    return kernels(KERNELS / "bls12_381_evaluate.cu")


def run(name: str, threads: int, *arguments: np.ndarray | int) -> None:
    source().run(f"bls12_381_evaluate_{name}", threads, *arguments, threads)


def zeros(count: int) -> Words:
    return np.zeros(max(1, count), dtype=np.uint32)


def add_entries(points: Words, entries: Words, keys: Words, total: Words, most: int, length: int,
                buckets: Words, group: str) -> None:
    """Adds the points of entries to buckets, and then the carries, step by step."""
    words = 48 if group == "g1" else 96
    threads = -(-most // length)
    carries, carry_keys = zeros(words * threads), zeros(threads)
    run(f"add_entries_{group}", threads, points, entries, keys, total, most, length, buckets,
        carries, carry_keys)
    while threads > 1:
        count, threads = threads, -(-threads // 4)
        more, more_keys = zeros(words * threads), zeros(threads)
        run(f"add_carries_{group}", threads, carries, carry_keys, count, 4, buckets, more,
            more_keys)
        carries, carry_keys = more, more_keys
    assert carry_keys[0] == 2**32 - 1


def sums(terms: list[Sum], bits: int, length: int, segment: int, group: str) -> list[bytes]:
    """The compressed sums of multiples."""
    write, words = (points1, 12) if group == "g1" else (points2, 24)
    flat = [(point, scalar, number) for number, rows in enumerate(terms) for point, scalar in rows]
    points = write([point for point, _, _ in flat])
    scalars = to_words([scalar for _, scalar, _ in flat], 8)
    numbers = np.array([number for _, _, number in flat], dtype=np.uint32)
    windows, each = -(-256 // bits), 1 << (bits - 1)
    count = len(terms) * windows * each
    counts, total, most = zeros(count), zeros(1), len(flat) * windows
    run("count_digits", len(flat), scalars, numbers, bits, windows, counts)
    expected = np.concatenate(([0], np.cumsum(counts)))
    source().run("bls12_381_evaluate_allot", -(-count // 8), counts, total, count)
    assert total[0] == expected[-1]
    assert sorted(counts) == sorted(expected[:-1])
    entries, keys = zeros(most), zeros(most)
    run("place_digits", len(flat), scalars, numbers, bits, windows, counts, entries, keys)
    buckets = zeros(4 * words * count)
    add_entries(points, entries, keys, total, most, length, buckets, group)
    segments = each // segment
    parts = zeros(4 * words * len(terms) * windows * segments)
    run(f"reduce_{group}", len(terms) * windows * segments, buckets, segment, segments, parts)
    while segments > 1:
        segments //= 2
        joined = zeros(4 * words * len(terms) * windows * segments)
        run(f"add_groups_{group}", len(terms) * windows * segments, parts, 2, joined)
        parts = joined
    encodings = zeros(words * len(terms))
    run(f"join_windows_{group}", len(terms), parts, windows, bits, encodings)
    return split(encodings, len(terms))


def split(encodings: Words, count: int) -> list[bytes]:
    data = encodings.tobytes()
    size = len(data) // count
    return [data[size * number:size * (number + 1)] for number in range(count)]


def total_of(rows: Sum) -> Point2:
    total: Point2 = None
    for point, scalar in rows:
        total = pairing.add_points(total, pairing.multiply(point, scalar))
    return total


def edge_sums(generator: Point2, seed: int) -> list[Sum]:
    """Sums with all kinds of terms: infinity, repeated and opposite points, scalars at bounds."""
    rng = random.Random(seed)
    p, q = (pairing.multiply(generator, rng.randrange(1, R)) for _ in range(2))
    k = rng.randrange(R)
    return [
        [], [(p, 1)], [(p, 0)], [(None, k)], [(p, R - 1)], [(p, k), (p, k)],
        [(p, k), (negated(p), k)], [(p, k), (p, R - k)], [(p, 1), (q, R - 1), (None, 5), (q, 0)],
        [(p, 3)] * 9 + [(negated(p), 5)] * 4,
        [(p, 2**254), (q, 2**128), (p, 0x8080808080808080), (q, 0x7F7F7F7F8080)],
    ]


@pytest.mark.parametrize(("group", "bits"), [("g1", 2), ("g1", 5), ("g2", 4)])
def test_sums_of_multiples(group: str, bits: int) -> None:
    generator = G1 if group == "g1" else G2
    terms = edge_sums(generator, bits)
    expected = [encoded(total_of(rows), group == "g1", True) for rows in terms]
    assert sums(terms, bits, 3, min(2, 1 << (bits - 1)), group) == expected


def test_a_sum_with_large_windows() -> None:
    rng = random.Random(8)
    points = [pairing.multiply(G1, rng.randrange(R)) for _ in range(5)]
    rows: Sum = [(rng.choice(points), rng.randrange(R)) for _ in range(40)]
    assert sums([rows], 9, 7, 16, "g1") == [encoded(total_of(rows), True, True)]


def test_digits_of_scalars_at_bounds() -> None:
    """Every width of a window gives the sum: 2^k and 2^k - 1 carry over windows."""
    scalars = [R - 1, 2**254 + 2**253, 2**200 - 1, 2**17 - 1, 2**16, 2**15 + 1]
    rows: Sum = [(G1, scalar) for scalar in scalars]
    expected = [encoded(total_of(rows), True, True)]
    for bits in (1, 3, 6, 7, 8):
        assert sums([rows], bits, 5, 1, "g1") == expected


@pytest.mark.parametrize("group", ["g1", "g2"])
def test_sums_of_points(group: str) -> None:
    """Points with sorted keys; a sum may cover many threads, or none."""
    rng = random.Random(9)
    generator, write, words = (G1, points1, 12) if group == "g1" else (G2, points2, 24)
    choices = [pairing.multiply(generator, rng.randrange(R)) for _ in range(3)]
    choices += [negated(choices[0]), None]
    lengths = [0, 1, 30, 2, 0, 3]
    rows = [[rng.choice(choices) for _ in range(length)] for length in lengths]
    rows.append([choices[1]] * 8)
    points = write([point for row in rows for point in row])
    keys = np.repeat(np.arange(len(rows), dtype=np.uint32), [len(row) for row in rows])
    buckets, encodings = zeros(4 * words * len(rows)), zeros(words * len(rows))
    entries, total = np.arange(len(keys), dtype=np.uint32), np.array([len(keys)], dtype=np.uint32)
    add_entries(points, entries, keys, total, len(keys), 4, buckets, group)
    run(f"join_windows_{group}", len(rows), buckets, 1, 0, encodings)
    expected = [encoded(total_of([(point, 1) for point in row]), group == "g1", True)
                for row in rows]
    assert split(encodings, len(rows)) == expected


def test_points_for_the_host() -> None:
    """Jacobian coordinates of a sum with Z other than 1, and of infinity."""
    rng = random.Random(11)
    p, q = (pairing.multiply(G1, rng.randrange(R)) for _ in range(2))
    points, keys = points1([p, q, p, negated(p)]), np.array([0, 0, 1, 1], dtype=np.uint32)
    entries, total = np.arange(4, dtype=np.uint32), np.array([4], dtype=np.uint32)
    buckets, results = zeros(2 * 48), zeros(2 * 36)
    add_entries(points, entries, keys, total, 4, 4, buckets, "g1")
    run("write_jacobian_g1", 2, buckets, results)
    x, y, z, *others = integers(results)
    inverse = pow(z, -1, P)
    expected = pairing.add_points(p, q)
    assert z != 1 and expected == ((x * inverse**2 % P, 0), (y * inverse**3 % P, 0))
    assert others[2] == 0


def end_of(domain: bytes, expanded: int) -> bytes:
    return expanded.to_bytes(2, "big") + b"\0" + domain + bytes([len(domain)])


def tail_of(domain: bytes) -> Words:
    """The blocks that end the hashes of expand_message_xmd, as big-endian words."""
    content = bytes(33) + domain + bytes([len(domain)])
    size = -(-(len(content) + 9) // 64) * 64
    padded = (content + b"\x80").ljust(size - 8, b"\0") + (8 * len(content)).to_bytes(8, "big")
    return np.frombuffer(padded, dtype=">u4").astype(np.uint32)


def point_of(values: dict[str, str], group: str) -> Point2:
    x, y = ([int(part, 16) for part in values[name].split(",")] for name in ("x", "y"))
    if group == "g1":
        return (x[0], 0), (y[0], 0)
    return (x[0], x[1]), (y[0], y[1])


@pytest.mark.parametrize("group", ["g1", "g2"])
def test_hashes(group: str) -> None:
    """The vectors of RFC 9380 for both variants in one launch."""
    suites = [json.loads((VECTORS / f"h2c/{group}_{variant}.json").read_text(encoding="utf-8"))
              for variant in ("ro", "nu")]
    size = 64 if group == "g1" else 128
    parts, domains, expected = [], [], []
    for number, suite in enumerate(suites):
        domain = suite["dst"].encode()
        for vector in suite["vectors"]:
            parts.append(vector["msg"].encode() + end_of(domain, size * (2 - number)))
            domains.append(number | (ENCODE if number == 1 else 0))
            expected.append(encoded(point_of(vector["P"], group), group == "g1", True))
    tails = [tail_of(suite["dst"].encode()) for suite in suites]
    starts = np.concatenate(([0], np.cumsum([len(tail) for tail in tails]))).astype(np.uint32)
    joined = b"".join(parts)
    memory = np.zeros(-(-len(joined) // 4) + 8, dtype=np.uint32)
    begin = -memory.ctypes.data % 16 // 4
    data = memory[begin:begin + -(-len(joined) // 4)]
    data[:] = np.frombuffer(joined.ljust(4 * len(data), b"\x55"), dtype="<u4")
    offsets = np.concatenate(([0], np.cumsum([len(part) for part in parts]))).astype(np.uint64)
    encodings = zeros((12 if group == "g1" else 24) * len(parts))
    run(f"hash_{group}", len(parts), data, offsets, np.concatenate(tails), starts,
        np.array(domains, dtype=np.uint32), encodings)
    assert split(encodings, len(parts)) == expected
    assert len(expected) >= 10


@pytest.mark.parametrize("group", ["g1", "g2"])
def test_maps(group: str) -> None:
    """The points of the vectors of encode_to_curve, from their elements u."""
    suite = json.loads((VECTORS / f"h2c/{group}_nu.json").read_text(encoding="utf-8"))
    size = 1 if group == "g1" else 2
    elements = [[int(part, 16) for part in vector["u"][0].split(",")]
                for vector in suite["vectors"]]
    expected = [encoded(point_of(vector["P"], group), group == "g1", True)
                for vector in suite["vectors"]]
    elements += [[P - 1] * (size - 1) + [P], [P] + [0] * (size - 1), [2**384 - 1] * size]
    data = b"".join(part.to_bytes(48, "big") for element in elements for part in element)
    encodings, valid = zeros(12 * size * len(elements)), zeros(len(elements))
    run(f"map_{group}", len(elements), np.frombuffer(data, dtype="<u4").copy(), encodings, valid)
    assert list(valid) == [1] * len(expected) + [0] * 3
    assert split(encodings, len(elements))[:len(expected)] == expected


def bytes_of(value: Fp12) -> bytes:
    """Coefficients of 1, v, v^2, w, v * w, v^2 * w, where w^2 = v."""
    return b"".join(part.to_bytes(48, "big") for place in (0, 2, 4, 1, 3, 5)
                    for part in value[place])


def test_products_of_pairings() -> None:
    rng = random.Random(10)
    scalars = [rng.randrange(1, R) for _ in range(4)]
    a, b, c, d = scalars
    lists: list[list[tuple[int, int]]] = [
        [], [(1, 1)], [(a, b), (R - a, b)], [(a, b), (c, d), (0, d), (1, 0), (d, 2)]]
    pairs, starts, groups = [], [0], []
    for rows in lists:
        padded = rows + [(0, 0)] * (-len(rows) % SHARED_PAIRS)
        pairs += padded
        starts.append(len(pairs) // SHARED_PAIRS)
    words = np.concatenate([np.concatenate((points1([pairing.multiply(G1, p)]),
                                            points2([pairing.multiply(G2, q)])))
                            for p, q in pairs])
    loops = len(pairs) // SHARED_PAIRS
    products = zeros(144 * loops)
    run("miller_loops", loops, words, products)
    # The third loop of the last list is multiplied apart.
    parts = np.array([*starts[:-1], starts[-1] - 1, starts[-1]], dtype=np.uint32)
    joined, results = zeros(144 * (len(parts) - 1)), zeros(144 * len(lists))
    run("multiply", len(parts) - 1, products, parts, joined)
    groups = [0, 1, 2, 3, 5]
    run("exponentiate", len(lists), joined, np.array(groups, dtype=np.uint32), results)
    base = pairing.pairing(G1, G2)
    expected = [tower.power12(base, sum(p * q for p, q in rows) % R) for rows in lists]
    assert split(results, len(lists)) == [bytes_of(value) for value in expected]
    assert expected[0] == expected[2] == tower.ONE12
