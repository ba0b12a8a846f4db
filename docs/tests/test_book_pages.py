# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The blocks of pages: the choice of blocks to run, and the detection of wrong output."""

import os
import select
import time
from pathlib import Path

import pytest

from docs.book import run_pages
from docs.book.blocks import BadBlock, blocks, is_printed, transcript
from docs.book.run_pages import Built, Failed, follow, install

PAGES = sorted(run_pages.PAGES.glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_most_blocks_of_a_page_are_run(page: Path) -> None:
    found = blocks(page.read_text(encoding="utf-8"))
    assert sum(block.note == "" for block in found) >= 5
    assert sum(block.note == "installed" for block in found) == 1
    assert all(block.reason for block in found if block.note)
    for block in found:
        if block.language == "console":
            assert transcript(block.text)


def test_every_reader_has_a_page() -> None:
    assert [page.stem for page in PAGES] == [
        "circuit-builder", "encrypted-data", "ethereum-client", "hardware-designer", "node-operator",
        "proof-verifier", "seal-sectors", "starknet-developer", "storage-provider",
    ]


def test_blocks_are_read() -> None:
    page = (
        'text\n```sh\nfalse\n```\n<!-- nightly: slow -->\n```console\n$ a\nb\n```\n```c title="x.c"\nint x;\n```\n'
        "<!-- not run: no reason -->\n```rust\nfn f() {}\n```\n"
    )
    found = blocks(page)
    assert [(block.language, block.note, block.title) for block in found] == [
        ("sh", "", ""), ("console", "nightly", ""), ("c", "", "x.c"), ("rust", "not run", ""),
    ]
    assert [block.line for block in found] == [2, 6, 10, 14]
    assert found[2].text == "int x;\n" and found[3].reason == "no reason"


@pytest.mark.parametrize("page, reason", [
    ("```rust\nfn f() {}\n```\n", "is not run"),
    ("```\nx\n```\n", "is not run"),
    ("```sh\nx\n", "no end"),
    ("```sh extra\nx\n```\n", "not a known fence"),
    ("<!-- not run: why -->\n\n```sh\nx\n```\n", "without a block"),
    ("```python\nx = 1\n```\n", "be a session"),
])
def test_what_cannot_be_followed_is_an_error(page: str, reason: str) -> None:
    with pytest.raises(BadBlock, match=reason):
        blocks(page)


def test_transcripts_are_read() -> None:
    assert transcript("$ a <<X\n> b\n> X\nc\nd\n$ e\n") == [("a <<X\nb\nX", ["c", "d"]), ("e", [])]
    with pytest.raises(BadBlock):
        transcript("a\n$ b\n")


@pytest.mark.parametrize("expected, printed, same", [
    (["a 1 b"], ["a 1 b"], True),
    (["a … b"], ["a 1.5 s b"], True),
    (["a … b"], ["a 1.5 s c"], False),
    (["a", "…", "d"], ["a", "b", "c", "d"], True),
    (["a", "…", "d"], ["a", "d"], True),
    (["a", "…", "d"], ["a", "b"], False),
    (["a"], ["a", "b"], False),
    (["a", "b"], ["a"], False),
    (["a.c"], ["abc"], False),
    ([], [], True),
    ([], ["a"], False),
])
def test_outputs_are_compared(expected: list[str], printed: list[str], same: bool) -> None:
    assert is_printed(expected, printed) == same


@pytest.fixture
def built(tmp_path: Path) -> Built:
    """A fake build: its command prints its arguments."""
    folder = tmp_path / "built"
    (folder / "package" / "halimede").mkdir(parents=True)
    (folder / "package" / "halimede" / "__init__.py").write_text("answer = 42\n")
    (folder / "halimede").write_text('#!/bin/sh\necho "ran $*"\n')
    (folder / "halimede").chmod(0o755)
    for name in ("card-sim", *run_pages.LIBRARIES):
        (folder / name).write_text(name)
    return Built(folder, folder / "package", folder / "card-sim")


@pytest.fixture
def prefix(built: Built, tmp_path: Path) -> Path:
    """The folder of the installation."""
    install(built, tmp_path / "prefix")
    return tmp_path / "prefix"


GOOD = """
<!-- installed: it is there -->
```sh
exit 1
```
```c title="x.c"
int x;
```
```sh
test "$(cat x.c)" = "int x;"
test "$(ls)" = x.c
test -f "$HALIMEDE/docs/index.md" -a -z "$PYTEST_CURRENT_TEST"
```
```console
$ halimede poseidon
ran poseidon
$ pkg-config --modversion halimede
…
```
```python
>>> import halimede
>>> halimede.answer
42

```
<!-- nightly: slow -->
```sh
exit 1
```
"""


def test_a_page_is_followed(built: Built, prefix: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(GOOD)
    assert built.missing() == [] and follow(page, built, prefix, nightly=False, limit_s=60) > 0
    with pytest.raises(Failed, match="page.md:27: exit code 1"):
        follow(page, built, prefix, nightly=True, limit_s=60)


@pytest.mark.parametrize("block, reason", [
    ("```sh\necho before\nfalse\ntrue\n```\n", "before"),
    ("```sh\nfalse | true\n```\n", "exit code 1"),
    ("```console\n$ echo a\nb\n```\n", "printed"),
    ("```python\n>>> 1 + 1\n3\n\n```\n", "Expected"),
])
def test_a_block_that_fails_is_noticed(
    built: Built, prefix: Path, tmp_path: Path, block: str, reason: str
) -> None:
    page = tmp_path / "page.md"
    page.write_text(block)
    with pytest.raises(Failed, match=reason):
        follow(page, built, prefix, nightly=False, limit_s=60)


def has_ended(pid: int, limit_s: float) -> bool:
    """Returns True if a process ends within a time."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([process], [], [], limit_s)[0])
    finally:
        os.close(process)


def test_a_page_ends_and_what_it_started_with_it(built: Built, prefix: Path, tmp_path: Path) -> None:
    page, pids = tmp_path / "page.md", tmp_path / "pids"
    page.write_text(f"```sh\nsleep 600 & echo $! > {pids}\n```\n```sh\nsleep 600\n```\n")
    start = time.monotonic()
    with pytest.raises(Failed, match="still running after"):
        follow(page, built, prefix, nightly=False, limit_s=1)
    assert time.monotonic() - start < 60
    assert has_ended(int(pids.read_text()), limit_s=60)


def test_what_is_not_built_is_named(built: Built) -> None:
    built.card_sim.unlink()
    assert built.missing() == [str(built.card_sim)]
