# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compares the resources of kernels with their budget, places/cuda/kernels/budget.json.

python -m places.cuda.tools.gate             the budget belongs to these sources (needs no compiler)
python -m places.cuda.tools.gate --measure   compiles all kernels, and measures them
python -m places.cuda.tools.gate --measure --capability 90     only for this compute capability
python -m places.cuda.tools.gate --update    measures all kernels, and writes the budget

Each kernel has, for each compute capability: registers, bytes of shared memory, bytes of stack; and
the numbers of its PTX instructions by kind, with those of the functions that it calls. A kernel
that spills registers to memory always fails; a kernel with a stack fails unless `stack` in the
budget has been raised by hand. Measurements are kept in build/gpu-gate by a digest of the kernel's
sources and the compiler, so that only what changed is compiled. Exit codes: 1: a kernel exceeds its
budget, or the budget is out of date; 4: the compiler is missing.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from places.cuda.tools import kernels, toolkit
from places.cuda.tools.sources import (
    BUILD, CAPABILITIES, KERNELS, BuildError, digest_of, engines)

BUDGET = KERNELS / "budget.json"
OUTPUT = BUILD / "gpu-gate"
# The compute capability whose instructions are counted, and which the default tests compile for.
COUNTED = 90
# A function's beginning up to its parameters. A function that is called may return a value.
FUNCTION = re.compile(r"\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)")
IS_ENTRY = re.compile(r"\.entry\s+(\w+)")
NAME = re.compile(r"[\w$]+")
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


def bodies_of(ptx: str) -> dict[str, str]:
    """The bodies of all functions of a PTX file, kernels included, by name."""
    bodies = {}
    for function in FUNCTION.finditer(ptx):
        start, declared = ptx.find("\n{", function.end()), ptx.find("\n;", function.end())
        if start < 0 or 0 <= declared < start:
            continue
        bodies[function[1]] = ptx[start:ptx.index("\n}", start)]
    return bodies


def count_instructions(ptx: str) -> dict[str, dict[str, int]]:
    """The numbers of instructions of each kernel and the functions that it calls, by kind."""
    bodies = bodies_of(ptx)
    own = {name: Counter(kind_of(word) for word in INSTRUCTION.findall(body))
           for name, body in bodies.items()}
    called = {name: (bodies.keys() & set(NAME.findall(body))) - {name}
              for name, body in bodies.items()}
    counts = {}
    for kernel in IS_ENTRY.findall(ptx):
        reached, open_ends = {kernel}, [kernel]
        while open_ends:
            found = called[open_ends.pop()] - reached
            reached |= found
            open_ends += found
        total: Counter[str] = sum((own[name] for name in reached), Counter())
        counts[kernel] = dict(sorted(total.items()))
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


def measurement_digest(source: Path, capability: int) -> str:
    """A digest of everything that a measurement depends on, this program included."""
    own = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    return f"{kernels.digest(source, capability)} {own[:16]}"


def measure_one(engine: str, source: Path, capability: int, output: Path) -> dict[str, Any]:
    """The measurements of an engine's kernels for a compute capability, unless they are kept."""
    kept = output / f"{engine}.compute_{capability}.json"
    digest = measurement_digest(source, capability)
    if kept.exists():
        known: dict[str, Any] = json.loads(kept.read_text())
        if known["digest"] == digest:
            found: dict[str, Any] = known["kernels"]
            return found
    ready = kernels.is_current(kernels.file_of(engine, capability), source, capability)
    folder = kernels.OUTPUT if ready else output
    kernels.make(engine, source, capability, folder)
    path = kernels.file_of(engine, capability, folder)
    instructions = count_instructions(path.read_text())
    found = {name: {"registers": use.registers, "shared": use.shared, "stack": use.stack,
                    "spills": use.spills, "instructions": instructions[name]}
             for name, use in measure_file(path, capability).items()}
    partial = kept.with_suffix(f".{os.getpid()}")
    partial.write_text(json.dumps({"digest": digest, "kernels": found}))
    partial.replace(kept)
    return found


def joined(measured: dict[int, dict[str, Any]]) -> dict[str, Any]:
    """The measurements of an engine's kernels by compute capability, in the form of the budget."""
    found: dict[str, Any] = {}
    for capability, uses in measured.items():
        for name, use in uses.items():
            entry = found.setdefault(name, {})
            entry[str(capability)] = {key: value for key, value in use.items()
                                      if key != "instructions"}
            if capability == COUNTED:
                entry["instructions"] = use["instructions"]
    return dict(sorted(found.items()))


def faults(engine: str, measured: dict[str, Any], budget: dict[str, Any]) -> list[str]:
    """The kernels that spill, exceed their budget, or have none."""
    found = []
    for name, uses in measured.items():
        allowed = budget.get(name, {})
        for capability, use in uses.items():
            if capability == "instructions":
                continue
            most = allowed.get(capability)
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
        if allowed:
            total, before = (sum(counts.get("instructions", {}).values())
                             for counts in (uses, allowed))
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


def measure_all(capabilities: Sequence[int] = CAPABILITIES) -> dict[str, dict[str, Any]]:
    """Measures all kernels on all cores, and compiles those whose measurements are not kept."""
    sources, budget = engines(), read_budget()
    OUTPUT.mkdir(parents=True, exist_ok=True)
    toolkit.library()

    def length(engine: str) -> int:
        known = budget.get(engine, {}).get("kernels", {}).values()
        return sum(sum(kernel.get("instructions", {}).values()) for kernel in known)

    # The longest compilation begins first.
    names = sorted(sources, key=length, reverse=True)
    jobs = [(name, sources[name], capability, OUTPUT)
            for name in names for capability in capabilities]
    with ProcessPoolExecutor(min(len(jobs), os.cpu_count() or 1)) as pool:
        done = list(pool.map(measure_one, *zip(*jobs, strict=True)))
    found: dict[str, dict[int, Any]] = {name: {} for name in sorted(sources)}
    for (name, _, capability, _), uses in zip(jobs, done, strict=True):
        found[name][capability] = uses
    return {name: joined(uses) for name, uses in found.items()}


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
    """Writes the budget; returns what no budget allows."""
    budget = {name: entry for name, entry in read_budget().items() if name in engines()}
    problems = []
    for name, measured in measure_all().items():
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


def check_measurements(capabilities: Sequence[int] = CAPABILITIES) -> list[str]:
    """Measures all kernels, and compares them with the budget."""
    budget = read_budget()
    found = []
    for name, measured in measure_all(capabilities).items():
        found += faults(name, measured, budget.get(name, {}).get("kernels", {}))
    return found


def main() -> int:
    """Does what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--measure", action="store_true", help="compile and measure all kernels")
    action.add_argument("--update", action="store_true", help="write the budget")
    parser.add_argument("--capability", type=int, action="append", choices=CAPABILITIES,
                        help="with --measure: only for this compute capability")
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
                found += check_measurements(arguments.capability or CAPABILITIES)
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
