# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What the commands that measure a README's table share: options, report, section, exit codes."""

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arith.microcode.generate import with_section
from arith.simulation.toolchain import BUILD_ROOT, ToolMissing
from arith.simulation.verilate import BuildFailed
from arith.synthesis.yosys import SynthesisFailed


class TableFailed(RuntimeError):
    """A figure is worse than the card promises, or an answer is wrong."""


@dataclass(frozen=True)
class Table:
    """A table: how its report is measured, checked and shown, and the README that shows it.

    The report, under build/reports, is called `name`; `module` is the command's.
    """

    name: str
    module: str
    readme: Path
    measure: Callable[[], dict[str, Any]]
    check: Callable[[dict[str, Any]], None]
    section: Callable[[dict[str, Any]], str]

    def main(self, description: str | None) -> int:
        """Runs the command; its exit code: 1 where the table fails, 4 where a tool is missing."""
        command = self.module
        parser = argparse.ArgumentParser(
            prog=f"python -m {command}", description=description,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        parser.add_argument("--json", action="store_true", help="print the report; no README")
        parser.add_argument("--from", dest="report", type=Path, help="a report measured before")
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
