# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Writes the results of the test of GPUs into docs/benchmarks.md.

python -m places.cuda.tools.results RESULTS.json [DOCUMENT]

RESULTS.json is what `test-gpu/run.sh` wrote. The table replaces the block of the same GPU, between
the comments `<!-- begin gpu on NAME -->` and `<!-- end gpu on NAME -->`; a GPU without a block gets
one after the last block of a GPU, or at the end of the document under a heading. Exit code 1: the
results are invalid, the test failed, or it ran with the stand-in driver.
"""

import argparse
import datetime
import json
import os
import sys
from pathlib import Path
from typing import Any

from places.cuda.tools.sources import ROOT

DOCUMENT = ROOT / "docs" / "benchmarks.md"
HEADING = "## NVIDIA GPUs\n\n"
MOST_BYTES = 10_000_000
UNITS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


class ResultsError(Exception):
    """The results are invalid."""


def read_results(path: Path) -> dict[str, Any]:
    """Reads results; those of a test that failed are an error."""
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise ResultsError(f"{path} has {size} bytes, the limit is {MOST_BYTES}")
    try:
        results = json.loads(path.read_text())
        names = [results["gpu"]["name"], *(row["name"] for row in results["operations"])]
        numbers = [row[key] for row in results["operations"]
                   for key in ("batch", "device_rate", "processor_rate")]
        passed, is_stand_in = results["passed"], results["stand_in"]
    except (ValueError, KeyError, TypeError) as error:
        raise ResultsError(f"{path}: not the results of test_gpu: {error!r}") from error
    if passed is not True:
        raise ResultsError(f"{path}: the test failed, so its rates are not published")
    if is_stand_in is not False:
        raise ResultsError(f"{path}: the stand-in driver ran the kernels on a processor; "
                           "its rates are not those of a GPU")
    # Names are put into a table.
    if not all(isinstance(name, str) and not set(name) & set("|\n<>") for name in names):
        raise ResultsError(f"{path}: a name is not a line of text")
    if not all(isinstance(number, (int, float)) and number >= 0 for number in numbers):
        raise ResultsError(f"{path}: a rate is not a number")
    found: dict[str, Any] = results
    return found


def rate(per_second: float) -> str:
    """A rate with three digits."""
    for unit, letter in UNITS:
        if per_second >= unit:
            return f"{per_second / unit:.3g} {letter}"
    return f"{per_second:.3g}"


def block(results: dict[str, Any], date: str) -> str:
    """The table of a GPU with its comments."""
    gpu, processor = results["gpu"], results.get("processor") or {}
    lines = [
        f"<!-- begin gpu on {gpu['name']} -->",
        f"**{gpu['name']}**, compute capability {gpu.get('compute_capability')}, driver of CUDA "
        f"{gpu.get('driver')}, {date}, `test-gpu/run.sh`",
        "",
        f"| requests per second, with transfers | batch | GPU | {processor.get('threads', '?')} "
        f"threads, `{processor.get('backend', '?')}` | ratio |",
        "|---|---|---|---|---|",
    ]
    for row in results["operations"]:
        ours, other = row["device_rate"], row["processor_rate"]
        ratio = f"{ours / other:.3g}" if other > 0 else ""
        lines.append(f"| {row['name']} | {row['batch']} | {rate(ours)} | {rate(other)} | {ratio} |")
    return "\n".join([*lines, "", f"<!-- end gpu on {gpu['name']} -->", ""])


def with_block(document: str, name: str, text: str) -> str:
    """The document with the block of a GPU."""
    begin, end = f"<!-- begin gpu on {name} -->\n", f"<!-- end gpu on {name} -->\n"
    if begin in document:
        before, rest = document.split(begin, 1)
        if end not in rest:
            raise ResultsError(f"the document has no {end.strip()}")
        return before + text + rest.split(end, 1)[1]
    last = document.rfind("<!-- end gpu on ")
    if last < 0:
        return document.rstrip("\n") + "\n\n" + HEADING + text
    place = document.index("\n", last) + 1
    return document[:place] + "\n" + text + document[place:]


def main() -> int:
    """Writes the results that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("document", type=Path, nargs="?", default=DOCUMENT)
    parser.add_argument("--date", default=datetime.datetime.now(datetime.timezone.utc).date(),
                        help="the day of the test, such as 2026-11-30; today by default")
    arguments = parser.parse_args()
    try:
        results = read_results(arguments.results)
        before = arguments.document.read_text()
        text = with_block(before, results["gpu"]["name"], block(results, str(arguments.date)))
        partial = arguments.document.with_suffix(f".{os.getpid()}")
        partial.write_text(text)
        partial.replace(arguments.document)
    except (ResultsError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{arguments.document}: {len(results['operations'])} rows of {results['gpu']['name']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
