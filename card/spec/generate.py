# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Writes every form of card.toml and of the engines' manifests: Rust, SystemVerilog, C and
Markdown.

python -m card.spec.generate            write the files
python -m card.spec.generate --check    exit 1 naming each file that differs; writes nothing
"""

import argparse
import sys
from pathlib import Path

from card.spec import (
    emit_boards, emit_c, emit_card_top, emit_markdown, emit_rust, emit_systemverilog, emit_wire,
)
from card.spec.problems import SpecificationError
from card.spec.specification import Specification, load

ROOT = Path(__file__).resolve().parents[2]


def generated_files(spec: Specification) -> dict[str, str]:
    """Path below the project's root -> text."""
    return {
        **{f"card/src/spec/{name}": text for name, text in emit_rust.emit(spec).items()},
        **{
            f"engines/{module.engine}/wire/src/spec.rs": emit_wire.emit(spec, module.engine)
            for module in spec.modules
        },
        "card/rtl/card_pkg.sv": emit_systemverilog.emit(spec),
        "card/rtl/card_top.sv": emit_card_top.card_top(spec),
        "card/rtl/memory_card_top.sv": emit_card_top.memory_card_top(spec),
        "card/sim/memory_pins.h": emit_card_top.memory_pins(spec),
        "card/rtl/crossed_card.sv": emit_card_top.crossed_card(spec),
        **{f"card/boards/{name}": text for name, text in emit_boards.emit(spec).items()},
        "card/include/halimede_card.h": emit_c.emit(spec),
        "docs/card.md": emit_markdown.emit(spec),
    }


def stale_files(spec: Specification, root: Path) -> list[str]:
    """The generated files whose text on disk is missing or different."""

    def on_disk(path: Path) -> str | None:
        return path.read_text(encoding="utf-8") if path.is_file() else None

    return [name for name, text in generated_files(spec).items() if on_disk(root / name) != text]


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m card.spec.generate",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    options = parser.parse_args(arguments)
    try:
        spec = load()
    except (SpecificationError, KeyError, ValueError) as error:
        print(f"card/spec/card.toml and engines/*/engine.toml: {error}", file=sys.stderr)
        return 2
    stale = stale_files(spec, root)
    if options.check:
        for name in stale:
            print(
                f"{name} is not up to date: run python -m card.spec.generate",
                file=sys.stderr,
            )
        return 1 if stale else 0
    for name in stale:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(generated_files(spec)[name], encoding="utf-8")
        print(f"wrote {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
