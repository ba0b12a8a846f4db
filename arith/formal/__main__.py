# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`python -m arith.formal [NAME…]`: runs the proofs and their mutants and prints a table.

Exit code 0: everything is proved and each mutant refuted; 1: otherwise; 2: bad arguments or no tools.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from arith.formal.collect import all_proofs
from arith.formal.proof import Proof
from arith.formal.sby import Run, check_tools
from arith.formal.tasks import Task, tasks_of
from arith.simulation.toolchain import PROJECT_ROOT, ToolMissing


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m arith.formal", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these proofs")
    parser.add_argument("--jobs", type=int, default=2, help="parallel runs (default: 2)")
    parser.add_argument("--list", action="store_true", help="only list the proofs")
    return parser.parse_args(arguments)


def _report(proof: Proof, task: Task, run: Run) -> bool:
    right = run.verdict is task.wanted
    print(f"{proof.name:20} {run.verdict.name:8} {run.seconds:5.1f} s  {task.what}"
          + ("" if right else f"   <-- should be {task.wanted.name}"), flush=True)
    if not right:
        print(f"\n{run.log()}\n(in {run.folder.relative_to(PROJECT_ROOT)})\n", flush=True)
    return right


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the requested proofs; returns the exit code."""
    options = _arguments(arguments)
    proofs = {proof.name: proof for proof in all_proofs()}
    unknown = [name for name in options.names if name not in proofs]
    if unknown or options.jobs < 1:
        print(f"error: no proof {', '.join(unknown)}; there are: {', '.join(proofs)}" if unknown
              else "error: --jobs must be at least 1", file=sys.stderr)
        return 2
    chosen = [proofs[name] for name in options.names] or list(proofs.values())
    if options.list:
        for proof in chosen:
            print(f"{proof.name:20} k = {proof.depth}, {len(proof.mutants)} mutants")
        return 0
    try:
        check_tools()
    except ToolMissing as missing:
        print(f"error: {missing}", file=sys.stderr)
        return 2
    began = time.monotonic()
    with ThreadPoolExecutor(options.jobs) as pool:
        waiting = [
            (proof, task, pool.submit(task.run)) for proof in chosen for task in tasks_of(proof)
        ]
        verdicts = [_report(proof, task, future.result()) for proof, task, future in waiting]
    wrong = verdicts.count(False)
    print(f"{len(chosen)} proofs, {len(verdicts)} runs, {wrong} unexpected, "
          f"{time.monotonic() - began:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
