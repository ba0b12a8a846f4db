# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Draws the tables of docs/benchmarks.md as pairs of bars, ours and the peer's:
docs/pictures/benchmark-*.svg.

    python -m docs.book.plots                        write them
    python -m docs.book.plots --check                exit 1 if one is not up to date with the tables
    python -m docs.book.plots --json FILE --out DIR  the same for a run: `halimede-bench ENGINE
    --json > FILE`

Every number comes from the document or from the run. The two bars of a row have their own scale: a
bar half as long means half the time.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arith.microcode.generate import write_or_check
from arith.simulation.toolchain import PROJECT_ROOT
from docs.book.drawing import Drawing

DOCUMENT = PROJECT_ROOT / "docs" / "benchmarks.md"
FOLDER = PROJECT_ROOT / "docs" / "pictures"
ZEN5 = "AMD EPYC (Zen 5), 2 cores"
XEON4 = "Intel Xeon (AVX-512 IFMA), 4 cores"
XEON16 = "Intel Xeon, 16 cores"


@dataclass(frozen=True)
class Row:
    """A comparison: times in one unit, and the measured ratio of the peer's time to ours."""

    name: str
    ours: float
    theirs: float
    ratio: float


@dataclass(frozen=True)
class Plot:
    """A picture: a table's block, and the columns of its numbers, counted from 0."""

    name: str
    title: str
    unit: str
    peer: str
    block: str
    machine: str
    ours: int
    theirs: int
    ratio: int
    rows: tuple[str, ...] = ()
    """The beginnings of the rows to draw; empty for all rows."""
    part: int = 0
    """The index of this peer's ratio in a cell."""


PLOTS = (
    Plot("poseidon", "Poseidon, batches of 1,024 on one thread", "µs per hash", "neptune 13",
         "poseidon", ZEN5, 4, 5, 6, ("filecoin-",)),
    Plot("starknet", "Poseidon of StarkWare, batches of 1,024 on one thread", "µs per hash", "the row's peer",
         "poseidon", ZEN5, 4, 5, 6, ("stark-3 pair",)),
    Plot("blake3", "BLAKE3 of many messages on one thread", "ns per message", "a loop over the crate blake3",
         "blake3", ZEN5, 2, 1, 3,
         ("1000 × 64 B", "1000 × 256 B", "512 × 1024 B", "256 × 2048 B", "128 × 4096 B", "32 × 16384 B")),
    Plot("equihash", "Equihash on one thread, AVX-512", "µs per solution", "the crate equihash 0.3",
         "equihash", ZEN5, 3, 2, 4, ("(200, 9)", "(144, 5)", "(96, 5)", "(48, 5)")),
    Plot("ecdsa", "ECDSA over secp256k1, one thread", "µs per signature", "a loop over libsecp256k1",
         "ecdsa", XEON4, 2, 1, 3,
         ("DER, 1,000 compressed keys, no cache", "batch of 64, compressed", "batch of 8", "batch of 3", "alone")),
    Plot("bls", "BLS signatures, one thread", "µs per signature", "blst's pairing context",
         "bls12-381", XEON16, 2, 1, 3, ()),
    Plot("kzg", "KZG openings of EIP-4844, one thread", "µs per opening", "c-kzg 2.1", "kzg", XEON16, 2, 1, 3, ()),
    Plot("groth16", "Groth16 proofs of two public inputs, one thread", "µs per proof", "blst, batched",
         "groth16", ZEN5, 4, 3, 5, (), 2),
    Plot("ckks", "CKKS at N = 2¹⁶, one thread", "ms", "Lattigo 6.1", "ckks", ZEN5, 1, 2, 3,
         ("HAdd", "PMult", "CMult", "rotation", "8 hoisted", "rescale")),
    Plot("ckks-bootstrap", "CKKS bootstraps at N = 2¹⁶", "seconds", "Lattigo 6.1, on one thread",
         "ckks-bootstrap", ZEN5, 1, 2, 3, ("one thread", "two threads")),
)


@dataclass(frozen=True)
class Headline:
    """A bar of the overview: one row of a block, named for readers who are new here."""

    name: str
    peer: str
    block: str
    machine: str
    row: str
    ratio: int
    part: int = 0


HEADLINES = (
    Headline("Poseidon, Filecoin arity 8", "neptune", "poseidon", ZEN5, "filecoin-8", 6),
    Headline("Poseidon, Starknet pairs", "starknet-types-core", "poseidon", ZEN5, "stark-3 pair, starknet", 6),
    Headline("BLAKE3, messages of 64 bytes", "blake3 crate", "blake3", ZEN5, "1000 × 64 B", 3),
    Headline("Equihash (200, 9)", "equihash crate", "equihash", ZEN5, "(200, 9), batch", 4),
    Headline("ECDSA signatures", "libsecp256k1", "ecdsa", XEON4, "batch of 64, compressed", 3),
    Headline("BLS signatures, 128 messages", "blst", "bls12-381", XEON16, "128", 3),
    Headline("KZG blobs (EIP-4844)", "c-kzg", "kzg", XEON16, "64 blobs", 3),
    Headline("Groth16 proofs", "blst, batched", "groth16", ZEN5, "1,024", 5, 2),
    Headline("CKKS rotation, N = 2¹⁶", "Lattigo", "ckks", ZEN5, "rotation", 3),
    Headline("CKKS bootstrap, N = 2¹⁶", "Lattigo", "ckks-bootstrap", ZEN5, "one thread", 3),
)


def table(document: str, block: str, machine: str) -> tuple[list[list[str]], str]:
    """Returns the cells of the first table of a block, and the date of its run.

    Raises `ValueError` if the block, its table or its date is missing.
    """
    match = re.search(
        rf"<!-- begin {re.escape(block)} on {re.escape(machine)} -->(.*?)<!-- end", document, re.DOTALL
    )
    if match is None:
        raise ValueError(f"docs/benchmarks.md has no block of {block} on {machine}")
    date = re.search(r"\b\d{4}-\d\d-\d\d\b", match[1])
    lines = re.search(r"(?:^\|.*\n)+", match[1], re.MULTILINE)
    if date is None or lines is None:
        raise ValueError(f"the block of {block} on {machine} has no table, or no date")
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[0].splitlines()]
    return cells[2:], date[0]


def value(cell: str) -> float:
    """Returns the number at the beginning of a cell: `65.3`, `1,522`, `3.81 (4)`.

    Raises `ValueError` if a cell does not begin with a number.
    """
    match = re.match(r"[\d,]+(?:\.\d+)?", cell)
    if match is None:
        raise ValueError(f"{cell!r} is not a number")
    return float(match[0].replace(",", ""))


def rows_of(plot: Plot, cells: list[list[str]]) -> list[Row]:
    """Returns the rows that a plot draws.

    Raises `ValueError` if a beginning fits no row.
    """
    chosen = []
    group = ""
    for row in cells:
        backend = row[1] if plot.block == "equihash" else ""
        if backend not in ("", "`avx512`"):
            continue
        # A row with only a number has the subject of the previous row.
        name = row[0].removesuffix(f", {plot.peer}")
        subject, _, last = name.rpartition(", ")
        is_number = last.replace(",", "").isdigit()
        group = subject or (group if is_number else "")
        name = f"{group}, {last}" if is_number and group else name
        if not plot.rows or row[0].startswith(plot.rows):
            ratio = value(row[plot.ratio].split(", ")[plot.part])
            chosen.append(Row(name, value(row[plot.ours]), value(row[plot.theirs]), ratio))
    for beginning in plot.rows:
        if not any(row[0].startswith(beginning) for row in cells):
            raise ValueError(f"{plot.name}: no row begins with {beginning!r}")
    if not chosen:
        raise ValueError(f"{plot.name}: no rows")
    return chosen


def digits(time: float) -> str:
    """Formats a time as in the tables."""
    return f"{time:,.0f}" if time >= 100 else f"{time:.3g}"


def draw(title: str, unit: str, peer: str, source: str, rows: Iterable[Row]) -> str:
    """Draws the bars of these rows."""
    rows = list(rows)
    left, longest, step = 250.0, 330.0, 46.0
    height = 92 + step * len(rows)
    drawing = Drawing(720, height, f"{title}: {unit}, Halimede and {peer}")
    drawing.text(20, 26, title, size=15, bold=True)
    drawing.bar(20, 40, 12, 12, "first")
    drawing.text(38, 51, "Halimede", size=12)
    drawing.bar(120, 40, 12, 12, "second")
    drawing.text(138, 51, f"{peer}; {unit}, less is better", size=12)
    for place, row in enumerate(rows):
        y = 68 + place * step
        scale = longest / max(row.ours, row.theirs)
        lines = row.name.split("; ")
        for line, text in enumerate(lines):
            drawing.text(left - 12, y + 21 + 15 * line - 7.5 * (len(lines) - 1), text, "end", size=12)
        for bar, (time, kind) in enumerate(((row.ours, "first"), (row.theirs, "second"))):
            drawing.bar(left, y + bar * 17, time * scale, 14, kind)
            drawing.text(left + time * scale + 6, y + bar * 17 + 11.5, digits(time), size=11)
        drawing.text(704, y + 21, f"{row.ratio:.1f} ×", "end", size=13, bold=True)
    drawing.text(20, height - 10, source, kind="faint", size=11)
    return drawing.svg()


def of_document(document: str) -> Mapping[str, str]:
    """Each picture by its file's name."""
    drawn = {"overview.svg": overview(document)}
    for plot in PLOTS:
        cells, date = table(document, plot.block, plot.machine)
        source = f"docs/benchmarks.md: {plot.machine}, {date}. The longer bar of each pair has the full length."
        rows = rows_of(plot, cells)
        drawn[f"benchmark-{plot.name}.svg"] = draw(plot.title, plot.unit, plot.peer, source, rows)
    return drawn


def overview(document: str) -> str:
    """One bar for each engine: the ratio of the peer's time to Halimede's, from the tables.

    Raises `ValueError` where a row is missing.
    """
    left, longest, step = 310.0, 330.0, 30.0
    bars = []
    for headline in HEADLINES:
        cells, _ = table(document, headline.block, headline.machine)
        found = [row for row in cells if row[0].startswith(headline.row)]
        if not found:
            raise ValueError(f"overview: no row of {headline.block} begins with {headline.row!r}")
        ratio = value(found[0][headline.ratio].split(", ")[headline.part])
        bars.append((f"{headline.name} / {headline.peer}", ratio))
    height = 76 + step * len(bars)
    drawing = Drawing(720, height, "Speed of each engine relative to its peer, one thread with AVX-512, in batches")
    drawing.text(20, 26, "Speed relative to the peer, one thread with AVX-512, in batches", size=15, bold=True)
    scale = longest / max(ratio for _, ratio in bars)
    for place, (name, ratio) in enumerate(bars):
        y = 44 + place * step
        drawing.text(left - 12, y + 15, name, "end", size=12)
        drawing.bar(left, y + 2, ratio * scale, 18, "first")
        drawing.text(left + ratio * scale + 6, y + 15.5, f"{ratio:.1f} ×", size=12, bold=True)
    drawing.line((left + scale, 40), (left + scale, 44 + step * len(bars)), dashed=True)
    drawing.text(left, height - 10, "Dashed line: the peer. Machines and dates: docs/benchmarks.md",
                 kind="faint", size=11)
    return drawing.svg()


def of_record(record: Mapping[str, Any]) -> tuple[tuple[str, str, str], Row] | None:
    """Returns the bench, unit and peer of a result, and its times; None if the peer was not
    available.

    Streams of BLAKE3 are compared with a published time; for a bootstrap each side has its own
    numbers.
    """
    name = f"{record['case']}, {record['backend']}" if "backend" in record else str(record["case"])
    if "ours_ms" in record:
        time, published = float(record["ours_ms"]), float(record["published_kernel_ms"])
        name = f"{name}, threads: {record['threads']}"
        return (str(record["bench"]), "ms", "the published kernel"), Row(name, time, published, published / time)
    ours, theirs = record["ours"], record.get("theirs")
    if theirs is None:
        return None
    unit, peer = ("s", theirs["name"]) if isinstance(theirs, dict) else (record["unit"], record["peer"])
    time, other = (float(side["seconds"] if isinstance(side, dict) else side) for side in (ours, theirs))
    return (str(record["bench"]), str(unit), str(peer)), Row(name, time, other, float(record["ratio"]))


def of_run(lines: Iterable[str]) -> Mapping[str, str]:
    """Returns a picture for each engine, unit and peer of a run.

    Raises `ValueError` if a line is not a result of `halimede-bench --json`.
    """
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found = of_record(json.loads(line))
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"line {number}: not a result of halimede-bench: {error!r}") from None
        if found is not None:
            groups.setdefault(found[0], []).append(found[1])
    drawn = {}
    for place, ((bench, unit, peer), rows) in enumerate(groups.items()):
        name = re.sub(r"\W+", "-", f"{bench}-{place}")
        drawn[f"{name}.svg"] = draw(bench, unit, peer, "halimede-bench --json", rows)
    return drawn


def main() -> int:
    """Runs the command and returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m docs.book.plots", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if pictures are not up to date")
    parser.add_argument("--json", type=Path, metavar="FILE", help="results of halimede-bench")
    parser.add_argument("--out", type=Path, metavar="DIR", help="output folder with --json")
    options = parser.parse_args()
    if (options.json is None) != (options.out is None):
        parser.error("--json and --out must be used together")
    try:
        if options.json is not None:
            options.out.mkdir(parents=True, exist_ok=True)
            for name, text in of_run(options.json.read_text(encoding="utf-8").splitlines()).items():
                (options.out / name).write_text(text, encoding="utf-8")
                print(options.out / name)
            return 0
        texts = of_document(DOCUMENT.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    same = [write_or_check(FOLDER / name, text, options.check) for name, text in texts.items()]
    return int(options.check and not all(same))


if __name__ == "__main__":
    sys.exit(main())
