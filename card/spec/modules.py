# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The properties of an engine that the RTL of the card needs: its module, parameters, shape and
counters; and the sources of all registers and words of the status.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from card.spec.problems import require
from card.spec.text import camel

MOST_SHAPE_WORDS = 8
MOST_COUNTERS = 16
MOST_COUNTER_BITS = 4
WINDOWS = range(1, 16)  # window 0 is the shell's
# The order of the replies of several copies of an engine: that of the requests, or any order.
COPIES = ("ordered", "any_order")

_PARAMETER = re.compile(r"[A-Z][A-Za-z0-9]*")
_MEMORY = re.compile(r"[a-z][a-z0-9_]*")
_ENGINE_SOURCE = re.compile(r"(\w+)\.(shape|counter)\.(\w+)")


@dataclass(frozen=True)
class Parameter:
    """A parameter of card_top: an unsigned number. `simulated` is its value in the simulated
    card."""

    name: str
    default: int
    simulated: int
    meaning: str


@dataclass(frozen=True)
class Counter:
    """A 64-bit counter that grows by up to 2^bits - 1 per clock. The counters of products are
    summed into the shell's `multiplier_busy`."""

    name: str
    bits: int
    products: bool
    meaning: str


@dataclass(frozen=True)
class ShapeWord:
    """32 bits that describe a build parameter."""

    name: str
    meaning: str


@dataclass(frozen=True)
class Memory:
    """An AXI4 master of an engine, with the ports `m_axi_NAME_*`. The bytes of a beat and the bits
    of an address are constant expressions of the parameters."""

    name: str
    beat_bytes: str
    address_bits: str
    meaning: str


@dataclass(frozen=True)
class Module:
    """An engine's module, whose name ends in `_port`, and its settings in card_top."""

    engine: str
    port: int  # the capability bit
    window: int
    name: str
    request_bytes: int
    parameters: tuple[Parameter, ...]
    passes: tuple[str, ...]  # parameters of the shell that it uses under their own names
    shape: tuple[ShapeWord, ...]
    counters: tuple[Counter, ...]
    boards: Mapping[str, Mapping[str, int]]  # the boards on which it is built, with its parameters
    copies: str | None = None  # one of COPIES: its port may have several copies of the engine
    memories: tuple[Memory, ...] = ()  # if any, memory_card_top has the engine
    simulated: bool = True  # the default simulated card has it

    @property
    def copies_parameter(self) -> Parameter | None:
        """The parameter of card_top for the number of copies."""
        if self.copies is None:
            return None
        return Parameter(f"{camel(self.engine)}Copies", 1, 1, "number of engines of this kind")

    @property
    def crossed_copies(self) -> bool:
        """True if each copy has its own crossing. A reset could leave several replies of one copy
        in its crossing, which the rotation of ordered copies does not expect."""
        return self.copies == "any_order"

    @property
    def all_parameters(self) -> tuple[Parameter, ...]:
        """The parameters of card_top for this engine."""
        copies = self.copies_parameter
        return (*self.parameters, copies) if copies else self.parameters

    def inner_name(self, parameter: Parameter) -> str:
        """The name of a parameter in the module: without the engine's name."""
        return parameter.name.removeprefix(camel(self.engine))


@dataclass(frozen=True)
class Source:
    """The source of a value. `shell`: `index` is the position among the shell's values. `shape` or
    `counter`: a word of the engine of `port`. `constant`: `index` is the value.
    """

    kind: str
    index: int
    port: int = 0


def _keys(
    table: Mapping[str, Any], where: str, needed: Sequence[str], optional: Sequence[str] = ()
) -> None:
    for key in needed:
        require(key in table, f"{where} {table.get('name', '?')}: {key} is missing")
    for key in table:
        known = key in needed or key in optional
        require(known, f"{where} {table.get('name', '?')}: unknown key {key}")


def parameters(tables: Sequence[Mapping[str, Any]], prefix: str) -> tuple[Parameter, ...]:
    """The sections `[[parameter]]` of one file; names begin with `prefix`."""
    found = []
    for table in tables:
        _keys(table, "parameter", ("name", "default", "meaning"), ("simulated",))
        name = table["name"]
        spelled = bool(_PARAMETER.fullmatch(name)) and name.startswith(prefix)
        require(spelled, f"parameter {name}: not in CamelCase beginning with {prefix!r}")
        numbers = (table["default"], table.get("simulated", table["default"]))
        ok = all(isinstance(number, int) and 0 <= number < 1 << 31 for number in numbers)
        require(ok, f"parameter {name}: the values must be below 2^31")
        found.append(Parameter(name, *numbers, table["meaning"]))
    return tuple(found)


def _memories(engine: Mapping[str, Any], where: str) -> tuple[Memory, ...]:
    """The sections `[[memory]]` of a manifest."""
    found = []
    for entry in engine.get("memory", []):
        _keys(entry, f"{where}: memory", ("name", "beat_bytes", "address_bits", "meaning"))
        ok = bool(_MEMORY.fullmatch(entry["name"]))
        require(ok, f"{where}: memory {entry['name']!r}: not a valid port name")
        found.append(Memory(**entry))
    names = [memory.name for memory in found]
    require(len(set(names)) == len(names), f"{where}: a memory occurs twice")
    return tuple(found)


def _module(engine: Mapping[str, Any], shell: Sequence[Parameter]) -> Module:
    name, table = engine["name"], engine["module"]
    where = f"engine {name}"
    # `measure_depth` is for arith/synthesis/depth.py.
    optional = ("passes", "measure_depth", "copies", "simulated")
    _keys(table, where, ("name", "window", "request_bytes"), optional)
    require(table["name"] == f"{name}_port", f"{where}: the module must be named {name}_port")
    require(table["window"] in WINDOWS, f"{where}: window {table['window']!r} does not exist")
    require(table["request_bytes"] in (8, 64), f"{where}: request_bytes must be 8 or 64")
    passes = tuple(table.get("passes", ()))
    for parameter in passes:
        known = any(parameter == other.name for other in shell)
        require(known, f"{where}: the shell has no parameter {parameter} to pass")
    copies = table.get("copies")
    require(copies in (None, *COPIES), f"{where}: copies must be one of {', '.join(COPIES)}")
    require(copies is None or table["request_bytes"] == 8, f"{where}: copies need request_bytes 8")
    memories = _memories(engine, where)
    require(not memories or copies is None, f"{where}: an engine with a memory cannot have copies")
    simulated = table.get("simulated", True)
    require(isinstance(simulated, bool), f"{where}: simulated must be true or false")
    require(simulated is False or not memories, f"{where}: the simulated card has no memory")
    shape, counters = [], []
    for entry in engine.get("shape", []):
        _keys(entry, f"{where}: shape", ("name", "meaning"))
        shape.append(ShapeWord(entry["name"], entry["meaning"]))
    for entry in engine.get("counter", []):
        _keys(entry, f"{where}: counter", ("name", "bits", "meaning"), ("products",))
        ok = entry["bits"] in range(1, MOST_COUNTER_BITS + 1)
        require(ok, f"{where}: counter {entry['name']} has invalid bits {entry['bits']!r}")
        counters.append(
            Counter(entry["name"], entry["bits"], entry.get("products", False), entry["meaning"])
        )
    require(len(shape) <= MOST_SHAPE_WORDS, f"{where}: more than {MOST_SHAPE_WORDS} shape words")
    require(len(counters) <= MOST_COUNTERS, f"{where}: more than {MOST_COUNTERS} counters")
    for what, entries in (("shape", shape), ("counter", counters)):
        names = [entry.name for entry in entries]
        require(len(set(names)) == len(names), f"{where}: a {what} occurs twice")
    own = parameters(engine.get("parameter", []), camel(name))
    boards = engine.get("boards", {})
    copied = f"{camel(name)}Copies" if copies is not None else None
    for board, values in boards.items():
        for parameter, value in values.items():
            known = parameter == copied or any(parameter == other.name for other in own)
            require(known, f"{where}: board {board}: the engine has no parameter {parameter}")
            ok = isinstance(value, int) and 0 <= value < 1 << 31
            require(ok, f"{where}: board {board}: {parameter} is not a number below 2^31")
    return Module(
        name, engine["bit"], table["window"], table["name"], table["request_bytes"], own, passes,
        tuple(shape), tuple(counters), boards, copies, memories, simulated,
    )


def modules(
    engines: Sequence[Mapping[str, Any]], shell: Sequence[Parameter]
) -> tuple[Module, ...]:
    """The engines that have a module, by their capability bits."""
    found = tuple(_module(engine, shell) for engine in engines if "module" in engine)
    windows = [module.window for module in found]
    for window in windows:
        require(windows.count(window) == 1, f"window {window} is used twice")
    names = [p.name for p in shell] + [p.name for module in found for p in module.all_parameters]
    for name in names:
        require(names.count(name) == 1, f"parameter {name} occurs twice")
    return tuple(sorted(found, key=lambda module: module.port))


def source(
    text: str | None, constant: object, shell: Sequence[str], engines: Sequence[Module], where: str
) -> Source:
    """The source that an entry names, or its constant if it names none."""
    if text is None:
        require(isinstance(constant, int), f"{where}: neither a source nor a constant")
        return Source("constant", constant)  # type: ignore[arg-type]
    match = _ENGINE_SOURCE.fullmatch(text)
    if match is None:
        require(text in shell, f"{where}: the shell has no value {text!r}")
        return Source("shell", list(shell).index(text))
    module = next((module for module in engines if module.engine == match[1]), None)
    require(module is not None, f"{where}: no engine {match[1]!r} with a module")
    entries = module.shape if match[2] == "shape" else module.counters  # type: ignore[union-attr]
    names = [entry.name for entry in entries]
    require(match[3] in names, f"{where}: {match[1]} has no {match[2]} {match[3]!r}")
    return Source(match[2], names.index(match[3]), module.port)  # type: ignore[union-attr]
