# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Builds the book: the Markdown of the repository as a site, strictly and offline.

    python -m docs.book.build                    write build/book/site
    python -m docs.book.build --package DIR      with the reference of the Python package in DIR
    python -m docs.book.build --rustdoc DIR      with the Rust reference, as `make doc` leaves it in DIR

The pages of docs/ are the book's first part; every other README keeps its folder. `mkdocs.yml` has the
order. A broken link, an unknown heading, or a page that the order lacks is an error.
"""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path, PurePosixPath

from docs.book import c_header, names
from docs.book.links import BrokenLink, for_the_book

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
BOOK = ROOT / "build" / "book"
PAGES = BOOK / "pages"
SITE = BOOK / "site"
# The folders of build outputs.
BUILT = {"build", "target", "node_modules"}
# Notes for maintainers.
LEFT_OUT = {"NOTES.md"}


def sources(root: Path = ROOT) -> list[PurePosixPath]:
    """Returns the Markdown files of the repository that are pages."""
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in BUILT and not name.startswith(".")]
        found += [Path(folder, name).relative_to(root) for name in files if name.endswith(".md")]
    return sorted(PurePosixPath(path) for path in found if str(path) not in LEFT_OUT)


def place(source: PurePosixPath) -> str:
    """Returns the place of a page in the book."""
    if source.parts[0] == "docs":
        return str(PurePosixPath(*source.parts[1:]))
    if len(source.parts) == 1:
        return f"project/{source.name.lower()}"
    return str(source)


def assemble(rustdoc: Path | None = None) -> None:
    """Writes the pages in the form that MkDocs reads."""
    shutil.rmtree(PAGES, ignore_errors=True)
    places = {str(source): place(source) for source in sources()}
    for source in sources():
        text = (ROOT / source).read_text(encoding="utf-8")
        goal = PAGES / places[str(source)]
        goal.parent.mkdir(parents=True, exist_ok=True)
        goal.write_text(for_the_book(text, source, places, ROOT), encoding="utf-8")
    shutil.copytree(HERE / "assets", PAGES / "assets")
    header = ROOT / "capi" / "include" / "halimede.h"
    reference = PAGES / "api" / "c.md"
    reference.parent.mkdir(exist_ok=True)
    reference.write_text(c_header.page(header.read_text(encoding="utf-8")), encoding="utf-8")
    reference.with_name("rust.md").write_text(rust_page(rustdoc), encoding="utf-8")
    python = names.python_page(ROOT / "python" / "halimede")
    reference.with_name("python.md").write_text(python, encoding="utf-8")


def python_reference(package: Path) -> None:
    """Writes the reference of the Python package `halimede` in a folder, by pdoc."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(package),
        # pdoc finds neither the module of a named tuple's constructor, whose annotations it prints
        # as they are, nor that of the members which a dictionary type inherits.
        "PYTHONWARNINGS": "ignore:Error parsing type annotation ForwardRef:UserWarning,"
                          "ignore:Cannot determine where halimede.zcash.BlockReport:UserWarning",
    }
    command = [
        sys.executable, "-m", "pdoc", "--template-directory", str(HERE / "pdoc"), "--no-show-source",
        "--docformat", "markdown", "--output-directory", str(SITE / "api" / "python"), "halimede",
        "halimede.client",
    ]
    subprocess.run(command, check=True, env=environment)


def rust_page(rustdoc: Path | None) -> str:
    """Returns a page of the workspace's crates, with links to the references that a folder has."""
    members = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["members"]
    lines = [
        "# Rust\n",
        "The crates of the workspace. `cargo doc --open` shows the public items of each crate; `make doc book` "
        "adds this reference to the book. The [examples](../examples/README.md) are starting points.\n",
        "| Crate | Description | Folder |",
        "|---|---|---|",
    ]
    types = ["\n## Types\n", "| Crate | Public types and traits |", "|---|---|"]
    for member in members:
        manifest = tomllib.loads((ROOT / member / "Cargo.toml").read_text(encoding="utf-8"))
        name, description = (manifest["package"][key] for key in ("name", "description"))
        # A library, or a command without one, may have another name than its package.
        has_library = (ROOT / member / "src" / "lib.rs").is_file()
        target = manifest.get("lib", {}) if has_library else manifest.get("bin", [{}])[0]
        page = f"{target.get('name', name).replace('-', '_')}/index.html"
        is_there = rustdoc is not None and target.get("doc", True) and (rustdoc / page).is_file()
        shown = f'<a href="rust/{page}">{name}</a>' if is_there else f"`{name}`"
        lines.append(f"| {shown} | {description} | `{member}/` |")
        public = names.of_crate(ROOT / member / "src" / "lib.rs") if has_library else []
        if public:
            types.append(f"| `{name}` | {', '.join(f'`{each}`' for each in public)} |")
    return "\n".join(lines + types) + "\n"


def references(package: Path | None, rustdoc: Path | None) -> None:
    """Adds the requested references of Python and Rust to the site."""
    if package is not None:
        python_reference(package)
    else:
        python = SITE / "api" / "python"
        python.mkdir(parents=True, exist_ok=True)
        text = "<!doctype html><title>Python</title><p>Built without the package: <code>make book</code> has it.</p>"
        (python / "index.html").write_text(text, encoding="utf-8")
    if rustdoc is not None:
        shutil.copytree(rustdoc, SITE / "api" / "rust", dirs_exist_ok=True)


def build(package: Path | None = None, rustdoc: Path | None = None) -> None:
    """Builds the site.

    Raises `BrokenLink`, and `subprocess.CalledProcessError` if MkDocs or pdoc fails.
    """
    assemble(rustdoc)
    if importlib.util.find_spec("mkdocs") is None:
        raise ModuleNotFoundError("mkdocs is not installed: pip install -r docs/book/requirements.txt")
    command = [
        sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--config-file",
        str(HERE / "mkdocs.yml"), "--site-dir", str(SITE),
    ]
    subprocess.run(command, check=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    references(package, rustdoc)


def main() -> int:
    """Runs the command and returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m docs.book.build", description=__doc__.splitlines()[0])
    parser.add_argument("--package", type=Path, metavar="DIR", help="folder of the Python package")
    parser.add_argument("--rustdoc", type=Path, metavar="DIR", help="folder of the Rust reference")
    options = parser.parse_args()
    try:
        build(options.package, options.rustdoc)
    except (BrokenLink, ModuleNotFoundError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        return error.returncode or 1
    print(SITE / "index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
