# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs the tests of neptune and of Filecoin's proofs, with neptune and with this folder instead.

    python3 suites.py FOLDER [--limit SECONDS] [--only SUITE]…

Takes the crates from the registry, at fixed versions and with fixed SHA-256, unpacks them into
FOLDER as one workspace with the lock file of engines/filecoin/peer, and runs each suite twice: as
published, and with `[patch.crates-io] neptune`. Prints a table. The exit code is 1 if a test that
passes with neptune fails here.

Tests that upstream marks as ignored stay ignored: they generate Groth16 parameters, or prove for
minutes.
"""

import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent

LOCK = HERE.parents[1] / "filecoin/peer/Cargo.lock"

# Versions and SHA-256, in order of cost.
CRATES = {
    "neptune": (
        "11.0.0", "7eaa7f90368545907dce7d5652a78f96a77d1e97019b230edbf54ce2440d5698",
    ),
    "filecoin-hashers": (
        "14.0.1", "9081144cced0c2b7dc6e7337c2c8c7f4c6ff7ef0bb9c0b75b7f1aaeb1428ebd7",
    ),
    "storage-proofs-core": (
        "19.0.1", "5c337424d4965c376506bc2f8f36c26ecf71089c97b49e445755f3b0930914b1",
    ),
    "storage-proofs-update": (
        "19.0.1", "28d7c2ac1de6dd9925edf1306637c194f184cc2cab72422542cb6ea74bc4c9fd",
    ),
    "storage-proofs-porep": (
        "19.0.1", "4206bb30605aa30099d823196bf700db3e082722205d71b2813ba0f175d61966",
    ),
    "storage-proofs-post": (
        "19.0.1", "2ea448de59cf58559ca25980f0405a187436b6250b4d279d496a8c0a079d8b50",
    ),
    "filecoin-proofs": (
        "19.0.1", "b42def522daf9cffe4c1f0190882aed109477ce429b33a5b21059f5face90635",
    ),
}

# Unit tests of neptune's modules that use only its public interface are moved out of the crate: the
# tests (all without a list), and the lines that replace `use super::*`. The other unit tests call
# private functions.
COMMON = (
    "use neptune::poseidon::PoseidonConstants; use neptune::hash_type::*; use neptune::Arity;"
    " use bellpepper_core::num::AllocatedNum; use ff::{Field, PrimeField};"
)
PUBLIC_TESTS: dict[str, tuple[list[str], str]] = {
    "circuit": (
        ["test_poseidon_hash", "test_poseidon_hash_aux"], f"use neptune::circuit::*; {COMMON}",
    ),
    "circuit2": (
        ["test_poseidon_hash", "test_poseidon_hash_aux"], f"use neptune::circuit2::*; {COMMON}",
    ),
    "hash_type": ([], COMMON),
}

# Features other than the default ones, which need OpenCL.
FEATURES = {"filecoin-hashers": "blake2s,poseidon,sha256"}

# Tests that are left out, and the reason. Each name is a part of the names of tests.
EXCLUDED = {
    "storage-proofs-core": {
        "test_por_circuit_blake2s": "minutes for circuits without Poseidon",
        "test_por_circuit_sha256": "minutes for circuits without Poseidon",
    },
}

MANIFEST = """\
[workspace]
resolver = "2"
members = [{members}]

[profile.release]
debug = false

{patch}
"""

PUBLIC_MANIFEST = """\
[package]
name = "neptune-public"
version = "0.0.0"
edition = "2021"

[dependencies]
bellpepper-core = "0.2"
blstrs = "0.7"
ff = "0.13"
generic-array = "0.14"
neptune = { version = "11", features = ["bls"] }
rand = "0.8"
rand_xorshift = "0.3"
"""

# The header of a test program, or the result of a test.
LINE = re.compile(
    r"^\s+Running (?:unittests )?(\S+) \("
    r"|^test (\S+)(?: - should panic)? \.\.\. (ok|FAILED|ignored)",
    re.MULTILINE,
)


def fetch(folder: pathlib.Path) -> dict[str, pathlib.Path]:
    """Lets cargo download the crates; returns the path of each package's archive."""
    stub = folder / "fetch"
    (stub / "src").mkdir(parents=True, exist_ok=True)
    (stub / "src/lib.rs").write_text("")
    lines = [
        f'{name} = {{ version = "={version}", default-features = false }}'
        for name, (version, _) in CRATES.items()
    ]
    package = '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n'
    manifest = stub / "Cargo.toml"
    manifest.write_text(package + "[workspace]\n[dependencies]\n" + "\n".join(lines) + "\n")
    shutil.copy(LOCK, stub / "Cargo.lock")
    command = ["cargo", "metadata", "--format-version", "1", "--manifest-path", str(manifest)]
    fetched = subprocess.run(command, check=True, capture_output=True, timeout=600)
    metadata = json.loads(fetched.stdout)
    archives = {}
    for package in metadata["packages"]:
        name, source = package["name"], pathlib.Path(package["manifest_path"]).parent
        if name in CRATES and package["version"] == CRATES[name][0]:
            cache = source.parents[2] / "cache" / source.parent.name
            archives[name] = cache / f"{source.name}.crate"
    return archives


def unpack(folder: pathlib.Path) -> None:
    """Unpacks the archives with the expected digests."""
    for name, archive in fetch(folder).items():
        expected, got = CRATES[name][1], hashlib.sha256(archive.read_bytes()).hexdigest()
        if got != expected:
            sys.exit(f"{archive}: expected SHA-256 {expected}, got {got}")
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")


def tests_of(source: str) -> str:
    """The body of the module `tests`, which ends the file."""
    return source.split("mod tests {", 1)[1].rsplit("}", 1)[0]


def functions(body: str, names: list[str]) -> str:
    """The lines before the first test, and these functions."""
    first = body.index("    #[test]")
    parts = [body[:first]]
    for name in names:
        pattern = rf"(?:    #\[test\]\n)?    fn {name}[<(].*?\n    }}\n"
        match = re.search(pattern, body, re.DOTALL)
        if match is None:
            sys.exit(f"neptune: no test {name}")
        parts.append(match.group())
    return "\n".join(parts)


def public_tests(folder: pathlib.Path) -> None:
    """Writes a package of neptune's tests that use only its public interface."""
    source = folder / f"neptune-{CRATES['neptune'][0]}" / "src"
    root = (source / "lib.rs").read_text()
    seed = re.search(r"const TEST_SEED: \[u8; 16\] = (\[.*?\]);", root, re.DOTALL)
    scalar = re.search(r"fn scalar_from_u64s.*?\n}\n", root, re.DOTALL)
    if seed is None or scalar is None:
        sys.exit("neptune: no TEST_SEED or scalar_from_u64s")
    package = folder / "neptune-public"
    (package / "src").mkdir(parents=True, exist_ok=True)
    (package / "tests").mkdir(exist_ok=True)
    (package / "src/lib.rs").write_text("")
    for name, (chosen, uses) in PUBLIC_TESTS.items():
        body = tests_of((source / f"{name}.rs").read_text())
        if chosen:
            body = functions(body, chosen)
        body = body.replace("use super::*;", uses).replace("crate::TEST_SEED", seed.group(1))
        if "scalar_from_u64s" in body:
            body = body.replace("scalar_from_u64s, ", "") + scalar.group()
        header = "#![allow(unused_imports, deprecated)]\n"
        (package / f"tests/{name}.rs").write_text(header + body.replace("crate::", "neptune::"))
    (package / "Cargo.toml").write_text(PUBLIC_MANIFEST)


def write_workspace(folder: pathlib.Path, patched: bool) -> None:
    """Writes the manifest. Only the members differ from the crates of the registry: by nothing."""
    members = [f"{name}-{version}" for name, (version, _) in CRATES.items()]
    patch = ""
    if patched:
        members.remove(f"neptune-{CRATES['neptune'][0]}")
        patch = f'[patch.crates-io]\nneptune = {{ path = "{HERE / "v11"}" }}'
    members.append("neptune-public")
    listed = ", ".join(f'"{member}"' for member in members)
    (folder / "Cargo.toml").write_text(MANIFEST.format(members=listed, patch=patch))
    shutil.copy(LOCK, folder / "Cargo.lock")


def run(folder: pathlib.Path, name: str, variant: str, limit: float) -> dict[str, str]:
    """Runs the tests of a suite; returns the result of each that ended within the limit. Their
    output is in FOLDER/NAME-VARIANT.log.
    """
    skipped = [word for test in EXCLUDED.get(name, {}) for word in ("--skip", test)]
    command = ["cargo", "test", "--release", "--package", name, "--no-default-features"]
    command += ["--features", FEATURES.get(name, ""), "--lib", "--tests", "--no-fail-fast"]
    if subprocess.run([*command, "--no-run", "--quiet"], cwd=folder, timeout=3600).returncode:
        return {"(build)": "FAILED"}
    log = folder / f"{name}-{variant}.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [*command, "--", *skipped],
            cwd=folder, stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
        )
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return results_of(log.read_text(errors="replace"))


def results_of(log: str) -> dict[str, str]:
    """The result of each test, by its program's file and its name."""
    program, results = "", {}
    for header, test, result in LINE.findall(log):
        if header:
            program = header
        else:
            results[f"{program} {test}"] = result
    return results


def counts(results: dict[str, str]) -> str:
    """Passed / failed / ignored."""
    values = list(results.values())
    return " / ".join(str(values.count(word)) for word in ("ok", "FAILED", "ignored"))


def main() -> None:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("folder", type=pathlib.Path, help="workspace; gigabytes of outputs")
    parser.add_argument("--limit", type=float, default=900, help="seconds for the tests of a suite")
    parser.add_argument("--only", action="append", help="one suite, as storage-proofs-core")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    unpack(folder)
    public_tests(folder)
    suites = ["neptune", "neptune-public", *list(CRATES)[1:]]
    suites = [suite for suite in suites if not arguments.only or suite in arguments.only]
    print("| Suite | With neptune: passed / failed / ignored | With this crate | Differences |")
    print("|---|---|---|---|", flush=True)
    is_worse = False
    for suite in suites:
        write_workspace(folder, patched=False)
        before = run(folder, suite, "neptune", arguments.limit)
        if suite == "neptune":
            note = "not run: tests of private functions"
            print(f"| {suite} | {counts(before)} | {note} | |", flush=True)
            continue
        write_workspace(folder, patched=True)
        after = run(folder, suite, "halimede", arguments.limit)
        names = sorted(name for name in before | after if before.get(name) != after.get(name))
        worse = [name for name in names if before.get(name) == "ok"]
        is_worse |= bool(worse)
        notes = [f"{name}: {before.get(name)} → {after.get(name)}" for name in names]
        differences = ", ".join(notes) or "none"
        print(f"| {suite} | {counts(before)} | {counts(after)} | {differences} |", flush=True)
    sys.exit(is_worse)


if __name__ == "__main__":
    main()
