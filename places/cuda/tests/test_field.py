# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prime fields of kernels against Python's integers."""

import random
from collections.abc import Callable

import numpy as np
import pytest

from places.cuda.kernels.field import primes
from places.cuda.tests.emulation import TESTS, Kernels, from_words, kernels, to_words

NAMES = {
    "Bls12381Scalar": "bls12_381_scalar", "StarkPrime": "stark", "Bn254Scalar": "bn254_scalar",
    "PallasBase": "pallas", "VestaBase": "vesta", "Secp256k1Scalar": "secp256k1_scalar",
    "Secp256k1Base": "secp256k1_base", "Bls12381Base": "bls12_381_base",
}
SUMS = [name for name in NAMES if name != "Secp256k1Base"]
RANDOM_VALUES = 40


def source() -> Kernels:
    return kernels(TESTS / "field.cu")


def radix(name: str) -> int:
    """2^32N in a Montgomery field; 1 in a folded one."""
    return 1 if name == "Secp256k1Base" else 2**(32 * primes.PRIMES[name][2])


def edges(modulus: int, count: int) -> list[int]:
    """Integers at the ends of words, below the modulus."""
    ends = [2**(32 * place) for place in range(1, count)]
    values = [0, 1, 2, modulus - 1, modulus - 2, modulus // 2, modulus // 2 + 1]
    values += [end + step for end in ends for step in (-1, 0, 1)]
    values += [modulus - end for end in ends]
    values += [2**(modulus.bit_length() - 1) - 1, modulus ^ modulus % 2**64]
    return [value % modulus for value in values]


def operands(name: str) -> tuple[list[int], list[int]]:
    """All pairs of edges, and random pairs."""
    _, modulus, count = primes.PRIMES[name]
    rng = random.Random(name)
    ends = edges(modulus, count)
    pairs = [(a, b) for a in ends for b in ends]
    pairs += [(rng.randrange(modulus), rng.randrange(modulus)) for _ in range(RANDOM_VALUES)]
    return [a for a, _ in pairs], [b for _, b in pairs]


def apply(name: str, operation: int, left: list[int], right: list[int]) -> list[int]:
    count = primes.PRIMES[name][2]
    result = np.zeros((len(left), count), dtype=np.uint32)
    source().run(f"field_{NAMES[name]}", len(left), operation, to_words(left, count),
                 to_words(right, count), result, len(left))
    return from_words(result)


def test_the_header_is_what_the_generator_writes() -> None:
    path = TESTS.parent / "kernels/field/primes.cuh"
    assert path.read_text(encoding="utf-8") == primes.header()


@pytest.mark.parametrize("name", NAMES)
def test_sums_and_products(name: str) -> None:
    modulus = primes.PRIMES[name][1]
    unscale = pow(radix(name), -1, modulus)
    functions: list[tuple[int, Callable[[int, int], int]]] = [
        (0, lambda a, b: a + b), (1, lambda a, b: a - b), (2, lambda a, b: a * b * unscale),
        (3, lambda a, _: a * a * unscale), (8, lambda a, _: -a)]
    left, right = operands(name)
    for operation, function in functions:
        expected = [function(a, b) % modulus for a, b in zip(left, right)]
        assert apply(name, operation, left, right) == expected, operation


@pytest.mark.parametrize("name", NAMES)
def test_forms(name: str) -> None:
    """Integers that are not below the modulus are reduced."""
    _, modulus, count = primes.PRIMES[name]
    limit, scale = 2**(32 * count), radix(name)
    rng = random.Random(name)
    values = edges(modulus, count) + [modulus, modulus + 1, limit - 1, limit - 2**32]
    values += [rng.randrange(limit) for _ in range(RANDOM_VALUES)]
    if name == "Secp256k1Base":
        values += [limit - 977, 2**256 - 2**32]
    assert apply(name, 5, values, values) == [value * scale % modulus for value in values]
    unscale = pow(scale, -1, modulus)
    residues = [value % modulus for value in values]
    assert apply(name, 6, residues, residues) == [v * unscale % modulus for v in residues]
    assert apply(name, 7, values, values) == [int(value < modulus) for value in values]


@pytest.mark.parametrize("name", NAMES)
def test_inverses(name: str) -> None:
    _, modulus, count = primes.PRIMES[name]
    scale = radix(name)
    rng = random.Random(name)
    values = [0, 1, 2, modulus - 1, scale % modulus, *(rng.randrange(modulus) for _ in range(3))]

    def inverse(value: int) -> int:
        return pow(value, -1, modulus) * scale * scale % modulus if value else 0

    expected = [inverse(value) for value in values]
    assert apply(name, 4, values, values) == expected
    words = to_words(values, count)
    source().run(f"invert_{NAMES[name]}", 1, words, np.zeros_like(words), len(values))
    assert from_words(words) == expected


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("length", [0, 1, 2, 23, 64])
def test_inner_products(name: str, length: int) -> None:
    _, modulus, count = primes.PRIMES[name]
    unscale = pow(radix(name), -1, modulus)
    rng = random.Random(f"{name} {length}")
    for largest in (True, False):
        left = [modulus - 1 if largest else rng.randrange(modulus) for _ in range(length)]
        right = [modulus - 1 if largest else rng.randrange(modulus) for _ in range(length)]
        result = np.zeros((1, count), dtype=np.uint32)
        source().run(f"sum_{NAMES[name]}", 1, to_words(left, count), to_words(right, count), result,
                     length)
        expected = sum(a * b for a, b in zip(left, right)) * unscale % modulus
        assert from_words(result) == [expected]
