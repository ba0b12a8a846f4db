# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The images of the Poseidon engine's cores: their programs and wire codes."""

import json
from enum import Enum
from pathlib import Path
from typing import Final, Iterable

from arith.microcode.assemble import assemble
from arith.microcode.image import Image
from arith.microcode.paced import Order, Orders
from arith.microcode.program import Program
from arith.microcode.timing import Latencies
from engines.poseidon.microcode import filecoin, plain, stark
from engines.poseidon.model.parameters import (
    FELT, FILECOIN_PARTIAL_ROUNDS, FR, Instance, all_instances,
)

FAMILY_FILECOIN, FAMILY_FILECOIN_STRENGTHENED, FAMILY_STARK = 0, 1, 2
LATENCIES: Final = Latencies(multiply=11, accumulate=1, reduce=22, sum=8)
"""The latencies of a core over Fr with tiles of 26×17, one product per clock."""
PACED_REGISTER_BITS: Final = 5
"""The base-2 logarithm of the registers per bank of a job with several turns in flight."""
ORDERS_FILE: Final = Path(__file__).with_name("orders.json")
"""The orders of the sections of paced programs: `python -m engines.poseidon.microcode --search`."""
MOST_UNROLLED: Final = {3: 5, 5: 4}
"""The most partial rounds in an iteration of a paced loop, by width: the end of an iteration costs
three clocks of a single job."""
TURN_COST: Final = 300
"""The value of one turn less in a full core, in clocks of a single job: a turn is a clock of every
job of a batch."""


class Programs(Enum):
    """The sets of programs that a card can be built with; package names contain the value."""

    OPTIMIZED = ""
    """Every instance in the fewest turns."""
    PLAIN = "_plain"
    """Every instance with the rounds as the paper prints them: small tables, many turns."""
    SMALL = "_small"
    """Only width 3, optimized, with half the registers: for small boards."""

    @property
    def rounds_are_plain(self) -> bool:
        return self is Programs.PLAIN


def instance_code(instance: Instance) -> int:
    """The byte that identifies the instance in a poseidon_hash request: family * 16 + width."""
    if instance.modulus == FELT:
        family = FAMILY_STARK
    elif instance.partial_rounds == FILECOIN_PARTIAL_ROUNDS[instance.width][0]:
        family = FAMILY_FILECOIN
    else:
        family = FAMILY_FILECOIN_STRENGTHENED
    return family << 4 | instance.width


def program_of(instance: Instance, plain_rounds: bool = False, paced: bool = False) -> Program:
    if plain_rounds:
        return plain.permutation(instance)
    if instance.modulus == FELT:
        return stark.permutation(instance)
    return filecoin.permutation(instance, MOST_UNROLLED.get(instance.width, 1) if paced else 1)


def register_bits_of(width: int) -> int:
    """The base-2 logarithm of the registers per bank that the programs of a width need."""
    return 3 if width <= 5 else 4


def known_orders(tries: int = 0) -> Orders:
    """Reads the orders of the file; sections that it lacks are ordered in `tries` more ways."""
    found = json.loads(ORDERS_FILE.read_text(encoding="utf-8")) if ORDERS_FILE.exists() else {}
    known = {name: Order(*order) for name, order in found.items()}
    return Orders(known, tries, TURN_COST, compact=True)


def write_orders(orders: Orders) -> None:
    """Writes the orders found, for `known_orders`."""
    lines = [f"{json.dumps(name)}: {json.dumps(list(order))}"
             for name, order in sorted(orders.known.items())]
    ORDERS_FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def is_paced(modulus: int, programs: Programs) -> bool:
    """Returns true if the cores have several turns of each job in flight. Over the Stark field the
    chain of S-boxes fills most of the time of a single job; the others are small or for
    comparison."""
    return modulus == FR and programs is Programs.OPTIMIZED


def image_of(instances: Iterable[Instance], plain_rounds: bool = False,
             orders: Orders | None = None) -> Image:
    """One image with the programs of several instances of one field; a paced one if orders are
    given."""
    instances = list(instances)
    widest = max(instance.width for instance in instances)
    if orders:
        image = Image(instances[0].modulus, PACED_REGISTER_BITS, paced=LATENCIES, orders=orders)
    else:
        image = Image(instances[0].modulus, register_bits_of(widest))
    for instance in instances:
        assemble(program_of(instance, plain_rounds, orders is not None), image,
                 instance_code(instance))
    return image


def instances_of(modulus: int, programs: Programs) -> list[Instance]:
    """The instances over a field that a set holds, in the order of the image's entries."""
    return [instance for instance in all_instances() if instance.modulus == modulus
            and (programs is not Programs.SMALL or instance.width == 3)]


def image_of_set(modulus: int, programs: Programs) -> Image:
    """The image of the cores of a field."""
    return image_of(instances_of(modulus, programs), programs.rounds_are_plain,
                    known_orders() if is_paced(modulus, programs) else None)


def package_name(modulus: int, programs: Programs) -> str:
    """The SystemVerilog package that holds the set's image."""
    return f"poseidon_{'felt' if modulus == FELT else 'fr'}{programs.value}_rom_pkg"


PACKAGES = {package_name(modulus, programs): (modulus, programs)
            for modulus in (FR, FELT) for programs in Programs}
