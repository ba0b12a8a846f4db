# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Checks a built site: it loads nothing from other hosts, and every internal link leads to a file.

    python -m docs.book.site_check build/book/site

Omits the Rust reference, which rustdoc writes and checks, and anchors within pdoc's pages, which
links to inherited members. Exit code: 0, or 1 for faults, which are printed one per line.
"""

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# The attributes of resources that a browser fetches by itself, by tag.
FETCHED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "video": "src"}
# Links of these kinds name a page, and fetch nothing.
NAMED_ONLY = {"canonical", "alternate", "prev", "next"}
RUST = "api/rust"
PYTHON = "api/python"


class Links(HTMLParser):
    """The fetched resources, the links and the anchors of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.linked: list[str] = []
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Records an element."""
        values = {name: value or "" for name, value in attrs}
        self.names |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.linked.append(values["href"])
        if FETCHED.get(tag, "") in values and values.get("rel") not in NAMED_ONLY:
            self.fetched.append(values[FETCHED[tag]])


def read(path: Path) -> Links:
    """Reads the links of a page."""
    links = Links()
    links.feed(path.read_text(encoding="utf-8"))
    return links


def is_elsewhere(target: str) -> bool:
    """Returns True if a target names another host."""
    return bool(urlsplit(target).netloc)


def faults(site: Path) -> Iterator[str]:
    """Yields the faults of a site."""
    pages = {path: read(path) for path in sorted(site.rglob("*.html"))
             if not path.relative_to(site).as_posix().startswith(RUST)}
    for path, links in pages.items():
        here = path.relative_to(site)
        yield from (f"{here}: loads {target}" for target in links.fetched if is_elsewhere(target))
        local = [
            target for target in links.fetched + links.linked
            if not urlsplit(target).scheme and not is_elsewhere(target)
        ]
        for target in local:
            parts = urlsplit(target)
            # The page for missing pages has absolute links.
            base = site if parts.path.startswith("/") else path.parent
            goal = (base / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
            goal = goal / "index.html" if goal.is_dir() else goal
            if not goal.exists():
                yield f"{here}: {target} leads nowhere"
            elif here.as_posix().startswith(PYTHON):
                continue
            elif parts.fragment and goal in pages and unquote(parts.fragment) not in pages[goal].names:
                yield f"{here}: {target}: no such place there"
    for path in sorted(site.rglob("*.css")):
        for target in re.findall(r"(?:url\(|@import )[\"']?([^\"')]+)", path.read_text(encoding="utf-8")):
            if is_elsewhere(target):
                yield f"{path.relative_to(site)}: loads {target}"


def main() -> int:
    """Runs the command and returns the exit code."""
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        print("usage: python -m docs.book.site_check SITE", file=sys.stderr)
        return 2
    found = list(faults(Path(sys.argv[1]).resolve()))
    for fault in found:
        print(fault, file=sys.stderr)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
