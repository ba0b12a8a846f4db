# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Checks that the simulation of the host and the tests of `halimede-files` catch faults.

Each mutant of `mutants.toml` is a fault in the host's code and a run that must fail with it. The
tracked files are copied to `build/mutants/tree`; all runs must first pass there. Then the mutants
are inserted, built and run sequentially. A mutant is caught by a wrong answer, a panic or a run
without end; a mutant that does not compile is an error, and a mutant whose run passes survives.

    python simulation/mutants.py            # all mutants
    python simulation/mutants.py distrust   # the mutants with this in their name
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "simulation" / "mutants.toml"
TREE = ROOT / "build" / "mutants" / "tree"
TARGET = ROOT / "build" / "mutants" / "target"
SIMULATION = "halimede-simulation"

# The time limit of a run in seconds, far more than an unchanged tree needs on a busy machine.
RUN_LIMIT_S = 120
BUILD_LIMIT_S = 1800
# The lines of a run's output that name a failure, the most informative first.
FAILURES = [re.compile(r"^seed \d+: |HALIMEDE_SEED=\d+: "), re.compile("panicked at")]


class MutantError(Exception):
    """A mutant or the unchanged tree cannot be run as `mutants.toml` says."""


@dataclass(frozen=True)
class Mutant:
    """A fault: the only occurrence of `find` in `file` becomes `replace`."""

    name: str
    point: str
    file: str
    find: str
    replace: str
    # The run that must fail: a simulation with this number of faults, or a test of halimede-files.
    faults: int = 0
    test: str = ""

    def mutated(self, text: str) -> str:
        """The file's text with the fault."""
        if (count := text.count(self.find)) != 1:
            raise MutantError(f"{self.name}: its text occurs {count} times in {self.file}, not once")
        return text.replace(self.find, self.replace)


@dataclass(frozen=True)
class Run:
    """The result of a run."""

    failed: bool
    reason: str
    seconds: float


def copy_tree() -> None:
    """Makes the copy equal to the checkout. Equal files keep their times, so that Cargo rebuilds
    only files that differ; files that a stopped run left mutated are restored."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True)
    names = {name for name in listed.stdout.decode().split("\0") if (ROOT / name).is_file()}
    for name in names:
        source, copy = (ROOT / name).read_bytes(), TREE / name
        if not copy.is_file() or copy.read_bytes() != source:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(source)
    for copy in TREE.rglob("*"):
        if copy.is_file() and str(copy.relative_to(TREE)) not in names:
            copy.unlink()


def execute(command: list[str], limit_s: float) -> tuple[int | None, str]:
    """Returns the exit code and the output; no code if the command exceeded the limit."""
    settings = {
        "CARGO_TARGET_DIR": str(TARGET),
        # The programs are built often and run briefly.
        "CARGO_PROFILE_RELEASE_LTO": "off",
        "CARGO_PROFILE_RELEASE_DEBUG": "false",
        "RUST_BACKTRACE": "0",
        "HALIMEDE_SWEEP": "0",
    }
    process = subprocess.Popen(
        command, cwd=TREE, env=os.environ | settings, text=True, errors="replace",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return None, process.communicate()[0]
    return process.returncode, output


def build(mutant: Mutant) -> None:
    """Builds the programs of a mutant's run."""
    if mutant.test:
        command = ["cargo", "test", "--locked", "--no-run", "-p", "halimede-files", "--tests"]
    else:
        command = ["cargo", "build", "--locked", "--release", "-p", SIMULATION]
    code, output = execute(command, BUILD_LIMIT_S)
    if code != 0:
        raise MutantError(f"{mutant.name}: it does not build\n{output}")


def run(mutant: Mutant) -> Run:
    """Runs a mutant's run."""
    if mutant.test:
        command = ["cargo", "test", "--locked", "-p", "halimede-files", "--test", *mutant.test.split()]
    else:
        command = [str(TARGET / "release" / SIMULATION), "--faults", str(mutant.faults)]
    start = time.monotonic()
    code, output = execute(command, RUN_LIMIT_S)
    seconds = time.monotonic() - start
    if code is None:
        return Run(True, f"no end within {RUN_LIMIT_S} s", seconds)
    return Run(code != 0, failure_in(output), seconds)


def failure_in(output: str) -> str:
    """Returns the first line that names a failure. A panic's message is on the line after its
    place."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    found = (n for failure in FAILURES for n, line in enumerate(lines) if failure.search(line))
    if (first := next(found, None)) is None:
        return lines[-1] if lines else "no output"
    is_headline = lines[first].endswith(":") and first + 1 < len(lines)
    reason = lines[first + 1] if is_headline else lines[first]
    return reason.removeprefix("called `Result::unwrap()` on an `Err` value: ")


def check_unchanged(mutants: list[Mutant]) -> None:
    """Checks that every run passes without a fault. The longest simulation contains all others."""
    runs = {mutant.test: mutant for mutant in sorted(mutants, key=lambda mutant: mutant.faults)}
    for mutant in runs.values():
        build(mutant)
        outcome = run(mutant)
        what = mutant.test or f"{mutant.faults} faults"
        if outcome.failed:
            raise MutantError(f"the unchanged tree fails ({what}): {outcome.reason}")
        print(f"{'unchanged tree, ' + what:63} passes   {outcome.seconds:6.1f} s", flush=True)


def try_mutant(mutant: Mutant) -> bool:
    """Inserts the fault, runs, and removes the fault. Returns true if it was caught."""
    path = TREE / mutant.file
    original = path.read_text()
    path.write_text(mutant.mutated(original))
    try:
        build(mutant)
        outcome = run(mutant)
    finally:
        path.write_text(original)
    verdict = "caught  " if outcome.failed else "SURVIVES"
    reason = outcome.reason[:150] if outcome.failed else ""
    print(f"{mutant.point:12} {mutant.name:50} {verdict} {outcome.seconds:6.1f} s  {reason}", flush=True)
    return outcome.failed


def load() -> list[Mutant]:
    """The mutants of `mutants.toml`."""
    return [Mutant(**fields) for fields in tomllib.loads(DATA.read_text())["mutant"]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="parts of mutants' names (default: all)")
    wanted = parser.parse_args().names
    mutants = load()
    mutants = [
        mutant for mutant in mutants if not wanted or any(name in mutant.name for name in wanted)
    ]
    try:
        copy_tree()
        for mutant in mutants:
            mutant.mutated((TREE / mutant.file).read_text())
        check_unchanged(mutants)
        survivors = [mutant.name for mutant in mutants if not try_mutant(mutant)]
    except MutantError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{len(mutants) - len(survivors)} of {len(mutants)} mutants caught")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
