# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Area of mod_mul, field_core and the BLAKE3 engine, by Yosys, block by block.

    python -m arith.synthesis.area [--family xilinx|xilinx_slices|ecp5] [--interval 1|2|4] [--design NAME]
                                   [--blocks] [--json]

The area of a design is the sum over its different blocks of area times number of instances;
arith/synthesis/yosys.py describes the method. field_core is measured with each ROM package of an
engine (engines/*/rtl/generated/*_rom_pkg.sv), as `field_core_<package>`, with 64 contexts, or 60 if
one is quick. `xilinx_slices` packs registers and adders into the DSP slices; with `xilinx` they count
as registers and LUTs. UltraScale+ has no open timing flow, so no clock is claimed here.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from arith.simulation.generated import ensure_generated
from arith.simulation.toolchain import PROJECT_ROOT
from arith.synthesis.yosys import CACHE, Block, SynthesisFailed, synthesize

MODULI = {
    "fr": 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001,
    "felt": 0x0800000000000011000000000000000000000000000000000000000000000001,
    "bls12_base": int("1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f624"
                      "1eabfffeb153ffffb9feffffffffaaab", 16),
}
SECP256K1 = 2**256 - 2**32 - 977
WIDTHS = {"bls12_base": 384}  # of a word, if it is not 256
# The largest unsigned product of a family's multiplier block.
TILES = {"xilinx": (26, 17), "xilinx_slices": (26, 17), "ecp5": (18, 18)}

# Contexts of a core; with a quick one, whose registers fill the rest of the banks' memories.
CONTEXTS, QUICK_CONTEXTS = 64, 60
# For a core of 384 bits, whose contexts have several turns in flight.
WIDE_CONTEXTS = 32
# The same for Poseidon's cores (poseidon_lane).
PACED_CONTEXTS = 48

# Packages that are also measured with tiles in the reduction, for comparison.
WITH_TILES = ("poseidon_fr_rom_pkg",)

# The numbers of stages per round of BLAKE3 with which the pipeline alone is measured.
BLAKE_STAGES = (2, 4, 8)
# For the whole engine Yosys exceeds the time limit.
EQUIHASH_PARTS = ("blake2b", "midstate", "sha_lane", "target", "tree", "duplicates", "indices",
                  "verdict", "request")
# Measured per lane; three columns at a time.
CKKS_UNITS = ("ckks_multiply", "ckks_add", "ckks_barrett", "ckks_columns")
# Parts of the BLS12-381 coprocessor besides its core, for 16 contexts.
COPROCESSOR_PARTS: dict[str, dict[str, object]] = {
    "sequencer": {"Contexts": 16}, "window": {"Contexts": 16}, "decode": {}, "interrupts": {},
    "inverter": {"Contexts": 16}}
# Parts of its core, with saved carries.
BASE_FIELD_PARTS: dict[str, tuple[str, dict[str, object]]] = {
    "mul_saved_bls12_base": ("mul_saved", {
        "Width": 384, "ValueBits": 773, "Offset": MODULI["bls12_base"]}),
    "montgomery_saved": ("montgomery_saved", {}),
    "linear_sum_saved": ("linear_sum", {
        "Width": 384, "Modulus": MODULI["bls12_base"], "Saved": 1}),
    "field_core_saved_accumulator_bls12_base": ("field_core_saved_accumulator", {
        "Width": 773, "Contexts": 16, "Close": 1})}
# The logic between it and the card's frames.
PROGRAM_PARTS: dict[str, dict[str, object]] = {
    "bls_program_loader": {}, "bls_window_access": {},
    "bls_program_jobs": {"Contexts": 16, "WindowContexts": 1}}

# The weights of cells: LUTs (including carry chains and LUT memories), registers, multipliers,
# block memories in units of the family's smaller block.
_LUTS = {
    "SRL16E": 1, "SRLC32E": 1, "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "RAM32M": 4,
    "RAM32M16": 8, "RAM64M": 4, "RAM64M8": 8, "RAM64X8SW": 8, "RAM256X1D": 8, "RAM512X1S": 8,
    "INV": 1, "LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 4,
} | {f"LUT{inputs}": 1 for inputs in range(1, 7)}
_REGISTERS = ("FDRE", "FDCE", "FDSE", "FDPE", "TRELLIS_FF")
_MULTIPLIERS = ("DSP48E2", "DSP48E1", "MULT18X18D")  # DSP48E1: dsp_slice_map.v
_BLOCK_MEMORIES = {"RAMB18E2": 0.5, "RAMB36E2": 1.0, "DP16KD": 1.0, "PDPW16KD": 1.0}
_ULTRA_MEMORIES = ("URAM288",)


@dataclass(frozen=True)
class Area:
    """multipliers: DSP48E2 or MULT18X18D; block_memories: 36 Kbit (Xilinx) or 18 Kbit (ECP5);
    ultra_memories: 288 Kbit; registers: those outside the multiplier blocks,
    registers_in_multipliers: the rest."""

    multipliers: int
    luts: int
    registers: int
    registers_in_multipliers: int
    block_memories: float
    ultra_memories: int = 0

    def __add__(self, other: Area) -> Area:
        return Area(*(a + b for a, b in zip(
            dataclasses.astuple(self), dataclasses.astuple(other), strict=True)))


def area_of(block: Block) -> Area:
    """The area of all instances of one block."""
    def count(weights: Mapping[str, float] | Iterable[str]) -> float:
        table = weights if isinstance(weights, Mapping) else dict.fromkeys(weights, 1)
        return sum(table.get(kind, 0) * number for kind, number in block.cells.items())

    n, inside = block.instances, block.tile_register_bits
    return Area(
        int(n * count(_MULTIPLIERS)), int(n * count(_LUTS)),
        n * (int(count(_REGISTERS)) - inside), n * inside, n * count(_BLOCK_MEMORIES),
        int(n * count(_ULTRA_MEMORIES)),
    )


def area_of_design(
    top: str, parameters: Mapping[str, object], family: str, more_blocks: Sequence[str] = (),
    folders: Sequence[str] = (),
) -> Area:
    """The area of a whole design. `more_blocks` are separate blocks besides the `BLOCKS` of
    arith/synthesis/yosys.py, `folders` have modules besides those that all tools know. Raises
    SynthesisFailed."""
    blocks = synthesize(top, parameters, family, folders=["build/area", *folders],
                        more_blocks=more_blocks)
    return total_area(blocks)


def total_area(blocks: Iterable[Block]) -> Area:
    """The sum over blocks."""
    return sum((area_of(block) for block in blocks), Area(0, 0, 0, 0, 0.0))


def _core_name(package: Path, reduce_tiles: bool) -> str:
    """The name of the design that is a core with the ROMs of an engine's package."""
    return f"field_core_{package.stem.removesuffix('_rom_pkg')}" + "_tiles" * reduce_tiles


def _core_top(package: Path, family: str, interval: int, reduce_tiles: bool) -> str:
    """Writes a top with field_core and the ROMs of an engine's package; returns its name."""
    name = f"area_{_core_name(package, reduce_tiles)}"
    name += "" if (family, interval) == ("xilinx", 1) else f"_{family}_{interval}"
    tile_a, tile_b = TILES[family]
    CACHE.mkdir(parents=True, exist_ok=True)
    text = package.read_text(encoding="utf-8")
    lookups, quick = " FixedCount " in text, " QuickRegBits " in text and interval == 1
    paced = " PacedMultiply " in text
    word_bits = "InstructionBits + LookupSlotBits" if lookups else "InstructionBits"
    word_bits += " + PaceSlotBits" if paced else ""
    pc_bits = "ImmBits + UpperBits" if paced else "ImmBits"
    contexts = QUICK_CONTEXTS if quick else PACED_CONTEXTS if paced else CONTEXTS
    fixed = """field_core_rom #(
    .Depth(FixedCount), .AddressBits(LookupTableRowBits + LookupWindowBits + 1), .Contents(Fixed)
  ) u_fixed (.clk_i, .address_i(fixed_address), .data_o(fixed_data));
""" if lookups else "assign fixed_data = '0;"
    (CACHE / f"{name}.sv").write_text(f"""// Generated by arith/synthesis/area.py.
module {name}
  import field_core_isa_pkg::*, {package.stem}::*;
(
  input  logic clk_i, rst_ni, job_valid_i, job_last_i, job_quick_i, result_ready_i,
  input  logic [255:0] job_data_i,
  input  logic [{pc_bits}-1:0] job_pc_i, job_quick_pc_i,
  input  logic [3:0] job_outputs_i,
  input  logic [71:0] job_tag_i,
  output logic job_ready_o, result_valid_o, result_last_o, mul_busy_o, idle_o,
  output logic memory_error_o,
  output logic [255:0] result_data_o,
  output logic [71:0] result_tag_o
);
  logic [{pc_bits}-1:0] program_address;
  logic [ConstantAddressBits-1:0] mul_address, add_address;
  logic [{word_bits}-1:0] program_data;
  logic [LookupTableRowBits+LookupWindowBits:0] fixed_address;
  logic [255:0] mul_data, add_data, fixed_data;
  {fixed}
  field_core_rom #(
    .Width({word_bits}), .Depth(ProgramLength), .AddressBits({pc_bits}), .Contents(Program)
  ) u_program (.clk_i, .address_i(program_address), .data_o(program_data));
  field_core_rom #(.Depth(MulConstCount), .Contents(MulConst)) u_mul_constants (
    .clk_i, .address_i(mul_address), .data_o(mul_data)
  );
  field_core_rom #(.Depth(AddConstCount), .Contents(AddConst)) u_add_constants (
    .clk_i, .address_i(add_address), .data_o(add_data)
  );
  field_core #(
    .Modulus(Modulus), .RegBits(RegBits), .MaxOutputs(MaxOutputs), .ReadMask(ReadMask),
    .Coefficients(Coefficients),
    .Interval({interval}), .TileA({tile_a}), .TileB({tile_b}), .ReduceTiles({int(reduce_tiles)}),
    .Folds({int(lookups)}), .Lookups({int(lookups)}),
    .Contexts({contexts}), .Paced({int(paced)}),
    .SavedCarries({int(quick)}), .QuickRegBits({"QuickRegBits" if quick else 0}),
    .QuickTurns({"QuickTurns" if quick else 1})
  ) u_core (
    .fixed_address_o(fixed_address), .fixed_data_i(fixed_data),
    .program_address_o(program_address), .program_data_i(program_data),
    .mul_address_o(mul_address), .mul_data_i(mul_data),
    .add_address_o(add_address), .add_data_i(add_data), .*
  );
endmodule
""")
    return name


def designs(family: str, interval: int) -> dict[str, tuple[str, dict[str, object]]]:
    """The name of each design that can be measured, with its top module and parameters. `_tiles`:
    with multiplier tiles in the reduction, for a modulus with an alternative
    (montgomery_reduce)."""
    tile_a, tile_b = TILES[family]
    common: dict[str, object] = {"Interval": interval, "TileA": tile_a, "TileB": tile_b}
    found: dict[str, tuple[str, dict[str, object]]] = {}
    for field, modulus in MODULI.items():
        width = {"Width": WIDTHS[field]} if field in WIDTHS else {}
        found[f"mod_mul_{field}"] = ("mod_mul", {**width, "Modulus": modulus, **common})
        if field in ("fr", "bls12_base"):
            found[f"mod_mul_{field}_tiles"] = (
                "mod_mul", {**width, "Modulus": modulus, "ReduceTiles": 1, **common})
    ensure_generated()
    for package in sorted(PROJECT_ROOT.glob("engines/*/rtl/generated/*_rom_pkg.sv")):
        for reduce_tiles in (False, True) if package.stem in WITH_TILES else (False,):
            top = _core_top(package, family, interval, reduce_tiles)
            found[_core_name(package, reduce_tiles)] = (top, {})
    # Without ROMs, and for programs that read every bank and use every coefficient.
    found["field_core_bls12_base"] = ("field_core", {
        "Width": WIDTHS["bls12_base"], "Modulus": MODULI["bls12_base"],
        "Contexts": WIDE_CONTEXTS, "RegBits": 6, "MaxOutputs": 12, "Frames": 2,
        "SavedCarries": int(interval == 1), **common})
    found |= BASE_FIELD_PARTS
    for stages in BLAKE_STAGES:
        found[f"blake3_compress_{stages}"] = ("blake3_compress", {"StagesPerRound": stages})
    found["blake3_port"] = ("blake3_port", {})
    for part in EQUIHASH_PARTS:
        found[f"equihash_{part}"] = (f"equihash_{part}", {})
    found["mod_divide"] = ("mod_divide", {})
    found["mod_divide_bls12_base"] = ("mod_divide", {
        "Width": 381, "Modulus": MODULI["bls12_base"], "Columns": 1, "SumClocks": 2})
    for part, part_parameters in COPROCESSOR_PARTS.items():
        found[f"bls_coprocessor_{part}"] = (f"bls_coprocessor_{part}", part_parameters)
    for part, part_parameters in PROGRAM_PARTS.items():
        found[part] = (part, part_parameters)
    for unit in CKKS_UNITS:
        found[unit] = (unit, {"Lanes": 1})
    return found


def measured(name: str, family: str, interval: int) -> tuple[Area, list[Block]]:
    """The area of one of the `designs`, and its blocks. Raises SynthesisFailed."""
    top, parameters = designs(family, interval)[name]
    blocks = synthesize(top, parameters, family, folders=["build/area"])
    return total_area(blocks), blocks


def _print_row(name: str, instances: str, area: Area) -> None:
    print(f"{name:<30} {instances:>5} {area.multipliers:>6} {area.luts:>8} {area.registers:>8} "
          f"{area.registers_in_multipliers:>10} {area.block_memories:>6g} {area.ultra_memories:>6}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--family", choices=sorted(TILES), default="xilinx")
    parser.add_argument("--interval", type=int, choices=(1, 2, 4), default=1)
    parser.add_argument("--design", action="append", help="only this design (may be repeated)")
    parser.add_argument("--blocks", action="store_true", help="also list the blocks of each design")
    parser.add_argument("--json", action="store_true", help="a line of JSON per design")
    arguments = parser.parse_args()

    known = designs(arguments.family, arguments.interval)
    wanted = arguments.design or list(known)
    for name in wanted:
        if name not in known:
            parser.error(f"no design `{name}`; there are: {', '.join(known)}")
    if not arguments.json:
        print(f"{'design (' + arguments.family + ')':<30} {'times':>5} {'DSP':>6} {'LUT':>8} "
              f"{'FF':>8} {'FF in DSP':>10} {'BRAM':>6} {'URAM':>6}")
    for name in wanted:
        try:
            total, blocks = measured(name, arguments.family, arguments.interval)
        except SynthesisFailed as failure:
            print(f"error: {name}: {failure}", file=sys.stderr)
            return 1
        if arguments.json:
            print(json.dumps({"design": name, "family": arguments.family,
                              "interval": arguments.interval} | dataclasses.asdict(total)))
            continue
        if arguments.blocks:
            for block in sorted(blocks, key=lambda block: block.module):
                _print_row(f"  {block.module}", str(block.instances), area_of(block))
        _print_row(name, "", total)
    return 0


if __name__ == "__main__":
    sys.exit(main())
