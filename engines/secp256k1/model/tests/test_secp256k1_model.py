# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Checks the golden model against the group's laws and itself; bounds and digits of the split."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.secp256k1.model import division, split
from engines.secp256k1.model.curve import (
    BETA, G, LAMBDA, N, P, add, lift, multiply, negate, on_curve,
)
from engines.secp256k1.model.ecdsa import Check, Signature, scalars, verify
from engines.secp256k1.model.tests.edge_cases import all_cases, random_case

SCALARS = st.one_of(st.integers(0, 2**256 - 1), st.integers(0, 8), st.integers(N - 8, N + 8),
                    st.builds(lambda bit, near: (1 << bit) + near, st.integers(3, 255),
                              st.integers(-3, 3)))


def test_group() -> None:
    generator = random.Random(1)
    assert on_curve(G) and multiply(N, G) is None and multiply(N - 1, G) == negate(G)
    a, b = generator.randrange(N), generator.randrange(N)
    assert add(multiply(a, G), multiply(b, G)) == multiply(a + b, G)
    assert add(G, negate(G)) is None and add(None, G) == G == add(G, None)
    assert multiply(-a, G) == negate(multiply(a, G))


def test_endomorphism() -> None:
    point = multiply(random.Random(2).randrange(N), G)
    assert point is not None
    assert multiply(LAMBDA, point) == (BETA * point[0] % P, point[1])


def test_lift() -> None:
    found = [lift(x) for x in range(1, 60)]
    assert all(point is None or on_curve(point) and not point[1] & 1 for point in found)
    assert 20 < sum(point is not None for point in found) < 40 and lift(P + 1) is None


def test_lattice_has_the_signs_and_parities_that_the_split_needs() -> None:
    (a1, b1), (a2, b2) = split.FIRST, split.SECOND
    assert a1 * b2 - a2 * b1 == N
    assert (a1 + b1 * LAMBDA) % N == (a2 + b2 * LAMBDA) % N == 0
    assert b1 < 0 < b2 and [v % 2 for v in (a1, b1, a2, b2)] == [1, 1, 0, 1]
    bits = split.HALF_BITS
    assert 3 * (abs(a1) + abs(a2)) < 1 << bits and 3 * (abs(b1) + abs(b2)) < 1 << bits


@settings(max_examples=500)
@given(SCALARS)
def test_split_and_digits(k: int) -> None:
    halves = split.split(k)
    assert (halves[0] + halves[1] * LAMBDA - k) % N == 0
    both = [split.signs(half) for half in halves]
    sums, joint = [0, 0], [0, 0]
    for number in range(split.WINDOWS):
        windows = [split.window(bits, number) for bits in both]
        scale = 1 << split.WINDOW_BITS * number
        for i, bits in enumerate(windows):
            negative, row = split.digit(bits)
            assert 0 <= row < split.ENTRIES
            sums[i] += (-1 if negative else 1) * (2 * row + 1) * scale
        negative, row = split.joint_digit(*windows)
        assert 0 <= row < split.JOINT_ENTRIES
        for i, part in enumerate(split.joint_entry(row)):
            joint[i] += (-1 if negative else 1) * part * scale
    assert tuple(sums) == tuple(joint) == halves


def test_signs_refuse_what_has_none() -> None:
    for half in (0, 2, 1 << split.HALF_BITS, (1 << split.HALF_BITS) + 1):
        with pytest.raises(ValueError):
            split.signs(half)


def test_joint_rows_are_all_different_and_odd() -> None:
    entries = {split.joint_entry(row) for row in range(split.JOINT_ENTRIES)}
    assert len(entries) == split.JOINT_ENTRIES == 512
    assert all(a in range(1, 32, 2) and b in range(-31, 32, 2) for a, b in entries)


@settings(max_examples=300)
@given(SCALARS, SCALARS, SCALARS)
def test_division(s: int, first: int, second: int) -> None:
    s, first, second = s % N or 1, first % N, second % N
    quotients, steps = division.divide([first, second], s)
    assert quotients == [first * pow(s, -1, N) % N, second * pow(s, -1, N) % N]
    assert steps <= division.MAX_STEPS


def test_division_refuses() -> None:
    for numerator, s in ((1, 0), (1, N), (N, 1), (-1, 1)):
        with pytest.raises(ValueError):
            division.divide([numerator], s)


def test_job_words() -> None:
    _, signature, (x, y) = random_case(random.Random(3))
    words = division.job_words(signature.r, signature.s, signature.digest, x, y)
    assert words == [*scalars(signature), signature.r, signature.r, x, y]
    small = division.job_words(7, signature.s, signature.digest, x, y)
    assert small[2:4] == [7, N + 7]
    assert division.job_words(P - N, 1, 0, x, y)[3] == P - N


def test_signed_is_valid_and_changed_is_not() -> None:
    generator = random.Random(4)
    for _ in range(3):
        _, signature, key = random_case(generator)
        assert verify(signature, key) == 0
        bit = 1 << generator.randrange(256)
        changed = Signature(signature.r, signature.s, signature.digest ^ bit)
        assert verify(changed, key) == 1 << Check.MATCH


def test_edge_cases_have_the_masks_that_their_names_promise() -> None:
    masks = {name: verify(signature, key) for name, signature, key in all_cases(5)}
    assert masks["r = 0x0"] == 1 and masks["s = 0x0"] == 2 and masks["nothing in range"] == 3
    assert masks[f"r = {N:#x}"] == 1 and masks[f"s = {N:#x}"] == 2
    assert masks[f"r = {N - 1:#x}"] == 8 and masks["s negated"] == 0
    assert masks["r + n - 2^256 = x"] == 8 and masks["x itself"] == 0
    assert masks["bad key, bad r"] == 33
    assert all(mask == 4 for name, mask in masks.items() if name.startswith("infinity"))
    assert all(mask == 0 for name, mask in masks.items() if name.startswith(("x = n", "digest 0x")))
    assert all(mask == 32 for name, mask in masks.items() if name.startswith("key ("))
    assert {1, 2, 3, 4, 8, 32, 33, 0} == set(masks.values())
    assert Counter(masks.values())[0] > 60
