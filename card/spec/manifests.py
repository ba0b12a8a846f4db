# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Joins the shell's card.toml with the manifests of the engines, engines/*/engine.toml.

A manifest has a section `[engine]`, which becomes its capability, and the sections `limits`,
`status`, `command`, `notice`, `region` and `register` of card.toml. Its commands, notices and
regions belong to the engine implicitly; the names of its limits, statuses, registers and regions
begin with the engine's name. `[instances]` lists the instances of the engine, by codes and by the
bits of a mask. An engine that the card can have describes its module in `module`, `memory`,
`parameter`, `shape` and `counter` (card/spec/modules.py). `boards` lists the boards on which it is
built, with its parameters there. `status_field` describes its fields of the reply to
get_fpga_status.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from card.spec.problems import require

ROOT = Path(__file__).resolve().parents[2]
SHELL_FILE = Path(__file__).with_name("card.toml")
MANIFEST = "engine.toml"

_OF_THE_ENGINE = ("command", "notice", "region", "status", "status_field")
_WITH_ITS_NAME = ("status", "register", "status_field", "region")
_OF_THE_MODULE = ("module", "memory", "parameter", "shape", "counter", "boards")
_SECTIONS = frozenset({
    "engine", "limits", "instances",
    *_OF_THE_ENGINE, *_WITH_ITS_NAME, *_OF_THE_MODULE,
})
STATUS_COMMAND = "get_fpga_status"


def manifests(root: Path = ROOT) -> dict[str, str]:
    """The texts of the manifests, by engine: the name of the manifest's folder."""
    files = sorted(root.glob(f"engines/*/{MANIFEST}"))
    return {file.parent.name: file.read_text(encoding="utf-8") for file in files}


def _manifest(folder: str, text: str) -> dict[str, Any]:
    """A manifest, checked for the errors that only a manifest can have."""
    where = f"engines/{folder}/{MANIFEST}"
    document = tomllib.loads(text)
    for section in document:
        require(section in _SECTIONS, f"{where}: unknown section {section}")
    require("engine" in document, f"{where}: no section engine")
    name = document["engine"].get("name")
    require(name == folder, f"{where}: the engine's name {name!r} is not that of its folder")
    for section in _OF_THE_ENGINE:
        for entry in document.get(section, []):
            here = f"{where}: {section} {entry.get('name')}"
            require("engine" not in entry, f"{here}: a manifest needs no key `engine`")
    names = [(section, entry.get("name", "")) for section in _WITH_ITS_NAME
             for entry in document.get(section, [])]
    names += [("limit", name) for name in document.get("limits", {})]
    for section, entry_name in names:
        belongs = entry_name == folder or entry_name.startswith(f"{folder}_")
        require(belongs, f"{where}: {section} {entry_name} does not begin with the engine's name")
    return document


def join(shell: str, texts: Mapping[str, str]) -> dict[str, Any]:
    """One document from the shell's text and the manifests' texts by engine. Commands are sorted by
    code, registers by address, capabilities by bit; the other sections list the shell's entries,
    then those of the engines by their bits.

    Raises SpecificationError if a manifest is invalid.
    """
    document = tomllib.loads(shell)
    engines = [_manifest(folder, text) for folder, text in texts.items()]
    _by_number(engines, lambda engine: engine["engine"].get("bit"))
    for engine in engines:
        name = engine["engine"]["name"]
        document.setdefault("capability", []).append(engine["engine"])
        document.setdefault("module", []).append(
            {**engine["engine"], **{key: engine[key] for key in _OF_THE_MODULE if key in engine}}
        )
        for limit, value in engine.get("limits", {}).items():
            require(limit not in document["limits"], f"limit {limit} occurs twice")
            document["limits"][limit] = {**value, "engine": name}
        if "instances" in engine:
            document.setdefault("instances", []).append({**engine["instances"], "engine": name})
        for section in dict.fromkeys((*_WITH_ITS_NAME, *_OF_THE_ENGINE)):
            own = [_with_its_source(entry, name) for entry in engine.get(section, [])]
            if section in _OF_THE_ENGINE:
                own = [{**entry, "engine": name} for entry in own]
            document.setdefault(section, []).extend(own)
    _place_status_fields(document)
    for section, key in (("capability", "bit"), ("command", "code"), ("register", "address")):
        _by_number(document.get(section, []), lambda entry, key=key: entry.get(key))
    return document


def _with_its_source(entry: dict[str, Any], engine: str) -> dict[str, Any]:
    """A manifest's entry, with the engine's name in its source."""
    return {**entry, "source": f"{engine}.{entry['source']}"} if "source" in entry else entry


def _place_status_fields(document: dict[str, Any]) -> None:
    """Puts the engines' fields into the reply to get_fpga_status, each at its offset."""
    waiting = {entry.get("offset"): entry for entry in document.pop("status_field", [])}
    status = next((c for c in document["command"] if c.get("name") == STATUS_COMMAND), None)
    require(status is not None, f"no command {STATUS_COMMAND}")
    placed: list[dict[str, Any]] = []
    offset = 0

    def place(entry: dict[str, Any]) -> int:
        placed.append({key: value for key, value in entry.items() if key != "offset"})
        digits = re.sub(r"\D", "", entry.get("type", "")) or "0"
        return int(digits) if entry.get("type", "").startswith("zero") else int(digits) // 8

    for field in status["reply"]:  # type: ignore[index]
        while offset in waiting:
            offset += place(waiting.pop(offset))
        offset += place(field)
    for entry in waiting.values():
        require(False, f"status_field {entry.get('name')}: no room at offset {entry.get('offset')}")
    status["reply"] = placed  # type: ignore[index]


def _by_number(entries: list[dict[str, Any]], number: Callable[[dict[str, Any]], Any]) -> None:
    """Sorts entries by a number that each should have. Other code reports the entries without
    it."""
    if all(isinstance(number(entry), int) for entry in entries):
        entries.sort(key=number)


def load_document() -> dict[str, Any]:
    """The document of the files on disk."""
    return join(SHELL_FILE.read_text(encoding="utf-8"), manifests())
