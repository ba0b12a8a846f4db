# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The boards' files are consistent: ports match pins, the block design matches its replacement,
scripts match the files that they name. The Vivado scripts are not run here; their syntax is
checked."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arith.simulation.bench import Lint, in_sweep
from arith.simulation.toolchain import PROJECT_ROOT
from card.boards import bitstream, sources

BOARDS = PROJECT_ROOT / "card" / "boards"
VIVADO_BOARDS = sources.BOARDS
TCL_FILES = sorted([*BOARDS.rglob("*.tcl"), *BOARDS.rglob("*.xdc")])
ULX3S = BOARDS / "ulx3s_85f"


# Checks that every command, parsed line by line like Tcl does, is complete before the end of the
# file.
TCL_CHECK = """
set command {{}}
foreach line [split [read [open {{{file}}}]] "\\n"] {{
    append command $line "\\n"
    if {{[info complete $command] && [string index $line end] ne "\\\\"}} {{ set command {{}} }}
}}
if {{[string trim $command] ne {{}}}} {{ puts "unfinished: $command"; exit 1 }}
"""


def ports_of(module: Path) -> dict[str, tuple[str, int]]:
    """The direction and width of each port of a module that declares one port per line."""
    found = re.findall(
        r"^  (input|output)\s+logic\s+(?:\[(\d+):0\])?\s*(\w+),?\s*(?://.*)?$",
        module.read_text(), re.MULTILINE)
    return {name: (direction, int(high or 0) + 1) for direction, high, name in found}


LINTS = [
    *(Lint("ulx3s_top", folders=["card/boards/ulx3s_85f/rtl", clock])
      for clock in ("card/boards/ulx3s_85f/pll", "card/boards/sim/rtl")),
    *(Lint("alveo_top", folders=[*sources.folders_of(board), sources.SHELL_FOLDER])
      for board in (*VIVADO_BOARDS[:1], *in_sweep([*VIVADO_BOARDS[1:]]))),
]


def test_every_pin_of_the_ulx3s_is_a_port_and_has_a_place():
    ports = {name if width == 1 else f"{name}[{bit}]"
             for name, (_, width) in ports_of(ULX3S / "rtl" / "ulx3s_top.sv").items()
             for bit in range(width)}
    text = (ULX3S / "ulx3s_v3.lpf").read_text()
    located = re.findall(r'^LOCATE COMP "([^"]+)" SITE "(\w+)";$', text, re.MULTILINE)
    buffers = re.findall(r'^IOBUF PORT "([^"]+)" .*IO_TYPE=LVCMOS33', text, re.MULTILINE)
    assert len(ports) >= 12
    assert ports == {name for name, _ in located} == set(buffers)
    sites = [site for _, site in located]
    assert len(sites) == len(set(sites)), "two ports on one pin"


def test_the_pll_keeps_within_its_oscillator():
    text = (ULX3S / "pll" / "ulx3s_clock.sv").read_text()
    divider, feedback, output = (int(re.search(rf"{name} = (\d+);", text)[1])
                                 for name in ("Input", "Feedback", "Output"))
    # The compared frequency is at least 3.125 MHz.
    assert 25 / divider >= 3.125
    assert 400 <= 25 / divider * feedback * output <= 800
    mentioned = re.search(r"crystal of 25 MHz: ([\d.]+) MHz", text)
    assert float(mentioned[1]) == 25 / divider * feedback


@pytest.mark.parametrize("file", TCL_FILES, ids=lambda file: str(file.relative_to(BOARDS)))
def test_tcl_is_complete(file):
    """Braces, brackets and quotes close."""
    if shutil.which("tclsh") is None:
        pytest.skip("no tclsh here")
    done = subprocess.run(["tclsh"], input=TCL_CHECK.format(file=file), text=True,
                          capture_output=True, timeout=30, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "NOT RUN HERE" in file.read_text()


def test_an_open_brace_is_noticed(tmp_path):
    broken = tmp_path / "broken.tcl"
    broken.write_text("# NOT RUN HERE\nif {1} {\n")
    with pytest.raises(AssertionError):
        test_tcl_is_complete(broken)


def constraints_of(board: str) -> Path:
    """The file of a board's pins, which its build.tcl names."""
    build = (BOARDS / board / "build.tcl").read_text()
    return BOARDS / board / re.search(r"^set constraints .*\[info script\]\]\]/([\w./]+)$", build,
                                      re.MULTILINE)[1]


@pytest.mark.parametrize("board", VIVADO_BOARDS)
def test_scripts_name_files_that_exist(board, tmp_path):
    folder = BOARDS / board
    build = (folder / "build.tcl").read_text()
    assert f"set board {board}\n" in build
    assert f"card/boards/{board}/build.tcl" in build
    assert constraints_of(board).is_file()
    assert "source [file dirname [file normalize [info script]]]/../common/build.tcl" in build
    common = (BOARDS / "common" / "build.tcl").read_text()
    for name in re.findall(r"\$here/(\w[\w.]+)", common):
        assert (BOARDS / "common" / name).is_file(), name
    # Every variable that the common scripts use is set.
    for script in ("build.tcl", "bd.tcl"):
        text = (BOARDS / "common" / script).read_text()
        taken = set(re.findall(r"\$\{?(\w+)", text))
        made = set(re.findall(r"\bset (\w+)", text + build)) | {"name", "from", "to"}
        assert taken <= made | {"sources", "build_id"}, taken - made

    script = tmp_path / "sources.tcl"
    subprocess.run([sys.executable, "-m", "card.boards.sources", board, str(script)],
                   cwd=PROJECT_ROOT, check=True, timeout=60)
    files = [Path(name) for name in re.findall(r"^    \{(.+)\}$", script.read_text(), re.M)]
    names = [file.stem for file in files]
    assert all(file.is_file() for file in files)
    assert names[-1] == "alveo_top" and "shell_wrapper" not in names
    assert {"board_card", "card_top", "stream_async_fifo", "field_core",
            "poseidon_fr_rom_pkg"} <= set(names)
    assert names.index("card_pkg") < names.index("card_top")


@pytest.mark.parametrize("board", VIVADO_BOARDS)
def test_constraints_name_ports_that_exist(board):
    ports = ports_of(BOARDS / "common" / "rtl" / "alveo_top.sv")
    text = constraints_of(board).read_text()
    named = set(re.findall(r"get_ports (\w+)", text))
    assert named <= ports.keys()
    # The pins of the lanes follow from the quad.
    assert ports.keys() - named == {f"pcie_mgt_{way}{half}" for way in ("rx", "tx")
                                    for half in "pn"}
    pins = re.findall(r"PACKAGE_PIN (\w+)", text)
    assert len(pins) == len(set(pins)) == 4


def test_the_block_design_has_the_ports_of_its_stand_in():
    text = (BOARDS / "common" / "bd.tcl").read_text()
    stand_in = ports_of(BOARDS / "common" / "shell" / "shell_wrapper.sv")
    single = {name: way for way, name in
              re.findall(r"create_bd_port -dir ([IO]) (?:-type \w+ |-from \d+ -to \d+ )?(\w+)", text)}
    interfaces = {name: mode for mode, name in
                  re.findall(r"create_bd_intf_port -mode (\w+) -vlnv \S+ (\w+)", text)}
    assert interfaces == {"pcie_refclk": "Slave", "pcie_mgt": "Master", "h2c": "Master",
                          "c2h": "Slave", "registers": "Master"}
    for name, (direction, _) in stand_in.items():
        if name in single:
            assert single.pop(name) == {"input": "I", "output": "O"}[direction]
            continue
        interface = max((i for i in interfaces if name.startswith(f"{i}_")), key=len)
        signal = name.removeprefix(f"{interface}_")
        if signal == "tdata" or signal == "tvalid":
            master = interfaces[interface] == "Master"
            assert (direction == "output") == master, name
    for interface in ("h2c", "c2h"):
        bits = stand_in[f"{interface}_tdata"][1]
        assert f"CONFIG.axi_data_width {bits}_bit" in text
        assert stand_in[f"{interface}_tkeep"][1] == bits // 8
    # Each interrupt of the card is one of XDMA's.
    for name in ("irq_req", "irq_ack"):
        count = stand_in[name][1]
        assert f"-from {count - 1} -to 0 {name}" in text
        assert f"[get_bd_pins xdma/usr_{name}]" in text
        assert f"CONFIG.xdma_num_usr_irq {count} " in text
    assert f"CONFIG.TDATA_NUM_BYTES {bits // 8} " in text
    assert not single, f"ports of the block design that its replacement lacks: {single}"
    # Each port, of an interface or single, is connected or created by a connection.
    for name in [*interfaces, *re.findall(r"create_bd_port \S+ \S+ (?:-type \w+ )?(\w+)", text)]:
        assert len(re.findall(rf"_ports {name}\b", text)) >= 1, f"{name} is not connected"


def figures(reached: float) -> dict[str, object]:
    """A report as nextpnr writes it."""
    cells = {"TRELLIS_COMB": 30879, "TRELLIS_FF": 33503, "MULT18X18D": 36, "DP16KD": 87}
    return {
        "fmax": {"$glbnet$clk": {"achieved": reached, "constraint": 62.5}},
        "utilization": {cell: {"used": used, "available": 2 * used}
                        for cell, used in cells.items()},
    }


@pytest.mark.parametrize(("reached", "missed"), [(50.0, 0), (49.99, 1), (61.5, 0)])
def test_a_clock_that_is_missed_is_told(reached, missed):
    measured = json.loads(json.dumps(figures(reached)))
    report = bitstream.Report(
        board="ulx3s_85f", build_id="0x1", seed=1, wire_length=400_000,
        clocks=bitstream.clocks_of(measured, 1.25),
        utilization=bitstream.utilization_of(measured), bitstream_bytes=1, place_and_route_s=1.0)
    assert len(bitstream.misses(report)) == missed
    text = bitstream.markdown(report)
    assert f"| clk | {reached:g} MHz reached, 50 MHz needed |" in text
    assert "| LUT4 | 30,879 of 61,758 |" in text


def test_a_board_without_an_open_flow_is_refused():
    done = subprocess.run([sys.executable, "-m", "card.boards.bitstream", "alveo_u280"],
                          cwd=PROJECT_ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "ulx3s_85f" in done.stderr and "Traceback" not in done.stderr


def test_the_boards_of_the_open_flow_have_their_files():
    for name, board in bitstream.BOARDS.items():
        assert (BOARDS / board.constraints).is_file(), name
        assert any((BOARDS / folder / f"{board.top}.sv").is_file() for folder in board.folders)


def test_the_wire_length_is_the_last_of_a_placement():
    log = "Info:   at iteration #{}: temp = 0.000000, timing cost = 0, wirelen = {}\n"
    assert bitstream.wire_length(log.format(1, 467864) + log.format(5, 438655)) == 438655
    with pytest.raises(bitstream.ToolFailed, match="no wire length"):
        bitstream.wire_length("Info: Packing constants..\n")
