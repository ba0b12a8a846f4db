# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Finds the project's proofs: each folder `formal` has a `proofs.py` with a list PROOFS."""

import importlib

from arith.formal.proof import Proof
from arith.formal.sby import FOLDERS
from arith.simulation.toolchain import PROJECT_ROOT


def all_proofs() -> list[Proof]:
    """Every proof, those of arith first."""
    proofs: list[Proof] = []
    for pattern in FOLDERS:
        for file in sorted(PROJECT_ROOT.glob(f"{pattern}/proofs.py")):
            name = ".".join(file.relative_to(PROJECT_ROOT).with_suffix("").parts)
            proofs += importlib.import_module(name).PROOFS
    names = [proof.name for proof in proofs]
    if len(set(names)) != len(names):
        raise ValueError(f"two proofs of one name among {names}")
    return proofs
