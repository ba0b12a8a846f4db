# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The partial rounds of StarkWare's Poseidon with widths 3, 4 and 5 on field_core.

With u_i the elements that skip the S-box, d_i their diagonal entries, y_n = x_n^3 and the total T_n
= y_n + sum u_i, a round is u_i' = T_n + d_i*u_i and x_{n+1} = T_n + d*y_n + c_n. Elements with
opposite entries +d and -d combine to

    V_{n+1} = T_n + d*d*V_{n-1},      u_+ + u_- = 2*V_n,      u_+ - u_- = 2*d*V_{n-1},

and the element with the entry 0 is T_{n-1}. Each phase begins with the S-boxes of the last full
round before the partial rounds and ends with the inputs of the S-boxes of the next full round.
"""

from typing import Sequence

from arith.microcode.program import Constant, Program, Value
from engines.poseidon.microcode.optimize import Schedule
from engines.poseidon.microcode.partial_loop import each, in_blocks
from engines.poseidon.microcode.sbox import cube


def width_3(program: Program, rounds: Schedule, state: list[Value]) -> list[Value]:
    """Two turns per round: diagonal (2, -2), and -3 at the S-box.

    With g_n = V_n:

        g_{n+1} = 2g_n + 4g_{n-1} + y_n,        x_{n+1} = 2g_n - 2y_n + c.

    At the end p_n = g_n + 2g_{n-1}, q_n = g_n - 2g_{n-1}; at the start 2g_0 = p_0 + q_0 replaces
    g_0, which would need a division.
    """
    constants = [step.constant for step in rounds.partial]
    into_p, into_q, into_x = rounds.first[-1].constants
    yp, yq, yx = (cube(program, x) for x in state)
    both = program.linear([(1, yp), (1, yq)])
    x = program.linear([(1, both), (-2, yx)], into_x)
    twice_g0 = program.linear([(4, yp), (2, yx)], into_p + into_q)

    y = cube(program, x)
    x = program.linear([(1, twice_g0), (-2, y)], constants[0])
    # 2p_0 = (p_0 + q_0) + (p_0 - q_0), and p_0 - q_0 = 2(yp + yq) plus constants.
    g1 = program.linear([(1, twice_g0), (2, both), (1, y)], into_p - into_q)
    y = cube(program, x)
    x = program.linear([(2, g1), (-2, y)], constants[1])
    g2 = program.linear([(2, g1), (2, twice_g0), (1, y)])
    y = cube(program, x)
    x = program.linear([(2, g2), (-2, y)], constants[2])

    def one_round(carried: list[Value], constant: Constant) -> list[Value]:
        """Maps (x_n, g_{n-1}, g_{n-2}, y_{n-1}) to the same values for n + 1."""
        x, new, old, y = carried
        newest = program.linear([(2, new), (4, old), (1, y)])
        y = cube(program, x)
        return [program.linear([(2, newest), (-2, y)], constant), newest, new, y]

    # Two rounds per iteration, so that each g uses the register of the one before the last.
    looped = constants[3:-2]
    carried = program.loop(
        len(looped) // 2, [x, g2, g1, y],
        lambda values: one_round(one_round(values, looped[0::2]), looped[1::2]),
    )
    x, new, old, y = one_round(carried, constants[-2])
    newest = program.linear([(2, new), (4, old), (1, y)])
    y = cube(program, x)
    x = program.linear([(2, newest), (-2, y)], constants[-1])
    p = program.linear([(4, newest), (4, new), (1, y)])
    q = program.linear([(4, new), (1, y)])
    return [p, q, x]


def width_4(program: Program, rounds: Schedule, state: list[Value]) -> list[Value]:
    """Two turns per round: diagonal (1, 0, -1), and -2 at the S-box.

    With h_n = V_{n+1}, so that T_n = h_n - h_{n-2} = x_{n+1} + 2y_n - c_n:

        x_{n+1} = -y_n + 3h_{n-1} - h_{n-3} + c_n,        h_n = x_{n+1} + 2y_n + h_{n-2} - c_n.
    """
    constants = [step.constant for step in rounds.partial]
    half = pow(2, -1, rounds.modulus)
    into_0, into_1, into_2, into_x = rounds.first[-1].constants
    y0, y1, y2, yx = (cube(program, x) for x in state)
    others = program.linear([(1, y0), (1, y1), (1, y2)])
    apart = program.linear([(1, y0), (-1, y2)])
    together = program.linear([(1, y0), (1, y2)])
    x = program.linear([(1, others), (-1, yx)], into_x)
    half_apart = program.product(apart, half)
    h3 = program.linear([(1, half_apart)], half * (into_0 + into_2) - into_1)
    total = program.linear([(1, others), (1, yx)])
    h1 = program.linear([(1, half_apart), (1, total)], half * (into_0 + into_2))
    h2 = program.linear([(1, program.product(together, half))], half * (into_0 - into_2))
    y = cube(program, x)
    x = program.linear([(-1, y), (3, h1), (-1, h3)], constants[0])

    def one_round(carried: list[Value], n: range) -> list[Value]:
        """Maps (x_n, y_{n-1}, h_{n-2}, h_{n-3}) to the same values for n + 1, for each n of a
        loop."""
        x, y, new, old = carried
        newest = program.linear([(1, x), (2, y), (1, old)], each(n, lambda i: -constants[i - 1]))
        y = cube(program, x)
        x = program.linear([(-1, y), (3, newest), (-1, old)], each(n, lambda i: constants[i]))
        return [x, y, newest, new]

    count = len(constants)
    carried, next_round = in_blocks(program, [x, y, h1, h2], [one_round] * 3, 1, 1, count)
    for number in range(next_round, count):
        carried = one_round(carried, range(number, number + 1))
    x, y, new, old = carried
    newest = program.linear([(1, x), (2, y), (1, old)], -constants[-1])
    return [program.linear([(1, newest), (1, new)]), program.linear([(1, newest), (-1, old)]),
            program.linear([(1, newest), (-1, new)]), x]


def width_5(program: Program, rounds: Schedule, state: list[Value]) -> list[Value]:
    """25 turns for eight rounds: diagonal (2, 1, 0, -2), and -3 at the S-box.

    With g_n = V_{n+1}, so that T_n = g_n - 4g_{n-2} = x_{n+1} + 3y_n - c_n, and a the element with
    the entry 1 minus g_{n-1} + 4g_{n-2}, all values known in a round before its S-box add to
    4g_{n-1} + z_n:

        a_n = a_{n-1} - 3g_{n-2},                       z_n = a_n + 4g_{n-2} - 4g_{n-3},
        x_{n+1} = -2y_n + 4g_{n-1} + z_n + c_n,         g_n = x_{n+1} + 3y_n + 4g_{n-2} - c_n.

    a is needed only in even rounds, since z_{n+1} = a_n + g_{n-1} - 4g_{n-2}. That is seven sums
    and four products for two rounds; computing three of eight z as products makes it 25 sums and 25
    products for eight rounds.
    """
    constants = [step.constant for step in rounds.partial]
    count, half = len(constants), pow(2, -1, rounds.modulus)
    into_0, into_1, into_2, into_3, into_x = rounds.first[-1].constants
    q2, q0, q1, q3, qx = (cube(program, state[index]) for index in (2, 0, 1, 3, 4))
    into_pair, out_of_pair = half * (into_0 + into_3), into_0 - into_3
    others = program.small_combination([(1, q0), (1, q1), (1, q2), (1, q3)])
    a = program.linear([(1, q1), (-3, q0), (-1, q3)], into_1 - into_pair - out_of_pair)
    # 4g_{-2} = 2(q0 + q3) + out_of_pair and 4g_{-3} = q0 - q3 + into_pair - into_2.
    pair = program.linear([(1, q0), (1, q3)])
    z = program.linear([(1, q1), (-2, q0), (2, q3)], into_1 + into_2 - 2 * into_pair)
    x = program.linear([(1, others), (-2, qx)], into_x)
    total = program.linear([(1, others), (1, qx)])
    g1 = program.linear([(1, total), (1, q0), (-1, q3)], into_pair)
    y = cube(program, x)
    x = program.linear([(-2, y), (4, g1), (1, z)], constants[0])
    z = program.linear([(1, a), (1, g1), (-2, pair)], -out_of_pair)
    g0 = program.linear([(1, x), (3, y), (2, pair)], out_of_pair - constants[0])
    y = cube(program, x)
    x = program.linear([(-2, y), (4, g0), (1, z)], constants[1])

    def two_rounds(carried: list[Value], n: range, by_products: Sequence[int] = ()
                   ) -> list[Value]:
        """Maps (x_n, y_{n-1}, g_{n-2}, g_{n-3}, a_n, z_n) to the same values for n + 2, for even n.

        `by_products`: the z computed by products, 1 for z_{n+1} and 2 for z_{n+2}. The last rounds
        need no further z. """
        x, y, g2, g3, a, z = carried

        def known(terms: list[tuple[int, Value]], ahead: int) -> Value:
            return (program.products([(value, factor) for factor, value in terms])
                    if ahead in by_products else program.linear(terms))

        g1 = program.linear([(1, x), (3, y), (4, g3)], each(n, lambda i: -constants[i - 1]))
        y = cube(program, x)
        x = program.linear([(-2, y), (4, g1), (1, z)], each(n, lambda i: constants[i]))
        g0 = program.linear([(1, x), (3, y), (4, g2)], each(n, lambda i: -constants[i]))
        z = known([(1, a), (1, g1), (-4, g2)], 1)
        y = cube(program, x)
        x = program.linear([(-2, y), (4, g0), (1, z)], each(n, lambda i: constants[i + 1]))
        a = program.linear([(1, a), (-3, g1), (-3, g0)])
        carried = [x, y, g0, g1, a]
        if n.start + 2 < count:
            carried.append(known([(1, a), (4, g0), (-4, g1)], 2))
        return carried

    def second_by_products(carried: list[Value], n: range) -> list[Value]:
        return two_rounds(carried, n, by_products=(2,))

    def first_by_products(carried: list[Value], n: range) -> list[Value]:
        return two_rounds(carried, n, by_products=(1,))

    a = program.linear([(1, a), (-3, g1), (-3, g0)])
    z = program.linear([(1, a), (4, g0), (-4, g1)])
    bodies = [second_by_products, two_rounds, first_by_products, first_by_products]
    carried, next_round = in_blocks(program, [x, y, g0, g1, a, z], bodies, 2, 2, count)
    for number in range(next_round, count, 2):
        carried = two_rounds(carried, range(number, number + 1))
    x, y, g2, g3, a = carried
    g1 = program.linear([(1, x), (3, y), (4, g3)], -constants[-1])
    u2 = program.linear([(1, g1), (-4, g3)])
    u0 = program.linear([(1, g1), (2, g2)])
    u3 = program.linear([(1, g1), (-2, g2)])
    return [u0, program.linear([(1, a), (1, g1), (4, g2)]), u2, u3, x]
