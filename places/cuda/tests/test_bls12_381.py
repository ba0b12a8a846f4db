# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The kernels of BLS12-381 against the golden model and published vectors."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from engines.bls12_381.model import pairing, tower
from engines.bls12_381.model.pairing import B1, B2, G1, G2, Point2
from engines.bls12_381.model.tower import P, R, Fp2, Fp12
from places.cuda.kernels.pairing import bls12_381_constants
from places.cuda.tests.emulation import (
    KERNELS, ROOT, TESTS, Kernels, Words, kernels, some, to_words)

VECTORS = ROOT / "engines/bls12_381/vectors"
RADIX = 2**384
FINITE, INFINITY, BAD_ENCODING, NOT_ON_CURVE, WRONG_SUBGROUP = range(5)
COMPRESSED, UNCOMPRESSED, NO_FORM = range(3)
FIRST_P, FIRST_Q, SECOND_P, SECOND_Q = (1 << bit for bit in range(4))
EDGES = (0, 1, 2, P - 1, P - 2, P // 2, P // 2 + 1, RADIX % P, -RADIX % P)


def source() -> Kernels:
    return kernels(TESTS / "bls12_381.cu")


def montgomery(numbers: Sequence[int]) -> Words:
    """Elements of F_p as words."""
    return to_words([number * RADIX % P for number in numbers], 12).reshape(-1)


def integers(words: Words) -> list[int]:
    """Elements of F_p from consecutive words; each must be below p."""
    inverse, numbers = pow(RADIX, -1, P), []
    for row in words.reshape(-1, 12):
        number = int.from_bytes(row.tobytes(), "little")
        assert number < P
        numbers.append(number * inverse % P)
    return numbers


def fp2s(words: Words) -> list[Fp2]:
    numbers = integers(words)
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def fp12s(words: Words) -> list[Fp12]:
    parts = fp2s(words)
    return [tuple(parts[i:i + 6]) for i in range(0, len(parts), 6)]  # type: ignore[misc]


def words2(values: Sequence[Fp2]) -> Words:
    return montgomery([part for value in values for part in value])


def words12(values: Sequence[Fp12]) -> Words:
    return words2([part for value in values for part in value])


def random2(rng: random.Random) -> Fp2:
    return rng.randrange(P), rng.randrange(P)


def edges2(rng: random.Random) -> list[Fp2]:
    """Numbers at bounds in all pairs, and random ones."""
    return [(a, b) for a in EDGES for b in EDGES] + [random2(rng) for _ in range(40)]


def random12(rng: random.Random) -> Fp12:
    return tuple(random2(rng) for _ in range(6))  # type: ignore[return-value]


def run2(operation: int, values: list[Fp2], others: list[Fp2]) -> tuple[list[Fp2], list[bool]]:
    results, found = np.zeros(24 * len(values), dtype=np.uint32), np.zeros(len(values), np.uint32)
    source().run("test_fp2", len(values), operation, words2(values), words2(others), results,
                 found, len(values))
    return fp2s(results), [bool(flag) for flag in found]


def run12(operation: int, values: list[Fp12], others: list[Fp12]) -> list[Fp12]:
    results = np.zeros(144 * len(values), dtype=np.uint32)
    source().run("test_fp12", len(values), operation, words12(values), words12(others), results,
                 len(values))
    return fp12s(results)


def test_the_header_is_what_the_generator_writes() -> None:
    path = KERNELS / "pairing/bls12_381_constants.cuh"
    assert path.read_text(encoding="utf-8") == bls12_381_constants.header()


def test_fp2() -> None:
    rng = random.Random(1)
    values = edges2(rng)
    others = values[::-1]
    products = [tower.mul2(a, b) for a, b in zip(values, others, strict=True)]
    assert run2(0, values, others)[0] == products
    assert run2(1, values, others)[0] == [tower.mul2(a, a) for a in values]
    assert run2(4, values, others)[0] == [tower.mul2(a, tower.XI) for a in values]


def test_inverses_and_roots_of_fp2() -> None:
    rng = random.Random(2)
    values = edges2(rng)[::some(3, 9)] + [(0, 0)]
    inverses = run2(2, values, values)[0]
    assert inverses == [(0, 0) if a == (0, 0) else tower.inverse2(a) for a in values]
    # A square has a root; xi times a square has none.
    squares = [tower.mul2(a, a) for a in values]
    roots, found = run2(3, squares, squares)
    assert all(found) and all(run2(5, squares, squares)[1])
    assert [tower.mul2(root, root) for root in roots] == squares
    others = [tower.mul2(a, tower.XI) for a in squares if a != (0, 0)]
    assert not any(run2(3, others, others)[1]) and not any(run2(5, others, others)[1])


def test_fp12() -> None:
    rng = random.Random(3)
    values = [random12(rng) for _ in range(4)] + [tower.ONE12, ((P - 1, P - 1),) * 6]
    others = values[1:] + values[:1]
    products = [tower.mul12(a, b) for a, b in zip(values, others, strict=True)]
    assert run12(0, values, others) == products
    assert run12(1, values, others) == [tower.mul12(a, a) for a in values]
    assert run12(2, values[:5], others) == [tower.inverse12(a) for a in values[:5]]
    assert run12(3, values, others) == [tower.frobenius12(a) for a in values]
    lines = [(b[0], tower.ZERO2, b[2], b[3], tower.ZERO2, tower.ZERO2) for b in others]
    products = [tower.mul12(a, line) for a, line in zip(values, lines, strict=True)]
    assert run12(5, values, others) == products
    special = [pairing.easy_part(a) for a in values[:5]]
    assert run12(4, special, special) == [tower.mul12(a, a) for a in special]


def points1(points: Sequence[Point2]) -> Words:
    """Points of G1; infinity is zeros."""
    return montgomery([part for point in points
                       for part in ((0, 0) if point is None else (point[0][0], point[1][0]))])


def points2(points: Sequence[Point2]) -> Words:
    return montgomery([part for point in points for pair in (point or ((0, 0), (0, 0)))
                       for part in pair])


def read1(words: Words) -> list[Point2]:
    numbers = integers(words)
    return [None if pair == (0, 0) else ((pair[0], 0), (pair[1], 0))
            for pair in zip(numbers[::2], numbers[1::2], strict=True)]


def read2(words: Words) -> list[Point2]:
    parts = fp2s(words)
    return [None if pair == ((0, 0), (0, 0)) else pair
            for pair in zip(parts[::2], parts[1::2], strict=True)]


def negated(point: Point2) -> Point2:
    return None if point is None else (point[0], tower.scale2(point[1], -1))


def test_sums_and_multiples() -> None:
    rng = random.Random(4)
    for generator, is_first in ((G1, True), (G2, False)):
        write, read = (points1, read1) if is_first else (points2, read2)
        name, size = ("test_g1", 24) if is_first else ("test_g2", 48)
        p, q = (pairing.multiply(generator, rng.randrange(R)) for _ in range(2))
        pairs = [(p, q), (p, p), (p, negated(p)), (None, p), (p, None), (None, None), (q, p)]
        zs = montgomery([rng.randrange(1, P) for _ in range(len(pairs) * size // 24)])
        numbers = [0, 1, 2, R - 1, R, rng.randrange(R), 2**256 - 1]
        scalars, results = to_words(numbers, 8), np.zeros(size * len(pairs), dtype=np.uint32)
        arguments = (write([p for p, _ in pairs]), write([q for _, q in pairs]), zs, scalars)
        source().run(name, len(pairs), 0, *arguments, results, len(pairs))
        assert read(results) == [pairing.add_points(p, q) for p, q in pairs]
        source().run(name, len(pairs), 1, *arguments, results, len(pairs))
        expected = [pairing.multiply(p, k) for (p, _), k in zip(pairs, numbers, strict=True)]
        assert read(results) == expected


def test_pairings() -> None:
    rng = random.Random(5)
    ps = [G1, pairing.multiply(G1, rng.randrange(R)), None, G1]
    qs = [G2, pairing.multiply(G2, rng.randrange(R)), G2, None]
    results = np.zeros(144 * len(ps), dtype=np.uint32)
    source().run("test_pairing", len(ps), points1(ps), points2(qs), results, len(ps))
    expected = [tower.ONE12 if p is None or q is None else pairing.pairing(p, q)
                for p, q in zip(ps, qs, strict=True)]
    assert fp12s(results) == expected
    value = random12(rng)
    assert run12(6, [value], [value]) == [pairing.final_exponentiation(value)]


def is_upper(y: Fp2) -> bool:
    """The sign of an encoding."""
    return (y[1] or y[0]) > P // 2


def encoded(point: Point2, is_first: bool, is_compressed: bool) -> bytes:
    """The encoding of a point (draft-irtf-cfrg-pairing-friendly-curves, appendix C)."""
    size = 48 if is_first else 96
    if point is None:
        return bytes([0xC0 if is_compressed else 0x40]) + bytes(
            (1 if is_compressed else 2) * size - 1)
    parts = [x.to_bytes(48, "big") for pair in point for x in pair[::-1]]
    if is_first:
        parts = parts[1::2]
    if not is_compressed:
        return b"".join(parts)
    data = bytearray(b"".join(parts)[:size])
    data[0] |= 0x80 | (0x20 if is_upper(point[1]) else 0)
    return bytes(data)


def form_of(encoding: bytes, is_first: bool) -> int:
    size = 48 if is_first else 96
    return {size: COMPRESSED, 2 * size: UNCOMPRESSED}.get(len(encoding), NO_FORM)


def read_points(encodings: list[bytes], is_first: bool) -> tuple[list[int], list[Point2]]:
    """Statuses and points."""
    size, count = 96 if is_first else 192, len(encodings)
    data = b"".join(encoding[:size].ljust(size, b"\0") for encoding in encodings)
    forms = np.array([form_of(encoding, is_first) for encoding in encodings], dtype=np.uint32)
    points = np.zeros((size // 4, count), dtype=np.uint32)
    statuses = np.full(count, 99, dtype=np.uint32)
    source().run("bls12_381_read_g1" if is_first else "bls12_381_read_g2", count,
                 np.frombuffer(data, dtype="<u4").copy(), forms, points, statuses, count)
    rows = np.ascontiguousarray(points.T)
    return [int(status) for status in statuses], (read1 if is_first else read2)(rows)


@lru_cache(maxsize=None)
def outside(is_first: bool) -> Point2:
    """A point of the curve that is not in the group."""
    for x in range(1, 100):
        right = tower.add2(tower.mul2((x, 0), (x * x, 0)), B1 if is_first else B2)
        if is_first and pow(right[0], (P - 1) // 2, P) == 1:
            return (x, 0), (pow(right[0], (P + 1) // 4, P), 0)
        roots, found = run2(3, [right], [right])
        if not is_first and found[0]:
            return (x, 0), roots[0]
    raise AssertionError("no point")


def no_point(is_first: bool) -> bytes:
    """An x without a point."""
    for x in range(1, 100):
        right = tower.add2(tower.mul2((x, 0), (x * x, 0)), B1 if is_first else B2)
        norm = right[0] if is_first else right[0] ** 2 + right[1] ** 2
        if pow(norm, (P - 1) // 2, P) == P - 1:
            return encoded(((x, 0), (1, 0)), is_first, True)
    raise AssertionError("no x")


def encodings(is_first: bool) -> list[tuple[bytes, int, Point2]]:
    """Encodings with their statuses and points."""
    rng, generator = random.Random(6), G1 if is_first else G2
    b, size = B1 if is_first else B2, 48 if is_first else 96
    points = [generator, negated(generator)]
    points += [pairing.multiply(generator, rng.randrange(R)) for _ in range(2)]
    cases: list[tuple[bytes, int, Point2]] = []
    for form in (True, False):
        cases += [(encoded(point, is_first, form), FINITE, point) for point in points]
        cases.append((encoded(None, is_first, form), INFINITY, None))
        cases.append((encoded(outside(is_first), is_first, form), WRONG_SUBGROUP, None))
        good, infinity = (bytearray(encoded(point, is_first, form)) for point in (points[2], None))
        for data, bit in ((good, 0x80), (good, 0x40), (infinity, 0x80)):
            changed = bytearray(data)
            changed[0] ^= bit
            cases.append((bytes(changed), BAD_ENCODING, None))
        for place, bit in ((0, 0x20), (0, 1), (len(infinity) - 1, 1), (size // 2, 0x80)):
            changed = bytearray(infinity)
            changed[place] ^= bit
            cases.append((bytes(changed), BAD_ENCODING, None))
        modulus = bytearray(good)
        modulus[-48:] = P.to_bytes(48, "big")
        if len(modulus) == 48:
            modulus[0] |= 0x80
        cases.append((bytes(modulus), BAD_ENCODING, None))
    point = points[2]
    assert point is not None
    x, y = point
    cases.append((encoded((x, tower.add2(y, (1, 0))), is_first, False), NOT_ON_CURVE, None))
    cases.append((no_point(is_first), NOT_ON_CURVE, None))
    cases.append((encoded(points[2], is_first, False)[:-1], BAD_ENCODING, None))
    cases.append((b"", BAD_ENCODING, None))
    assert all(pairing.on_curve(point, b) for point in points)
    return cases


def test_encodings() -> None:
    for is_first in (True, False):
        cases = encodings(is_first)
        statuses, points = read_points([data for data, _, _ in cases], is_first)
        assert statuses == [status for _, status, _ in cases]
        assert points == [point for _, _, point in cases]


def test_encodings_of_multiples() -> None:
    """The published encodings of the multiples of the generators, from 0 on, with a step."""
    for is_first, name in ((True, "g1"), (False, "g2")):
        data = (VECTORS / f"zkcrypto/{name}_compressed_valid_test_vectors.dat").read_bytes()
        size, generator = (48, G1) if is_first else (96, G2)
        numbers = (0, 1, 2, 3, 500, 999)
        statuses, points = read_points(
            [data[size * number:size * (number + 1)] for number in numbers], is_first)
        assert statuses == [INFINITY] + [FINITE] * (len(numbers) - 1)
        assert points == [pairing.multiply(generator, number) for number in numbers]


def tail_of(domain: bytes) -> Words:
    """The blocks that end the hashes of expand_message_xmd, as big-endian words."""
    content = bytes(33) + domain + bytes([len(domain)])
    padded = (content + b"\x80").ljust(120, b"\0") + (8 * len(content)).to_bytes(8, "big")
    assert len(padded) == 128
    return np.frombuffer(padded, dtype=">u4").astype(np.uint32)


def hashed(messages: list[bytes], domain: bytes, is_first: bool) -> list[Point2]:
    expanded = (128 if is_first else 256).to_bytes(2, "big")
    parts = [message + expanded + bytes(1) + domain + bytes([len(domain)]) for message in messages]
    joined = b"".join(parts)
    memory = np.zeros(-(-len(joined) // 4) + 8, dtype=np.uint32)
    begin = -memory.ctypes.data % 16 // 4
    data = memory[begin:begin + -(-len(joined) // 4)]
    data[:] = np.frombuffer(joined.ljust(4 * len(data), b"\x55"), dtype="<u4")
    ends = np.cumsum([len(part) for part in parts], dtype=np.uint64)
    offsets = np.concatenate(([0], ends)).astype(np.uint64)
    points = np.zeros((24 if is_first else 48, len(parts)), dtype=np.uint32)
    # Only the second domain is used.
    tails = np.concatenate((np.full(32, 0x5555, dtype=np.uint32), tail_of(domain)))
    domains = np.ones(len(parts), dtype=np.uint32)
    source().run("bls12_381_hash_to_g1" if is_first else "bls12_381_hash_to_g2", len(parts), data,
                 offsets, tails, domains, points, len(parts))
    return (read1 if is_first else read2)(np.ascontiguousarray(points.T))


def test_hashes_of_the_vectors() -> None:
    for is_first in (True, False):
        path = VECTORS / f"h2c/{'g1' if is_first else 'g2'}_ro.json"
        vectors = json.loads(path.read_text(encoding="utf-8"))
        messages = [vector["msg"].encode() for vector in vectors["vectors"]]
        parts = [[[int(part, 16) for part in vector["P"][name].split(",")] for name in ("x", "y")]
                 for vector in vectors["vectors"]]
        expected = [tuple((*part, 0)[:2] for part in point) for point in parts]
        assert hashed(messages, vectors["dst"].encode(), is_first) == expected
        assert len(messages) >= 5


def check(firsts: tuple[list[Point2], list[Point2]], seconds: tuple[list[Point2], list[Point2]],
          shared: int) -> list[bool]:
    """Verdicts on two lists of pairs."""
    count = max(len(points) for points in (*firsts, *seconds))
    lists = [np.ascontiguousarray(write(points).reshape(len(points), -1).T)
             for pair in (firsts, seconds)
             for write, points in zip((points1, points2), pair, strict=True)]
    verdicts = np.full(count, 99, dtype=np.uint32)
    source().run("bls12_381_check_pairs", count, *lists, shared, verdicts, count)
    assert set(verdicts) <= {0, 1}
    return [verdict == 1 for verdict in verdicts]


def test_products_of_two_pairings() -> None:
    """e(a * G1, b * G2) * e(c * G1, d * G2) is 1 exactly if a * b + c * d = 0."""
    rng = random.Random(7)
    a, b, c = (rng.randrange(1, R) for _ in range(3))
    d = -a * b * pow(c, -1, R) % R
    numbers = [(a, b, c, d), (a, b, c, d + 1), (0, b, c, 0), (0, b, c, d), (1, 1, R - 1, 1),
               (1, R - 1, R - 1, 1)]
    points = [[pairing.multiply(generator, row[place]) for row in numbers]
              for place, generator in enumerate((G1, G2, G1, G2))]
    expected = [(p * q + r * s) % R == 0 for p, q, r, s in numbers]
    assert check((points[0], points[1]), (points[2], points[3]), 0) == expected
    assert set(expected) == {True, False}
    # One point for all items.
    minus = [negated(G1)]
    signed = [pairing.multiply(G2, a), pairing.multiply(G2, a + 1)]
    key = [pairing.multiply(G1, a)]
    assert check((key, [G2]), (minus, signed), FIRST_P | FIRST_Q | SECOND_P) == [True, False]
    keys = [pairing.multiply(G1, a), pairing.multiply(G1, a + 1)]
    assert check((keys, [G2]), (minus, signed[:1]), FIRST_Q | SECOND_P | SECOND_Q) == [True, False]


def test_maps_to_g1() -> None:
    """The points Q0 and Q1 of the vectors; u and -u have opposite points."""
    vectors = json.loads((VECTORS / "h2c/g1_ro.json").read_text(encoding="utf-8"))["vectors"]
    us = [int(u, 16) for vector in vectors for u in vector["u"]]
    expected: list[Point2] = [
        ((int(vector[name]["x"], 16), 0), (int(vector[name]["y"], 16), 0))
        for vector in vectors for name in ("Q0", "Q1")]
    us += [P - u for u in us] + [0]
    results = np.zeros(24 * len(us), dtype=np.uint32)
    source().run("test_map_g1", len(us), montgomery(us), results, len(us))
    points = read1(results)
    assert points[:len(expected)] == expected
    assert points[len(expected):-1] == [negated(point) for point in expected]
    assert points[-1] is not None and pairing.on_curve(points[-1], B1)
