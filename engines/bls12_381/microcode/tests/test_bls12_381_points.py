# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Executes multiples of points and the tests for the groups from their encoded words, and compares
them with the golden model: infinite, equal and opposite points, points outside the group and of
small order."""

import random
from collections.abc import Sequence
from functools import lru_cache
from math import gcd

import pytest

from arith.microcode.assemble import assemble
from arith.microcode.image import Image
from arith.microcode.program import Program, Value
from arith.microcode.simulator import Simulator
from arith.simulation.bench import random_source
from engines.bls12_381.microcode.coprocessor import FROM_FORM, MULTIPLES, TO_FORM, coprocessor_image
from engines.bls12_381.microcode.points import (
    BETA, PSI_X, PSI_Y, WINDOW_BITS, X_SCALE, Y_SCALE, add, double, read, write,
)
from engines.bls12_381.model import pairing as model
from engines.bls12_381.model.tower import (
    P, R, X, Fp2, ZERO2, conjugate2, inverse2, mul2, scale2,
)
from engines.bls12_381.rtl.tests.coprocessor_cases import points
from engines.bls12_381.rtl.tests.coprocessor_multiples import (
    ORDER_1, ORDER_2, SMALL_ORDERS, small_points,
)

Point = tuple[Fp2, Fp2] | None
GENERATORS = {1: model.G1, 2: model.G2}


@lru_cache(maxsize=None)
def image() -> Image:
    return coprocessor_image()


@lru_cache(maxsize=None)
def formulas(degree: int) -> Image:
    """A sum and a double as separate programs."""
    found = Image(P, register_bits=6, width=384)
    for name, count in (("add", 2), ("double", 1)):
        program = Program(name, P)
        words = read(program.inputs(3 * count * degree), degree)
        first, other = (words[0], words[1], words[2]), words[3:]
        results: Sequence[Value] = write(
            add(program, degree, first, (other[0], other[1], other[2])) if other
            else double(program, degree, first))
        for index, value in enumerate(results):
            program.put_out(value, index)
        assemble(program, found)
    return found


def run(name: str, numbers: Sequence[int], of: Image | None = None) -> list[int]:
    """Runs a program from forms to forms on numbers."""
    chosen = of or image()
    words = [number * TO_FORM % P for number in numbers]
    results = Simulator(chosen).run(chosen.entry(name), words)[0]
    return [word * FROM_FORM % P for word in results]


def flat(parts: Sequence[Fp2], degree: int) -> list[int]:
    return [word for part in parts for word in part[:degree]]


def random_z(rng: random.Random, degree: int) -> Fp2:
    return rng.randrange(1, P), rng.randrange(P) if degree == 2 else 0


def scaled(rng: random.Random, point: Point, degree: int) -> list[int]:
    """Returns the words of a scaled point."""
    z = random_z(rng, degree)
    parts = (ZERO2, (1, 0), ZERO2) if point is None else (
        scale2(point[0], X_SCALE), scale2(point[1], Y_SCALE), (1, 0))
    return flat([mul2(z, part) for part in parts], degree)


def affine(words: Sequence[int], degree: int) -> Point:
    """Returns the point of a scaled point's words."""
    x, y, z = ((words[k], words[k + 1]) if degree == 2 else (words[k], 0)
               for k in range(0, 3 * degree, degree))
    if z == ZERO2:
        assert x == ZERO2 and y != ZERO2, "not infinity"
        return None
    over = inverse2(z)
    return (scale2(mul2(x, over), pow(X_SCALE, -1, P)), scale2(mul2(y, over), pow(Y_SCALE, -1, P)))


def multiple(point: Point, scalar: int) -> Point:
    return model.multiply(point, scalar) if point is not None and scalar else None


@pytest.mark.parametrize("degree", [1, 2])
def test_formulas(degree: int) -> None:
    rng = random_source(f"formulas {degree}")
    p, q = multiple(GENERATORS[degree], 5), points(degree)[10]
    assert p is not None
    minus, small = (p[0], scale2(p[1], -1)), small_points(degree)[0][1]
    for first, second in ((p, q), (p, p), (p, minus), (p, None), (None, q), (None, None),
                          (small, small), (small, q)):
        words = [*scaled(rng, first, degree), *scaled(rng, second, degree)]
        total = run("add", words, formulas(degree))
        assert affine(total, degree) == model.add_points(first, second)
        doubled = run("double", words[:3 * degree], formulas(degree))
        assert affine(doubled, degree) == model.add_points(first, first)
        window = run(f"window_{degree}", words)
        assert affine(window, degree) == model.add_points(multiple(first, 1 << WINDOW_BITS), second)
        found = run(f"multiples_{degree}", words)
        for k in range(MULTIPLES[degree]):
            second = model.add_points(second, first)
            assert affine(found[3 * degree * k:3 * degree * (k + 1)], degree) == second


@pytest.mark.parametrize("degree", [1, 2])
def test_scales(degree: int) -> None:
    rng = random_source(f"scales {degree}")
    point, z = points(degree)[3], random_z(rng, degree)
    square = mul2(z, z)
    jacobian = [mul2(point[0], square), mul2(point[1], mul2(square, z)), z]
    words = run(f"scaled_{degree}", flat(jacobian, degree))
    assert affine(words, degree) == point
    z_words = words[2 * degree:]
    over = inverse2((z_words[0], z_words[1] if degree == 2 else 0))
    forms = [word * TO_FORM % P for word in (*words[:2 * degree], *over[:degree])]
    numbers = Simulator(image()).run(image().entry(f"unscaled_{degree}"), forms)[0]
    assert numbers == flat(point, degree)


def test_endomorphisms() -> None:
    """Checks the endomorphisms that the tests for the groups rely on."""
    (x, y), twist = model.G1, model.G2
    minus = multiple(model.G1, X * X)
    assert minus == (scale2(x, BETA), scale2(y, -1)) and pow(BETA, 3, P) == 1 != BETA
    negative = multiple(twist, -X)
    assert negative == (mul2(PSI_X, conjugate2(twist[0])),
                        scale2(mul2(PSI_Y, conjugate2(twist[1])), -1))
    assert R == X**4 - X**2 + 1
    assert (P - X) % R == 0 and gcd(P - X, ORDER_2) == R == gcd(R, ORDER_1)
    assert ORDER_1 % R**2 and ORDER_2 % R**2
    for degree, order in ((1, ORDER_1), (2, ORDER_2)):
        for point in points(degree)[10:]:
            assert multiple(point, order) is None


@pytest.mark.parametrize("degree", [1, 2])
def test_in_group(degree: int) -> None:
    """Accepts points of the group; rejects points of small order and their sums with points of the
    group."""
    rng = random_source(f"group {degree}")
    inside = [rng.choice(points(degree)[:10]), multiple(GENERATORS[degree], rng.randrange(1, R))]
    small = [point for _, point in small_points(degree)]
    assert [order for order, _ in small_points(degree)] == list(SMALL_ORDERS[degree])[:len(small)]
    outside = [points(degree)[10], *small, model.add_points(small[0], inside[0])]
    for point, is_in in ((*((p, True) for p in inside), *((p, False) for p in outside))):
        assert (multiple(point, R) is None) == is_in
        found = run(f"in_group_{degree}", scaled(rng, point, degree))
        assert (found == [0] * 2 * degree) == is_in
