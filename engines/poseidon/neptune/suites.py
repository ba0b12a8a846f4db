# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs the tests of neptune and of Filecoin's proofs, with neptune and with this folder in its place.

    python3 suites.py FOLDER [--limit SECONDS] [--only CRATE]…

Takes the crates from the registry, at fixed versions and with fixed SHA-256, unpacks them into FOLDER as one
workspace, and runs each suite twice: as published, and with `[patch.crates-io] neptune`. Prints a table. The
exit code is 1 if a test that passes with neptune fails here.

Tests that upstream marks as ignored stay ignored: they generate Groth16 parameters, or prove for minutes.
"""

import argparse
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent

# In order of cost.
CRATES = {
    "neptune": ("11.0.0", "7eaa7f90368545907dce7d5652a78f96a77d1e97019b230edbf54ce2440d5698"),
    "filecoin-hashers": ("14.0.1", "9081144cced0c2b7dc6e7337c2c8c7f4c6ff7ef0bb9c0b75b7f1aaeb1428ebd7"),
    "storage-proofs-core": ("19.0.1", "5c337424d4965c376506bc2f8f36c26ecf71089c97b49e445755f3b0930914b1"),
    "storage-proofs-update": ("19.0.1", "28d7c2ac1de6dd9925edf1306637c194f184cc2cab72422542cb6ea74bc4c9fd"),
    "storage-proofs-porep": ("19.0.1", "4206bb30605aa30099d823196bf700db3e082722205d71b2813ba0f175d61966"),
    "storage-proofs-post": ("19.0.1", "2ea448de59cf58559ca25980f0405a187436b6250b4d279d496a8c0a079d8b50"),
    "filecoin-proofs": ("19.0.1", "b42def522daf9cffe4c1f0190882aed109477ce429b33a5b21059f5face90635"),
}

# Unit tests of neptune's modules that use only its public interface. They are moved out of the crate; the lines
# replace `use super::*`.
PUBLIC_MODULES = {
    "circuit": "use neptune::circuit::*; use neptune::poseidon::PoseidonConstants; use neptune::Arity;"
    " use bellpepper_core::num::AllocatedNum; use ff::{Field, PrimeField};",
    "hash_type": "use neptune::hash_type::*; use ff::{Field, PrimeField};",
}
# Those of circuit2 also test private functions, so only this one is moved.
PUBLIC_TESTS = {
    "circuit2": (
        ["test_poseidon_hash", "test_poseidon_hash_aux"],
        "use neptune::circuit2::*; use neptune::hash_type::HashType; use neptune::poseidon::PoseidonConstants;"
        " use neptune::Arity; use bellpepper_core::num::AllocatedNum; use ff::{Field, PrimeField};",
    ),
}

# Tests that are left out, with the reason. Each name is a prefix for `--skip`.
EXCLUDED: dict[str, dict[str, str]] = {}

MANIFEST = """\
[workspace]
resolver = "2"
members = [{members}]

[profile.dev]
opt-level = 1
debug = false
overflow-checks = true

[profile.dev.package."*"]
opt-level = 3

[patch.crates-io]
{patches}
"""

RESULT = re.compile(r"^test (\S+)(?: - should panic)? \.\.\. (ok|FAILED|ignored)", re.MULTILINE)


def fetch(folder: pathlib.Path) -> dict[str, pathlib.Path]:
    """Lets cargo download the crates; returns the path of each package's archive."""
    stub = folder / "fetch"
    (stub / "src").mkdir(parents=True, exist_ok=True)
    (stub / "src/lib.rs").write_text("")
    lines = [f'{name} = {{ version = "={version}", default-features = false }}' for name, (version, _) in CRATES.items()]
    manifest = '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n[dependencies]\n'
    (stub / "Cargo.toml").write_text(manifest + "\n".join(lines) + "\n")
    command = ["cargo", "metadata", "--format-version", "1", "--manifest-path", str(stub / "Cargo.toml")]
    metadata = json.loads(subprocess.run(command, check=True, capture_output=True, timeout=600).stdout)
    archives = {}
    for package in metadata["packages"]:
        if package["name"] in CRATES and package["version"] == CRATES[package["name"]][0]:
            source = pathlib.Path(package["manifest_path"]).parent
            archives[package["name"]] = source.parents[2] / "cache" / source.parent.name / f"{source.name}.crate"
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
    modules = {name: (None, uses) for name, uses in PUBLIC_MODULES.items()} | PUBLIC_TESTS
    for name, (chosen, uses) in modules.items():
        body = tests_of((source / f"{name}.rs").read_text())
        if chosen:
            body = functions(body, chosen)
        body = body.replace("use super::*;", uses).replace("crate::TEST_SEED", seed.group(1))
        if "scalar_from_u64s" in body:
            body = body.replace("scalar_from_u64s, ", "")
            fn = scalar.group().replace("-> Fr", "-> blstrs::Scalar").replace("<Fr as", "<blstrs::Scalar as")
            body += fn.replace("Fr::from_repr", "blstrs::Scalar::from_repr")
        header = "#![allow(unused_imports, deprecated)]\n"
        (package / f"tests/{name}.rs").write_text(header + body.replace("crate::", "neptune::"))
    (package / "Cargo.toml").write_text(
        '[package]\nname = "neptune-public"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n'
        'neptune = { version = "11", features = ["bls"] }\nbellpepper-core = "0.2"\nblstrs = "0.7"\nff = "0.13"\n'
        'generic-array = "0.14"\nrand = "0.8"\nrand_xorshift = "0.3"\n'
    )


def write_workspace(folder: pathlib.Path, patched: bool) -> None:
    """Writes the manifest: the unpacked crates depend on each other, and on one of two neptunes."""
    folders = {name: f"{name}-{version}" for name, (version, _) in CRATES.items()}
    neptune = folders.pop("neptune")
    patches = {name: path for name, path in folders.items()}
    patches["neptune"] = str(HERE / "v11") if patched else neptune
    members = [*folders.values(), "neptune-public"] + ([] if patched else [neptune])
    text = MANIFEST.format(
        members=", ".join(f'"{member}"' for member in members),
        patches="\n".join(f'{name} = {{ path = "{path}" }}' for name, path in patches.items()),
    )
    (folder / "Cargo.toml").write_text(text)


def run(folder: pathlib.Path, name: str, limit: float) -> dict[str, str]:
    """Runs the tests of a crate; returns the result of each. One that was not reached is missing."""
    skipped = [word for test in EXCLUDED.get(name, {}) for word in ("--skip", test)]
    command = ["cargo", "test", "--package", name, "--no-default-features", "--lib", "--tests", "--no-fail-fast"]
    subprocess.run([*command, "--no-run", "--quiet"], cwd=folder, check=True, timeout=3600)
    log = folder / f"{name}.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [*command, "--", *skipped], cwd=folder, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return dict(RESULT.findall(log.read_text(errors="replace")))


def counts(results: dict[str, str]) -> str:
    """Passed / failed / ignored."""
    values = list(results.values())
    return " / ".join(str(values.count(word)) for word in ("ok", "FAILED", "ignored"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="workspace, with gigabytes of build outputs")
    parser.add_argument("--limit", type=float, default=900, help="seconds for the tests of one crate")
    parser.add_argument("--only", action="append", help="one crate, for example storage-proofs-core")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    unpack(folder)
    public_tests(folder)
    suites = ["neptune", "neptune-public", *list(CRATES)[1:]]
    suites = [suite for suite in suites if not arguments.only or suite in arguments.only]
    print("| Suite | With neptune: passed / failed / ignored | With this crate | Differences |\n|---|---|---|---|")
    is_worse = False
    for suite in suites:
        write_workspace(folder, patched=False)
        before = run(folder, suite, arguments.limit)
        if suite == "neptune":
            print(f"| {suite} | {counts(before)} | not run: tests of private functions | |", flush=True)
            continue
        write_workspace(folder, patched=True)
        after = run(folder, suite, arguments.limit)
        names = sorted(name for name in before | after if before.get(name) != after.get(name))
        worse = [name for name in names if before.get(name) == "ok"]
        is_worse |= bool(worse)
        notes = ", ".join(f"{name}: {before.get(name)} → {after.get(name)}" for name in names)
        print(f"| {suite} | {counts(before)} | {counts(after)} | {notes or 'none'} |", flush=True)
    sys.exit(is_worse)


if __name__ == "__main__":
    main()
