# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The layout meets every bank once, and the passes give the transform, for all shapes."""

import itertools
import random

import pytest

from engines.ckks.model import residues, transform
from engines.ckks.model.layout import Layout

SHAPES = [(n, lanes, radix) for n, lanes, radix in itertools.product(
    range(4, 9), range(1, 5), range(1, 5)) if radix <= lanes < n]
LARGE = [(16, 9, 4), (16, 4, 4), (13, 3, 3), (12, 5, 4), (10, 9, 4), (10, 2, 2), (16, 9, 3)]


@pytest.mark.parametrize("shape", [*SHAPES, *LARGE])
def test_passes_meet_every_bank_and_every_residue_once(shape: tuple[int, int, int]) -> None:
    log_degree, log_lanes, log_radix = shape
    layout = Layout(log_degree, log_lanes)
    for part in layout.passes(log_radix):
        assert len(set(part.bank_bits)) == part.width
        seen = set()
        step = max(1, layout.rows // 64) if layout.lanes * layout.rows > 1 << 14 else 1
        for counter in range(0, layout.rows, step):
            access = part.access(counter)
            # The residues of a unit differ only in the bits of the pass.
            outside = {}
            for bank, row in enumerate(access.row):
                index = layout.index(bank, row)
                seen.add((bank, row))
                unit = tuple(bank >> bit & 1 for bit in part.unit_bits)
                mask = (1 << part.width) - 1 << part.low
                assert outside.setdefault(unit, index & ~mask) == index & ~mask
        if step == 1:
            assert len(seen) == 1 << log_degree


@pytest.mark.parametrize("shape", SHAPES)
def test_transforms(shape: tuple[int, int, int]) -> None:
    log_degree, log_lanes, log_radix = shape
    rng = random.Random(str(shape))
    prime = rng.choice(residues.primes())
    layout, degree = Layout(log_degree, log_lanes), 1 << log_degree
    root = transform.root_of(prime, log_degree + 1)
    values = [rng.randrange(prime) for _ in range(degree)]
    banks = transform.store(layout, values)
    transform.forward(layout, log_radix, banks, prime, transform.factors(prime, root, log_degree))
    points = [pow(root, 2 * transform.reversed_bits(i, log_degree) + 1, prime)
              for i in range(degree)]
    expected = [sum(value * pow(point, power, prime) for power, value in enumerate(values)) % prime
                for point in points]
    assert transform.load(layout, banks) == expected
    back = transform.factors(prime, pow(root, -1, prime), log_degree)
    transform.inverse(layout, log_radix, banks, prime, back)
    assert transform.load(layout, banks) == [value * degree % prime for value in values]


def test_what_butterflies_of_a_clock_share() -> None:
    for shape in [*SHAPES, (10, 5, 4), (9, 6, 4)]:
        layout = Layout(*shape[:2])
        for part in layout.passes(shape[2]):
            if not transform.shared_factors(part):
                continue
            for counter in range(layout.rows):
                access = part.access(counter)
                for bit, port in itertools.product(range(part.width), range(1 << part.width)):
                    numbers = set()
                    for unit in range(1 << len(part.unit_bits)):
                        bank = transform.spread(unit, part.unit_bits) | transform.spread(
                            port, part.bank_bits)
                        numbers.add(transform.factor_place(
                            part, unit, port, access.row[bank], access.swap, bit))
                    assert len(numbers) == 1
