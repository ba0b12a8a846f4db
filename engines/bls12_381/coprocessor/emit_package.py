# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Writes the instruction set as a SystemVerilog package."""

from collections.abc import Callable

from arith.microcode.generate import camel, enum_lines
from engines.bls12_381.coprocessor.emit_rust import LICENSE, ORIGIN
from engines.bls12_381.coprocessor.isa import OPERANDS, SOURCES, TARGETS, Instruction, Isa

HEAD = """//
// bls_coprocessor_isa_pkg: instructions, kinds of slots, registers and errors of the BLS12-381
// coprocessor.
package bls_coprocessor_isa_pkg;

  /* verilator lint_off UNUSEDPARAM */  // no user needs the whole package
  /* verilator lint_off UNUSEDSIGNAL */  // not every operand has a meaning in every instruction"""

LIMITS = {"contexts": "MostContexts"}
"""Names of limits that would hide parameters of modules."""


def _case(head: str, subject: str, arms: list[str], default: str, note: str) -> list[str]:
    return [f"  // {note}", f"  function automatic {head};", f"    unique case ({subject})",
            *(f"      {arm}" for arm in arms), f"      default: return {default};", "    endcase",
            "  endfunction", ""]


def _arm(codes: list[str], result: str) -> list[str]:
    """An arm of a case, with its labels in lines of at most 100 columns."""
    lines, line = [], ""
    for code in codes:
        if line and len(line) + len(code) > 88:
            lines.append(line + ",")
            line = ""
        line += f"{', ' if line else ''}{code}"
    return [*lines, f"{line}:", f"  return {result};"]


def _codes(instructions: list[Instruction]) -> list[str]:
    return [f"Op{camel(one.name)}" for one in instructions]


def _operand_functions(instructions: list[Instruction]) -> list[str]:
    lines: list[str] = []
    for place in range(3):
        letter = "abc"[place]
        arms = []
        for operand in OPERANDS[1:]:
            those = [one for one in instructions if one.operands[place] == operand]
            arms += _arm(_codes(those), f"Operand{camel(operand)}") if those else []
        lines += _case(f"operand_e operand_{letter}(input opcode_e opcode)", "opcode", arms,
                       "OperandNone", f"The role of operand {letter}.")
    return lines


def _test(one: Instruction, row: list[str]) -> str:
    """The test that the operands that are read have the kinds of a row."""
    return " && ".join(f"{letter} == Kind{camel(kind)}"
                       for letter, operand, kind in zip("abc", one.operands, row)
                       if operand in SOURCES)


def _any_of(tests: list[str], indent: str) -> str:
    tests = list(dict.fromkeys(tests))
    return f" ||\n{indent}".join(f"({test})" if len(tests) > 1 else test for test in tests)


def _result(one: Instruction) -> str:
    """The kind of the result, as a function of the kinds that are read."""
    among: dict[str, list[str]] = {}
    for row in one.rows:
        for operand, kind in zip(one.operands, row):
            if operand in TARGETS:
                among.setdefault(kind, []).append(_test(one, row))
    *others, last = among
    return "".join(f"({_any_of(among[kind], '            ')}) ? Kind{camel(kind)} :\n        "
                   for kind in others) + f"Kind{camel(last)}"


def _rules(name: str, kind: str, many: str, instructions: list[Instruction],
           text: Callable[[Instruction], str], rest: str, note: str) -> list[str]:
    """`text` as two functions, so that registers can lie between them: one returns the values of
    all distinct rules for the kinds, the other the rule of an opcode. Rule 0 is `rest`, the rule
    of all other instructions."""
    groups: dict[str, list[Instruction]] = {rest: []}
    for one in instructions:
        groups.setdefault(text(one), []).append(one)
    arms = [line for number, those in enumerate(groups.values()) if those
            for line in _arm(_codes(those), f"4'd{number}")]
    size = f"{camel(name)}Rules"
    return [
        f"  // {note}", f"  localparam int unsigned {size} = {len(groups)};",
        f"  typedef {kind} [{size}-1:0] {many}_t;",
        f"  function automatic {many}_t {many}(input kind_e a, input kind_e b, input kind_e c);",
        *(f"    {many}[{number}] = {body};" for number, body in enumerate(groups)),
        "  endfunction", "",
        *_case(f"logic [3:0] {name}_rule(input opcode_e opcode)", "opcode", arms, "4'd0",
               f"The rule of an instruction, an index into `{many}_t`."),
    ]


def _row_functions(instructions: list[Instruction]) -> list[str]:
    """The functions that check the kinds that are read, and return the kind of the result."""
    tabled = [one for one in instructions
              if not one.takes_any and any(operand in SOURCES for operand in one.operands)]
    targeted = [one for one in instructions if one in tabled
                or one.takes_any and any(operand in TARGETS for operand in one.operands)]
    return [
        *_rules("fit", "logic", "fits", tabled,
                lambda one: _any_of([_test(one, row) for row in one.rows], "        "), "1'b1",
                "1 if the kinds of the operands' first slots fit the instruction, for each rule."),
        *_rules("result", "kind_e", "results", targeted,
                lambda one: "a" if one.takes_any else _result(one), "KindScalar",
                "The kind of the result if the kinds fit, for each rule."),
    ]


def package_text(isa: Isa) -> str:
    """Returns the package: codes, kinds, operands, registers, errors."""
    instructions = list(isa.instructions.values())
    lines = [LICENSE, f"// {ORIGIN}", HEAD]
    lines += [f"  localparam int unsigned {LIMITS.get(name, camel(name))} = {value};"
              for name, value in isa.limits.items()]
    lines += [""]
    lines += enum_lines("opcode_e", "Op", 8, [(one.name, one.code) for one in instructions])
    lines += enum_lines("kind_e", "Kind", 4, [(one.name, one.code) for one in isa.kinds.values()])
    lines += enum_lines("operand_e", "Operand", 4,
                   [(name, code) for code, name in enumerate(OPERANDS)])
    lines += enum_lines("fault_e", "Fault", 8,
                   [("none", 0), *((one.name, one.code) for one in isa.errors)])
    lines += ["  // An instruction in memory, with the code in the lowest byte. The eighth byte in",
              "  // the window has no meaning.",
              "  typedef struct packed {", "    logic [15:0] c;", "    logic [15:0] b;",
              "    logic [15:0] a;", "    logic [7:0] code;", "  } instruction_t;", ""]
    codes = {extension: _codes([one for one in instructions if one.extension == extension])
             for extension in (False, True)}
    lines += _case("logic is_known(input logic [7:0] code, input logic extension)",
                   "opcode_e'(code)",
                   [*_arm(codes[False], "1'b1"), *_arm(codes[True], "extension")],
                   "1'b0", "1 if a code is that of an instruction, with or without the extension.")
    slots: list[str] = []
    for count in sorted({one.slots for one in isa.kinds.values()}):
        kinds = [f"Kind{camel(one.name)}" for one in isa.kinds.values() if one.slots == count]
        slots += _arm(kinds, f"4'd{count}")
    lines += _case("logic [3:0] slots_of(input kind_e kind)", "kind", slots, "4'd0",
                   "The number of slots of an element.")
    lines += _operand_functions(instructions)
    lines += _row_functions(instructions)
    lines += ["  // Offsets of registers in a context's window, and of its memories."]
    lines += [f"  localparam logic [31:0] Register{camel(one.name)} = 32'h{one.offset:08x};"
              for one in isa.registers]
    lines += [f"  localparam logic [31:0] Window{camel(name)} = 32'h{value:08x};"
              for name, value in isa.window.items()]
    lines += ["", "  // Parts of an interrupt's reply in bytes, and of the error word in bits."]
    for part in isa.reply:
        lines += [f"  localparam int unsigned Reply{camel(part.name)}Offset = {part.offset};"]
    for bits in isa.error_word:
        lines += [f"  localparam int unsigned Error{camel(bits.name)}Low = {bits.low};",
                  f"  localparam int unsigned Error{camel(bits.name)}Bits = {bits.width};"]
    lines += ["  /* verilator lint_on UNUSEDSIGNAL */", "  /* verilator lint_on UNUSEDPARAM */", "",
              "endpackage", ""]
    return "\n".join(lines)
