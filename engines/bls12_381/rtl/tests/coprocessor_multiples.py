# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Programs of multiples, powers and tests of groups: every digit of a scalar, scalars around the
order, and points of small order, outside the groups, at infinity and off their curves."""

import random
from functools import lru_cache
from typing import Any

from engines.bls12_381.model import pairing as model
from engines.bls12_381.model.tower import P, R, X, Fp2, mul2
from engines.bls12_381.rtl.tests.coprocessor_cases import ISA, points

ORDER_1 = (X - 1) ** 2 // 3 * R
ORDER_2 = (X**8 - 4 * X**7 + 5 * X**6 - 4 * X**4 + 6 * X**3 - 4 * X**2 - 4 * X + 13) // 9 * R
"""The numbers of points of E1 and of the twist."""
SMALL_ORDERS = {1: (3, 11, 10177), 2: (13, 23, 2713)}
DIGITS = 0x0FEDCBA987654321
SCALARS = (0, 1, 2, 15, 16, 0xF0, 0x10000, DIGITS, R - 1, R, R + 1, 2 * R, 16 * R + 5, (1 << 255) - 1,
           1 << 380, (1 << 381) - 1)
Element = tuple[str, list[int]]
"""The kind and the words."""


@lru_cache(maxsize=None)
def small_points(degree: int) -> tuple[tuple[int, tuple[Fp2, Fp2]], ...]:
    """Returns points of small orders, which are outside the group, each with its order."""
    order, found = ORDER_1 if degree == 1 else ORDER_2, []
    for small in SMALL_ORDERS[degree]:
        rest = order
        while rest % small == 0:
            rest //= small
        for point in points(degree)[10:]:
            last = model.multiply(point, rest)
            while last is not None and (times := model.multiply(last, small)) is not None:
                last = times
            if last is not None:
                found.append((small, last))
                break
    assert len(found) >= 2
    return tuple(found)


def element_of(rng: random.Random, point: tuple[Fp2, Fp2] | None, degree: int) -> Element:
    """Returns the point as an affine or a Jacobian element."""
    prefix = "FP" if degree == 1 else "FP2"

    def flat(*parts: Fp2) -> list[int]:
        return [word for part in parts for word in part[:degree]]

    z: Fp2 = rng.randrange(1, P), rng.randrange(P) if degree == 2 else 0
    if rng.random() < 0.5:
        return f"{prefix}_AF", flat(*(point or ((0, 0), (0, 0))))
    if point is None:
        return f"{prefix}_JB", flat(z, z, (0, 0))
    square = mul2(z, z)
    return f"{prefix}_JB", flat(mul2(point[0], square), mul2(point[1], mul2(square, z)), z)


def some_point(rng: random.Random, degree: int) -> tuple[Fp2, Fp2] | None:
    """Returns a point of the group, outside it, or of small order; None is infinity."""
    kind = rng.randrange(5)
    if kind == 0:
        return None
    if kind == 1:
        return rng.choice(small_points(degree))[1]
    return rng.choice(points(degree)[10:] if kind == 2 else points(degree)[:10])


def some_field(rng: random.Random) -> Element:
    kind = rng.choice(("FE", "FE2", "FE6", "FE12"))
    words = [rng.choice((0, 1, P - 1)) if rng.random() < 0.2 else rng.randrange(P)
             for _ in range(ISA.kinds[kind].slots)]
    return kind, words if rng.random() < 0.9 else [0] * len(words)


class _Program:
    """The instructions and slots of a context, as they are added."""

    def __init__(self) -> None:
        self.instructions: list[str] = []
        self.slots: list[tuple[int, int, str]] = []
        self._free = 0

    def element(self, kind: str, words: list[int]) -> int:
        place = self.room(len(words))
        self.slots += [(place + k, ISA.kinds[kind].code, f"{word:x}") for k, word in enumerate(words)]
        return place

    def room(self, count: int) -> int:
        self._free += count
        assert self._free <= ISA.limits["slots"]
        return self._free - count

    def put(self, name: str, *operands: int) -> None:
        self.instructions.append(ISA.encode(name, *operands).hex())

    def multiply(self, scalar: int, kind: str, words: list[int]) -> None:
        self.put("POINT_MULT", self.element("SCALAR", [scalar]), self.element(kind, words),
                 self.room(6 if kind.startswith("FP2") else 3))

    def power(self, scalar: int, kind: str, words: list[int]) -> None:
        base, exponent = self.element(kind, words), self.element("SCALAR", [scalar])
        self.put("EXP_ELEMENT", base, exponent, self.room(len(words)))

    def invert(self, kind: str, words: list[int]) -> None:
        """Inverts an element; for a point, computes its affine form."""
        name = "POINT_AFFINE" if kind.startswith("FP") else "INV_ELEMENT"
        self.put(name, self.element(kind, words), self.room(len(words)))

    def invert_list(self, kind: str, elements: list[list[int]], up: bool) -> None:
        """Inverts a list, with results shifted by one slot so that they overlap the list."""
        places = [self.element(kind, words) for words in elements]
        self.put("INV_BATCH", places[0], len(places), max(places[0] + (-1 if up else 1), 0))
        self.room(1)

    def check(self, kind: str, words: list[int]) -> None:
        self.put("CHECK_SUBGROUP", self.element(kind, words), self.room(1))

    def case(self) -> dict[str, Any]:
        return {"instructions": self.instructions, "slots": self.slots, "start": 0, "limit": 0}


def inverses_case(rng: random.Random, contexts: int, rounds: int) -> dict[str, Any]:
    """Inverts elements, lists and points of each kind in all contexts at once; in some contexts the
    last element is 0."""
    programs = [_Program() for _ in range(contexts)]
    for program in programs:
        for kind in ("FE", "FE2", "FE6", "FE12") * rounds:
            count = ISA.kinds[kind].slots
            words = [rng.choice((0, 1, P - 1, rng.randrange(P))) for _ in range(count)]
            words[rng.randrange(count)] = rng.choice((1, 2, P - 1, rng.randrange(1, P)))
            program.invert(kind, words)
        elements = [[rng.randrange(P), rng.randrange(1, P)] for _ in range(3)]
        program.invert_list("FE2", elements, rng.random() < 0.5)
        program.invert_list("FE", [element[1:] for element in elements], rng.random() < 0.5)
        for degree in (1, 2):
            program.invert(*element_of(rng, some_point(rng, degree), degree))
    for number, program in enumerate(programs[::2]):
        kind = ("FE", "FE2", "FE12")[number % 3]
        program.invert(kind, [0] * ISA.kinds[kind].slots)
        program.invert("FE", [5])
    return {"extension": True, "contexts": [program.case() for program in programs]}


def multiples_case(rng: random.Random, contexts: int, scalars: list[int], checks: int) -> dict[str, Any]:
    """For each scalar, computes a multiple on each curve and a power; then makes `checks` tests of
    points of either curve. Some contexts end with a point off its curve."""
    programs = [_Program() for _ in range(contexts)]
    turn = 0

    def following() -> _Program:
        nonlocal turn
        turn += 1
        return programs[turn % contexts]

    for scalar in scalars:
        for degree in (1, 2):
            following().multiply(scalar, *element_of(rng, some_point(rng, degree), degree))
        following().power(scalar, *some_field(rng))
    for number in range(checks):
        for degree in (1, 2):
            small = small_points(degree)[number % 2][1]
            point = (points(degree)[number % 10], None, points(degree)[10], small)[number % 4]
            following().check(*element_of(rng, point, degree))
    for program in programs[::2]:
        degree = rng.choice((1, 2))
        kind, words = element_of(rng, points(degree)[0], degree)
        words[rng.randrange(len(words))] ^= 1
        program.check(kind, words)
        program.multiply(5, kind, words)
    return {"extension": True, "contexts": [program.case() for program in programs]}
