# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Ring operations on residues in straightforward integers, which the kernels must equal."""

import random
from collections.abc import Iterator

import numpy

WORD = 1 << 32


def is_prime(number: int) -> bool:
    """Miller and Rabin's test; these bases suffice below 2^32 (Jaeschke, 1993)."""
    if number < 2 or number % 2 == 0:
        return number == 2
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 7, 61):
        power = pow(base, odd, number)
        if number == base or power in (1, number - 1):
            continue
        if all((power := power * power % number) != number - 1 for _ in range(twos - 1)):
            return False
    return True


def primes_below(bound: int, log_order: int) -> Iterator[int]:
    """Primes that are 1 modulo 2^log_order, in descending order."""
    order = 1 << log_order
    yield from filter(is_prime, range((bound - 2) // order * order + 1, order, -order))


def some_primes(log_degree: int, count: int) -> list[int]:
    """The largest primes below 2^30, and the last below 2^25 (or a smaller one for a small N)."""
    large = primes_below(1 << 30, log_degree + 1)
    small = primes_below(1 << max(25, log_degree + 5), log_degree + 1)
    return [*(next(large) for _ in range(count - 1)), next(small)]


def reverse(number: int, bits: int) -> int:
    return int(f"{number:0{bits}b}"[::-1], 2)


class Modulus:
    """A prime with the constants of kernels."""

    def __init__(self, q: int, log_degree: int) -> None:
        self.q, self.bits = q, q.bit_length()
        self.negated_inverse = -pow(q, -1, WORD) % WORD
        self.barrett = (1 << 2 * self.bits) // q
        order = 2 << log_degree
        candidates = (pow(base, (q - 1) // order, q) for base in range(2, q))
        self.root = next(of for of in candidates if pow(of, order // 2, q) == q - 1)
        self.inverse_root = pow(self.root, -1, q)

    def shoup(self, factor: int) -> tuple[int, int]:
        return factor, (factor << 32) // self.q

    def montgomery(self, number: int) -> int:
        return (number << 32) % self.q


def residues(generator: random.Random, q: int, degree: int, kind: str) -> numpy.ndarray:
    """Random residues, or those at the bounds."""
    if kind == "largest":
        return numpy.full(degree, q - 1, dtype="u4")
    if kind == "smallest":
        return numpy.zeros(degree, dtype="u4")
    words = numpy.random.default_rng(generator.getrandbits(64)).integers(0, q, degree, dtype="u8")
    edges = [0, 1, q - 1, q // 2, q - 2]
    for edge in edges:
        words[generator.randrange(degree)] = edge
    return words.astype("u4")


KINDS = ("random", "largest", "smallest")


def forward(coefficients: numpy.ndarray, modulus: Modulus) -> numpy.ndarray:
    """The values, in bit-reversed order: stages of butterflies on whole arrays."""
    q, degree = modulus.q, len(coefficients)
    x, bits = coefficients.astype("u8"), degree.bit_length() - 1
    for stage in range(bits):
        groups = 1 << stage
        by = [pow(modulus.root, reverse(groups + group, bits), q) for group in range(groups)]
        x = x.reshape(groups, 2, -1)
        product = x[:, 1] * numpy.array(by, dtype="u8")[:, None] % q
        x = numpy.stack([(x[:, 0] + product) % q, (x[:, 0] + q - product) % q], axis=1)
    return x.reshape(-1)


def inverse(values: numpy.ndarray, modulus: Modulus) -> numpy.ndarray:
    """The coefficients: the stages of `forward` undone."""
    q, degree = modulus.q, len(values)
    x, bits = values.astype("u8"), degree.bit_length() - 1
    half = pow(2, -1, q)
    for stage in reversed(range(bits)):
        groups = 1 << stage
        by = [pow(modulus.inverse_root, reverse(groups + group, bits), q) * half % q
              for group in range(groups)]
        x = x.reshape(groups, 2, -1)
        difference = (x[:, 0] + q - x[:, 1]) % q * numpy.array(by, dtype="u8")[:, None] % q
        x = numpy.stack([(x[:, 0] + x[:, 1]) * half % q, difference], axis=1)
    return x.reshape(-1)


def value_at(coefficients: numpy.ndarray, modulus: Modulus, index: int) -> int:
    """One value, from the definition."""
    degree = len(coefficients)
    point = pow(modulus.root, 2 * reverse(index, degree.bit_length() - 1) + 1, modulus.q)
    result = 0
    for coefficient in reversed(coefficients.tolist()):
        result = (result * point + coefficient) % modulus.q
    return result


def image(degree: int, exponent: int) -> numpy.ndarray:
    """The index from which each value comes under X -> X^exponent."""
    bits = degree.bit_length() - 1
    powers = ((2 * reverse(index, bits) + 1) * exponent % (2 * degree) for index in range(degree))
    return numpy.array([reverse(power >> 1, bits) for power in powers])


def convert(sources: list[int], limbs: list[numpy.ndarray], before: list[int],
            targets: list[int], after: list[int]) -> list[list[int]]:
    """The number of least absolute value that has these residues times the factors before, times
    the factor after, modulo the targets. The quotient is rounded in fixed point."""
    product = 1
    for source in sources:
        product *= source
    results: list[list[int]] = [[] for _ in targets]
    for index in range(len(limbs[0])):
        number, fraction = 0, 1 << 58
        for q, limb, factor in zip(sources, limbs, before):
            rest = product // q
            y = int(limb[index]) * factor * pow(rest, -1, q) % q
            number += y * rest
            shift = 30 - q.bit_length()
            fraction += (y << shift) * ((1 << (59 - shift)) // q)
        number -= (fraction >> 59) * product
        for result, q, factor in zip(results, targets, after):
            result.append(number * factor % q)
    return results
