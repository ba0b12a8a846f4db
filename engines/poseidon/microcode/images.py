# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The images of the Poseidon engine's cores: which instances they hold, and their wire codes."""

from __future__ import annotations

from typing import Iterable

from arith.microcode.assemble import assemble
from arith.microcode.image import Image
from arith.microcode.program import Program
from engines.poseidon.microcode import filecoin, stark
from engines.poseidon.model import parameters
from engines.poseidon.model.parameters import FILECOIN_PARTIAL_ROUNDS, Instance

FAMILY_FILECOIN, FAMILY_FILECOIN_STRENGTHENED, FAMILY_STARK = 0, 1, 2


def instance_code(instance: Instance) -> int:
    """The byte that names the instance in a poseidon_hash request: family * 16 + width."""
    if instance.modulus == parameters.FELT:
        family = FAMILY_STARK
    elif instance.partial_rounds == FILECOIN_PARTIAL_ROUNDS[instance.width][0]:
        family = FAMILY_FILECOIN
    else:
        family = FAMILY_FILECOIN_STRENGTHENED
    return family << 4 | instance.width


def program_of(instance: Instance) -> Program:
    family = stark if instance.modulus == parameters.FELT else filecoin
    return family.permutation(instance)


def register_bits_of(width: int) -> int:
    """Registers a bank, as a power of two, that the programs of a width need."""
    return 3 if width <= 5 else 4


def image_of(instances: Iterable[Instance]) -> Image:
    """One image with the programs of several instances of one field."""
    instances = list(instances)
    widest = max(instance.width for instance in instances)
    image = Image(instances[0].modulus, register_bits_of(widest))
    for instance in instances:
        assemble(program_of(instance), image, instance_code(instance))
    return image


def fr_image() -> Image:
    """Filecoin width 3, standard and strengthened."""
    return image_of([parameters.filecoin(3), parameters.filecoin(3, strengthened=True)])


def felt_image() -> Image:
    """StarkWare width 3."""
    return image_of([parameters.stark(3)])
