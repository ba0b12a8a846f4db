# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The Vivado scripts run to their end with strict replacements for Vivado's commands, on the objects
of the netlist that Yosys elaborated. They stop before a bitstream if a constraint matches nothing,
hold is missed or a clock crossing is critical. Planted defects show that each check can fail."""

import functools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from arith.simulation.bench import yosys_or_skip
from arith.simulation.toolchain import PROJECT_ROOT
from card.boards import cl_folder, crossings, netlist, sources

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
CLOCKS = dict.fromkeys(sources.BOARDS, ("u_shell/bus_clk", "u_shell/core_clk")) | {
    "aws_f2": ("clk_main_a0", "u_card/core_clk")}


@functools.cache
def checker(board: str) -> crossings.Checker:
    """The netlist of a board, elaborated once per run."""
    yosys_or_skip()
    return crossings.Checker(netlist.of_board(board),
                             "clk_main_a0" if board == "aws_f2" else None)


@functools.cache
def objects(board: str) -> str:
    """The Tcl script with the objects of a board's netlist and its clocks."""
    bus, core = CLOCKS[board]
    made = checker(board)
    listed = made.design.objects(made.clock_of_cell)
    return f"{listed}set bus_net {bus}\nset core_net {core}\n"


def run_tcl(script: str, folder: Path, answers: Mapping[str, str],
            board: str = "alveo_u280") -> tuple[int, str, list[str]]:
    """Runs Tcl with the replacements: returns the exit code, the output, and the Vivado
    commands."""
    if shutil.which("tclsh") is None:
        pytest.skip("no tclsh here")
    log = folder / "commands.txt"
    sets = "\n".join(f"set {name} {{{value}}}" for name, value in (GOOD | answers).items())
    (folder / "objects.tcl").write_text(objects(board))
    text = (f"set log [open {{{log}}} w]\n{sets}\nsource {{{folder}/objects.tcl}}\n"
            f"source {{{STAND_IN}}}\n{script}\n")
    environment = os.environ | {"PYTHONPATH": str(PROJECT_ROOT)}
    main = folder / "main.tcl"
    main.write_text(text)
    done = subprocess.run(["tclsh", str(main)], text=True, capture_output=True, timeout=60,
                          cwd=folder, env=environment, check=False)
    return done.returncode, done.stdout + done.stderr, log.read_text().splitlines()


def build(board: str, folder: Path, answers: Mapping[str, str]) -> tuple[int, str, list[str]]:
    """Runs a board's whole build."""
    script = BOARDS / board / "build.tcl"
    return run_tcl(f"set target {{{folder}}}\nsource {{{script}}}", folder, answers, board)


def starts_with(commands: list[str], name: str) -> list[str]:
    return [command for command in commands if command.split()[0] == name]


@pytest.mark.parametrize("board", sources.BOARDS)
def test_a_sound_design_becomes_a_bitstream(board, tmp_path):
    code, said, commands = build(board, tmp_path, {})
    assert code == 0, said
    names = [command.split()[0] for command in commands]
    # The checks come after routing, and the bitstream comes after the checks.
    for earlier, later in (
        # Messages of the cores' constraints are errors too.
        ("set_msg_config", "create_bd_design"), ("create_project", "set_msg_config"),
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
    ({"missing": "u_locked"}, "no object for this constraint: get_cells -hierarchical"),
    ({"missing": "_reset/stages_q"}, "no object for this constraint: get_pins"),
    ({"missing": "gen_copy[1].u_port"}, "no object for this constraint: get_cells -hierarchical"),
], ids=lambda value: next(iter(value)) if isinstance(value, dict) else "")
def test_what_is_not_sound_stops_before_the_bitstream(answers, wanted, tmp_path):
    code, said, commands = build("alveo_u280", tmp_path, answers)
    assert code != 0 and wanted in said, said
    assert not starts_with(commands, "write_bitstream")


PLANTED = [
    ("crossing.xdc", "[format {%s/%s_reg[*]} $fifo $pointer]", '"$fifo/${pointer}_reg[*]"',
     "unknown command: *"),
    ("crossing.xdc", "[format {%s/out_q_reg[*]} $fifo]", "[format {%s/out_reg[*]} $fifo]",
     "no object for this constraint: get_cells"),
    ("crossing.xdc", "ORIG_REF_NAME == stream_async_fifo || REF_NAME =~ stream_async_fifo*",
     "ORIG_REF_NAME == async_fifo", "no object for this constraint: get_cells -hierarchical"),
    ("crossing.xdc", "stages_q_reg[0][*]} $fifo $synch", "stages_q_reg[0]} $fifo $synch",
     "no object for this constraint: get_cells"),
    ("crossing.xdc", "set_bus_skew -from", "set_buss_skew -from", "unknown command: set_buss_skew"),
    ("crossing.xdc", "-datapath_only -from $from", "-datapath -from $from",
     "unknown option: set_max_delay -datapath"),
    ("crossing.xdc", "*_reset/stages_q_reg[*]/CLR", "*_reset/stages_q_reg[*]/PRE",
     "no object for this constraint: get_pins"),
    ("floorplan.xdc", "gen_copy[1].u_port", "gen_copy[2].u_port",
     "no object for this constraint: get_cells -hierarchical"),
    ("bd.tcl", "xdma/usr_irq_req", "xdma/usr_irq", "no pin of a core: xdma/usr_irq"),
    ("bd.tcl", "[get_bd_ports irq_ack]", "[get_bd_ports irq_acks]",
     "no port of the block design: irq_acks"),
    ("bd.tcl", "-dir O core_locked", "-direction O core_locked",
     "unknown option: create_bd_port -direction"),
]


@pytest.mark.parametrize("name, sound, planted, wanted", PLANTED,
                         ids=[f"{name}-{planted[:20]}" for name, _, planted, _ in PLANTED])
def test_a_planted_defect_stops_the_build(name, sound, planted, wanted, tmp_path):
    boards = tmp_path / "card" / "boards"
    shutil.copytree(BOARDS / "common", boards / "common")
    shutil.copytree(BOARDS / "alveo_u280", boards / "alveo_u280")
    file = boards / ("alveo_u280" if name == "floorplan.xdc" else "common") / name
    text = file.read_text()
    assert sound in text
    file.write_text(text.replace(sound, planted))
    build_script = boards / "common" / "build.tcl"
    root = "set root [file normalize $here/../../..]\n"
    assert root in build_script.read_text()
    # The list of sources comes from the project.
    build_script.write_text(build_script.read_text().replace(
        "cd $root\n", f"cd {{{PROJECT_ROOT}}}\n"))
    script = boards / "alveo_u280" / "build.tcl"
    code, said, commands = run_tcl(f"set target {{{tmp_path}}}\nsource {{{script}}}", tmp_path, {})
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
    return run_tcl(f"{sets}\nsource {{{script}}}", tmp_path, answers, "aws_f2")


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
    assert any("USER_SLR_ASSIGNMENT" in command for command in starts_with(commands, "set_property"))
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
