# SPDX-License-Identifier: Apache-2.0 OR MIT
"""secp256k1 (SEC 2, section 2.4.1) in affine coordinates, by definition."""

from typing import Final

P: Final = 2**256 - 2**32 - 977
"""The field's prime."""
N: Final = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
"""The prime order of the group."""
B: Final = 7
"""y^2 = x^3 + B."""

Affine = tuple[int, int]
Point = Affine | None
"""None is the point at infinity."""

G: Final[Affine] = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)

BETA: Final = 0x7AE96A2B657C07106E64479EAC3434E99CF0497512F58995C1396C28719501EE
"""A cube root of 1 modulo P: (x, y) -> (BETA * x, y) multiplies a point by LAMBDA."""
LAMBDA: Final = 0x5363AD4CC05C30E0A5261C028812645A122E22EA20816678DF02967C1B23BD72


def on_curve(point: Affine) -> bool:
    """Returns True if the coordinates lie in [0, P) and satisfy the curve's equation."""
    x, y = point
    return 0 <= x < P and 0 <= y < P and (y * y - x**3 - B) % P == 0


def negate(point: Point) -> Point:
    return None if point is None else (point[0], -point[1] % P)


def add(first: Point, second: Point) -> Point:
    """Returns the sum of any two points."""
    if first is None:
        return second
    if second is None:
        return first
    (x1, y1), (x2, y2) = first, second
    if x1 == x2 and (y1 + y2) % P == 0:
        return None
    if x1 == x2:
        slope = 3 * x1 * x1 * pow(2 * y1, -1, P) % P
    else:
        slope = (y2 - y1) * pow(x2 - x1, -1, P) % P
    x3 = (slope * slope - x1 - x2) % P
    return x3, (slope * (x1 - x3) - y1) % P


def multiply(scalar: int, point: Point) -> Point:
    """Returns scalar * point, for any integer."""
    if scalar < 0:
        scalar, point = -scalar, negate(point)
    total: Point = None
    for bit in bin(scalar)[2:]:
        total = add(total, total)
        if bit == "1":
            total = add(total, point)
    return total


def lift(x: int) -> Affine | None:
    """Returns the point with this x and an even y, if it exists."""
    square = (x**3 + B) % P
    y = pow(square, (P + 1) // 4, P)
    if y * y % P != square or not 0 <= x < P:
        return None
    return x, P - y if y & 1 else y
