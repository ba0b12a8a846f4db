# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Executes the programs from their encoded words, and compares them with the golden model."""

import random
from collections.abc import Callable, Sequence
from functools import lru_cache

import pytest

from arith.microcode.checker import check
from arith.microcode.image import Image, to_montgomery
from arith.microcode.simulator import Simulator
from arith.simulation.bench import random_source
from engines.bls12_381.microcode.coprocessor import coprocessor_image
from engines.bls12_381.microcode.__main__ import README, report_text
from engines.bls12_381.microcode.programs import (
    OPERATIONS, WIDTH, image_of, known_orders, operation_program, pairing_image,
)
from engines.bls12_381.microcode.wider import slots_of, slots_of_wider
from engines.bls12_381.model import pairing as model
from engines.bls12_381.model.tower import (
    P, ZERO2, Fp2, Fp12, inverse2, mul2, mul12,
)

PAIRING_TURNS, PAIRING_CLOCKS = 25_700, 120_600  # at most
EDGES = (0, 1, 2, P - 1, P - 2)
UNMONTGOMERY = pow(1 << WIDTH, -1, P)


def run(image: Image, name: str, values: Sequence[int]) -> list[int]:
    words = [to_montgomery(value, P, WIDTH) for value in values]
    result, _ = Simulator(image).run(image.entry(name), words)
    return [word * UNMONTGOMERY % P for word in result]


@lru_cache(maxsize=None)
def image_of_operation(name: str, deep: bool) -> Image:
    image = image_of(operation_program(name, deep))
    check(image)
    return image


def operate(name: str, values: Sequence[int], deep: bool = False) -> list[int]:
    return run(image_of_operation(name, deep), name, values)


def flat(*elements: Sequence[Fp2]) -> list[int]:
    return [part for element in elements for pair in element for part in pair]


def pairs(words: Sequence[int]) -> list[Fp2]:
    return [(words[i], words[i + 1]) for i in range(0, len(words), 2)]


def number(rng: random.Random) -> int:
    return rng.choice(EDGES) if rng.random() < 0.2 else rng.randrange(P)


def fp2(rng: random.Random) -> Fp2:
    return number(rng), number(rng)


def fp12(rng: random.Random) -> Fp12:
    return fp2(rng), fp2(rng), fp2(rng), fp2(rng), fp2(rng), fp2(rng)


@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize("name, of_model", [
    ("Fp2 product", lambda a, b: (mul2(a[0], b[0]),)),
    ("Fp12 product", mul12),
    ("line product", lambda a, b: mul12(a, (b[0], ZERO2, b[1], b[2], ZERO2, ZERO2))),
])
def test_products(name: str, of_model: Callable[[Fp12, Fp12], Sequence[Fp2]], deep: bool) -> None:
    rng = random_source(name)
    count = {"Fp2 product": (1, 1), "line product": (6, 3)}.get(name, (6, 6))
    for _ in range(5):
        a, b = fp12(rng), fp12(rng)
        words = flat(a[:count[0]], b[:count[1]])
        assert operate(name, words, deep) == flat(of_model(a, b))


@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize("name", ["Fp2 square", "Fp12 square", "cyclotomic square"])
def test_squares(name: str, deep: bool) -> None:
    rng = random_source(name)
    for _ in range(3):
        a = model.easy_part(fp12(rng)) if name == "cyclotomic square" else fp12(rng)
        square = (mul2(a[0], a[0]),) if name == "Fp2 square" else mul12(a, a)
        words = flat(a[:1] if name == "Fp2 square" else a)
        assert operate(name, words, deep) == flat(square)


@pytest.mark.parametrize("deep", [False, True])
def test_compressed_square(deep: bool) -> None:
    a = model.easy_part(fp12(random_source("compressed square")))
    square = mul12(a, a)
    words, expected = (flat([value[k] for k in (2, 4, 1, 5)]) for value in (a, square))
    assert operate("compressed square", words, deep) == expected


@pytest.mark.parametrize("name", ["doubling with line", "addition with line"])
def test_steps(name: str) -> None:
    rng = random_source(name)
    t, p = model.multiply(model.G2, rng.getrandbits(64) | 8), model.multiply(model.G1, 12345)
    assert t is not None and p is not None
    other = t if name == "doubling with line" else model.G2
    z = fp2(rng)
    while z == ZERO2:
        z = fp2(rng)
    words = [*flat((mul2(t[0], z), mul2(t[1], z), z)), p[0][0], p[1][0]]
    result = operate(name, words + (flat(other) if name == "addition with line" else []))
    x, y, z, *line = pairs(result)
    assert (mul2(x, inverse2(z)), mul2(y, inverse2(z))) == model.add_points(t, other)
    expected = model.line(t, other, p)
    factor = mul2(line[2], inverse2(expected[3]))
    assert line == [mul2(expected[k], factor) for k in (0, 2, 3)]


@lru_cache(maxsize=None)
def image_of_pairing() -> Image:
    return pairing_image()


def test_pairing() -> None:
    """The final exponentiation is exact, and the Miller loop is exact up to a factor that it
    removes."""
    image, scalar = image_of_pairing(), random_source("pairing").getrandbits(64)
    p, q = model.multiply(model.G1, scalar + 1), model.multiply(model.G2, 7)
    assert p is not None and q is not None
    value = run(image, "miller_loop", [p[0][0], p[1][0], *flat(q)])
    assert run(image, "final", value) == flat(model.pairing(p, q))


def test_final_exponentiation_of_any_element() -> None:
    value = fp12(random_source("final"))
    expected = model.final_exponentiation(value)
    assert run(image_of_pairing(), "final", flat(value)) == flat(expected)


def test_turns() -> None:
    """Checks the latencies, and that turns and clocks of a single job have not increased."""
    counts = check(image_of_pairing())
    assert sum(used.turns for used in counts.values()) <= PAIRING_TURNS
    assert sum(used.clocks for used in counts.values()) <= PAIRING_CLOCKS


def test_every_section_has_its_order() -> None:
    """The images are built in seconds, since no order is searched for."""
    known = known_orders().known
    found = known_orders()
    coprocessor_image(found)
    pairing_image(found)
    assert found.known == known


def test_wider_core() -> None:
    """A product in F_p² by Karatsuba needs no sums on the wider core."""
    program = operation_program("Fp2 product")
    today, wider = slots_of(program), slots_of_wider(program)
    assert (today.products, today.reductions, today.sums) == (3, 3, 4)
    assert (wider.products, wider.reductions, wider.sums, wider.turns()) == (3, 2, 0, 3)
    assert all(slots_of_wider(operation_program(name)).sums <= slots_of(
        operation_program(name)).sums for name in OPERATIONS)


def test_readme_is_up_to_date() -> None:
    assert report_text() in README.read_text(encoding="utf-8")
