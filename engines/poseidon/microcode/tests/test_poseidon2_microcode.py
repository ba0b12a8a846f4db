# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compares the Poseidon2 programs, executed from their encoded words, with the golden model, and
the model with the vectors of Horizen Labs."""

import json
import random
from functools import lru_cache
from pathlib import Path

import pytest

from arith.microcode.checker import check
from arith.microcode.simulator import Simulator
from engines.poseidon.microcode.poseidon2 import WIDTHS, image_of
from engines.poseidon.model.parameters import FR
from engines.poseidon.model.poseidon2 import Poseidon2, external, permute, poseidon2

VECTORS = json.loads(
    (Path(__file__).resolve().parents[2] / "vectors/poseidon2.json").read_text(encoding="utf-8")
)


@lru_cache(maxsize=None)
def simulator_of(widths: tuple[int, ...]) -> Simulator:
    image = image_of(widths)
    check(image)
    return Simulator(image)


def simulate(widths: tuple[int, ...], width: int, state: list[int]) -> list[int]:
    simulator = simulator_of(widths)
    return simulator.run(simulator.image.entries[widths.index(width)], state)[0]


def states(width: int) -> list[list[int]]:
    """Random states, and states of values at the bounds of the field."""
    generator = random.Random(width)
    edges = [0, 1, FR - 1]
    rotated = [[edges[(first + place) % 3] for place in range(width)] for first in range(3)]
    same = [[edge] * width for edge in edges]
    return rotated + same + [[generator.randrange(FR) for _ in range(width)] for _ in range(3)]


@pytest.mark.parametrize("width", WIDTHS)
def test_vectors_of_horizen_labs(width: int) -> None:
    chosen = [vector for vector in VECTORS
              if vector["instance"] == f"bls12-381-{width}" and vector["kind"] == "permute"]
    assert len(chosen) == 9
    for vector in chosen:
        state, expected = ([int(text, 16) for text in vector[name]] for name in ("input", "output"))
        assert permute(poseidon2(width), state) == expected
        assert simulate(WIDTHS, width, state) == expected


@pytest.mark.parametrize("width", WIDTHS)
def test_random_and_edge_states(width: int) -> None:
    """In an image of one program, and of all."""
    for state in states(width):
        expected = permute(poseidon2(width), state)
        assert simulate((width,), width, state) == expected
        assert simulate(WIDTHS, width, state) == expected


@pytest.mark.parametrize("width, turns, products, sums", [
    (2, 231, 220, 134), (3, 267, 246, 201), (4, 550, 496, 412), (8, 1018, 835, 880),
])
def test_turns_of_programs(width: int, turns: int, products: int, sums: int) -> None:
    (counts,) = check(image_of((width,))).values()
    assert (counts.turns, counts.products, counts.sums) == (turns, products, sums)
    instance = poseidon2(width)
    by_diagonal = width * len(instance.partial) if width >= 4 else 0
    assert products == 2 * width + 3 * (8 * width + len(instance.partial)) + by_diagonal


def test_sums_leave_room_for_loading() -> None:
    """The words of the next job go into bank S in turns that write no sum there."""
    for width in WIDTHS:
        (counts,) = check(image_of((width,))).values()
        assert counts.sums <= counts.turns


def test_a_wrong_constant_is_noticed() -> None:
    instance = poseidon2(3)
    state = [1, 2, 3]
    changed = (instance.partial[0] ^ 1, *instance.partial[1:])
    other = Poseidon2(3, instance.first, changed, instance.last, instance.diagonal)
    assert permute(other, state) != permute(instance, state) == simulate(WIDTHS, 3, state)


def test_the_external_matrix_has_the_rows_of_the_paper() -> None:
    unit = [[int(row == column) for column in range(8)] for row in range(8)]
    columns = [external(state) for state in unit]
    assert [column[0] for column in columns] == [10, 14, 2, 6, 5, 7, 1, 3]
    assert [column[7] for column in columns] == [1, 1, 4, 6, 2, 2, 8, 12]
    assert external([1, 0, 0]) == [2, 1, 1] and external([0, 1]) == [1, 2]
