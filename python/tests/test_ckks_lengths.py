# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Vectors of any length: sums, means, rotations and slices are those of the values, with the listed
keys."""

from typing import Any

import numpy as np
import pytest
from ckks_setting import LEVELS, MOST, SLOTS, complexes, setting
from halimede import ckks

X, Y = ckks.Expression.input("x"), ckks.Expression.input("y")
LENGTHS = [1, 2, 3, 5, 8, 13, 100, 1000, SLOTS - 1, SLOTS]


@pytest.mark.parametrize("count", LENGTHS)
def test_a_vector_has_as_many_values_as_were_encrypted(count: int) -> None:
    s = setting()
    x, sealed = s.pair(count, count)
    assert len(sealed) == sealed.size == np.size(sealed) == count and sealed.shape == (count,)
    assert sealed.slots == 1 << (count - 1).bit_length()
    assert f"of {count} values" in repr(sealed)
    s.check(sealed, x)
    s.check(sealed * sealed - x / 2, x * x - x / 2)
    assert len(s.server.load(sealed.to_bytes())) == count
    shared = s.client.decrypt_for_sharing(sealed, security_bits=4, queries=100)
    assert shared.shape == (count,)


@pytest.mark.parametrize("count", LENGTHS)
def test_sums_and_means(count: int) -> None:
    s = setting()
    x, sealed = s.pair(count + 1, count)
    y, other = s.reals(count + 2, -1, 1, count)
    is_full = count == sealed.slots
    for total in (sealed.sum(), np.sum(sealed), ckks.sum(sealed), s.server.run(X.sum(), x=sealed)):
        s.check(total, np.full(count, x.sum()))
        assert total.level == LEVELS - (not is_full) and total.magnitude == pytest.approx(MOST * count)
    for mean in (sealed.mean(), np.mean(sealed), ckks.mean(sealed), s.server.run(X.mean(), x=sealed)):
        s.check(mean, np.full(count, x.mean()))
        assert mean.level == LEVELS - 1 and mean.magnitude == pytest.approx(MOST)
    s.check(other.mean(), np.full(count, y.mean()))
    assert other.mean().bound == pytest.approx((-1, 1)) and other.sum().bound == pytest.approx((-count, count))
    for product in (sealed @ other, other @ sealed, s.server.run(X @ Y, x=sealed, y=other), sealed @ y):
        s.check(product, np.full(count, x @ y))


@pytest.mark.parametrize("count", [2, 5, 8, 13, 1000])
def test_rotations(count: int) -> None:
    s = setting()
    x, sealed = s.reals(count + 3, -0.5, 2, count)
    for steps in (0, 1, -1, 3, count, count + 2, -3 * count - 1, 10**20):
        expected = np.roll(x, -(steps % count))
        for turned in (sealed << steps, sealed >> -steps, sealed.rotate(steps), np.roll(sealed, -steps)):
            s.check(turned, expected)
            assert turned.bound == (-0.5, 2)
        if abs(steps) < 1 << 60:
            s.check(s.server.run(X << steps, x=sealed), expected)
    first, second = sealed.rotate_many([2, -1])
    s.check(first, np.roll(x, -2))
    s.check(second, np.roll(x, 1))


@pytest.mark.parametrize("count", [1, 5, 8, 100])
def test_parts(count: int) -> None:
    s = setting()
    x, sealed = s.reals(count + 4, -0.5, 2, count)
    for place in {0, count // 2, count - 1, -1, -count}:
        one = sealed[place]
        s.check(one, x[[place]])
        assert one.shape == (1,) and one.slots == 1 and one.bound == (-0.5, 2)
        s.check(sealed[np.int64(place)], x[[place]])
        if place >= 0:
            s.check(s.server.run(X[place], x=sealed), x[[place]])
    more = [slice(1, None), slice(None, -1), slice(2, 4), slice(-3, -1), slice(0, 10**9),
            slice(-(10**9), 3), slice(1, 3, 1), slice(np.int64(0), np.int64(1))]
    for part in [slice(None), *(more if count > 3 else [])]:
        piece = sealed[part]
        s.check(piece, x[part])
        assert len(piece) == x[part].size and piece.slots == 1 << (x[part].size - 1).bit_length()
        start, stop, _ = part.indices(count)
        s.check(s.server.run(X[start:stop], x=sealed), x[part])
    # A slice is an independent vector.
    if count > 3:
        s.check(sealed[1:4].sum(), np.full(3, x[1:4].sum()))
        s.check(sealed[1:4] << 1, np.roll(x[1:4], -1))
        s.check((sealed[1:4] * sealed[0:3])[2], x[[3]] * x[[2]])
    for place in (count, -count - 1, 10**30):
        with pytest.raises(IndexError, match=f"x.{place}.: the vector has {count} values"):
            sealed[place]


def test_vectors_of_other_lengths_do_not_go_together() -> None:
    s = setting()
    five, six, eight = (s.pair(seed, seed)[1] for seed in (5, 6, 8))
    for call, message in [
        (lambda: five + six, "a vector of 5 values and one of 6"),
        (lambda: five * eight, "a vector of 5 values and one of 8"),
        (lambda: five @ eight, "a vector of 5 values and one of 8"),
        (lambda: five + np.zeros(8), "a vector of 5 values and one of 8"),
        (lambda: np.eye(8) @ five, "a vector of 5 values and one of 8"),
        (lambda: five.sum(2), "5 values do not fill 8"),
        (lambda: five.replicate(2), "5 values do not fill 8"),
        (lambda: five.at_level(0).sum(), "level 0"),
        (lambda: five.at_level(0)[1], "level 0"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()




@pytest.mark.parametrize("count", [5, 8, 13, 64])
@pytest.mark.parametrize("what", ["sum", "mean", "dot", "roll", "rolls", "slice", "index"])
def test_the_keys_that_are_told_are_enough(what: str, count: int) -> None:
    s = setting()
    rotations, compute, exact = {
        "sum": (ckks.sum_rotations(count), lambda x: x.sum(), lambda v: np.full(count, v.sum())),
        "mean": (ckks.sum_rotations(count), np.mean, lambda v: np.full(count, v.mean())),
        "dot": (ckks.sum_rotations(count), lambda x: x @ x, lambda v: np.full(count, v @ v)),
        "roll": (ckks.roll_rotations(count, 3), lambda x: x << 3, lambda v: np.roll(v, -3)),
        "rolls": (ckks.roll_rotations(count, [1, -2]), lambda x: (x << 1) - (x >> 2),
                  lambda v: np.roll(v, -1) - np.roll(v, 2)),
        "slice": (ckks.slice_rotations(count, 2, -1), lambda x: x[2:-1], lambda v: v[2:-1]),
        "index": (ckks.slice_rotations(count, -2), lambda x: x[-2], lambda v: v[[-2]]),
    }[what]
    v, sealed = s.pair(count, count)
    client = s.client
    server = client.server(multiply=what == "dot", rotations=rotations)
    s.check(compute(server.bind(sealed)), exact(v))
    # The error names exactly the missing keys.
    needed = {step % sealed.slots for step in rotations}
    assert 0 not in needed and len(needed) == len(rotations)
    with pytest.raises(ValueError, match="no key to rotate by") as raised:
        compute(client.server(multiply=what == "dot").bind(sealed))
    # Two operations are two errors.
    count_named = str(raised.value).count("rotate by")
    assert count_named == len(rotations) or what == "rolls", str(raised.value)


def test_keys_of_rotations() -> None:
    assert ckks.sum_rotations(5) == [1, 2, 4] == ckks.sum_rotations(8)
    assert ckks.sum_rotations(3, 4) == [4] and ckks.sum_rotations(13) == [1, 2, 4, 8] and ckks.sum_rotations(1) == []
    assert ckks.roll_rotations(5, 0) == ckks.roll_rotations(5, [5, -10]) == []
    assert ckks.roll_rotations(6, 7) == [-5, 1] and ckks.roll_rotations(8, 10**20 + 1) == [1]
    assert ckks.slice_rotations(8, 0, 8) == [] and ckks.slice_rotations(5, 0) == [1, 2, 4]
    assert ckks.slice_rotations(8, 1, 8) == [1] and ckks.slice_rotations(8, -2, 10**9) == [2, 4, 6]
    with pytest.raises(IndexError, match="place 8, and the vector has 8"):
        ckks.slice_rotations(8, 8)
    with pytest.raises(TypeError, match="'float'"):
        ckks.roll_rotations(8, 1.5)  # type: ignore[arg-type]


def test_real_vectors_are_decrypted_to_real_numbers() -> None:
    s = setting()
    values = np.random.default_rng(3).uniform(-1, 1, 6)
    x = complexes(4, 6)
    real, mixed = (s.server.bind(s.client.encrypt(v, bound=MOST)) for v in (values, x))
    for of, dtype in [
        (lambda: real, np.float64), (lambda: real * real + 1, np.float64), (lambda: real.mean(), np.float64),
        (lambda: real * 2.5, np.float64), (lambda: real << 1, np.float64), (lambda: real[2], np.float64),
        (lambda: np.eye(6) @ real, np.float64), (lambda: real.conjugate(), np.float64),
        (lambda: real / 1.5 - np.arange(6) / 6, np.float64), (lambda: real * ckks.bounded(values, 2), np.float64),
        (lambda: real.apply(np.exp, (-1.5, 1.5), error=1e-3), np.float64),
        (lambda: real * 1j, np.complex128), (lambda: real + np.full(6, 0.5j), np.complex128),
        (lambda: real * (0.5 + 0j), np.float64), (lambda: real * np.ones(6, complex), np.complex128),
        (lambda: mixed, np.complex128), (lambda: mixed - mixed, np.complex128),
        (lambda: real * mixed, np.complex128), (lambda: 1j * np.eye(6) @ real, np.complex128),
        (lambda: mixed.real, np.float64), (lambda: np.imag(mixed), np.float64),
        (lambda: mixed.between(-2, 2), np.float64),
    ]:
        result = of()
        assert s.client.decrypt(result).dtype == dtype and result.is_real == (dtype == np.float64)
    for result, exact in [(mixed.real, x.real), (mixed.imag, x.imag)]:
        s.check(result, exact)
        assert result.bound == pytest.approx((-MOST, MOST))
    for expression, exact in [(X.real, x.real), (X.imag * X.real, x.imag * x.real)]:
        s.check(s.server.run(expression, x=mixed), exact)
    plan = ckks.Plan(X.real.map(np.sin, error=1e-3), s.client.parameters, {"x": mixed})
    assert "bound: real values" in str(plan)
    # The type decides, and never the values.
    assert not s.client.encrypt(np.zeros(3, complex)).is_real and s.client.encrypt([True, False]).is_real
    assert s.client.encrypt([1, 0]).is_real and not s.client.encrypt([1j]).is_real
    assert s.client.encrypt(0.5).bound == s.client.encrypt([0.1], bound=1).bound == (-1, 1)
    assert s.client.encrypt([0.1, 1j]).bound == 1.0


def test_bounds_are_what_was_declared() -> None:
    s = setting()
    bounds = []
    for scale in (1.0, 1e-6, 0.0):
        x = s.server.bind(s.client.encrypt(scale * np.linspace(-1, 1, 8), bound=2))
        w = scale * np.linspace(0, 1, 8)
        bounds.append([
            of.bound for of in (
                x, x * w, x + w, x - ckks.bounded(w, (0, 3)), np.eye(8) * scale @ x, x @ w,
                x * ckks.bounded([scale] * 8, 5), x + [scale], x / (w + 1.5), x.bounded(1.5), x.between(0, 9),
                s.server.run(X * w + 1, x=x),
            )
        ])
        public = (3.5 * x).bound, (x + 2).bound, (x * 0.25j).bound
        assert public == ((-7, 7), (0, 4), 0.5)
    # Bounds reveal nothing about the values.
    assert bounds[0] == bounds[1] == bounds[2]
    flat = bounds[0]
    assert flat[:4] == [(-2, 2), (-2, 2), (-3, 3), (-5, 2)] and flat[9:11] == [(-1.5, 1.5), (0, 2)]
    assert flat[6:9] == [(-10, 10), (-3, 3), (-2, 2)]
    x = s.client.encrypt([1.0], bound=(-1, 4))
    assert (x.bound, x.magnitude, x.is_real) == ((-1, 4), 4, True)
    assert s.client.encrypt(s.client.decrypt(x), bound=x.bound).bound == x.bound
    assert x.between(0, 2).bound == (0, 2) and x.bounded(2).bound == (-1, 2) and x.server is None
