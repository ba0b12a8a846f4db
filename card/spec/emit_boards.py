# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The card of each board, board_card, with its engines and their parameters from the manifests, and
its stream and multipliers from card/boards/boards.toml."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from card.spec.emit_card_top import BUSES, HEAD, KEEP, WIDE, packed, signal
from card.spec.problems import require
from card.spec.specification import Specification

BOARDS_FILE = Path(__file__).resolve().parents[1] / "boards" / "boards.toml"
# The modules that a board's card can use, and their ports besides the buses.
_PORTS = {
    "card_top": ["clk_i", "rst_ni"],
    "crossed_card": ["clk_i", "rst_ni", "core_clk_i"],
}


def boards() -> dict[str, dict[str, Any]]:
    """The boards by name: the module, and the parameters of the shell."""
    return tomllib.loads(BOARDS_FILE.read_text(encoding="utf-8"))


def engines_of(spec: Specification, board: str) -> list[str]:
    """The engines that are built for a board."""
    return [module.engine for module in spec.modules if board in module.boards]


def _values(spec: Specification, board: str, table: Mapping[str, Any]) -> dict[str, str]:
    """The parameters of the board's card, except BuildId, StreamBytes and Engines."""
    values: dict[str, str] = {}
    for module in spec.modules:
        values |= {name: str(value) for name, value in module.boards.get(board, {}).items()}
    known = {"CrossingStages", *(parameter.name for parameter in spec.shell_parameters)}
    for name, value in table.items():
        if name not in ("module", "StreamBytes"):
            require(name in known, f"board {board}: the shell has no parameter {name}")
            values[name] = str(value)
    return values


def _board_card(spec: Specification, board: str, table: Mapping[str, Any]) -> str:
    module = table["module"]
    require(module in _PORTS, f"board {board}: no module {module!r}")
    stream_bytes = table["StreamBytes"]
    widths = {WIDE: f"[{8 * stream_bytes - 1}:0]", KEEP: f"[{stream_bytes - 1}:0]"}
    buses = [(way, widths.get(width, width), name) for way, width, name in BUSES]
    mask = sum(1 << module.port for module in spec.modules if board in module.boards)
    parameters = {"BuildId": "BuildId", "StreamBytes": str(stream_bytes),
                  "Engines": f"Engines == 0 ? 32'h{mask:08x} : Engines",
                  **_values(spec, board, table)}
    engines = ", ".join(engines_of(spec, board)) or "no engine"
    names = [f".{name}" for name in _PORTS[module]]
    names += [f".{name}" for _, _, name in BUSES]
    lines = [
        *HEAD,
        f"// board_card: the card of {board}, a {module}, whose ports and rules it has.",
        f"// Engines: {engines}.",
        "module board_card #(",
        "  parameter logic [31:0] BuildId = 32'd0,",
        "  parameter logic [31:0] Engines = 32'd0  // 0: the engines named above",
        ") (",
        *(f"  input  logic {name}," for name in _PORTS[module]),
        *(f"  {signal(width, name, f'{way:<6} logic')}," for way, width, name in buses),
        "  output logic interrupt_o,",
        "  output logic idle_o",
        ");",
        f"  {module} #(",
        *packed([f".{name}({value})" for name, value in parameters.items()], "    "),
        "  ) u_card (",
        *packed([*names, ".engine_enable_i('1)", ".interrupt_o", ".idle_o"], "    "),
        "  );",
        "endmodule",
    ]
    return "\n".join(lines) + "\n"


def emit(spec: Specification) -> dict[str, str]:
    """Path below card/boards -> text."""
    known = boards()
    for module in spec.modules:
        for board in module.boards:
            require(board in known, f"engine {module.engine}: unknown board {board}")
            complaint = f"engine {module.engine}: board {board} has no memory for it"
            require(not module.memories, complaint)
    return {f"{board}/rtl/board_card.sv": _board_card(spec, board, table)
            for board, table in known.items()}
