# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Partial rounds in loops: constants indexed by the round's number, and blocks of rounds."""

from typing import Callable, Sequence

from arith.microcode.program import Constant, Program, Value

Body = Callable[[list[Value], range], list[Value]]


def each(numbers: range, value: Callable[[int], int]) -> Constant:
    """The constant of each round number; a plain constant if there is a single round."""
    values = [value(number) for number in numbers]
    return values[0] if len(values) == 1 else values


def in_blocks(program: Program, carried: list[Value], bodies: Sequence[Body], rounds_each: int,
              first: int, end: int) -> tuple[list[Value], int]:
    """Runs the rounds from `first` up to `end` in a loop, with all `bodies` in each iteration.

    A body computes `rounds_each` rounds from the carried values and the range of the numbers of its
    first round in all iterations. Returns the values and the first of the remaining rounds, which
    do not fill an iteration. """
    block = len(bodies) * rounds_each
    count = (end - first) // block

    def iteration(values: list[Value]) -> list[Value]:
        for place, body in enumerate(bodies):
            start = first + place * rounds_each
            values = body(values, range(start, start + count * block, block))
        return values

    return program.loop(count, carried, iteration), first + count * block
