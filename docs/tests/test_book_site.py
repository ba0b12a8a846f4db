# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The parts of the book: links, pictures, the header's page, the order of pages, notebooks."""

import dataclasses
import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path, PurePosixPath

import pytest

from docs.book import build, c_header, names, pictures, plots, site_check
from docs.book.links import BrokenLink, for_the_book
from docs.book.plots import Row

ROOT = build.ROOT
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
HEADER = (ROOT / "capi" / "include" / "halimede.h").read_text(encoding="utf-8")


def changed(text: str, root: Path = ROOT, source: str = "docs/faq.md") -> str:
    """Returns the text of a page in the book."""
    places = {str(path): build.place(path) for path in build.sources()}
    return for_the_book(text, PurePosixPath(source), places, root)


def test_every_page_can_be_assembled() -> None:
    for source in build.sources():
        assert changed((ROOT / source).read_text(encoding="utf-8"), source=str(source))


def test_links_lead_to_places_in_the_book() -> None:
    assert changed("[a](card.md#frames) [b](../README.md)") == "[a](card.md#frames) [b](project/readme.md)"
    assert changed("[a](../engines/ckks)") == "[a](engines/ckks/README.md)"
    assert changed("[a](faq.md#x) [b](#x)") == "[a](#x) [b](#x)"
    assert changed("[a](https://x.org/y)") == "[a](https://x.org/y)"
    assert changed("[`two_pairings.s`](../engines/bls12_381/coprocessor/examples/two_pairings.s)") == "`two_pairings.s`"
    assert changed("[how](../Makefile)") == "how (`Makefile`)"
    assert changed("[a](../docs/card.md)", source="capi/README.md") == "[a](../card.md)"
    code = "`[a](nowhere.md)`\n```\n[a](nowhere.md)\n```\n"
    assert changed(code) == code
    assert changed("in [0, p), [how](../Makefile)") == "in [0, p), how (`Makefile`)"


@pytest.mark.parametrize("text", ["[a](nowhere.md)", "![a](pictures/nowhere.png)", "[`a`](../nowhere/)"])
def test_a_link_that_leads_nowhere_is_an_error(text: str) -> None:
    with pytest.raises(BrokenLink, match="nowhere"):
        changed(text)


def test_pictures_become_part_of_the_page() -> None:
    text = changed('![a "b"\nc](pictures/request.svg)')
    assert text.startswith('<figure class="picture" role="img" aria-label="a &quot;b&quot; c"><svg ')
    assert "<style>" not in text and "\n" not in text and text.count("<svg") == 1
    text = changed("![the page](pictures/dashboard-busy.png)")
    assert text.startswith('<figure class="picture"><img alt="the page" src="data:image/png;base64,iVBORw0KG')


def test_names_of_tests_break_between_words() -> None:
    assert changed("`a/b.rs::c_d`") == "<code>a/b.rs::<wbr>c_<wbr>d</code>"


def test_notes_are_seen() -> None:
    text = changed("<!-- nightly: a minute -->\n```sh\nx\n```\n")
    assert "*Run only by the long tests of this page: a minute.*" in text and "```sh\nx\n```\n" in text


def test_drawings_and_tables_do_not_wrap() -> None:
    drawing, table = "a ─┐\n   └─ b\n", "name   a   b   c\nn14    1   2   3\n"
    assert changed(f"```\n{drawing}```\n") == f"``` {{ .text .aligned }}\n{drawing}```\n"
    assert changed(f"```console\n{table}```\n") == f"``` {{ .console .aligned }}\n{table}```\n"
    for text in ("```sh\na   # b\nc   # d\n```\n", "```text\nerror: a  b\n```\n", f"```rust\n{table}```\n"):
        assert changed(text) == text


def test_the_order_of_pages_has_each_of_them_once() -> None:
    order = (build.HERE / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:\n")[1]
    listed = re.findall(r"[\w/.\-]+\.md", order)
    made = ["api/c.md", "api/python.md", "api/rust.md"]
    assert sorted(listed) == sorted([*(build.place(source) for source in build.sources()), *made])


def test_every_function_of_the_header_has_a_place_on_its_page() -> None:
    items = list(c_header.items(HEADER))
    code = re.sub(r"/\*.*?\*/|//[^\n]*", "", HEADER, flags=re.DOTALL)
    functions = set(re.findall(r"\b(halimede_\w+)\(", code))
    named = {item.name for item in items if item.kind == "function"}
    assert named == functions and len(functions) > 60
    types = {item.name for item in items if item.kind == "type"}
    assert {"halimede_status", "halimede_device", "halimede_bytes", "HALIMEDE_VERSION"} <= types
    assert all(item.text and "#if" not in item.declaration for item in items)
    page = c_header.page(HEADER)
    assert all(f"### {name}\n" in page for name in functions | types)


def test_a_header_that_ends_too_early_is_an_error() -> None:
    with pytest.raises(ValueError):
        list(c_header.items("/**\n * A function.\n */\nint f(int a,\n"))


def test_every_crate_has_a_line(tmp_path: Path) -> None:
    for name in ("halimede_device", "halimede_native", "halimede"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.html").write_text("")
    plain, linked = build.rust_page(None), build.rust_page(tmp_path)
    text = (ROOT / "Cargo.toml").read_text(encoding="utf-8").split("default-members")[0]
    members = re.findall(r"\"([\w/]+)\"", text.split("members = [")[1].split("]")[0])
    assert len(members) > 20 and all(f"| `{member}/` |" in plain for member in members)
    crates, types = plain.split("\n## Types\n")
    assert crates.count("| `halimede-") == len(members)
    assert all(f"`{name}`" in types for name in ("Device", "Ciphertext", "Block", "Point", "KeyCache"))
    assert '<a href="rust/halimede_device/index.html">halimede-device</a>' in linked
    assert '<a href="rust/halimede_native/index.html">halimede-python</a>' in linked
    # The reference of the command, and none of the C library, which has no reference.
    assert '<a href="rust/halimede/index.html">halimede-cli</a>' in linked
    assert linked.count("<a href") == 3


def test_every_public_name_of_the_package_is_on_its_page(tmp_path: Path) -> None:
    page = names.python_page(ROOT / "python" / "halimede")
    for name in ("Ciphertext", "verify_block", "verify_aggregate", "HeaderVerdict", "train_logistic"):
        assert f"`{name}`" in page, name
    assert '<a href="python/halimede/ckks.html">halimede.ckks</a>' in page
    library = tmp_path / "lib.rs"
    library.write_text("pub use a::{b::C, d as E, f};\npub use g::H;\nuse i::J;\npub struct K;\npub fn l() {}\n")
    assert names.of_crate(library) == ["C", "E", "H", "K"]


def test_pictures_are_what_their_script_draws() -> None:
    for name, text in pictures.texts().items():
        assert (pictures.FOLDER / name).read_text(encoding="utf-8") == text
        assert "prefers-color-scheme:dark" in text and ElementTree.fromstring(text) is not None


TABLE = (
    "<!-- begin x on M -->\n**M**, 2026-01-02, `y`\n\n| case | theirs | ours | ratio |\n|---|---|---|---|\n"
    "| one, 1 | 10.5 | 2.1 | 5.00 (3) |\n| 1,024 | 1,000 | 250 | 4.0 |\n| alone | 3 | 3 | 1.00 |\n<!-- end x on M -->\n"
)


def plot(*rows: str) -> plots.Plot:
    """A plot of the table above."""
    return plots.Plot("x", "X", "µs", "peer", "x", "M", 2, 1, 3, rows)


def test_a_plot_has_the_tables_numbers() -> None:
    cells, date = plots.table(TABLE, "x", "M")
    assert date == "2026-01-02"
    assert plots.rows_of(plot(), cells) == [
        Row("one, 1", 2.1, 10.5, 5.0), Row("one, 1,024", 250, 1000, 4.0), Row("alone", 3, 3, 1.0),
    ]
    text = plots.draw("X", "µs", "peer", "source", plots.rows_of(plot(), cells))
    widths = [float(width) for width in re.findall(r'<rect class="(?:first|second)"[^>]* width="([\d.]+)"', text)]
    ours, theirs = widths[2::2], widths[3::2]
    assert [round(b / a, 1) for a, b in zip(ours, theirs)] == [5.0, 4.0, 1.0]
    assert all(word in text for word in (">2.1<", ">1,000<", ">5.0 ×<", ">source<"))


def test_a_plot_takes_its_peers_ratio() -> None:
    several = TABLE.replace("5.00 (3)", "2.50, 1.25 (3), 5.00").replace("4.0 |", "2.0, 1.0, 4.0 |")
    several = several.replace("1.00 |", "1.00, 1.00, 1.00 |")
    third = dataclasses.replace(plot(), part=2)
    assert [row.ratio for row in plots.rows_of(third, plots.table(several, "x", "M")[0])] == [5.0, 4.0, 1.0]


def test_every_plot_stands_in_the_document() -> None:
    document = plots.DOCUMENT.read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(f"pictures/{name})" in document + readme for name in plots.of_document(document))


@pytest.mark.parametrize("document, rows, reason", [
    (TABLE.replace("begin x", "begin y"), (), "no block"),
    (TABLE.replace("2026-01-02", "once"), (), "no date"),
    (TABLE.replace("| 2.1 |", "| fast |"), (), "not a number"),
    (TABLE, ("two",), "begins with 'two'"),
])
def test_a_table_that_does_not_fit_is_an_error(document: str, rows: tuple[str, ...], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        plots.rows_of(plot(*rows), plots.table(document, "x", "M")[0])


def test_a_run_is_drawn() -> None:
    record = {"bench": "kzg", "case": "one blob", "backend": "adx", "ours": 2.0, "unit": "us", "peer": "c-kzg",
              "theirs": 5.0, "ratio": 2.5}
    drawn = plots.of_run([json.dumps(record), "", json.dumps({**record, "theirs": None})])
    assert list(drawn) == ["kzg-0.svg"] and ">one blob, adx<" in drawn["kzg-0.svg"]
    assert drawn["kzg-0.svg"].count("×<") == 1
    stream = {"bench": "blake3 streams", "case": "1 MiB", "threads": 2, "ours_ms": 2.0, "published_kernel_ms": 3.0}
    sides = {"ours": {"seconds": 2.5, "name": "h"}, "theirs": {"seconds": 10.0, "name": "Lattigo"}}
    bootstrap = {"bench": "ckks", "case": "bootstrap", "backend": "adx", **sides, "ratio": 4.0}
    several = plots.of_run([json.dumps(stream), json.dumps(bootstrap), json.dumps({**bootstrap, "theirs": None})])
    assert list(several) == ["blake3-streams-0.svg", "ckks-1.svg"]
    assert ">1.5 ×<" in several["blake3-streams-0.svg"] and "Lattigo; s, less" in several["ckks-1.svg"]
    with pytest.raises(ValueError, match="line 1"):
        plots.of_run(["[1]"])
    with pytest.raises(ValueError, match="line 2.*ratio"):
        plots.of_run(["", json.dumps({key: record[key] for key in record if key != "ratio"})])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_stored_without_outputs(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 5
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    assert all(cell["metadata"] == {} for cell in notebook["cells"])
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}
    # A notebook checks its own results.
    assert any("assert " in "".join(cell["source"]) for cell in cells)


def test_there_are_three_notebooks() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["card_explorer", "encrypted_learning", "poseidon_tree"]


@pytest.mark.parametrize("page, found", [
    ('<a href="b.html#x">b</a><img src="i.png">', []),
    ('<a href="https://x.org/">x</a><a href="b.html">b</a>', []),
    ('<a href="c.html">c</a>', ["a.html: c.html leads nowhere"]),
    ('<a href="b.html#y">b</a>', ["a.html: b.html#y: no such place there"]),
    ('<script src="https://x.org/y.js"></script>', ["a.html: loads https://x.org/y.js"]),
    ('<link rel="stylesheet" href="//x.org/y.css">', ["a.html: loads //x.org/y.css"]),
])
def test_a_site_is_checked(tmp_path: Path, page: str, found: list[str]) -> None:
    (tmp_path / "a.html").write_text(page)
    (tmp_path / "b.html").write_text('<h1 id="x">b</h1>')
    (tmp_path / "i.png").write_bytes(b"")
    assert list(site_check.faults(tmp_path)) == found


def test_styles_load_nothing_from_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("a { background: url('https://x.org/a.png'); } b { src: url(b.woff) }")
    assert list(site_check.faults(tmp_path)) == ["a.css: loads https://x.org/a.png"]
