# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The explicit mode: its results, and that it never rescales or aligns by itself."""

from typing import Any

import numpy as np
import pytest
from ckks_setting import LEVELS, MOST, SLOTS, setting, small
from halimede import ckks


@pytest.mark.parametrize("count", [SLOTS, 32, 1])
def test_a_sum_of_products_is_rescaled_once(count: int) -> None:
    s = setting()
    explicit = s.server.explicit()
    pairs = [(s.pair(seed, count), s.pair(seed + 50, count)) for seed in range(4)]
    (_, first), (_, second) = pairs[0]
    degree2 = explicit.mul_degree2(first, second)
    for (_, a), (_, b) in pairs[1:]:
        degree2 = explicit.mul_add_degree2(degree2, a, b)
    assert (degree2.level, degree2.length) == (LEVELS, count)
    assert degree2.scale == pytest.approx(first.scale * second.scale)
    assert repr(degree2) == f"<halimede.ckks.Degree2 of {count} values, level {LEVELS}>"
    product = explicit.relinearize(degree2)
    assert product.level == LEVELS and product.scale == degree2.scale
    result = explicit.rescale(product)
    expected = sum(a * b for (a, _), (b, _) in pairs)
    s.check(result, expected)
    assert result.level == LEVELS - 1 and result.server is s.server
    # The result equals that of implicit products, and can be combined with them.
    assert result.scale == pytest.approx((first * second).scale, rel=1e-9)
    s.check(result + first * second, expected + pairs[0][0][0] * pairs[0][1][0])


def test_operations_keep_level_and_scale() -> None:
    s = setting()
    explicit = s.server.explicit()
    (x, a), (y, b) = s.pair(1), s.pair(2)
    v = small(3, SLOTS)
    assert explicit.add(a, b).to_bytes() == (a + b).to_bytes()
    assert explicit.sub(a, b).to_bytes() == (a - b).to_bytes()
    s.check(explicit.add_plain(a, v), x + v)
    product = explicit.mul(a, b)
    assert (product.level, product.scale) == (LEVELS, pytest.approx(a.scale * b.scale))
    s.check(product, x * y)
    s.check(explicit.rescale(product), x * y)
    # By default the scale is the factor that a rescaling divides by.
    for values, plain in [
        (v, v), (0.5, 0.5), (v.tolist(), v), (2 - 1j, 2 - 1j), (ckks.bounded(9 * v, 9.0), 9 * v),
    ]:
        product = explicit.mul_plain(a, values)
        assert product.level == LEVELS
        lower = explicit.rescale(product)
        assert lower.scale == pytest.approx(a.scale, rel=1e-9)
        s.check(lower, x * plain)
    s.check(explicit.add_plain(a, ckks.bounded(9 * v, 9.0)), x + 9 * v)
    s.check(explicit.add_plain(a, 3.5), x + 3.5)
    product = explicit.mul_plain(a, v, scale=2.0**30)
    assert product.scale == pytest.approx(a.scale * 2**30)
    s.check(product, x * v)
    low = explicit.drop_to_level(a, 3)
    assert (low.level, low.scale) == (3, pytest.approx(a.scale, rel=1e-12))
    s.check(low, x)
    assert explicit.drop_to_level(a, LEVELS).to_bytes()
    # Negatives and rotations are the server's.
    s.check(explicit.add(-a, b << 1), np.roll(y, -1) - x)
    # Ciphertexts that are not bound to a server are accepted too.
    s.check(explicit.mul(s.client.encrypt(x, bound=MOST), a), x * x)


def test_nothing_is_brought_together() -> None:
    s = setting()
    explicit, poor = s.server.explicit(), s.client.server().explicit()
    a, b, short = s.pair(1, 64)[1], s.pair(2, 64)[1], s.pair(3, 32)[1]
    low, product = a.at_level(4), explicit.mul(a, b)
    narrow = explicit.drop_to_level(product, 2)
    degree2 = explicit.mul_degree2(a, b)
    foreign = ckks.Client("n10-insecure").encrypt([1.0])
    other = ckks.Client("n10-insecure").server().explicit()
    for call, message in [
        (lambda: explicit.add(a, low), "levels 8 and 4: bring the higher one down to level 4"),
        (lambda: explicit.sub(low, a), "levels 4 and 8"),
        (lambda: explicit.mul(a, low), "levels 8 and 4"),
        (lambda: explicit.mul_degree2(a, low), "levels 8 and 4"),
        (lambda: explicit.mul_add_degree2(degree2, low, low), "levels 8 and 4"),
        (lambda: explicit.add(product, a), "the scales are .*rescale the one"),
        (lambda: explicit.mul_add_degree2(degree2, product, b), "the scales are"),
        (lambda: explicit.add(a, short), "64 values and one of 32"),
        (lambda: explicit.mul(short, a), "32 values and one of 64"),
        (lambda: explicit.mul_plain(a, np.ones(32)), "64 values and one of 32"),
        (lambda: explicit.add_plain(a, np.ones(65)), "64 values and one of 65"),
        (lambda: explicit.mul_plain(a, np.full(64, np.nan)), "value 0 is NaN"),
        (lambda: explicit.mul_plain(a, 0.5, scale=0.0), "scale: got 0.0, wanted a positive number"),
        (lambda: explicit.mul_plain(a, 0.5, scale=-2.0), "scale: got -2.0"),
        (lambda: explicit.mul_plain(a, 0.5, scale=np.nan), "scale: got NaN"),
        (lambda: explicit.mul_plain(a.at_level(0), 0.5), "level 0 and a product needs level 1"),
        (lambda: explicit.rescale(a.at_level(0)), "at level 0"),
        (lambda: explicit.drop_to_level(low, 5), "bringing it to a higher level"),
        (lambda: explicit.drop_to_level(low, -1), "level: got -1"),
        (lambda: explicit.drop_to_level(product, 0), r"82\.\d bits .* level 0 has room for \d\d\.\d"),
        (lambda: explicit.mul(narrow, narrow), r"163\.\d bits .* level 2 has room for 1\d\d\.\d"),
        (lambda: poor.mul(a, b), "no key to multiply"),
        (lambda: poor.relinearize(degree2), "no key to multiply"),
        (lambda: other.relinearize(degree2), "the sum of products is for the parameters n13"),
        (lambda: explicit.add(a, foreign), "n10-insecure"),
        (lambda: explicit.mul_degree2(foreign, foreign), "n10-insecure"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()


def test_wrong_types() -> None:
    explicit: Any = setting().server.explicit()
    a = setting().pair(1, 8)[1]
    for call, message in [
        (lambda: explicit.add(a, 1.0), "got float, wanted a halimede.ckks.Ciphertext"),
        (lambda: explicit.mul_plain(a, "text"), "operand: got an array of <U4"),
        (lambda: explicit.mul_plain(a, 1.0, scale="2"), "real number"),
        (lambda: explicit.relinearize(a), "Ciphertext"),
        (lambda: explicit.mul_add_degree2(a, a, a), "Ciphertext"),
        (lambda: explicit.drop_to_level(a, 2.5), "level: got 2.5"),
    ]:
        with pytest.raises(TypeError, match=message):
            call()
    assert "Explicit of <halimede.ckks.Server" in repr(explicit)
