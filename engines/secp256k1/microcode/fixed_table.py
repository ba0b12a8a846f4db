# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The fixed table: x and y of a*G + b*lambda*G for odd a in 1..31 and odd b in -31..31."""

from functools import lru_cache

from engines.secp256k1.model.curve import BETA, G, P, Affine, Point, add, negate
from engines.secp256k1.model.split import JOINT_ENTRIES, joint_entry


def _odd_multiples(point: Point, count: int) -> dict[int, Point]:
    """Returns the multiples by 1, 3, 5, ... and their negatives."""
    doubled, multiples, current = add(point, point), {}, point
    for index in range(count):
        multiples[2 * index + 1] = current
        multiples[-2 * index - 1] = negate(current)
        current = add(current, doubled)
    return multiples


@lru_cache(maxsize=None)
def points() -> tuple[Affine, ...]:
    """Returns the points in the order of the joint digits' rows."""
    ordinary = _odd_multiples(G, 16)
    turned = _odd_multiples((BETA * G[0] % P, G[1]), 16)
    found = []
    for row in range(JOINT_ENTRIES):
        a, b = joint_entry(row)
        point = add(ordinary[a], turned[b])
        assert point is not None, "small digits have no sum at infinity"
        found.append(point)
    return tuple(found)


def words() -> list[int]:
    """Returns two words per row: x, y."""
    return [coordinate for point in points() for coordinate in point]
