# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prints the clocks of every instruction of the coprocessor, for each kind that makes a difference.

`python -m engines.bls12_381.rtl.clocks [--contexts 16] [--only MUL,POINT] [--write]`: *alone* is the
register `last_clocks` of one context while the others wait; *batch* is the clocks per instruction if
all contexts execute it several times, starting together. Scalars have 255 bits, half of them 1; lists have two
elements, or two pairs. `--write` writes all rows to clocks.json and to the README's table, `--table`
writes the table from clocks.json.
"""

import argparse
import itertools
import json
import os
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cocotb

from arith.simulation.bench import run_bench, setting
from arith.simulation.toolchain import PROJECT_ROOT, ToolMissing
from engines.bls12_381.coprocessor.isa import Instruction
from engines.bls12_381.rtl.tests.coprocessor_cases import ISA, Builder
from engines.bls12_381.rtl.tests.test_bls_coprocessor import FOLDER, TOP, Host, begin

CONTEXTS = 16
SCALAR_BITS = 255
RESULT, RESULTS = 200, 220
KINDS = ("SCALAR", "SCALAR", "FE", "FE", "FE2", "FE2", "FE6", "FE6", "FE12", "FE12", "FP_AF", "FP2_AF",
         "FP_AF", "FP2_AF", "FP_JB", "FP_JB", "FP2_JB", "FP2_JB")
LIMIT_S = 7200
DATA, README = (Path(__file__).with_name(name) for name in ("clocks.json", "README.md"))
MARKS = ("<!-- begin generated -->\n", "<!-- end generated -->")
Row = tuple[str, str, int, int]
"""Instruction, kinds, clocks of a single instruction, clocks per instruction in a batch."""


def table_of(rows: Sequence[Row]) -> str:
    """Returns the rows as a Markdown table."""
    head = "| instruction | kinds | alone | batch |\n|---|---|---|---|\n"
    lines = (f"| `{name}` | `{kinds}` | {alone:,} | {each:,} |\n" for name, kinds, alone, each in rows)
    return head + "".join(lines)


def read_kinds(operands: Sequence[str], kinds: Sequence[str]) -> list[str]:
    """Returns the kinds of the operands that an instruction reads."""
    return [kind for operand, kind in zip(operands, kinds)
            if kind != "-" and operand not in ("result", "results", "to_slot")]


def readme_table_of(rows: Sequence[Row]) -> str:
    """Returns the table of the README: a row for each instruction, without the kinds of results."""
    lines = ["| instruction | kinds of its input | alone | batch |\n", "|---|---|---|---|\n"]
    for name, group in itertools.groupby(rows, key=lambda row: row[0]):
        operands = ISA.instructions[name].operands
        cells = zip(*((f"`{' '.join(read_kinds(operands, kinds.split()))}`", f"{alone:,}", f"{each:,}")
                      for _, kinds, alone, each in group))
        lines.append(f"| `{name}` | {' | '.join('<br>'.join(cell) for cell in cells)} |\n")
    return "".join(lines)


def kept_rows() -> list[Row]:
    """Returns the rows of clocks.json."""
    return [tuple(row) for row in json.loads(DATA.read_text())["clocks"]]


def with_table(readme: str, rows: Sequence[Row]) -> str:
    """Returns the README with the table of these rows."""
    before, rest = readme.split(MARKS[0])
    return before + MARKS[0] + readme_table_of(rows) + MARKS[1] + rest.split(MARKS[1], 1)[1]


def keep(rows: Sequence[Row], contexts: int) -> None:
    """Writes clocks.json."""
    lines = ",\n".join("    " + json.dumps(row) for row in rows)
    DATA.write_text(f'{{\n  "contexts": {contexts},\n  "clocks": [\n{lines}\n  ]\n}}\n')


class Data(Builder):
    """Builds two regular elements of each kind."""

    def scalar(self) -> int:
        ones = self.rng.sample(range(SCALAR_BITS - 1), SCALAR_BITS // 2)
        return 1 << SCALAR_BITS - 1 | sum(1 << bit for bit in ones)

    def number(self) -> int:
        return self.rng.getrandbits(380)


def file_of(number: int) -> Path:
    """The file with the findings of this bench."""
    return PROJECT_ROOT / f"build/benches/coprocessor-clocks-{number}.json"


def operands_of(instruction: Instruction, row: list[str], data: Data) -> tuple[int, int, int] | None:
    """Returns suitable operands, or None if the data have no element of the required kind."""
    numbers, used = [0, 0, 0], {}
    for k, (operand, kind) in enumerate(zip(instruction.operands, row)):
        if operand in ("element", "counter", "product", "slot", "list", "pairs"):
            kind = "FE" if kind == "any" else kind
            places = [place for place, one in data.elements if one == kind]
            numbers[k] = places[used.get(kind, 0) % len(places)]
            used[kind] = used.get(kind, 0) + 1
        elif operand in ("result", "results", "to_slot"):
            numbers[k] = RESULT
        elif operand == "count":
            numbers[k] = 2
        elif operand == "power":
            numbers[k] = 1
        elif operand == "target":
            return None
    return numbers[0], numbers[1], numbers[2]


def cases(only: list[str]) -> list[tuple[str, str, tuple[int, int, int]]]:
    """Returns instructions with kinds and operands."""
    data = Data(random.Random(1), {}, 0.0, strange=False)
    data.fill(KINDS)
    found = []
    for instruction in ISA.instructions.values():
        if only and not any(part in instruction.name for part in only):
            continue
        for row in instruction.rows if instruction.name != "NOOP_WAIT" else ():
            operands = operands_of(instruction, row, data)
            if operands:
                found.append((instruction.name, " ".join(row), operands))
    return found


async def _program(host: Host, context: int, data: Data, name: str, operands: tuple[int, int, int],
                   times: int) -> None:
    """Writes a program while the context waits at another place, so that it does not begin."""
    word = ISA.encode(name, *operands).hex()
    await host.start(context, ISA.limits["instructions"] - 1)
    for k in range(times):
        await host.write_instruction(context, k, word)
    await host.write_instruction(context, times, "00" * 8)


@cocotb.test()
async def clocks(dut: Any) -> None:
    contexts, only = int(setting("contexts")), json.loads(setting("only"))
    host = await begin(dut, random.Random(1), pause=0)
    data = Data(random.Random(1), {}, 0.0, strange=False)
    data.fill(KINDS)
    for context in range(contexts):
        for place, kind, digits in data.slots:
            await host.write_slot(context, place, kind, int(digits or "0", 16))
    rows: list[tuple[str, str, int, float]] = []
    for name, kinds, operands in cases(only):
        await _program(host, 0, data, name, operands, 1)
        await host.start(0, 0)
        await host.rest()
        alone = await host.register(0, "last_clocks")
        assert await host.register(0, "error") == 0, (name, kinds)
        times = 8 if alone < 5_000 else 4
        for context in range(contexts):
            await _program(host, context, data, name, operands, times)
        began = int(dut.clocks_o.value)
        for context in range(contexts):
            await host.start(context, 0)
        await host.rest()
        each = (int(dut.clocks_o.value) - began) / (contexts * times)
        rows.append((name, kinds, alone, each))
        dut._log.info("%s %s: %d, %.0f", name, kinds, alone, each)
    file_of(int(setting("number"))).write_text(json.dumps(rows))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m engines.bls12_381.rtl.clocks",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("--contexts", type=int, default=CONTEXTS,
                        help="contexts of the coprocessor, 1 to 16")
    parser.add_argument("--only", default="",
                        help="parts of the names of instructions, separated by commas")
    parser.add_argument("--write", action="store_true",
                        help="write clocks.json and the README's table")
    parser.add_argument("--table", action="store_true",
                        help="only write the README's table, from clocks.json")
    options = parser.parse_args()
    if options.write and options.only:
        parser.error("--write requires all rows: omit --only")
    if options.table:
        README.write_text(with_table(README.read_text(), kept_rows()))
        return 0
    number = os.getpid()
    file = file_of(number)
    file.parent.mkdir(parents=True, exist_ok=True)
    only = [part for part in options.only.split(",") if part]
    os.environ.setdefault("HALIMEDE_REQUIRE_RTL", "1")
    try:
        run_bench(__file__, TOP, {"Contexts": options.contexts}, folders=[FOLDER], tests="clocks",
                  settings={"contexts": options.contexts, "number": number, "only": json.dumps(only)},
                  time_limit_s=LIMIT_S)
    except ToolMissing as missing:
        print(f"engines.bls12_381.rtl.clocks: {missing}", file=sys.stderr)
        return 4
    rows = [(name, kinds, alone, round(each)) for name, kinds, alone, each in json.loads(file.read_text())]
    print(table_of(rows), end="")
    if options.write:
        keep(rows, options.contexts)
        README.write_text(with_table(README.read_text(), rows))
    file.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
