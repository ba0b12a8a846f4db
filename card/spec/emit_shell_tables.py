# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The part of card_pkg that defines the wiring of the shell: the sources of registers and of the
status, the windows, and the reports of engines."""

from card.spec.modules import MOST_COUNTER_BITS, Module, Source
from card.spec.specification import Field, Specification
from card.spec.text import camel

_KINDS = {"constant": "FromConstant", "shell": "FromShell", "shape": "FromShape",
          "counter": "FromCounter"}


def most_shape_words(spec: Specification) -> int:
    return max([1, *(len(module.shape) for module in spec.modules)])


def most_counters(spec: Specification) -> int:
    return max([1, *(len(module.counters) for module in spec.modules)])


def _ports(spec: Specification) -> list[Module | None]:
    """The module behind each port, from the highest to port 0."""
    count = 1 + max(capability.value for capability in spec.capabilities)
    by_port = {module.port: module for module in spec.modules}
    return [by_port.get(port) for port in reversed(range(count))]


def _of_ports(name: str, kind: str, values: list[str]) -> str:
    return f"  localparam logic [EnginePorts-1:0]{kind} {name} = {{\n    {', '.join(values)}\n  }};"


def _source(source: Source, high: bool = False) -> str:
    number = source.index if source.kind == "constant" else 0
    index = 0 if source.kind == "constant" else source.index
    return (f"'{{{_KINDS[source.kind]}, 5'd{source.port}, 5'd{index}, 1'b{int(high)}, "
            f"32'h{number:08x}}}")


def _table(name: str, kind: str, count: str, entries: list[str]) -> list[str]:
    joined = ",\n".join(f"    {entry}" for entry in entries)
    return [f"  localparam int unsigned {count} = {len(entries)};",
            f"  localparam {kind} {name}[{count}] = '{{", joined, "  };"]


def _engines(spec: Specification) -> list[str]:
    ports = _ports(spec)
    products = [
        sum(1 << i for i, counter in enumerate(module.counters) if counter.products)
        if module else 0 for module in ports
    ]
    mask = sum(1 << module.port for module in spec.modules)
    with_memory = sum(1 << module.port for module in spec.modules if module.memories)
    return [
        "",
        "  // Engines: the mask of those with a module. By port (capability bit): the bytes of a",
        "  // beat of requests, the window (0: none), the shape words, the counters, and the mask",
        "  // of counters that count products.",
        f"  localparam logic [31:0] EnginesWithModule = 32'h{mask:08x};",
        f"  localparam logic [31:0] EnginesWithMemory = 32'h{with_memory:08x};  // memory_card_top's",
        f"  localparam int unsigned MostShapeWords = {most_shape_words(spec)};",
        f"  localparam int unsigned MostCounters = {most_counters(spec)};",
        f"  localparam int unsigned MostCounterBits = {MOST_COUNTER_BITS};",
        _of_ports("RequestBytes", "[6:0]",
                  [f"7'd{module.request_bytes if module else 8}" for module in ports]),
        _of_ports("Windows", "[3:0]", [f"4'd{module.window if module else 0}" for module in ports]),
        _of_ports("ShapeWords", "[3:0]",
                  [f"4'd{len(module.shape) if module else 0}" for module in ports]),
        _of_ports("CounterCount", "[4:0]",
                  [f"5'd{len(module.counters) if module else 0}" for module in ports]),
        _of_ports("ProductCounters", "[MostCounters-1:0]",
                  [f"{most_counters(spec)}'d{mask}" for mask in products]),
        "",
        "  // The report of an engine to the shell.",
        "  typedef struct packed {",
        "    logic idle;     // no request in the engine",
        "    logic error;    // pulse: a request is answered with a status other than 0",
        "    logic ignored;  // pulse: a frame is answered by fpga_ignore_rpl",
        "    logic memory_error;  // pulse: a memory returned a wrong word; the engine has stopped",
        "    logic [MostCounters-1:0][MostCounterBits-1:0] events;  // counter increments",
        "    logic [MostShapeWords-1:0][31:0] shape;",
        "  } engine_report_t;",
    ]


def _status_source(spec: Specification, field: Field) -> Source:
    """A field without a source holds the reset value of the register of the same name."""
    if field.source is not None:
        return spec.source_of(field, 0)
    return spec.source_of(field, spec.register(field.name).reset)


def _registers(spec: Specification) -> list[str]:
    high_words = {register.latches for register in spec.registers}
    words: list[str] = []
    pairs: list[str] = []
    for register in spec.registers:
        if register.name in high_words:
            continue
        source = spec.source_of(register, register.reset)
        name = f"Register{camel(register.name)}"
        if register.latches is None:
            words.append(f"'{{{name}, {name},\n      {_source(source)}}}")
        else:
            high = f"Register{camel(register.latches)}"
            pairs.append(f"'{{{name}, {high},\n      {_source(source)}}}")
    status: list[str] = []
    for field in spec.status_fields:
        source = _status_source(spec, field)
        halves = (False, True) if field.size_bytes == 8 else (False,)
        status += [_source(source, high) for high in halves]
    return [
        "",
        "  // The source of a value. `index` counts the shell's values, or the shape words or",
        "  // counters of the engine of `port`. `high` selects its upper half.",
        "  typedef enum logic [1:0] {FromConstant, FromShell, FromShape, FromCounter} source_e;",
        "  typedef struct packed {",
        "    source_e     kind;",
        "    logic [4:0]  port;",
        "    logic [4:0]  index;",
        "    logic        high;",
        "    logic [31:0] number;  // of a constant",
        "  } source_t;",
        "  typedef struct packed {",
        "    logic [31:0] low;   // addresses; the same for a single word",
        "    logic [31:0] high;",
        "    source_t     source;",
        "  } register_rule_t;",
        "",
        "  // Registers of one word, and pairs.",
        *_table("WordRules", "register_rule_t", "RegisterWords", words),
        *_table("PairRules", "register_rule_t", "RegisterPairs", pairs),
        "",
        "  // The words of the reply to get_fpga_status between its header and its checksum.",
        *_table("StatusSources", "source_t", "StatusWords", status),
    ]


def emit(spec: Specification) -> list[str]:
    """Lines of the package."""
    lines = _engines(spec)
    lines += ["", "  // The indexes of the shell's values."]
    for place, value in enumerate(spec.shell_values):
        lines.append(f"  localparam int unsigned Shell{camel(value)} = {place};")
    lines.append(f"  localparam int unsigned ShellValues = {len(spec.shell_values)};")
    lines += _registers(spec)
    lines += ["", "  // Registers of every engine's window: offsets; and its interrupts: bits."]
    for register in spec.window_registers:
        lines.append(
            f"  localparam logic [11:0] Window{camel(register.name)} = 12'h{register.offset:03x};"
        )
    for interrupt in spec.interrupts:
        lines.append(
            f"  localparam int unsigned Interrupt{camel(interrupt.name)} = {interrupt.value};"
        )
    lines += [
        "",
        "  // An access to a register, and the reply of the block with that register; else zero.",
        "  typedef struct packed {",
        "    logic        requester;",
        "    logic        write;",
        "    logic [31:0] address;  // in bytes",
        "    logic [31:0] value;",
        "  } window_request_t;",
        "  typedef struct packed {",
        "    logic        exists;",
        "    logic        refused;  // the register is read only",
        "    logic [31:0] value;    // 0 for a write",
        "  } window_reply_t;",
    ]
    count = 1 + max(interrupt.value for interrupt in spec.interrupts)
    return [*lines, f"  localparam int unsigned Interrupts = {count};"]
