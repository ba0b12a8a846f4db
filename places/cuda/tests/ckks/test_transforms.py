# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Transforms of all degrees, their epilogues and their tables."""

import random

import numpy
import pytest

from places.cuda.tests.ckks import reference
from places.cuda.tests.ckks.lists import Device
from places.cuda.tests.emulation import some

DEGREES = some(range(5, 18), [5, 13])
SUBTRACT_AND_SCALE, ADD_OTHER = 1, 2


def device(log_degree: int) -> Device:
    return Device(log_degree, reference.some_primes(log_degree, 3))


def kinds(log_degree: int) -> tuple[str, ...]:
    return reference.KINDS if log_degree <= some(13, 5) else reference.KINDS[:1]


def jobs_of(on: Device, generator: random.Random) -> list[tuple[int, numpy.ndarray]]:
    """A limb of each kind for each prime, by the prime's number."""
    return [(prime, reference.residues(generator, modulus.q, on.degree, kind))
            for prime, modulus in enumerate(on.moduli) for kind in kinds(on.log_degree)]


@pytest.mark.parametrize("log_degree", DEGREES)
def test_forward(log_degree: int) -> None:
    on, generator = device(log_degree), random.Random(log_degree)
    inputs = jobs_of(on, generator)
    # In place and to another limb by turns.
    limbs = [on.put(words) for _, words in inputs]
    results = [limb if number % 2 else on.fresh() for number, limb in enumerate(limbs)]
    on.transform(True, [(limb, to, to, 0, 0, prime, 1, 0, 0, 0, 0)
                        for limb, to, (prime, _) in zip(limbs, results, inputs)])
    for to, (prime, words) in zip(results, inputs):
        modulus, got = on.moduli[prime], on.at(to)
        assert (got == reference.forward(words, modulus)).all(), (prime, words[:4])
        index = generator.randrange(on.degree)
        assert got[index] == reference.value_at(words, modulus, index)


@pytest.mark.parametrize("log_degree", DEGREES)
def test_inverse_with_a_factor(log_degree: int) -> None:
    on, generator = device(log_degree), random.Random(100 + log_degree)
    inputs = jobs_of(on, generator)
    limbs = [on.put(words) for _, words in inputs]
    results, factors, jobs = [on.fresh() for _ in limbs], [], []
    for limb, to, (prime, _) in zip(limbs, results, inputs):
        q = on.moduli[prime].q
        factors.append(generator.choice([1, q - 1, generator.randrange(q)]))
        by = on.moduli[prime].shoup(factors[-1] * pow(on.degree, -1, q) % q)
        jobs.append((limb, to, to, 0, 0, prime, 1, *by, 0, 0))
    on.transform(False, jobs)
    for limb, to, factor, (prime, words) in zip(limbs, results, factors, inputs):
        modulus = on.moduli[prime]
        expected = reference.inverse(words, modulus) * numpy.uint64(factor) % modulus.q
        assert (on.at(to) == expected).all(), (prime, words[:4])
        assert (on.at(limb) == words).all()


@pytest.mark.parametrize("log_degree", some([5, 10, 12, 13], [13]))
@pytest.mark.parametrize("flags", some(range(4), [3]))
@pytest.mark.parametrize("exponent", some([1, 5, -1], [5]))
def test_epilogues(log_degree: int, flags: int, exponent: int) -> None:
    on, generator = device(log_degree), random.Random(log_degree * 100 + flags * 10 + exponent)
    exponent %= 2 * on.degree
    for prime, modulus in enumerate(on.moduli):
        q = modulus.q
        words, a, b = (reference.residues(generator, q, on.degree, kind)
                       for kind in generator.choices(reference.KINDS[:2], k=3))
        factor = generator.choice([0, 1, q - 1, generator.randrange(q)])
        limbs = [on.put(of) for of in (words, a, b)]
        to = on.fresh()
        middle = on.fresh() if exponent != 1 else to
        back = pow(exponent, -1, 2 * on.degree)
        on.transform(True, [(limbs[0], middle, to, limbs[1], limbs[2], prime, back,
                             *modulus.shoup(factor), flags, 0)])
        expected = reference.forward(words, modulus)
        if flags & SUBTRACT_AND_SCALE:
            expected = (expected + q - a) % q * factor % q
        if flags & ADD_OTHER:
            expected = (expected + b) % q
        expected = expected[reference.image(on.degree, exponent)]
        assert (on.at(to) == expected).all(), prime


def test_tables_are_the_powers_of_the_roots() -> None:
    on = device(6)
    for prime, modulus in enumerate(on.moduli):
        for side, root in enumerate((modulus.root, modulus.inverse_root)):
            for index in range(on.degree):
                power = pow(root, reference.reverse(index, 6), modulus.q)
                entry = on.table[(2 * prime + side) * on.degree + index]
                assert tuple(entry) == modulus.shoup(power)
