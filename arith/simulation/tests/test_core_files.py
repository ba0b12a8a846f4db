# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The FuseSoC core files list the files that the designs need, in a readable order, and FuseSoC
lints and simulates with them."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from arith.simulation import core_files, fusesoc
from arith.simulation.bench import in_sweep, skip_or_raise
from arith.simulation.sources import sources_of
from arith.simulation.toolchain import BUILD_ROOT, PROJECT_ROOT, ToolMissing, verilator_command


def load(core: Path) -> dict[str, Any]:
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load(core.read_text().removeprefix("CAPI=2:\n"))


def by_name() -> dict[str, Path]:
    return {load(core)["name"]: core for core in core_files.core_files()}


def listed(core: Path) -> list[Path]:
    """The RTL of a core, preceded by that of the cores that it depends on; each once."""
    cores, files = by_name(), []
    fileset = load(core)["filesets"]["rtl"]
    for name in fileset.get("depend", []):
        files += [file for file in listed(cores[name]) if file not in files]
    return files + [core.parent / name for name in fileset["files"]]


def targets(flow: str) -> list[tuple[str, str]]:
    """(target, core's name) of every target of that flow."""
    if importlib.util.find_spec("yaml") is None:
        return []
    return [
        (target, name)
        for name, core in by_name().items()
        for target, entry in load(core)["targets"].items()
        if entry.get("flow") == flow
    ]


def test_every_rtl_folder_has_a_core() -> None:
    folders = {core.parent for core in core_files.core_files()}
    assert folders == {folder.parent for folder in PROJECT_ROOT.glob("engines/*/rtl")} | {
        PROJECT_ROOT / "arith", PROJECT_ROOT / "card",
    }


@pytest.mark.parametrize("core", core_files.core_files(), ids=lambda core: core.stem)
def test_lists_are_exact(core: Path) -> None:
    files = listed(core)
    assert len(set(files)) == len(files)
    own = {file for file in files if file.is_relative_to(core.parent)}
    assert own == {*core_files.rtl_of(core)}
    for file in files:
        # The files that a file needs come before it, in this core or in one that it depends on.
        needed = sources_of(file.stem)
        assert {*needed} <= {*files[: files.index(file) + 1]}, file
    for entry in load(core)["targets"].values():
        if "toplevel" in entry and entry["filesets"] == ["rtl"]:
            assert {*sources_of(entry["toplevel"])} <= {*files}


@pytest.fixture
def tools() -> None:
    try:
        verilator_command()
        fusesoc._program()
    except ToolMissing as missing:
        skip_or_raise(missing)


# Verilator has linted the same modules in their folders, and test_lists_are_exact compares the
# files.
LINT_TARGETS = targets("lint")
QUICK = [one for one in LINT_TARGETS if one[1].split(":")[2] == "card"]  # with all others


@pytest.mark.parametrize("target, name", [*QUICK, *in_sweep([x for x in LINT_TARGETS if x not in QUICK])])
def test_lint(target: str, name: str, tools: None) -> None:
    assert fusesoc.fusesoc(["run", f"--target={target}", name]) == 0


def test_sim(tools: None) -> None:
    assert fusesoc.fusesoc(["run", "--target=sim", "halimede:ip:arith"]) == 0


@pytest.mark.parametrize("target, name", targets("vivado"))
def test_vivado_script_reads_the_sources_in_order(target: str, name: str, tools: None) -> None:
    """Vivado itself is not called; FuseSoC writes the script for it."""
    assert fusesoc.fusesoc(["run", "--setup", f"--target={target}", name]) == 0
    folder = BUILD_ROOT / "fusesoc" / name.replace(":", "_") / target
    script = (folder / f"{name.replace(':', '_')}.tcl").read_text()
    lines = [line for line in script.splitlines() if line.startswith("read_verilog")]
    read = [line.split("/")[-1].rstrip("}") for line in lines]
    assert read == [file.name for file in listed(by_name()[name])]


def test_what_fails_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tools: None) -> None:
    """Unknown cores, failed benches and benches that never ran give an exit code, not a success."""
    assert fusesoc.fusesoc(["run", "--target=lint", "halimede:ip:no_such_core"]) != 0
    program = tmp_path / "fusesoc"
    program.write_text("#!/bin/sh\n[ -z \"$RESULT\" ] || echo \"$RESULT\" > $COCOTB_RESULTS_FILE\n")
    program.chmod(0o755)
    monkeypatch.setattr(fusesoc, "_program", lambda: str(program))
    run = ["run", "--target=sim", "halimede:ip:arith"]
    assert fusesoc.fusesoc(run) == 1
    for failure, status in (("<failure/>", 1), ("", 0)):
        case = f"<testcase name='a'>{failure}</testcase>"
        monkeypatch.setenv("RESULT", f"<testsuites>{case}</testsuites>")
        assert fusesoc.fusesoc(run) == status


def test_check_notices_a_stale_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    core = PROJECT_ROOT / "arith" / "halimede_arith.core"
    assert core_files.main(["--check"]) == 0
    for stale in ("      - rtl/mod_mul.sv\n", "      - rtl/arith_pkg.sv\n"):
        assert core.read_text().count(stale) == 1
        assert core_files.with_list(core, core.read_text().replace(stale, "")) == core.read_text()
    with pytest.raises(ValueError, match="0 generated lists"):
        core_files.with_list(core, core.read_text().replace(core_files.END, ""))
    monkeypatch.setattr(core_files, "with_list", lambda core, text: text + "\n")
    assert core_files.main(["--check"]) == 1
    assert "arith/halimede_arith.core is out of date" in capsys.readouterr().err
