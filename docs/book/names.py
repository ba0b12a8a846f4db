# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Lists the public names of the Rust crates and of the Python package, for the book's search."""

import ast
import re
from pathlib import Path

USE = re.compile(r"^\s*pub use ([^;]+);", re.MULTILINE)
LAST_NAME = re.compile(r"(\w+)\s*$")


def of_crate(library: Path) -> list[str]:
    """The types, traits and macros that a crate's `lib.rs` re-exports or defines."""
    source = library.read_text(encoding="utf-8")
    names: set[str] = set(re.findall(r"^pub (?:struct|enum|trait|type) (\w+)", source, re.MULTILINE))
    for used in USE.findall(source):
        # `a::{B, c as D}`: the last word of each part is the public name.
        parts = re.split(r"[{},]", used)
        names |= {found.group(1) for part in parts if (found := LAST_NAME.search(part))}
    return sorted(name for name in names if name[0].isupper())


def of_module(path: Path) -> list[str]:
    """The names in the `__all__` of a Python module."""
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and [ast.unparse(target) for target in statement.targets] == ["__all__"]:
            return sorted(ast.literal_eval(statement.value))
    return []


def python_page(package: Path) -> str:
    """Returns a page of the package's modules with their names, and links to the reference."""
    modules = {path.stem: path for path in package.glob("*.py") if not path.stem.startswith("_")}
    modules |= {path.parent.name: path for path in package.glob("*/__init__.py")}
    modules = {"": package / "__init__.py", **dict(sorted(modules.items()))}
    lines = ["# Python names\n", "The public names of the package `halimede`, by module.\n", "| Module | Names |", "|---|---|"]
    for name, path in modules.items():
        module, page = (f"halimede.{name}", f"halimede/{name}") if name else ("halimede", "halimede")
        names = ", ".join(f"`{each}`" for each in of_module(path))
        lines.append(f'| <a href="python/{page}.html">{module}</a> | {names} |')
    return "\n".join(lines) + "\n"
