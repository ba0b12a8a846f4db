# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Operations on each residue, automorphisms and uniform limbs."""

import random

import numpy
import pytest

from engines.ckks.model import expansion
from places.cuda.tests.ckks import lists, reference
from places.cuda.tests.ckks.lists import Device
from places.cuda.tests.emulation import some

OPERATIONS = {
    lists.COPY: lambda q, a, b, c, f, h: a,
    lists.ZERO: lambda q, a, b, c, f, h: 0 * a,
    lists.ADD: lambda q, a, b, c, f, h: (a + b) % q,
    lists.SUBTRACT: lambda q, a, b, c, f, h: (a + q - b) % q,
    lists.NEGATE: lambda q, a, b, c, f, h: (q - a) % q,
    lists.MULTIPLY: lambda q, a, b, c, f, h: a * b % q,
    lists.MULTIPLY_ADD: lambda q, a, b, c, f, h: (a + b * c) % q,
    lists.SCALE: lambda q, a, b, c, f, h: a * f % q,
    lists.SUBTRACT_SCALE: lambda q, a, b, c, f, h: (a + q - b) % q * f % q,
    lists.ADD_NUMBER: lambda q, a, b, c, f, h: (a + numpy.repeat([f, h], len(a) // 2)) % q,
}


@pytest.mark.parametrize("log_degree", some([5, 6, 10, 11], [5, 11]))
@pytest.mark.parametrize("operation", OPERATIONS)
def test_operations(log_degree: int, operation: int) -> None:
    on = Device(log_degree, reference.some_primes(log_degree, 4))
    generator = random.Random(1000 * log_degree + operation)
    jobs, expected, results = [], [], []
    for prime, modulus in enumerate(on.moduli):
        for kinds in zip(reference.KINDS, ("largest", "largest", "random"), reference.KINDS[::-1]):
            q = modulus.q
            words = [reference.residues(generator, q, on.degree, kind) for kind in kinds]
            factor, other = (generator.choice([0, 1, q - 1, generator.randrange(q)])
                             for _ in range(2))
            numbers = ((factor, other) if operation == lists.ADD_NUMBER
                       else modulus.shoup(factor))
            limbs = [on.put(of) for of in words]
            # Every other result replaces the first operand.
            results.append(limbs[0] if prime % 2 else on.fresh())
            jobs.append((results[-1], *limbs, prime, operation, *numbers))
            a, b, c = (of.astype("u8") for of in words)
            of = OPERATIONS[operation](q, a, b, c, numpy.uint64(factor), numpy.uint64(other))
            expected.append(of)
    on.pointwise(jobs)
    for number, (limb, of) in enumerate(zip(results, expected)):
        assert (on.at(limb) == of).all(), number


@pytest.mark.parametrize("log_degree", some([5, 10, 13, 17], [5, 13]))
def test_automorphisms(log_degree: int) -> None:
    on, generator = Device(log_degree, []), random.Random(log_degree)
    exponents = [1, 3, 5, 2 * on.degree - 1, generator.randrange(on.degree) | 1]
    words = numpy.arange(on.degree, dtype="u4") * 7 + 1
    limb, results = on.put(words), [on.fresh() for _ in exponents]
    jobs = [(to, limb, 0, 0, 0, 0, exponent, 0) for to, exponent in zip(results, exponents)]
    lists.launch("ckks_permute", on.fours() * len(jobs), lists.THREADS, on.addresses(),
                 lists.aligned(numpy.array(jobs, dtype=lists.POINTWISE)), log_degree)
    for to, exponent in zip(results, exponents):
        assert (on.at(to) == words[reference.image(on.degree, exponent)]).all(), exponent


@pytest.mark.parametrize("log_degree", some([5, 12, 13], [5, 12]))
def test_limbs_of_seeds(log_degree: int) -> None:
    primes = reference.some_primes(log_degree, 3)
    # A prime just above a power of two rejects almost half of the words.
    near = next(of for of in range((1 << 29) + 1, 1 << 30, 2 << log_degree)
                if reference.is_prime(of))
    on, generator = Device(log_degree, [*primes, near]), random.Random(log_degree)
    jobs, expected = [], []
    for prime, modulus in enumerate(on.moduli):
        seed, index = generator.randbytes(32), generator.choice([0, 1, (1 << 32) - 1])
        to = on.fresh()
        jobs.append((to, prime, index, numpy.frombuffer(seed, dtype="<u4")))
        stream = expansion.stream_of(index, prime)
        expected.append((to, expansion.uniform(seed, stream, modulus.q, on.degree)))
    on.run("ckks_expand", numpy.array(jobs, dtype=lists.EXPAND), 1, 256, on.primes, log_degree)
    for to, words in expected:
        assert (on.at(to) == words).all()
