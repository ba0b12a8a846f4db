# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The common part of the commands that measure a README's table: options, report, section, exit
codes."""

import argparse
import dataclasses
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arith.microcode.generate import with_section
from arith.simulation.toolchain import BUILD_ROOT, ToolMissing
from arith.simulation.verilate import BuildFailed
from arith.synthesis.yosys import SynthesisFailed
from card.sim.build import build
from card.sim.tests.simulator import Client, Simulator


class TableFailed(RuntimeError):
    """A figure is worse than the documented one, or an answer is wrong."""


def table_lines(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """A table in Markdown."""
    head, *body = (f"| {' | '.join(map(str, row))} |" for row in (titles, *rows))
    return [head, "|---" * len(titles) + "|", *body]


def best_of_runs(
    cases: Mapping[str, Any], measure: Callable[[Simulator, Client, Any, int], Any],
    rate: Callable[[Any], float], shape: Callable[[Client], dict[str, int]], runs: int,
) -> dict[str, Any]:
    """The report of every case on the default card, with the fastest of `runs` runs."""
    with tempfile.TemporaryDirectory() as folder, Simulator(build(), Path(folder)) as simulator:
        client = simulator.connect()
        report: dict[str, Any] = {"shape": shape(client), "cases": {}, "date": time.strftime("%Y-%m-%d")}
        for name, case in cases.items():
            best = max((measure(simulator, client, case, seed) for seed in range(runs)), key=rate)
            report["cases"][name] = dataclasses.asdict(best)
            print(f"{name}: {best}", file=sys.stderr)
    return report


@dataclass(frozen=True)
class Table:
    """A table: how its report is measured, checked and shown, and the README with the table.

    The report, under build/reports, is named `name`; `module` is that of the command.
    """

    name: str
    module: str
    readme: Path
    measure: Callable[[], dict[str, Any]]
    check: Callable[[dict[str, Any]], None]
    section: Callable[[dict[str, Any]], str]

    def main(self, description: str | None) -> int:
        """Runs the command. Returns the exit code: 1 if the table is wrong, 4 if a tool is
        missing."""
        command = self.module
        parser = argparse.ArgumentParser(
            prog=f"python -m {command}", description=description,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        parser.add_argument("--json", action="store_true", help="print the report, without the README")
        parser.add_argument("--from", dest="report", type=Path, help="use this earlier report")
        options = parser.parse_args()
        try:
            if options.report:
                report = json.loads(options.report.read_text())
            else:
                report = self._measured()
            self.check(report)
            text = self.section(report)
            if options.json:
                print(json.dumps(report))
            else:
                self.readme.write_text(with_section(self.readme, text), encoding="utf-8")
                print(text)
        except ToolMissing as missing:
            print(f"{command}: {missing}", file=sys.stderr)
            return 4
        except (TableFailed, BuildFailed, SynthesisFailed, OSError, ValueError, KeyError,
                TypeError) as failed:
            print(f"{command}: {type(failed).__name__}: {failed}", file=sys.stderr)
            return 1
        return 0

    def _measured(self) -> dict[str, Any]:
        report = self.measure()
        path = BUILD_ROOT / "reports" / f"{self.name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(report, indent=2) + "\n")
        return report
