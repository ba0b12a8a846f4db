# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The registers that the multiplier blocks of a design can absorb: those before their inputs and
after their products.

 python -m arith.synthesis.multipliers [--design NAME]    of arith.synthesis.depth, field_core by
default

Yosys leaves all registers of a DSP48E2 outside; Vivado moves them in if a register is directly at
the block (AREG, BREG; MREG and PREG after the product). An input register that logic reads as well
must be duplicated for it. Exit code 1: a tool failed, or an input or a product has no register.
"""

import argparse
import collections
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arith.synthesis.depth import designs, netlist_of
from arith.synthesis.yosys import SynthesisFailed

DEFAULT = "field_core_poseidon_felt_small"
_BLOCK = "DSP48E2"
# A delay in a LUT begins with a register as well: tools separate its first stage.
_REGISTERS = ("FD", "SRL")


@dataclass(frozen=True)
class Multipliers:
    """Bits at the blocks: inputs that come from a register, and of those the ones that only blocks
    read; products that go only into a register."""

    blocks: int
    inputs: int
    inputs_from_registers: int
    inputs_alone: int
    products: int
    products_into_registers: int

    @property
    def complete(self) -> bool:
        """True if every block has registers on all sides."""
        return (self.inputs == self.inputs_from_registers
                and self.products == self.products_into_registers)

    def __str__(self) -> str:
        return (f"{self.blocks} blocks; input bits: {self.inputs_from_registers:,} of "
                f"{self.inputs:,} from registers, {self.inputs_alone:,} of them for blocks alone; "
                f"product bits: {self.products_into_registers:,} of {self.products:,} into registers")


def multipliers_of(module: Mapping[str, Any]) -> Multipliers:
    """Counts the bits at the multiplier blocks of a netlist of Xilinx cells."""
    drivers: dict[int, str] = {}
    loads: dict[int, set[str]] = collections.defaultdict(set)
    for cell in module["cells"].values():
        for port, bits in cell["connections"].items():
            for bit in (bit for bit in bits if isinstance(bit, int)):
                if cell["port_directions"][port] == "output":
                    drivers[bit] = cell["type"]
                else:
                    loads[bit].add(cell["type"])
    for port in module["ports"].values():
        if port["direction"] == "output":
            for bit in port["bits"]:
                loads[bit].add("port")
    blocks = [cell["connections"] for cell in module["cells"].values() if cell["type"] == _BLOCK]
    inputs = [bit for block in blocks for port in ("A", "B") for bit in block[port]
              if isinstance(bit, int)]
    products = [bit for block in blocks for bit in block["P"]
                if isinstance(bit, int) and loads[bit]]
    registered = [bit for bit in inputs if drivers.get(bit, "port").startswith(_REGISTERS)]
    return Multipliers(
        len(blocks), len(inputs), len(registered),
        sum(loads[bit] == {_BLOCK} for bit in registered), len(products),
        sum(all(load.startswith(_REGISTERS) for load in loads[bit]) for bit in products),
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m arith.synthesis.multipliers", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--design", default=DEFAULT, choices=sorted(designs()))
    name = parser.parse_args().design
    try:
        found = multipliers_of(netlist_of(name, designs()[name], "xilinx"))
    except SynthesisFailed as failure:
        print(f"error: {failure}", file=sys.stderr)
        return 1
    print(f"{name}: {found}")
    return 0 if found.complete else 1


if __name__ == "__main__":
    sys.exit(main())
