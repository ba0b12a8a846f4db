# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The model of conversions against integers: numbers of least absolute value, and those at the
ends."""

import random

import pytest

from engines.ckks.model import residues
from engines.ckks.model.conversion import Conversion

PRIMES = residues.primes()


@pytest.mark.parametrize("count", [1, 2, 7, 24])
def test_numbers_keep_their_value(count: int) -> None:
    rng = random.Random(count)
    for _ in range(20):
        # Small primes, whose residues are shifted, among them.
        chosen = rng.sample(PRIMES, count + 2) + [PRIMES[-30]]
        conversion = Conversion(tuple(dict.fromkeys(chosen[1:count] + [PRIMES[-30]])),
                                (chosen[0], chosen[count], chosen[count + 1]))
        half = conversion.product // 2
        # As close to the ends as 59 bits can distinguish.
        edge = half - (half >> 20)
        for number in (0, 1, -1, edge, -edge, rng.randrange(-edge, edge)):
            found = conversion.converted(conversion.ready(number))
            assert found == [number % target for target in conversion.targets]


def test_a_half_is_rounded_upwards() -> None:
    assert residues.whole_part([(1 << 29, 1 << 29)]) == 1
    assert residues.whole_part([(1 << 29, (1 << 29) - 1)]) == 0
