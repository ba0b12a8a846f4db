# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Executes the programs of the coprocessor's instructions from their encoded words, and compares
them with the golden model."""

import random
from collections.abc import Sequence
from functools import lru_cache

import pytest

from arith.microcode.checker import check
from arith.microcode.image import Image
from arith.microcode.simulator import Simulator
from arith.simulation.bench import random_source
from engines.bls12_381.coprocessor.isa import load
from engines.bls12_381.microcode.compressed import COMPRESSED_RUNS, DENOMINATOR_WORDS
from engines.bls12_381.microcode.control import STEP_BITS
from engines.bls12_381.microcode.coprocessor import (
    DEGREES, FROM_FORM, NORM_WORDS, POWERS, SLOT_ORDER, TO_FORM, coprocessor_image,
)
from engines.bls12_381.microcode.instructions import steps_of_instructions
from engines.bls12_381.microcode.points import WINDOW_BITS
from engines.bls12_381.model import pairing as model
from engines.bls12_381.model.tower import (
    P, Fp2, Fp12, ZERO2, add2, conjugate12, frobenius12, inverse2, inverse12, mul2, mul12, power12,
    scale2, sub2, X,
)

EDGES = (0, 1, 2, P - 1, P - 2)


@lru_cache(maxsize=None)
def image() -> Image:
    return coprocessor_image()


def run(name: str, words: Sequence[int]) -> list[int]:
    return Simulator(image()).run(image().entry(name), list(words))[0]


def run_forms(name: str, numbers: Sequence[int]) -> list[int]:
    """Runs a program from forms to forms on numbers."""
    return numbers_of(run(name, [number * TO_FORM % P for number in numbers]))


def numbers_of(forms: Sequence[int]) -> list[int]:
    return [form * FROM_FORM % P for form in forms]


def number(rng: random.Random) -> int:
    return rng.choice(EDGES) if rng.random() < 0.2 else rng.randrange(P)


def element(words: Sequence[int]) -> Fp12:
    """Returns the element with these words of a slot's kind; elements of smaller fields are padded
    with 0."""
    full = [*words, *[0] * (12 - len(words))]
    of = {power: (full[2 * k], full[2 * k + 1]) for k, power in enumerate(SLOT_ORDER)}
    return of[0], of[1], of[2], of[3], of[4], of[5]


def slots(value: Fp12, degree: int = 12) -> list[int]:
    return [part for power in SLOT_ORDER for part in value[power]][:degree]


@pytest.mark.parametrize("degree", DEGREES)
def test_fields(degree: int) -> None:
    rng = random_source(f"fields {degree}")
    for _ in range(3):
        a, b = ([number(rng) for _ in range(degree)] for _ in range(2))
        product = slots(mul12(element(a), element(b)), degree)
        assert run(f"mul_{degree}", [*a, *b]) == product
        assert run_forms(f"product_{degree}", [*a, *b]) == product
        assert run(f"add_{degree}", [*a, *b]) == [(x + y) % P for x, y in zip(a, b)]
        assert run(f"sub_{degree}", [*a, *b]) == [(x - y) % P for x, y in zip(a, b)]
        assert run(f"neg_{degree}", a) == [-x % P for x in a]
        forms = [x * TO_FORM % P for x in a]
        assert run(f"form_{degree}", a) == forms and run(f"number_{degree}", forms) == a
        if degree > 1:
            expected = slots(frobenius12(element(a)), degree)
            assert run(f"frobenius_{degree}", a) == expected
    a = [number(rng) for _ in range(degree - 1)] + [rng.randrange(1, P)]
    b = [number(rng) for _ in range(degree)]
    if degree > 1:
        norm, *rest = run_forms(f"norm_{degree}", a)
        assert len(rest) == NORM_WORDS - 1
        inverse = run_forms(f"over_{degree}", [*a, pow(norm, -1, P), *rest])
        assert inverse == slots(inverse12(element(a)), degree)
        assert run_forms(f"norm_{degree}", [0] * degree)[0] == 0
    power = power12(element(a), 1 << WINDOW_BITS)
    window = run_forms(f"power_window_{degree}", [*a, *b])
    assert window == slots(mul12(power, element(b)), degree)
    if degree <= 2:
        powers, last = [], element(b)
        for _ in range(POWERS):
            last = mul12(last, element(a))
            powers += slots(last, degree)
        assert run_forms(f"powers_{degree}", [*a, *b]) == powers


def test_powers() -> None:
    rng = random_source("power")
    value = model.easy_part(element([rng.randrange(1, P), *[number(rng) for _ in range(11)]]))
    words = slots(value)
    assert run_forms("power_x", words) == slots(conjugate12(power12(value, -X)))
    assert run_forms("frobenius_square_12", words) == slots(frobenius12(value, 2))
    other = power12(value, rng.getrandbits(64))
    assert run_forms("times_conjugate", [*words, *slots(other)]) == slots(
        mul12(value, conjugate12(other)))
    assert run_forms("cube", words) == slots(power12(value, 3))


def compressed_words(value: Fp12) -> list[int]:
    return [part for power in (2, 4, 1, 5) for part in value[power]]


def test_compressed_squares() -> None:
    """The jobs of a power by the parameter, one by one, and the element 1, which does not expand."""
    rng = random_source("compressed")
    value = model.easy_part(element([rng.randrange(1, P), *[number(rng) for _ in range(11)]]))
    powers, exponent, last = [], 0, compressed_words(value)
    for count in COMPRESSED_RUNS:
        exponent += count
        powers.append(power12(value, 1 << exponent))
        last = run_forms(f"squares_{count}", last)
        assert last == compressed_words(powers[-1])
    elements = [compressed_words(power) for power in powers]
    norm, *rest = run_forms("denominators", [word for power in powers for word in power[1]])
    assert norm and len(rest) == DENOMINATOR_WORDS - 1
    compressed = [word for words in elements for word in words]
    parts = run_forms("expand", [pow(norm, -1, P), *rest, *compressed])
    assert parts == [part for power in powers for k in (0, 3) for part in power[k]]
    assert run_forms("combine", [*parts, *compressed]) == slots(conjugate12(power12(value, -X)))
    for missing in range(3):
        coefficients = [word for power in powers for word in power[1]]
        coefficients[2 * missing:2 * missing + 2] = [0, 0]
        assert run_forms("denominators", coefficients)[0] == 0
    assert run_forms("denominators", [0] * 6) == [0] * DENOMINATOR_WORDS


# ---- Points ---------------------------------------------------------------------------------------
def flat(parts: Sequence[Fp2], degree: int) -> list[int]:
    return [word for part in parts for word in part[:degree]]


def parts_of(words: Sequence[int], degree: int) -> list[Fp2]:
    if degree == 1:
        return [(word, 0) for word in words]
    return [(words[k], words[k + 1]) for k in range(0, len(words), 2)]


def random_z(rng: random.Random, degree: int) -> Fp2:
    return rng.randrange(1, P), rng.randrange(P) if degree == 2 else 0


def jacobian(point: tuple[Fp2, Fp2], z: Fp2) -> list[Fp2]:
    square = mul2(z, z)
    return [mul2(point[0], square), mul2(point[1], mul2(square, z)), z]


def of_degree(degree: int, scalar: int) -> tuple[Fp2, Fp2]:
    point = model.multiply(model.G1 if degree == 1 else model.G2, scalar)
    assert point is not None
    return point


@pytest.mark.parametrize("degree", [1, 2])
def test_points(degree: int) -> None:
    rng = random_source(f"points {degree}")
    p, q = of_degree(degree, 5), of_degree(degree, 12)
    a, b = jacobian(p, random_z(rng, degree)), jacobian(q, random_z(rng, degree))
    words = flat(a, degree)
    found = run(f"curve_{degree}", words)
    assert found[:degree] == [0] * degree
    assert found[degree:] == [word * TO_FORM % P for word in words]
    for k in range(3 * degree):
        off = list(words)
        off[k] = (off[k] + 1) % P
        assert any(run(f"curve_{degree}", off)[:degree])

    def affine(numbers: Sequence[int]) -> tuple[Fp2, Fp2]:
        x, y, z = parts_of(numbers, degree)
        over = inverse2(z)
        square = mul2(over, over)
        return mul2(x, square), mul2(y, mul2(square, over))

    forms = [word * TO_FORM % P for word in (*flat(a, degree), *flat(b, degree))]
    total = run(f"point_add_{degree}", forms)
    assert affine(total[:3 * degree]) == model.add_points(p, q)
    # Z = H Z1 Z2
    h = parts_of(numbers_of(total[3 * degree:4 * degree]), degree)[0]
    assert parts_of(total[2 * degree:3 * degree], degree)[0] == mul2(h, mul2(a[2], b[2]))
    same = [word * TO_FORM % P for word in (*words, *flat(jacobian(p, random_z(rng, degree)),
                                                          degree))]
    assert run(f"point_add_{degree}", same)[3 * degree:] == [0] * 2 * degree
    doubled = run(f"point_double_{degree}", forms[:3 * degree])
    assert affine(doubled) == model.add_points(p, p)
    assert parts_of(doubled, degree)[2] == scale2(mul2(a[1], a[2]), 2)
    over = flat([inverse2(a[2])], degree)
    assert run(f"affine_{degree}", [*forms[:2 * degree], *(w * TO_FORM % P for w in over)]) == flat(
        p, degree)


def miller_of_manual(p: tuple[Fp2, Fp2], q: tuple[Fp2, Fp2]) -> Fp12:
    """The formulas of the manual, step by step."""
    (x, y), (qx, qy) = p, q
    f: Fp12 = element([1])
    t_x, t_y, t_z = qx, qy, (1, 0)

    def line(c_0: Fp2, c_1: Fp2, c_2: Fp2) -> Fp12:
        return (c_0, ZERO2, scale2(c_1, x[0]), scale2(c_2, -y[0]), ZERO2, ZERO2)

    for bit in f"{-X:b}"[1:]:
        b = mul2(t_y, t_y)
        e = scale2(mul2((1, 1), mul2(t_z, t_z)), 12)
        h, three_e = scale2(mul2(t_y, t_z), 2), scale2(e, 3)
        tangent = line(sub2(e, b), scale2(mul2(t_x, t_x), 3), h)
        plus = add2(b, three_e)
        t_x, t_y, t_z = (mul2(scale2(mul2(t_x, t_y), 2), sub2(b, three_e)),
                         sub2(mul2(plus, plus), scale2(mul2(e, e), 12)), mul2(scale2(b, 4), h))
        f = mul12(mul12(f, f), tangent)
        if bit == "1":
            theta, lam = sub2(t_y, mul2(qy, t_z)), sub2(t_x, mul2(qx, t_z))
            chord = line(sub2(mul2(lam, qy), mul2(theta, qx)), theta, lam)
            square = mul2(lam, lam)
            e, g = mul2(lam, square), mul2(t_x, square)
            h = sub2(add2(e, mul2(t_z, mul2(theta, theta))), scale2(g, 2))
            t_x, t_y, t_z = (mul2(lam, h), sub2(mul2(theta, sub2(g, h)), mul2(e, t_y)),
                             mul2(t_z, e))
            f = mul12(f, chord)
    return conjugate12(f)


def test_miller_loop() -> None:
    """Compares with the manual bit for bit, even for points off their curves."""
    rng = random_source("miller")
    p, q = of_degree(1, 12345), of_degree(2, 67891)
    strange = ((number(rng), 0), (number(rng), 0)), (random_z(rng, 2), random_z(rng, 2))
    for first, second in ((p, q), strange):
        words = [first[0][0], first[1][0], *second[0], *second[1]]
        assert numbers_of(run("miller", words)) == slots(miller_of_manual(first, second))


def test_image() -> None:
    """Checks the latencies, and that a program's address space has room left."""
    counts = check(image())
    assert counts["miller"].turns <= 9_300 and counts["miller"].clocks <= 14_000
    parts = [f"squares_{count}" for count in COMPRESSED_RUNS] + ["denominators", "expand", "combine"]
    assert sum(counts[part].turns for part in parts) <= 1_900
    assert sum(counts[part].clocks for part in parts) <= 5_400
    assert len(image().words) <= 1 << image().address_bits
    assert all(entry.inputs <= 64 and entry.outputs <= 16 for entry in image().entries)


def test_steps() -> None:
    """Every instruction except NOOP_WAIT has steps for each kind that it accepts."""
    steps, starts = steps_of_instructions({e.name: k for k, e in enumerate(image().entries)})
    assert len(steps.words) <= 1024 and all(word < 1 << STEP_BITS for word in steps.encoded())
    isa = load()
    for instruction in isa.instructions.values():
        for kind in isa.kinds.values():
            place = instruction.code, kind.code
            assert (place in starts) == (instruction.name != "NOOP_WAIT")
    neg, curve = isa.instructions["NEG_ELEMENT"].code, isa.instructions["CHECK_CURVE"].code
    point, field = isa.kinds["FP_AF"].code, isa.kinds["FE"].code
    assert starts[neg, point] != starts[neg, field]
    assert starts[curve, point] == steps.labels["CHECK_CURVE"]
