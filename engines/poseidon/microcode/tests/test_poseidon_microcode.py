# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compares the Poseidon programs, executed from their encoded words, with the golden model."""

import json
import random
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest

from arith.microcode.assemble import assemble
from arith.microcode.checker import check, violations
from arith.microcode.image import Counts, Image
from arith.microcode.program import Program
from arith.microcode.rom import package_text
from arith.microcode.simulator import Simulator
from arith.microcode.timing import FIELD_CORE, Clock
from arith.simulation.bench import is_sweep
from arith.simulation.generated import digest_of, read_digests
from engines.poseidon.microcode import hankel
from engines.poseidon.microcode.__main__ import ORIGIN, RTL
from engines.poseidon.microcode.images import (
    PACKAGES, Programs, image_of, image_of_set, instance_code, instances_of, is_paced,
    package_name,
)
from engines.poseidon.microcode.matrix import identity, inverse, times, times_vector
from engines.poseidon.microcode.optimize import absorb_constants, evaluate, sparse_basis
from engines.poseidon.microcode.rescale import rescale
from engines.poseidon.model.parameters import FELT, FR, Instance, all_instances, filecoin, stark
from engines.poseidon.model.permutation import permute

VECTORS = json.loads(
    (Path(__file__).resolve().parents[2] / "vectors/poseidon.json").read_text(encoding="utf-8")
)
INSTANCES = [pytest.param(instance, id=instance.name) for instance in all_instances()]
FILECOIN = [pytest.param(instance, id=instance.name) for instance in all_instances()
            if instance.modulus == FR]
WIDTH_3 = [pytest.param(instance, id=instance.name)
           for instance in (filecoin(3), filecoin(3, strengthened=True), stark(3))]
SETS = [pytest.param(modulus, programs, id=package_name(modulus, programs))
        for modulus, programs in PACKAGES.values()]


@lru_cache(maxsize=None)
def simulator_of(modulus: int, programs: Programs) -> Simulator:
    image = image_of_set(modulus, programs)
    check(image)
    return Simulator(image)


@lru_cache(maxsize=None)
def counts_of(instance: Instance, plain_rounds: bool = False) -> tuple[Image, Counts]:
    """An image with only this instance, and the resources of its program."""
    image = image_of([instance], plain_rounds)
    (counts,) = check(image).values()
    return image, counts


def simulate(instance: Instance, state: list[int], programs: Programs = Programs.OPTIMIZED
             ) -> list[int]:
    simulator = simulator_of(instance.modulus, programs)
    number = instances_of(instance.modulus, programs).index(instance)
    return simulator.run(simulator.image.entries[number], state)[0]


def random_states(instance: Instance, count: int, seed: int) -> list[list[int]]:
    generator = random.Random(seed)
    return [[generator.randrange(instance.modulus) for _ in range(instance.width)]
            for _ in range(count)]


def edge_states(instance: Instance) -> list[list[int]]:
    """Every state of 0, 1 and p-1 for width 3; a rotating mixture for the others."""
    values, width = [0, 1, instance.modulus - 1], instance.width
    count = 27 if width == 3 else 9
    return [[values[(i // 3**(j % 3) + j // 3) % 3] for j in range(width)] for i in range(count)]


@pytest.mark.parametrize("instance", INSTANCES)
def test_derivation_keeps_the_permutation(instance: Instance) -> None:
    plain = absorb_constants(instance)
    for state in random_states(instance, 2, seed=1):
        expected = permute(instance, state)
        assert evaluate(plain, state) == expected
        assert evaluate(sparse_basis(plain), state) == expected


@pytest.mark.parametrize("instance", FILECOIN)
def test_rescaling_makes_coefficients_one(instance: Instance) -> None:
    unit = instance.width - 1
    rounds = rescale(sparse_basis(absorb_constants(instance)), 3, 5, unit)
    for affine in [*rounds.first, *rounds.last[:-1]]:
        assert all(row[unit] == 1 for row in affine.matrix)
    assert all(step.m == 1 for step in rounds.partial)
    (state,) = random_states(instance, 1, seed=2)
    scaled = [3 * x % instance.modulus for x in state]
    assert evaluate(rounds, scaled) == [5 * x % instance.modulus for x in permute(instance, state)]


@pytest.mark.parametrize("instance", INSTANCES)
def test_random_and_edge_states(instance: Instance) -> None:
    for state in random_states(instance, 3, seed=3) + edge_states(instance):
        assert simulate(instance, state) == permute(instance, state)


@pytest.mark.parametrize("instance", INSTANCES)
def test_random_and_edge_states_by_plain_rounds(instance: Instance) -> None:
    for state in random_states(instance, 2, seed=7) + edge_states(instance)[-4:]:
        assert simulate(instance, state, Programs.PLAIN) == permute(instance, state)


@pytest.mark.parametrize("instance", WIDTH_3)
def test_many_states_by_the_small_set(instance: Instance) -> None:
    for state in random_states(instance, 40, seed=4):
        assert simulate(instance, state, Programs.SMALL) == permute(instance, state)


def test_vectors_of_starkware() -> None:
    for vector in VECTORS["stark_poseidon_permutation"]["vectors"]:
        if vector.get("iterations", 1) == 1:
            state = [int(text, 16) for text in vector["input"]]
            expected = [int(text, 16) for text in vector["output"]]
            assert simulate(stark(vector["t"]), state) == expected


def test_vectors_of_filecoin() -> None:
    for vector in VECTORS["filecoin_poseidon"]["vectors"]:
        if "full_output_state" in vector:
            inputs = [vector["initial_element0"], *vector["input"]]
            instance = filecoin(vector["width"], vector["strength"] != "Standard")
            expected = [int(text, 16) for text in vector["full_output_state"]]
            assert simulate(instance, [int(text, 16) for text in inputs]) == expected


@pytest.mark.parametrize("instance, turns, products", [
    (filecoin(3), 509, 508), (filecoin(3, strengthened=True), 607, 606),
    (filecoin(9), 1760, 1759), (filecoin(12), 2426, 2425),
    (stark(3), 222, 220), (stark(4), 244, 242), (stark(5), 354, 348), (stark(9), 581, 579),
])
def test_turns_of_programs(instance: Instance, turns: int, products: int) -> None:
    _, counts = counts_of(instance)
    assert (counts.turns, counts.products) == (turns, products)


def test_sums_leave_room_for_loading() -> None:
    """The words of the next job go into bank S in turns that write no sum there."""
    for plain_rounds in (False, True):
        for instance in all_instances():
            image, counts = counts_of(instance, plain_rounds)
            assert counts.sums - image.entries[0].outputs + instance.width <= counts.turns


def test_filecoin_programs_keep_the_multiplier_busy_at_every_width() -> None:
    for instance in (case.values[0] for case in FILECOIN):
        width, (_, counts) = instance.width, counts_of(instance)
        partial = instance.partial_rounds * (3 + 2 * (width - 1))
        if width in hankel.BLOCKS:
            rows = 7 * {9: 54, 12: 81}[width] + width**2 + 1
        else:
            rows = 8 * width * (width - 1) + width
        expected = 8 * 3 * width + rows + partial
        assert (counts.products, counts.turns) == (expected, expected + 1)


@pytest.mark.parametrize("size", [2, 5, 6, 9, 12])
def test_products_with_hankel_matrices(size: int) -> None:
    generator = random.Random(size)
    numbers = [generator.randrange(FR) for _ in range(2 * size - 1)]
    matrix = [numbers[row:row + size] for row in range(size)]
    assert hankel.generator_of(matrix) == numbers
    program = Program("hankel", FR)
    for index, (factors, added) in enumerate(hankel.rows(program, numbers, program.inputs(size))):
        terms = [(1, program.products(factors)), *((1, value) for value in added)]
        program.linear(terms, output=index)
    image = Image(FR, 5)
    entry = assemble(program, image)
    assert check(image)["hankel"].products == hankel.multiplications(size)
    vector = [generator.randrange(FR) for _ in range(size)]
    assert Simulator(image).run(entry, vector)[0] == times_vector(matrix, vector, FR)


def test_other_matrices_are_not_cut() -> None:
    with pytest.raises(ValueError, match="Hankel"):
        hankel.generator_of([[1, 2], [3, 4]])
    assert [hankel.multiplications(size) for size in (3, 5, 6, 9, 12)] == [9, 25, 27, 54, 81]


@pytest.mark.parametrize("instance", FILECOIN)
def test_rescaling_can_keep_the_matrices(instance: Instance) -> None:
    p = instance.modulus
    rounds = rescale(sparse_basis(absorb_constants(instance)), 3, 5, None)
    kept = [affine.matrix for affine in (*rounds.first[:-1], *rounds.last[:-1])]
    assert all(matrix == [list(row) for row in instance.mds] for matrix in kept)
    assert [step.m == 1 for step in rounds.partial[-2:]] == [True, False]
    (state,) = random_states(instance, 1, seed=8)
    expected = [5 * x % p for x in permute(instance, state)]
    assert evaluate(rounds, [3 * x % p for x in state]) == expected


@pytest.mark.parametrize("modulus, programs", SETS)
def test_images_hold_what_their_sets_name(modulus: int, programs: Programs) -> None:
    """The checker's counts of each entry match those of a run, and the result is the instance's."""
    simulator = simulator_of(modulus, programs)
    counts: dict[str, Counts] = check(simulator.image)
    instances = instances_of(modulus, programs)
    widths = [3] if programs is Programs.SMALL else [3, 5, 9, 12] if modulus == FR else [3, 4, 5, 9]
    strengths = 2 if modulus == FR else 1
    assert [instance.width for instance in instances] == widths * strengths
    bits = 3 if programs is Programs.SMALL else 5 if is_paced(modulus, programs) else 4
    assert simulator.image.register_bits == bits
    for instance, entry in zip(instances, simulator.image.entries, strict=True):
        assert entry.instance == instance_code(instance)
        assert (entry.inputs, entry.outputs) == (instance.width, instance.width)
        (state,) = random_states(instance, 1, seed=5)
        result, used = simulator.run(entry, state)
        assert result == permute(instance, state)
        assert used == counts[entry.name]


def test_plain_programs_take_the_products_that_the_paper_has() -> None:
    """Plus two for each element, to and from Montgomery form; one more turn before a second
    loop."""
    for instance in all_instances():
        width = instance.width
        _, counts = counts_of(instance, plain_rounds=True)
        sbox, matrix = (2, 0) if instance.modulus == FELT else (3, width**2)
        products = 2 * width + 8 * sbox * width + instance.partial_rounds * sbox + 8 * matrix
        products += instance.partial_rounds * matrix
        assert counts.products == products
        if instance.modulus == FR:
            assert counts.turns == products + 2


# The plain rounds of all widths take the longest, and make no other kinds of accesses.
@pytest.mark.parametrize("modulus, programs", [
    one for one in SETS if is_sweep() or one.values[1] is not Programs.PLAIN])
def test_programs_need_the_clocks_that_the_core_gives_them(modulus: int, programs: Programs
                                                          ) -> None:
    """`simulator_of` has checked the images; with a shorter turn or a later write no image is
    valid."""
    image = image_of_set(modulus, programs)
    # The turns of a paced program have their own distances.
    turn = [] if image.paced else [replace(FIELD_CORE, turn=FIELD_CORE.turn - Clock(1))]
    for timing in (*turn,
                   replace(FIELD_CORE, sum_write=FIELD_CORE.sum_write + Clock(1)),
                   replace(FIELD_CORE, product_write=FIELD_CORE.product_write + Clock(2, sum=1)),
                   replace(FIELD_CORE, product_ready=FIELD_CORE.product_ready + Clock(1))):
        assert {violation.rule for violation in violations(image, timing)} == {"latency"}


def test_instance_codes_are_those_of_the_card() -> None:
    codes = [instance_code(instance) for instance in all_instances()]
    assert codes == [0x03, 0x05, 0x09, 0x0C, 0x13, 0x15, 0x19, 0x1C, 0x23, 0x24, 0x25, 0x29]


@pytest.mark.parametrize("name", PACKAGES)
def test_rom_packages_are_current(name: str) -> None:
    text = package_text(name, image_of_set(*PACKAGES[name]), ORIGIN)
    assert read_digests(RTL)[f"{name}.sv"] == digest_of(text.encode())


def test_matrix_inverse() -> None:
    generator = random.Random(6)
    matrix = [[generator.randrange(FR) for _ in range(4)] for _ in range(4)]
    assert times(matrix, inverse(matrix, FR), FR) == identity(4)
    with pytest.raises(ValueError, match="singular"):
        inverse([[1, 2], [2, 4]], FR)
