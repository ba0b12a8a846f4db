# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compares the resources of kernels with their budget, places/cuda/kernels/budget.json.

python -m places.cuda.tools.gate             the budget belongs to these sources (needs no compiler)
python -m places.cuda.tools.gate --measure   compiles all kernels, and measures them
python -m places.cuda.tools.gate --update    measures the engines that changed, and writes the budget

Each kernel has, for each compute capability: registers, bytes of shared memory, bytes of stack, and
the numbers of its PTX instructions by kind. A kernel that spills registers to memory always fails; a
kernel with a stack fails unless `stack` in the budget has been raised by hand. Exit codes: 1: a
kernel exceeds its budget, or the budget is out of date; 4: the compiler is missing.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from places.cuda.tools import kernels, toolkit
from places.cuda.tools.sources import CAPABILITIES, KERNELS, BuildError, digest_of, engines

BUDGET = KERNELS / "budget.json"
ENTRY = re.compile(r"\.entry\s+(\w+)\s*\(")
INSTRUCTION = re.compile(r"^\s+(?:@!?%\w+\s+)?([a-z][\w.]*)", re.MULTILINE)
COMPILING = re.compile(r"Compiling entry function '(\w+)'")
FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers")
SHARED = re.compile(r"(\d+) bytes smem")
# The kinds of instructions, by the beginnings of their names; what is not here is "other".
KINDS = {
    "multiply": ("mad", "mul", "fma"),
    "add": ("add", "sub"),
    "logic": ("and", "or.", "xor", "not", "shl", "shr", "shf", "lop3", "prmt", "bfe", "bfi"),
    "global": ("ld.global", "st.global", "ld.const"),
    "shared": ("ld.shared", "st.shared"),
    "local": ("ld.local", "st.local"),
    "atomic": ("atom", "red"),
    "branch": ("bra", "call", "brx"),
    "barrier": ("bar", "shfl", "vote"),
}


@dataclass(frozen=True)
class Use:
    """The resources of a kernel on one compute capability."""

    registers: int
    shared: int
    stack: int
    spills: int


def kind_of(instruction: str) -> str:
    """The kind of a PTX instruction."""
    for kind, beginnings in KINDS.items():
        if instruction.startswith(beginnings):
            return kind
    return "other"


def count_instructions(ptx: str) -> dict[str, dict[str, int]]:
    """The numbers of instructions of each kernel, by kind."""
    counts = {}
    for entry in ENTRY.finditer(ptx):
        start = ptx.index("{", entry.end())
        end = ptx.index("\n}", start)
        kinds = Counter(kind_of(name) for name in INSTRUCTION.findall(ptx[start:end]))
        counts[entry[1]] = dict(sorted(kinds.items()))
    return counts


def measure_file(path: Path, capability: int) -> dict[str, Use]:
    """Compiles a PTX file to machine code, and reads what each kernel takes."""
    command = [str(toolkit.ptxas()), "-v", f"-arch=sm_{capability}", str(path), "-o", os.devnull]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BuildError(f"{' '.join(command)}\n{done.stderr}")
    return parse_messages(done.stderr)


def parse_messages(text: str) -> dict[str, Use]:
    """Reads the messages of `ptxas -v`. The frames of called functions count for their kernel."""
    uses: dict[str, Use] = {}
    parts = COMPILING.split(text)
    for name, messages in zip(parts[1::2], parts[2::2], strict=True):
        frames = [tuple(map(int, frame)) for frame in FRAME.findall(messages)]
        registers, shared = USED.search(messages), SHARED.search(messages)
        if registers is None or not frames:
            raise BuildError(f"ptxas says nothing about {name}:\n{messages}")
        uses[name] = Use(
            registers=int(registers[1]), shared=int(shared[1]) if shared else 0,
            stack=max(frame[0] for frame in frames),
            spills=sum(frame[1] + frame[2] for frame in frames))
    return uses


def sources_digest(source: Path) -> str:
    """A digest of everything that the measurements of a source depend on."""
    settings = [option for one in CAPABILITIES for option in toolkit.options(one)]
    return digest_of(source, " ".join([toolkit.versions(), *settings]))


def measure(engine: str) -> dict[str, Any]:
    """The measurements of an engine's kernels, in the form of the budget; also `spills`."""
    found: dict[str, Any] = {}
    for capability in CAPABILITIES:
        path = kernels.file_of(engine, capability)
        for name, use in measure_file(path, capability).items():
            entry = found.setdefault(name, {})
            entry[str(capability)] = {"registers": use.registers, "shared": use.shared,
                                      "stack": use.stack, "spills": use.spills}
        if capability == CAPABILITIES[-1]:
            for name, kinds in count_instructions(path.read_text()).items():
                found[name]["instructions"] = kinds
    return dict(sorted(found.items()))


def faults(engine: str, measured: dict[str, Any], budget: dict[str, Any]) -> list[str]:
    """The kernels that spill, exceed their budget, or have none."""
    found = []
    for name, uses in measured.items():
        allowed = budget.get(name, {})
        for capability in map(str, CAPABILITIES):
            use, most = uses[capability], allowed.get(capability)
            place = f"{engine}: {name} for compute_{capability}"
            if use["spills"] > 0:
                found.append(f"{place} spills {use['spills']} bytes")
            if most is None:
                found.append(f"{place} has no budget")
                continue
            found += [f"{place}: {use[what]} {unit}, and the budget is {most[what]}"
                      for what, unit in (("registers", "registers"),
                                         ("shared", "bytes of shared memory"),
                                         ("stack", "bytes of stack"))
                      if use[what] > most[what]]
        if most is not None and uses["instructions"] != allowed.get("instructions"):
            total, before = (sum(counts.values()) for counts in
                             (uses["instructions"], allowed.get("instructions", {})))
            if total > before:
                found.append(f"{engine}: {name} has {total} instructions, the budget is {before}")
    found += [f"{engine}: {name} has a budget and does not exist" for name in budget
              if name not in measured]
    return found


def read_budget() -> dict[str, Any]:
    """The committed budget."""
    if not BUDGET.exists():
        return {}
    budget: dict[str, Any] = json.loads(BUDGET.read_text())
    return budget


def stale() -> list[str]:
    """The engines whose budget is missing or belongs to other sources."""
    budget = read_budget()
    return [name for name, source in engines().items()
            if budget.get(name, {}).get("sources") != sources_digest(source)]


def measure_all(names: list[str]) -> dict[str, dict[str, Any]]:
    """Compiles and measures engines."""
    kernels.make_all(names)
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return dict(zip(names, pool.map(measure, names), strict=True))


def updated(measured: dict[str, Any], before: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The new budget of an engine's kernels, and what no budget allows: spills, and stacks that
    are larger than before."""
    problems: list[str] = []
    budget: dict[str, Any] = {}
    for name, uses in measured.items():
        budget[name] = {}
        for key, use in uses.items():
            if key == "instructions":
                budget[name][key] = use
                continue
            stack = before.get(name, {}).get(key, {}).get("stack", 0)
            if use["spills"] > 0:
                problems.append(f"{name} for compute_{key} spills {use['spills']} bytes")
            if use["stack"] > stack:
                problems.append(f"{name} for compute_{key} has {use['stack']} bytes of stack, and "
                                f"the budget allows {stack}")
            budget[name][key] = {"registers": use["registers"], "shared": use["shared"],
                                 "stack": max(stack, use["stack"])}
    return budget, problems


def update(allow_stack: bool) -> list[str]:
    """Writes the budget of the engines that changed; returns what no budget allows."""
    budget = {name: entry for name, entry in read_budget().items() if name in engines()}
    problems = []
    for name, measured in measure_all(stale()).items():
        before = budget.get(name, {}).get("kernels", {})
        entry, found = updated(measured, before)
        if allow_stack:
            found = [problem for problem in found if "of stack" not in problem]
        problems += [f"{name}: {problem}" for problem in found]
        if not found:
            budget[name] = {"sources": sources_digest(engines()[name]), "kernels": entry}
    partial = BUDGET.with_suffix(f".{os.getpid()}")
    partial.write_text(json.dumps(dict(sorted(budget.items())), indent=1) + "\n")
    partial.replace(BUDGET)
    return problems


def check_measurements() -> list[str]:
    """Measures all kernels, and compares them with the budget."""
    budget = read_budget()
    found = []
    for name, measured in measure_all(sorted(engines())).items():
        found += faults(name, measured, budget.get(name, {}).get("kernels", {}))
    return found


def main() -> int:
    """Does what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--measure", action="store_true", help="compile and measure all kernels")
    action.add_argument("--update", action="store_true", help="write the budget")
    parser.add_argument("--allow-stack", action="store_true",
                        help="with --update: accept kernels with a stack")
    arguments = parser.parse_args()
    try:
        if arguments.update:
            found = update(arguments.allow_stack)
        else:
            found = [f"{name}: the budget is out of date; run `make gpu-budget`"
                     for name in stale()]
            if arguments.measure:
                found += check_measurements()
    except toolkit.ToolMissing as error:
        print(error, file=sys.stderr)
        return 4
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
