# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The partial rounds of StarkWare's Poseidon with width 9 on field_core: 19 turns for four rounds.

Diagonal (4, 3, 2, 1, 0, -1, -2, -4), and -5 at the S-box. In the terms of `stark_narrow`, with V1,
V2, V4 for the pairs, a round adds B_n + 3X_n to y:

    B_n = T_{n-1} + (the element with 3)        = 2T_{n-1} + 3B_{n-1} - 3T_{n-2}
    X_n = 2/3 (V1 + V2 + V4)                    = 2T_{n-1} + X_{n-2} + 3Y_{n-2}
    Y_n = 2/3 (V2 + 5 V4)                       = 4T_{n-1} + 4Y_{n-2} + Z_{n-2}
    Z_n = 40 V4                                 = 40T_{n-1} + 16Z_{n-2}
    x_{n+1} = -4y_n + B_n + 3X_n + c_n,         T_n = y_n + B_n + 3X_n

The scales keep the coefficients of all sums within 4, except those of Z, which is two products. So
a round has five sums and four products; computing one of four Y as products makes it 19 sums and 19
products for four rounds.
"""

from arith.microcode.program import Program, Value
from engines.poseidon.microcode.optimize import Schedule
from engines.poseidon.microcode.partial_loop import each, in_blocks
from engines.poseidon.microcode.sbox import cube

PAIRS = {4: (0, 7), 2: (2, 6), 1: (3, 5)}
"""Maps a diagonal entry d > 0 to the indices of d and -d."""


def _enter(program: Program, rounds: Schedule, state: list[Value]) -> list[Value]:
    """The S-boxes of the last full round; returns (x_0, B_0, T_{-1}, X_0, X_{-1}, Y, Y, Z, Z).

    With q the S-boxes' outputs and k the constants, u_i = sum(q) + d_i*q_i + k_i.
    """
    p, k = rounds.modulus, rounds.first[-1].constants
    third, half = pow(3, -1, p), pow(2, -1, p)
    order = (4, 0, 7, 2, 6, 3, 5, 1, 8)
    q = dict(zip(order, (cube(program, state[index]) for index in order)))
    apart = {d: program.linear([(1, q[i]), (-1, q[j])]) for d, (i, j) in PAIRS.items()}
    together = {d: program.linear([(1, q[i]), (1, q[j])]) for d, (i, j) in PAIRS.items()}
    others = program.small_combination([(1, q[index]) for index in order[:-1]])
    x = program.linear([(1, others), (-4, q[8])], k[8])
    total = program.linear([(1, others), (1, q[8])])
    b = program.linear([(2, total), (3, q[1])], k[4] + k[1])
    # V_{d,0} = total + d/2*apart + even, V_{d,-1} = 1/2*together + odd.
    even = {d: half * (k[i] + k[j]) for d, (i, j) in PAIRS.items()}
    odd = {d: half * pow(d, -1, p) * (k[i] - k[j]) for d, (i, j) in PAIRS.items()}

    x0 = program.products([(apart[1], third), (apart[2], 2 * third), (apart[4], 4 * third)])
    x0 = program.linear([(1, x0), (2, total)], 2 * third * (even[1] + even[2] + even[4]))
    last_total = program.linear([(1, total)], k[4])
    everyone = program.linear([(1, together[1]), (1, together[2]), (1, together[4])])
    x1 = program.linear([(1, program.product(everyone, third))],
                        2 * third * (odd[1] + odd[2] + odd[4]))
    y1 = program.products([(together[2], third), (together[4], 5 * third)])
    y1 = program.linear([(1, y1)], 2 * third * (odd[2] + 5 * odd[4]))
    z1 = program.linear([(1, program.product(together[4], 20))], 40 * odd[4])
    y0 = program.products([(apart[2], 2 * third), (apart[4], 20 * third)])
    y0 = program.linear([(1, y0), (4, total)], 2 * third * (even[2] + 5 * even[4]))
    z0 = program.products([(apart[4], 80), (total, 40)])
    z0 = program.linear([(1, z0)], 40 * even[4])
    return [x, b, last_total, x0, x1, y0, y1, z0, z1]


def _leave(program: Program, modulus: int, carried: list[Value]) -> list[Value]:
    """Converts the carried values of `width_9` after its last round to the state."""
    half, eighth, tenth = (pow(d, -1, modulus) for d in (2, 8, 10))
    x, y, b, old_total, x0, x1, y0, y1, z0, z1 = carried
    total = program.linear([(1, y), (1, b), (3, x0)])
    state: dict[int, Value] = {8: x, 4: total}
    state[1] = program.linear([(3, b), (-3, old_total), (1, total)])
    # V1, V2, V4 by X, Y and Z.
    weights = {1: (3 * half, -3 * half, tenth), 2: (0, 3 * half, -eighth),
               4: (0, 0, pow(40, -1, modulus))}
    for d, (plus, minus) in PAIRS.items():
        def of(values: tuple[Value, ...], scale: int, d: int = d) -> Value:
            factors = [(value, scale * w) for value, w in zip(values, weights[d]) if w]
            return program.products(factors)

        ahead, apart = of((x1, y1, z1), d * d), of((x0, y0, z0), d)
        state[plus] = program.linear([(1, total), (1, ahead), (1, apart)])
        state[minus] = program.linear([(1, total), (1, ahead), (-1, apart)])
    return [state[index] for index in range(9)]


def width_9(program: Program, rounds: Schedule, state: list[Value]) -> list[Value]:
    """The whole phase, from the S-boxes of the full round before it."""
    constants = [step.constant for step in rounds.partial]

    def sbox(x: Value, b: Value, x0: Value, n: range) -> tuple[Value, Value]:
        y = cube(program, x)
        known = [(-4, y), (1, b), (3, x0)]
        return program.linear(known, each(n, lambda i: constants[i])), y

    def one_round(carried: list[Value], n: range, y_by_products: bool = False) -> list[Value]:
        """Maps (x_n, y, B, T, X, X, Y, Y, Z, Z), duplicates newest first, to the same for n + 1."""
        x, y, b, old_total, x1, x2, y1, y2, z1, z2 = carried
        total = program.linear([(1, y), (1, b), (3, x1)])
        x0 = program.linear([(2, total), (1, x2), (3, y2)])
        b0 = program.linear([(2, total), (3, b), (-3, old_total)])
        x, y = sbox(x, b0, x0, n)
        z0 = program.products([(z2, 16), (total, 40)])
        if y_by_products:
            y0 = program.products([(y2, 4), (z2, 1), (total, 4)])
        else:
            y0 = program.linear([(4, total), (4, y2), (1, z2)])
        return [x, y, b0, total, x0, x1, y0, y1, z0, z1]

    def by_products(carried: list[Value], n: range) -> list[Value]:
        return one_round(carried, n, y_by_products=True)

    x, b, total, x0, x1, y0, y1, z0, z1 = _enter(program, rounds, state)
    x, y = sbox(x, b, x0, range(1))
    carried = [x, y, b, total, x0, x1, y0, y1, z0, z1]
    # Three rounds until both Z are in the bank of products.
    for number in range(1, 4):
        carried = one_round(carried, range(number, number + 1))
    bodies = [by_products, one_round, one_round, one_round]
    carried, next_round = in_blocks(program, carried, bodies, 1, 4, len(constants))
    for number in range(next_round, len(constants)):
        carried = one_round(carried, range(number, number + 1))
    return _leave(program, rounds.modulus, carried)
