# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Generates the Rust module, the SystemVerilog package and the manual's tables from `isa.toml`.

`python -m engines.bls12_381.coprocessor.generate` writes the files; with `--check` it only reports
(exit code 1) which files would change.
"""

import sys
from pathlib import Path

from arith.microcode.generate import ROOT, run
from engines.bls12_381.coprocessor.emit_manual import table_text
from engines.bls12_381.coprocessor.emit_package import package_text
from engines.bls12_381.coprocessor.emit_rust import rust_text
from engines.bls12_381.coprocessor.isa import load

FOLDER = "engines/bls12_381"
RUST = ROOT / FOLDER / "src/coprocessor/isa.rs"
PACKAGE = ROOT / FOLDER / "rtl/bls_coprocessor_isa_pkg.sv"
README = ROOT / FOLDER / "coprocessor/README.md"


def texts() -> dict[Path, str]:
    isa = load()
    return {RUST: rust_text(isa), PACKAGE: package_text(isa), README: table_text(isa)}


def main() -> int:
    return run("engines.bls12_381.coprocessor.generate", __doc__, texts)


if __name__ == "__main__":
    sys.exit(main())
