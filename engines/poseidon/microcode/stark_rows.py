# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The linear layer of StarkWare's Poseidon: all ones plus a small diagonal, by sums only."""

from typing import Sequence

from arith.microcode.program import Constant, Program, Value
from engines.poseidon.model.parameters import Instance


def diagonal_of(instance: Instance) -> list[int]:
    """The diagonal of the matrix minus the ones: small signed numbers."""
    return [row[index] - 1 for index, row in enumerate(instance.mds)]


def shared_row_of(instance: Instance) -> int:
    """The row that the others are derived from: the plain total, if the matrix has such a row."""
    diagonal = diagonal_of(instance)
    return diagonal.index(0) if 0 in diagonal else instance.partial_sbox_index


def difference(a: Constant, b: Constant) -> Constant:
    """a - b, for each iteration of a loop if either varies between iterations."""
    if isinstance(a, int) and isinstance(b, int):
        return a - b
    assert not isinstance(a, int) and not isinstance(b, int)
    return [x - y for x, y in zip(a, b, strict=True)]


def rows(program: Program, instance: Instance, elements: Sequence[Value],
         constants: Sequence[Constant]) -> list[Value]:
    """The matrix times the elements, plus constants, with the fewest sums that the slots allow.

    One row, `shared`, is summed in turns of two elements, the newest last, so that it is ready with
    the last element. Another row i is the shared row without its diagonal term, plus its own:

        row_i = row_shared - d_shared * y_shared + d_i * y_i + (c_i - c_shared).
    """
    diagonal, shared = diagonal_of(instance), shared_row_of(instance)
    order = [shared, *(index for index in range(instance.width) if index != shared)]
    terms = [(1 + diagonal[shared] if index == shared else 1, elements[index]) for index in order]
    first = program.small_combination(terms, constants[shared])
    result = {shared: first}
    for index in order[1:]:
        own = [(1, first), (-diagonal[shared], elements[shared]),
               (diagonal[index], elements[index])]
        constant = difference(constants[index], constants[shared])
        result[index] = program.small_combination(own, constant)
    return [result[index] for index in range(instance.width)]
