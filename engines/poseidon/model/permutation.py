# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The Poseidon permutation by the plain rounds: each adds constants, applies x^alpha, and mixes."""

from operator import mul
from typing import Sequence

from engines.poseidon.model.parameters import Instance


class InputError(ValueError):
    """An input that is not a valid argument of the called function."""


def check_elements(instance: Instance, elements: Sequence[int]) -> None:
    """Checks that every element is canonical: in [0, modulus)."""
    for index, element in enumerate(elements):
        if not 0 <= element < instance.modulus:
            raise InputError(f"element {index} is not below the modulus: {element:#x}")


def permute(instance: Instance, state: Sequence[int]) -> list[int]:
    """Permutes a canonical state of `instance.width` elements."""
    if len(state) != instance.width:
        raise InputError(f"{len(state)} elements, {instance.name} needs {instance.width}")
    check_elements(instance, state)
    modulus, alpha, sbox_index = instance.modulus, instance.alpha, instance.partial_sbox_index
    elements = list(state)
    for number in range(instance.rounds):
        elements = [x + c for x, c in zip(elements, instance.constants_of_round(number))]
        if instance.is_full(number):
            elements = [pow(x, alpha, modulus) for x in elements]
        else:
            elements[sbox_index] = pow(elements[sbox_index], alpha, modulus)
        elements = [sum(map(mul, row, elements)) % modulus for row in instance.mds]
    return elements
