# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The Vivado scripts run to their end with replacements for Vivado's commands, and stop before a
bitstream if a constraint matches nothing, hold is missed or a clock crossing is critical."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from arith.simulation.toolchain import PROJECT_ROOT
from card.boards import cl_folder, sources

BOARDS = PROJECT_ROOT / "card" / "boards"
STAND_IN = BOARDS / "tests" / "vivado_stand_in.tcl"
CRITICAL = """\
ID      Severity  Count  Description
------  --------  -----  ---------------------------
CDC-1   Critical      2  1-bit unknown CDC circuitry
CDC-3   Info          4  1-bit synchronized
"""
SOUND = CRITICAL.replace("CDC-1   Critical", "CDC-6   Warning ")
GOOD = {"missing": "", "setup": "0.012", "hold": "0.003", "crossings": SOUND}


def run_tcl(script: str, folder: Path, answers: Mapping[str, str]) -> tuple[int, str, list[str]]:
    """Runs Tcl with the replacements: returns the exit code, the output, and the Vivado
    commands."""
    if shutil.which("tclsh") is None:
        pytest.skip("no tclsh here")
    log = folder / "commands.txt"
    sets = "\n".join(f"set {name} {{{value}}}" for name, value in (GOOD | answers).items())
    text = f"set log [open {{{log}}} w]\n{sets}\nsource {{{STAND_IN}}}\n{script}\n"
    environment = os.environ | {"PYTHONPATH": str(PROJECT_ROOT)}
    main = folder / "main.tcl"
    main.write_text(text)
    done = subprocess.run(["tclsh", str(main)], text=True, capture_output=True, timeout=60,
                          cwd=folder, env=environment, check=False)
    return done.returncode, done.stdout + done.stderr, log.read_text().splitlines()


def build(board: str, folder: Path, answers: Mapping[str, str]) -> tuple[int, str, list[str]]:
    """Runs a board's whole build."""
    script = BOARDS / board / "build.tcl"
    return run_tcl(f"set target {{{folder}}}\nsource {{{script}}}", folder, answers)


def starts_with(commands: list[str], name: str) -> list[str]:
    return [command for command in commands if command.split()[0] == name]


@pytest.mark.parametrize("board", sources.BOARDS)
def test_a_sound_design_becomes_a_bitstream(board, tmp_path):
    code, said, commands = build(board, tmp_path, {})
    assert code == 0, said
    names = [command.split()[0] for command in commands]
    # The checks come after routing, and the bitstream comes after the checks.
    for earlier, later in (
        ("open_checkpoint", "set_max_delay"), ("set_max_delay", "opt_design"),
        ("route_design", "report_timing_summary"), ("report_timing_summary", "report_cdc"),
        ("report_cdc", "write_bitstream"), ("write_bitstream", "write_cfgmem"),
    ):
        assert names.index(earlier) < names.index(later), (earlier, later)
    assert "timing.txt" in starts_with(commands, "report_timing_summary")[0]
    refused = " ".join(starts_with(commands, "set_msg_config"))
    for message in ("Vivado 12-180", "Vivado 12-584", "Vivado 12-4739", "Common 17-55"):
        assert f"{{{message}}} -new_severity ERROR" in refused
    assert "setup 0.012 ns, hold 0.003 ns" in said


@pytest.mark.parametrize("answers, wanted", [
    ({"hold": "-0.021"}, "hold is missed by 0.021 ns"),
    ({"setup": "-0.5"}, "setup is missed by 0.5 ns: lower core_mhz"),
    ({"crossings": CRITICAL}, "CDC-1   Critical      2  1-bit unknown CDC circuitry"),
    ({"missing": "timing_paths"}, "no path has a max delay"),
    ({"missing": "hbm_cattrip"}, "no object for this constraint: get_ports hbm_cattrip"),
    ({"missing": "u_shell/core_clk"}, "no object for this constraint: get_nets u_shell/core_clk"),
    ({"missing": "write_gray_q"}, "no object for this constraint: get_cells"),
    ({"missing": "u_interrupt"}, "no object for this constraint: get_cells -hierarchical"),
    ({"missing": "_reset/stages_q"}, "no object for this constraint: get_pins"),
], ids=lambda value: next(iter(value)) if isinstance(value, dict) else "")
def test_what_is_not_sound_stops_before_the_bitstream(answers, wanted, tmp_path):
    code, said, commands = build("alveo_u280", tmp_path, answers)
    assert code != 0 and wanted in said, said
    assert not starts_with(commands, "write_bitstream")


def test_each_constraint_looks_for_its_objects_through_the_check():
    files = [*BOARDS.rglob("*.xdc")]
    assert len(files) >= 4
    for file in files:
        code = re.sub(r"^\s*#.*$", "", file.read_text(), flags=re.MULTILINE)
        looks = re.findall(r"\[(the )?(get_(?!property)\w+)", code)
        assert all(checked for checked, _ in looks), f"{file.name}: {looks}"


def f2_folder(tmp_path: Path) -> Path:
    """The folder of custom logic, with a kit whose scripts do nothing."""
    kit = tmp_path / "kit"
    (kit / "build" / "scripts").mkdir(parents=True)
    for name in ("synth_cl_header.tcl", "synth_cl_footer.tcl", *cl_folder.KIT_SCRIPTS):
        (kit / "build" / "scripts" / name).write_text(f"kit {name}\n")
    folder = tmp_path / cl_folder.CL
    subprocess.run([sys.executable, "-m", "card.boards.cl_folder", str(folder)], check=True,
                   cwd=PROJECT_ROOT, timeout=60, env=os.environ | {"HDK_SHELL_DIR": str(kit)})
    return folder


def synthesize_f2(tmp_path: Path, answers: Mapping[str, str]) -> tuple[int, str, list[str]]:
    folder = f2_folder(tmp_path)
    given = {"HDK_SHELL_DIR": tmp_path / "kit", "CL": cl_folder.CL, "CL_DIR": folder,
             "DEVICE_TYPE": "xcvu47p-fsvh2892-2-e", "src_post_enc_dir": folder / "design",
             "constraints_dir": folder / "build/constraints", "checkpoints_dir": tmp_path}
    sets = "\n".join(f"set {name} {{{value}}}" for name, value in given.items())
    script = folder / "build/scripts/synth_cl_halimede.tcl"
    return run_tcl(f"{sets}\nsource {{{script}}}", tmp_path, answers)


def test_the_f2_folder_synthesizes(tmp_path):
    code, said, commands = synthesize_f2(tmp_path, {})
    assert code == 0, said
    names = [command.split()[0] for command in commands]
    read = [Path(command.split()[-1]) for command in starts_with(commands, "read_verilog")]
    assert all(file.is_file() for file in read)
    stems = [file.stem for file in read]
    assert stems[-1] == "cl_halimede" and len(set(stems)) == len(stems)
    assert {"axi4_stream_bridge", "crossed_card", "core_clock", "f2_card"} <= set(stems)
    assert not {"sh_ddr", "MMCME4_BASE", "BUFG"} & set(stems), "the kit and Vivado provide these"
    assert names[0] == "kit" and names[-1] == "kit"
    assert names.index("synth_design") < names.index("set_max_delay")
    ids = (tmp_path / "cl_halimede/design/cl_id_defines.vh").read_text()
    assert re.fullmatch(r"(`define CL_SH_ID[01] 32'h[0-9A-F]{4}_[0-9A-F]{4}\n){2}", ids)
    for name in cl_folder.KIT_SCRIPTS:
        assert (tmp_path / "cl_halimede/build/scripts" / name).read_text() == f"kit {name}\n"


def test_an_unmatched_constraint_stops_the_synthesis_for_f2(tmp_path):
    code, said, commands = synthesize_f2(tmp_path, {"missing": "u_card/core_clk"})
    assert code != 0 and "no object for this constraint: get_nets u_card/core_clk" in said
    assert starts_with(commands, "kit") == ["kit synth_cl_header.tcl"]


@pytest.mark.parametrize("answers, wanted", [
    ({}, "passes: an image can be made from it"), ({"hold": "-1"}, "hold is missed by 1 ns"),
    ({"crossings": CRITICAL}, "clock crossings are critical"),
])
def test_the_f2_build_is_checked(answers, wanted, tmp_path):
    folder = f2_folder(tmp_path)
    script = f"source {{{folder}/build/scripts/check_cl_halimede.tcl}}"
    code, said, _ = run_tcl(f"set argv night\n{script}", tmp_path, answers)
    assert code != 0 and "this build does not exist" in said
    (folder / "build/checkpoints").mkdir()
    (folder / "build/checkpoints/cl_halimede.night.post_route.dcp").touch()
    code, said, _ = run_tcl(f"set argv night\n{script}", tmp_path, answers)
    assert (code == 0) == (not answers) and wanted in said, said
