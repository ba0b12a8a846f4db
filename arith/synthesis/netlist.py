# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A design as one netlist of a family's cells, for place and route.

Each different block is synthesized once, as in arith/synthesis/yosys.py, and then the parts are
joined: the boxes for the inner blocks are replaced by their netlists. Nothing is optimized across a
block's ports, except unused or constant signals.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from arith.synthesis import yosys
from arith.synthesis.yosys import (
    CACHE,
    block_netlist,
    box_name,
    elaborate,
    instance_counts,
    keep,
    of_this_process,
    relative,
    run_yosys,
)

# No memory of the RTL is read while it is being written, or its reader accepts any value then
# (stream_fifo, field_core_memory): no registers and comparators are needed to define that value.
SYNTHESIS = {
    "ecp5": "synth_ecp5 -no-rw-check -top {top}",
    "xilinx": yosys.SYNTHESIS["xilinx"],
}
LIBRARY = {
    "ecp5": "read_verilog -lib +/ecp5/cells_sim.v +/ecp5/cells_bb.v",
    "xilinx": "read_verilog -lib +/xilinx/cells_sim.v +/xilinx/cells_xtra.v",
}


def _is_primitive(module: Mapping[str, Any]) -> bool:
    """A black box in the sources: a cell of the family that the design instantiates itself."""
    return "blackbox" in module["attributes"]


def _emptied(module: Mapping[str, Any]) -> dict[str, Any]:
    """The module as a black box."""
    return {"attributes": {"blackbox": "1"}, "ports": module["ports"], "cells": {}, "netnames": {}}


def _block_cells(
    name: str, modules: Mapping[str, Any], known: dict[str, str], family: str
) -> dict[str, Any]:
    """The synthesized block as a module of the family's cells and of boxes."""
    top = box_name(name, modules, known)
    recipe = hashlib.sha256(SYNTHESIS[family].encode()).hexdigest()[:8]
    stored = CACHE / f"{family}-{recipe}-{top}.cells"
    if not stored.exists():
        source, result = (of_this_process(stored, end) for end in (".netlist", ".result"))
        source.write_text(json.dumps(block_netlist(name, modules, known, top)))
        run_yosys(
            [f"read_json {relative(source)}", SYNTHESIS[family].format(top=top),
             f"write_json {relative(result)}"],
            f"synthesis of {name}",
        )
        keep(stored, json.dumps(json.loads(result.read_text())["modules"][top]))
        source.unlink()
        result.unlink()
    module: dict[str, Any] = json.loads(stored.read_text())
    return module


def synthesize_netlist(
    top: str,
    parameters: Mapping[str, object],
    family: str,
    folders: Sequence[str],
    netlist: Path,
    boxes: Sequence[str] = (),
    defines: Sequence[str] = (),
) -> dict[str, int]:
    """Writes the netlist of `top` (JSON, module `top`); returns the number of cells by type. Blocks
    whose modules are in `boxes` stay boxes, as cells of an unknown type. `defines` is that of
    elaborate().

    Raises SynthesisFailed if Yosys refuses the design.
    """
    elaborated = elaborate(top, parameters, folders, family=family, defines=defines)
    modules = {name: _emptied(m) if name.split("$")[0] in boxes else m
               for name, m in elaborated.items() if not _is_primitive(m)}
    known: dict[str, str] = {}
    blocks: dict[str, Any] = {}
    for name in instance_counts(top, modules):
        box = box_name(name, modules, known)
        if box not in blocks:
            blocks[box] = modules[name] if name.split("$")[0] in boxes \
                else _block_cells(name, modules, known, family)
    joined = netlist.with_suffix(".blocks")
    joined.write_text(json.dumps({"creator": "netlist", "modules": blocks}))
    statistics = netlist.with_suffix(".stat")
    whole = box_name(top, modules, known)
    run_yosys(
        [f"read_json {relative(joined)}", LIBRARY[family], f"hierarchy -top {whole}", "flatten",
         "opt_clean -purge", "check -assert", "blackbox =A:whitebox", f"rename {whole} {top}",
         f"tee -q -o {relative(statistics)} stat -json", f"write_json {relative(netlist)}"],
        f"netlist of {top}",
    )
    text = statistics.read_text()
    cells: dict[str, int] = json.loads(text[text.index("{"):])["design"]["num_cells_by_type"]
    joined.unlink()
    statistics.unlink()
    return cells
