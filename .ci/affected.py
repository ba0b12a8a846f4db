# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs the tests that the changes since a commit can affect.

    python3 .ci/affected.py            # since main, including uncommitted changes
    python3 .ci/affected.py HEAD~3     # since that commit
    python3 .ci/affected.py --print    # prints the commands, runs nothing

A Rust file affects its crate and every crate that depends on it. A Python or SystemVerilog file
affects the benches of its folder and of the later ones in the order arith, engines, card; a file of
the card also affects the benches of engines on the simulated card. A file of GPU kernels affects the
tests of kernels and of devices. A document affects the tests
that run its examples. Any other file, such as the Makefile, affects everything.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTEST = ["build/venv/bin/python", "-m", "pytest"]
EVERYTHING = [["make", "test"]]
# The crates whose tests run the examples of documents.
READERS = {"halimede-cli", "halimede-ckks", "halimede-ckks-card", "halimede-capi"}
PYTHON = "halimede-python"
# The crate of the npm package, which the tests of that package compile again.
JAVASCRIPT = "halimede-javascript"
# Benches of engines on the simulated card.
ON_CARD = sorted(
    str(path.relative_to(ROOT))
    for kind in ("table", "rates")
    for path in ROOT.glob(f"engines/*/rtl/tests/test_*_{kind}.py")
)
# The files from which the simulated card is built, by their endings.
HARDWARE = (".sv", ".svh", ".sha256", ".py", ".toml", ".cpp", ".h")
# The files of GPU kernels, of the stand-in driver and of their tools.
KERNELS = (".cu", ".cuh", ".cpp", ".h", ".py", ".json", ".mk", ".sh", ".txt")


class Workspace:
    """The crates, their folders, and their dependencies."""

    def __init__(self, folders: Mapping[str, str], needs: Mapping[str, Iterable[str]]) -> None:
        self.folders = dict(folders)
        self.needs = {name: set(others) for name, others in needs.items()}

    @classmethod
    def here(cls) -> Workspace:
        """Reads the workspace of this checkout."""
        command = ["cargo", "metadata", "--format-version=1", "--no-deps", "--locked"]
        done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        packages = json.loads(done.stdout)["packages"]
        names = {package["name"] for package in packages}
        return cls(
            {
                package["name"]: str(Path(package["manifest_path"]).parent.relative_to(ROOT))
                for package in packages
            },
            {
                package["name"]: {needed["name"] for needed in package["dependencies"]} & names
                for package in packages
            },
        )

    def crate_of(self, path: str) -> str | None:
        """Returns the crate of a file, by its folder."""
        within = [name for name, folder in self.folders.items() if path.startswith(f"{folder}/")]
        return max(within, key=lambda name: len(self.folders[name]), default=None)

    def dependents(self, names: Iterable[str]) -> set[str]:
        """Returns these crates and all crates that depend on them."""
        found = set(names)
        while True:
            more = {name for name, needs in self.needs.items() if needs & found} - found
            if not more:
                return found
            found |= more


def is_of_crate(path: str) -> bool:
    """Returns True if a file in a crate's folder is compiled or read by the crate's tests."""
    parts = Path(path).parts
    return path.endswith((".rs", "Cargo.toml", "build.rs")) or bool(
        {"src", "tests", "examples", "benches", "vectors", "include", "c"} & set(parts[:-1])
    )


def commands(paths: Iterable[str], workspace: Workspace) -> list[list[str]]:
    """Returns the commands that run the tests which these files can affect."""
    crates: set[str] = set()
    folders: set[str] = set()
    is_python = is_followed = False
    for path in paths:
        top = path.split("/")[0]
        # The pages whose steps are run literally, and the programs that they use.
        is_followed |= top == "examples" or path.startswith(("docs/start/", "docs/book/"))
        if path.endswith(".md"):
            crates |= READERS
            folders.add("docs")
            is_python |= path.endswith("README.md")
            continue
        crate = workspace.crate_of(path)
        if top == "python":
            is_python = True
        elif top in ("docs", "examples"):
            folders.add("docs")
            if path.startswith("examples/rust/"):
                crates.add("halimede-device")
        elif crate is None and top not in ("arith", "engines", "card"):
            return EVERYTHING
        if crate is not None and is_of_crate(path):
            crates.add(crate)
        if top in ("arith", "engines", "card") and path.endswith(HARDWARE):
            folders |= {
                "arith": {"arith", "engines", "card"},
                "engines": {"/".join(path.split("/")[:2]), "card"},
                "card": {"card", *ON_CARD},
            }[top]
            # The crate with the host's tests on the simulated card.
            crates.add("halimede-device")
        if path.startswith("places/cuda/") and path.endswith(KERNELS):
            folders.add("places")
            crates |= {"halimede-cuda", "halimede-device"}
    chosen = sorted(workspace.dependents(crates))
    result = []
    if "places" in folders:
        result += [["make", "gpu-venv"]]
    if folders & {"arith", "card"}:
        result += [["make", "check-generated", "card-sim"]]
    if "halimede-cuda" in chosen:
        result += [["make", "cuda-standin"]]
    if rust := [name for name in chosen if name != PYTHON]:
        result += [["cargo", "test", "--locked", *(f"--package={name}" for name in rust)]]
    if folders:
        result += [[*PYTEST, *sorted(folders)]]
    if is_python or PYTHON in chosen:
        result += [["make", "test-package"]]
    if JAVASCRIPT in chosen:
        result += [["make", "test-javascript"]]
    if is_followed:
        result += [["make", "test-pages"]]
    return result


def changed(since: str) -> list[str]:
    """Returns the files that differ from a commit's common ancestor with HEAD, including untracked
    files."""

    def lines(*command: str) -> list[str]:
        done = subprocess.run(["git", *command], cwd=ROOT, check=True, capture_output=True)
        return [name for name in done.stdout.decode().split("\0") if name]

    base = subprocess.run(
        ["git", "merge-base", since, "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()
    differing = lines("diff", "-z", "--name-only", "--no-renames", base)
    return sorted({*differing, *lines("ls-files", "-z", "--others", "--exclude-standard")})


def main() -> int:
    """Runs the tests; returns the exit code of the first command that fails, or 0."""
    parser = argparse.ArgumentParser(
        description="Runs the tests that the changes since a commit can affect."
    )
    parser.add_argument("since", nargs="?", default="main", help="a commit (default: main)")
    parser.add_argument("--print", action="store_true", help="print the commands, run nothing")
    arguments = parser.parse_args()
    try:
        chosen = commands(changed(arguments.since), Workspace.here())
    except subprocess.CalledProcessError as error:
        print(f"error: {shlex.join(error.cmd)}: {error.stderr!s}", file=sys.stderr)
        return 2
    for command in chosen:
        print(shlex.join(command), flush=True)
        if not arguments.print and (code := subprocess.run(command, cwd=ROOT).returncode) != 0:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
