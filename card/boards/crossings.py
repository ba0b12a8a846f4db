# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Finds clock and reset crossings in a board's netlist, and checks that each is a known one.

    python -m card.boards.crossings alveo_u280

A register that is fed from another clock must be

- the first stage of a `sync_bits`, fed by a register of one clock, without logic in between;
- the output register of a `stream_async_fifo`, fed by the FIFO's memory;

and an asynchronous reset must come from a register or a port without logic in between. It may come
from another clock only in a `reset_sync`. Exit codes: 1: a crossing is unknown.
"""

import argparse
import sys
from dataclasses import dataclass, field

from card.boards import netlist, sources
from card.boards.netlist import REGISTERS, Bit, Cell, Netlist

BOARDS = (*sources.BOARDS, "aws_f2")
ASYNCHRONOUS = "asynchronous"
# Outputs of black boxes that belong to another clock than their clk_i, or have no such port.
CLOCKLESS = {
    "shell_wrapper": {"core_locked": ASYNCHRONOUS, "": "bus_clk"},
    "core_clock": {"": ASYNCHRONOUS},
    "sh_ddr": {"": "clk_main_a0"},
}


@dataclass
class Crossings:
    """The crossings of a netlist by kind, and the errors."""

    known: dict[str, int] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    def count(self, kind: str) -> None:
        self.known[kind] = self.known.get(kind, 0) + 1


class Checker:
    """Follows the logic between the registers of a netlist."""

    def __init__(self, design: Netlist, port_clock: str | None) -> None:
        self.design = design
        self.port_clock = port_clock
        self.drivers: dict[Bit, tuple[Cell, str]] = {}
        self.writers: dict[str, list[Cell]] = {}
        for cell in design.cells:
            for port, bit in cell.outputs():
                self.drivers[bit] = (cell, port)
            if cell.kind.startswith("$memwr"):
                self.writers.setdefault(cell.parameters["MEMID"], []).append(cell)
        self.inputs = {bit for direction, bits in design.ports.values()
                       if direction != "output" for bit in bits}
        self._found: dict[str, frozenset[str]] = {}
        self._names: dict[Bit, str] = {}
        # Chains of logic are as deep as the recursion.
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 20_000))

    def clock_of(self, bit: Bit) -> str:
        """The name of the net or port that drives a clock."""
        names = [name for name, bits in self.design.nets.items() if bits == [bit]]
        return min(names, key=lambda name: (name.count("/"), len(name), name)) if names else str(bit)

    def clocks(self, bit: Bit) -> frozenset[str]:
        """The clocks of the registers that a bit depends on through logic."""
        if isinstance(bit, str):
            return frozenset()
        if bit not in self.drivers:
            return frozenset({self.port_clock or ASYNCHRONOUS} if bit in self.inputs else ())
        cell, port = self.drivers[bit]
        known = self._source(cell, port)
        return self._clocks_of_logic(cell) if known is None else frozenset({known})

    def _clocks_of_logic(self, cell: Cell) -> frozenset[str]:
        """The clocks of all inputs of logic. Each cell is visited once."""
        if cell.name not in self._found:
            self._found[cell.name] = frozenset()
            found = frozenset().union(*(self.clocks(bit) for bit in {b for _, b in cell.inputs()}))
            if cell.kind.startswith("$memrd"):
                writers = self.writers.get(cell.parameters["MEMID"], [])
                found |= {self.clock_of_cell(writer) for writer in writers}
            self._found[cell.name] = found
        return self._found[cell.name]

    def clock_of_cell(self, cell: Cell) -> str:
        """The clock of a register."""
        return self._clock(cell.bits["CLK"][0])

    def _clock(self, bit: Bit) -> str:
        if bit not in self._names:
            self._names[bit] = self.clock_of(bit)
        return self._names[bit]

    def _source(self, cell: Cell, port: str) -> str | None:
        """The clock of a register or a black box; None for logic."""
        if cell.kind in REGISTERS:
            return self.clock_of_cell(cell)
        if cell.kind.startswith("$"):
            return None
        if cell.kind in CLOCKLESS:
            table = CLOCKLESS[cell.kind]
            return table.get(port, table[""])
        return self._clock(cell.bits["clk_i"][0])

    def is_direct(self, bit: Bit) -> bool:
        """True if a register, a black box or a port drives a bit, without logic."""
        if bit not in self.drivers:
            return True
        cell, _ = self.drivers[bit]
        return cell.kind in REGISTERS or not cell.kind.startswith("$")

    def module(self, path: str) -> str:
        return self.design.modules.get(path, "")

    def check(self) -> Crossings:
        """Checks every register."""
        result = Crossings()
        for cell, names in self.design.registers():
            own = self.clock_of_cell(cell)
            for port in ("ALOAD", "ARST"):
                for bit in cell.bits.get(port, []):
                    self._check_reset(cell, names[0], own, bit, result)
            for index, bit in enumerate(cell.bits["D"]):
                foreign = self.clocks(bit) - {own}
                if foreign:
                    self._check_data(cell, names[index], bit, foreign, result)
            for port in ("EN", "SRST"):
                for bit in cell.bits.get(port, []):
                    if self.clocks(bit) - {own}:
                        result.errors.append(f"{names[0]}: {port} comes from another clock")
        return result

    def _check_data(self, cell: Cell, name: str, bit: Bit, foreign: frozenset[str],
                    result: Crossings) -> None:
        module, register = self.module(cell.scope), name.rsplit("/", 1)[-1]
        clocks = ", ".join(sorted(foreign))
        if module == "sync_bits" and register.startswith("stages_q_reg"):
            if not self.is_direct(bit):
                result.errors.append(f"{name}: logic before a synchronizer (from {clocks})")
            elif len(foreign) > 1:
                result.errors.append(f"{name}: several clocks ({clocks})")
            else:
                result.count("synchronizer")
        elif module == "stream_async_fifo" and register.startswith("out_q_reg"):
            result.count("FIFO")
        else:
            result.errors.append(f"{name} ({module}): unknown crossing from {clocks}")

    def _check_reset(self, cell: Cell, name: str, own: str, bit: Bit, result: Crossings) -> None:
        if isinstance(bit, str):
            return
        clocks = self.clocks(bit)
        if not self.is_direct(bit):
            result.errors.append(f"{name}: logic before a reset (from {', '.join(sorted(clocks))})")
        elif clocks <= {own}:
            return
        elif self.module(cell.scope) == "reset_sync":
            result.count("reset")
        else:
            result.errors.append(f"{name}: a reset from {', '.join(sorted(clocks))}")


def check(design: Netlist, port_clock: str | None = None) -> Crossings:
    """Checks a netlist. `port_clock` is the clock to which the top's ports belong."""
    return Checker(design, port_clock).check()


def check_board(board: str) -> Crossings:
    """Checks a board's netlist. The ports of the F2 design belong to the shell's clock."""
    return check(netlist.of_board(board), "clk_main_a0" if board == "aws_f2" else None)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m card.boards.crossings",
                                     description=__doc__.split("\n")[0])
    parser.add_argument("board", choices=BOARDS)
    found = check_board(parser.parse_args().board)
    for error in found.errors[:40]:
        print(error, file=sys.stderr)
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(found.known.items()))
    print(f"{len(found.errors)} errors; known crossings, in bits: {counts}")
    return 1 if found.errors else 0


if __name__ == "__main__":
    sys.exit(main())
