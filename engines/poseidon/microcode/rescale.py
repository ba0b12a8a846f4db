# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Chooses a scale for every element so that coefficients become 1 and cost no product.

Let the hardware hold d*x instead of x. The S-box raises the scale to d^alpha; a sum may have any
scale, if its coefficients and constant are multiplied by it. So each row of a matrix can be scaled
to have the coefficient 1 in one chosen column, and a sparse partial round (identity for H) to have
m = 1, while u keeps its scales through all partial rounds. The scales at the start and the end are
given; they perform the conversions to and from Montgomery form.
"""

from dataclasses import replace

from engines.poseidon.microcode.matrix import Vector, identity
from engines.poseidon.microcode.optimize import Affine, PartialRound, Schedule


def _scaled(affine: Affine, before: Vector, after: Vector, modulus: int) -> Affine:
    """Maps elements of scale `before` (after the S-box) to elements of scale `after`."""
    inverses = [pow(scale, -1, modulus) for scale in before]
    matrix = [[entry * scale * inverse % modulus for entry, inverse in zip(row, inverses)]
              for row, scale in zip(affine.matrix, after)]
    constants = [c * scale % modulus for c, scale in zip(affine.constants, after)]
    return Affine(matrix, constants)


def _unit_scales(affine: Affine, before: Vector, unit_column: int, modulus: int) -> Vector:
    """Returns the scales after the map for which the coefficients of one column are 1."""
    return [before[unit_column] * pow(row[unit_column], -1, modulus) % modulus
            for row in affine.matrix]


def rescale(sparse: Schedule, input_scale: int, output_scale: int, unit_column: int | None
            ) -> Schedule:
    """Returns the same permutation from input_scale * x to output_scale * y.

    In the result m is 1 in every partial round, and column `unit_column` is 1 in every full round
    except the last. With None, full rounds keep their matrices (except the one before the partial
    rounds, whose matrix is different, and the last, whose matrix has a factor): all elements of a
    round then have the same scale, and m is not 1 in the last partial round. """
    p, alpha = sparse.modulus, sparse.alpha
    if sparse.transition != identity(sparse.width - 1):
        raise ValueError("rescaling needs the sparse basis")
    scales = [input_scale] * sparse.width

    def full_round(affine: Affine, after: Vector | None = None) -> Affine:
        nonlocal scales
        before = [pow(scale, alpha, p) for scale in scales]
        unit = before if unit_column is None else _unit_scales(affine, before, unit_column, p)
        scales = after or unit
        return _scaled(affine, before, scales, p)

    first = [full_round(affine) for affine in sparse.first]
    x_scale, u_scales = sparse.split(scales)
    partial: list[PartialRound] = []
    for step in sparse.partial:
        y_scale = pow(x_scale, alpha, p)
        y_inverse = pow(y_scale, -1, p)
        x_scale = y_scale * pow(step.m, -1, p) % p
        if unit_column is None and len(partial) + 1 == len(sparse.partial):
            x_scale = u_scales[0]
        partial.append(PartialRound(
            m=step.m * x_scale * y_inverse % p,
            w=[w * x_scale * pow(u, -1, p) % p for w, u in zip(step.w, u_scales)],
            v=[v * u * y_inverse % p for v, u in zip(step.v, u_scales)],
            constant=step.constant * x_scale % p,
        ))
    scales = sparse.join(x_scale, u_scales)
    last = [full_round(affine) for affine in sparse.last[:-1]]
    last.append(full_round(sparse.last[-1], [output_scale] * sparse.width))
    initial = [c * input_scale % p for c in sparse.initial]
    return replace(sparse, initial=initial, first=first, partial=partial, last=last)
