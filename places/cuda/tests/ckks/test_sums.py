# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Sums of products with limbs and with numbers, and conversions."""

import random

import numpy
import pytest

from places.cuda.tests.ckks import lists, reference
from places.cuda.tests.ckks.lists import Device
from places.cuda.tests.emulation import some

Rows = list[tuple[int, ...]]
COUNTS = [0, 1, 2, 11, 12, 13, 24, 25, 40]


def added_to(on: Device, generator: random.Random, q: int, expected: numpy.ndarray) -> tuple[
        int, int, int, numpy.ndarray]:
    """Perhaps a limb that is added, and perhaps an automorphism, with the result."""
    exponent = generator.choice([1, 1, 5, 2 * on.degree - 1])
    added = reference.residues(generator, q, on.degree, "random")
    has_added = generator.randrange(2)
    if has_added:
        expected = (expected + added) % q
    back = pow(exponent, -1, 2 * on.degree)
    return on.put(added), has_added, back, expected[reference.image(on.degree, exponent)]


@pytest.mark.parametrize("log_degree", some([5, 10, 13], [5, 10]))
@pytest.mark.parametrize("kind", reference.KINDS[:2])
def test_products_in_runs(log_degree: int, kind: str) -> None:
    on = Device(log_degree, reference.some_primes(log_degree, 3))
    generator = random.Random(log_degree)
    jobs, results = [], []
    terms: Rows = []
    for number, count in enumerate(COUNTS if log_degree < 13 else COUNTS[3:6]):
        prime = number % 3
        q = on.moduli[prime].q
        expected, first = numpy.zeros(on.degree, dtype="u8"), len(terms)
        for _ in range(count):
            log_run = generator.choice([0, 0, 1, 2, 3, log_degree - 4])
            a = reference.residues(generator, q, on.degree, kind)
            b = reference.residues(generator, q, on.degree >> log_run, kind)
            terms.append((on.put(a), on.put(b), log_run, 0))
            expected = (expected + a.astype("u8") * numpy.repeat(b, 1 << log_run)) % q
        expected = expected * numpy.uint64(pow(1 << 32, -1, q)) % q
        added, has_added, back, expected = added_to(on, generator, q, expected)
        to = on.fresh()
        jobs.append((to, added, prime, first, count, back, has_added, 0))
        results.append((to, expected))
    on.sums("ckks_products", jobs, numpy.array(terms, dtype=lists.PRODUCT))
    for number, (to, expected) in enumerate(results):
        assert (on.at(to) == expected).all(), COUNTS[number]


@pytest.mark.parametrize("log_degree", some([5, 10, 13], [5, 10]))
@pytest.mark.parametrize("kind", reference.KINDS[:2])
def test_combinations(log_degree: int, kind: str) -> None:
    on = Device(log_degree, reference.some_primes(log_degree, 3))
    generator = random.Random(50 + log_degree)
    jobs, results = [], []
    terms: Rows = []
    for number, count in enumerate(COUNTS if log_degree < 13 else COUNTS[3:6]):
        prime = number % 3
        modulus = on.moduli[prime]
        q = modulus.q
        expected, first = numpy.zeros(on.degree, dtype="u8"), len(terms)
        for _ in range(count):
            a = reference.residues(generator, q, on.degree, kind)
            numbers = [generator.choice([0, q - 1, generator.randrange(q)]) for _ in range(2)]
            terms.append((on.put(a), *(modulus.montgomery(number) for number in numbers)))
            by = numpy.repeat(numpy.array(numbers, dtype="u8"), on.degree // 2)
            expected = (expected + a.astype("u8") * by) % q
        added, has_added, back, expected = added_to(on, generator, q, expected)
        to = on.fresh()
        jobs.append((to, added, prime, first, count, back, has_added, 0))
        results.append((to, expected))
    on.sums("ckks_combine", jobs, numpy.array(terms, dtype=lists.NUMBER))
    for number, (to, expected) in enumerate(results):
        assert (on.at(to) == expected).all(), COUNTS[number]


def conversion(on: Device, sources: list[int], targets: list[int], limbs: list[int],
               before: list[int], after: list[int], is_ready: bool,
               results: list[int]) -> tuple[Rows, Rows, list[int]]:
    """The lists of a conversion: sources, targets, and factors for four targets at a time."""
    product = 1
    for source in sources:
        product *= on.moduli[source].q
    rows: Rows = []
    columns: Rows = []
    factors: list[int] = []
    for source, limb, factor in zip(sources, limbs, before):
        modulus = on.moduli[source]
        q, shift = modulus.q, 30 - modulus.bits
        ready = pow(product // q, -1, q) * factor % q
        rows.append((limb, source, shift, (1 << (59 - shift)) // q, int(is_ready),
                     *modulus.shoup(ready)))
    for target, limb, factor in zip(targets, results, after):
        modulus = on.moduli[target]
        columns.append((limb, target, modulus.montgomery(-product * factor % modulus.q)))
    for start in range(0, len(targets), lists.TARGETS):
        some = targets[start:start + lists.TARGETS]
        for source in sources:
            for place, target in enumerate(some):
                modulus = on.moduli[target]
                rest = product // on.moduli[source].q
                factors.append(modulus.montgomery(rest * after[start + place] % modulus.q))
            factors += [0] * (lists.TARGETS - len(some))
    return rows, columns, factors


@pytest.mark.parametrize("sources", some([1, 2, 11, 12, 13, 24], [1, 13, 24]))
@pytest.mark.parametrize("targets", some([1, 4, 7], [7]))
@pytest.mark.parametrize("kind, log_degree", [*((kind, 5) for kind in reference.KINDS),
                                              ("random", 9)])
def test_conversions(sources: int, targets: int, kind: str, log_degree: int) -> None:
    generator = random.Random(f"{sources} {targets} {kind}")
    primes = reference.some_primes(log_degree, sources + targets)
    generator.shuffle(primes)
    on = Device(log_degree, primes)
    numbers = [modulus.q for modulus in on.moduli]
    words = [reference.residues(generator, q, on.degree, kind) for q in numbers[:sources]]
    is_plain = generator.randrange(2) == 0
    before, after = ([1 if is_plain else generator.randrange(1, q) for q in some]
                     for some in (numbers[:sources], numbers[sources:]))
    expected = reference.convert(numbers[:sources], words, before, numbers[sources:], after)
    product = 1
    for q in numbers[:sources]:
        product *= q
    for is_ready in (False, True):
        given = words
        if is_ready:
            given = [of.astype("u8") * numpy.uint64(pow(product // q, -1, q) * factor % q) % q
                     for of, q, factor in zip(words, numbers, before)]
        limbs = [on.put(of) for of in given]
        results = [on.fresh() for _ in range(targets)]
        rows, columns, factors = conversion(
            on, list(range(sources)), list(range(sources, sources + targets)), limbs, before,
            after, is_ready, results)
        job = numpy.array([(0, sources, 0, targets, 0, 0)], dtype=lists.CONVERT)
        on.run("ckks_convert", job, -(-on.degree // lists.CONVERT_BLOCK),
               lists.CONVERT_THREADS, on.primes, numpy.array(rows, dtype=lists.SOURCE),
               numpy.array(columns, dtype=lists.TARGET), numpy.array(factors, dtype="u4"),
               log_degree)
        for target, (limb, of) in enumerate(zip(results, expected)):
            assert (on.at(limb) == of).all(), (target, is_ready)
