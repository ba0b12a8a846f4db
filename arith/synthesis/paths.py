# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Paths between registers in a netlist of Xilinx cells, in levels of logic.

A LUT counts as one level, and so does a memory with an asynchronous read; a segment of a carry
chain (CARRY4: four bits) counts as 0.2, a multiplexer after LUTs as 0.3, an inverter as 0. A
multiplier without registers counts as 4. Wires do not count: levels rank paths and can be limited,
but they are not a clock rate.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

# Levels of a cell by the start of its type. Cells that are not listed begin and end paths.
_LEVELS = {
    "LUT": 1.0, "MUXF": 0.3, "INV": 0.0, "CARRY": 0.2, "BUF": 0.0,
    "RAM32": 1.0, "RAM64": 1.0, "RAM128": 1.0, "RAM256": 1.0, "SRL": 1.0,
}
_MULTIPLIER = "DSP48E2"
_MULTIPLIER_LEVELS = 4.0
_MULTIPLIER_REGISTERS = ("AREG", "BREG", "MREG", "PREG")
# Ports that are neither inside nor at the end of a path.
_CLOCKS = frozenset({"C", "CLK", "WCLK", "CLKARDCLK", "CLKBWRCLK"})
# In a memory with an asynchronous read, only the address leads to the output.
_READ_ADDRESSES = ("ADDR", "DPRA", "A")
_NUMBERS = re.compile(r"\d+")


@dataclass(frozen=True)
class Path:
    """The deepest path to an input of a register, a memory, a multiplier or to an output port."""

    levels: float
    # Names of wires, with the bit in brackets: the begin and the end of the path.
    source: str
    end: str

    def __str__(self) -> str:
        return f"{self.levels:.1f} levels"


def levels_of(cell: Mapping[str, Any]) -> float | None:
    """Levels through a cell; None if it has registers between its inputs and its outputs."""
    kind: str = cell["type"]
    if kind == _MULTIPLIER:
        held = any(int(str(cell["parameters"].get(name, "0")), 2)
                   for name in _MULTIPLIER_REGISTERS)
        return None if held else _MULTIPLIER_LEVELS
    return next((levels for begin, levels in _LEVELS.items() if kind.startswith(begin)), None)


def _is_memory(cell: Mapping[str, Any]) -> bool:
    return str(cell["type"]).startswith(("RAM32", "RAM64", "RAM128", "RAM256", "SRL"))


def _bits(cell: Mapping[str, Any], direction: str) -> Iterator[tuple[str, int]]:
    """Ports and nets of a cell with this direction; constants are left out."""
    for port, bits in cell["connections"].items():
        if cell["port_directions"][port] == direction:
            yield from ((port, bit) for bit in bits if isinstance(bit, int))


def _names(module: Mapping[str, Any]) -> dict[int, str]:
    """The shortest name of each net, preferably one from the sources."""
    names: dict[int, str] = {}
    for name, net in sorted(module["netnames"].items(), key=lambda item: (
            bool(item[1]["hide_name"]), len(item[0]), item[0])):
        for index, bit in enumerate(net["bits"]):
            if isinstance(bit, int):
                names.setdefault(bit, f"{name}[{index}]" if len(net["bits"]) > 1 else name)
    return names


def _through(cell: Mapping[str, Any]) -> list[int]:
    """Nets that lead through a cell to its outputs."""
    addresses = _is_memory(cell)
    return [bit for port, bit in _bits(cell, "input")
            if port not in _CLOCKS and (not addresses or port.startswith(_READ_ADDRESSES))]


class CombinationalLoop(ValueError):
    """A path that ends where it began."""


class _Depths:
    """Levels before each net."""

    def __init__(self, module: Mapping[str, Any]) -> None:
        self._driver = {bit: cell for cell in module["cells"].values()
                        for _, bit in _bits(cell, "output")}
        # Levels, and the previous net on the deepest path.
        self._known: dict[int, tuple[float, int | None]] = {}

    def of(self, net: int) -> float:
        """Levels between the last register and this net."""
        waiting, open_nets = [net], set()
        while waiting:
            bit = waiting[-1]
            if bit in self._known:
                waiting.pop()
                continue
            cell = self._driver.get(bit)
            levels = levels_of(cell) if cell else None
            if cell is None or levels is None:
                self._known[bit] = (0.0, None)
                continue
            before = _through(cell)
            missing = [other for other in before if other not in self._known]
            if missing:
                if bit in open_nets:
                    raise CombinationalLoop(f"net {bit}, driven by a {cell['type']}")
                open_nets.add(bit)
                waiting.extend(missing)
                continue
            open_nets.discard(bit)
            deepest = max(before, key=lambda other: self._known[other][0], default=None)
            ahead = self._known[deepest][0] if deepest is not None else 0.0
            self._known[bit] = (ahead + levels, deepest)
        return self._known[net][0]

    def source(self, net: int) -> int:
        """The net at which the deepest path to this one begins."""
        while (before := self._known[net][1]) is not None:
            net = before
        return net


def _ends(module: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """Nets at which a path ends, and the name of the end."""
    names = _names(module)
    for cell in module["cells"].values():
        if levels_of(cell) is not None and not _is_memory(cell):
            continue
        addresses = _is_memory(cell)
        out = next((names[bit] for _, bit in _bits(cell, "output") if bit in names), cell["type"])
        for port, bit in _bits(cell, "input"):
            if port in _CLOCKS or addresses and port.startswith(_READ_ADDRESSES):
                continue
            yield bit, out if cell["type"].startswith("FD") else f"{out} ({cell['type']}.{port})"
    for name, port in module["ports"].items():
        if port["direction"] == "output":
            yield from ((bit, f"port {name}") for bit in port["bits"] if isinstance(bit, int))


def deepest_paths(module: Mapping[str, Any], most: int = 12) -> list[Path]:
    """The deepest paths, deepest first; only one of those that differ just in numbers (bits of a
    word, copies of a block).

    Raises CombinationalLoop if logic feeds itself.
    """
    depths, names = _Depths(module), _names(module)
    ends = sorted(((depths.of(bit), bit, end) for bit, end in _ends(module)),
                  key=lambda row: (-row[0], row[2]))
    found: dict[str, Path] = {}
    for levels, bit, end in ends:
        like = _NUMBERS.sub("N", end)
        if like not in found:
            source = depths.source(bit)
            found[like] = Path(round(levels, 1), names.get(source, "a constant"), end)
            if len(found) == most:
                break
    return list(found.values())


def unregistered_reads(module: Mapping[str, Any]) -> int:
    """The number of block memories whose words go into logic without an output register, which
    costs most of a clock of 300 MHz before any logic. A register directly after the memory counts
    as an output register: Yosys leaves it outside, placers absorb it."""
    into_logic = {
        bit for cell in module["cells"].values() for port, bit in _bits(cell, "input")
        if not (port == "D" and str(cell["type"]).startswith("FD"))
    } | {bit for port in module["ports"].values() if port["direction"] == "output"
         for bit in port["bits"]}
    return sum(
        1 for cell in module["cells"].values()
        if str(cell["type"]).startswith("RAMB")
        and not any(int(str(cell["parameters"].get(name, "0")), 2) for name in ("DOA_REG", "DOB_REG"))
        and any(bit in into_logic for _, bit in _bits(cell, "output"))
    )
