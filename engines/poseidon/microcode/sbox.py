# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The S-boxes x^3 and x^5 as chains of products."""

from arith.microcode.program import Program, Value


def cube(program: Program, x: Value) -> Value:
    return program.product(program.product(x, x), x)


def fifth_power(program: Program, x: Value) -> Value:
    square = program.product(x, x)
    return program.product(program.product(square, square), x)


def power(program: Program, x: Value, alpha: int) -> Value:
    """x^alpha for an alpha of the Poseidon instances."""
    return {3: cube, 5: fifth_power}[alpha](program, x)
