# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Base conversions as the card does them: jobs of ckks_sums, and the numbers that they need.

x modulo B, the product of the sources b_i, is the sum of y_i * B / b_i minus v * B, where y_i is x
* (B / b_i)^-1 modulo b_i and v is the nearest integer to the sum of y_i / b_i, computed with 59
bits after the point (engines/ckks/src/ring/conversion.rs; card/lower.rs for the tasks).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from engines.ckks.model import residues


@dataclass(frozen=True)
class Conversion:
    """A conversion between two sets of primes, with at most 24 sources."""

    sources: tuple[int, ...]
    targets: tuple[int, ...]

    @cached_property
    def product(self) -> int:
        return math.prod(self.sources)

    def ready(self, number: int) -> list[int]:
        """Returns the y of a number: the result of the job that scales the sources."""
        return [number * pow(self.product // source, -1, source) % source
                for source in self.sources]

    @cached_property
    def fractions(self) -> list[tuple[int, int]]:
        """For each source, the shift that keeps its residues below 2^30, and the reciprocal."""
        shifts = [residues.RESIDUE_BITS - source.bit_length() for source in self.sources]
        return [(shift, (1 << residues.FRACTION_BITS - shift) // source)
                for shift, source in zip(shifts, self.sources)]

    def numbers(self, target: int) -> list[int]:
        """The factors of the sources and, last, of the overflow, times 2^34."""
        factors = [self.product // source for source in self.sources] + [-self.product]
        return [(factor << residues.STEPS_BITS) % target for factor in factors]

    def overflow(self, ready: Sequence[int]) -> int:
        return residues.whole_part([(y << shift, reciprocal)
                                    for y, (shift, reciprocal) in zip(ready, self.fractions)])

    def converted(self, ready: Sequence[int]) -> list[int]:
        """Converts to each target, with the card's arithmetic."""
        terms = [*ready, self.overflow(ready)]
        return [residues.sum_of_products(zip(terms, self.numbers(target)), target)
                for target in self.targets]
