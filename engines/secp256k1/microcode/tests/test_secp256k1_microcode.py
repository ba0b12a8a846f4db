# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Executes the check's program from its encoded words, and compares its masks with the golden
model."""

import random
from dataclasses import replace
from functools import lru_cache

import pytest

from arith.microcode import isa
from arith.microcode.assemble import assemble
from arith.microcode.checker import check, violations
from arith.microcode.image import Image
from arith.microcode.program import Keep, Lookup, Program, Value
from arith.microcode.rom import package_text
from arith.microcode.simulator import Simulator
from arith.microcode.timing import FIELD_CORE_LOOKUPS, LOOKUP_CLOCKS, Clock
from arith.simulation.bench import in_sweep, is_sweep
from arith.simulation.generated import digest_of, read_digests
from engines.secp256k1.microcode import complete, fixed_table, formulas, quick
from engines.secp256k1.microcode.__main__ import (
    ORIGIN, PACKAGE, README, RTL, counts_of, report_text,
)
from engines.secp256k1.microcode.layout import HEIGHT, MATCH, RESIDUE
from engines.secp256k1.microcode.verdict import ranges_mask, result_mask, verify
from engines.secp256k1.microcode.verify import NAME, image_of_verify
from engines.secp256k1.model import ecdsa
from engines.secp256k1.model.curve import B, BETA, G, LAMBDA, N, P, Affine, Point, add, multiply
from engines.secp256k1.model.division import job_words
from engines.secp256k1.model.split import joint_entry
from engines.secp256k1.model.tests.edge_cases import Case, all_cases, infinities, random_case

TURNS = 1958
QUICK_TURNS = 4157
MOST_CLOCKS_ALONE = 8_500
CASES = all_cases(seed=7)


@lru_cache(maxsize=None)
def simulator() -> Simulator:
    image = image_of_verify()
    check(image)
    return Simulator(image)


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_edge_cases(case: Case) -> None:
    _, signature, key = case
    assert verify(simulator(), signature, key)[0] == ecdsa.verify(signature, key)


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_edge_cases_alone(case: Case) -> None:
    """The quick program gives the same words, and needs the complete formulas equally rarely."""
    _, signature, key = case
    if ranges_mask(signature, key):
        return
    words = job_words(signature.r, signature.s, signature.digest, *key)
    usual, quick = simulator().image.entries[0], simulator().image.quick_entries[0]
    result, used = simulator().run(quick, words)
    assert result_mask(result) == ecdsa.verify(signature, key)
    _, usual_used = simulator().run(usual, words)
    if not result[RESIDUE]:
        assert (used.turns > QUICK_TURNS) == (usual_used.turns > TURNS)


def test_random_signatures_alone() -> None:
    generator, image = random.Random(12), simulator().image
    for _ in range(8):
        _, good, key = random_case(generator)
        for signature in (good, replace(good, digest=good.digest ^ 1)):
            words = job_words(signature.r, signature.s, signature.digest, *key)
            result, used = simulator().run(image.quick_entries[0], words)
            assert result_mask(result) == ecdsa.verify(signature, key)
            assert used.turns == QUICK_TURNS and used.clocks <= MOST_CLOCKS_ALONE


def test_a_point_that_is_doubled_carries_its_u() -> None:
    """V = 6U and W = -U/2 with U = 3b*Z^6 are maintained, and the points are those of the group."""
    generator = random.Random(13)
    first, second = (multiply(generator.randrange(N), G) for _ in range(2))
    assert first and second
    program = Program("running", P)
    x, y, z, v, w, x2, y2, z2 = (program.product(value, 1) for value in program.inputs(8))
    total = quick.double_and_add(program, quick.double(program, quick.Running(x, y, z, v, w)),
                                 formulas.Jacobian(x2, y2, z2))
    emit(program, total.x, total.y, total.z, total.v, total.w)
    height, other_height = (generator.randrange(1, P) for _ in range(2))
    u = 3 * B * pow(height, 6, P)
    result = run(program, [*jacobian(first, height), 6 * u % P, -u * pow(2, -1, P) % P,
                           *jacobian(second, other_height)])
    quadruple = add(add(first, first), add(first, first))
    u = 3 * B * pow(result[2], 6, P)
    assert result[3:] == [6 * u % P, -u * pow(2, -1, P) % P]
    assert result[:3] == jacobian(add(quadruple, second), result[2])


def jacobian(point: Point, z: int) -> list[int]:
    assert point is not None
    return [point[0] * z * z % P, point[1] * z**3 % P, z]


def test_what_is_not_there_yet_is_not_read() -> None:
    """The quick program is rejected with any latency one turn longer. With shorter latencies it is
    accepted, and gives the same words."""
    image = image_of_verify()
    assert image.pace is not None
    _, signature, key = random_case(random.Random(14))
    words = job_words(signature.r, signature.s, signature.digest, *key)
    expected, _ = simulator().run(image.quick_entries[0], words)
    pace = image.pace
    most = pace.most
    names = ["multiply", "sum", *in_sweep(["accumulate", "reduce"])]
    for wrong in (replace(pace, most=replace(most, **{name: getattr(most, name) + pace.clocks}))
                  for name in names):
        image.pace = wrong
        found = violations(image)
        assert {violation.rule for violation in found} == {"latency"}
        assert all(violation.pc >= image.quick_entries[0].pc for violation in found)
    image.pace = replace(pace, most=replace(most, multiply=5, sum=3))
    check(image)
    assert Simulator(image).run(image.quick_entries[0], words)[0] == expected


def test_random_signatures() -> None:
    """Valid signatures, and the same with one wrong bit anywhere; none needs the complete
    formulas."""
    generator = random.Random(8)
    for _ in range(12):
        _, good, key = random_case(generator)
        mask, counts = verify(simulator(), good, key)
        assert mask == 0 and counts is not None and counts.turns == TURNS
        bit = 1 << generator.randrange(256)
        for wrong in (replace(good, r=good.r ^ bit), replace(good, s=good.s ^ bit),
                      replace(good, digest=good.digest ^ bit)):
            assert verify(simulator(), wrong, key)[0] == ecdsa.verify(wrong, key) != 0
        turned = (key[0] ^ bit, key[1])
        assert verify(simulator(), good, turned)[0] == ecdsa.verify(good, turned) == 32


def test_the_budget_is_kept() -> None:
    counts = counts_of(simulator().image)
    usual, longest = counts["a signature"], counts["the same, with complete formulas"]
    alone = counts["a signature alone"]
    assert alone.turns == QUICK_TURNS and alone.clocks <= MOST_CLOCKS_ALONE
    assert (usual.turns, usual.products) == (TURNS, TURNS)
    assert longest.turns < 2.3 * TURNS and counts["the key alone"].turns < 10
    assert usual.sums + simulator().image.entries[0].inputs < usual.turns


def test_the_complete_formulas_run_where_the_others_fail_and_there_alone() -> None:
    again = []
    for name, signature, key in CASES:
        mask, counts = verify(simulator(), signature, key)
        if counts and counts.turns > TURNS and not mask & 32:
            again.append(name)
    assert any(name.startswith("infinity") for name in again)
    assert "u1 = 1 u2, key G" in again and "u1 = -1 u2, key G" in again
    assert not any("random" in name or "flipped" in name or "x = n" in name for name in again)


def test_complete_formulas_agree_on_every_signature() -> None:
    """A job that is forced to continue gives the same words, except for the value of Z."""
    image = image_of_verify()
    forced = Simulator(image)
    halts = [pc for pc, fields in enumerate(forced.instructions) if fields["halt_unless_zero"]]
    quick_pc = image.quick_entries[0].pc
    assert len(halts) == 2 and halts[0] < quick_pc < halts[1]
    forced.instructions[halts[0]] = forced.instructions[halts[0]] | {"control": isa.NEXT}
    entry = image.entry(NAME)
    cases = CASES if is_sweep() else CASES[::3]
    for name, signature, key in [*cases, *infinities(random.Random(9))]:
        if ecdsa.inputs_mask(signature, key):
            continue
        words = job_words(signature.r, signature.s, signature.digest, *key)
        (first, _), (second, _) = (machine.run(entry, words) for machine in (simulator(), forced))
        for index in (RESIDUE, HEIGHT, MATCH):
            if index != MATCH or second[HEIGHT]:
                assert (first[index] == 0) == (second[index] == 0), name


def run(program: Program, words: list[int]) -> list[int]:
    image = Image(P, 4, folds=True, lookups=True)
    entry = assemble(program, image)
    check(image)
    return Simulator(image).run(entry, words)[0]


def emit(program: Program, *values: Value) -> None:
    for index, value in enumerate(values):
        program.linear([(1, value)], output=index)


def homogeneous(point: Point, z: int) -> list[int]:
    return [0, z, 0] if point is None else [point[0] * z % P, point[1] * z % P, z]


def test_complete_addition_has_no_exceptions() -> None:
    """Every pair of points that are equal, opposite, at infinity or none of these."""
    generator = random.Random(10)
    for start in (1, LAMBDA, generator.randrange(N)):
        second = multiply(start, G)
        assert second is not None
        for factor in (0, 1, -1, 2, LAMBDA, -LAMBDA, generator.randrange(N)):
            first = multiply(factor * start % N, G)
            program = Program("complete", P)
            x, y, z, x2, y2 = program.inputs(5)
            program.linear([], 3 * B, keep=Keep(table=1))
            three_b = Lookup(isa.LOOKUP_WORD, 1)
            point = formulas.Jacobian(x, y, z)
            total = complete.add_affine(program, point, formulas.Plane(x2, y2), three_b)
            double = complete.double(program, total, three_b)
            emit(program, total.x, total.y, total.z, double.x, double.y, double.z)
            words = homogeneous(first, generator.randrange(1, P))
            result = run(program, [*words, *second])
            expected = add(first, second)
            for part, wanted in ((result[:3], expected), (result[3:], add(expected, expected))):
                assert affine(part) == wanted and any(part)


def affine(coordinates: list[int]) -> Point:
    x, y, z = coordinates
    if z == 0:
        return None
    inverse = pow(z, -1, P)
    return x * inverse % P, y * inverse % P


def test_fixed_table() -> None:
    generator = random.Random(11)
    points = fixed_table.points()
    assert len(set(points)) == 512
    for row in generator.sample(range(512), 20):
        a, b = joint_entry(row)
        assert points[row] == multiply((a + b * LAMBDA) % N, G)
        assert fixed_table.words()[2 * row:2 * row + 2] == list(points[row])
    turned: Affine = (BETA * G[0] % P, G[1])
    assert points[31] == add(G, multiply(31, turned))


def test_the_program_needs_the_clocks_that_the_core_gives_it() -> None:
    image = simulator().image
    core = FIELD_CORE_LOOKUPS
    for timing in (replace(core, turn=core.turn - Clock(LOOKUP_CLOCKS + 1)),
                   replace(core, sum_write=core.sum_write + Clock(LOOKUP_CLOCKS + 1)),
                   replace(core, product_ready=core.product_ready + Clock(1)),
                   replace(core, table_read=core.table_read - core.turn * 4)):
        assert {violation.rule for violation in violations(image, timing)} == {"latency"}


def test_generated_files_are_current() -> None:
    image = simulator().image
    text = package_text(PACKAGE, image, ORIGIN)
    assert read_digests(RTL) == {f"{PACKAGE}.sv": digest_of(text.encode())}
    assert report_text(image) in README.read_text(encoding="utf-8")
