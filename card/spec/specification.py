# SPDX-License-Identifier: Apache-2.0 OR MIT
"""card.toml and the manifests as typed, validated values, from which everything is generated."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from card.spec.manifests import STATUS_COMMAND, join, load_document
from card.spec.modules import Module, Parameter, Source, modules, parameters, source
from card.spec.problems import require as _require

CONTROL_ENGINE = "control"
REPLY_BIT = 0x8000_0000
REGISTER_BYTES = 4
ACCESSES = ("ro", "rw", "w1", "w1c")
WINDOW_BYTES = 0x1000

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_FIXED_TYPE = re.compile(r"(zero|bytes)([1-9][0-9]*)|u(8|16|32|64)")
_OPEN_TYPE_BYTES = {"element[]": 32, "word[]": 8, "data[]": 1}


@dataclass(frozen=True)
class Field:
    """One field of a payload. An open-ended field repeats `unit_bytes` and has no `size_bytes`.

    A field after an open-ended one is located from the payload's end, `from_end_bytes` before it.
    """

    name: str
    type: str
    meaning: str
    optional: bool
    offset_bytes: int
    size_bytes: int | None
    unit_bytes: int
    from_end_bytes: int | None = None
    source: str | None = None  # for the fields of the status
    engine: str | None = None  # the engine to which a field of the status belongs

    @property
    def is_zero(self) -> bool:
        return self.type.startswith("zero")


@dataclass(frozen=True)
class Payload:
    """The fields after a frame's header; offsets count from the end of the header."""

    fields: tuple[Field, ...]

    @property
    def fixed_bytes(self) -> int:
        """The number of bytes without the optional fields."""
        return sum(f.size_bytes or 0 for f in self.fields if not f.optional)

    @property
    def most_bytes(self) -> int | None:
        """The number of bytes with every optional field, None if the payload is open-ended."""
        if any(f.size_bytes is None for f in self.fields):
            return None
        return sum(f.size_bytes or 0 for f in self.fields)


@dataclass(frozen=True)
class Command:
    name: str
    code: int
    reply_code: int
    engine: str
    reserved: bool
    meaning: str
    request: Payload
    reply: Payload


@dataclass(frozen=True)
class Notice:
    """A reply that does not belong to a single command."""

    name: str
    code: int
    engine: str
    reserved: bool
    meaning: str
    payload: Payload


@dataclass(frozen=True)
class Register:
    name: str
    address: int
    access: str
    reset: int | None  # None: set when the card is built
    latches: str | None
    meaning: str
    source: str | None = None
    at_opening: bool = False


@dataclass(frozen=True)
class WindowRegister:
    """A register of every engine's window, or `words` consecutive ones."""

    name: str
    offset: int
    access: str
    words: int
    counts: bool  # a counter: the low word, followed by the high word
    meaning: str


@dataclass(frozen=True)
class Value:
    """A named number: a capability's bit, an instance's code, a status, a limit."""

    name: str
    value: int
    meaning: str
    engine: str | None = None  # the engine of a limit


@dataclass(frozen=True)
class Status:
    """A list of outcomes. Without `engine`, several engines, or the shell, use it."""

    name: str
    meaning: str
    values: tuple[Value, ...]
    engine: str | None = None


@dataclass(frozen=True)
class Instances:
    """The instances of an engine: codes, in the order of the bits of a mask."""

    engine: str
    meaning: str
    values: tuple[Value, ...]


@dataclass(frozen=True)
class Region:
    name: str
    first: int
    last: int
    engine: str
    meaning: str


@dataclass(frozen=True)
class Specification:
    major: int
    minor: int
    limits: tuple[Value, ...]
    capabilities: tuple[Value, ...]
    statuses: tuple[Status, ...]
    commands: tuple[Command, ...]
    notices: tuple[Notice, ...]
    instances: tuple[Instances, ...]
    registers: tuple[Register, ...]
    regions: tuple[Region, ...]
    shell_values: tuple[str, ...]
    shell_parameters: tuple[Parameter, ...]
    modules: tuple[Module, ...]
    window_registers: tuple[WindowRegister, ...]
    interrupts: tuple[Value, ...]

    def source_of(self, entry: Register | Field, constant: object) -> Source:
        """The source of a register's or status field's value."""
        return source(entry.source, constant, self.shell_values, self.modules, entry.name)

    @property
    def status_fields(self) -> tuple[Field, ...]:
        """The fields of the reply to get_fpga_status before its checksum."""
        fields = self.command(STATUS_COMMAND).reply.fields
        return tuple(f for f in fields if f.name not in ("checksum", "checksum_zero"))

    @property
    def version(self) -> int:
        return self.major << 16 | self.minor

    def instances_of(self, engine: str) -> tuple[Value, ...]:
        """The instances of an engine; empty if it has no such list."""
        return next((each.values for each in self.instances if each.engine == engine), ())

    def limit(self, name: str) -> int:
        return next(v.value for v in self.limits if v.name == name)

    def register(self, name: str) -> Register:
        return next(r for r in self.registers if r.name == name)

    def command(self, name: str) -> Command:
        return next(c for c in self.commands if c.name == name)


def _unique(what: str, values: list) -> None:
    seen = set()
    for value in values:
        shown = f"0x{value:x}" if isinstance(value, int) else value
        _require(value not in seen, f"{what} {shown} occurs twice")
        seen.add(value)


def _entry(
    table: dict, where: str, required: tuple[str, ...], optional: tuple[str, ...] = ()
) -> dict:
    """Checks an entry's keys and the spelling of its name."""
    for key in required:
        _require(key in table, f"{where} {table.get('name', '?')}: {key} is missing")
    for key in table:
        _require(key in required + optional, f"{where} {table.get('name', '?')}: unknown key {key}")
    if "name" in table:
        _require(bool(_NAME.fullmatch(table["name"])), f"{where}: bad name {table['name']!r}")
    return table


def _u32(value: object, where: str) -> int:
    _require(isinstance(value, int) and 0 <= value < 1 << 32, f"{where}: {value!r} is not a u32")
    return value  # type: ignore[return-value]


def _field_size(kind: str, where: str) -> tuple[int | None, int]:
    """(size, unit) in bytes of a field type."""
    if kind in _OPEN_TYPE_BYTES:
        return None, _OPEN_TYPE_BYTES[kind]
    match = _FIXED_TYPE.fullmatch(kind)
    _require(match is not None, f"{where}: unknown type {kind!r}")
    size = int(match[2]) if match[2] else int(match[3]) // 8
    return size, size


def _payload(tables: list, where: str) -> Payload:
    fields: list[Field] = []
    offset = 0
    for table in tables:
        _entry(table, where, ("name", "type", "meaning"), ("optional", "source", "engine"))
        here = f"{where}.{table['name']}"
        _require(not fields or not fields[-1].optional, f"{here} follows an optional field")
        size, unit = _field_size(table["type"], here)
        behind_open = any(f.size_bytes is None for f in fields)
        _require(not behind_open or size is not None, f"{here} is a second open-ended field")
        _require(
            not behind_open or not table.get("optional", False), f"{here}: optional after an open field"
        )
        if re.fullmatch(r"u\d+", table["type"]) and not behind_open:
            _require(offset % unit == 0, f"{here} is not aligned to its size")
        fields.append(
            Field(
                table["name"],
                table["type"],
                table["meaning"],
                table.get("optional", False),
                offset,
                size,
                unit,
                source=table.get("source"),
                engine=table.get("engine"),
            )
        )
        offset += size or 0
    _unique(f"{where}: field", [f.name for f in fields])
    return Payload(_from_the_end(fields, where))


def _from_the_end(fields: list[Field], where: str) -> tuple[Field, ...]:
    """The fields; those after an open-ended one with their distances from the payload's end."""
    placed: list[Field] = []
    left = 0
    trailing = any(f.size_bytes is None for f in fields)
    for field in reversed(fields):
        trailing = trailing and field.size_bytes is not None
        if trailing:
            left += field.unit_bytes
            number = re.fullmatch(r"u\d+", field.type)
            _require(
                number is None or left % field.unit_bytes == 0,
                f"{where}.{field.name} is not aligned to its size from the end",
            )
            field = replace(field, from_end_bytes=left)
        placed.append(field)
    return tuple(reversed(placed))


def _commands(document: Mapping[str, Any]) -> tuple[Command, ...]:
    commands = []
    for table in document.get("command", []):
        _entry(
            table,
            "command",
            ("name", "code", "reply_code", "engine", "meaning", "request", "reply"),
            ("state",),
        )
        name = table["name"]
        _require(table.get("state", "reserved") == "reserved", f"command {name}: bad state")
        code, reply = _u32(table["code"], name), _u32(table["reply_code"], name)
        _require(code < REPLY_BIT <= reply, f"command {name}: bit 31 must mark only the reply")
        commands.append(
            Command(
                name,
                code,
                reply,
                table["engine"],
                "state" in table,
                table["meaning"],
                _payload(table["request"], f"{name} request"),
                _payload(table["reply"], f"{name} reply"),
            )
        )
    return tuple(commands)


def _notices(document: Mapping[str, Any]) -> tuple[Notice, ...]:
    notices = []
    for table in document.get("notice", []):
        _entry(table, "notice", ("name", "code", "engine", "meaning", "payload"), ("state",))
        code = _u32(table["code"], table["name"])
        _require(code >= REPLY_BIT, f"notice {table['name']}: bit 31 must be 1, as in all replies")
        notices.append(
            Notice(
                table["name"],
                code,
                table["engine"],
                "state" in table,
                table["meaning"],
                _payload(table["payload"], table["name"]),
            )
        )
    return tuple(notices)


def _registers(document: Mapping[str, Any]) -> tuple[Register, ...]:
    registers = []
    for table in document.get("register", []):
        _entry(table, "register", ("name", "address", "access", "reset", "meaning"),
               ("latches", "source", "at_opening"))
        name = table["name"]
        address = _u32(table["address"], name)
        _require(address % REGISTER_BYTES == 0, f"register {name}: address 0x{address:x} unaligned")
        _require(table["access"] in ACCESSES, f"register {name}: bad access {table['access']!r}")
        reset = None if table["reset"] == "build" else _u32(table["reset"], name)
        registers.append(
            Register(name, address, table["access"], reset, table.get("latches"), table["meaning"],
                     table.get("source"), table.get("at_opening", False))
        )
    return tuple(registers)


def _window_registers(document: Mapping[str, Any]) -> tuple[WindowRegister, ...]:
    registers = []
    end = 0
    for table in document.get("window_register", []):
        counts = "counts" in table
        needed = ("counts",) if counts else ("access", "meaning")
        _entry(table, "window_register", ("name", "offset", *needed), ("words",))
        name, offset = table["name"], _u32(table["offset"], table["name"])
        access = table.get("access", "ro")
        words = 2 if counts else table.get("words", 1)
        _require(offset % REGISTER_BYTES == 0, f"window_register {name}: the offset is not aligned")
        _require(offset >= end, f"window_register {name}: overlaps the one before it")
        end = offset + words * REGISTER_BYTES
        _require(end <= WINDOW_BYTES, f"window_register {name}: beyond the window's end")
        _require(access in ACCESSES, f"window_register {name}: bad access {access!r}")
        registers.append(
            WindowRegister(name, offset, access, words, counts,
                           table["counts"] if counts else table["meaning"])
        )
    return tuple(registers)


def _values(tables: list, where: str, key: str) -> tuple[Value, ...]:
    values = []
    for table in tables:
        _entry(table, where, ("name", key, "meaning"))
        values.append(Value(table["name"], _u32(table[key], table["name"]), table["meaning"]))
    _unique(f"{where} name", [v.name for v in values])
    _unique(f"{where} {key}", [v.value for v in values])
    return tuple(values)


def _limits(document: Mapping[str, Any]) -> tuple[Value, ...]:
    limits = []
    for name, table in document["limits"].items():
        _entry(table, f"limit {name}", ("value", "meaning"), ("engine",))
        limits.append(
            Value(name, _u32(table["value"], name), table["meaning"], table.get("engine"))
        )
    return tuple(limits)


def _instances(document: Mapping[str, Any]) -> tuple[Instances, ...]:
    return tuple(
        Instances(t["engine"], t["meaning"], _values(t["values"], "instance", "code"))
        for t in document.get("instances", [])
    )


def _regions(document: Mapping[str, Any]) -> tuple[Region, ...]:
    regions = []
    for table in document.get("region", []):
        _entry(table, "region", ("name", "first", "last", "engine", "state", "meaning"))
        regions.append(
            Region(table["name"], table["first"], table["last"], table["engine"], table["meaning"])
        )
    return tuple(regions)


def _check_registers(spec: Specification) -> None:
    _unique("register", [r.name for r in spec.registers])
    _unique("register address", [r.address for r in spec.registers])
    names = {r.name for r in spec.registers}
    for register in spec.registers:
        _require(
            register.latches is None or register.latches in names,
            f"register {register.name} latches {register.latches}, which does not exist",
        )
    spans = sorted(
        [(r.address, r.address + REGISTER_BYTES - 1, r.name) for r in spec.registers]
        + [(g.first, g.last, g.name) for g in spec.regions]
    )
    for (_, last, below), (first, _, above) in zip(spans, spans[1:]):
        _require(last < first, f"{below} overlaps {above}")


def _check_sources(spec: Specification) -> None:
    """Checks that every register and every status field has a source, and that windows do not
    overlap."""
    latched = {r.latches for r in spec.registers}
    for register in spec.registers:
        if register.name not in latched:
            spec.source_of(register, register.reset)
    for field in spec.status_fields:
        spec.source_of(field, 0)
    for module in spec.modules:
        first = module.window * WINDOW_BYTES
        taken = [g.name for g in spec.regions if g.first < first + WINDOW_BYTES and g.last >= first]
        _require(not taken, f"the window of {module.engine} overlaps {taken}")
    _require(
        all(r.address < WINDOW_BYTES for r in spec.registers), "a register lies in a window"
    )


def _check(spec: Specification) -> None:
    """Checks for conflicts between entries and between values that are stated in two places."""
    limits = {v.name: v.value for v in spec.limits}
    for name in ("header_bytes", "alignment_bytes", "max_frame_bytes", "element_bytes"):
        _require(name in limits, f"limit {name} is missing")
    _require(
        limits["max_frame_bytes"] % limits["alignment_bytes"] == 0,
        "max_frame_bytes is not a multiple of alignment_bytes",
    )
    _unique("command or notice", [c.name for c in spec.commands] + [n.name for n in spec.notices])
    _unique(
        "code",
        [c.code for c in spec.commands]
        + [c.reply_code for c in spec.commands]
        + [n.code for n in spec.notices],
    )
    engines = {CONTROL_ENGINE} | {c.name for c in spec.capabilities}
    for entry in (*spec.commands, *spec.notices, *spec.regions):
        _require(entry.engine in engines, f"{entry.name}: no such engine {entry.engine!r}")
    for command in spec.commands:
        for payload in (command.request, command.reply):
            size = limits["header_bytes"] + (payload.most_bytes or payload.fixed_bytes)
            _require(size <= limits["max_frame_bytes"], f"{command.name}: longer than a frame")
    _require(all(v.value < 32 for v in spec.capabilities), "a capability bit is above 31")
    for instances in spec.instances:
        _require(len(instances.values) <= 32, f"{instances.engine}: more than 32 instances")
        fits = all(v.value < 256 for v in instances.values)
        _require(fits, f"{instances.engine}: an instance code is above 255")
    _check_registers(spec)
    _check_sources(spec)
    for name, value in (("version", spec.version), ("max_frame_bytes", limits["max_frame_bytes"])):
        _require(spec.register(name).reset == value, f"register {name} does not reset to {value}")


def parse(shell: str, manifests: Mapping[str, str]) -> Specification:
    """The specification from the shell's TOML text and the engines' manifests by name.

    Raises SpecificationError if it is inconsistent.
    """
    return _specification(join(shell, manifests))


def _specification(document: Mapping[str, Any]) -> Specification:
    known = {
        "version",
        "limits",
        "capability",
        "status",
        "command",
        "notice",
        "instances",
        "register",
        "region",
        "module",
        "parameter",
        "value",
        "window_register",
        "interrupt",
    }
    for key in document:
        _require(key in known, f"unknown section {key}")
    statuses = tuple(
        Status(t["name"], t["meaning"], _values(t["values"], t["name"], "value"), t.get("engine"))
        for t in document.get("status", [])
    )
    shell_parameters = parameters(document.get("parameter", []), "")
    spec = Specification(
        major=document["version"]["major"],
        minor=document["version"]["minor"],
        limits=_limits(document),
        capabilities=_values(document.get("capability", []), "capability", "bit"),
        statuses=statuses,
        commands=_commands(document),
        notices=_notices(document),
        instances=_instances(document),
        registers=_registers(document),
        regions=_regions(document),
        shell_values=tuple(table["name"] for table in document.get("value", [])),
        shell_parameters=shell_parameters,
        modules=modules(document.get("module", []), shell_parameters),
        window_registers=_window_registers(document),
        interrupts=_values(document.get("interrupt", []), "interrupt", "bit"),
    )
    _check(spec)
    return spec


def load() -> Specification:
    """The specification of card.toml and the manifests."""
    return _specification(load_document())
