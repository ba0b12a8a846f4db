# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hash functions on the permutation: Filecoin's fixed-length hashes and Starknet's.

Filecoin: state = [domain tag, inputs...], digest = element 1 ("The Poseidon hash function",
section "Domain separation"). Starknet: docs.starknet.io, "Hash functions", Poseidon: rate 2,
capacity 1.
"""

from typing import Sequence

from engines.poseidon.model.parameters import Instance, filecoin, stark
from engines.poseidon.model.permutation import InputError, permute


def merkle_tree_tag(arity: int) -> int:
    """One set bit for each child; all children are present."""
    return 2**arity - 1


def constant_length_tag(length: int) -> int:
    return length * 2**64


def encryption_tag() -> int:
    return 2**32


def custom_tag(identifier: int) -> int:
    return identifier * 2**40


def filecoin_state(instance: Instance, tag: int, inputs: Sequence[int]) -> list[int]:
    """The initial state: the tag, the inputs, and zeros up to the width."""
    arity = instance.width - 1
    if not 1 <= len(inputs) <= arity:
        raise InputError(f"{len(inputs)} elements, {instance.name} needs 1 to {arity}")
    return [tag, *inputs, *([0] * (arity - len(inputs)))]


def _full_width(arity: int, inputs: Sequence[int]) -> None:
    if len(inputs) != arity:
        raise InputError(f"{len(inputs)} elements, this hash needs {arity}")


def filecoin_hash(arity: int, inputs: Sequence[int], tag: int, strengthened: bool = False) -> int:
    """The digest under a given domain tag; inputs shorter than the arity are padded with zeros."""
    instance = filecoin(arity + 1, strengthened)
    return permute(instance, filecoin_state(instance, tag, inputs))[1]


def merkle_hash(arity: int, children: Sequence[int], strengthened: bool = False) -> int:
    _full_width(arity, children)
    return filecoin_hash(arity, children, merkle_tree_tag(arity), strengthened)


def constant_length_hash(arity: int, inputs: Sequence[int], strengthened: bool = False) -> int:
    """Hashes 1 to `arity` elements; the length is part of the tag."""
    return filecoin_hash(arity, inputs, constant_length_tag(len(inputs)), strengthened)


def encryption_hash(arity: int, inputs: Sequence[int], strengthened: bool = False) -> int:
    _full_width(arity, inputs)
    return filecoin_hash(arity, inputs, encryption_tag(), strengthened)


def custom_hash(arity: int, inputs: Sequence[int], identifier: int, strengthened: bool = False
                ) -> int:
    _full_width(arity, inputs)
    return filecoin_hash(arity, inputs, custom_tag(identifier), strengthened)


def starknet_hash(x: int, y: int) -> int:
    """Hashes two elements; the capacity holds their number."""
    return permute(stark(3), [x, y, 2])[0]


def starknet_hash_single(x: int) -> int:
    return permute(stark(3), [x, 0, 1])[0]


def starknet_hash_many(elements: Sequence[int]) -> int:
    """Sponge over any number of elements, padded with one 1 and then 0 to an even number."""
    modulus = stark(3).modulus
    padded = [*elements, 1, *([0] * ((len(elements) + 1) % 2))]
    state = [0, 0, 0]
    for first, second in zip(padded[::2], padded[1::2]):
        absorbed = [(state[0] + first) % modulus, (state[1] + second) % modulus, state[2]]
        state = permute(stark(3), absorbed)
    return state[0]
