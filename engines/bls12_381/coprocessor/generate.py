# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Writes what follows from `isa.toml`: Rust, the SystemVerilog package and the manual's tables.

`python -m engines.bls12_381.coprocessor.generate` writes; with `--check` it only says (exit code 1)
which file would change.
"""

from __future__ import annotations

import argparse
import sys

from arith.microcode.generate import ROOT, with_section, write_or_check
from engines.bls12_381.coprocessor.emit_manual import table_text
from engines.bls12_381.coprocessor.emit_package import package_text
from engines.bls12_381.coprocessor.emit_rust import rust_text
from engines.bls12_381.coprocessor.isa import IsaError, load

FOLDER = "engines/bls12_381"
RUST = ROOT / FOLDER / "src/coprocessor/isa.rs"
PACKAGE = ROOT / FOLDER / "rtl/bls_coprocessor_isa_pkg.sv"
README = ROOT / FOLDER / "coprocessor/README.md"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m engines.bls12_381.coprocessor.generate",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing, exit 1 if it would")
    check = parser.parse_args().check
    try:
        isa = load()
    except (IsaError, KeyError, TypeError, ValueError) as error:
        print(f"{FOLDER}/coprocessor/isa.toml: {error}", file=sys.stderr)
        return 2
    results = [
        write_or_check(RUST, rust_text(isa), check),
        write_or_check(PACKAGE, package_text(isa), check),
        write_or_check(README, with_section(README, table_text(isa)), check),
    ]
    return int(check and not all(results))


if __name__ == "__main__":
    sys.exit(main())
