# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Generates THIRD-PARTY-NOTICES.txt: the third-party software in the command, the C library, the
Python package and the npm package, and its licenses.

    python3 -m release.notices            # writes the file
    python3 -m release.notices --check    # fails if the file is not up to date

The list comes from `cargo tree` for the targets of the packages, without build and test
dependencies. If a crate offers a choice, the first license of PREFERENCE is used. The texts come
from the crates' own files, each printed once; Apache-2.0 is printed from this project's file. A
crate without a file for its license gets the standard text with its authors. (cargo-about is not
used: every `make test` checks this file, and compiling that tool takes minutes on a new machine.)
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "THIRD-PARTY-NOTICES.txt"
SHIPPED = ("halimede-cli", "halimede-capi", "halimede-python")
NPM = ("halimede-javascript",)
# The crates of each target.
TARGETS = {
    "x86_64-unknown-linux-gnu": SHIPPED,
    "aarch64-unknown-linux-gnu": SHIPPED,
    "wasm32-unknown-unknown": NPM,
}
APACHE = "Apache-2.0"
# The accepted licenses, in the order of preference (deny.toml has the same list).
PREFERENCE = (APACHE, "MIT", "BSD-2-Clause", "BSD-3-Clause", "ISC", "CC0-1.0", "Unicode-3.0")
# The names of license files, of crates and of the C libraries that they bundle.
LICENSE_FILE = re.compile(r"^(licen[cs]e|copying|unlicense|copyright)", re.IGNORECASE)
NOTICE_FILE = re.compile(r"^notice", re.IGNORECASE)
VENDORED = {"secp256k1-sys": ("libsecp256k1", "MIT", "depend/secp256k1/COPYING")}
# Words that identify the text of a license.
MARKS = {
    "ISC": "permission to use, copy, modify, and/or distribute this software",
    APACHE: "apache license",
    "MIT": "permission is hereby granted, free of charge",
    "BSD-2-Clause": "redistribution and use in source and binary forms",
    "BSD-3-Clause": "redistribution and use in source and binary forms",
    "CC0-1.0": "cc0",
    "Unicode-3.0": "unicode license v3",
}
MIT_TEXT = """Copyright (c) {authors}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense,
and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so,
subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial
portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN
NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY,
WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""
HEAD = """\
Third-party notices
===================

The command halimede, its C library, its Python package and its npm package contain the software
below. Each part may be used, copied and redistributed under the license next to its name; the texts
of the licenses follow. `python3 -m release.notices` makes this file.

"""
# The software that the compiler and the linker add.
RUNTIMES = (
    ("The Rust standard library", "Apache-2.0", "https://www.rust-lang.org"),
    ("LLVM libunwind (in the builds of release.mk)", "Apache-2.0 WITH LLVM-exception",
     "https://llvm.org"),
)


class NoticeError(Exception):
    """A package without a license that the project accepts, or without its text."""


@dataclass(frozen=True)
class Package:
    """A crate that is shipped."""

    name: str
    version: str
    expression: str
    folder: Path
    authors: tuple[str, ...] = ()
    repository: str = ""


@dataclass
class Text:
    """A license's text, and the packages that have it."""

    license: str
    text: str
    packages: list[str] = field(default_factory=list)


def cargo(*arguments: str) -> str:
    """Returns the output of a cargo command."""
    command = ["cargo", *arguments, "--locked"]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def shipped() -> list[Package]:
    """Returns the third-party crates that are linked into the packages, by name and version."""
    wanted: set[tuple[str, str]] = set()
    for target, names in TARGETS.items():
        roots = [part for name in names for part in ("--package", name)]
        lines = cargo("tree", *roots, "--edges=normal", f"--target={target}", "--prefix=none",
                      "--format={p}").splitlines()
        # "name v1.2.3", "name v1.2.3 (proc-macro)", "halimede-arith v0.1.0 (/folder)"
        for words in (line.split() for line in lines if line and "(/" not in line):
            wanted.add((words[0], words[1].removeprefix("v")))
    found = []
    for package in json.loads(cargo("metadata", "--format-version=1"))["packages"]:
        if (package["name"], package["version"]) in wanted and package["source"]:
            found.append(Package(
                package["name"], package["version"], package["license"] or "",
                Path(package["manifest_path"]).parent, tuple(package["authors"]),
                package["repository"] or ""))
    if len(found) != len(wanted):
        raise NoticeError(f"cargo tree names {len(wanted)} packages, cargo metadata {len(found)}")
    return sorted(found, key=lambda package: (package.name, package.version))


def chosen(expression: str) -> list[str]:
    """Returns the licenses to list for an expression: all that AND joins, one of those that OR
    joins."""
    expression = expression.replace("/", " OR ")
    result = []
    for part in expression.split(" AND "):
        choices = [choice.strip() for choice in part.strip("() ").split(" OR ")]
        accepted = [license for license in PREFERENCE if license in choices]
        if not accepted:
            raise NoticeError(f"no accepted license in {expression!r}")
        result.append(accepted[0])
    return result


def normal(text: str) -> str:
    """Normalizes the line ends, tabs and margins of a text."""
    lines = [line.expandtabs().rstrip() for line in text.replace("\f", "").splitlines()]
    return "\n".join(lines).strip("\n") + "\n"


def text_of(package: Package, license: str, apache: str) -> str:
    """Returns the text of one of a package's licenses."""
    if license == APACHE:
        return apache
    files = sorted(path for path in package.folder.iterdir()
                   if path.is_file() and LICENSE_FILE.match(path.name))
    for path in files:
        text = path.read_text(encoding="utf-8", errors="replace")
        if MARKS[license] in " ".join(text.lower().split()):
            return normal(text)
    if license == "MIT":
        authors = [re.sub(r"\s*<[^>]*>", "", author) for author in package.authors]
        return MIT_TEXT.format(authors=", ".join(authors) or f"the authors of {package.name}")
    raise NoticeError(f"{package.name} {package.version} has no text of {license}")


def texts(packages: Iterable[Package], apache: str) -> list[Text]:
    """Returns the texts of all licenses, each once: Apache-2.0 first, the others by license and
    package."""
    found: dict[str, Text] = {}

    def add(license: str, text: str, name: str) -> None:
        found.setdefault(text, Text(license, text)).packages.append(name)

    for package in packages:
        name = f"{package.name} {package.version}"
        for license in chosen(package.expression):
            add(license, text_of(package, license, apache), name)
        if package.name in VENDORED:
            library, license, path = VENDORED[package.name]
            add(license, normal((package.folder / path).read_text(encoding="utf-8")),
                f"{library} (in {name})")
        for path in sorted(package.folder.iterdir()):
            if NOTICE_FILE.match(path.name):
                add("notice", normal(path.read_text(encoding="utf-8")), name)
    return sorted(found.values(), key=lambda text: (
        text.license != APACHE, text.license, text.packages[0]))


def notices(packages: list[Package], apache: str) -> str:
    """Returns the whole file."""
    lines = [HEAD]
    for name, license, address in RUNTIMES:
        lines.append(f"{name}: {license}\n    {address}\n")
    for package in packages:
        licenses = " and ".join(chosen(package.expression))
        lines.append(f"{package.name} {package.version}: {licenses}\n")
        lines.append(f"    {package.repository}\n" if package.repository else "")
    for text in texts(packages, apache):
        names = ", ".join(text.packages)
        of = "all that are under it" if text.license == APACHE else names
        lines.append(f"\n{'=' * 78}\n{text.license}: {of}\n{'=' * 78}\n\n{text.text}")
    return "".join(lines)


def main() -> int:
    """Runs the command; returns 0, or 1 if the file is not up to date."""
    parser = argparse.ArgumentParser(description="Generates THIRD-PARTY-NOTICES.txt.")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    arguments = parser.parse_args()
    try:
        text = notices(shipped(), normal((ROOT / "LICENSE-APACHE").read_text(encoding="utf-8")))
    except (NoticeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"error: {' '.join(error.cmd)}: {error.stderr}", file=sys.stderr)
        return 1
    if not arguments.check:
        FILE.write_text(text, encoding="utf-8")
    elif not FILE.is_file() or FILE.read_text(encoding="utf-8") != text:
        print(f"{FILE.name} is not up to date: run `make generate`", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
